"""Optional methods of a user's layer are called by training and by the laws, and a wrong one is caught."""

from pathlib import Path

import pytest
import torch

from seqsep.commands.cli import main
from seqsep.lab.engines.validation import verdicts
from seqsep.models.plugins.layer import UserLayer

LAYERS = '''
import torch
from torch import nn

class Base(nn.Module):
    """h = a h + k v; y = q . h, for each channel; the state is one tensor."""
    def __init__(self, width):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.a = nn.Parameter(torch.full((width,), 0.9))
    def start(self, batch):
        return self.a.new_zeros(batch, len(self.a))
    def step(self, x, state, t):
        state = self.a * state + self.k(x)
        return self.q(x) * state, state
    def forward(self, x):
        state, out = self.start(len(x)), []
        for t in range(x.shape[1]):
            y, state = self.step(x[:, t], state, t)
            out.append(y)
        return torch.stack(out, 1)

class Right(Base):
    def prefill(self, x, state, t):
        for offset in range(x.shape[1]):
            state = self.step(x[:, offset], state, t + offset)[1]
        return state
    def advance(self, x, state, t):
        return self.step(x, state, t)
    def step_output(self, x, state, t):
        return self.q(x) * (self.a * state + self.k(x))
    def initialise(self, depth, deviation):
        self.q.weight.data.normal_(std=deviation)

class Padded(Base):
    def prefill(self, x, state, t):
        x = torch.cat([x, x.new_zeros(len(x), -x.shape[1] % 8, x.shape[2])], 1)
        return Right.prefill(self, x, state, t)

class Previous(Base):
    def prefill(self, x, state, t):
        return Right.prefill(self, x[:, :-1], state, t)

class FromTheStart(Base):
    def prefill(self, x, state, t):
        return Right.prefill(self, x, self.start(len(x)), t)

class PrefillRaises(Base):
    def prefill(self, x, state, t):
        raise RuntimeError("prefill was called")

class AdvanceForgets(Base):
    def advance(self, x, state, t):
        return self.step(x, state * 0, t)

class Uninitialised(Base):
    """Generation starts from memory as it was found; here each number is 0.5."""
    def start(self, batch):
        return self.a.new_full((batch, len(self.a)), 0.5)
    def forward(self, x):
        return Base.forward(self, x) - self.q(x) * 0.5 * self.a ** torch.arange(1, 1 + x.shape[1]).unsqueeze(1)

class InPlace(Base):
    def step(self, x, state, t):
        state.mul_(self.a).add_(self.k(x))
        return self.q(x) * state, state

class Packed(Base):
    """One pass forgets what was before every 64 tokens."""
    def forward(self, x):
        return torch.cat([Base.forward(self, part) for part in x.split(64, 1)], 1)
'''
CALLED = "prefill, advance, step_output, initialise called"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "layers.py"
    path.write_text(LAYERS)
    return path


def law_of(file: Path, name: str, law: str = "optional methods") -> tuple[bool, str]:
    """The verdict about a law."""
    found = verdicts(UserLayer.parse(f"{file}:{name}"), lambda part: None, [law], width=8, heads=2)
    [verdict] = [verdict for verdict in found if verdict.law == law]
    return verdict.holds, verdict.where


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("Padded", "prefill of 19 tokens after 0 differs from step: they differ by "),
        ("Previous", "prefill of 19 tokens after 0 differs from step: they differ by "),
        ("FromTheStart", "prefill of 18 tokens after 1 differs from step: they differ by "),
        ("PrefillRaises", "it raises RuntimeError: prefill was called (layers.py, line "),
        ("AdvanceForgets", "advance after 0 tokens differs from step at time 1: they differ by "),
    ],
)
def test_a_wrong_optional_method_is_caught(name: str, where: str, file: Path) -> None:
    holds, said = law_of(file, name)
    assert not holds
    assert said.startswith(where)


@pytest.mark.parametrize(
    ("name", "law", "where"),
    [
        ("Uninitialised", "forward equals step", "forward differs from step repeated, first at time 0: "),
        ("InPlace", "nothing kept between calls", "step changes tensor 0 of the state it is given in place, time 0"),
        ("Packed", "forward equals step", "forward differs from step repeated, of 150 tokens, first at time 64: "),
    ],
)
def test_a_wrong_method_of_the_three_is_caught(name: str, law: str, where: str, file: Path) -> None:
    assert law_of(file, "Base", law) == (True, "")
    holds, said = law_of(file, name, law)
    assert not holds
    assert said.startswith(where)


def test_the_verdict_lists_the_methods_that_were_called(file: Path) -> None:
    assert law_of(file, "Base") == (True, "")
    assert law_of(file, "Right") == (True, CALLED)


def test_a_method_that_nothing_calls_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If seqsep forgets to hand a method on, the law says so."""
    from seqsep.models.mixers import Mixer
    from seqsep.models.plugins.layer import UserMixer

    monkeypatch.setattr(UserMixer, "prefill", Mixer.prefill)
    assert law_of(file, "PrefillRaises") == (False, "no law called prefill")


def test_the_methods_change_no_weights_of_the_checked_layer(file: Path) -> None:
    from seqsep.models.laws.mixer import MIXER_LAWS, mixer_and_inputs

    mixer, x = mixer_and_inputs(lambda width: UserLayer.parse(f"{file}:Right").build(width, 2), 8, 19, 3)
    before = {name: weight.clone() for name, weight in mixer.state_dict().items()}
    assert MIXER_LAWS["optional methods"](mixer, x) == CALLED
    assert all(torch.equal(weight, before[name]) for name, weight in mixer.state_dict().items())


def test_the_command_prints_what_was_called(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", f"{file}:Right"]) == 0
    assert f"holds  optional methods: {CALLED}\n" in capsys.readouterr().out
