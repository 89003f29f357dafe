"""`seqsep audit --recheck` of multi-query recall and of a user's own task: a record holds, and a false one is rejected."""

import json

import pytest
import torch

import seqsep
from seqsep.lab.run import Run
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.tasks import MultiQueryRecall
from support.command_line import call

pytestmark = pytest.mark.unchecked

OWN = '''
import numpy as np


class Memory:
    """N bits, then a position: which bit is there?"""
    independent_answers = 2

    def __init__(self, length):
        self.length = length
        self.vocabulary, self.classes, self.longest = 2 + length, 2, length + 1

    def sample(self, start, count, seed, evaluate=False):
        prefixes, asked, answers = self.questions(start, count, 2 * seed + evaluate)
        inputs = np.concatenate([prefixes, asked[:, 0]], axis=1)
        targets = np.full_like(inputs, -100)
        targets[:, -1] = answers[:, 0]
        return inputs, targets, np.full(count, self.longest)

    def questions(self, start, count, seed):
        streams = (np.random.default_rng([seed, start + i]) for i in range(count))
        bits = np.stack([stream.integers(2, size=self.length) for stream in streams])
        asked = np.broadcast_to(2 + np.arange(self.length)[:, None], (count, self.length, 1))
        return bits, asked.astype(np.int64), bits

    def solve(self, tokens):
        return tokens[tokens[-1] - 2]

    def alphabets(self, length):
        return (*[range(2)] * length, range(2, 2 + length))
'''


@pytest.fixture(name="task", params=["recall", "own"])
def task_fixture(request, tmp_path):
    if request.param == "recall":
        return MultiQueryRecall(6, values=4)
    path = tmp_path / "memory.py"
    path.write_text(OWN)
    return own_task(PlugIn.parse(f"{path}:Memory"), {"length": 10})


def audited(capsys, path, *words):
    """Call seqsep audit of a kept model, with the file of the own task if there is one."""
    own = path.parent / "memory.py"
    part = ("--part", str(own)) if own.exists() else ()
    return call(capsys, "audit", str(path), *part, *map(str, words))


def test_equal_states_of_recall_and_of_an_own_task(capsys, tmp_path, task):
    """A window of two tokens forgets the first ones, so prefixes that differ there leave one state."""
    torch.manual_seed(0)
    run = Run(task, ("sliding-attention(window=2)",), width=8, heads=2)
    path, other, record, spoiled = (tmp_path / name for name in ("model", "other", "record.json", "spoiled.json"))
    seqsep.save(path, run.model(), run)
    seqsep.save(other, run.model(), run)
    status, out, error = audited(capsys, path, "--questions", 2600, "--worst", 300, "--equal-states", record)
    assert (status, error, "one state, bit for bit" in out) == (0, "", True), error
    found = json.loads(record.read_text())
    first, second = found["prefixes"]
    assert task.solve((*first, *found["continuation"])) != task.solve((*second, *found["continuation"]))
    status, out, _ = audited(capsys, path, "--recheck", record)
    assert (status, out.startswith(f"holds: {path}: the states after ")) == (0, True)
    last = [*second[:-1], next(token for token in (first[-1] + 1, first[-1] - 1) if is_prefix(task, [*second[:-1], token]))]
    for model, changes, why in (
        (other, {}, "is another model"),
        (path, {"prefixes": [first, first]}, "is right after both prefixes"),
        (path, {"prefixes": [first, last]}, "they leave two states"),
        (path, {"continuation": [10**6]}, "no input of"),
        (path, {"prefixes": [first[:-1], second]}, "no input of"),
        (path, {"task": {}}, "task: the model is of"),
    ):
        spoiled.write_text(json.dumps(found | changes))
        status, out, _ = audited(capsys, model, "--recheck", spoiled)
        assert (status, out.startswith("rejected: "), why in out) == (1, True, True), (changes, out)


def is_prefix(task, tokens):
    """Return True if the task has this prefix."""
    from seqsep.lab.audit.own_questions import searched

    return searched(task).is_prefix(tuple(tokens))
