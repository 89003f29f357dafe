"""The laws that every mixer must obey, callable by outside authors.

Each law takes a mixer and random inputs and raises LawFails, which says what differs and where. The mixer may be anyone's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.laws._comparison import (
    MANY_TOKENS,
    first_time,
    many_tokens,
    require,
    require_close,
    require_like,
    step_through,
)
from seqsep.models.laws._gradients import gradients_are_right
from seqsep.models.laws._optional import optional_methods_agree
from seqsep.models.laws.failure import LawFails
from seqsep.models.mixers import Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.models.plugins.global_state import GlobalState
from seqsep.models.plugins.load import PlugInFails, in_words

__all__ = ["MIXER_LAWS", "LawFails", "Verdict", "check_mixer", "mixer_and_inputs", "try_law"]


READS_NOTHING_BACK = "no output depends on an earlier input, with the parameters it is built with"
"""Said of a layer that holds the law of causality, and carries nothing from token to token."""
GROWS_UNEVENLY = "the state grows by fewer bits than with the first token, which are counted for each"
"""Said of a layer with `grows = True` whose state bits are overstated: a window that is full, or memory for many tokens."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a law: it holds or not. `where` says what differs and where, or, if it holds, what is odd all the same.

    >>> Verdict("causal", False, "it looks ahead").holds
    False
    """

    law: str
    holds: bool
    where: str = ""


def check_mixer(make: Callable[[int], Mixer], width: int = 8, time: int = 19, batch: int = 3, seed: int = 0) -> None:
    """Try every law of a mixer, in float64, on random inputs; `make(width)` returns a fresh mixer.

    `time` is at least 2 tokens. Raises LawFails.

    >>> from seqsep.models.mixers import LSTM
    >>> check_mixer(LSTM, width=2, time=4, batch=2)
    """
    mixer, x = mixer_and_inputs(make, width, time, batch, seed=seed)
    for law in MIXER_LAWS.values():
        law(mixer, x)


def mixer_and_inputs(
    make: Callable[[int], Mixer],
    width: int,
    time: int,
    batch: int,
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> tuple[Mixer, Float[Tensor, "batch time width"]]:
    """Return a fresh mixer and random inputs for it, both of `dtype`. Torch's random state stays as it is.

    >>> from seqsep.models.mixers import LSTM
    >>> mixer, x = mixer_and_inputs(LSTM, width=2, time=4, batch=3)
    >>> x.shape, x.dtype
    (torch.Size([3, 4, 2]), torch.float64)
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make(width).to(dtype), torch.randn(batch, time, width, dtype=dtype)


def try_law(law: str, mixer: Mixer, x: Tensor, path: Path | None = None) -> Verdict:
    """Try one of MIXER_LAWS; whatever the mixer raises breaks it.

    Tensors that the mixer makes without a type have that of x. `path` is the mixer's file, so that a line of it can be named.

    >>> from seqsep.models.mixers import LSTM
    >>> try_law("causal", *mixer_and_inputs(LSTM, width=2, time=4, batch=3))
    Verdict(law='causal', holds=True, where='')
    """
    default = torch.get_default_dtype()
    torch.set_default_dtype(x.dtype)
    try:
        oddity = MIXER_LAWS[law](mixer, x)
    except LawFails as failure:
        return Verdict(law, False, str(failure).removeprefix(f"{type(mixer).__name__}: "))
    except PlugInFails as failure:
        return Verdict(law, False, str(failure).partition(": ")[2])
    except (Exception, SystemExit) as error:
        return Verdict(law, False, f"it raises {in_words(error, path)}")
    finally:
        torch.set_default_dtype(default)
    return Verdict(law, True, oddity or "")


@torch.no_grad()
def shapes_and_types(mixer: Mixer, x: Tensor) -> None:
    """Outputs have the shapes and types of their inputs; a state is tensors whose first axis is the batch."""
    batch, time, width = x.shape
    require_like(mixer, "forward gives", mixer(x), shape=(batch, time, width), dtype=x.dtype)
    state = mixer.start(batch)
    for t in range(2):
        method = f"step at time {t - 1}" if t else "start"
        for number, part in enumerate(state):
            words = f"{method}: tensor {number} of the state: expected {batch} examples on the first axis"
            require(part.dim() > 0 and len(part) == batch, mixer, f"{words}, found shape {tuple(part.shape)}")
        y, state = mixer.step(x[:, t % time], state, t)
        require_like(mixer, f"step at time {t} gives", y, shape=(batch, width), dtype=x.dtype)
    at_start = torch.zeros(batch, dtype=torch.int64)
    require_like(mixer, "forward_at gives", mixer.forward_at(x, at_start), shape=(batch, width), dtype=x.dtype)


@torch.no_grad()
def numbers_are_finite(mixer: Mixer, x: Tensor) -> None:
    """No output of `forward` or `step` is NaN or infinite, also on MANY_TOKENS tokens, and no number of a state is NaN."""
    for inputs in (x, many_tokens(x)):
        for method, y in (("forward", mixer(inputs)), ("step", step_through(mixer, inputs)[0])):
            spoiled = ~torch.isfinite(y)
            if bool(spoiled.any()):
                t = first_time(spoiled, time_axis=1)
                kind = "NaN" if bool(y[:, t].isnan().any()) else "an infinite number"
                words = f"{method} gives {kind}, first at time {t}"
                require(False, mixer, f"{words} of {inputs.shape[1]}, in {str(x.dtype).removeprefix('torch.')}")
    state = mixer.start(len(x))
    for t in range(x.shape[1] + 1):
        for number, part in enumerate(state):
            words = f"tensor {number} of the state after {t} tokens has NaN, in {str(x.dtype).removeprefix('torch.')}"
            require(not bool(part.isnan().any()), mixer, words)
        if t < x.shape[1]:
            state = mixer.step(x[:, t], state, t)[1]


@torch.no_grad()
def forward_repeats(mixer: Mixer, x: Tensor) -> None:
    """`forward` gives the same output when it is called again with the same input: it adds no noise and counts no calls."""
    words = "forward gives another output for the same input the second time"
    require_close(mixer, words, mixer(x.clone()), mixer(x.clone()), time_axis=1, share=1e-3)


@torch.no_grad()
def nothing_is_kept(mixer: Mixer, x: Tensor) -> None:
    """Between calls, a layer remembers nothing outside its state, and a method does not change its arguments."""
    other = x.flip(0).flip(1) * 2 + 1
    before = x.clone()
    parameters = {name: part.clone() for name, part in mixer.state_dict().items()}
    first = mixer(x)
    alone = step_through(mixer, x)[0]
    mixer(other)
    require(torch.equal(x, before), mixer, "forward or step changes its input in place")
    for name, part in mixer.state_dict().items():
        words = f"forward or step changes {name}: something is kept between calls"
        require(torch.equal(part, parameters[name]), mixer, words)
    words = "something is kept between calls: the same input gives another output of"
    require_close(mixer, f"{words} forward the second time", mixer(x), first, time_axis=1, share=1e-3)
    beside = _step_beside(mixer, x, other)
    require_close(mixer, f"{words} step while it serves another sequence", beside, alone, time_axis=1, share=1e-3)


def _step_beside(mixer: Mixer, x: Tensor, other: Tensor) -> Tensor:
    """Return the outputs of `step` for x, while the mixer steps through another sequence too. The states it is given must not
    change.
    """
    state = mixer.start(len(x))
    other_state = mixer.start(len(x))
    outputs = []
    for t in range(x.shape[1]):
        copies = [part.clone() for part in state]
        y, after = mixer.step(x[:, t], state, t)
        for number, (part, copy) in enumerate(zip(state, copies, strict=True)):
            words = f"step changes tensor {number} of the state it is given in place, time {t}"
            require(torch.equal(part, copy), mixer, words)
        other_state = mixer.step(other[:, t], other_state, t)[1]
        state = after
        outputs.append(y)
    return torch.stack(outputs, 1)


@torch.no_grad()
def global_state_stays(mixer: Mixer, x: Tensor) -> None:
    """A call leaves the random states, the number of threads and the settings of torch and numpy as they are."""
    for method, call in (("forward", lambda: mixer(x)), ("start or step", lambda: step_through(mixer, x))):
        global_state = GlobalState()
        call()
        changed = global_state.changed()
        require(changed is None, mixer, f"{method}: {changed}")


@torch.no_grad()
def forward_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`forward` equals repeated `step`, to 1e-9 in float64, also on MANY_TOKENS tokens; `prefill` leaves the same state."""
    stepped, state = step_through(mixer, x)
    require_close(mixer, "forward differs from step repeated", mixer(x), stepped, time_axis=1)
    many = many_tokens(x)
    words = f"forward differs from step repeated, of {MANY_TOKENS} tokens"
    require_close(mixer, words, mixer(many), step_through(mixer, many)[0], time_axis=1)
    prefilled = mixer.prefill(x, mixer.start(len(x)), 0)
    for actual, expected in zip(prefilled, state, strict=True):
        require_close(mixer, "prefill differs from step", actual, expected)


@torch.no_grad()
def forward_is_causal(mixer: Mixer, x: Tensor) -> str | None:
    """If one input changes, or all inputs from a position on, no output before it changes.

    A layer is causal too if no later output changes, because it treats each token separately. The verdict says so, as few users
    intend it.
    """
    outputs = mixer(x)
    other = x.flip(1) * 3 - 1
    time = x.shape[1]
    reads_back = False
    one_input = [(start, start + 1) for start in range(time)]
    for start, end in [*one_input, (1, time), (time // 2, time)]:
        changed = torch.cat([x[:, :start], other[:, start:end], x[:, end:]], dim=1)
        which = f"the input at time {start}" if end == start + 1 else f"the inputs from time {start} on"
        words = f"it looks ahead: outputs change with {which}"
        now = mixer(changed)
        require_close(mixer, words, now[:, :start], outputs[:, :start], time_axis=1)
        reads_back = reads_back or not torch.equal(now[:, end:], outputs[:, end:])
    return None if reads_back else READS_NOTHING_BACK


@torch.no_grad()
def examples_stay_apart(mixer: Mixer, x: Tensor) -> None:
    """The output for an example does not depend on the other examples in its batch."""
    require_close(mixer, "forward mixes the examples of a batch", mixer(x[:1]), mixer(x)[:1], time_axis=1)


@torch.no_grad()
def state_is_counted(mixer: Mixer, x: Tensor) -> str | None:
    """For MANY_TOKENS steps, a state has the number of bits that `start` declares. If it grows, no token adds more bits than
    the first.

    A mixer says that it grows by `grows = True`.
    """
    many = many_tokens(x)
    start = state = mixer.start(1)
    declared = state_bits(state)
    each = 0
    oddity = None
    for t in range(MANY_TOKENS):
        state = mixer.step(many[:, t], state, t)[1]
        bits = state_bits(state)
        if mixer.grows and t == 0:
            each = bits - declared
        counted = declared + (t + 1) * each
        if mixer.grows:
            words = (
                f"the state grows by more bits than with the first token, which are counted for each: {declared} at the start"
            )
            require(
                bits <= counted, mixer, f"{words}, {declared + each} after the first token, {bits} after the step at time {t}"
            )
            oddity = GROWS_UNEVENLY if bits < counted else oddity
            continue
        changes = "grows beyond" if bits > declared else "shrinks below"
        words = f"the state {changes} what start declares: {declared} bits at the start, {bits} after the step at time {t}"
        why = "grows = True says that it may" if bits > declared else _types(start, state)
        require(bits == declared, mixer, f"{words}; {why}")
    return oddity


def _types(before: State, after: State) -> str:
    """Return the shapes and types of a state before and after, of the tensors that changed them."""
    pairs = [(number, *pair) for number, pair in enumerate(zip(before, after, strict=False))]
    changed = [(number, _type(old), _type(new)) for number, old, new in pairs if _type(old) != _type(new)]
    return "; ".join(f"tensor {number}: {old} at the start, then {new}" for number, old, new in changed)


def _type(part: Tensor) -> str:
    return f"{str(part.dtype).removeprefix('torch.')} {tuple(part.shape)}"


@torch.no_grad()
def forward_at_equals_forward(mixer: Mixer, x: Tensor) -> None:
    """`forward_at` returns the rows of `forward` at the queried positions."""
    examples = torch.arange(len(x))
    last = x.shape[1] - 1
    scattered = examples * 7 % x.shape[1]
    for at in (scattered, torch.zeros_like(examples), torch.full_like(examples, last)):
        expected = mixer(x)[examples, at]
        require_close(mixer, "forward_at differs from forward", mixer.forward_at(x, at), expected)


@torch.no_grad()
def padding_changes_nothing(mixer: Mixer, x: Tensor) -> None:
    """Tokens that are appended on the right change no output before them, whatever their values."""
    time = x.shape[1]
    last = torch.full((len(x),), time - 1)
    for value in (0.0, 50.0):
        words = f"padding of {value:g} changes what"
        padded = torch.cat([x, torch.full_like(x[:, :5], value)], dim=1)
        require_close(mixer, f"{words} forward gives before it", mixer(padded)[:, :time], mixer(x), time_axis=1)
        require_close(mixer, f"{words} forward_at gives before it", mixer.forward_at(padded, last), mixer(x)[:, -1])


@torch.no_grad()
def step_output_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`step_output` reads many inputs, each from the same state, and returns the outputs that `step` returns."""
    state = step_through(mixer, x[:1, :-1])[1]
    inputs = x[:, -1]
    t = x.shape[1] - 1
    expected = torch.cat([mixer.step(one[None], state, t)[0] for one in inputs])
    outputs = mixer.step_output(inputs, state, t)
    require_like(mixer, "step_output gives", outputs, shape=tuple(inputs.shape), dtype=x.dtype)
    require_close(mixer, "step_output differs from step", outputs, expected)


@torch.no_grad()
def state_survives_as_bytes(mixer: Mixer, x: Tensor) -> None:
    """A state that was sent as bytes has the counted number of bits, and all later outputs are equal bit for bit."""
    half = x.shape[1] // 2
    state = step_through(mixer, x[:1, :half])[1]
    data = b"".join(state_to_bytes((part,), 0) for part in state)
    require(8 * len(data) == state_bits(state), mixer, f"a state of {state_bits(state)} bits is {8 * len(data)} bits as bytes")
    rest = x[:1, half:]
    continued = step_through(mixer, rest, state, half)[0]
    restored = step_through(mixer, rest, state_from_bytes(state, data), half)[0]
    require(torch.equal(continued, restored), mixer, "a state that was handed over as bytes continues differently")


MIXER_LAWS: dict[str, Callable[[Mixer, Tensor], str | None]] = {
    "shapes and types": shapes_and_types,
    "finite numbers": numbers_are_finite,
    "global state unchanged": global_state_stays,
    "same answer twice": forward_repeats,
    "nothing kept between calls": nothing_is_kept,
    "examples independent": examples_stay_apart,
    "causal": forward_is_causal,
    "forward equals step": forward_equals_step,
    "state counted": state_is_counted,
    "one queried position": forward_at_equals_forward,
    "padding": padding_changes_nothing,
    "many questions to one state": step_output_equals_step,
    "state as bytes": state_survives_as_bytes,
    "optional methods": optional_methods_agree,
    "gradients": gradients_are_right,
}
"""By the name that `seqsep check` prints, in the order in which they are tried."""
GATES = ("shapes and types", "finite numbers", "same answer twice")
"""If one of these does not hold, those after it are not tried: each compares the numbers of two calls."""
