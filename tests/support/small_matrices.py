"""Two-party functions of a few inputs, drawn at random."""

from collections.abc import Iterator

import numpy as np

from seqsep.maths.communication.communication import TwoParty


def random_matrices(count: int, answers: int, seed: int) -> Iterator[TwoParty]:
    """Matrices of up to 4 x 4 entries below `answers`."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield TwoParty(random.integers(answers, size=random.integers(1, 5, size=2)))
