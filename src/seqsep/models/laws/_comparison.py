"""The comparison of a mixer's numbers with those that a law requires, and the message about the place where they differ."""

from typing import Any

import torch
from torch import Tensor

from seqsep.models.laws.failure import LawFails
from seqsep.models.mixers import Mixer, State

MANY_TOKENS = 150
"""Laws of long inputs have so many: a parallel form that reads chunks of up to 128 meets a border within them."""
TOLERANCES = {torch.float64: 1e-9, torch.float32: 1e-3}
"""Times the greatest expected number, or 1 if that is less; float32 is for layers that cannot compute in float64."""


def require(condition: bool, mixer: Mixer, words: str) -> None:
    """Raise LawFails with these words unless the condition holds."""
    if not condition:
        raise LawFails(f"{type(mixer).__name__}: {words}")


def require_like(mixer: Mixer, what: str, y: Any, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    """Raise LawFails unless y is a tensor of this shape and type; `what` says what gives it."""
    require(isinstance(y, Tensor), mixer, f"{what} a {type(y).__name__}, expected a tensor")
    require(tuple(y.shape) == shape, mixer, f"{what} shape {tuple(y.shape)}, expected {shape}")
    require(y.dtype == dtype, mixer, f"{what} {y.dtype}, expected {dtype}, the type of its input")


def require_close(
    mixer: Mixer, words: str, actual: Tensor, expected: Tensor, *, time_axis: int | None = None, share: float = 1.0
) -> None:
    """Raise LawFails unless two tensors agree to `share` of the tolerance of their type.

    With `time_axis`, the axis of the tokens, the message names the first time at which they differ.
    """
    require(actual.shape == expected.shape, mixer, f"{words}: shape {tuple(actual.shape)} for {tuple(expected.shape)}")
    tolerance = TOLERANCES.get(expected.dtype, TOLERANCES[torch.float64]) * share
    if expected.numel() == 0:
        return
    numbers = _real(expected).double()
    difference = (_real(actual).double() - numbers).abs()
    wrong = ~(difference <= tolerance * max(1.0, float(numbers.abs().max())))
    if not bool(wrong.any()):
        return
    where = ""
    if time_axis is not None:
        t = first_time(wrong, time_axis)
        where = f", first at time {t}"
        difference = difference.movedim(time_axis, 0)[t]
    greatest = float(difference.max())
    require(False, mixer, f"{words}{where}: they differ by {greatest:.1e}, at most {tolerance:.0e}")


def first_time(wrong: Tensor, time_axis: int) -> int:
    """Return the first time at which some entry is marked."""
    times = wrong.movedim(time_axis, 0).flatten(1).any(1)
    return int(times.int().argmax())


def _real(x: Tensor) -> Tensor:
    return torch.view_as_real(x) if x.is_complex() else x


@torch.no_grad()
def step_through(mixer: Mixer, x: Tensor, state: State | None = None, t: int = 0) -> tuple[Tensor, State]:
    """Return the outputs of `step`, token by token, from `state` at time t, and the state after the last."""
    state = mixer.start(x.shape[0]) if state is None else state
    outputs = []
    for offset in range(x.shape[1]):
        y, state = mixer.step(x[:, offset], state, t + offset)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state


def many_tokens(x: Tensor) -> Tensor:
    """Return one example of MANY_TOKENS tokens: the first example of x again and again, each time of another size."""
    times = torch.arange(MANY_TOKENS)
    return x[:1, times % x.shape[1]] * torch.cos(times.to(x.dtype))[:, None]
