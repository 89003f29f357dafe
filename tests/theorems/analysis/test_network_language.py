"""`seqsep analyze NETWORK.json`: the exact automaton of a network, its class and its least state; refusals in one line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole
from seqsep.models.network_file import save_network
from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.classify import classify
from support.command_line import call

pytestmark = pytest.mark.unchecked
HEAD = Head(query=whole([[0, 0, 2]]), key=whole([[2, 0, 0]]), value=whole([[1, 0, 0]]), output=whole([[0], [1], [0]]))
SEEN = Network(
    name="a one was seen",
    grid=Grid(3),
    spaces={},
    symbols=whole([[0, 0, 0], [1, 0, 0], [0, 0, 1]]),
    layers=((AttentionLayer((HEAD,)), None),),
    readout=whole([[0, 0, 0], [0, 1, 0]]),
    readout_bias=whole([0, 0]),
)
"""One to three ones, whatever the zeros are: then weights are 0."""


@pytest.fixture
def seen(tmp_path):
    path = tmp_path / "seen.json"
    save_network(path, SEEN)
    return path


def test_a_network_is_classified(seen, capsys):
    status, out, error = call(capsys, "analyze", str(seen))
    assert (status, error) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{seen}: 1 layer of attention on a grid of L = 3 (floor, stepwise), explored to 121 states"
    assert lines[1] == f"{seen}: 5 states, 3 bits of state, a monoid of 5 elements, over 2 letters"
    assert "R-trivial             yes      no state of the least automaton is entered again once it is left" in lines


def test_json_and_the_automaton_that_classify_reads(seen, capsys, tmp_path):
    written = tmp_path / "automaton.json"
    status, out, _ = call(capsys, "analyze", str(seen), "--json", "--automata", str(written))
    found = json.loads(out)
    assert (status, found["explored_states"], found["verdicts"]["state_bits"]["value"]) == (0, 121, 3)
    assert found["grid"] == {"steps": 3, "rounding": "floor", "softmax": "stepwise"}
    assert found["verdicts"]["commutative"]["holds"]
    again = classify(str(written)).language.automaton
    assert again.table.tolist() == found["automaton"]["table"] == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 4]]
    assert np.flatnonzero(again.accepting).tolist() == [1, 2, 3]


def test_a_network_at_given_lengths(seen, capsys):
    assert [one.classes for one in analyze(str(seen), [2, 5]).lengths] == [2, 4]
    status, out, _ = call(capsys, "analyze", str(seen), "--lengths", "8")
    assert (status, "witness at N = 8" in out) == (0, True)
    assert call(capsys, "analyze", str(seen), "--lengths", "8", "--alphabet", "3")[2].count("expected --alphabet 2") == 1


def test_two_networks_and_another_format(seen, capsys, tmp_path):
    other = tmp_path / "other.npz"
    save_network(other, replace(SEEN, grid=Grid(2)))
    out = call(capsys, "analyze", str(seen), str(other), "--json")[1]
    assert [one["grid"]["steps"] for one in json.loads(out)["networks"]] == [3, 2]
    assert len(classify(str(other)).language.automaton.table) == 4


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (replace(SEEN, positions=whole(np.zeros((9, 3)))), "expected a network without positions"),
        (replace(SEEN, grid=Grid(500)), "expected an automaton of at most 20,000 states"),
        (replace(SEEN, readout=whole([[0, 0, 0]]), readout_bias=whole([0])), "expected 2 classes, found 1"),
    ],
    ids=["positions", "states", "classes"],
)
def test_a_network_without_an_automaton_is_refused(network, said, capsys, tmp_path):
    path = tmp_path / "other.json"
    save_network(path, network)
    for flags in ([], ["--lengths", "4"]):
        status, out, error = call(capsys, "analyze", str(path), *flags)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert str(path) in error
        assert said in error


def test_flags_that_need_a_length(seen, capsys, tmp_path):
    for flags in (["--certificate", str(tmp_path / "c.json")], ["--precision", "8"], ["majority"], ["--kinds", "2"]):
        status, out, error = call(capsys, "analyze", str(seen), *flags)
        assert (status, out) == (2, "")
        assert "expected --lengths" in error
    error = call(capsys, "analyze", str(seen), str(seen), "--automata", str(tmp_path / "a.json"))[2]
    assert "expected one function, or --lengths, found 2 functions" in error
    assert "missing.json: No such file" in call(capsys, "analyze", str(tmp_path / "missing.json"))[2]
