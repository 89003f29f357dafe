"""Mixers with settings in their names: what is built, what a run keeps of it, what is refused."""

import re

import pytest
import torch

import seqsep
from seqsep.core.names import BadInput
from seqsep.lab.run import Run
from seqsep.models.mixers import BY_NAME
from seqsep.models.mixers.base import state_bits
from seqsep.models.mixers.settings import canonical_name, mixer_named
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup
from support.command_line import call

TASK = IndexLookup(length=5, alphabet=4)
STATE_NUMBERS = {
    "mamba2(states=8)": 16 * 8 + 3 * (16 + 2 * 8),
    "mamba2(expand=1,conv=2)": 8 * 64 + 1 * (8 + 2 * 64),
    "mamba(states=4)": 16 * (4 + 3),
    "dss(states=3)": 2 * 8 * 3,
    "sliding-attention(window=5)": 2 * 8 * 5,
    "gated-delta(conv=1)": 2 * 8 * 8 // 2,
    "gated-delta(negative)": 2 * 8 * 8 // 2 + 3 * 4 * 8,
    "gated-delta(steps=3,negative)": 2 * 8 * 8 // 2 + 3 * (1 + 3 * 3) * 8,
}


@pytest.mark.parametrize("name", STATE_NUMBERS)
def test_the_state_has_the_size_of_the_settings(name):
    mixer = mixer_named(name).build(width=8, heads=2)
    assert state_bits(mixer.start(1)) == 32 * STATE_NUMBERS[name]
    assert mixer.name == name


@pytest.mark.parametrize("name", STATE_NUMBERS)
def test_steps_and_the_whole_agree(name):
    torch.manual_seed(0)
    mixer = mixer_named(name).build(width=8, heads=2)
    x = torch.randn(2, 9, 8)
    state = mixer.start(2)
    for t, whole in enumerate(mixer(x).unbind(1)):
        y, state = mixer.step(x[:, t], state, t)
        assert torch.allclose(y, whole, atol=1e-5)


def test_a_default_is_left_out_and_changes_no_key():
    plain = Run(TASK, ("mamba2", "sliding-attention"), width=8)
    said = Run(TASK, ("mamba2(conv=4, states=64)", "sliding_attention(window=16)"), width=8)
    other = Run(TASK, ("mamba2(states=32)", "sliding-attention"), width=8)
    assert said == plain
    assert said.key() == plain.key() != other.key()
    assert "mamba2(states=32)" in other.label()
    assert Run.from_configuration(other.configuration()) == other


def test_a_flag_is_its_name_and_changes_the_key():
    plain = Run(TASK, ("gated-delta",), width=8)
    other = Run(TASK, ("gated_delta( negative, steps=1 )",), width=8)
    assert other.layers == ("gated-delta(negative)",)
    assert Run(TASK, ("gated-delta(steps=1)",), width=8).key() == plain.key() != other.key()
    assert Run.from_configuration(other.configuration()) == other
    assert other.model().blocks[0].mixer.negative
    assert not plain.model().blocks[0].mixer.negative


def test_a_model_with_settings_is_kept_and_comes_back(tmp_path):
    run = Run(TASK, ("mamba2(states=8)", "attention"), width=8, heads=2)
    model = run.model()
    seqsep.save(tmp_path / "model", model, run)
    kept, kept_run = seqsep.load(tmp_path / "model")
    tokens = torch.from_numpy(TASK.sample(0, 3, 0).inputs)
    assert kept_run == run
    assert torch.equal(kept(tokens), model(tokens))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mamba2(stats=3)", "by default states=64, expand=2, conv=4, found stats=3; did you mean states?"),
        ("mamba2(states=0)", "states: expected a whole number, 1 to 65,536, found 0"),
        ("mamba2(states)", "states: expected a whole number, 1 to 65,536, found none"),
        ("mamba2(states=65537)", "states: expected a whole number, 1 to 65,536, found 65537"),
        ("mamba2(chunk=8)", "found chunk=8"),
        ("mamba2(states=2,states=3)", "expected each setting once"),
        ("gated-delta(negative=1)", "negative: expected a flag without a value, found negative=1"),
        ("gated-delta(negativ)", "steps=1, negative (off), found negativ; did you mean negative?"),
        ("gated-delta(negative,negative)", "expected each setting once"),
        ("lstm(layers=2)", "by default none, found layers=2"),
        ("mamba2(", "expected a name, or a name with settings"),
        ("manba(states=2)", "unknown mixer 'manba'; did you mean mamba"),
    ],
)
def test_what_is_no_setting_is_refused(name, why):
    for refused in (lambda: canonical_name(name), lambda: Run(TASK, (name,), width=8)):
        with pytest.raises(ValueError, match=re.escape(why)):
            refused()
    with pytest.raises(BadInput):
        mixer_named(name)
    with pytest.raises(ValueError, match=r"Model\.build\(layers="):
        Model.build(vocabulary=4, classes=4, longest=5, layers=(name,), width=8)


def test_a_plain_name_is_the_class_itself():
    assert all(mixer_named(name) is mixer for name, mixer in BY_NAME.items())
    assert mixer_named("mamba2(states=64)") is BY_NAME["mamba2"]


def test_the_command_line_divides_layers_outside_brackets(capsys):
    layers = "mamba2(states=8,conv=2),attention"
    status, out, _ = call(capsys, "train", "index-lookup", "--length", "5", "--layers", layers, "--width", "8", "--dry-run")
    assert status == 0
    assert "mamba2(states=8,conv=2)+attention index-lookup N=5" in out
    status, _, error = call(capsys, "train", "index-lookup", "--length", "5", "--layers", "manba(states=8)")
    assert status == 2
    assert "did you mean mamba" in error
