"""`seqsep generate`: the thought and answer of a kept model, in the task's own format."""

import io
import json

import pytest

import seqsep
from seqsep.commands.shared_flags import weights_folder
from seqsep.lab.run import Run
from seqsep.models.decode import generate_by_forward
from seqsep.tasks import IndexLookup, IsTree
from support.command_line import OWN_LAYER, call, json_lines

TASK = IsTree(length=5, trace="walk")
PATH_GRAPH = {"edges": [[1, 2], [2, 3], [3, 4], [4, 5]]}
STAR = {"edges": [[1, 2], [1, 3], [1, 4], [1, 5]]}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A model that opens, asks for 1, closes, and answers after what was found: by its read-out, with no training."""
    path = tmp_path_factory.mktemp("kept") / "model.safetensors"
    run = Run(TASK, ("lstm",), width=32, steps=60, batch=32, learning_rate=0.02, evaluate_every=60, evaluation=10, live=5)
    seqsep.train(run, keep=path)
    return path


def test_thoughts_and_answers(capsys, kept):
    """Two prompts and a file with one more; the same as the model writes by the definition."""
    status, out, _ = call(
        capsys, "generate", str(kept), "--json", "--prompt", json.dumps(PATH_GRAPH), "--prompt", json.dumps(STAR)
    )
    assert status == 0
    model, run = seqsep.load(kept)
    for given, row in zip((PATH_GRAPH, STAR), json_lines(out), strict=True):
        prompt = run.task.prompt(given)
        (slow,) = generate_by_forward(model, [prompt], TASK.stops, TASK.most_generated, TASK.retriever())
        is_answered = slow.tokens[-1] in TASK.stops
        assert row["edges"] == given["edges"]
        assert row["answer"] == (TASK.stops.index(slow.tokens[-1]) if is_answered else None)
        assert row["thought"] == [TASK.shown(token) for token in slow.tokens[: len(slow.tokens) - is_answered]]
        assert row["inserted"] == [place for place, inserted in enumerate(slow.inserted) if inserted]


def test_words_for_a_reader(capsys, kept, monkeypatch):
    """The retriever's findings are in round brackets, and a missing answer is reported."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\n{json.dumps(STAR)}\n"))
    status, out, _ = call(capsys, "generate", str(kept), "--input", "-", "--most", "1")
    assert status == 0
    assert out.startswith("thought: ")
    assert out.endswith("answer: none came\n")


def test_lines_of_sample_are_prompts(capsys, kept, monkeypatch):
    """`seqsep sample is-tree --json | seqsep generate MODEL --input -`."""
    status, samples, _ = call(capsys, "sample", "is-tree", "--length", "5", "--trace", "walk", "--count", "3", "--json")
    assert status == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(samples))
    status, out, _ = call(capsys, "generate", str(kept), "--input", "-", "--json", "--most", "2")
    assert status == 0
    given = [line["readable"]["edges"] for line in json_lines(samples)]
    assert [row["edges"] for row in json_lines(out)] == given


def test_own_layers_of_a_store(capsys, tmp_path):
    """A model with a layer of the user's own is named by its store, and by its file with --part."""
    (tmp_path / "own.py").write_text(OWN_LAYER)
    run = Run(TASK, (f"{tmp_path / 'own.py'}:Own",), width=8, steps=2, batch=2, evaluate_every=2, evaluation=2, live=2)
    weights = weights_folder(tmp_path / "s.sqlite")
    weights.mkdir()
    seqsep.train(run, keep=weights / f"{run.key()}.safetensors")
    words = ("--part", str(tmp_path / "own.py"), "--prompt", json.dumps(STAR), "--most", "2")
    for place in ((tmp_path / "s.sqlite", run.key()[:6]), (weights / f"{run.key()}.safetensors",)):
        status, out, error = call(capsys, "generate", *map(str, place), *words)
        assert (status, error) == (0, "")
        assert out.startswith("thought: ")


def test_inserted_tokens_are_marked():
    from seqsep.commands.generate import _in_words

    shown = {"thought": ["[", 1, "]", 2], "inserted": [3], "answer": 1}
    assert _in_words(shown) == "thought: [ 1 ] (2)  answer: 1"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"edges": [[1, 2], [2, 9], [3, 4], [4, 5]]}', "edges: edge 2 is [2, 9]; expected vertices from 1 to 5"),
        ('{"edges": [[0, 2], [2, 3], [3, 4], [4, 5]]}', "edges: edge 1 is [0, 2]; expected vertices from 1 to 5"),
        ('{"edges": [[1, 2], [2, 3], [3, 4], [4, 5]', "not JSON"),
    ],
)
def test_a_bad_line_of_a_file_is_named(capsys, kept, tmp_path, line, why):
    """One line with file, line and field; blank lines count, and nothing is answered."""
    graphs = tmp_path / "graphs.jsonl"
    graphs.write_text(f"{json.dumps(STAR)}\n\n{line}\n")
    status, out, error = call(capsys, "generate", str(kept), "--input", str(graphs))
    assert (status, out) == (2, "")
    assert error.startswith(f"seqsep generate: {graphs}, line 3: {why}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "expected --prompt JSON or --input FILE, found neither"),
        (("--prompt", "{"), "--prompt 1: not JSON"),
        (("--prompt", json.dumps(STAR), "--prompt", "[1]"), "--prompt 2: expected a JSON object, found [1]"),
        (("--prompt", "[" * 100_000), "--prompt 1: not JSON"),
        (("--prompt", '{"edges": [[1, 2]]}'), "--prompt 1: edges: expected 4 of them for 5 vertices"),
        (("--prompt", '{"edges": [[1, 2], [1, 9], [1, 4], [1, 5]]}'), "--prompt 1: edges: edge 2 is [1, 9]"),
        (("--input", "no/such/file"), "no/such/file: No such file"),
        (("--prompt", json.dumps(STAR), "--most", "0"), "from 1, found 0"),
    ],
)
def test_bad_input_is_one_line(capsys, kept, words, why):
    status, out, error = call(capsys, "generate", str(kept), *words)
    assert (status, out) == (2, "")
    assert why in error
    assert error.count("\n") == 1


OWN_RETRIEVER = """
import re
import time


def always(tokens, prompt):
    assert tokens[0] == "[BOS]" and prompt == 13
    return [3, "]"] if len(tokens) < 16 else None


def raises(tokens, prompt):
    return {}[prompt]


def not_of_paths(tokens, prompt):
    return {}[prompt] if tokens[4] == 2 else None


def hangs(tokens, prompt):
    re.search(r"(x+x+)+y", "x" * 60)


def strange(tokens, prompt):
    return ["word"]


def text(tokens, prompt):
    return "3"


number = 3
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN_RETRIEVER)
    return tmp_path / "own.py"


def test_a_retriever_of_the_users(capsys, kept, own):
    """It gets tokens as they are shown, and what it returns is inserted and marked."""
    words = ("--prompt", json.dumps(STAR), "--json", "--retriever", f"{own}:always", "--most", "6")
    status, out, _ = call(capsys, "generate", str(kept), *words)
    (row,) = json_lines(out)
    assert status == 0
    assert row["inserted"][:2] == [1, 2]
    assert row["thought"][1:3] == [3, "]"]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("raises", "seqsep generate: --prompt 1: after 14 tokens the retriever raises KeyError: 13 ("),
        ("hangs", "seqsep generate: --prompt 1: after 14 tokens the retriever was stopped after 0.5 seconds"),
        ("strange", "returns 'word', which is not a token of is-tree"),
        ("text", "returns '3'; expected a list of tokens, or None"),
        ("number", "expected a function number(tokens, prompt)"),
        ("nothing", "expected a function nothing(tokens, prompt)"),
        ("", "expected FILE.py:FUNCTION"),
    ],
)
def test_a_retriever_that_fails_is_one_line(capsys, kept, own, function, why):
    words = ("--prompt", json.dumps(STAR), "--retriever", f"{own}:{function}", "--seconds", "0.5")
    status, out, error = call(capsys, "generate", str(kept), *words)
    assert (status, out) == (2, "")
    assert why in error
    assert error.count("\n") == 1
    if function == "raises":
        assert "own.py, line 12" in error


def test_other_inputs_are_answered(capsys, kept, own, tmp_path, monkeypatch):
    """Inputs for which the retriever fails are reported like bad fields; a batch ends at an input that fails."""
    monkeypatch.setattr("seqsep.commands.generate.AT_ONCE", 2)
    graphs = tmp_path / "graphs.jsonl"
    graphs.write_text("".join(json.dumps(graph) + "\n" for graph in (STAR, PATH_GRAPH, STAR, PATH_GRAPH)))
    given = ("--prompt", json.dumps(STAR), "--prompt", json.dumps(PATH_GRAPH), "--input", str(graphs))
    words = ("generate", str(kept), "--json", "--most", "5", "--retriever", f"{own}:not_of_paths")
    status, out, error = call(capsys, *words, *given)
    assert status == 2
    assert [row["edges"] for row in json_lines(out)] == [STAR["edges"]] * 3
    assert error.startswith("seqsep generate: --prompt 2: after 14 tokens the retriever raises KeyError: 13 (")
    assert error.endswith(f"; no answer either to {graphs}, line 2; {graphs}, line 4\n")
    assert error.count("\n") == 1
    status, alone, _ = call(capsys, *words, "--prompt", json.dumps(STAR))
    assert (status, alone) == (0, out.splitlines(keepends=True)[0])
    _, out, error = call(capsys, *words, "--input", str(graphs))
    assert error.startswith(f"seqsep generate: {graphs}, line 2: after 14 tokens")
    assert len(json_lines(out)) == 2


def test_a_task_without_a_thought_is_refused(capsys, tmp_path):
    run = Run(IndexLookup(5), ("lstm",), width=8)
    seqsep.save(tmp_path / "model", run.model(), run)
    status, _, error = call(capsys, "generate", str(tmp_path / "model"), "--prompt", "{}")
    assert status == 2
    assert "expected a task whose answer is written, such as is-tree, found index-lookup" in error
