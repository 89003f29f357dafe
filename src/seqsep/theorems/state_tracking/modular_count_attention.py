"""Two attention layers count modulo m after every token, at logarithmic precision; with m = 2 this is parity.

Idea. A head that attends to all tokens alike reads the share of ones, k / (t + 1). A second head asks for the token at the
place k, whose position holds k mod m. So the number of ones becomes an address.

Source: own. Chiang and Cholak 2022 (arXiv:2202.12172) build a two-layer Transformer for parity, with feed-forward parts and
layer normalisation. We differ: there are none of these, every number is on a grid, the modulus is any, and the answer is read
after each token. `fixed-grid-attention` shows that a fixed grid without positions is not enough.

Statement. Inputs are [BOS], b_1 .. b_n with n <= N. [BOS] marks the beginning. After each token, the answer is the number k of
ones so far, modulo m.

Construction. The residual stream is [bit | bos | time j, j^2 | residue j mod m | total | unit | copied]. The time of a token is
its index, so [BOS] has time 0.
* Layer 1 (`_count_ones`): all scores are 0, so at time t each of t + 1 tokens has the same weight w. The head adds w k to
  `total`, and w, the weight of [BOS], to `unit`.
* Layer 2 (`_look_up`): the score of the key at time j is E (2 k w j - w j^2) = E w (k^2 - (k - j)^2). It is greatest at j = k.
  There is such a key, as k <= t. The head adds its `residue` to `copied`.
* The read-out gives the answer r the logit 2 r `copied` - r^2, which is greatest at r = `copied`.

Any function f of the number of ones is decided in this way: let position j hold f(j). The width stays 8.

Proof. Let L be the steps of the grid, eta = floor(ln(2 L^2)) + 1 and E = eta (N + 2).
* On both grids w >= 1/(N + 1) - 1/L, since w is 1/(t + 1) rounded. As L >= (N + 1) (N + 2), this is at least 1/(N + 2).
* So the right key scores above every other one by at least E w >= eta. Then its weight is exactly 1 (`blocks.hard_maximum`),
  and `copied` is exactly k mod m.
* No score is cut off. It is at most E w t^2 in size, and w <= 1/(t + 1) + 1/(2 L). The first part of w gives E (t - t/(t + 1)),
  which is at most E (N - 1/2), and the second part E t^2 / (2 L), which is at most E / 2. So a score is at most E N <= L. The
  scores of later keys, which the mask hides, may be cut off: they are the saturated scores that a run counts.

Margin. The logit of the right answer is above every other one by at least 1.

Rounding. w is rounded once. `total` and `unit` are multiples of 1/L, and so are the scores: nothing else is rounded. In float64
the weight of the right key is below 1 by at most N / (2 L^2).
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem, symbols_in
from seqsep.theorems.blocks import ROUNDINGS, Scores, Spaces, count, hard_scale, head, least_grid, side_by_side, with_squares
from seqsep.theorems.options import Eta, GridRounding, Length, Seed
from seqsep.theorems.trial import Trial, logits_apart

CLAIM = Claim(
    name="modular-count-attention",
    source="own",
    statement="Two causal attention layers of one head, of width 8 and without an FFN, give the number of ones modulo m after "
    "every token, with p = O(log N) bits",
)
Modulus = Annotated[int, Range(2, 64), "m, the modulus; 2 is parity."]
EXHAUSTIVE_LENGTH = 10
BOS = 2
LONGEST_IN_FLOATS = 1024
AT_ONCE = 1 << 22
"""Scores that a batch has at most."""


def build(length: Length, modulus: Modulus = 2, rounding: GridRounding = "floor", eta: Eta | None = None) -> Network:
    """Return the network for up to N = `length` bits; tokens are 0, 1 and [BOS] = 2, which comes first.

    `eta` replaces the gap of scores. Raises ValueError for another rounding.

    >>> network = build(length=62)
    >>> network.width, len(network.layers), network.precision
    (8, 2, 37)
    """
    grid = _grid(length, modulus, rounding)
    spaces = Spaces(bit=1, bos=1, time=2, residue=1, total=1, unit=1, copied=1)
    times = np.arange(length + 1)
    symbols = spaces.embed(bit=np.array([[0], [1], [0]]), bos=np.array([[0], [0], [1]]))
    answers = np.arange(modulus)
    gap = hard_scale(grid.steps) if eta is None else eta
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(symbols),
        positions=whole(spaces.embed(time=with_squares(times), residue=times[:, None] % modulus), by_index=True),
        layers=((_count_ones(spaces), None), (_look_up(spaces, gap * (length + 2)), None)),
        readout=whole(2 * answers[:, None] * spaces["copied"]),
        readout_bias=whole(-answers * answers),
    )


def _count_ones(spaces: Spaces) -> AttentionLayer:
    """Every key scores 0. So `total` is w k, and `unit` is w, with w = 1/(t + 1) rounded to the grid (`blocks.count`)."""
    equal = Scores(spaces.nothing(), spaces.nothing())
    return side_by_side(count(equal, spaces["bos"], unit=spaces["unit"], values=spaces["bit"], totals=spaces["total"]))


def _look_up(spaces: Spaces, scale: int) -> AttentionLayer:
    """The query (2 E w k, -E w) and the key (j, j^2) score E w (k^2 - (k - j)^2), for E = `scale`."""
    query = np.concatenate([2 * scale * spaces["total"], -scale * spaces["unit"]])
    return side_by_side(head(Scores(query, spaces["time"]), spaces["residue"], spaces["copied"]))


def _grid(length: int, modulus: int, rounding: str) -> Grid:
    """Return the least grid with L >= (N + 1) (N + 2) that holds every entry and every score: the entry 2 E, scores to E N."""

    def needed(eta: int) -> int:
        scale = eta * (length + 2)
        return max((length + 1) * (length + 2), scale * max(2, length), modulus**2)

    return least_grid(length + 1, needed, rounding)


def bound(length: Length, modulus: Modulus = 2, rounding: GridRounding = "floor") -> dict[str, Number]:
    """Return every size with explicit constants, from N and m alone.

    Each head has at most two rows: core = 2 * 3 * 2 * 8 p. The program has the symbols, both heads and the read-out:
    p (24 + 48 + 48 + 9 m). Positions are a function of the index; tables add 8 (N + 1) numbers for them.
    """
    grid = _grid(length, modulus, rounding)
    precision = grid.precision
    program = 120 + 9 * modulus
    return {
        "width": 8,
        "heads": 1,
        "layers": 2,
        "precision": precision,
        "core_bits": 96 * precision,
        "program_bits": program * precision,
        "tables_bits": (program + 8 * (length + 1)) * precision,
    }


def check(length: Length = 64, modulus: Modulus = 2, rounding: GridRounding | None = None, seed: Seed = 0) -> list[Outcome]:
    """Build the network for each grid (or one) and compare its answer after each token.

    Every word if N is at most 10; else the words 1^N, 0^N, random ones, and each with a block of ones moved. In float64 too.
    Raises TheoremFails with the word that is answered wrongly.
    """
    return [_check(length, modulus, one, seed) for one in (ROUNDINGS if rounding is None else (rounding,))]


def _check(length: int, modulus: int, rounding: str, seed: int, words: int = 24) -> Outcome:
    network = build(length, modulus, rounding)
    trial = Trial(CLAIM.name, network, logits_apart, in_floats=2_000 if length <= LONGEST_IN_FLOATS else 0)
    exhaustive = length <= EXHAUSTIVE_LENGTH
    tried = _every_word(length) if exhaustive else _hard_words(length, words, seed)
    at_once = max(1, AT_ONCE // (length + 1) ** 2)
    for first in range(0, len(tried), at_once):
        _require(trial, tried[first : first + at_once], modulus)
    return trial.outcome(
        CLAIM,
        bound(length, modulus, rounding),
        proved=1.0,
        length=length,
        exhaustive=exhaustive,
        variant=f"modulo {modulus}, grid {rounding}",
    )


def _require(trial: Trial, words: Int64[np.ndarray, "batch time"], modulus: int) -> None:
    """Require the count after [BOS] and after each bit."""
    inputs = np.concatenate([np.full((len(words), 1), BOS), words], axis=1)
    expected = np.cumsum(inputs == 1, axis=1) % modulus
    at = np.tile(np.arange(inputs.shape[1]), (len(words), 1))
    trial.require(inputs, expected, lambda row: {"bits": words[row].tolist()}, at)


def _every_word(length: int) -> Int64[np.ndarray, "words length"]:
    return np.array(list(product((0, 1), repeat=length)), dtype=np.int64)


def _hard_words(length: int, number: int, seed: int) -> Int64[np.ndarray, "words length"]:
    """Return words of only ones, only zeros, blocks of ones at either end, and random words of every share of ones."""
    generator = np.random.default_rng(seed)
    places = np.arange(length)
    shares = generator.random((max(1, number - 4), 1))
    blocks = [places < length // 2, places >= length // 2, places >= 0, places < 0]
    drawn = generator.random((len(shares), length)) < shares
    return np.concatenate([np.array(blocks), drawn]).astype(np.int64)[:number]


def predictor(length: Length, modulus: Modulus = 2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"bits": [..]}, at most `length` bits, with the number of ones modulo m.

    >>> predictor(length=8, modulus=3)({"bits": [1, 0, 1, 1, 1]})
    1
    """
    network = build(length, modulus)

    def answer(given: Mapping[str, Any]) -> int:
        bits = symbols_in(given, "bits", 2, most=length)
        return int(run(network, np.array([[BOS, *bits]]), at=-1).answers[0, 0])

    return answer


def verify(seed: int = 0) -> list[Outcome]:
    """Check every word to length 10, for m of 2, 3 and 5; then words at lengths to 10,000, on both grids."""
    outcomes = [_check(length, modulus, one, seed) for length in (1, 2, 5, 10) for modulus in (2, 3, 5) for one in ROUNDINGS]
    sizes = ((16, 200), (31, 200), (64, 200), (128, 80), (512, 12), (1024, 4), (4096, 1))
    outcomes += [
        _check(length, 7 - turn % 5, one, seed, words=words) for turn, (length, words) in enumerate(sizes) for one in ROUNDINGS
    ]
    return [*outcomes, _check(10_000, 2, "nearest", seed, words=1)]


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run builds the network on both grids, and compares its answer after each token with the count: for every short "
    "word, or for words of different shares of ones.",
    not_shown="This does not show that training finds these weights, nor that fewer layers or bits are impossible. The weights "
    "are made for one N.",
    build=build,
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no task that counts modulo a number",
)
