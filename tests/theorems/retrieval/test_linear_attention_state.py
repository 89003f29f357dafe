"""The state of linear attention, and of every recurrent mixer, is its formula; the length it bounds is exact."""

import math

import pytest

from seqsep.models.mixers import LinearAttention, state_bits
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.small_models import RECURRENT
from seqsep.theorems.retrieval import linear_attention_state
from seqsep.theorems.retrieval.linear_attention_state import NUMBERS_A_LAYER, Shape, check, formula, impossible_from

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_every_recurrent_mixer_has_a_formula():
    assert set(NUMBERS_A_LAYER) == set(RECURRENT)


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize(("width", "heads", "layers"), [(8, 2, 1), (12, 3, 2), (16, 1, 3)])
def test_formulas_equal_the_count_from_tensors(name, width, heads, layers):
    model = Model.build(10, 4, 9, (name,) * layers, width, heads)
    assert formula(name, Shape(width, heads, layers, precision=32)) == model.state_bits()[0]
    assert formula(name, Shape(width, heads, layers, precision=64)) == model.double().state_bits()[0]


def test_the_normaliser_is_one_vector_of_a_heads_key_width():
    state = LinearAttention(12, 3).start(1)
    assert linear_attention_state.state_bits(3, 4, 4, precision=32) == state_bits(state) == 3 * 4 * 5 * 32
    assert linear_attention_state.state_bits(3, 4, 4, precision=32, normaliser=False) == state_bits(state[:1])
    assert linear_attention_state.state_bits(2, 3, 7, precision=16, layers=5) == 5 * 2 * 3 * 8 * 16


@pytest.mark.parametrize(("bits", "alphabet"), [(0, 2), (1, 2), (40, 4), (41, 4), (4608, 64), (100, 3), (4607, 5), (7, 1000)])
def test_the_length_is_the_least_that_does_not_fit(bits, alphabet):
    least = impossible_from(bits, alphabet)
    assert alphabet**least > 2**bits >= alphabet ** (least - 1)
    assert least == math.floor(bits / math.log2(alphabet) + 1e-12) + 1
    assert IndexLookup(least, alphabet).answer_bits() > bits
    assert least == 1 or IndexLookup(least - 1, alphabet).answer_bits() <= bits


def test_the_check():
    first, errs, *others = check(width=8, heads=2, precision=64, alphabet=4)
    assert first.measured == first.bound == {"state_bits": 2 * 4 * 5 * 64, "impossible_from": 1281}
    assert len(others) == len(RECURRENT) - 1
    assert all(outcome.measured == outcome.bound for outcome in others)
    task = IndexLookup(errs.length, 4)
    assert errs.measured == {"state_bits": 40}
    assert errs.bound == {"state_bits": 42}
    assert task.solve(tuple(errs.witness["errs_on"])) == errs.witness["expected"] != errs.witness["answer"]


def test_wrong_arguments():
    for call in (lambda: check(precision=16), lambda: check(layers=0)):
        with pytest.raises(ValueError, match="at least 1 layer, of 32 or 64 bits"):
            call()
    for call in (lambda: impossible_from(5, 1), lambda: impossible_from(-1, 2)):
        with pytest.raises(ValueError, match="an alphabet of at least 2"):
            call()


def test_a_state_that_is_not_the_formula_is_found_out(monkeypatch):
    monkeypatch.setitem(NUMBERS_A_LAYER, "lstm", lambda shape: shape.width)
    with pytest.raises(TheoremFails, match="formula"):
        check()
