"""`seqsep check`: the format of outcomes, and a theorem that is refuted."""

import json

from support.command_line import call


def test_check_json(capsys):
    status, out, _ = call(capsys, "check", "index_lookup_state", "bounded-dyck-state", "--length", "6", "--json")
    assert status == 0
    records = json.loads(out)
    sides = [(record["theorem"], record["side"]) for record in records]
    assert sides[:3] == [("index-lookup-state", side) for side in ("upper", "lower", "lower")]
    assert sides[3:] == [("bounded-dyck-state", "upper")] * 3
    keys = "theorem source side holds length exhaustive inputs measured bound as_printed"
    for record in records:
        assert set(keys.split()) <= set(record)
        assert record["measured"].keys() == record["bound"].keys()
        assert record["holds"] is True
    assert records[1]["witness"]["errs_on"]


def test_check_prints_a_line_each(capsys):
    status, out, _ = call(capsys, "check", "bounded-dyck-state", "--length", "4")
    assert status == 0
    line, *_ = out.splitlines()
    assert line.startswith("holds  bounded-dyck-state [automaton] (upper bound; Bhattamishra et al. 2024")
    assert "states 8 / 8" in line


def test_a_refuted_theorem_exits_with_1(capsys, monkeypatch):
    from seqsep.theorems.bounded_dyck import state as bounded_dyck_state

    honest = bounded_dyck_state.build

    def build(kinds, depth):
        automaton = honest(kinds, depth)
        automaton.accepting[1] = True
        return automaton

    monkeypatch.setattr(bounded_dyck_state, "build", build)
    status, out, err = call(capsys, "check", "bounded-dyck-state", "--length", "4", "--json")
    assert status == 1
    assert json.loads(out)[0]["holds"] is False
    assert json.loads(out)[0]["counterexample"]["string"]
    assert err.count("\n") == 1
