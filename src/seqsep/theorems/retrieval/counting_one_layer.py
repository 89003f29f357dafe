"""One attention layer of two heads and width 5 answers counting, only because its attention weights are rounded.

In counting a model reads a sequence, then a number q and a threshold t. It decides whether q occurs more than t times in the
sequence.

This is a warning for lower bounds on one layer: they need exact weights. With exact weights one layer of constant width cannot
answer counting (`retrieval-one-layer`), and in float64 this layer answers wrongly. Here the rounding of weights does the
comparison of x_i with q. Our construction without this effect needs a second layer (`counting-attention`).

Idea. The last token t has two heads. One head counts the numbers x_i >= q of the sequence, and the other those with x_i > q.
The difference is the number of times that q occurs.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6 (Counting): two layers.

We differ: there is one layer, for data of exactly n tokens. Attention weights are rounded to p bits, as in the paper of Wen,
Dang, Lyu and in appendix B.2 of arXiv:2406.09347.

Input: x_1 .. x_n, q, t, all numbers of 0 .. S - 1. The answer is 1 if q occurs among the x_i more than t times, else 0.

The residual stream is [number v | is data | is q's place | is the last place | found].

Arithmetic. Every number is a multiple of 1/L. A step is the number 1/L. L is n0^Kc with n0 = max(n + 2, S). There are four
arithmetics: rounding is down (floor) or to the nearest, and a softmax is rounded after each operation (stepwise) or once at its
end.

Scores. Let d = floor(2 L / (5 S)) and D = d/L. A number v of the data has the score v D. The token q has the score q D + B,
where B is about ln L, and the last token has t D - 2. So q has the greatest score, which the softmax subtracts from all scores.
Then the exponential of q is 1, which is L steps. That of x_i is r_i = L exp((x_i - q) D - B) steps before it is rounded.

The two heads differ in B. Let T be a threshold, in steps, which is chosen below. With the right B, r_i reaches T exactly for
the numbers that the head counts:
* With B = ln(L/T) - D/2, r_i is T exp((x_i - q + 1/2) D). This is at least T exactly for x_i >= q.
* With B = ln(L/T) + D/2, r_i is at least T exactly for x_i > q.
The network has B rounded to a multiple of 1/L. This changes nothing, since B is off by at most 1/L, and D/2 is at least 2/L.
In both heads r_i < 3/2 T, since S D <= 2/5.

Rounding. Let w_i be the rounded weight of x_i. T is chosen for each arithmetic, such that w_i is 1 step if r_i >= T, and 0 if
not:
* floor, stepwise: T = 2. The rounded exponential e_i = floor(r_i) is 2, or at most 1. The sum Z of the exponentials is from L
  to L + 2 n <= 2 L. So floor(L e_i / Z) is 1 for e_i = 2. For e_i = 1 it is 0, as then Z > L.
* nearest, stepwise: T = 1/2. The rounded exponential e_i is 1 or 0, and Z <= L + n < 2 L. So L e_i / Z is above 1/2 for e_i =
  1.
* once: T is 1 for floor and 1/2 for nearest. The weight is r_i / Z, rounded. Here Z = 1 + sum of r_i / L < 1 + (3 n/2 + 1)/L,
  with the last token in the sum. From d >= 6 n + 8 it follows that D/2 - 1/L > (3 n/2 + 1)/L. If x_i counts in this head, r_i
  is at least T exp(D/2 - 1/L), and so at least T Z. If not, r_i is below T. Also r_i / Z < 3/2 T, so a weight is never rounded
  to 2 steps.

Answer. The exponential of the last token is below (3/2) T e^-2 steps, so its weight is 0. The value of q is 0, because q is
not one of the data. So a head reads its count of the x_i, times 1/L. The heads write their counts times L and -L to `found`,
so `found` is the number of times that q occurs. The logits are 2 found - 2 t - 1 for "yes" and 0 for "no". They differ by at
least 1.

Kc is the least exponent that gives L >= 2 n and a large enough d. If the softmax is rounded stepwise, d >= 4 is enough. If it
is rounded once, the proof uses d >= 6 n + 8.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import required
from seqsep.maths.arithmetic.grid import Array, Grid, Rounding, Softmax
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.blocks import Spaces
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, GridRounding, GridSoftmax, Length, RoundingMode, Seed, SoftmaxMode
from seqsep.theorems.retrieval._counting import CountingEncoding, read
from seqsep.theorems.retrieval._shown import counting_evidence

CLAIM = Claim(
    name="counting-one-layer",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Counting",
    statement="One attention layer of two heads and width 5 answers counting of n tokens, by the rounding of its weights",
)
ARITHMETICS: tuple[tuple[Rounding, Softmax], ...] = (
    ("floor", "stepwise"),
    ("nearest", "stepwise"),
    ("floor", "once"),
    ("nearest", "once"),
)
THRESHOLDS = {("floor", "stepwise"): "2", ("nearest", "stepwise"): "0.5", ("floor", "once"): "1", ("nearest", "once"): "0.5"}
"""T, in steps of the grid: from there on a weight is one step more."""
EXHAUSTIVE_INPUTS = 20_000
DRAWN = 60
AT_ONCE = 512


def grid_of(length: int, alphabet: int, rounding: Rounding = "floor", softmax: Softmax = "stepwise") -> Grid:
    """The grid of least Kc. Raises ValueError for a length or alphabet below 1.

    >>> grid_of(length=64, alphabet=64).precision, grid_of(length=64, alphabet=64, softmax="once").precision
    (26, 38)
    """
    if min(length, alphabet) < 1:
        raise ValueError(f"counting_one_layer(length={length}, alphabet={alphabet}): both are at least 1")
    base = max(length + 2, alphabet)
    least_distance = 4 if softmax == "stepwise" else 6 * length + 8
    exponent = 1
    while _distance(base**exponent, alphabet) < least_distance or base**exponent < 2 * length:
        exponent += 1
    return Grid(base**exponent, rounding, softmax)


def _distance(steps: int, alphabet: int) -> int:
    """d = L D, the steps between the scores of neighbouring numbers."""
    return 2 * steps // (5 * alphabet)


def build(length: Length, alphabet: Alphabet, rounding: RoundingMode = "floor", softmax: SoftmaxMode = "stepwise") -> Network:
    """The network for data of exactly `length` tokens; number v is token v.

    >>> network = build(length=64, alphabet=64)
    >>> network.width, network.heads, len(network.layers), network.precision
    (5, 2, 1, 26)
    """
    grid = grid_of(length, alphabet, rounding, softmax)
    spaces = Spaces(number=1, data=1, query=1, last=1, found=1)
    places = np.zeros((length + 2, spaces.width), dtype=np.int64)
    places[:length] += spaces["data"][0]
    places[length] += spaces["query"][0]
    places[length + 1] += spaces["last"][0]
    distance = _distance(grid.steps, alphabet)
    threshold = Decimal(THRESHOLDS[rounding, softmax])
    heads = []
    for sign in (1, -1):  # the data >= q, less the data > q
        key = distance * spaces["number"] - 2 * grid.steps * spaces["last"]
        key = key + (_logarithm(grid.steps, threshold) - sign * (distance // 2)) * spaces["query"]
        heads.append(
            Head(
                query=whole(spaces["last"]),
                key=Array(key, grid.step),
                value=whole(spaces["data"]),
                output=whole(sign * grid.steps * spaces["found"].T),
            )
        )
    yes = 2 * spaces["found"] - 2 * spaces["number"]
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(number=np.arange(alphabet)[:, None]), by_index=True),
        positions=whole(places, by_index=True),
        layers=((AttentionLayer(tuple(heads)), None),),
        readout=whole(np.concatenate([spaces.nothing(), yes])),
        readout_bias=whole(np.array([0, -1])),
    )


def _logarithm(steps: int, threshold: Decimal) -> int:
    """L ln(L/T), rounded."""
    with localcontext() as context:
        context.prec = 2 * len(str(steps)) + 20
        return int((steps * (steps / threshold).ln()).to_integral_value())


def bound(
    length: Length, alphabet: Alphabet, rounding: RoundingMode = "floor", softmax: SoftmaxMode = "stepwise"
) -> dict[str, Number]:
    """Every size, from n and S alone: core = 3 * 1 * 5 p * 2; program = p (2 * 4 * 5 + 2 * 5 + 2), two heads and the read-out.

    Tables of numbers and places are functions of the index, so tables = program + 5 p (S + n + 2).
    """
    p = grid_of(length, alphabet, rounding, softmax).precision
    return {
        "width": 5,
        "heads": 2,
        "layers": 1,
        "precision": p,
        "core_bits": 30 * p,
        "program_bits": 52 * p,
        "tables_bits": p * (52 + 5 * (alphabet + length + 2)),
    }


def check(
    length: Length = 16,
    alphabet: Alphabet = 16,
    rounding: GridRounding | None = None,
    softmax: GridSoftmax | None = None,
    seed: Seed = 0,
) -> list[Outcome]:
    """Build the network for each arithmetic (or for one) and count with it.

    Every input if there are at most 20,000, S^(n+2); else after 60 drawn sequences every number that occurs, and one that does
    not, with the thresholds m - 1, m, m + 1 around its count m. `rounding` is floor or nearest, `softmax` stepwise or once.
    Raises ValueError for other ones, TheoremFails with the input that is answered wrongly.
    """
    chosen = [one for one in ARITHMETICS if rounding in (None, one[0]) and softmax in (None, one[1])]
    if not chosen:
        raise ValueError(f"check(rounding={rounding!r}, softmax={softmax!r}): floor or nearest, stepwise or once")
    return [_check(length, alphabet, arithmetic, seed) for arithmetic in chosen]


def _check(length: int, alphabet: int, arithmetic: tuple[Rounding, Softmax], seed: int) -> Outcome:
    network = build(length, alphabet, *arithmetic)
    exhaustive = alphabet ** (length + 2) <= EXHAUSTIVE_INPUTS
    inputs = _every(length, alphabet) if exhaustive else _drawn(length, alphabet, seed)
    expected = answers(inputs)
    least = None
    for first in range(0, len(inputs), AT_ONCE):
        some = inputs[first : first + AT_ONCE]
        result = run(network, some, at=-1)
        wanted = expected[first : first + AT_ONCE]
        wrong = np.flatnonzero((result.answers[:, 0] != wanted) | ~result.unique_argmax[:, 0])
        if len(wrong):
            *data, query, threshold = some[wrong[0]].tolist()
            shown = {"tokens": data, "query": query, "threshold": threshold, "answer": int(result.answers[wrong[0], 0])}
            raise CLAIM.fails({**shown, "arithmetic": " ".join(arithmetic)})
        apart = float(np.abs(result.logits.floats()[:, 0, 1]).min())
        least = apart if least is None else min(least, apart)
    bounds = bound(length, alphabet, *arithmetic)
    return CLAIM.upper(
        length=length,
        inputs=len(inputs),
        exhaustive=exhaustive,
        measured=CLAIM.within(sizes(network), bounds),
        bound=bounds,
        as_printed={"layers": 2},
        variant=" ".join(arithmetic),
        margin=None if least is None else Margin(least, 1.0, "the logit of yes from that of no"),
    )


def answers(inputs: Int64[np.ndarray, "batch time"]) -> Int64[np.ndarray, "batch"]:
    """The right answers, from the definition.

    >>> answers(np.array([[2, 0, 2, 2, 1], [2, 0, 2, 2, 2]])).tolist()
    [1, 0]
    """
    occurrences = (inputs[:, :-2] == inputs[:, -2:-1]).sum(axis=1)
    return (occurrences > inputs[:, -1]).astype(np.int64)


def _every(length: int, alphabet: int) -> Int64[np.ndarray, "batch time"]:
    return np.array(list(product(range(alphabet), repeat=length + 2)), dtype=np.int64)


def _drawn(length: int, alphabet: int, seed: int) -> Int64[np.ndarray, "batch time"]:
    """Sequences of all numbers, of few, and of two neighbours, with the thresholds around every count."""
    random = np.random.default_rng(seed)
    rows = []
    for turn in range(DRAWN):
        kinds = (alphabet, min(alphabet, 3), min(alphabet, 2))[turn % 3]
        lowest = int(random.integers(0, alphabet - kinds + 1))
        data = lowest + random.integers(0, kinds, length)
        queries = {*data[:: max(1, length // 8)].tolist(), int(random.integers(0, alphabet)), max(0, lowest - 1)}
        for query in queries:
            count = int((data == query).sum())
            for threshold in {min(alphabet - 1, max(0, count + step)) for step in (-1, 0, 1)}:
                rows.append([*data.tolist(), query, threshold])
    return np.array(rows, dtype=np.int64)


def verify(seed: int = 0) -> list[Outcome]:
    """Check every input of small sizes in each arithmetic, then drawn ones of up to 1,024 tokens."""
    outcomes = [one for length, alphabet in ((1, 5), (2, 4), (3, 4), (4, 4), (6, 3), (9, 2)) for one in check(length, alphabet)]
    outcomes += [one for length in (15, 16, 64) for turn in range(4) for one in check(length, length, seed=seed + turn)]
    for length, alphabet in ((256, 256), (1024, 64), (64, 1024), (1024, 1024)):
        outcomes += check(length, alphabet, softmax="stepwise", seed=seed)
    return outcomes


def predictor(length: Length, alphabet: Alphabet = 64) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"tokens": [..], "query": q, "threshold": t}: exactly n numbers of 0 .. S - 1, rounded down step by step.

    The answer raises ValueError with the field's name for any other input.

    >>> predictor(length=3, alphabet=4)({"tokens": [2, 0, 2], "query": 2, "threshold": 1})
    1
    """
    network = build(length, alphabet)

    def answer(given: Mapping[str, Any]) -> int:
        numbers, query, threshold = read(given, alphabet, least=length, most=length)
        return int(run(network, np.array([[*numbers, query, threshold]]), at=-1).answers[0, 0])

    return answer


def certificate_witness(
    length: Length = 2,
    alphabet: Alphabet = 3,
    rounding: RoundingMode = "floor",
    softmax: SoftmaxMode = "stepwise",
    seed: Seed = 0,
) -> Evidence:
    """Show the network on every sequence of n tokens, query and threshold if there are at most 256, else on up to 32.

    A certificate's prompt is 0, the data and the query, numbers from 1 to S, and the threshold t as t + 1. So the network is
    that for n + 1 tokens over S + 1 numbers, of which the first token, 0, is none that is asked for; the place of the last one
    takes 1 from its number.
    """
    network = build(length + 1, alphabet + 1, rounding, softmax)
    places = required(network.positions, "the positions of the network").integers.copy()
    places[-1, network.spaces["number"]] -= 1
    shifted = replace(network, positions=whole(places, by_index=True))
    return counting_evidence(shifted, CountingEncoding(length, alphabet), seed)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the layer at the length that it is built for.",
    not_shown="This does not show that the layer is right at other lengths. The proof covers every n and S.",
    bound=bound,
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
)
