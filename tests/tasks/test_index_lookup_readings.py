"""Index lookup under the three readings of appendix H.1: lengths, positions, and one evaluation for all of them."""

import numpy as np
import pytest

from seqsep.models.laws import task as task_laws
from seqsep.tasks import Equality, IndexLookup, SparseThreshold
from seqsep.tasks.index_lookup import TRAINING

EXAMPLES = 40_000


@pytest.fixture(scope="module", params=TRAINING)
def drawn(request):
    """Symbols and queried position of each training example."""
    task = IndexLookup(20, alphabet=4, training_inputs=request.param)
    batch = task.sample(0, EXAMPLES, 3)
    return task, batch.lengths - 1, task.query_positions(batch)


def test_the_number_of_symbols(drawn):
    task, symbols, _ = drawn
    assert set(symbols) == (set(range(10, 21)) if task.training_inputs == "drawn-length" else {20})


def test_the_share_of_each_position(drawn):
    """Position p has probability sum over k >= p of 1/(11 k) with k drawn, and 1/20 under full-length."""
    task, _, positions = drawn
    of_drawn = [sum(1 / (11 * k) for k in range(max(p, 10), 21)) for p in range(1, 21)]
    expected = [1 / 20] * 20 if task.training_inputs == "full-length" else of_drawn
    found = np.bincount(positions, minlength=21)[1:] / EXAMPLES
    assert np.abs(found - expected).max() < 5 * np.sqrt(max(expected) / EXAMPLES)
    assert positions.min() == 1


def test_the_queried_symbol_is_the_answer(drawn):
    task, *_ = drawn
    task_laws.check_task(task)


def test_every_reading_is_evaluated_on_the_same_examples():
    batches = [IndexLookup(20, training_inputs=training).sample(5, 30, 0, evaluate=True) for training in TRAINING]
    assert all((batch.inputs == batches[0].inputs).all() for batch in batches)
    assert (batches[0].lengths == 21).all()


def test_equal_examples_have_equal_fields():
    """Under full-length no k is drawn, so the least k is not a part of the configuration."""
    assert IndexLookup(20, training_inputs="full-length", least_length=12).configuration() == {
        "name": "index-lookup",
        "length": 20,
        "training_inputs": "full-length",
    }
    assert IndexLookup(20).configuration() == {"name": "index-lookup", "length": 20}


def test_mixed_lengths_of_a_task():
    assert IndexLookup(20, training_inputs="full-length").mixed() == IndexLookup(20)
    assert Equality(20, least_length=20).mixed() == Equality(20)
    with pytest.raises(ValueError, match="a curriculum needs a task with the field least_length"):
        SparseThreshold(20).mixed()


def test_an_unknown_reading_is_refused():
    with pytest.raises(ValueError, match="training_inputs is one of drawn-length, full-length, drawn-position, found 'full'"):
        IndexLookup(20, training_inputs="full")
