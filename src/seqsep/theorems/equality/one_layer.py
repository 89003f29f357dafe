"""One attention layer with two heads of width 1 decides equality of two halves, if softmax is rounded only at its end.

This is a warning about Theorems 4 and 12 of the paper. Their lower bounds on one layer assume that each exponential of the
softmax is rounded before the sum. If the sum is kept more precisely, two heads of width 1 are enough at every N, with numbers
of p = O(log N) bits. The m of the paper is the width of a head or that of the embeddings, whichever is greater. In this layer
it is 9 at every N, while the bounds grow with N. The layer has no practical use: in float64 it answers wrongly at N = 256.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorems 4 and 12. Appendix D rounds each exponential to p bits before the
sum. With that rounding such a layer does not exist (`_one_layer_cost`). So this layer is not a counterexample to the paper.

We differ: an attention weight is R(exp(s_j) / sum over i of exp(s_i)), for scores s_j and one rounding R at the end.
`maths.arithmetic.softmax` calls this "once". The sum then has more bits than any stored number. The two theorems do not hold
for such weights, because their protocol sends exponentials of p bits.

Inputs. The sequence is [BOS] x_1 .. x_h y_1 .. y_h, of bits, with h = N/2. The answer at y_h is 1 if x = y. The residual
stream is [first, second, place, shift, one, bos | above_1, above_2, unequal]. The embedding writes the first six numbers. The
layer writes the last three.

Embedding. Every number is cut off at -L and L. A token of bit b adds L b to `first` and -L b to `second`. A position in x adds
-L to both. A position in y adds L to `first` and 0 to `second`. So the two numbers are
    first = L x_i - L,   second = -L         at x_i,
    first = L,           second = -L y_i     at y_i.
Both positions x_i and y_i have place = a_i, a negative number that is chosen below. `shift` is L in x and -L in y, and `one`
is 1 in both.

Scores. Head 1 adds the four numbers:
    first + second + place + shift  =  a_i - L (1 - x_i) at x_i,   a_i - L y_i at y_i.
Head 2 computes a sum in which the two values of a bit have changed places:
    place - first - second - shift - L one  =  a_i - L x_i at x_i,   a_i - L (1 - y_i) at y_i.
[BOS] has the score 0 in both heads. Since -L < a_i < 0, every other token has the score a_i or the score -L, where numbers are
cut off. If x_i = y_i, exactly one of the two tokens x_i and y_i has the score a_i, in each head.

Sums. Let d_i = e^(a_i) - e^(-L), and let C = 1 + sum of (e^(a_i) + e^(-L)). Then the sums of exponentials in the two heads are
    Z_1 = C + sum of (x_i - y_i) d_i,     Z_2 = C - sum of (x_i - y_i) d_i.

Comparison. The value of [BOS] is L, and its weight is R(L / Z) / L. So each head writes R(L / Z), a whole number. Let k be L /
1.9, rounded. The head writes k or more exactly if Z <= T. Here T = L / k if R rounds down, and T = L / (k - 1/2) if R rounds
to the nearest.

The a_i are chosen so that C = T + o with o > 0, and so that for each i
    d_i - sum over j > i of d_j > o        (condition 1)
If x = y, both Z are C, which is above T. Otherwise let i be the first place where x and y differ. If x_i = 1 and y_i = 0, then
Z_1 > C, and Z_2 <= C - d_i + sum over j > i of d_j < T by condition 1. If x_i = 0 and y_i = 1, Z_1 and Z_2 change places.

Read x and y as binary numbers. Then x >= y exactly if head 1 writes at most k - 1, and y >= x exactly if head 2 does. The
feed-forward part writes unequal = relu(above_1 - (k - 1)) + relu(above_2 - (k - 1)). This is 0 for equal halves, and from 1 to
L - k + 1 <= L/2 otherwise. The logits are 0 for "unequal" and 1 - 2 unequal for "equal", so they differ by at least 1.

Choice of the a_i (`places_of`). Let L >= max(64, N), so that 1.87 < T < 1.96. Let r_1 = T - 1 - h e^(-L) and r_(i+1) = r_i -
e^(a_i). Then r_i is the sum that is left for the exponentials from i on. For i < h, a_i is the greatest multiple of 1/L with
e^(a_i) <= 2/3 r_i. The last one, a_h, is the least multiple with e^(a_h) > r_h. So o = e^(a_h) - r_h is in (0, r_h (e^(1/L) -
1)], which is below 0.016 r_h. For i < h, r_(i+1) >= r_i / 3. Three things follow:
* Condition 1 holds for i = h, where it says d_h > o. By the choice of o, d_h - o = r_h - e^(-L). This is positive, as r_h >
  0.86 3^(1-h) > e^(-2h) and L >= 2h.
* Condition 1 holds for i < h. After i the e^(a_j) add up to r_i - e^(a_i) + o. So the left side is 2 e^(a_i) - r_i - o + (h -
  i - 1) e^(-L). As e^(a_i) > 2/3 r_i e^(-1/L), this is more than 0.31 r_i - o, which is above o.
* Each a_i is between -L and 0. For r_i is below 0.96 and above 0.86 3^(1-i), so a_i > -1.1 h > -L. And e^(a_h) < 0.96 * 1.016
  < 1.

So the least distance of Z from T is about 3^(-h) / L. A computer that adds the exponentials must keep about 0.8 N bits of the
sum. A protocol would have to send these bits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid, Rounding
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole
from seqsep.theorems.base import Choice, Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.blocks import Spaces, Units, feed_forward
from seqsep.theorems.equality import _trials as trials
from seqsep.theorems.equality._trials import ComparedHalves, symbols_of
from seqsep.theorems.options import GridRounding, LengthFrom2, RoundingMode, Seed
from seqsep.theorems.trial import Trial

CLAIM = Claim(
    name="equality-one-layer",
    source="Bhattamishra et al. 2024, Theorems 4 and 12",
    statement="One attention layer of two heads of width 1 decides equality of N bits if softmax is rounded once, at its end",
)
ROUNDINGS: tuple[Rounding, ...] = ("floor", "nearest")
LEAST_STEPS = 64
MOST_LISTED = 12
EXPONENTIALS = Decimal("1.9")
"""About what the exponentials add up to; anything between 1 and 2 would do, far enough from both."""


@dataclass(frozen=True)
class Places:
    """The scores a_i, in steps of 1/L, and the k that a head's number is compared with."""

    scores: tuple[int, ...]
    steps_compared: int
    least_slack: float
    """The least left side of (*) over its right side."""


@cache
def places_of(length: int, rounding: Rounding = "floor") -> Places:
    """Choose the a_i for N = `length` on the grid of `grid_of`, and compute both sides of condition 1 for each.

    >>> places_of(length=8)
    Places(scores=(-34, -105, -173, -217), steps_compared=34, least_slack=564.4...)
    """
    half = length // 2
    steps = grid_of(length, rounding).steps
    with localcontext() as context:
        context.prec = half + 2 * len(str(steps)) + 30
        compared = int((steps / EXPONENTIALS).to_integral_value())
        threshold = steps / (Decimal(compared) - (Decimal("0.5") if rounding == "nearest" else 0))
        lost = Decimal(-steps).exp()
        left = threshold - 1 - half * lost
        scores = []
        for place in range(half):
            is_last = place == half - 1
            wanted = left if is_last else left * 2 / 3
            toward = ROUND_CEILING if is_last else ROUND_FLOOR
            scores.append(int((wanted.ln() * steps).to_integral_value(rounding=toward)))
            left -= (Decimal(scores[-1]) / steps).exp()
        gained = [(Decimal(score) / steps).exp() - lost for score in scores]
        behind = Decimal(0)
        slack = []
        for one in reversed(gained):
            slack.append(float((one - behind) / -left))
            behind += one
    return Places(tuple(scores), compared, min(slack))


def grid_of(length: int, rounding: Rounding = "floor") -> Grid:
    """Return the grid with L = max(64, N), so p = O(log N). Raises ValueError for an odd length, or one below 2.

    >>> grid_of(length=1024).precision
    22
    """
    if length < 2 or length % 2:
        raise ValueError(f"equality_one_layer(length={length}): an even number from 2")
    return Grid(max(LEAST_STEPS, length), rounding, "once")


def build(length: LengthFrom2, rounding: RoundingMode = "floor") -> Network:
    """The network for two halves of N/2 bits after [BOS], which is token 2.

    >>> network = build(length=64)
    >>> network.width, network.heads, len(network.layers), network.precision
    (9, 2, 1, 14)
    >>> run(build(length=4), np.array([[2, 0, 1, 0, 1], [2, 0, 1, 1, 0]]), at=-1).answers[:, 0]
    array([1, 0])
    """
    grid = grid_of(length, rounding)
    places = places_of(length, rounding)
    full = grid.steps
    half = length // 2
    spaces = Spaces(first=1, second=1, place=1, shift=1, one=1, bos=1, above=2, unequal=1)
    bits = np.array([[0], [1], [0]]) * full
    symbols = spaces.embed(first=bits, second=-bits, bos=np.array([[0], [0], [1]]))
    in_x = np.repeat([[0], [1], [0]], [1, half, half], axis=0)
    in_y = np.repeat([[0], [0], [1]], [1, half, half], axis=0)
    of_places = full * spaces.embed(
        first=(in_y - in_x) * full, second=-in_x * full, shift=(in_x - in_y) * full, one=in_x + in_y
    )
    of_places[1:] += np.tile(places.scores, 2)[:, None] * spaces["place"]
    by_bit = spaces["first"] + spaces["second"] + spaces["shift"]
    keys = (spaces["place"] + by_bit, spaces["place"] - by_bit - full * spaces["one"])
    heads = tuple(
        Head(whole(spaces["one"]), whole(key), value=whole(full * spaces["bos"]), output=whole(above[:, None]))
        for key, above in zip(keys, spaces["above"], strict=True)
    )
    exceed = Units(spaces["above"], np.full(2, 1 - places.steps_compared), np.repeat(spaces["unequal"], 2, axis=0))
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(symbols),
        positions=Array(of_places, grid.step),
        layers=((AttentionLayer(heads), feed_forward([exceed], spaces.nothing()[0])),),
        readout=whole(np.concatenate([spaces.nothing(), -2 * spaces["unequal"]])),
        readout_bias=whole(np.array([0, 1])),
    )


def bound(length: LengthFrom2, rounding: RoundingMode = "floor") -> dict[str, Number]:
    """Every size, from N alone: core = 3 * 1 * 9 p * 2, program = tables = p (3 * 9 + 9 (N + 1) + 72 + 47 + 20).

    The summands are symbols, places, two heads, the feed-forward part, and the read-out. The places are
    stored, since each a_i depends on those before it: they are N + 1 of the numbers that Theorem 12 does not count.
    """
    p = grid_of(length, rounding).precision
    stored = p * (166 + 9 * (length + 1))
    return {
        "width": 9,
        "heads": 2,
        "layers": 1,
        "precision": p,
        "core_bits": 54 * p,
        "program_bits": stored,
        "tables_bits": stored,
    }


def check(length: LengthFrom2 = 8, rounding: GridRounding | None = None, seed: Seed = 0) -> list[Outcome]:
    """Build the layer for each rounding (or for one) and compare halves with it.

    Every input for N up to 12; else random halves, equal ones, and ones next to each other as strings or as numbers.
    `rounding` is floor or nearest. Raises ValueError for another one or an odd length, TheoremFails with the input.
    """
    chosen = [one for one in ROUNDINGS if rounding in (None, one)]
    if not chosen:
        raise ValueError(f"check(rounding={rounding!r}): rounding is one of {', '.join(ROUNDINGS)}")
    return [_check(length, one, 64, seed) for one in chosen]


def _check(length: int, rounding: Rounding, most: int, seed: int, listed: int = MOST_LISTED) -> Outcome:
    network = build(length, rounding)
    slack = places_of(length, rounding).least_slack
    if slack <= 1:
        raise CLAIM.fails({"length": length, "rounding": rounding, "least of (*)": slack})
    halves = WithBos.plain(length, alphabet=2, unequal=False)
    trial = Trial(CLAIM.name, network, in_floats=0)
    if length <= listed:
        trials.put(trial, halves, trials.every_input(length, 2))
    else:
        random = np.random.default_rng(seed)
        trials.put_hard(trial, halves, random, most, climbs=False)
        trials.put(trial, halves, neighbours(length, random, most))
    bounds = bound(length, rounding)
    return CLAIM.upper(
        length=length,
        inputs=trial.inputs,
        exhaustive=length <= listed,
        measured=CLAIM.within(sizes(network), bounds),
        bound=bounds,
        variant=f"{rounding}, once",
        margin=Margin(round(slack, 2), 1.0, "a sum's distance from the threshold, over that of equal halves"),
    )


class WithBos(ComparedHalves):
    """Two halves of bits as the network reads them, after [BOS]."""

    def placed(self, inputs: trials.Inputs) -> Int64[np.ndarray, "n tokens"]:
        """Put token 2 before each input."""
        return np.concatenate([np.full((len(inputs), 1), 2), inputs], axis=1)


def neighbours(length: int, random: np.random.Generator, most: int) -> trials.Inputs:
    """Halves that follow each other as numbers, p 0 1 .. 1 and p 1 0 .. 0, in both orders: sums next to the threshold."""
    half = length // 2
    rows = []
    for place in random.integers(half, size=most):
        lower = random.integers(2, size=half)
        lower[place:] = 1
        upper = lower.copy()
        lower[place] = 0
        upper[place + 1 :] = 0
        rows += [np.concatenate([lower, upper]), np.concatenate([upper, lower])]
    return np.array(rows)


def verify(seed: int = 0) -> list[Outcome]:
    """Compare all halves of up to 8 bits each with either rounding, then hard ones of up to 1,024 bits."""
    outcomes = [_check(length, rounding, 64, seed, listed=16) for length in range(2, 17, 2) for rounding in ROUNDINGS]
    sizes_and_most = ((32, 600), (64, 200), (128, 64), (256, 16), (512, 4), (1024, 1))
    return outcomes + [_check(length, rounding, most, seed) for length, most in sizes_and_most for rounding in ROUNDINGS]


def predictor(length: LengthFrom2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"left": [..], "right": [..]}, N/2 bits each, by the layer on the grid, rounded down: 1 if they are equal.

    >>> predictor(length=4)({"left": [0, 1], "right": [0, 1]})
    1
    """
    network = build(length)
    return lambda given: int(run(network, np.array([[2, *symbols_of(given, length, 2)]]), at=-1).answers[0, 0])


TESTS = "tests/theorems/equality/test_one_layer.py"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the layer at the lengths that it is built for.",
    not_shown="This does not show that the layer is right at other lengths. The proof covers every even N.",
    build=build,
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="a certificate of equality has inputs without [BOS], and this layer needs it; `seqsep export-network` "
    "writes the weights",
    choices=(
        Choice(
            where="Theorems 4 and 12, appendix D",
            printed='"As all intermediate computations are rounded to p bits, exp(A_N,i) is in [0, 1] and rounded to p bits, '
            'Z_A, Z_B can be represented with p + log N bits"',
            found="the bounds need rounded exponentials. Suppose that only the weights are rounded, and that the sum of "
            "exponentials is kept more precisely. Then two heads of width 1 and p = 2 log2 N + O(1) are enough for equality "
            "at every N. They decide it at N = 1,024 with p = 22. If the exponentials are rounded too, heads with a total "
            "width below 5 do not decide it at this N and p. Appendix F.2, the upper bound on two layers, rounds the weight of "
            "an exact softmax, and appendix D rounds stepwise. So the two bounds are proved in different arithmetics",
            built="a layer whose sums of exponentials compare the halves as binary numbers",
            test=f"{TESTS}::test_rounding_once_undoes_theorem_12",
        ),
    ),
)
