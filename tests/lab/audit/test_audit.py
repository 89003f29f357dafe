"""The state that a model stores, needs and carries: planted memories, every mixer, and what is refused."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

import seqsep
from seqsep.lab.audit.questions import asking
from seqsep.lab.audit.reader import StateReader
from seqsep.lab.run import Run
from seqsep.lab.train import train
from seqsep.models.mixers import MIXERS
from seqsep.tasks import AssociativeRecall, Equality, IndexLookup
from support.planted_memories import planted

MEMORY = IndexLookup(length=130, alphabet=16)
TINY = Run(IndexLookup(3, alphabet=2), ("lstm",), width=8, heads=2, steps=200, batch=32, learning_rate=0.01)
TINY = replace(TINY, positions="learned", evaluate_every=200, evaluation=50, target=1.0)
ALMOST_SURE = 1 - 1e-6
COUNTING = """
import torch


class Counting(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.mix(x) * torch.arange(1, x.shape[1] + 1)[:, None]

    def start(self, batch):
        return torch.zeros(batch, 1, dtype=torch.int64)

    def step(self, x, state, t):
        return self.mix(x) * (state + 1), state + 1
"""


@pytest.mark.unchecked
def test_a_planted_memory_of_500_bits_reads_450_to_500():
    """It keeps 125 symbols of 4 bits; the other five are guessed."""
    found = seqsep.audit(planted(MEMORY, kept=125), MEMORY)
    assert found.stored_bits == 500 * 32
    assert 450 <= found.needs_at_most_bits <= 500
    assert 450 <= found.carries_at_least_bits <= 500
    assert [place.accuracy for place in found.places[:125]] == [1.0] * 125
    assert max(place.at_least for place in found.places[125:]) < 0.2
    at_500 = [one for one in found.curve if one.codebook == "lloyd" and one.bits == 500]
    assert at_500[0].accuracy == pytest.approx(found.accuracy, abs=0.01)


@pytest.mark.unchecked
def test_a_state_that_is_dropped_reads_0():
    task = IndexLookup(length=12, alphabet=16)
    found = seqsep.audit(planted(task, kept=12, dropped=True), task, questions=6000)
    assert (found.stored_bits, found.needs_at_most_bits, found.carries_at_least_bits) == (12 * 4 * 32, 0, 0.0)
    assert found.accuracy == pytest.approx(1 / 16, abs=0.02)
    assert len({one.accuracy for one in found.curve}) == 1


@pytest.mark.slow
@pytest.mark.unchecked
@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_no_lower_end_is_above_a_ceiling(mixer):
    """A state of b bits carries at most b bits, and no accuracy is above its ceiling: every codebook, every mixer."""
    model, _ = train(replace(TINY, layers=(mixer.name,)))
    found = seqsep.audit(model.eval(), TINY.task, questions=900, confidence=ALMOST_SURE)
    assert found.accuracy > 0.55
    assert found.carries_at_least_bits <= 3 <= found.stored_bits
    for one in found.curve:
        assert one.carries_at_least <= one.bits
        assert one.accuracy_at_least <= one.ceiling
    assert min(one.bits for one in found.curve) == 0


@pytest.mark.parametrize(
    "task",
    [IndexLookup(6, alphabet=5), AssociativeRecall(4, values=3), AssociativeRecall(3, keys=9, values=4), Equality(8)],
    ids=repr,
)
def test_questions_are_the_tasks_own(task):
    """Right answers are those of `task.solve`; values and continuations that tell prefixes apart do what they say."""
    how = asking(task)
    questions = how.drawn(40, seed=3)
    random = np.random.default_rng(0)
    assert questions.answers.shape == (40, how.places)
    for prefix, continuations, answers in zip(
        questions.prefixes.tolist(), questions.continuations.tolist(), questions.answers.tolist(), strict=True
    ):
        assert [task.solve((*prefix, *asked)) for asked in continuations] == answers
        prefix = tuple(prefix)
        assert how.with_values(prefix, how.values(prefix)) == prefix
        edited = [how.edited(prefix, distance, random) for distance in (1, 2)]
        for other in (*islice(how.edits(prefix, 1), 5), *islice(how.edits(prefix, 2), 5), *edited, *how.swaps(prefix)):
            apart = list(how.continuations_apart(prefix, other))
            assert apart
            assert all(task.solve(prefix + asked) != task.solve(other + asked) for asked in apart)
            inputs = list(how.inputs_apart(prefix, other))
            assert len(inputs) == 2 * (len(apart) if how.places > 1 else 1)
        moved = how.moved((*prefix, *continuations[0]), random)
        assert task.solve(moved) in range(task.classes)


def test_edits_are_all_prefixes_at_their_distance():
    how = asking(IndexLookup(4, alphabet=3))
    prefix = (0, 2, 1, 1)
    for distance, number in ((1, 4 * 2), (2, 6 * 4)):
        found = list(how.edits(prefix, distance))
        assert len(set(found)) == len(found) == number
        assert {sum(np.array(prefix) != other) for other in np.array(found)} == {distance}


@pytest.mark.parametrize("mixer", ["attention", "dss", "mamba", "sliding-attention", "rwkv7"])
def test_rows_of_numbers_are_the_state(mixer):
    """The model goes on from a row as from its own state, and the bits are those of the tensors after the prefix."""
    torch.manual_seed(0)
    model = replace(TINY, layers=(mixer, mixer)).model().eval()
    reader = StateReader(model, time=3)
    prefixes = np.array([[0, 1, 1], [1, 0, 1]])
    rows = reader.states(prefixes)
    logits = reader.logits(rows, torch.tensor([[2], [4]]))
    tokens = torch.tensor([[0, 1, 1, 2], [1, 0, 1, 4]])
    torch.testing.assert_close(logits, model(tokens)[:, -1], atol=1e-4, rtol=1e-4)
    fixed, per_token = model.state_bits()
    assert reader.bits == fixed + 3 * per_token == 32 * reader.numbers


def test_examples_are_none_that_training_was_evaluated_on():
    drawn = []

    class Watched(IndexLookup):
        def sample(self, start, count, seed, evaluate=False):
            drawn.append((seed, evaluate))
            return super().sample(start, count, seed, evaluate)

    model = TINY.model().eval()
    seqsep.audit(model, Watched(3, alphabet=2), questions=300)
    assert len(set(drawn)) == 2
    assert (0, True) not in drawn
    assert all(evaluate for _, evaluate in drawn)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"task": Equality(8, variant="one")}, "expected a model of index-lookup, associative-recall or equality"),
        ({}, "expected the task of the model"),
        ({"task": TINY.task, "questions": 0}, "expected questions from 1"),
        ({"task": TINY.task, "confidence": 1.0}, "confidence between 0 and 1"),
    ],
)
def test_what_is_refused(options, why):
    with pytest.raises(seqsep.core.names.BadInput, match=why):
        seqsep.audit(TINY.model(), **options)


def test_whole_numbers_in_a_state_are_named(tmp_path):
    """A layer that counts its tokens in an int64 obeys the laws of a layer, and an audit says what it wants of a state."""
    (tmp_path / "counting.py").write_text(COUNTING)
    run = replace(TINY, layers=(f"{tmp_path / 'counting.py'}:Counting",))
    with pytest.raises(ValueError, match=r"audit: expected a state of real or complex numbers, found one of torch.int64 in it"):
        seqsep.audit(run.model(), TINY.task, questions=300)


@pytest.mark.parametrize("function", [seqsep.audit, seqsep.worst_case])
@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ({"longest": 5}, "positions for 6 tokens, as index-lookup of N = 5 needs, found 5"),
        ({"vocabulary": 8}, "embeddings of 9 tokens, as index-lookup of N = 5 needs, found 8"),
        ({"classes": 3}, "4 answers, as index-lookup of N = 5 needs, found 3"),
    ],
)
def test_a_model_that_cannot_read_the_task_is_refused(function, sizes, found):
    model = seqsep.Model.build(**{"vocabulary": 9, "classes": 4, "longest": 6} | sizes, layers=("attention",), width=8)
    with pytest.raises(seqsep.core.names.BadInput, match=f"expected a model with {found}"):
        function(model, IndexLookup(5, alphabet=4), questions=100)
