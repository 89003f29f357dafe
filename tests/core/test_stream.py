"""Words are a pure function of (seed, use, example, attempt)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqsep.core.stream import Use, below, draws


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from(list(Use)),
    st.integers(0, 10**9),
    st.integers(1, 40),
    st.integers(1, 30),
    st.integers(0, 5),
    st.integers(0, 39),
)
def test_a_block_is_its_examples(seed, use, start, count, each, attempt, pick):
    block = draws(seed, use, start, count, each, attempt)
    index = pick % count
    assert np.array_equal(block[index], draws(seed, use, start + index, 1, each, attempt)[0])
    assert block.shape == (count, each)


def test_philox_words_are_the_published_ones():
    """Salmon et al.'s known-answer vector for philox4x64-10 with key 0 and counter 1 (the first block drawn)."""
    first = draws(0, Use.TRAINING, 0, 1, 8)[0]
    words = np.random.Philox(key=0, counter=0).random_raw(4)
    assert np.array_equal(first[0::2], (words & 0xFFFFFFFF).astype(np.uint32))
    assert np.array_equal(first[1::2], (words >> np.uint64(32)).astype(np.uint32))
    assert philox_block((1, 0, 0, 0), (0, 0)) == words.tolist()


def philox_block(counter, key):
    """Philox4x64-10 written from the paper, on Python integers."""
    mask = (1 << 64) - 1
    multipliers, weyl = (0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
    for _ in range(10):
        high0, low0 = divmod(multipliers[0] * counter[0], 1 << 64)
        high1, low1 = divmod(multipliers[1] * counter[2], 1 << 64)
        counter = (high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0)
        key = tuple((part + step) & mask for part, step in zip(key, weyl, strict=True))
    return list(counter)


def test_uses_seeds_and_attempts_differ():
    streams = [draws(s, u, 0, 4, 16, a).tobytes() for s in (0, 1) for u in Use for a in (0, 1)]
    assert len(set(streams)) == len(streams)


def test_words_come_from_the_counter_that_the_contract_names():
    """Example i of a stream with two blocks an example starts at block 2 i; the attempt is the counter's high word."""
    words = draws(7, Use.EVALUATION, 3, 1, 9, attempt=2)[0]
    low, high = divmod(philox_block((2 * 3 + 1, 0, 0, 2), (7, 1))[0], 1 << 32)[::-1]
    assert words[:2].tolist() == [low, high]


@given(st.integers(1, 2**31))
def test_below_covers_its_range(bound):
    ends = below(np.array([0, 2**32 - 1], dtype=np.uint32), bound)
    assert ends.tolist() == [0, bound - 1]


def test_below_is_uniform_within_its_stated_bias():
    values = below(draws(3, Use.TRAINING, 0, 60_000, 1)[:, 0], 6)
    counts = np.bincount(values, minlength=6)
    assert abs(counts - 10_000).max() < 5 * np.sqrt(10_000)


@pytest.mark.parametrize("bad", [{"seed": -1}, {"seed": 2**64}, {"start": -1}, {"count": -1}, {"attempt": 2**16}])
def test_bad_arguments_are_named(bad):
    good = {"seed": 0, "use": Use.TRAINING, "start": 0, "count": 1, "each": 1, "attempt": 0}
    with pytest.raises(ValueError, match=next(iter(bad))):
        draws(**(good | bad))
