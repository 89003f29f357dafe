"""Two attention layers of one head answer nearest neighbour, with a width that does not depend on the margin.

A model reads labelled points and then one more point. It answers with the label of the nearest of the earlier points. The
margin is the difference between the greatest inner product with a point of that label and the greatest with a point of another
label. For two labels the width is d' + 4, where d' is the dimension of the points.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 7 and appendix G.2, with associative recall and MQAR (multi-query
recall) from appendix G. The input is x_1, y_1, .., x_(k-1), y_(k-1), x_k with N/2 < k <= N. The answer is the label y_i of the
i < k with the greatest inner product <x_k, x_i>.

We differ:
* Our construction (`variant="repaired"`) differs from that of the paper, and its width does not depend on the margin. The
  construction of the paper (`variant="printed"`, in `_printed`) needs k = 8 ln(4 N) / (gamma/100)^2 coordinates.
* Labels are 0 .. C - 1. The margin gamma is required only between the nearest point and points of *another label*. Equal
  points with equal labels do no harm.
* Points are rounded to the grid, and a rounded point rarely has norm 1. So points with |x|^2 <= 5/4 are allowed, and gamma is
  measured after rounding.

Idea. In layer 1 each label copies the point before it. In layer 2 the last point attends to the labels by the inner product
with these copies. So almost all weight is on labels of the nearest point.

Sizes. There are n = max(4, 2 N - 1) tokens. A label has b = max(1, ceil(log2 C)) binary digits. Numbers are multiples of D =
1/L with L = n^Kc. The softmax is stepwise: it rounds each exponential down, adds them exactly, and rounds each weight down.

Inputs. A point is the input [x, 0], and a label is [0, one-hot]. The residual stream is [point: d' | label: b | place: 3]:
* The first part is x at a point, and 0 at a label.
* The second part is 0 at a point. At a label it has the label's digits, written as +1 or -1.
* The third part is (t, t^2, 1), where t is the token's number, counted from the middle of the sequence.

Margins. These hold for every N, d', C and 0 < gamma <= 1. Here eta2 is the scale of the scores of layer 2
(`_attend_to_nearest`):
* In layer 1, the weight of the token before is exactly 1.
* In layer 2, the nearest label scores higher than every other label by at least eta2 gamma - D, and higher than every point by
  9/4 eta2 - D.
* A retrieved digit (+1 or -1) is at least (1-R)/(1+R) - n D away from 0. Here R is a number below e^D / 3.
  `_attend_to_nearest` defines R and proves that this distance is above 1/2.
* The logit of the right class exceeds every other logit by more than 1.

The proof continues at `_copy_point_before` (layer 1), `_mark_points` (its FFN), `_attend_to_nearest` (layer 2), `_readout` and
`_plan.exponent` (the choice of L).

Real inputs. Rounding to the nearest step moves a norm by at most r = sqrt(d') D/2. It moves a product by at most 2 r + r^2,
and a difference of two products by twice that. Let gamma0 be the margin before rounding. If sqrt(d') D <= 1/2, the margin
after it is gamma >= gamma0 - 9/4 sqrt(d') D. If sqrt(d') D <= sqrt(5) - 2, about 0.236, a point of norm 1 is rounded to one
with |x|^2 <= 5/4. Otherwise a point of norm 1 may be refused.

Recall. A symbol becomes a point whose d = ceil(log2 S) coordinates are its binary digits, written as +floor(L / sqrt d) or
-floor(L / sqrt d) steps. Two symbols differ in a digit. So the margin is 2 floor(L / sqrt d)^2 / L^2, about 2/d. In the paper
the margin is 1/log N. Our network is built for the margin 1/d, which is below the true margin for d <= 20.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.grid import Array, common_unit
from seqsep.maths.arithmetic.integers import digits_of, spelled
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import Spaces, Units, feed_forward
from seqsep.theorems.checking import tighten
from seqsep.theorems.nearest_neighbor import _printed as as_printed
from seqsep.theorems.nearest_neighbor._drawn import on_circle
from seqsep.theorems.nearest_neighbor._plan import APART, NeighborPlan, base, least_margin, require
from seqsep.theorems.nearest_neighbor._reading import read, require_margin
from seqsep.theorems.nearest_neighbor._settings import tokens
from seqsep.theorems.nearest_neighbor._trials import NeighborTrial, all_series, answers_hard
from seqsep.theorems.options import (
    Alphabet,
    Classes,
    Dimension,
    Eta,
    Gamma,
    GridSteps,
    LengthFrom2,
    Repair,
    Seed,
    Tightness,
)
from seqsep.theorems.trial import query_scale

CLAIM = Claim(
    name="nearest-neighbor-two-layers",
    source="Bhattamishra et al. 2024, Theorem 7",
    statement="Two causal one-head layers of width d' + ceil(log2 C) + 3 answer nearest neighbour for every margin "
    "gamma >= n^-c, with a constant c and n tokens",
)
RECALL = "Two causal one-head layers of width ceil(log2 S) + ceil(log2 C) + 3 answer multi-query associative recall"
MARGIN = "a retrieved digit (±1) from 0"


def build(
    length: LengthFrom2,
    dimension: Dimension = 4,
    classes: Classes = 2,
    gamma: Gamma | None = None,
    steps: GridSteps | None = None,
    eta: Eta | None = None,
) -> Network:
    """The network for up to `length` points, the question included, with margins of at least `gamma` (by default 1/n).

    Inputs are vectors: a point [x, 0], a label [0, one-hot].
    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the second layer's scores.
    Raises ValueError for a length below 2, a dimension or class count below 1, or a margin outside (0, 1].

    >>> network = build(length=8, dimension=3)
    >>> network.width, list(network.spaces)
    (7, ['point', 'label', 'place'])
    """
    require("build", length=length, dimension=dimension, classes=classes, gamma=gamma)
    return assemble(NeighborPlan(length, dimension, classes, least_margin(length, gamma), eta=eta, steps=steps))


def assemble(plan: NeighborPlan) -> Network:
    """Build the network of a plan."""
    spaces = Spaces(point=plan.dimension, label=plan.digits, place=3)
    signs = 2 * spelled(plan.classes) - 1
    time = np.arange(2 * plan.length - 1) - (plan.length - 1)
    place = np.stack([time, time**2, np.ones_like(time)], axis=1)
    return Network(
        name=CLAIM.name,
        grid=plan.grid,
        spaces=spaces.slices,
        symbols=None,
        vectors=whole(np.concatenate([spaces["point"], spaces.embed(label=signs)])),
        positions=whole(spaces.embed(place=place), by_index=True),
        layers=(
            (AttentionLayer((_copy_point_before(plan, spaces),)), _mark_points(spaces)),
            (AttentionLayer((_attend_to_nearest(plan, spaces),)), None),
        ),
        readout=_readout(plan, spaces),
        readout_bias=whole(np.zeros(plan.classes)),
    )


def _copy_point_before(plan: NeighborPlan, spaces: Spaces) -> Head:
    """The query (2 eta1 (t-1), -eta1, -eta1 (t-1)^2 / n) and the key (t', t'^2, n) give the score -eta1 (t' - t + 1)^2.

    The score is 0 at the token before, t' = t - 1, and at most -eta1 elsewhere. Since eta1 = floor(ln L) + 1 > ln L, all other
    exponentials round down to 0. So the weight of the token before is exactly 1.

    The head reads the point coordinates of the token before and adds them to the point coordinates of the token. These were 0
    at a label, so a label now holds exactly its x_i. A point gets the 0 of the label before it, so it does not change. The
    first token attends to itself, as it sees no other token, and becomes 2 x_1.

    Losing scores below -L are stored as -L. They stay losing scores, since -L is below -ln L. The entries are on the grid: |t|
    <= N, and 2 eta1 N <= eta1 (n + 1) <= L for n >= 4 and Kc >= 2. If n does not divide L, 1/n is rounded down to the grid.
    This changes all scores of one query by the same amount, so the weights stay the same. This matters only in a test for the
    least possible L.
    """
    n = base(plan.length)
    steps = plan.grid.steps
    eta = math.floor(math.log(steps)) + 1
    time, squared, one = spaces["place"]
    nth = Fraction(steps // n, steps)
    unit = common_unit(Fraction(1), nth)
    units = int(1 / unit)
    nth_units = int(nth / unit)
    query = np.stack([2 * units * (time - one), -units * one, -nth_units * (squared - 2 * time + one)])
    key = np.stack([time, squared, n * one])
    return Head(
        query=Array(eta * query, unit),
        key=whole(key),
        value=whole(spaces["point"]),
        output=whole(spaces["point"].T),
    )


def _mark_points(spaces: Spaces) -> FeedForward:
    """The last place coordinate becomes 1 - relu(y) - relu(-y), with y the first digit of a label: 0 at labels, 1 at points."""
    first_digit = spaces["label"][:1]
    one = spaces["place"][2:]
    absolute = Units(
        inner=np.concatenate([first_digit, -first_digit]),
        bias=np.zeros(2, dtype=np.int64),
        outer=np.concatenate([-one, -one]),
    )
    return feed_forward([absolute], bias=spaces.nothing()[0])


def _attend_to_nearest(plan: NeighborPlan, spaces: Spaces) -> Head:
    """The query is (eta2 x_k, 1) with eta2 = ceil(ln(3 N) / gamma); the key is (x, 0) at labels and (x, -6 eta2) at points,
    with x the point coordinates.

    *Scores.* A label scores floor(eta2 <x_k, x_i>). So the token of the nearest label scores at least -5/4 eta2 - D. It is
    above every token with another label by at least eta2 gamma - D. A point scores at most 5/4 eta2 - 6 eta2, and the first
    token (5/2 - 6) eta2. That is at least 9/4 eta2 - D below the nearest label, so the last point gives itself little weight.
    Since 6 eta2 <= L, only losing scores can be cut off at -L, and they stay losing scores.

    *Weights.* Divide all exponentials by that of the token of the nearest label. Let R be the sum of the results over all
    tokens that do not have its label. These are at most N - 2 labels of e^(D - ln 3N), and N points of e^(D - 2 ln 3N). So R
    <= e^D ((N-2)/(3N) + 1/(9N)) < e^D / 3.

    *Digits.* All tokens with the nearest label together weigh at least 1/(1+R) - n D after rounding down. The others together
    weigh at most R/(1+R). So a digit of the answer, of sign s, is retrieved as s z with z >= (1-R)/(1+R) - n D.

    This is above 1/2. To see this, write R = 1/3 - r, where r >= 5/(9N) - 0.35 D. Then (1-R)/(1+R) >= 1/2 + 9r/8 >= 1/2 +
    5/(8N) - 0.4 D. For N >= 4 this is more than 1/2 + n D, since n D <= 1/n. At N = 2 and N = 3 the retrieved digit is at
    least 0.63 and 0.53.
    """
    eta = plan.second_eta
    point = spaces["point"]
    is_point = spaces["place"][2:]
    return Head(
        query=whole(np.concatenate([eta * point, is_point])),
        key=whole(np.concatenate([point, -APART * eta * is_point])),
        value=whole(spaces["label"]),
        output=whole(spaces["label"].T),
    )


def _readout(plan: NeighborPlan, spaces: Spaces) -> Array:
    """The logit of class c is the sum over j of s_cj z_j. Here s_cj is digit j of c, written as +1 or -1, and z_j is the
    retrieved digit j. The logit of the right class exceeds all others by more than 1.
    """
    return whole(spaces.embed(label=2 * spelled(plan.classes) - 1))


def proved(length: int, steps: int) -> float:
    """Return (1 - R) / (1 + R) - n D, the least magnitude of a retrieved digit."""
    others = math.exp(1 / steps) * ((length - 2) / (3 * length) + 1 / (9 * length))
    return (1 - others) / (1 + others) - base(length) / steps


def bound(plan: NeighborPlan) -> dict[str, Number]:
    """Every size with explicit constants, from N, d', C and gamma alone.

    width d = d' + b + 3; p = bit_length(2 n^(2 Kc)); core = 3 d p (max(3, d') + max(d' + 1, b)), one head of each layer;
    tables = program + p (2 N - 1) d; program = p (d (d' + C) + 6 d + 2 d' d + 5 d + 2 + 2 (d' + 1) d + 2 b d + C (d + 1)): the
    reading of vectors; W_Q and W_K, W_V and W_O of layer 1; its FFN; the same of layer 2; the read-out and its bias.
    """
    b = plan.digits
    d = plan.dimension + b + 3
    p = plan.grid.precision
    rows = (plan.dimension + plan.classes) + 6 + 2 * plan.dimension + 5 + 2 * (plan.dimension + 1) + 2 * b + plan.classes
    entries = d * rows + 2 + plan.classes
    return {
        "width": d,
        "heads": 1,
        "layers": 2,
        "eta": plan.second_eta,
        "precision": p,
        "core_bits": 3 * d * p * (max(3, plan.dimension) + max(plan.dimension + 1, b)),
        "program_bits": p * entries,
        "tables_bits": p * (entries + (2 * plan.length - 1) * d),
    }


def check(
    length: LengthFrom2 = 32,
    dimension: Dimension = 4,
    classes: Classes = 2,
    alphabet: Alphabet = 64,
    gamma: Gamma | None = None,
    variant: Repair = "repaired",
    tightness: Tightness = False,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check nearest neighbour with margins of at least `gamma` (by default 1/n), and recall over an alphabet, on the grid.

    Length 5 in dimension 2: every order and labelling of four points of the unit circle, with many questions. Else random and
    hard settings, short ones too, and a climb that lowers the retrieved digits; every k with N/2 < k <= N is asked; the same in
    float64. With `tightness`: the least eta2 and L that answer the hard settings. `variant` is repaired (ours) or
    printed: the paper's construction at k = 16,384, gamma 1 by default, which need not hold.
    Raises ValueError for an argument out of range, or if no setting that was tried has the margin; TheoremFails with the
    setting that is answered wrongly.
    """
    require("check", length, dimension=dimension, classes=classes, alphabet=alphabet, gamma=gamma, variant=variant)
    if variant == "printed":
        asked = as_printed.PrintedPlan(length, dimension, classes, Fraction(1 if gamma is None else gamma))
        return [as_printed.outcome(CLAIM, asked, seed)]
    random = np.random.default_rng(seed)
    plan = NeighborPlan(length, dimension, classes, least_margin(length, gamma))
    outcome = _check(plan, random)
    recalled = _check_recall(length, classes, alphabet, random)
    return [_tightness(outcome, plan, seed)] if tightness else [outcome, recalled]


def _check(plan: NeighborPlan, random: np.random.Generator) -> Outcome:
    asking = NeighborTrial(CLAIM.name, assemble(plan), plan.gamma)
    exhaustive = (plan.length, plan.dimension) == (5, 2)
    if exhaustive:
        asking.put_all(on_circle(plan.classes, asking.network.grid, plan.gamma))
    else:
        asking.try_hard(plan.length, plan.dimension, asking.source(random, batch=16))
    return _outcome(asking, plan, "repaired", exhaustive=exhaustive)


def _check_recall(length: int, classes: int, alphabet: int, random: np.random.Generator) -> Outcome:
    digits = digits_of(alphabet)
    plan = NeighborPlan(length, digits, classes, gamma=Fraction(1, digits))
    asking = NeighborTrial(CLAIM.name, assemble(plan), plan.gamma)
    asking.try_recall(length, alphabet, asking.source(random, batch=16))
    return replace(_outcome(asking, plan, f"repaired, recall over {alphabet} symbols"), statement=RECALL)


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Check hard settings with margins down to n^-1 and n^-2, small and large ones (`_trials.all_series`)."""
    random = np.random.default_rng(seed)
    outcomes = []
    for place, series in enumerate(all_series(inputs_small, inputs_large)):
        dimension = (2, 4, 8, 3)[place % 4]
        classes = (2, 2, 5)[place % 3]
        plan = NeighborPlan(series.length, dimension, classes, gamma=Fraction(1, base(series.length) ** series.power))
        asking = NeighborTrial(CLAIM.name, assemble(plan), plan.gamma, most_asked=128)
        asking.trial.in_floats = 2_000 if plan.length <= 250 else 0
        while asking.trial.inputs < series.inputs:
            asking.try_hard(plan.length, dimension, asking.source(random, series.batch), until=series.inputs)
        outcomes.append(_outcome(asking, plan, f"repaired, gamma >= n^-{series.power}"))
    return outcomes


def _tightness(outcome: Outcome, plan: NeighborPlan, seed: int) -> Outcome:
    """Find the least eta2 and L that answer hard settings."""
    return tighten(
        replace(outcome, exhaustive=False),
        grid=plan.grid,
        eta=plan.second_eta,
        build=lambda steps, eta: NeighborTrial(CLAIM.name, assemble(replace(plan, steps=steps, eta=eta)), plan.gamma),
        answers=lambda asking: answers_hard(asking, plan.length, plan.dimension, seed),
    )


def _outcome(asking: NeighborTrial, plan: NeighborPlan, variant: str, exhaustive: bool = False) -> Outcome:
    network = asking.network
    trial = asking.trial
    if trial.least is None or asking.least_gamma is None:
        raise ValueError(f"check(length={plan.length}, gamma={plan.gamma}): no setting that was tested has such a margin")
    printed = as_printed.PrintedPlan(plan.length, plan.dimension, plan.classes, plan.gamma)
    return trial.outcome(
        CLAIM,
        bound(plan),
        more={"eta": query_scale(network, layer=1)},
        margin_of=MARGIN,
        proved=proved(plan.length, network.grid.steps),
        length=plan.length,
        exhaustive=exhaustive,
        as_printed=printed.needed(),
        variant=variant,
        witness={"gamma": float(plan.gamma), "least_gamma_met": float(asking.least_gamma)},
    )


def predictor(
    length: LengthFrom2,
    classes: Classes = 64,
    alphabet: Alphabet = 64,
    gamma: Gamma | None = None,
    variant: Repair = "repaired",
) -> Callable[[Mapping[str, Any]], int | list[int]]:
    """Answer {"points": [[..], ..], "labels": [..], "query": [..]} and {"pairs": [[key, value], ..], "query": key}.

    At most `length` points with the question; labels and values are 0 to C - 1, keys 0 to S - 1. With "queries", a list,
    each is asked alone and the answer is a list. Vectors have norm at most 1; they are rounded to the grid, and each
    question needs the margin gamma there (by default 1/n; in recall 1/d for symbols of d digits). `variant` is repaired (ours)
    or printed (the paper's). Raises ValueError with the field's name for any other input.
    """
    require("predictor", length, classes=classes, alphabet=alphabet, gamma=gamma, variant=variant)
    networks: dict[NeighborPlan, Network] = {}

    def answer(given: Mapping[str, Any]) -> int | list[int]:
        asked = read(given, length, classes, alphabet)
        dimension = digits_of(alphabet) if asked.recall else asked.points.shape[1]
        least = least_margin(length, Fraction(1, dimension) if asked.recall and gamma is None else gamma)
        plan = NeighborPlan(length, dimension, classes, least)
        if plan not in networks:
            networks[plan] = assemble(plan)
        network = networks[plan]
        settings = asked.settings(alphabet, network.grid)
        require_margin(settings, least, asked.name, network.grid)
        if variant == "printed":
            printed = as_printed.PrintedPlan(settings.points.shape[1], dimension, classes, least)
            answers = as_printed.answers(printed, settings.points / network.grid.steps, settings.labels)
        else:
            answers = run(network, tokens(settings, classes, network.grid), at=-1).answers[:, 0]
        return int(answers[0]) if asked.name == "query" else answers.tolist()

    return answer


def constants(length: LengthFrom2, dimension: Dimension, classes: Classes, gamma: Gamma | None = None) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return bound(NeighborPlan(length, dimension, classes, least_margin(length, gamma)))


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the lengths, dimensions and margins that it builds.",
    not_shown="This does not show that the networks are right for others. The proof covers them all.",
    build=build,
    bound=constants,
    nothing_to_certify="its inputs are vectors, which have no form in a certificate",
    predictor=predictor,
    verify=verify,
    errata=as_printed.ERRATA,
)
