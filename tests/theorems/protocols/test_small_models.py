"""Small models: those that are tried have fewer bits than are needed, by one where that can be had."""

import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.protocols.collision import TaskSizes
from seqsep.theorems.protocols.one_layer_protocol import least_width_heads
from seqsep.theorems.protocols.small_models import SmallModel, with_random_weights
from seqsep.theorems.retrieval.index_lookup_state import recall, with_fewer_bits


def models(needed: int, small: SmallModel, most_bits: int = 18):
    return small.models(recall(4, 2), needed, reduced=lambda bits: with_fewer_bits(4, 2, bits), most_bits=most_bits)


def test_a_chosen_model_of_as_many_bits_is_refused():
    """An LSTM of width 1 keeps two numbers: a bound of 3 bits is about it, one of 2 bits is not."""
    small = SmallModel(mixer="lstm", width=1)
    (model,) = models(3, small)
    assert (model[0], model[1].bits) == ("lstm of width 1", 2)
    for needed in (2, 1):
        with pytest.raises(ValueError, match=f"has 2 state bits, not fewer than {needed}"):
            models(needed, small)


@pytest.mark.parametrize(
    ("needed", "most_bits", "bits"), [(1, 18, []), (2, 18, [1]), (3, 18, [2, 2]), (4, 18, [3, 2]), (4, 2, [2, 2])]
)
def test_models_by_default_are_as_large_as_may_be(needed, most_bits, bits):
    """The exact model with one bit less than needed, or `most_bits`; an LSTM has an even number of bits."""
    assert [model.bits for _, model in models(needed, SmallModel(), most_bits)] == bits


def test_the_finest_grid_of_some_bits_is_not_one_bit_finer():
    """L = 3 has 5 bits a number and L = 4 has 6, which needs fewer heads."""
    assert [Grid(steps).precision for steps in (3, 4)] == [5, 6]
    by_default = [least_width_heads(bits, 5, 8).counted for bits in range(50, 2000, 50)]
    assert by_default == [least_width_heads(bits, 5, 8, grid=Grid(3)).counted for bits in range(50, 2000, 50)]
    assert by_default != [least_width_heads(bits, 5, 8, grid=Grid(4)).counted for bits in range(50, 2000, 50)]


def test_random_weights_are_not_trained():
    assert not any(
        weight.requires_grad for weight in with_random_weights(TaskSizes(3, 2, 4), "lstm", width=2, seed=0).parameters()
    )
