"""`seqsep sample`: the format of examples."""

import json

import pytest

from seqsep.commands.cli import main
from seqsep.core.options import options_of
from seqsep.tasks import TASKS, BoundedDyck, IndexLookup
from seqsep.tasks.trees.graphs import is_tree
from support.command_line import call, json_lines


def test_sample_index_lookup(capsys):
    status, out, _ = call(capsys, "sample", "index-lookup", "--length", "6", "--count", "5", "--seed", "3", "--json")
    assert status == 0
    batch = IndexLookup(6).sample(0, 5, 3, evaluate=True)
    for row, inputs in zip(json_lines(out), batch.inputs.tolist(), strict=True):
        assert set(row) == {"inputs", "targets", "readable"}
        assert row["inputs"] == inputs
        readable = row["readable"]
        assert set(readable) == {"symbols", "position", "answer"}
        assert readable["symbols"] == inputs[:6]
        assert readable["answer"] == readable["symbols"][readable["position"] - 1] == row["targets"][-1]
        assert row["targets"][:-1] == [-100] * 6


def test_sample_training_examples_are_cut_at_their_length(capsys):
    _, out, _ = call(
        capsys, "sample", "index_lookup", "--length", "30", "--count", "9", "--json", "--training", "--alphabet", "4"
    )
    batch = IndexLookup(30, alphabet=4).sample(0, 9, 0)
    assert [len(row["inputs"]) for row in json_lines(out)] == batch.lengths.tolist()


def test_sample_bounded_dyck(capsys):
    _, out, _ = call(capsys, "sample", "bounded-dyck", "--length", "8", "--count", "20", "--start", "5", "--json")
    task = BoundedDyck(8)
    for row in json_lines(out):
        assert [" ()[]".index(c) - 1 for c in row["readable"]["string"]] == row["inputs"]
        assert row["readable"]["label"] == row["targets"][-1] == task.solve(tuple(row["inputs"]))
    _, plain, _ = call(capsys, "sample", "bounded-dyck", "--length", "4", "--kinds", "4")
    assert plain.startswith("string: ")


def test_a_graph_with_its_thought(capsys):
    """The readable form of IsTree; a bad field is one line."""
    arguments = ["is-tree", "--length", "16", "--trace", "cot", "--distribution", "double-star"]
    _, out, _ = call(capsys, "sample", *arguments, "--count", "30", "--json")
    for example in json_lines(out):
        readable = example["readable"]
        assert set(readable) == {"edges", "answer", "thought"}
        assert len(readable["edges"]) == 15
        assert all(1 <= u < v <= 16 for u, v in readable["edges"])
        assert readable["answer"] == is_tree(16, readable["edges"]) == (len(readable["thought"]) == 31)
        assert readable["thought"][0] == 1
    status, out, err = call(capsys, "sample", "is-tree", "--length", "16", "--trace", "tour")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "trace is one of vanilla, cot, retrieval, peel, walk, found 'tour'" in err


@pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.name)
def test_the_help_of_a_task_has_its_fields(capsys, monkeypatch, kind):
    """Each with what its docstring says; a wrong value sends the reader there."""
    monkeypatch.setenv("COLUMNS", "500")
    with pytest.raises(SystemExit) as end:
        main(["sample", kind.name, "--help"])
    assert end.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    for field in options_of(kind):
        assert f"--{field.name.replace('_', '-')} {field.name.upper()} {field.explained} (" in shown
    assert "--count COUNT number of examples" in shown
    status, _, error = call(capsys, "sample", kind.name, "--length", "abc")
    assert (status, error) == (
        2,
        f"seqsep sample: argument --length: expected a whole number, found 'abc' (try seqsep sample {kind.name} --help)\n",
    )


def test_every_answer_of_an_own_task_is_printed(capsys, tmp_path):
    """Selective copying: M symbols to copy, M answers."""
    (tmp_path / "copying.py").write_text(
        "import numpy as np\n"
        "class Copying:\n"
        "    def __init__(self, length):\n"
        "        self.vocabulary, self.classes, self.longest = 5, 4, 2 * length\n"
        "    def sample(self, start, count, seed, evaluate=False):\n"
        "        shown = np.stack([np.random.default_rng([seed, start + i]).integers(4, size=3) for i in range(count)])\n"
        "        asked = np.full_like(shown, 4)\n"
        "        return (np.concatenate([shown, asked], 1), np.concatenate([np.full_like(shown, -100), shown], 1),\n"
        "                np.full(count, 6))\n"
    )
    task = f"{tmp_path / 'copying.py'}:Copying"
    status, out, _ = call(capsys, "sample", task, "--length", "3", "--count", "2")
    assert status == 0
    for line in out.splitlines():
        inputs, answers = line.removeprefix("inputs: ").split("  answers: ")
        assert json.loads(inputs)[:3] == json.loads(answers)
