"""The size of a layer: its parameters, and the numbers of its state over the length, counted from tensors."""

from dataclasses import dataclass

import torch

from seqsep.models.mixers.base import State
from seqsep.models.model import Model, ModelState

VOCABULARY = 64
COUNTED_AT = (1, 64, 256, 1024)
"""Tokens after which the numbers of the state are counted."""
BITS = {"float32": 32, "bfloat16": 16}


@dataclass(frozen=True)
class StateSize:
    """The size of a model of these layers, for one example.

    Fields:
        width: coordinates of the residual stream.
        layers: number of layers.
        parameters: numbers that are trained, embeddings and read-out left out.
        numbers: pairs of a length and the numbers of the state after that many tokens.
        fixed: numbers of the state that do not depend on the length.
        per_token: numbers for each token; 0 for a state of fixed size.
        cached_from: the first length at which this state is smaller than the keys and values of attention of the same width
            and depth; None if no length is.
    """

    width: int
    layers: int
    parameters: int
    numbers: tuple[tuple[int, int], ...]
    fixed: int
    per_token: int
    cached_from: int | None

    def bits(self, dtype: str = "float32") -> int:
        """Return the bits of the fixed part, stored as numbers of a type.

        >>> StateSize(64, 2, 100, ((1, 128),), 128, 0, 1).bits("bfloat16")
        2048
        """
        return BITS[dtype] * self.fixed


@torch.no_grad()
def measure_size(model: Model, width: int) -> StateSize:
    """Return the size of a model, by reading tokens."""
    tokens = torch.randint(VOCABULARY, (1, max(COUNTED_AT)), generator=torch.Generator().manual_seed(0))
    state = model.start(1)
    counted = {0: _numbers(state)}
    read = 0
    for length in COUNTED_AT:
        state = model.prefill(tokens[:, read:length], state if read else None, read)
        counted[length] = _numbers(state)
        read = length
    first, last = COUNTED_AT[-2:]
    per_token = (counted[last] - counted[first]) // (last - first)
    fixed = counted[last] - per_token * last
    depth = len(model.residuals())
    cache = 2 * width * depth
    gained = cache - per_token
    parameters = sum(weight.numel() for block in model.residuals() for weight in block.parameters())
    return StateSize(
        width=width,
        layers=depth,
        parameters=parameters,
        numbers=tuple((length, counted[length]) for length in COUNTED_AT),
        fixed=fixed,
        per_token=per_token,
        cached_from=fixed // gained + 1 if gained > 0 else None,
    )


def _numbers(state: ModelState) -> int:
    """Return the real numbers of one example's state: a complex number is two."""

    def of_layer(layer: State) -> int:
        return sum(part[0].numel() * (2 if part.is_complex() else 1) for part in layer)

    return sum(map(of_layer, state))
