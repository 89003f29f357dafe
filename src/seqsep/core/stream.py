"""Counter-based random integers: the numbers of example i under seed s are a pure function of s and i.

The generator is Philox4x64-10 (Salmon et al. 2011) through `numpy.random.Philox`, whose raw stream NumPy guarantees. The key is
(seed, use) and the counter (position of the block, 0, 0, attempt). An example owns a fixed multiple of four 64-bit words, so a
block of examples takes one generator, one `advance` and one `random_raw`. The words of an example are the same for every block
size, order, worker count, resume point and platform. Training and evaluation have different keys, so no evaluation example is a
training example by index.

Bounded integers are 32-bit multiply-shift: each value of `below(draws, bound)` has a probability within 2^-32 of 1/bound.
"""

from enum import IntEnum

import numpy as np
from jaxtyping import Int64, UInt32

WORDS_PER_BLOCK = 4
ATTEMPTS = 1 << 16


class Use(IntEnum):
    """The purpose of a stream, half of its key: training examples, evaluation examples, or random position codes.

    >>> draws(0, Use.TRAINING, 0, 1, 2).tolist() == draws(0, Use.EVALUATION, 0, 1, 2).tolist()
    False
    """

    TRAINING = 0
    EVALUATION = 1
    CODE = 2


def draws(seed: int, use: Use, start: int, count: int, each: int, attempt: int = 0) -> UInt32[np.ndarray, "count each"]:
    """Return uniform 32-bit integers for the examples start .. start + count - 1, `each` of them for an example.

    `attempt` numbers the tries of an example that is drawn again. Raises ValueError for a seed outside 64 bits, a negative
    start or count, or an attempt beyond 65,535.

    >>> block = draws(seed=7, use=Use.TRAINING, start=0, count=10, each=3)
    >>> np.array_equal(block[4:6], draws(seed=7, use=Use.TRAINING, start=4, count=2, each=3))
    True
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"draws(seed={seed}, ...): a seed is an integer from 0 to 2^64 - 1")
    if start < 0 or count < 0:
        raise ValueError(f"draws(start={start}, count={count}, ...): start and count are 0 or more")
    if not 0 <= attempt < ATTEMPTS:
        raise ValueError(f"draws(attempt={attempt}, ...): an example is drawn at most {ATTEMPTS:,} times")
    blocks = -(-each // (2 * WORDS_PER_BLOCK))
    generator = np.random.Philox(
        key=np.array([seed, int(use)], dtype=np.uint64), counter=np.array([0, 0, 0, attempt], dtype=np.uint64)
    )
    generator.advance(start * blocks)
    words = generator.random_raw(count * blocks * WORDS_PER_BLOCK)
    halves = np.asarray(words, dtype="<u8").view("<u4").astype(np.uint32, copy=False)
    return halves.reshape(count, blocks * WORDS_PER_BLOCK * 2)[:, :each]


def below(uniform: UInt32[np.ndarray, "..."], bound: int | Int64[np.ndarray, "..."]) -> Int64[np.ndarray, "..."]:
    """Return integers in 0 .. bound - 1 from 32-bit draws: (draw * bound) >> 32, for 1 <= bound <= 2^31.

    >>> below(np.array([0, 2**31, 2**32 - 1], dtype=np.uint32), 6).tolist()
    [0, 3, 5]
    """
    product = np.multiply(uniform, np.asarray(bound, dtype=np.uint64), dtype=np.uint64)
    product >>= np.uint64(32)
    return product.view(np.int64)
