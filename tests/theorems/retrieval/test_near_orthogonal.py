"""Lemma 2: nearly orthogonal vectors for any gamma, the printed number of coordinates beside what is found and what is
possible."""

import dataclasses
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from seqsep.maths.codes.code_sizes import least_possible, too_near
from seqsep.theorems import TheoremFails
from seqsep.theorems.retrieval import near_orthogonal
from seqsep.theorems.retrieval.near_orthogonal import check, find, hoeffding, printed, proved

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_the_four_numbers_at_a_thousand():
    """At N = 1,000 and gamma = 1/4: printed 973, proved 222 and by exact tails 151, found 31, possible from 24 on."""
    (outcome,) = check(1000, Fraction(1, 4))
    assert outcome.measured["dimension"] == 31
    assert outcome.bound["dimension"] == 973
    assert (outcome.bound["dimension_proved"], outcome.measured["dimension_proved"]) == (222, 151)
    assert outcome.witness["least_possible"] == 24
    for count in (2, 10, 1000, 10**6, 2**40 + 1):
        for gamma in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 64)):
            assert 4 * (hoeffding(count, gamma) - 1) <= printed(count, gamma)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 16, 30])
@pytest.mark.parametrize("gamma", [Fraction(9, 10), *(Fraction(1, inverse) for inverse in (2, 3, 4, 8, 40))])
def test_vectors_of_every_gamma_pair_by_pair(count, gamma):
    found = find(count, gamma)
    assert found.signs.shape == (count, found.dimension)
    assert set(np.unique(found.signs)) <= {-1, 1}
    products = [int(one @ other) for one, other in combinations(found.signs, 2)]
    assert max(products, default=-found.dimension) == found.greatest()
    assert found.greatest() <= gamma * found.dimension
    assert least_possible(count, gamma) <= found.dimension <= printed(count, gamma)
    assert found.dimension <= max(1, 2 ** max(1, (count - 1).bit_length()) - 1)  # the simplex code, for any gamma


def test_where_the_least_number_is_known():
    """Found = possible; 16 coordinates at 256 vectors and gamma = 1/4 are Nordstrom and Robinson's code, which is Kerdock's."""
    known = {(8, 4): 4, (16, 4): 5, (32, 4): 10, (256, 4): 16, (16, 2): 4, (32, 2): 6, (64, 2): 7}
    for (count, inverse), k in known.items():
        gamma = Fraction(1, inverse)
        assert find(count, gamma).dimension == least_possible(count, gamma) == k
    assert find(256, Fraction(1, 4)).code == "kerdock"


def test_no_fewer_coordinates_by_trying_all_sets():
    """At N = 5 and gamma = 1/4: no 5 of the 2, 4 or 8 vectors in 1, 2 or 3 coordinates have such products; in 4 some have."""
    for k in (1, 2, 3):
        words = 1 - 2 * (np.arange(1 << k)[:, None] >> np.arange(k) & 1)
        near = 4 * (words @ words.T) > k
        assert not any(not near[np.ix_(five, five)][np.triu_indices(5, 1)].any() for five in combinations(range(1 << k), 5))
    assert find(5, Fraction(1, 4)).dimension == 4


def test_what_is_proved_is_enough():
    for count in (2, 3, 16, 100, 1000):
        addresses = 2 ** max(1, (count - 1).bit_length()) - 1
        for gamma in (Fraction(1, 2), Fraction(1, 4)):
            k = proved(count, gamma)
            assert addresses * too_near(k, gamma) < 2**k
            assert k <= hoeffding(count, gamma)


def test_vectors_that_are_too_near_are_found_out(monkeypatch):
    """One sign changed in Kerdock's code; and one too few coordinates."""
    honest = near_orthogonal.find

    def spoiled(count, gamma):
        found = honest(count, gamma)
        signs = found.signs.copy()
        signs[1] = signs[0]
        return dataclasses.replace(found, signs=signs)

    monkeypatch.setattr(near_orthogonal, "find", spoiled)
    with pytest.raises(TheoremFails, match="greatest product = 16"):
        check(64, Fraction(1, 4))
    not_signs = near_orthogonal.Vectors("none", 2 * np.eye(2, dtype=np.int64))
    monkeypatch.setattr(near_orthogonal, "find", lambda count, gamma: not_signs)
    with pytest.raises(TheoremFails):
        check(2, Fraction(1, 4))


def test_bad_input_is_named():
    for given in ({"length": 0}, {"length": 4097}, {"coherence": Fraction(0)}, {"coherence": Fraction(1)}):
        with pytest.raises(ValueError, match="count is 1 to 4,096, and gamma between 0 and 1"):
            check(**given)
