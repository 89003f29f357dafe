"""The accuracy of one trained model by position and by a field, against models whose accuracy is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from seqsep.core.names import BadInput
from seqsep.lab.audit.accuracy_by import accuracy_by
from seqsep.lab.run import Run
from seqsep.models.model import Model
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, IsTree, ModularCount, MultiQueryRecall
from support.planted_memories import planted

MEMORY = IndexLookup(length=6, alphabet=4)
RECALL = MultiQueryRecall.zoology(24, 3, vocab_size=24)
OWN = '''
import numpy as np


class Sums:
    """The sum of the first `terms` bits, after each of the last two tokens."""

    def __init__(self, length, terms=2):
        self.length, self.terms = length, terms
        self.vocabulary, self.classes, self.longest = 2, 9, length

    def sample(self, start, count, seed, evaluate=False):
        streams = (np.random.default_rng([seed, evaluate, start + i]) for i in range(count))
        inputs = np.stack([stream.integers(2, size=self.length) for stream in streams])
        targets = np.full_like(inputs, -100)
        targets[:, -2:] = inputs[:, : self.terms].sum(1)[:, None]
        return inputs, targets, np.full(count, self.length)
'''

WHOLE = """
import torch


class Whole(torch.nn.Module):
    def __init__(self, vocabulary, classes, longest, width):
        super().__init__()
        self.table = torch.nn.Embedding(vocabulary, classes)

    def forward(self, tokens):
        return self.table(tokens)
"""


def fresh(task, **sizes):
    torch.manual_seed(0)
    return Run(task, ("lstm",), width=8, **sizes).model().eval()


@pytest.mark.unchecked
def test_a_forgotten_symbol_is_seen_at_its_position():
    """The model keeps the first five of six symbols; at the last one it answers 0, which is right for a quarter."""
    found = accuracy_by(planted(MEMORY, kept=5), MEMORY, examples=2000)
    assert [one.part for one in found.parts] == [1, 2, 3, 4, 5, 6]
    assert [one.accuracy for one in found.parts[:5]] == [1.0] * 5
    last = found.parts[5]
    assert last.low < 0.25 < last.high < 0.4
    assert sum(one.counted for one in found.parts) == 2000


def test_the_mean_over_positions_is_the_accuracy():
    task = IndexLookup(length=90, alphabet=4)
    model = fresh(task)
    found = accuracy_by(model, task, examples=600)
    assert len(found.parts) == 20
    assert found.parts[0].part == "1-4"
    assert found.parts[-1].part == "86-90"
    [whole] = accuracy_by(model, task, "length", (90,), examples=600).parts
    assert sum(one.accuracy * one.counted for one in found.parts) / 600 == pytest.approx(whole.accuracy)


@pytest.mark.parametrize("task", [RECALL, BoundedDyck(8), Equality(6), IsTree(4, trace="cot")], ids=lambda task: task.name)
def test_answers_are_counted_at_their_tokens(task):
    """One by one, by `sample` and the logits alone."""
    model = fresh(task)
    batch = task.sample(0, 60, 1, evaluate=True)
    logits = model(torch.from_numpy(batch.inputs))
    if task.loss == "cross-entropy":
        answers = logits.argmax(-1).numpy()
    else:
        positive = (logits > 0).numpy()
        answers = np.where(positive.all(-1), -1, np.where(positive.sum(-1) == 1, positive.argmax(-1), -2))
    expected = {}
    for row, at in zip(*(batch.targets != -100).nonzero(), strict=True):
        expected.setdefault(int(at) + 1, []).append(bool(answers[row, at] == batch.targets[row, at]))
    found = accuracy_by(model, task, examples=60)
    assert sum(one.counted for one in found.parts) == sum(map(len, expected.values()))
    if len(expected) <= 20:
        assert {one.part: one.accuracy for one in found.parts} == pytest.approx({at: np.mean(expected[at]) for at in expected})


def test_a_field_changes_the_task_and_not_the_model():
    found = accuracy_by(fresh(RECALL), RECALL, "pairs", (1, 2, 3), examples=300)
    assert [one.part for one in found.parts] == [1, 2, 3]
    for one in found.parts:
        task = replace(RECALL, pairs=one.part)
        batch = task.sample(0, 300, 1, evaluate=True)
        is_right = fresh(RECALL)(torch.from_numpy(batch.inputs)).argmax(-1).numpy() == batch.targets
        asked = batch.targets != -100
        assert one.accuracy == (is_right | ~asked).all(1).mean()
        share = is_right[asked].mean() if one.part > 1 else None
        assert one.per_answer == (None if share is None else pytest.approx(share))
    assert list(found.records()[0])[:3] == ["pairs", "counted", "accuracy"]


def test_longer_inputs_need_positions():
    task = ModularCount(6)
    assert len(accuracy_by(fresh(task), task, "length", (6, 40), examples=20).parts) == 2
    with pytest.raises(BadInput, match="positions for 7 tokens, as modular-count of N = 7 needs, found 6"):
        accuracy_by(fresh(task, positions="learned"), task, "length", (7,), examples=20)


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("length", (7,), "length=7: expected as many tokens as in training, 10, found 11"),
        ("alphabet", (3,), "alphabet=3: expected as many tokens as in training, 10, found 9"),
        ("alphabets", (3,), "alphabets"),
        ("length", ("long",), "length"),
        ("length", (0,), "length"),
        ("length", (), "expected values for a field"),
        ("position", (1,), "none for position"),
    ],
)
def test_other_fields_and_values_are_refused(name, values, found):
    with pytest.raises(BadInput, match=found):
        accuracy_by(fresh(MEMORY), MEMORY, name, values, examples=10)


@pytest.mark.parametrize("sizes", [{"examples": 0}, {"confidence": 1.0}, {"seed": -1}])
def test_sizes_out_of_range_are_refused(sizes):
    with pytest.raises(BadInput, match="expected examples from 1, confidence between 0 and 1"):
        accuracy_by(fresh(MEMORY), MEMORY, **sizes)


@pytest.mark.unchecked
def test_what_is_no_model_is_refused():
    with pytest.raises(BadInput, match="expected a model and its task"):
        accuracy_by("model.safetensors", MEMORY)


def test_a_model_of_nan_is_refused():
    model = fresh(MEMORY)
    model.readout.weight.data.fill_(float("nan"))
    with pytest.raises(BadInput, match="found NaN"):
        accuracy_by(model, MEMORY, examples=10)


def test_an_own_task_by_its_field_and_by_the_place_of_an_answer(tmp_path):
    path = tmp_path / "sums.py"
    path.write_text(OWN)
    task = own_task(PlugIn.parse(f"{path}:Sums"), {"length": 6})
    model = Model.build(vocabulary=2, classes=9, longest=6, layers=("lstm",), width=8).eval()
    found = accuracy_by(model, task, "terms", (1, 2, 4), examples=50)
    assert [(one.part, one.counted, one.per_answer is None) for one in found.parts] == [(n, 50, False) for n in (1, 2, 4)]
    assert [one.part for one in accuracy_by(model, task, examples=50).parts] == [5, 6]
    with pytest.raises(BadInput, match="terms_of"):
        accuracy_by(model, task, "terms_of", (1,), examples=50)


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        ("examples/own_layer.py:MovingAverage", "MovingAverage of width 8 on index-lookup, N = 6: accuracy by position"),
        ("model:examples/own_model.py:Whole", "own_model.py:Whole on index-lookup, N = 6: accuracy by position"),
    ],
)
def test_the_headline_has_no_digest(layer, words, tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    own_layer = Path(__file__).parents[3] / "examples/own_layer.py"
    (tmp_path / "examples/own_layer.py").write_text(own_layer.read_text())
    (tmp_path / "examples/own_model.py").write_text(WHOLE)
    monkeypatch.chdir(tmp_path)
    run = Run(MEMORY, (layer,), width=8)
    assert accuracy_by(run.model().eval(), MEMORY, examples=20).title() == words
