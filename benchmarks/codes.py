"""How long it takes to verify linear codes exhaustively: python benchmarks/codes.py. Set OMP_NUM_THREADS=1 for one core."""

import resource
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from seqsep.maths.codes.codes import Circle, DualBCH, Kerdock
from seqsep.maths.codes.correlations import correlations

WORDS = 1 << 24


def report(what: str, words: int, verify: Callable[[], Counter[int]]) -> None:
    """Print the time of one verification, and what it found."""
    start = time.perf_counter()
    found = verify()
    seconds = time.perf_counter() - start
    assert sum(found.values()) == words - 1
    print(f"{what:<34} {words:>13,} words {seconds:8.3f} s   greatest product {max(found)}")


def main() -> None:
    """Every family of linear codes, and random generators of 2^24 words."""
    for degree, errors, _ in DualBCH.SIZES:
        count = 1 << degree * errors
        report(f"dual BCH, t = {errors}, k = {2**degree - 1}", count, DualBCH(count).verify)
    for degree in Kerdock.DEGREES:
        count = 4 ** (degree + 1)
        report(f"Kerdock, k = {2 ** (degree + 1)}", count, Kerdock(count).verify)
    random = np.random.default_rng(0)
    for order, digits in ((2, 24), (4, 12)):
        generator = random.integers(0, order, (digits, 1000))
        report(f"random over Z_{order}, 1,000 symbols", WORDS, lambda g=generator, o=order: correlations(g, o, WORDS))
    start = time.perf_counter()
    gap = Circle(1 << 20).gap
    print(f"exact gap of {1 << 20:,} points on a circle: {float(gap):.6g} in {time.perf_counter() - start:.3f} s")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
