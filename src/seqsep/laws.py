"""What every task, mixer and theorem must obey, callable by outside authors.

Each function raises AssertionError with the call and the difference found; none returns anything.
"""

import itertools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from seqsep.mixers import Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.stream import Use
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Task
from seqsep.theorems import Theorem

TOLERANCE = 1e-9


def check_mixer(make: Callable[[int], Mixer], width: int = 8, time: int = 19, batch: int = 3, seed: int = 0) -> None:
    """Every law of a mixer, in float64, on random inputs; `make(width)` returns a fresh one."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        mixer = make(width).double()
        x = torch.randn(batch, time, width, dtype=torch.float64)
    forward_equals_step(mixer, x)
    forward_is_causal(mixer, x)
    forward_at_equals_forward(mixer, x)
    padding_changes_nothing(mixer, x)
    look_equals_step(mixer, x)
    state_survives_as_bytes(mixer, x)
    gradients_are_right(mixer, x)


@torch.no_grad()
def _steps(mixer: Mixer, x: Tensor, state: State | None = None, t: int = 0) -> tuple[Tensor, State]:
    state = mixer.start(x.shape[0]) if state is None else state
    outputs = []
    for offset in range(x.shape[1]):
        y, state = mixer.step(x[:, offset], state, t + offset)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state


def _require_close(law: str, mixer: Mixer, found: Tensor, expected: Tensor) -> None:
    difference = float((found - expected).abs().max())
    scale = max(1.0, float(expected.abs().max()))
    assert difference <= TOLERANCE * scale, f"{type(mixer).__name__}: {law}: differ by {difference:.2e}, at most {TOLERANCE}"


@torch.no_grad()
def forward_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`forward` is `step` repeated, to 1e-9 in float64; `remember` leaves the same state."""
    stepped, state = _steps(mixer, x)
    _require_close("forward equals step", mixer, mixer(x), stepped)
    for found, expected in zip(mixer.remember(x, mixer.start(len(x)), 0), state, strict=True):
        _require_close("remember equals step", mixer, torch.view_as_real(found) if found.is_complex() else found.double(),
                       torch.view_as_real(expected) if expected.is_complex() else expected.double())  # fmt: skip


@torch.no_grad()
def forward_is_causal(mixer: Mixer, x: Tensor) -> None:
    """Changing the inputs from a position on changes no output before it."""
    for cut in (1, x.shape[1] // 2, x.shape[1] - 1):
        changed = x.clone()
        changed[:, cut:] = changed[:, cut:].flip(1) * 3 - 1
        _require_close(f"causal at {cut}", mixer, mixer(changed)[:, :cut], mixer(x)[:, :cut])


@torch.no_grad()
def forward_at_equals_forward(mixer: Mixer, x: Tensor) -> None:
    """`forward_at` gives the rows of `forward`."""
    at = torch.arange(x.shape[0]) * 7 % x.shape[1]
    for asked in (at, torch.zeros_like(at), torch.full_like(at, x.shape[1] - 1)):
        _require_close("forward_at", mixer, mixer.forward_at(x, asked), mixer(x)[torch.arange(len(x)), asked])


@torch.no_grad()
def padding_changes_nothing(mixer: Mixer, x: Tensor) -> None:
    """Tokens appended on the right leave the outputs before them alone, whatever their values."""
    for value in (0.0, 50.0):
        padded = torch.cat([x, torch.full_like(x[:, :5], value)], dim=1)
        _require_close("padding", mixer, mixer(padded)[:, : x.shape[1]], mixer(x))
        at = torch.full((len(x),), x.shape[1] - 1)
        _require_close("padding, forward_at", mixer, mixer.forward_at(padded, at), mixer(x)[:, -1])


@torch.no_grad()
def look_equals_step(mixer: Mixer, x: Tensor) -> None:
    """`look` puts many inputs to one state and answers what `step` would."""
    state = _steps(mixer, x[:1, :-1])[1]
    asked = x[:, -1]
    expected = torch.cat([mixer.step(one[None], state, x.shape[1] - 1)[0] for one in asked])
    _require_close("look", mixer, mixer.look(asked, state, x.shape[1] - 1), expected)


@torch.no_grad()
def state_survives_as_bytes(mixer: Mixer, x: Tensor) -> None:
    """A state handed over as bytes has the bits counted and continues bit for bit."""
    half = x.shape[1] // 2
    state = _steps(mixer, x[:1, :half])[1]
    data = b"".join(state_to_bytes((part,), 0) for part in state)
    assert 8 * len(data) == state_bits(state), f"{type(mixer).__name__}: {8 * len(data)} bits sent, {state_bits(state)} counted"
    if not mixer.grows:
        assert state_bits(mixer.start(1)) == state_bits(state), f"{type(mixer).__name__}: the state grew; set grows = True"
    back = state_from_bytes(state, data)
    continued, restored = (_steps(mixer, x[:1, half:], one, half)[0] for one in (state, back))
    assert torch.equal(continued, restored), f"{type(mixer).__name__}: a state from bytes continues differently"


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
        assert right, f"{type(mixer).__name__}: a gradient differs from finite differences"


class _At(torch.nn.Module):
    """`forward_at` as a module's forward, so that parameters can be put in from outside."""

    def __init__(self, mixer: Mixer) -> None:
        super().__init__()
        self.mixer = mixer

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        return self.mixer.forward_at(x, at)


def check_task(task: Task, count: int = 200, seed: int = 5) -> None:
    """Every law of a task: examples by index, shapes and ranges, and answers that `solve` gives too."""
    for evaluate in (False, True):
        whole = task.sample(0, count, seed, evaluate)
        assert whole.inputs.shape[:2] == whole.targets.shape == (count, task.longest), f"{task!r}: shapes {whole.inputs.shape}"
        if task.coordinates:
            assert whole.inputs.shape[2:] == (task.coordinates,), f"{task!r}: vectors of {whole.inputs.shape[2:]} coordinates"
            assert np.isfinite(whole.inputs).all(), f"{task!r}: a coordinate that is not finite"
        else:
            assert whole.inputs.min() >= 0, f"{task!r}: a token below 0"
            assert whole.inputs.max() < task.vocabulary, f"{task!r}: token {whole.inputs.max()} of {task.vocabulary}"
        for start in (count - 1, 1, count // 2):
            part = task.sample(start, count - start, seed, evaluate)
            assert np.array_equal(part.inputs, whole.inputs[start:]), f"{task!r}: examples depend on the block, start {start}"
            assert np.array_equal(part.targets, whole.targets[start:]), f"{task!r}: targets depend on the block, start {start}"
        for inputs, targets, tokens in zip(whole.inputs, whole.targets, whole.lengths, strict=True):
            asked = np.flatnonzero(targets != NOTHING_ASKED)
            assert len(asked), f"{task!r}: an example asks nothing"
            assert asked[-1] < tokens <= task.longest, f"{task!r}: a question behind the last token"
            least = 0 if task.loss == "cross-entropy" else EVERY_CLASS
            assert least <= targets[asked].min() <= targets[asked].max() < task.classes, (
                f"{task!r}: an answer outside the classes"
            )
            for position in asked:
                given = (
                    tuple(map(tuple, inputs[: position + 1])) if task.coordinates else tuple(inputs[: position + 1].tolist())
                )
                assert task.solve(given) == targets[position], f"{task!r}: solve({given}) is not {targets[position]}"
    training, evaluation = (task.sample(0, count, seed, evaluate).inputs for evaluate in (False, True))
    assert not np.array_equal(training, evaluation), f"{task!r}: training and evaluation draw the same ({list(Use)})"


def check_task_answers(task: Task, length: int, expected: Callable[[tuple[int, ...]], int]) -> None:
    """`solve` agrees with an independent definition on every input of one length."""
    answer = task.function(length)
    for inputs in itertools.product(*task.alphabets(length)):
        assert answer(inputs) == expected(inputs), f"{task!r}: solve({inputs}) = {answer(inputs)}, expected {expected(inputs)}"


def check_theorem(theorem: Theorem) -> None:
    """A theorem's check runs with its defaults, tries inputs, and reports the same quantities on both sides."""
    outcomes = theorem.check()
    assert outcomes, f"{theorem.name}: no outcome"
    for outcome in outcomes:
        assert outcome.theorem == theorem.name, f"{theorem.name}: an outcome of {outcome.theorem}"
        assert outcome.inputs > 0, f"{theorem.name}: no input tried"
        assert outcome.measured.keys() == outcome.bound.keys(), f"{theorem.name}: measured and bound differ in keys"
        assert outcome.holds, f"{theorem.name}: {outcome}"
