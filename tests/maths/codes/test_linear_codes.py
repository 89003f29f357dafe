"""Linear codes: the distribution against every pair, the field's own trace, the symmetry, a corrupted coordinate."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.codes.codes import DualBCH, Kerdock
from seqsep.maths.codes.correlations import correlations, words
from seqsep.maths.codes.linear_codes import (
    PRIMITIVE,
    dual_bch,
    dual_bch_correlations,
    kerdock,
    lifted,
    multiplication,
    primitive,
)


def products(vectors):
    """Every product of two different vectors."""
    table = vectors.astype(np.float32) @ vectors.astype(np.float32).T
    return table[~np.eye(len(vectors), dtype=bool)].astype(np.int64)


def corrupted(code, row, column, by=1):
    generator = code.generator.copy()
    generator[row, column] = (generator[row, column] + by) % code.order
    code.generator = generator
    return code


@pytest.mark.parametrize(("order", "digits"), [(2, 1), (2, 5), (2, 7), (2, 9), (4, 1), (4, 3), (4, 4), (4, 5)])
def test_distribution_of_any_generator_is_that_of_its_words(order, digits):
    generator = np.random.default_rng(digits).integers(0, order, (digits, 11))
    vectors = words(generator, order, np.arange(order**digits))
    for count in {1, 2, order**digits - 1, order**digits}:
        assert correlations(generator, order, count) == Counter((vectors[1:count] @ vectors[0]).tolist())
    pairs = Counter(products(vectors).tolist())
    every = correlations(generator, order, order**digits)
    assert pairs == Counter({product: number * order**digits for product, number in every.items()})


@pytest.mark.parametrize("degree", [5, 6])
def test_words_are_traces(degree):
    def times(a, b):
        product = 0
        for place in range(degree):
            product ^= (a << place) * (b >> place & 1)
        for place in range(2 * degree, degree - 1, -1):
            product ^= (PRIMITIVE[degree] << place - degree) * (product >> place & 1)
        return product

    def power(a, exponent):
        return a if exponent == 1 else times(a, power(a, exponent - 1))

    size, trace = 1 << degree, []
    for a in range(size):
        conjugate, total = a, 0
        for _ in range(degree):
            total ^= conjugate
            conjugate = times(conjugate, conjugate)
        assert total in (0, 1)
        trace.append(total)
    table = np.array([[trace[times(a, b)] for b in range(size)] for a in range(size)])
    elements = [1]
    while len(elements) < size - 1:
        elements.append(times(elements[-1], 2))
    cubes = [power(element, 3) for element in elements]
    traces = (table[:, None, elements] + table[None, :, cubes]) % 2
    expected = {word.tobytes() for word in (1 - 2 * traces).reshape(size * size, -1)}
    code = DualBCH(size * size)
    assert len(expected) == size * size
    assert {word.tobytes() for word in code.keys(np.arange(size * size))} == expected


def test_xi_has_the_order_of_g():
    assert lifted(primitive(3)) == [3, 1, 2, 1]  # x^3 + 2 x^2 + x - 1
    for degree in (3, 5, 7):
        step = multiplication(lifted(primitive(degree)), 4)
        order = 1
        power = step
        while not np.array_equal(power, np.eye(degree)):
            power, order = power @ step % 4, order + 1
        assert order == 2**degree - 1


@pytest.mark.parametrize(
    ("degree", "errors", "greatest"),
    [(5, 2, 7), (6, 2, 15), (7, 2, 15), (5, 3, 15), (6, 3, 31), (7, 3, 31), (8, 3, 63), (9, 3, 63), (10, 3, 127)],
)
def test_coherences_of_dual_bch(degree, errors, greatest):
    generator, count = dual_bch(degree, errors), 1 << degree * errors
    counts = correlations(generator, 2, count) if count <= 1 << 24 else dual_bch_correlations(generator, degree, count)
    assert max(counts) == greatest
    assert sum(counts.values()) == count - 1
    # Two of Pless's identities: no coordinate is constant, no two are equal.
    assert sum(product * number for product, number in counts.items()) == -(2**degree - 1)
    assert sum(product**2 * number for product, number in counts.items()) == (2**degree - 1) * (count - 2**degree + 1)
    sizes = {size[:2]: size[2] for size in DualBCH.SIZES}
    assert sizes.get((degree, errors), greatest) == greatest
    if (degree, errors) in sizes:
        code = DualBCH(count)
        assert code.verify() == counts
        assert 4 * code.one_sided_coherence <= 1
        assert code.gap == code.dimension - greatest


@pytest.mark.parametrize("degree", [3, 5, 7])
def test_kerdock_has_its_known_distribution(degree):
    count, k = 4 ** (degree + 1), 2 ** (degree + 1)
    code, root = Kerdock(count), 2 ** ((degree + 1) // 2)
    half = k * (k // 2 - 1)
    assert code.verify() == {root: half, -root: half, 0: 2 * k - 2, -k: 1}
    assert code.one_sided_coherence == Fraction(1, root)
    assert code.two_sided_coherence == 1
    assert Kerdock(count // 2).two_sided_coherence == Fraction(1, root)
    some = np.arange(min(256, count // 2))
    assert np.array_equal(np.sort(code.keys(some + count // 2), axis=0), np.sort(-code.keys(some), axis=0))


@pytest.mark.parametrize(
    ("make", "count"),
    [(DualBCH, count) for count in (600, 1024, 1500, 4096)] + [(Kerdock, count) for count in (200, 700, 1300, 2100, 4096)],
)
def test_every_pair(make, count):
    code = make(count)
    every = products(code.keys(np.arange(count)))
    assert code.one_sided_coherence == Fraction(int(every.max()), code.dimension)
    assert code.two_sided_coherence == Fraction(int(np.abs(every).max()), code.dimension)
    assert code.gap == code.dimension - every.max()


def test_first_words_of_dual_bch_are_those_of_two_errors():
    for count, coherence in ((1 << 14, Fraction(15, 127)), ((1 << 14) + 1, None), (1 << 21, Fraction(31, 127))):
        code = DualBCH(count)
        assert code.dimension == 127
        assert coherence is None or code.one_sided_coherence == coherence


def test_symmetry_gives_what_the_transform_gives():
    for degree, bits in ((5, (11, 13, 15)), (7, (15, 18, 21))):
        generator = dual_bch(degree, 3)
        for bit in bits:
            assert dual_bch_correlations(generator, degree, 1 << bit) == correlations(generator, 2, 1 << bit)
    with pytest.raises(ValueError, match="5 coprime"):
        dual_bch_correlations(dual_bch(8, 3), 8, 1 << 24)


def test_a_corrupted_coordinate_is_noticed():
    for row in range(10):
        for column in range(31):
            with pytest.raises(ValueError, match=r"DualBCH\(count=1000\)\.verify\(\): expected .* 7, found 9"):
                corrupted(DualBCH(1000), row, column).verify()
    for column in range(8):
        for row in range(4):
            with pytest.raises(ValueError, match=r"expected .* 4, found"):
                corrupted(Kerdock(200), row, column, 1 + column % 3).verify()
    for count, row, column in ((4096, 11, 62), (1 << 16, 13, 126)):
        with pytest.raises(ValueError, match="expected"):
            corrupted(DualBCH(count), row, column).verify()
    for row, column in ((0, 0), (15, 500), (29, 1022)):
        with pytest.raises(ValueError, match="go through the powers"):
            corrupted(DualBCH(1 << 30), row, column).verify()
    with pytest.raises(ValueError, match="expected"):
        corrupted(Kerdock(65_536), 3, 77, 2).verify()


def test_vectors_far_out_are_sums_of_the_near_ones():
    code = DualBCH(1 << 30)
    far = np.array([(1 << 30) - 1, 0x2AAAAAAA, 123_456_789])
    for address, key in zip(far, code.keys(far), strict=True):
        bits = 1 << np.flatnonzero(address >> np.arange(30) & 1)
        assert np.array_equal(code.keys(bits).prod(axis=0), key)
    assert np.array_equal(code.keys(np.array([0])), np.ones((1, 1023)))


def test_too_many_words_are_named():
    with pytest.raises(ValueError, match=r"correlations\(order=2, count=1073741824\): at most"):
        correlations(dual_bch(10, 3), 2, 1 << 30)
    with pytest.raises(ValueError, match=r"correlations\(order=4, count=257\): at most"):
        correlations(kerdock(3), 4, 257)
