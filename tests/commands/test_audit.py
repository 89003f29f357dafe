"""`seqsep audit`: a kept file and a store's key, text and JSON, and what is refused."""

import json
from dataclasses import replace

import pytest
import torch

import seqsep
from seqsep.lab.audit.accuracy_by import accuracy_by
from seqsep.lab.run import Run
from seqsep.tasks import Counting, IndexLookup, MultiQueryRecall
from support.command_line import OWN_LAYER, call

RUN = Run(IndexLookup(3, alphabet=2), ("lstm",), width=8, steps=2, evaluate_every=2, evaluation=10)
FEW = ("--questions", "300")


@pytest.fixture
def kept(tmp_path):
    torch.manual_seed(0)
    path = tmp_path / "s.sqlite.weights" / f"{RUN.key()}.safetensors"
    path.parent.mkdir()
    seqsep.save(path, RUN.model(), RUN)
    return tmp_path / "s.sqlite", path


@pytest.mark.unchecked
def test_a_file_and_a_key_say_the_same(capsys, kept):
    store, path = kept
    status, out, _ = call(capsys, "audit", str(path), *FEW)
    assert status == 0
    assert call(capsys, "audit", str(store), RUN.key()[:6], *FEW)[1] == out
    assert out.splitlines()[0].startswith("lstm of width 8 on index-lookup, N = 3: ")
    for number in ("stored", "needs at most", "carries at least"):
        assert f"\n{number}" in out


@pytest.mark.unchecked
def test_that_no_equal_states_were_found_is_said(capsys, tmp_path, kept):
    record = tmp_path / "equal.json"
    status, _, error = call(capsys, "audit", str(kept[1]), *FEW, "--worst", "300", "--equal-states", str(record))
    assert (status, record.exists()) == (0, False)
    assert error == f"seqsep audit: found no two prefixes with the same state; {record} is not written\n"


def test_two_files_have_two_names(capsys, tmp_path, kept):
    both = tmp_path / "both"
    status, _, error = call(capsys, "audit", str(kept[1]), "--worst", "300", "--page", str(both), "--equal-states", str(both))
    assert (status, error) == (2, f"seqsep audit: {both}: expected a name for each file to write, found it twice\n")


@pytest.mark.unchecked
def test_json_has_the_curve_the_places_and_the_worst_case(capsys, kept):
    _, path = kept
    status, out, _ = call(capsys, "audit", str(path), *FEW, "--worst", "300", "--json")
    found = json.loads(out)
    assert (status, found["task"]) == (0, RUN.task.configuration())
    assert [place["position"] for place in found["places"]] == [1, 2, 3]
    assert {"codebook", "bits", "accuracy", "accuracy_at_least", "carries_at_least", "ceiling"} == set(found["curve"][0])
    worst = found["worst"]
    assert (worst["attacks"][0]["attack"], worst["inputs"]) == ("all", 24)
    assert RUN.task.solve(tuple(worst["least"]["inputs"])) == worst["least"]["expected"] != worst["least"]["answer"]
    table = call(capsys, "audit", str(path), *FEW, "--worst", "all")[1]
    assert "\nattack " in table


@pytest.mark.unchecked
def test_the_accuracy_by_position_and_by_a_field(capsys, tmp_path, kept):
    _, path = kept
    model, run = seqsep.load(path)
    status, out, _ = call(capsys, "audit", str(path), "--by", "position", "--questions", "400")
    assert (status, out) == (0, f"{accuracy_by(model, run.task, examples=400)}\n")
    assert out.startswith("lstm of width 8 on index-lookup, N = 3: accuracy by position\nposition  counted")
    recall = Run(MultiQueryRecall.zoology(24, 3, vocab_size=24), ("lstm",), width=8)
    file = tmp_path / "recall"
    seqsep.save(file, recall.model(), recall)
    words = ("--by", "pairs=1,3", "--by", "fillers=zero", "--questions", "50", "--json", "--seed", "2")
    status, out, _ = call(capsys, "audit", str(file), *words)
    by = json.loads(out)["by"]
    assert (status, [one["name"] for one in by]) == (0, ["pairs", "fillers"])
    expected = accuracy_by(seqsep.load(file)[0], recall.task, "pairs", (1, 3), examples=50, seed=2).record()
    assert by[0] == json.loads(json.dumps(expected))
    assert [part["part"] for one in by for part in one["parts"]] == [1, 3, "zero"]


def test_what_is_refused_is_said_in_one_line(capsys, tmp_path, kept):
    store, path = kept
    counting = tmp_path / "counting"
    run = replace(RUN, task=Counting(6))
    seqsep.save(counting, run.model(), run)
    for words, why in (
        ((store, "zz"), "none that begins so"),
        ((tmp_path / "nothing",), "nothing: No such file"),
        (
            (counting,),
            "expected a model of index-lookup, associative-recall or equality (random), multi-query-recall",
        ),
        ((path, "--questions", "0"), "expected a whole number from 1"),
        ((path, "--confidence", "2"), "expected a number between 0 and 1, such as 0.95, found 2"),
        ((path, "--worst", "5"), "expected questions from 60"),
        ((path, "--worst", "every"), "expected a whole number from 1, or all, found 'every'"),
        ((path, "--by", "length=4"), "expected as many tokens as in training, 5, found 6"),
        ((path, "--by", "length"), "expected values for a field, and none for position"),
        ((path, "--by", "width=4"), "index-lookup"),
        ((path, "--by", "position", "--worst"), "--worst: expected no --by with it"),
        ((tmp_path, "--by", "position"), "expected a kept model or a store with it, found the folder"),
    ):
        status, out, error = call(capsys, "audit", *map(str, words))
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert why in error


@pytest.mark.unchecked
def test_equal_states_are_written_and_read_again(capsys, tmp_path):
    """A window of two of six symbols forgets the first; each spoiled field is rejected, what is no record is bad input."""
    torch.manual_seed(0)
    run = Run(IndexLookup(6, alphabet=16), ("sliding-attention(window=2)",), width=8, heads=2)
    path, other, record = tmp_path / "model", tmp_path / "other", tmp_path / "record.json"
    seqsep.save(path, run.model(), run)
    seqsep.save(other, run.model(), run)
    status, out, _ = call(capsys, "audit", str(path), *FEW, "--worst", "300", "--equal-states", str(record))
    assert (status, "one state, bit for bit" in out) == (0, True)
    found = json.loads(record.read_text())
    assert len({run.task.solve((*prefix, *found["continuation"])) for prefix in found["prefixes"]}) == 2
    status, out, _ = call(capsys, "audit", str(path), "--recheck", str(record))
    assert (status, out.startswith(f"holds: {path}: the states after ")) == (0, True)
    first, second = found["prefixes"]
    for model, changes, why in (
        (other, {}, "is another model"),
        (path, {"task": {}}, "task: the model is of IndexLookup"),
        (path, {"prefixes": [first, first]}, "is right after both prefixes"),
        (path, {"prefixes": [first, [*second[:-1], (second[-1] + 1) % 16]], "continuation": [21]}, "they leave two states"),
        (path, {"continuation": [99]}, "no input of"),
        (path, {"continuation": [3]}, "the question asks for position"),
    ):
        spoiled = tmp_path / "spoiled.json"
        spoiled.write_text(json.dumps(found | changes))
        status, out, _ = call(capsys, "audit", str(model), "--recheck", str(spoiled))
        assert (status, out.startswith("rejected: "), why in out) == (1, True, True), (changes, out)
    for text, why in (("{", "as JSON"), ("[]", "field format"), (json.dumps(found | {"prefixes": 3}), "field prefixes")):
        spoiled.write_text(text)
        status, _, error = call(capsys, "audit", str(path), "--recheck", str(spoiled))
        assert (status, why in error, error.count("\n")) == (2, True, 1)
    assert "expected --worst with it" in call(capsys, "audit", str(path), "--equal-states", str(record))[2]


@pytest.mark.unchecked
def test_a_model_without_a_state_is_refused(capsys, tmp_path):
    file = tmp_path / "alone.py"
    file.write_text(OWN_LAYER.replace("torch.zeros(batch, 1)", "torch.zeros(batch, 0)"))
    run = replace(RUN, layers=(f"{file}:Own",))
    seqsep.save(tmp_path / "model", run.model(), run)
    status, out, error = call(capsys, "audit", str(tmp_path / "model"), "--part", str(file), *FEW)
    assert (status, out) == (2, "")
    assert "found one that stores, needs and carries 0 bits" in error


@pytest.mark.unchecked
def test_a_page_is_not_written_over_the_store(capsys, kept):
    store, path = kept
    store.write_bytes(b"")
    before = path.read_bytes()
    for target in (path, store):
        status, _, error = call(capsys, "audit", str(store), RUN.key()[:6], *FEW, "--page", str(target))
        assert (status, path.read_bytes(), store.read_bytes()) == (2, before, b"")
        assert str(target) in error
