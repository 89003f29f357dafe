"""Upper bound: two causal attention layers of one head answer nearest neighbour, in d' + 4 coordinates for two labels.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 7 and appendix G.2; associative recall and MQAR from appendix G.
Points x_1, y_1, .., x_(k-1), y_(k-1), x_k with N/2 < k <= N: the answer is the label of the i < k with the greatest <x_k, x_i>.
We differ: the construction is another one (`variant="repaired"`), whose width does not depend on the margin; the printed one
(`variant="printed"`, `_nearest_neighbor_printed`) needs k = 8 ln(4 N) / (gamma/100)^2 coordinates. Labels are 0 .. C - 1, and
gamma is asked for only between the nearest point and points of *another label*: equal points with equal labels do no harm.
Points are read on the grid, where hardly any has norm 1: |x|^2 <= 5/4 is enough, and gamma is measured after rounding.

Proof, as code. n = max(4, 2 N - 1) tokens; L = n^Kc steps a unit, D = 1/L; stepwise softmax, rounding down; 0 < gamma <= 1;
b = max(1, ceil(log2 C)). A point comes in as [x, 0], a label as [0, one-hot], and the residual stream is
[point: d' | label: b | place: 3]: x or 0; the label's digits as ±1, or 0 at a point; (t, t^2, 1) for the centred time t.
* Layer 1, query (2 eta1 (t-1), -eta1, -eta1 (t-1)^2 / n), key (t', t'^2, n): the score -eta1 (t' - t + 1)^2 is 0 at the token
  before and at most -eta1 elsewhere. eta1 = floor(ln L) + 1 > ln L, so all other exponentials round down to 0 and the weight is
  exactly 1. The value is the point space, written to it: a label, whose point space was 0, now holds exactly its x_i; a point
  gets the 0 of the label before it. Only the first token sees nothing but itself, and becomes 2 x_1. Losing scores may
  saturate at -L < -ln L. Entries: |t| <= N, and 2 eta1 N <= eta1 (n + 1) <= L for n >= 4, Kc >= 2.
* FFN of layer 1: with y the first digit, the last place coordinate becomes 1 - relu(y) - relu(-y): 0 at labels, 1 at points.
* Layer 2, eta2 = ceil(ln(3 N) / gamma), query (eta2 x_k, 1), key (point space, -6 eta2 or, at labels, 0). A label scores
  floor(eta2 <x_k, x_i>), so the nearest (at least -5/4 eta2 - D) is above every other label by at least eta2 gamma - D.
  A point scores at most 5/4 eta2 - 6 eta2, the first token (5/2 - 6) eta2: at least 9/4 eta2 - D below the nearest label, so
  the question never meets itself. Since 6 eta2 <= L, only such losers may saturate, and stay below.
* Let R be the sum of the exponentials of all tokens that do not carry the nearest label, against the nearest one's 1. At most
  N - 2 labels of e^(D - ln 3N) and N points of e^(D - 2 ln 3N): R <= e^D ((N-2)/(3N) + 1/(9N)) < e^D / 3. The labels that agree
  weigh at least 1/(1+R) - n D after the floors, the others at most R/(1+R) together. A digit of the answer, of sign s, is thus
  retrieved as s z with z >= (1-R)/(1+R) - n D > 1/2: R = 1/3 - r gives (1-R)/(1+R) >= 1/2 + 9r/8, r >= 5/(9N) - 0.35 D, and
  5/(8N) - 0.4 D > n D for N >= 4 since n D <= 1/n; at N = 2 and 3 it is at least 0.63 and 0.53.
* Read-out of class c: sum over digits of s_cj z_j, more than 1 above that of any other class. There is no threshold.

On the grid: Kc is the least with Kc >= 2 and 6 eta2 <= n^Kc. For gamma >= n^-c, c >= 1, Kc = c + 1 is enough from N = 12 on,
since 6 (n^c ln(3/2 (n+1)) + 1) <= n^(c+1) there, and Kc = c + 2 always. p = bit_length(2 n^(2 Kc)). With L that n does not
divide (tightness) 1/n is rounded down to the grid, which shifts all scores of a row of layer 1 alike.
Real inputs: rounding to the nearest step moves a norm by at most r = sqrt(d') D/2, a product by 2 r + r^2, a difference of two
by twice that: gamma0 before it leaves gamma >= gamma0 - 9/4 sqrt(d') D while sqrt(d') D <= 1/2.
Recall: a symbol is its d = ceil(log2 S) digits as ±floor(L / sqrt d) steps. Two symbols differ in a digit, so the margin is
2 floor(L / sqrt d)^2 / L^2, about 2/d (printed: 1/log N); we build for 1/d, which floors do not reach for d <= 20.

What a run does not show: other lengths, dimensions or margins than those built. The proof covers them all.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.exact.executor import run
from seqsep.exact.grid import Array, Grid, common_unit
from seqsep.exact.integers import digits_of
from seqsep.exact.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.checking import tighten
from seqsep.theorems.nearest_neighbor import _inputs as drawn
from seqsep.theorems.nearest_neighbor import _printed as as_printed
from seqsep.theorems.nearest_neighbor._reading import read, require_margin
from seqsep.theorems.nearest_neighbor._trials import Asking, answers_hard, plan

CLAIM = Claim(
    name="nearest-neighbor-two-layers",
    source="Bhattamishra et al. 2024, Theorem 7",
    statement="Two causal one-head layers of width d' + ceil(log2 C) + 3 answer nearest neighbour for every margin "
    "gamma >= n^-c",
)
RECALL = "Two causal one-head layers of width ceil(log2 S) + ceil(log2 C) + 3 answer multi-query associative recall"
MARGIN = "a retrieved digit (±1) from 0"
VARIANTS = ("repaired", "printed")
APART = 6  # points score this many eta2 below what their product gives them


def build(
    length: int,
    dimension: int = 4,
    classes: int = 2,
    gamma: Fraction | float | None = None,
    steps: int | None = None,
    eta: int | None = None,
) -> Network:
    """The network for up to `length` points, the question included, with margins of at least `gamma` (by default 1/n).

    Inputs are vectors: a point [x, 0], a label [0, one-hot]. `steps` and `eta` replace L and eta2, for tightness.
    Raises ValueError for a length below 2, a dimension or class count below 1, or a margin outside (0, 1].
    """
    _require("build", length, dimension, classes, 1, gamma, "repaired")
    n, gamma = _base(length), _margin_asked(length, gamma)
    eta = scale(length, gamma) if eta is None else eta
    grid = Grid.of(n, exponent(length, gamma)) if steps is None else Grid(steps)
    first_eta, digits = math.floor(math.log(grid.steps)) + 1, _digits(classes)
    width = dimension + digits + 3
    spaces = {"point": slice(0, dimension), "label": slice(dimension, dimension + digits), "place": slice(width - 3, width)}
    rows = np.eye(width, dtype=np.int64)
    point, label, (time, squared, one) = (rows[space] for space in spaces.values())
    spelled = 2 * ((np.arange(classes)[:, None] >> np.arange(digits)) & 1) - 1
    centred = np.arange(2 * length - 1) - (length - 1)
    share = Fraction(grid.steps // n, grid.steps)  # 1/n
    unit = common_unit(Fraction(1), share)
    whole_unit, part = int(1 / unit), int(share / unit)
    before = np.stack([2 * whole_unit * (time - one), -whole_unit * one, -part * (squared - 2 * time + one)])
    key = whole(np.stack([time, squared, n * one]))
    copy = Head(Array(first_eta * before, unit), key, value=whole(point), output=whole(point.T))
    inner, outer = np.stack([label[0], -label[0]]), np.stack([-one, -one], axis=1)
    flag = FeedForward(whole(inner), whole([0, 0]), whole(outer), whole(np.zeros(width)))
    query, key = whole(np.concatenate([eta * point, [one]])), whole(np.concatenate([point, [-APART * eta * one]]))
    compare = Head(query, key, value=whole(label), output=whole(label.T))
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces,
        symbols=None,
        vectors=whole(np.concatenate([point, spelled @ label])),
        positions=whole(np.stack([centred, centred**2, np.ones_like(centred)], axis=1) @ rows[-3:], by_index=True),
        layers=((AttentionLayer((copy,)), flag), (AttentionLayer((compare,)), None)),
        readout=whole(spelled @ label),
        readout_bias=whole(np.zeros(classes)),
    )


def _base(length: int) -> int:
    return max(4, 2 * length - 1)


def _digits(classes: int) -> int:
    return digits_of(classes)


def _margin_asked(length: int, gamma: Fraction | float | None) -> Fraction:
    return Fraction(1, _base(length)) if gamma is None else Fraction(gamma)


def scale(length: int, gamma: Fraction) -> int:
    """eta2 = ceil(ln(3 N) / gamma)."""
    return math.ceil(Fraction(math.log(3 * length)) / gamma)


def exponent(length: int, gamma: Fraction) -> int:
    """The least Kc >= 2 with 6 eta2 <= n^Kc."""
    found = 2
    while _base(length) ** found < APART * scale(length, gamma):
        found += 1
    return found


def bound(length: int, dimension: int, classes: int, gamma: Fraction) -> dict[str, Number]:
    """Every size with explicit constants, from N, d', C and gamma alone.

    width d = d' + b + 3; p = bit_length(2 n^(2 Kc)); core = 3 d p (max(3, d') + max(d' + 1, b)), one head of each layer;
    tables = program + p (2 N - 1) d; program = p (d (d' + C) + 6 d + 2 d' d + 5 d + 2 + 2 (d' + 1) d + 2 b d + C (d + 1)): the
    reading of vectors; W_Q and W_K, W_V and W_O of layer 1; its FFN; the same of layer 2; the read-out and its bias.
    """
    b = _digits(classes)
    d, p = dimension + b + 3, Grid.of(_base(length), exponent(length, gamma)).precision
    entries = d * (dimension + classes + 6 + 2 * dimension + 5 + 2 * (dimension + 1) + 2 * b + classes) + 2 + classes
    return {
        "width": d,
        "heads": 1,
        "layers": 2,
        "eta": scale(length, gamma),
        "precision": p,
        "core_bits": 3 * d * p * (max(3, dimension) + max(dimension + 1, b)),
        "program_bits": p * entries,
        "tables_bits": p * (entries + (2 * length - 1) * d),
    }


def proved(length: int, steps: int) -> float:
    """(1 - R) / (1 + R) - n D, the least of a retrieved digit."""
    others = math.exp(1 / steps) * ((length - 2) / (3 * length) + 1 / (9 * length))
    return (1 - others) / (1 + others) - _base(length) / steps


def check(
    length: int = 32,
    dimension: int = 4,
    classes: int = 2,
    alphabet: int = 64,
    gamma: Fraction | float | None = None,
    variant: str = "repaired",
    tightness: bool = False,
    seed: int = 0,
) -> list[Outcome]:
    """Nearest neighbour with margins of at least `gamma` (by default 1/n), and recall over an alphabet, on the grid.

    Length 5 in dimension 2: every order and labelling of four points of the unit circle, with many questions. Else random and
    hard settings, short ones too, and a climb that lowers the retrieved digits; every k with N/2 < k <= N is asked; the same in
    float64. With `tightness`: the least eta2 and L that answer the hard settings. With `variant="printed"`: the printed
    construction at k = 16,384, gamma 1 by default, which need not hold.
    Raises TheoremFails with the setting that is answered wrongly.
    """
    _require("check", length, dimension, classes, alphabet, gamma, variant)
    if variant == "printed":
        printed = Fraction(1 if gamma is None else gamma)
        return [as_printed.outcome(CLAIM, length, dimension, classes, printed, seed)]
    random, gamma, digits = np.random.default_rng(seed), _margin_asked(length, gamma), _digits(alphabet)
    asking = Asking(CLAIM.name, build(length, dimension, classes, gamma), gamma)
    exhaustive = (length, dimension) == (5, 2)
    if exhaustive:
        asking.put_all(drawn.on_circle(classes, asking.network.grid, gamma))
    else:
        asking.try_hard(length, dimension, random, batch=16)
    recalling = Asking(CLAIM.name, build(length, digits, classes, Fraction(1, digits)), Fraction(1, digits))
    recalling.try_recall(length, alphabet, random, batch=16)
    outcomes = [
        _outcome(asking, length, dimension, "repaired", exhaustive),
        replace(_outcome(recalling, length, digits, f"repaired, recall over {alphabet} symbols"), statement=RECALL),
    ]
    return [_tightness(outcomes[0], dimension, classes, gamma, seed)] if tightness else outcomes


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Hard settings until so many questions are answered, with margins down to n^-1 and n^-2; `plan` gives the lengths."""
    random, outcomes = np.random.default_rng(seed), []
    for place, (length, power, inputs, batch) in enumerate(plan(inputs_small, inputs_large)):
        dimension, classes = (2, 4, 8, 3)[place % 4], (2, 2, 5)[place % 3]
        gamma = Fraction(1, _base(length) ** power)
        asking = Asking(CLAIM.name, build(length, dimension, classes, gamma), gamma, most_asked=128)
        asking.trial.in_floats = 2_000 if length <= 250 else 0
        while asking.trial.inputs < inputs:
            asking.try_hard(length, dimension, random, batch, until=inputs)
        outcomes.append(_outcome(asking, length, dimension, f"repaired, gamma >= n^-{power}"))
    return outcomes


def _require(
    call: str, length: int, dimension: int, classes: int, alphabet: int, gamma: Fraction | float | None, variant: str
) -> None:
    if variant not in VARIANTS:
        raise ValueError(f"{call}(variant={variant!r}): variant is one of {', '.join(VARIANTS)}")
    if length < 2 or min(dimension, classes, alphabet) < 1 or (gamma is not None and not 0 < gamma <= 1):
        raise ValueError(
            f"{call}(length={length}, dimension={dimension}, classes={classes}, alphabet={alphabet}, gamma={gamma}): length is "
            "at least 2; dimension, classes and alphabet are at least 1; 0 < gamma <= 1"
        )


def _tightness(outcome: Outcome, dimension: int, classes: int, gamma: Fraction, seed: int) -> Outcome:
    return tighten(
        replace(outcome, exhaustive=False),
        grid=build(outcome.length, dimension, classes, gamma).grid,
        eta=scale(outcome.length, gamma),
        build=lambda steps, eta: build(outcome.length, dimension, classes, gamma, steps, eta),
        answers=lambda network: answers_hard(CLAIM.name, network, gamma, outcome.length, dimension, seed),
    )


def _outcome(asking: Asking, length: int, dimension: int, variant: str, exhaustive: bool = False) -> Outcome:
    network, trial = asking.network, asking.trial
    if trial.least is None or asking.least_gamma is None:
        raise ValueError(f"check(length={length}, gamma={asking.gamma}): no setting that was tried has such a margin")
    compare, _ = network.layers[1]
    assert isinstance(compare, AttentionLayer)
    measured = {**sizes(network), "eta": int(compare.heads[0].query.largest)}
    bounds = bound(length, dimension, asking.classes, asking.gamma)
    return CLAIM.upper(
        length=length,
        inputs=trial.inputs,
        exhaustive=exhaustive,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        as_printed=as_printed.needed(length, dimension, _digits(asking.classes), asking.gamma),
        variant=variant,
        witness={"gamma": float(asking.gamma), "least_gamma_met": float(asking.least_gamma)},
        margin=Margin(float(trial.least), proved(length, network.grid.steps), MARGIN),
        saturated=trial.saturated,
    )


def applier(
    length: int, classes: int = 64, alphabet: int = 64, gamma: Fraction | float | None = None, variant: str = "repaired"
) -> Callable[[Mapping[str, Any]], int | list[int]]:
    """Answers {"points": [[..], ..], "labels": [..], "query": [..]} and {"pairs": [[key, value], ..], "query": key}.

    At most `length` points with the question; labels and values are 0 to C - 1, keys 0 to S - 1. With "queries", a list,
    each is asked alone and the answer is a list. Vectors have norm at most 1; they are rounded to the grid, and each
    question needs the margin gamma there (by default 1/n; in recall half of what the code has).
    """
    _require("applier", length, 1, classes, alphabet, gamma, variant)
    networks: dict[tuple[int, Fraction], Network] = {}

    def answer(given: Mapping[str, Any]) -> int | list[int]:
        asked = read(given, length, classes, alphabet)
        dimension = _digits(alphabet) if asked.recall else asked.points.shape[1]
        least = _margin_asked(length, Fraction(1, dimension) if asked.recall and gamma is None else gamma)
        if (dimension, least) not in networks:
            networks[dimension, least] = build(length, dimension, classes, least)
        network = networks[dimension, least]
        settings = asked.settings(alphabet, network.grid)
        require_margin(settings, least, asked.name, network.grid)
        if variant == "printed":
            found = as_printed.answers(settings.points / network.grid.steps, settings.labels, _digits(classes), least)
        else:
            found = run(network, drawn.tokens(settings, classes, network.grid), at=-1).answers[:, 0]
        return int(found[0]) if asked.name == "query" else found.tolist()

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    applier=applier,
    verify=verify,
    errata=as_printed.ERRATA,
)
