"""A layer of non-negative diagonal channels decides parity of 1^n up to n = G - 1 ones, and never beyond.

Source: own. Sarrof et al. 2024 (arXiv:2405.17394) and Grazzi et al. 2024 (arXiv:2411.12537) show that such layers cannot decide
parity at finite precision. We differ: the greatest length is exact, for numbers that are rounded once a step.

*Statement.* A channel has one number h. Each token applies h <- R(a h + b), with a >= 0 and b chosen by the token. R is a
monotone rounding to G values, and cuts off beyond the least and the greatest value. R is applied once, to the exact a h + b.
A layer has any number of channels. The read-out is any function of the state.
* Upper: one channel decides the parity of 1^n for all n <= G - 1.
* Lower: no layer decides the parity of 1^n for all n <= G.

*Construction.* a = 1, b is one step of the grid, and the start is the least value. After n ones the state is value number n,
for n <= G - 1. The read-out adds (-1)^(j + 1) for every threshold j = 1 .. n that the state has reached: 1 if n is odd, else 0.
Nothing is rounded. The read-out has G - 1 thresholds.

*Proof of the lower bound.* On a run of ones, a and b are the same at each token. So a channel applies one map f, and f is
nondecreasing, because a >= 0 and R is monotone.
1. If f(h) >= h for the start, then f(f(h)) >= f(h), and so on: the run never falls. Otherwise it never rises.
2. Once f(h) = h, the channel stands still. Before that it strictly rises or strictly falls. G values allow G - 1 such steps.
3. So each channel stands still from token G - 1 on, and the layer has one state after 1^(G - 1) and after 1^G. Their parities
   differ, so some answer is wrong.

On the grid of multiples of 1/L from -L to L, G = 2 L^2 + 1.

*Rounding in more places.* The lower bound holds for every step that is a composition of monotone maps of one channel's number.
So R(R(a h) + b), as kernels round a diagonal step, is covered too. It does not hold for steps that mix channels
(`delta_parity_in_floats`).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import Range
from seqsep.theorems.base import Claim, Number, Outcome, Theorem, number_in
from seqsep.theorems.options import GridRounding, Seed
from seqsep.theorems.state_tracking._recurrences import GridEnd, count_values, diagonal_step, ending, on_all_grids
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, collision_on_ones, diagonal_maps

CLAIM = Claim(
    name="nonnegative-diagonal-parity",
    source="own",
    statement="Non-negative diagonal channels, rounded once a step to G values, decide the parity of 1^n exactly up "
    "to n = G - 1",
)
LayerCount = Annotated[int, Range(0, 1 << 16), "Number of random layers."]
CHANNELS = 3


def build(end: int) -> Callable[[int], int]:
    """Return the counter: a function from n to the answer after n ones.

    >>> counter = build(end=1)
    >>> [counter(ones) for ones in range(5)]
    [0, 1, 0, 0, 0]
    """
    step = diagonal_step([1], [1], end, "floor")
    least = -end * end

    def answer(ones: int) -> int:
        state: tuple[int, ...] = (least,)
        for _ in range(ones):
            state = step(state)
        return sum((-1) ** (threshold + 1) for threshold in range(1, count_values(end)) if state[0] >= least + threshold)

    return answer


def bound(end: GridEnd) -> dict[str, Number]:
    """Return the greatest number of ones.

    >>> bound(4)
    {'ones': 32}
    """
    return {"ones": count_values(end) - 1}


def check(end: GridEnd = 4, layers: LayerCount = 50, rounding: GridRounding = "floor", seed: Seed = 0) -> list[Outcome]:
    """Run the counter on all 1^n up to n = G, and find two words with one state for random layers of three channels.

    Raises TheoremFails with the number of ones if the counter is wrong, or with a layer that runs longer than G - 1.
    """
    most = count_values(end) - 1
    counter = build(end)
    for ones in range(most + 1):
        if counter(ones) != ones % 2:
            raise CLAIM.fails({"ones": ones, "answer": counter(ones)})
    if counter(most + 1) == (most + 1) % 2:
        raise CLAIM.fails({"ones": most + 1, "expected": "a wrong answer"})
    return [
        CLAIM.upper(
            length=most, inputs=most + 1, exhaustive=True, measured={"ones": most}, bound=bound(end), variant=f"L = {end}"
        ),
        _check_layers(end, layers, rounding, seed),
    ]


def _check_layers(end: int, layers: int, rounding: str, seed: int) -> Outcome:
    """Find the two words for random layers, and for the counter, which attains the bound."""
    generator = np.random.default_rng(seed)
    most = count_values(end) - 1
    limit = end * end
    longest = ending(diagonal_step([1], [1], end, rounding), (-limit,)).start
    for _ in range(layers):
        factors = [Fraction(int(value), end) for value in generator.integers(0, limit + 1, CHANNELS)]
        summands = generator.integers(-limit, limit + 1, CHANNELS).tolist()
        first = tuple(generator.integers(-limit, limit + 1, CHANNELS).tolist())
        found = ending(diagonal_step(factors, summands, end, rounding), first)
        if found.period != 1 or found.start > most:
            raise CLAIM.fails({"factors": factors, "summands": summands, "start": first, "words": found})
        longest = max(longest, found.start)
    return CLAIM.lower(
        length=most + 1,
        inputs=layers + 1,
        measured={"ones": longest},
        bound={"ones": most},
        variant=f"L = {end}, {rounding}",
        witness={"words": [f"1^{longest}", f"1^{longest + 1}"]},
    )


def predictor(end: GridEnd) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"ones": n} by the counter, for n of at most G - 1.

    >>> predictor(end=4)({"ones": 31})
    1
    """
    counter = build(end)
    return lambda given: counter(number_in(given, "ones", 0, count_values(end) - 1))


def certificate_witness(end: GridEnd = 4, rounding: GridRounding = "floor", seed: Seed = 0) -> CollisionEvidence:
    """Return a random layer with the words 1^n and 1^(n + 1). On ones, its first channel is the counter, so n = G - 1.

    >>> certificate_witness(end=2).witness.words
    ([(1, 8)], [(1, 9)])
    """
    generator = np.random.default_rng(seed)
    limit = end * end
    factors = generator.integers(0, limit + 1, (2, CHANNELS))
    summands = generator.integers(-limit, limit + 1, (2, CHANNELS))
    factors[1, 0] = end
    summands[1, 0] = 1
    maps = diagonal_maps(factors, summands, end)
    start = (-limit, *generator.integers(-limit, limit + 1, CHANNELS - 1).tolist())
    return collision_on_ones(GridRecurrence(end, rounding, maps, start), gap=1)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows that the counter is right on every 1^n up to n = G - 1, and wrong at n = G. For each random "
    "layer, it shows "
    "two words 1^n and 1^(n + 1) that reach one state, with n <= G - 1.",
    not_shown="This does not show that every layer has such words. The proof shows that. It is for one layer. Later layers get "
    "their input from the layers before, and are not covered.",
    bound=bound,
    predictor=predictor,
    verify=partial(on_all_grids, check),
    certificate_witness=certificate_witness,
)
