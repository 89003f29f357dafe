"""The laws as outsiders call them, and as the lab's workers load them."""

import os
import subprocess
import sys

import pytest
import torch

from seqsep.models.laws.mixer import READS_NOTHING_BACK, LawFails, check_mixer, mixer_and_inputs, try_law
from seqsep.models.mixers import LSTM

IMPORT_THE_LAB = """
import importlib, sys
from pathlib import Path
import seqsep.lab
folder = Path(seqsep.lab.__path__[0])
for path in folder.rglob("*.py"):
    name = path.relative_to(folder.parents[1]).with_suffix("")
    if "audit" not in name.parts:  # it shows errors by the collisions of theorems, and no worker needs it
        importlib.import_module(".".join(name.parts).removesuffix(".__init__"))
assert "seqsep.lab.engines.worker" in sys.modules
print([name for name in sys.modules if name.startswith("seqsep.theorems")])
"""


def test_the_lab_loads_no_theorems():
    """A worker tries the laws of mixers and tasks on plug-ins; those of theorems are none of its business."""
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORT_THE_LAB], capture_output=True, text=True, check=True, env=paths)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("time", [2, 5])
def test_inputs_may_be_short(time):
    """Each law finds a position to ask about in inputs of 2 tokens or more."""
    check_mixer(LSTM, width=2, time=time, batch=2)


def test_a_broken_mixer_is_named_with_the_time():
    class LooksAhead(LSTM):
        def forward(self, x):
            return super().forward(x) + x.flip(1)

    with pytest.raises(LawFails, match=r"^LooksAhead: it looks ahead: outputs change with .*, first at time \d+"):
        check_mixer(LooksAhead, width=2, time=4, batch=2)


@pytest.mark.parametrize("time", [2, 5])
def test_a_layer_of_single_tokens_holds_the_laws_and_is_named(time):
    """Forgetting to mix over time breaks no law: it is said beside the one on causality, and not of layers that do mix."""

    class EachToken(LSTM):
        def forward(self, x):
            return super().forward(x.flatten(0, 1)[:, None]).view_as(x)

    subject, x = mixer_and_inputs(EachToken, width=2, time=time, batch=2)
    assert try_law("causal", subject, x).holds
    assert try_law("causal", subject, x).where == READS_NOTHING_BACK
    assert try_law("causal", *mixer_and_inputs(LSTM, width=2, time=time, batch=2)).where == ""


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_a_parallel_form_that_forgets_at_a_border_is_named(size):
    """After the first chunk `forward` begins again, and `step` continues."""

    class Chunks(LSTM):
        def forward(self, x):
            return torch.cat([super(Chunks, self).forward(chunk) for chunk in x.split(size, dim=1)], dim=1)

    with pytest.raises(LawFails, match=rf"^Chunks: forward differs from step repeated.*, first at time {size}"):
        check_mixer(Chunks, width=2)


def test_a_state_that_grows_late_is_named():
    class GrowsLate(LSTM):
        def step(self, x, state, t):
            y, (hidden, *cell) = super().step(x, state, t)
            kept = torch.cat([hidden, hidden[:, :1]], dim=1) if t >= 100 else hidden
            return y, (kept, *cell)

    mixer, x = mixer_and_inputs(GrowsLate, width=2, time=19, batch=3)
    verdict = try_law("state counted", mixer, x)
    assert not verdict.holds
    assert verdict.where.startswith("the state grows beyond what start declares: ")
    assert "320 after the step at time 100" in verdict.where


def test_a_state_that_shrinks_is_said_to_shrink():
    class Narrows(LSTM):
        def step(self, x, state, t):
            y, (hidden, cell) = super().step(x, tuple(part.to(x.dtype) for part in state), t)
            return y, (hidden, cell.float())

    verdict = try_law("state counted", *mixer_and_inputs(Narrows, width=2, time=19, batch=3))
    shrinks = "the state shrinks below what start declares: 256 bits at the start, 192 after the step at time 0"
    assert verdict.where == f"{shrinks}; tensor 1: float64 (1, 2) at the start, then float32 (1, 2)"


def test_numbers_that_overflow_late_are_not_finite():
    """exp of a sum of inputs, as a parallel form of gates that divides by them has it."""

    class Overflows(LSTM):
        def forward(self, x):
            return super().forward(x) + 0 * torch.exp(50 * torch.ones_like(x).cumsum(1) / 25)

    mixer, x = mixer_and_inputs(Overflows, width=2, time=19, batch=3, dtype=torch.float32)
    assert try_law("finite numbers", mixer, x).where == "forward gives NaN, first at time 44 of 150, in float32"


class Unused(LSTM):
    """An LSTM with a parameter that nothing reads."""

    def __init__(self, width):
        super().__init__(width)
        self.gain = torch.nn.Parameter(torch.ones(width))


class Detached(Unused):
    """The parameter counts, but its gradient is cut off."""

    def forward(self, x):
        return super().forward(x) + 0 * self.gain.detach()

    def step(self, x, state, t):
        y, state = super().step(x, state, t)
        return y + 0 * self.gain.detach(), state


class NothingTrained(LSTM):
    def forward(self, x):
        with torch.no_grad():
            return super().forward(x)


@pytest.mark.parametrize("kind", [Unused, Detached])
def test_a_parameter_without_gradient_is_named(kind):
    found = try_law("gradients", *mixer_and_inputs(kind, width=2, time=4, batch=2))
    words = "which forward of 150 tokens does not use or cuts off from its output: it is never trained"
    assert found.where == f"no gradient reaches gain, {words}"


def test_a_forward_without_gradients_names_every_parameter():
    mixer, x = mixer_and_inputs(NothingTrained, width=2, time=4, batch=2)
    found = try_law("gradients", mixer, x)
    assert found.where.startswith(f"no gradient reaches {', '.join(dict(mixer.named_parameters()))}, which forward")


class Taps(LSTM):
    """A causal convolution with a parameter for each of eight lags, most of which a short input does not reach."""

    def __init__(self):
        torch.nn.Module.__init__(self)
        self.taps = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor(0.5)) for _ in range(8)])

    def forward(self, x):
        padded = torch.nn.functional.pad(x, (0, 0, 7, 0))
        return sum(tap * padded[:, 7 - lag : 7 - lag + x.shape[1]] for lag, tap in enumerate(self.taps))


def test_a_parameter_of_a_late_token_is_none_without_gradient():
    torch.manual_seed(0)
    assert try_law("gradients", Taps().double(), torch.randn(2, 9, 4, dtype=torch.float64)).holds


class CutOff(LSTM):
    """It has no parameters, and no gradient passes it."""

    def __init__(self):
        torch.nn.Module.__init__(self)

    def forward(self, x):
        return x.detach().cumsum(1)


def test_gradients_of_inputs_are_checked_without_parameters():
    found = try_law("gradients", CutOff(), torch.randn(2, 9, 4, dtype=torch.float64))
    assert found.where == "a gradient of forward or forward_at differs from finite differences"
