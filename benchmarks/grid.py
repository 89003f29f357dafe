"""Grid arithmetic against fxpmath and apytypes, in one run: python benchmarks/grid.py (pip install fxpmath apytypes).

* Multiply and round 10^6 numbers of Q_p at p = 41 (n = 1,000, Kc = 2), against fxpmath with the same bits.
* A 41-bit 256 x 64 x 256 product, rounded once: float64 limbs against apytypes.
Each pair alternates A B A B; the medians of CPU seconds are printed, and their ratio.
"""

import statistics
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid, Tally

STEPS = 10**6
RANDOM = np.random.default_rng(0)


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def compare(name: str, ours: Callable[[], object], peer: str, theirs: Callable[[], object], rounds: int) -> None:
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    a, b = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    print(f"{name}: {1e3 * a:.2f} ms, {peer} {1e3 * b:.2f} ms, ratio {b / a:.2f}", flush=True)


def elementwise(most: int) -> None:
    from fxpmath import Fxp

    grid, count = Grid(STEPS), 10**6
    x, y = (RANDOM.integers(-most, most, count) for _ in range(2))
    first, second = Array(x, grid.step), Array(y, grid.step)
    peer_x, peer_y = (Fxp(part / 2**20, signed=True, n_word=42, n_frac=20, rounding="floor") for part in (x, y))

    def theirs() -> object:
        return Fxp(None, signed=True, n_word=42, n_frac=20, rounding="floor").equal(peer_x * peer_y)

    compare(
        f"multiply and round 10^6 numbers up to {most:g} steps",
        lambda: grid.multiply(first, second, Tally(), ""),
        "fxpmath",
        theirs,
        3,
    )


def matrices() -> None:
    import apytypes

    grid = Grid(STEPS)
    x, y = (RANDOM.integers(-(10**12), 10**12, shape) for shape in ((256, 64), (64, 256)))
    first, second = Array(x, Fraction(1, STEPS)), Array(y, Fraction(1, STEPS))
    wide = {"int_bits": 21, "frac_bits": 20}
    peer_x, peer_y = (apytypes.APyFixedArray.from_float(part / 2**20, **wide) for part in (x, y))

    def theirs() -> object:
        return (peer_x @ peer_y).cast(quantization=apytypes.QuantizationMode.TRN, overflow=apytypes.OverflowMode.SAT, **wide)

    compare("41-bit 256 x 64 x 256 product", lambda: grid.product(first, second, Tally(), ""), "apytypes", theirs, 15)


if __name__ == "__main__":
    elementwise(10**9)  # values to 10^3: no product saturates
    elementwise(10**12)  # every number of the grid: most products saturate
    matrices()
