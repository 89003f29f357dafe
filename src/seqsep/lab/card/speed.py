"""Training and decoding steps of a layer beside three peers of the same width and depth, measured in turns.

A training step is forward, backward and Adam on a batch of `BATCH` sequences of N tokens; a decoding step is one token for
`BATCH` sequences after N tokens. The models take turns in one process on one thread, so that all of them meet the same
machine, and a card keeps ratios of medians. Seconds of another machine are others; so are ratios, but less.

A model is not measured at a length where its training step would take longer than `MOST_SECONDS`, or keep more than
`MOST_BYTES`. Both are estimated from the two lengths before; from one length alone, they are taken to grow with its square.
"""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from seqsep.lab.card.size import VOCABULARY
from seqsep.models.model import Model

LENGTHS = (128, 512, 2048, 4096)
BATCH = 2
TURNS = 3
MOST_SECONDS = 8.0
MOST_BYTES = 1 << 30
DECODED = 8
"""Tokens of a turn of decoding."""
Step = Callable[[], object]


@dataclass(frozen=True)
class StepTimes:
    """A model's steps at one length.

    Fields:
        model: name of the model: this layer, or a peer.
        length: N, tokens of a sequence.
        training_seconds: median processor seconds of a training step.
        decoding_seconds: median processor seconds of a decoding step.
        kept_bytes: bytes that autograd keeps between forward and backward.
    """

    model: str
    length: int
    training_seconds: float
    decoding_seconds: float
    kept_bytes: int

    @property
    def tokens_per_second(self) -> float:
        """Tokens of training per processor second."""
        return BATCH * self.length / self.training_seconds


def measure_speed(models: Mapping[str, Model], lengths: tuple[int, ...] = LENGTHS) -> list[StepTimes]:
    """Return the pace of every model at every length that it is measured at."""
    found: list[StepTimes] = []
    fast = dict(models)
    for length in lengths:
        fast = {name: model for name, model in fast.items() if is_possible([one for one in found if one.model == name], length)}
        tokens = torch.randint(VOCABULARY, (BATCH, length + DECODED + 1), generator=torch.Generator().manual_seed(0))
        training = _medians({name: _training(model, tokens[:, : length + 1]) for name, model in fast.items()})
        decoding = _medians({name: _decoding(model, tokens, length) for name, model in fast.items()})
        found += [
            StepTimes(
                model=name,
                length=length,
                training_seconds=training[name],
                decoding_seconds=decoding[name] / DECODED,
                kept_bytes=kept_bytes(model, tokens[:, : length + 1]),
            )
            for name, model in fast.items()
        ]
    return found


def is_possible(known: Sequence[StepTimes], length: int) -> bool:
    """Return True if a training step at a greater length is estimated to stay within both limits.

    >>> def pace(length, seconds):
    ...     return StepTimes("mixer", length, seconds, decoding_seconds=0.0, kept_bytes=1000)
    >>> is_possible([pace(128, 0.5)], 512), is_possible([pace(128, 0.5), pace(512, 2.1)], 2048)
    (True, False)
    """
    if not known:
        return True
    seconds = _estimated([(one.length, one.training_seconds) for one in known], length)
    kept = _estimated([(one.length, float(one.kept_bytes)) for one in known], length)
    return seconds <= MOST_SECONDS and kept <= MOST_BYTES


def _estimated(known: Sequence[tuple[int, float]], length: int) -> float:
    """Return a quantity at a greater length, by the power of the length with which it grew last."""
    last_length, last = known[-1]
    power = 2.0
    if len(known) > 1 and known[-2][1] and last:
        before_length, before = known[-2]
        power = math.log(last / before) / math.log(last_length / before_length)
    return last * (length / last_length) ** power


def _medians(steps: Mapping[str, Step]) -> dict[str, float]:
    """Return the median processor seconds of each step; all of them take turns, after one that warms up."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(TURNS + 1):
        for name, step in steps.items():
            began = time.process_time()
            step()
            if turn:
                taken[name].append(time.process_time() - began)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def loss_of(model: Model, tokens: Tensor) -> Tensor:
    """Return the loss of predicting each next token."""
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def _training(model: Model, tokens: Tensor) -> Step:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0)

    def step() -> None:
        optimizer.zero_grad()
        loss_of(model, tokens).backward()
        optimizer.step()

    return step


@torch.no_grad()
def _decoding(model: Model, tokens: Tensor, length: int) -> Step:
    before = model.prefill(tokens[:, :length])
    return partial(_decode, model, tokens, length=length, state=before)


@torch.no_grad()
def _decode(model: Model, tokens: Tensor, *, length: int, state: tuple[tuple[Tensor, ...], ...]) -> None:
    for offset in range(DECODED):
        _, state = model.step(tokens[:, length + offset], state, length + offset)


def kept_bytes(model: Model, tokens: Tensor) -> int:
    """Return the bytes of the tensors that autograd keeps from a forward pass, each memory once, weights left out."""
    weights = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = loss_of(model, tokens)
    del loss
    return sum(kept.values())
