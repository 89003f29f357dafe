"""Lemma 3 and B.3: a code found in counted registers, every pair of it; and maps that keep the products of any unit vectors."""

import inspect
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from seqsep.core.stream import Use, draws
from seqsep.maths.automata.registers import Registers
from seqsep.maths.codes.toeplitz import Toeplitz, proved_dimension, seed_bits, seeds
from seqsep.theorems import TheoremFails
from seqsep.theorems.retrieval import _log_space, log_space_code
from seqsep.theorems.retrieval._log_space import entry, find_seed, is_good, memory_for, most_memory, next_seed
from seqsep.theorems.retrieval.log_space_code import build, check, dimension_of_any, in_the_kernel, least_error, products

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
QUARTER = Fraction(1, 4)


@pytest.mark.slow
def test_memory_is_what_the_registers_hold():
    """The program has no variables beside its registers, and none of these has a bit too many but two of the counters."""
    for function in map(inspect.unwrap, (entry, is_good, next_seed, find_seed)):
        assert inspect.getfullargspec(function).args == ["memory"]
        assert function.__code__.co_nlocals == 1
        assert not function.__code__.co_cellvars
        assert set(function.__code__.co_names) <= {"entry", "is_good", "next_seed", "INCREMENT", "MULTIPLIER", "STEPS"}
    code, bits, _ = build(256)
    s = code.dimension + 7
    k_bits = code.dimension.bit_length()
    assert (code.dimension, s, k_bits) == (151, 158, 8)
    assert bits == 2 * s + 8 + 4 * k_bits + 2 * 4 + 7 == 371
    for name in ("seed", "product", "step", "address", "digit", "digits", "place", "dimension", "parity"):
        with pytest.raises(ValueError, match=f"register {name} of"):
            find_seed(with_one_bit_less(name))


def with_one_bit_less(name: str) -> Registers:
    """The memory for 16 addresses, but for one bit of a register."""
    whole = memory_for(16, 71, QUARTER)
    memory = Registers(**{each: bits - (each == name) for each, bits in whole._bits.items()})
    for each in ("dimension", "digits", "distance"):
        memory[each] = whole[each]
    return memory


def test_memory_grows_with_the_logarithm():
    """Bits a doubling of N at eps = 1/4: 44.4 = 4 ln 2 / eps^2 for seeds, 3 for digits, at times 4 or 2 for counters."""
    bits = [most_memory(1 << b, QUARTER) for b in range(3, 60)]
    for b, (one, next_one) in enumerate(pairwise(bits), start=3):
        assert 44 + 3 <= next_one - one <= 46 + 3 + 6, b
    assert most_memory(1 << 59, QUARTER) <= (4 * math.log(2) * 16 + 3) * 59 + 200


@pytest.mark.parametrize("count", [2, 3, 4, 7, 16, 33, 64, 100])
def test_the_first_good_seed_and_every_pair(count):
    """The same seed as a search by transforms, and products by counting the places that differ."""
    code, bits, writes = build(count)
    assert bits <= most_memory(count, QUARTER)
    assert writes > 0
    k = proved_dimension(count, QUARTER, two_sided=True)
    assert code.seed == next(seed for seed in seeds(seed_bits(count, k)) if good(count, k, seed))
    keys = code.keys(np.arange(count))
    for i in range(count):
        differing = (keys[i] != keys).sum(axis=1)
        apart = np.delete(k - 2 * differing, i)
        assert differing[i] == 0
        assert 4 * np.abs(apart).max() <= k
        assert np.array_equal(k - 2 * differing, products(code)[i])


def good(count: int, dimension: int, seed: int) -> bool:
    try:
        return 4 * Toeplitz(count, dimension, seed).two_sided_coherence <= 1
    except ValueError:
        return False


def test_outcomes_at_the_default_sizes():
    pairs, lookup, *maps = check()
    assert pairs.exhaustive
    assert pairs.measured == {"dimension": 116, "memory_bits": 289, "greatest_product": 22}
    assert pairs.bound == {"dimension": 178, "memory_bits": 417, "greatest_product": 29}
    assert lookup.inputs > 1000
    assert lookup.measured["seed_bits"] == 121
    assert [outcome.variant.split(",")[0] for outcome in maps] == ["Q basis", "Q drawn", "Q near"]
    assert all(0 < outcome.measured["error"] <= 0.25 for outcome in maps)
    assert len(check(8, Fraction(1, 2))) == 1  # too near for lookup, and no eps below 1/2


def test_a_program_that_errs_is_found_out(monkeypatch):
    """A test of one side only, of fewer addresses, and an entry of another vector."""
    with monkeypatch.context() as one:
        one.setattr(_log_space, "is_good", lambda memory: good_above(memory))
        with pytest.raises(TheoremFails, match="greatest_product"):
            check(64)
    with monkeypatch.context() as one:
        one.setattr(log_space_code, "entry", lambda memory: memory["place"] & 1)
        with pytest.raises(TheoremFails, match="entry of the vector"):
            check(16)


def good_above(memory: Registers) -> bool:
    """Return True if the vectors are different: this spoiled test asks for nothing else."""
    try:
        Toeplitz(64, memory["dimension"], memory["seed"])
    except ValueError:
        return False
    return True


def test_errors_of_maps_are_exact():
    """Against fractions, on three vectors of squared length 9; and the constant of the lemma."""
    vectors = np.array([[3, 0, 0], [1, 2, 2], [2, -2, 1]])
    greatest, drawn = least_error(vectors, QUARTER)
    k = dimension_of_any(3, QUARTER)
    signs = 2 * bits_of(drawn - 1, k, 3) - 1
    worst = Fraction(0)
    for u in vectors.tolist():
        for v in vectors.tolist():
            before = Fraction(sum(a * b for a, b in zip(u, v, strict=True)), 9)
            mapped = [[sum(int(s) * x for s, x in zip(row, w, strict=True)) for row in signs] for w in (u, v)]
            after = Fraction(sum(a * b for a, b in zip(*mapped, strict=True)), 9 * k)
            worst = max(worst, abs(before - after))
    assert greatest == worst <= QUARTER
    for count in (2, 3, 64, 1000, 10**6):
        for inverse in (2.001, 3, 8, 50):
            eps = 1 / Fraction(inverse)
            k = dimension_of_any(count, eps)
            assert 2 * count**2 * math.exp(-k / 2 * float(eps**2 / 2 - eps**3 / 3)) < 1
            assert k <= 19 * math.log(count) / eps**2


def bits_of(draw: int, rows: int, columns: int) -> np.ndarray:
    words = draws(seed=draw, use=Use.CODE, start=0, count=rows, each=1)[:, :1]
    return (words >> np.arange(columns, dtype=np.uint32) & 1).astype(np.int64)


def test_a_map_that_moves_products_is_drawn_again(monkeypatch):
    """In 40 coordinates the first maps change some product by more than 1/4."""
    monkeypatch.setattr(log_space_code, "dimension_of_any", lambda count, error: 40)
    greatest, drawn = least_error(np.eye(6, dtype=np.int64), QUARTER)
    assert greatest <= QUARTER
    assert drawn > 1


@pytest.mark.parametrize(("k", "d"), [(1, 2), (5, 9), (12, 13)])
def test_no_one_map_keeps_every_unit_vector(k, d):
    """For k < d there is x with A x = 0 and so <T(u), T(u)> = 0 for u = x / |x|: an error of 1. The generated map included."""
    code, _, _ = build(d, Fraction(1, 2))
    for signs in (2 * np.random.default_rng(k).integers(2, size=(k, d)) - 1, code.keys(np.arange(d)).T[:k]):
        kernel = in_the_kernel(signs)
        assert kernel.any()
        assert not (signs @ kernel).any()
    with pytest.raises(ValueError, match="columns are independent"):
        in_the_kernel(np.eye(3, dtype=np.int64))


def test_bad_input_is_named():
    for given in ({"length": 1}, {"length": 4097}, {"coherence": Fraction(0)}, {"coherence": Fraction(1)}):
        with pytest.raises(ValueError, match="count is 2 to 4,096, and coherence between 0 and 1"):
            check(**given)
