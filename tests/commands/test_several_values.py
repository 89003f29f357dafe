"""Several values of a setting, of a field and of --layers; widths of equal states; labels by layer; settings of own layers."""

import json
import re

import pytest

from seqsep.commands.equal_states import state_bits, with_state_bits
from seqsep.commands.layer_labels import read_labels_of_layers
from seqsep.core.names import BadInput
from seqsep.lab.rows_of import read_rows
from seqsep.lab.run import Run
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.load import PlugInFails
from seqsep.tasks import IndexLookup
from support.command_line import call

SMALL = ("--width", "8", "--steps", "4", "--batch", "4", "--evaluate-every", "2", "--eval-examples", "20", "--workers", "1")
OWN = """
import torch


class Decayed(torch.nn.Module):
    def __init__(self, width, heads=1, decay=0.5, gated=False):
        super().__init__()
        self.mix = torch.nn.Linear(width, width)
        self.decay = decay
        assert isinstance(gated, bool)

    def start(self, batch):
        return self.mix.weight.new_zeros(batch, self.mix.in_features)

    def step(self, x, state, t):
        state = self.decay * state + x
        return self.mix(state), state

    def forward(self, x):
        state, out = self.start(len(x)), []
        for t in range(x.shape[1]):
            y, state = self.step(x[:, t], state, t)
            out.append(y)
        return torch.stack(out, 1)
"""


@pytest.fixture(name="layer")
def layer_fixture(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    return f"{tmp_path / 'own.py'}:Decayed"


def settings(row):
    run = row.run
    return "+".join(map(str, run.layers)), run.task.length, run.learning_rate


def test_each_combination_is_a_run(capsys, tmp_path):
    store = tmp_path / "s.sqlite"
    words = ("--length", "3,5", "--alphabet", "4", "--layers", "lstm", "--layers", "dss,dss", "--learning-rate", "1e-3,3e-3")
    status, out, _ = call(capsys, "train", "index-lookup", *words, *SMALL, "--store", str(store))
    assert (status, "8 runs in" in out) == (0, True)
    rows = read_rows(store)
    expected = {(layers, length, rate) for layers in ("lstm", "dss+dss") for length in (3, 5) for rate in (0.001, 0.003)}
    assert set(map(settings, rows)) == expected
    exported = tmp_path / "rows.jsonl"
    assert call(capsys, "export", "--store", str(store), "-o", str(exported))[0] == 0
    assert list(read_rows(exported)) == list(rows)
    assert all(column in out for column in ("chance", "loss_nats", "accuracy_low", "accuracy_high"))


def test_a_stack_of_different_mixers_is_pointed_out(capsys, tmp_path):
    words = ("train", "index-lookup", "--length", "5", *SMALL, "--dry-run", "--store", str(tmp_path / "s.sqlite"))
    hint = "is one model; for a run of each, repeat --layers"
    assert hint in call(capsys, *words, "--layers", "lstm,attention")[2]
    for layers in (("--layers", "lstm,lstm"), ("--layers", "lstm,attention", "--layers", "lstm")):
        assert hint not in call(capsys, *words, *layers)[2]


def test_an_experiment_takes_several_values_too(capsys, tmp_path):
    words = ("run", "index-lookup-architectures", "--preset", "demo", "--only", "lstm,N=20", "--dry-run")
    one = call(capsys, *words, "--learning-rate", "0.001", "--store", str(tmp_path / "s.sqlite"))[1]
    four = call(capsys, *words, "--learning-rate", "0.001,0.002", "--width", "8,16", "--store", str(tmp_path / "s.sqlite"))[1]
    runs = [int(re.search(r"^([\d,]+) runs?, at most", out, re.MULTILINE)[1]) for out in (one, four)]
    assert runs[1] == 4 * runs[0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--steps", "5,000"), "expected a number without commas, such as 5000, found 5,000"),
        (("--decay", "linear,cosin"), "--decay: expected constant, linear, cosine, found 'cosin'"),
        (("--heads", "2,x"), "expected a whole number, found 'x'"),
        (("--state-bits", "64", "--width", "8"), "--state-bits: expected it without --width, which it chooses"),
        (
            ("--state-bits", "64"),
            "the least width, 4, has a state and a cache of 1,280 bits; choose more bits, or fewer than 4 --heads",
        ),
    ],
)
def test_wrong_values_are_refused_in_a_line(capsys, tmp_path, words, expected):
    given = ("train", "index-lookup", "--length", "5", "--layers", "attention", "--store", str(tmp_path / "s.sqlite"))
    status, _, err = call(capsys, *given, *words)
    assert (status, len(err.splitlines())) == (2, 1)
    assert expected in err


@pytest.mark.parametrize(("name", "bits", "width"), [("lstm", 4096, 64), ("attention", 8192, 8), ("mamba2", 65536, None)])
def test_the_chosen_width_is_the_greatest_that_fits(name, bits, width):
    """A width that is one step greater has more bits, and the chosen one has at most as many as asked."""
    (run,) = with_state_bits([Run(IndexLookup(16), (name,), 64, heads=4)], bits)
    assert width in (None, run.width)
    step = 4 if name != "lstm" else 1
    assert state_bits(run, run.width) <= bits < state_bits(run, run.width + step)


def test_equal_states_print_what_they_chose(capsys, tmp_path):
    words = ("--layers", "lstm", "--layers", "attention", "--heads", "1", "--state-bits", "2048", "--dry-run")
    given = ("train", "index-lookup", "--length", "4,8", *SMALL[2:], "--store", str(tmp_path / "s.sqlite"))
    out = call(capsys, *given, *words)[1]
    assert "lstm index-lookup N=4: width 32, state and cache 2,048 of 2,048 bits" in out
    assert "attention index-lookup N=8: width 4, state and cache 2,048 of 2,048 bits" in out


def test_labels_by_layer():
    runs = [Run(IndexLookup(5), layers, 8) for layers in (("lstm",), ("mamba", "attention"), ("dss",))]
    named = read_labels_of_layers(["mamba,attention=mine", "rest"], runs)(runs)
    assert named == {runs[0].key(): "rest", runs[1].key(): "mine", runs[2].key(): "rest"}
    assert set(read_labels_of_layers(["width=64"], runs)(runs).values()) == {"width=64"}
    with pytest.raises(BadInput, match="--label lstn=b: expected layers of a run: lstm; mamba,attention; dss"):
        read_labels_of_layers(["dss=a", "lstn=b"], runs)


def test_settings_of_an_own_layer_reach_its_constructor(capsys, tmp_path, layer):
    assert UserLayer.parse(f"{layer}(gated=true,decay=0.25)").build(8, 2).layer.decay == 0.25
    store = tmp_path / "s.sqlite"
    words = ("train", "index-lookup", "--length", "3", *SMALL, "--store", str(store))
    assert call(capsys, *words, "--layers", layer, "--layers", f"{layer}(decay=0.25)")[0] == 0
    one, other = sorted(read_rows(store), key=lambda row: str(row.run.layers[0]))
    assert str(one.run.layers[0]).startswith("Decayed(decay=0.25)@")
    assert one.key != other.key
    assert "Decayed(decay=0.25)@" in json.loads(one.to_json())["run"]["layers"][0]


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ("(dekay=1)", PlugInFails, "expected settings that its constructor takes: decay, gated; found dekay"),
        ("(decay)", ValueError, r"expected each setting once as name=value, as in .*Decayed\(states=8\)"),
        ("(decay=1,decay=2)", ValueError, "expected each setting once"),
    ],
)
def test_wrong_settings_of_an_own_layer_are_refused(layer, settings, error, words):
    with pytest.raises(error, match=words):
        UserLayer.parse(f"{layer}{settings}").build(8, 2)
