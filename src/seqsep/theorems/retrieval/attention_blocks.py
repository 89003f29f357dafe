"""Six building blocks of Transformer proofs are one attention head each, and they are exact although numbers are rounded.

The blocks copy a token, count tokens, or find the first, last, nearest or next token with a given key. Other constructions are
made of them. Every number is rounded to the grid: the multiples of 1/L from -L to L.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), appendix C: the attention blocks that its constructions are made of.

We differ:
* The scores are sums of products of whole numbers. For each of these numbers the residual stream also has its square
  (`blocks.match`). In the paper hidden units compute the squared differences.
* MatchNext compares counters, a number at each position. Here a counter is a whole number m, not 1/m as in the paper. So the
  test for "the next counter" is an exact equality and not an approximation.
* MatchNearest takes the earlier of two matches that are equally near.

Inputs. Positions are 0 .. T. Position 0 is the sink: a head attends to it if nothing matches. The residual stream is [own |
asked | near | counter | time | one | sink | found | weight]. The spaces `own`, `asked`, `near`, `counter` and `time` have a
whole number and its square. The head writes to `found` and, for COUNT, also to `weight`.

At a position k the head reads a position j <= k. The key of a position is in `own`, and the key that it looks for is in
`asked`. Let diff be the key of j minus the key that k looks for. If diff is 0, the position j matches. The time t_j of position
j is j. The space `near` of position k has the number X of a position, and MatchNearest reads the match nearest to X. MatchNext
reads the first match whose counter is one more than that of k. COPY reads the position o places back.

Sizes. Let all numbers be at most V. The scale of the scores is eta = floor(ln(2 L^2)) + 1. The grid is the least one that
holds every entry and every winning score (`_needed`).

Scores. In each block except COUNT the right position scores above every other one by at least eta. So its weight is exactly 1
(`hard_maximum`):
* COPY: the score is -eta (t_j - t_k + o)^2, and the right position wins by eta. If no position is that far back, the first
  position wins by 3 eta (`blocks.offset`).
* Match: the score is -B diff^2 - 2 eta t_j with B = 2 eta (T + 2), and -2 eta T - eta at the sink. The first match scores 2
  eta above the next one. A match scores at least eta above the sink, and the sink at least 3 eta above a mismatch.
* MatchClose: the score is -B diff^2 + 2 eta t_j, and 0 at the sink. Matches have t_j >= 1, and a mismatch scores at most -4
  eta.
* MatchNearest: the score is -B diff^2 - eta (3 t_j - 3 X + 1)^2, and -eta (D^2 + 1) at the sink. Here |3 t_j - 3 X + 1| is at
  most D = 3 max(T, V) + 1, and B = eta (D^2 + 2). The square is 1 for t_j = X. It is 4, 16, 25, 49, .. for t_j = X - 1, X + 1,
  X - 2, X + 2, .. So the nearest match wins, and of two that are equally near the earlier one.
* MatchNext: the score is that of Match, but diff^2 is a sum of two squares: (own - asked)^2 and (counter_j - counter_k - 1)^2.
* COUNT: the score is -eta diff^2, and 0 at the sink. The m matches and the sink have the same score. So each of them has the
  same weight w = f(m + 1), which is 1/(m + 1) rounded to the grid. The head writes m w and w (`blocks.count`).

Logits. The logit of class i is 2 i s - i^2 u (`blocks.peaks`). For COUNT s = m w and u = w, and the margin is f(T + 1). For
the other blocks s is the place that was read and u = 1, and the margin is 1.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64, Shaped

from seqsep.core.options import OneOf, Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import scaled
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Head, Network, whole
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.base import Number as Size
from seqsep.theorems.blocks import (
    ROUNDINGS,
    Number,
    Scores,
    Spaces,
    count,
    first,
    hard_scale,
    head,
    last,
    least_grid,
    match,
    match_needs,
    number,
    offset,
    peaks,
    side_by_side,
    uniform_weight,
    with_squares,
)
from seqsep.theorems.options import Eta, GridRounding, Keys, Length, Seed, Sequences
from seqsep.theorems.retrieval import _attention_blocks as definitions
from seqsep.theorems.retrieval._attention_blocks import BLOCKS, Positions
from seqsep.theorems.retrieval._printed_units import ERRATA
from seqsep.theorems.trial import Trial, logits_apart

Block = Annotated[str, OneOf("copy", "count", "match", "match-close", "match-nearest", "match-next"), "Name of the block."]
Back = Annotated[int, Range(0), "The distance at which the block copy looks back."]
Most = Annotated[int, Range(1), "V: all numbers are 0 to V; by default N."]

CLAIM = Claim(
    name="attention-blocks",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), appendix C, attention blocks",
    statement="COPY, COUNT, Match, MatchClose, MatchNearest and MatchNext are one attention head each, exact on the grid",
)
SPACES = Spaces(own=2, asked=2, near=2, counter=2, time=2, one=1, sink=1, found=1, weight=1)
EXHAUSTIVE_LENGTH = 3
PRINTED_SCORES = {
    "copy": "-n (k - s - k')^2",
    "count": "-n diff^2",
    "match": "-n^(4c+1) diff^2 - n k'^2",
    "match-close": "-n^(4c+1) diff^2 - n (k - k')^2",
    "match-nearest": "-n^(4c+1) diff^2 - n (X - k')^2",
    "match-next": "-n^(4A+3) diff^2 - n^(4A+1) (nxt(a) - a')^2",
}


def build(
    block: Block, length: Length, most: Most, back: Back = 1, rounding: GridRounding = "floor", eta: Eta | None = None
) -> Network:
    """The network of a block for the positions 0 .. T = `length`, and numbers up to V = `most`; `back` is for COPY.

    Inputs are vectors: own key, asked key, near and counter, each with its square. Classes are places, or numbers of matches.
    `eta` replaces the scale of the scores, to see how small it may be. Raises ValueError for another block or rounding.

    >>> build("match", length=10, most=9).precision
    22
    """
    if block not in BLOCKS:
        raise ValueError(f"build({block!r}): block is one of {', '.join(BLOCKS)}")
    grid = least_grid(length + 1, partial(_needed, block, length, most=most, back=back), rounding)
    places = np.arange(length + 1)
    time = with_squares(places)
    sink = (places == 0)[:, None] * SPACES["sink"]
    scale = hard_scale(grid.steps) if eta is None else eta
    return Network(
        name=f"{CLAIM.name}-{block}",
        grid=grid,
        spaces=SPACES.slices,
        symbols=None,
        vectors=whole(np.concatenate([SPACES["own"], SPACES["asked"], SPACES["near"], SPACES["counter"]])),
        positions=whole(SPACES.embed(time=time) + SPACES["one"] + sink, by_index=True),
        layers=((side_by_side(_head(block, length, most, back=back, eta=scale)), None),),
        readout=whole(peaks(places, SPACES["found"], SPACES["weight" if block == "count" else "one"]), by_index=True),
        readout_bias=whole(np.zeros(length + 1)),
    )


def _head(block: str, length: int, most: int, *, back: int, eta: int) -> Head:
    """The head of a block; what it reads is the place t_j, or for COUNT 1 at each match."""
    one = SPACES["one"]
    sink = SPACES["sink"]
    time = number(SPACES, "time")
    if block == "copy":
        return head(offset(time, one, back, eta), time.value, SPACES["found"])
    same = partial(match, number(SPACES, "asked"), number(SPACES, "own"), one, present=one - sink)
    if block == "count":
        return count(same(factors=(eta, 1)), sink, SPACES["weight"], values=one - sink, totals=SPACES["found"])
    return head(_scores(block, length, most, eta=eta), time.value, SPACES["found"])


def _scores(block: str, length: int, most: int, *, eta: int) -> Scores:
    """The scores of the four blocks that find a match."""
    one = SPACES["one"]
    sink = SPACES["sink"]
    time = number(SPACES, "time")
    factors = _factors(block, length, most, eta=eta)
    same = match(number(SPACES, "asked"), number(SPACES, "own"), one, factors=factors, present=one - sink)
    if block == "match-close":
        return same + last(time.value, one, 2 * eta)
    if block == "match-nearest":
        near = number(SPACES, "near")
        wanted = Number(3 * near.value, 9 * near.square).plus(-1, one)
        nearest = match(wanted, Number(3 * time.value, 9 * time.square), one, factors=(eta, 1), present=one - sink)
        return same + nearest + Scores(-(factors[0] * factors[1] - eta) * one, sink)
    lowered = Scores(-eta * (2 * length + 1) * one, sink)
    if block == "match-next":
        counter = number(SPACES, "counter")
        same += match(counter.plus(1, one), counter, one, factors=factors, present=one - sink)
    return same + first(time.value, one, 2 * eta) + lowered


def _farthest(length: int, most: int) -> int:
    """D, the greatest |3 t - 3 X + 1|."""
    return 3 * max(length, most) + 1


def _factors(block: str, length: int, most: int, *, eta: int) -> tuple[int, int]:
    """B as a product of what the query and the key carry."""
    if block == "match-nearest":
        return eta, _farthest(length, most) ** 2 + 2
    return 2 * eta, length + 2


def _needed(block: str, length: int, eta: int, *, most: int, back: int) -> int:
    """The greatest magnitude of an entry, of a number of the computation, and of a winning score."""
    largest = max(length, most) + 1
    if block == "copy":
        return max(match_needs(largest, (eta, 1)), eta * (back + 1) ** 2, back * back)
    if block == "count":
        return match_needs(largest, (eta, 1))
    greatest = match_needs(largest, _factors(block, length, most, eta=eta))
    if block == "match-nearest":
        return max(greatest, match_needs(_farthest(length, most), (eta, 1)))
    return max(greatest, eta * (2 * length + 1))


def check(
    length: Length = 16, keys: Keys = 4, sequences: Sequences = 40, rounding: GridRounding | None = None, seed: Seed = 0
) -> list[Outcome]:
    """Build each block for each grid (or for one) and ask it at every position.

    Every sequence of three positions over two keys (`_attention_blocks.every_input`), then `sequences` drawn ones of T =
    `length` over `keys`, on the grid and in float64. COPY looks back 0, 1, 2 and 5 places. Raises ValueError for another
    rounding, TheoremFails with the sequence that is answered otherwise than by the definition.
    """
    roundings = ROUNDINGS if rounding is None else (rounding,)
    outcomes = []
    for one in roundings:
        outcomes += [_check(block, length, keys, back=1, sequences=sequences, rounding=one, seed=seed) for block in BLOCKS[1:]]
        outcomes += [
            _check("copy", length, keys, back=back, sequences=sequences, rounding=one, seed=seed) for back in (0, 1, 2, 5)
        ]
    return outcomes


def _check(block: str, length: int, keys: int, *, back: int, sequences: int, rounding: str, seed: int) -> Outcome:
    short = Trial(CLAIM.name, build(block, EXHAUSTIVE_LENGTH, EXHAUSTIVE_LENGTH, back, rounding=rounding), logits_apart)
    _require(short, block, list(definitions.every_input(block, EXHAUSTIVE_LENGTH)), back)
    network = build(block, length, max(length, keys), back, rounding=rounding)
    trial = Trial(CLAIM.name, network, logits_apart)
    _require(trial, block, list(definitions.drawn(length, keys, sequences, seed)), back)
    bounds: dict[str, Size] = {"width": 14, "heads": 1, "layers": 1, "precision": network.grid.precision}
    trial.inputs += short.inputs
    return trial.outcome(
        CLAIM,
        bounds,
        proved=_proved(block, length, network.grid),
        length=length,
        as_printed={"scores": PRINTED_SCORES[block]},
        variant=f"{block}{f', {back} back' if block == 'copy' else ''}, grid {rounding}",
    )


def _proved(block: str, length: int, grid: Grid) -> float:
    """The margin of the read-out: 1, or for COUNT the least weight that T matches and the sink can have."""
    return float(uniform_weight(grid, length + 1)) if block == "count" else 1.0


def _require(trial: Trial, block: str, given: list[Positions], back: int) -> None:
    """Require the block's answer at every position of every sequence."""
    time = len(given[0].own)
    inputs = _in_steps(np.stack([one.vectors() for one in given]), trial.network.grid)
    expected = [[definitions.answer(block, one, here, back) for here in range(time)] for one in given]
    everywhere = np.tile(np.arange(time), (len(given), 1))
    trial.require(inputs, np.array(expected), lambda row: {"block": block, **given[row].readable()}, everywhere)


def _in_steps(
    vectors: Int64[np.ndarray, "*batch time coordinates"], grid: Grid
) -> Shaped[np.ndarray, "*batch time coordinates"]:
    """Numbers as steps of the grid, in Python's integers where V^2 L passes an int64."""
    return scaled(vectors, int(vectors.max()), grid.steps)


def verify(seed: int = 0) -> list[Outcome]:
    """Ask each block on every short sequence and, on each grid, at 100,000 positions and more, T = 8 to 128."""
    outcomes = []
    for length, keys, sequences in ((8, 2, 1000), (8, 8, 1000), (32, 3, 1000), (32, 32, 600), (128, 5, 300)):
        outcomes += check(length, keys, sequences, seed=seed)
    return outcomes


def predictor(
    length: Length, block: Block = "match", most: Most | None = None, back: Back = 1, rounding: GridRounding = "floor"
) -> Callable[[Mapping[str, Any]], list[int]]:
    """Answer {"own": [..], "asked": [..]} by the weights of a block: for each position from 1 on, what it reads.

    Each list has a number for each position, at most T = `length` of them. `own` are the keys, `asked` the keys asked for;
    match-nearest also takes `near`, the places to be near to, and match-next `counter`; copy takes `own` only, and looks `back`
    places back. All numbers are 0 .. V, V = `most`, by default N. The answer of a position is a place, 0 if nothing matches,
    or for count the number of matches. Raises ValueError with the field's name for any other input.

    >>> predictor(length=8)({"own": [5, 7, 5], "asked": [5, 5, 7]})
    [1, 1, 2]
    """
    greatest = length if most is None else most
    network = build(block, length, greatest, back, rounding=rounding)

    def answer(given: Mapping[str, Any]) -> list[int]:
        positions = definitions.read(given, block, greatest, length)
        vectors = _in_steps(positions.vectors(), network.grid)
        places: list[int] = run(network, vectors[None]).answers[0, 1:].tolist()
        return places

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run builds each block for a few values of T, the last position, and of V, the greatest number. It checks the "
    "block on sequences of these sizes.",
    not_shown="This does not show that the blocks are right for other T and V. The proof covers them all.",
    build=build,
    nothing_to_certify="a block is only a part of an answer to a task; recall-attention and counting-attention, made of "
    "blocks, have certificates",
    predictor=predictor,
    verify=verify,
    errata=ERRATA,
)
