"""A machine is any recurrent model, ours or a user's, whose state has a counted number of bits.

Two kinds of model fit. One is a `Recurrence`, whose state is a whole number of `state_bits` bits. The other is any object with
the methods of a mixer or of `Model`: `start(batch)`, `step(inputs, state, t) -> (outputs, state)` and `forward(inputs)`. Its
state is nested tuples of tensors, the batch first. The bits of the latter are counted from its tensors, never declared.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Int64

from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.protocols._contract import BitMachine, RecurrentModel, TokenSequence

AnyModel: TypeAlias = Recurrence | RecurrentModel | BitMachine


def as_machine(model: Any, precision: int | None = None, examples: TokenSequence | None = None) -> BitMachine:
    """The model as a machine; with `precision`, every number of its state is rounded to that many bits after every step.

    Rounding is to 2^precision values evenly spaced over [-r, r], one r for each tensor of the state: its largest number over
    `examples` (batch time), read without rounding. Raises ValueError for an object without the methods named above, for
    precision with a `Recurrence`, without examples, or outside 1 to 32.

    >>> from seqsep.models.mixers import LinearAttention
    >>> as_machine(LinearAttention(8, 2)).bits  # 2 heads of 4 x 5 numbers of 32 bits
    1280
    """
    if isinstance(model, BitMachine):
        return model
    if not isinstance(model, Recurrence | RecurrentModel):
        raise ValueError(f"as_machine({type(model).__name__}): a Recurrence, or an object with start, step and forward")
    if isinstance(model, Recurrence) and precision is None:
        return OfNumbers(model)
    from seqsep.theorems.protocols import tensor_machine  # brings torch

    if precision is None and not isinstance(model, Recurrence):
        return tensor_machine.OfTensors(model)
    if isinstance(model, Recurrence) or examples is None or precision is None or not 1 <= precision <= 32:
        raise ValueError(
            f"as_machine({type(model).__name__}, precision={precision}): 1 to 32 bits a number, examples to find their range, "
            "and a model whose state is tensors"
        )
    return tensor_machine.Rounded(model, precision, tensor_machine.reach_of(model, examples))


@dataclass(frozen=True)
class OfNumbers(BitMachine):
    """A machine whose state is a number: a `Recurrence`."""

    model: Recurrence

    @property
    def bits(self) -> int:
        return self.model.state_bits

    def start(self) -> int:
        return self.model.start

    def step(self, token: Any, state: int, t: int) -> tuple[int, int]:
        after = self.model.state((int(token),), state, t)
        return self.model.read(t, after), after

    def pack(self, state: int) -> tuple[int, int]:
        return state, self.bits

    def unpack(self, number: int) -> int:
        return number

    def states(self, tokens: Int64[np.ndarray, "batch time"]) -> Iterator[Hashable]:
        return (self.model.state(row) for row in tokens.tolist())


def choice(output: Any) -> int:
    """Return the class of an output: the output itself, or the greatest of its logits.

    >>> import torch
    >>> choice(2), choice(torch.tensor([0.5, -1.0]))
    (2, 0)
    """
    if isinstance(output, int):
        return output
    import torch

    return int(torch.as_tensor(output).argmax())
