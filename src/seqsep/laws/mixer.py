"""What every mixer must obey, callable by outside authors.

Each law takes a mixer and random inputs and raises LawFails, which says what differs and where. The mixer may be anyone's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.mixers import Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.plugins.global_state import GlobalState
from seqsep.plugins.load import PlugInFails, in_words

TOLERANCE = 1e-9
TOLERANCES = {torch.float64: TOLERANCE, torch.float32: 1e-3}  # float32 is for layers that know nothing else


class LawFails(AssertionError):
    """Which mixer breaks which law, and where."""


@dataclass(frozen=True)
class Verdict:
    """Whether a law holds, and in words where it does not."""

    law: str
    holds: bool
    where: str = ""


def check_mixer(make: Callable[[int], Mixer], width: int = 8, time: int = 19, batch: int = 3, seed: int = 0) -> None:
    """Every law of a mixer, in float64, on random inputs; `make(width)` returns a fresh one. Raises LawFails."""
    mixer, x = subject(make, width, time, batch, seed)
    for law in MIXER_LAWS.values():
        law(mixer, x)


def subject(
    make: Callable[[int], Mixer],
    width: int = 8,
    time: int = 19,
    batch: int = 3,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> tuple[Mixer, Float[Tensor, "batch time width"]]:
    """A fresh mixer and random inputs for it. Tensors that it makes without a type follow it: `torch.set_default_dtype`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make(width).to(dtype), torch.randn(batch, time, width, dtype=dtype)


def verdict(law: str, mixer: Mixer, x: Tensor, path: Path | None = None) -> Verdict:
    """Try one of MIXER_LAWS; whatever the mixer raises breaks it. `path`: its file, so that a line of it can be named."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(x.dtype)
    try:
        MIXER_LAWS[law](mixer, x)
    except LawFails as failure:
        return Verdict(law, False, str(failure).removeprefix(f"{type(mixer).__name__}: "))
    except PlugInFails as failure:
        return Verdict(law, False, str(failure).partition(": ")[2])
    except (Exception, SystemExit) as error:
        return Verdict(law, False, f"it raises {in_words(error, path)}")
    finally:
        torch.set_default_dtype(default)
    return Verdict(law, True)


@torch.no_grad()
def _steps(mixer: Mixer, x: Tensor, state: State | None = None, t: int = 0) -> tuple[Tensor, State]:
    state = mixer.start(x.shape[0]) if state is None else state
    outputs = []
    for offset in range(x.shape[1]):
        y, state = mixer.step(x[:, offset], state, t + offset)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state


def _require(condition: bool, mixer: Mixer, words: str) -> None:
    if not condition:
        raise LawFails(f"{type(mixer).__name__}: {words}")


def _require_close(
    words: str, mixer: Mixer, found: Tensor, expected: Tensor, along: int | None = None, part: float = 1
) -> None:
    """Equal to the tolerance of their type, times `part`; `along` is the axis of time: the first time that differs is named."""
    _require(found.shape == expected.shape, mixer, f"{words}: shape {tuple(found.shape)} for {tuple(expected.shape)}")
    tolerance = TOLERANCES[expected.dtype if expected.dtype in TOLERANCES else torch.float64] * part
    found, expected = (torch.view_as_real(one) if one.is_complex() else one for one in (found, expected))
    if found.numel() == 0:
        return
    difference = (found.double() - expected.double()).abs()
    wrong = ~(difference <= tolerance * max(1.0, float(expected.abs().max())))
    if not bool(wrong.any()):
        return
    first, at = "", difference
    if along is not None:
        times = wrong.movedim(along, 0).flatten(1).any(1)
        t = int(times.int().argmax())
        first, at = f", first at time {t}", difference.movedim(along, 0)[t]
    raise LawFails(f"{type(mixer).__name__}: {words}{first}: they differ by {float(at.max()):.1e}, at most {tolerance:.0e}")


@torch.no_grad()
def shapes_and_types(mixer: Mixer, x: Tensor) -> None:
    """`forward` and `step` give the shapes and types of their inputs; a state is tensors whose first axis is the batch."""
    batch, time, width = x.shape
    _require_like("forward gives", mixer, mixer(x), (batch, time, width), x.dtype)
    state = mixer.start(batch)
    for t in range(2):
        method = f"step at time {t - 1}" if t else "start"
        for number, part in enumerate(state):
            words = f"{method}: tensor {number} of the state: expected {batch} examples on the first axis"
            _require(part.dim() > 0 and len(part) == batch, mixer, f"{words}, found shape {tuple(part.shape)}")
        y, state = mixer.step(x[:, t % time], state, t)
        _require_like(f"step at time {t} gives", mixer, y, (batch, width), x.dtype)


def _require_like(what: str, mixer: Mixer, y: Any, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    _require(isinstance(y, Tensor), mixer, f"{what} a {type(y).__name__}, expected a tensor")
    _require(tuple(y.shape) == shape, mixer, f"{what} shape {tuple(y.shape)}, expected {shape}")
    _require(y.dtype == dtype, mixer, f"{what} {y.dtype}, expected {dtype}, the type of its input")


@torch.no_grad()
def numbers_are_finite(mixer: Mixer, x: Tensor) -> None:
    """No output of `forward` or `step` is NaN or infinite."""
    for method, y in (("forward", mixer(x)), ("step", _steps(mixer, x)[0])):
        spoiled = (~torch.isfinite(y)).movedim(1, 0).flatten(1).any(1)
        if bool(spoiled.any()):
            t = int(spoiled.int().argmax())
            kind = "NaN" if bool(y[:, t].isnan().any()) else "an infinite number"
            raise LawFails(f"{type(mixer).__name__}: {method} gives {kind}, first at time {t}")


@torch.no_grad()
def nothing_is_kept(mixer: Mixer, x: Tensor) -> None:
    """Nothing is remembered between calls but in the state, and what is given to a method is left alone."""
    other, given = x.flip(0).flip(1) * 2 + 1, x.clone()
    before = {name: part.clone() for name, part in mixer.state_dict().items()}
    first, alone = mixer(x), _steps(mixer, x)[0]
    mixer(other)
    _require(torch.equal(x, given), mixer, "forward or step changes its input in place")
    for name, part in mixer.state_dict().items():
        _require(torch.equal(part, before[name]), mixer, f"forward or step changes {name}: something is kept between calls")
    words = "something is kept between calls: the same input gives another output of"
    _require_close(f"{words} forward the second time", mixer, mixer(x), first, 1, 1e-3)
    mine, others, outputs = mixer.start(len(x)), mixer.start(len(x)), []
    for t in range(x.shape[1]):
        kept = [part.clone() for part in mine]
        y, after = mixer.step(x[:, t], mine, t)
        for number, (part, copy) in enumerate(zip(mine, kept, strict=True)):
            _require(
                torch.equal(part, copy), mixer, f"step changes tensor {number} of the state it is given in place, time {t}"
            )
        others, mine = mixer.step(other[:, t], others, t)[1], after
        outputs.append(y)
    _require_close(f"{words} step while it serves another sequence", mixer, torch.stack(outputs, 1), alone, 1, 1e-3)


@torch.no_grad()
def global_state_stays(mixer: Mixer, x: Tensor) -> None:
    """Random states, the number of threads and the settings of torch and numpy stay as they are."""
    for method, call in (("forward", lambda: mixer(x)), ("start or step", lambda: _steps(mixer, x))):
        before = GlobalState()
        call()
        changed = before.changed()
        _require(changed is None, mixer, f"{method}: {changed}")


@torch.no_grad()
def forward_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`forward` is `step` repeated, to 1e-9 in float64; `prefill` leaves the same state."""
    stepped, state = _steps(mixer, x)
    _require_close("forward differs from step repeated", mixer, mixer(x), stepped, 1)
    for found, expected in zip(mixer.prefill(x, mixer.start(len(x)), 0), state, strict=True):
        _require_close("prefill differs from step", mixer, found, expected)


@torch.no_grad()
def forward_is_causal(mixer: Mixer, x: Tensor) -> None:
    """Changing one input, or all from a position on, changes no output before it."""
    outputs, other, time = mixer(x), x.flip(1) * 3 - 1, x.shape[1]
    for cut, end in [*((cut, cut + 1) for cut in range(1, time)), (1, time), (time // 2, time)]:
        changed = torch.cat([x[:, :cut], other[:, cut:end], x[:, end:]], dim=1)
        words = f"the input at time {cut}" if end == cut + 1 else f"the inputs from time {cut} on"
        _require_close(f"it looks ahead: outputs change with {words}", mixer, mixer(changed)[:, :cut], outputs[:, :cut], 1)


@torch.no_grad()
def examples_stay_apart(mixer: Mixer, x: Tensor) -> None:
    """The output for an example does not depend on the others of its batch."""
    _require_close("forward mixes the examples of a batch", mixer, mixer(x[:1]), mixer(x)[:1], 1)


@torch.no_grad()
def state_is_counted(mixer: Mixer, x: Tensor) -> None:
    """The state has as many bits after every step as `start` declares, unless the mixer says that it grows."""
    state = mixer.start(1)
    declared = state_bits(state)
    for t in range(x.shape[1]):
        state = mixer.step(x[:1, t], state, t)[1]
        found = state_bits(state)
        words = f"the state grows beyond what start declares: {declared} bits at the start, {found} after the step at time {t}"
        _require(mixer.grows or found == declared, mixer, f"{words}; grows = True says that it may")


@torch.no_grad()
def forward_at_equals_forward(mixer: Mixer, x: Tensor) -> None:
    """`forward_at` gives the rows of `forward`."""
    at = torch.arange(x.shape[0]) * 7 % x.shape[1]
    for asked in (at, torch.zeros_like(at), torch.full_like(at, x.shape[1] - 1)):
        _require_close(
            "forward_at differs from forward", mixer, mixer.forward_at(x, asked), mixer(x)[torch.arange(len(x)), asked]
        )


@torch.no_grad()
def padding_changes_nothing(mixer: Mixer, x: Tensor) -> None:
    """Tokens appended on the right leave the outputs before them alone, whatever their values."""
    for value in (0.0, 50.0):
        words = f"padding of {value:g} changes what"
        padded = torch.cat([x, torch.full_like(x[:, :5], value)], dim=1)
        _require_close(f"{words} forward gives before it", mixer, mixer(padded)[:, : x.shape[1]], mixer(x), 1)
        at = torch.full((len(x),), x.shape[1] - 1)
        _require_close(f"{words} forward_at gives before it", mixer, mixer.forward_at(padded, at), mixer(x)[:, -1])


@torch.no_grad()
def step_output_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`step_output` puts many inputs to one state and answers what `step` would."""
    state = _steps(mixer, x[:1, :-1])[1]
    asked = x[:, -1]
    expected = torch.cat([mixer.step(one[None], state, x.shape[1] - 1)[0] for one in asked])
    _require_close("step_output differs from step", mixer, mixer.step_output(asked, state, x.shape[1] - 1), expected)


@torch.no_grad()
def state_survives_as_bytes(mixer: Mixer, x: Tensor) -> None:
    """A state handed over as bytes has the bits counted and continues bit for bit."""
    half = x.shape[1] // 2
    state = _steps(mixer, x[:1, :half])[1]
    data = b"".join(state_to_bytes((part,), 0) for part in state)
    _require(8 * len(data) == state_bits(state), mixer, f"a state of {state_bits(state)} bits is {8 * len(data)} bits as bytes")
    back = state_from_bytes(state, data)
    continued, restored = (_steps(mixer, x[:1, half:], one, half)[0] for one in (state, back))
    _require(torch.equal(continued, restored), mixer, "a state that was handed over as bytes continues differently")


def gradients_are_right(mixer: Mixer, x: Tensor) -> None:
    """Gradients of `forward` and `forward_at`, of inputs and parameters, against finite differences (gradcheck)."""
    small = x[:2, :6].clone().requires_grad_()
    at = torch.tensor([5, 2])[: len(small)]
    parameters = [parameter for parameter in mixer.parameters() if parameter.requires_grad]
    names = [name for name, parameter in mixer.named_parameters() if parameter.requires_grad]

    def outputs(inputs: Tensor, *values: Tensor) -> tuple[Tensor, Tensor]:
        given = dict(zip(names, values, strict=True))
        full = torch.func.functional_call(mixer, given, (inputs,))
        asked = torch.func.functional_call(_At(mixer), {f"mixer.{name}": value for name, value in given.items()}, (inputs, at))
        return full, asked

    if names:
        right = torch.autograd.gradcheck(outputs, (small, *parameters), fast_mode=True, raise_exception=False)
        _require(right, mixer, "a gradient of forward or forward_at differs from finite differences")


class _At(torch.nn.Module):
    """`forward_at` as a module's forward, so that parameters can be put in from outside."""

    def __init__(self, mixer: Mixer) -> None:
        super().__init__()
        self.mixer = mixer

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        return self.mixer.forward_at(x, at)


MIXER_LAWS: dict[str, Callable[[Mixer, Tensor], None]] = {
    "shapes and types": shapes_and_types,
    "finite numbers": numbers_are_finite,
    "nothing kept between calls": nothing_is_kept,
    "surroundings left alone": global_state_stays,
    "examples apart": examples_stay_apart,
    "causal": forward_is_causal,
    "forward equals step": forward_equals_step,
    "state counted": state_is_counted,
    "one position asked": forward_at_equals_forward,
    "padding": padding_changes_nothing,
    "many questions to one state": step_output_equals_step,
    "state as bytes": state_survives_as_bytes,
    "gradients": gradients_are_right,
}
