"""`seqsep ask`: a kept model's answers to the user's own inputs, from its file or from the store that keeps it."""

import io
import json
from dataclasses import replace

import pytest
import torch

import seqsep
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.tasks import IndexLookup, IsTree
from support.command_line import OWN_LAYER, call, json_lines

RUN = Run(IndexLookup(5, alphabet=4), ("attention",), width=16, heads=2, steps=2, evaluate_every=2, evaluation=10)


@pytest.fixture
def kept(tmp_path):
    torch.manual_seed(0)
    model = RUN.model()
    seqsep.save(tmp_path / "model", model, RUN)
    return model, tmp_path / "model"


def test_answers_are_the_models(capsys, tmp_path, kept):
    """Each line of `seqsep sample --json`, and its readable part alone, is asked; the answers are those of one batch."""
    model, path = kept
    batch = RUN.task.sample(0, 20, 0, evaluate=True)
    lines = [json.dumps({"inputs": inputs}) for inputs in batch.inputs[:10].tolist()]
    lines += [json.dumps(RUN.task.readable(tuple(inputs), 0)) for inputs in batch.inputs[10:].tolist()]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(lines) + "\n\n")
    status, out, _ = call(capsys, "ask", str(path), "--input", str(file), "--json")
    assert status == 0
    logits = model(torch.from_numpy(batch.inputs))[:, -1]
    rows = json_lines(out)
    assert [row["answer"] for row in rows] == logits.argmax(-1).tolist()
    assert [row["expected"] for row in rows] == batch.targets[:, -1].tolist()
    chances = logits.softmax(-1).max(-1).values.tolist()
    assert [row["probability"] for row in rows] == pytest.approx(chances, abs=1e-5)


def test_words_say_whether_it_is_right(capsys, kept, monkeypatch):
    model, path = kept
    asked = {"symbols": [0, 1, 2, 3, 3], "position": 2}
    found = int(model(torch.tensor([[0, 1, 2, 3, 3, 5]]))[0, -1].argmax())
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"readable": asked})))
    status, out, _ = call(capsys, "ask", str(path), "--input", "-")
    assert status == 0
    assert out.startswith(f"answer: {found} (")
    assert out.endswith("right\n" if found == 1 else "wrong, it is 1\n")


def test_a_run_of_a_store_is_named_by_the_beginning_of_its_key(capsys, tmp_path):
    store, file = tmp_path / "s.sqlite", tmp_path / "q.jsonl"
    file.write_text('{"inputs": [0, 1, 4]}\n')
    (tmp_path / "s.sqlite.weights").mkdir()
    runs = [replace(RUN, seed=seed) for seed in (0, 1)]
    for run in runs:
        seqsep.save(tmp_path / "s.sqlite.weights" / f"{run.key()}.safetensors", run.model(), run)
    status, out, _ = call(capsys, "ask", str(store), runs[0].key()[:12], "--input", str(file), "--json")
    assert (status, json.loads(out)["inputs"]) == (0, [0, 1, 4])
    for key, why in (("", "2 keys that begin so"), ("zz", "none that begins so; there are ")):
        status, _, error = call(capsys, "ask", str(store), key, "--input", str(file))
        assert status == 2
        assert why in error
    status, _, error = call(capsys, "ask", str(store), "--input", str(file))
    assert (status, error.count("\n")) == (2, 1)
    assert f"found no KEY and 2 of them; there are {min(run.key() for run in runs)[:12]}" in error


def test_the_only_run_of_a_store_needs_no_key(capsys, tmp_path):
    store, file = tmp_path / "s.sqlite", tmp_path / "q.jsonl"
    file.write_text('{"inputs": [0, 1, 4]}\n')
    (tmp_path / "s.sqlite.weights").mkdir()
    seqsep.save(tmp_path / "s.sqlite.weights" / f"{RUN.key()}.safetensors", RUN.model(), RUN)
    status, out, _ = call(capsys, "ask", str(store), "--input", str(file), "--json")
    assert (status, json.loads(out)["inputs"]) == (0, [0, 1, 4])


def test_a_store_without_weights_is_named(capsys, tmp_path):
    store, file = tmp_path / "s.sqlite", tmp_path / "q.jsonl"
    file.write_text('{"inputs": [0, 1, 4]}\n')
    Store(store).close()
    status, _, error = call(capsys, "ask", str(store), "--input", str(file))
    assert (status, error.count("\n")) == (2, 1)
    assert f"{store}: expected a store that keeps weights, found one without the folder {store}.weights" in error


def test_own_layers_come_from_the_files_given(capsys, tmp_path):
    part, file = tmp_path / "own.py", tmp_path / "q.jsonl"
    part.write_text(OWN_LAYER)
    file.write_text('{"inputs": [0, 1, 4]}\n')
    run = replace(RUN, layers=(f"{part}:{OWN_LAYER.partition('class ')[2].partition('(')[0]}",))
    seqsep.save(tmp_path / "model", run.model(), run)
    status, _, error = call(capsys, "ask", str(tmp_path / "model"), "--input", str(file))
    assert status == 2
    assert "among the files given (--part FILE.py; load(path, [FILE])), found none" in error
    status, out, _ = call(capsys, "ask", str(tmp_path / "model"), "--input", str(file), "--part", str(part))
    assert (status, out.startswith("answer: ")) == (0, True)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 1: not JSON"),
        ("[1]", "line 1: expected a JSON object, found [1]"),
        ('{"symbols": [9], "position": 1}', "line 1: symbols: expected a list of whole numbers from 0 to 3"),
        ('{"inputs": [0, 0, 0, 0, 0, 0, 0, 4]}', "line 1: expected 1 to 6 tokens"),
    ],
)
def test_a_line_that_is_no_input_is_refused(capsys, tmp_path, kept, line, why):
    file = tmp_path / "q.jsonl"
    file.write_text(line)
    status, _, error = call(capsys, "ask", str(kept[1]), "--input", str(file))
    assert status == 2
    assert why in error
    assert error.count("\n") == 1


def test_a_task_with_a_thought_is_sent_to_generate(capsys, tmp_path):
    run = replace(RUN, task=IsTree(length=5, trace="peel"))
    seqsep.save(tmp_path / "model", run.model(), run)
    status, _, error = call(capsys, "ask", str(tmp_path / "model"), "--input", "-")
    assert status == 2
    assert "seqsep generate" in error


def test_numbers_that_are_none_are_no_answer(capsys, tmp_path, kept):
    model, path = kept
    with torch.no_grad():
        model.readout.weight.fill_(float("nan"))
    seqsep.save(path, model, RUN)
    file = tmp_path / "q.jsonl"
    file.write_text('{"inputs": [0, 1, 2, 3, 3, 4]}\n')
    for command in (["ask", str(path), "--input", str(file)], ["audit", str(path), "--questions", "300"]):
        status, out, error = call(capsys, *command)
        assert (status, out) == (2, "")
        assert "numbers from the model, found NaN" in error
