"""Inputs read back: what `readable` writes is the input that it was written from, and what is none is refused by its field."""

import json
import re

import pytest

from seqsep.tasks import BY_NAME, NOTHING_ASKED, GeneratedTask
from seqsep.tasks.reading import READERS, read_input

TASKS = [
    BY_NAME["index-lookup"](6, alphabet=5),
    BY_NAME["associative-recall"](6, keys=9),
    BY_NAME["associative-recall"](6, order="fixed"),
    BY_NAME["equality"](6),
    BY_NAME["equality"](6, variant="one"),
    BY_NAME["disjointness"](6),
    BY_NAME["bounded-dyck"](8, kinds=2),
    BY_NAME["bounded-dyck"](8, kinds=7, depth=3),
    BY_NAME["sparse-threshold"](6),
    BY_NAME["counting"](6),
    BY_NAME["ngram-retrieval"](6),
    BY_NAME["induction-heads"](6),
    BY_NAME["parity-conditioned-recall"](6, values=5),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_what_is_written_is_read(task):
    batch = task.sample(0, 200, 0, evaluate=False)
    for inputs, targets, length in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        tokens = tuple(inputs[:length])
        answer = next(target for target in reversed(targets) if target != NOTHING_ASKED)
        readable = json.loads(json.dumps(task.readable(tokens, answer)))
        assert read_input(task, readable) == tokens
        assert read_input(task, {"inputs": list(tokens)}) == tokens


def test_every_task_with_one_answer_is_read():
    """Others are asked by their tokens: many questions in one input, vectors, or an answer after a thought."""
    one_answer = {kind.name for kind in BY_NAME.values() if asked_once(kind(length=8))}
    assert one_answer == {kind.name for kind in READERS}


def asked_once(task) -> bool:
    """Return True if every example has one query, about tokens, and no thought before the answer."""
    batch = task.sample(0, 50, 0)
    return not (task.coordinates or isinstance(task, GeneratedTask) or ((batch.targets != NOTHING_ASKED).sum(axis=1) > 1).any())


@pytest.mark.parametrize(
    ("task", "given", "why"),
    [
        ("index-lookup", {"symbols": [1, 64], "position": 1}, "symbols: expected a list of whole numbers from 0 to 63"),
        ("index-lookup", {"symbols": [1, 2], "position": 3}, "position: expected a whole number from 1 to 2, found 3"),
        ("index-lookup", {"symbols": [1, True], "position": 1}, "symbols: expected a list"),
        ("index-lookup", {"position": 1}, "symbols: missing; found the fields position"),
        ("index-lookup", {"symbols": [1] * 9, "position": 1}, "expected 1 to 7 tokens"),
        ("index-lookup", {"inputs": []}, "expected 1 to 7 tokens"),
        ("index-lookup", {"inputs": [70]}, "inputs: expected a list of whole numbers from 0 to 69"),
        ("associative-recall", {"pairs": [[1, 2, 3]], "query": 1}, "pairs: expected a list of [key, value]"),
        ("associative-recall", {"pairs": [[1, 99]], "query": 1}, "values of pairs: expected a list"),
        ("associative-recall", {"pairs": [[6, 9]], "query": 1}, "keys of pairs: expected a list"),
        ("induction-heads", {"symbols": [0, "other", 1]}, "symbols: expected a list of whole numbers from 0 to 16"),
        ("parity-conditioned-recall", {"pairs": [[1, 2]], "query": 1}, "values of pairs: expected a list"),
        ("equality", {"left": [0, 2], "right": [1]}, "left: expected a list of whole numbers from 0 to 1"),
        ("bounded-dyck", {"string": "(x"}, "string: expected brackets ()[]"),
        ("counting", {"tokens": [1], "query": 6, "threshold": 0}, "query: expected a whole number from 0 to 5"),
        ("ngram-retrieval", {"tokens": [1], "query": [1]}, "query: expected 2 symbols, found 1"),
        (
            "multi-query-recall",
            {"pairs": []},
            "inputs: expected the tokens of an input of multi-query-recall, found the fields pairs",
        ),
        ("nearest-neighbor", {"inputs": [1]}, "expected a task on tokens"),
    ],
)
def test_what_is_no_input_names_its_field(task, given, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        read_input(BY_NAME[task](6), given)


def test_numbered_brackets_are_checked():
    with pytest.raises(ValueError, match="string: expected a list of whole numbers from 0 to 13"):
        read_input(BY_NAME["bounded-dyck"](8, kinds=7), {"string": "(8 )8"})
