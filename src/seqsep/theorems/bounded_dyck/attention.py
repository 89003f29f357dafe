"""Upper bound: Dyck-(n,k) by attention: next brackets by one or two layers, membership by two (k <= 4) or three (any k).

Source: section 4.1 of Bhattamishra et al. 2024 (arXiv:2406.09347), which cites Yao et al. 2021 (arXiv:2105.11115): two layers
generate Dyck-(n,k), D + 1 = k + 1 layers with hard attention recognise it. Four variants here, all causal with [BOS] first:
* one-layer: the brackets allowed next, and whether the word may end, after every valid prefix, k = 2 (Theorem 5 forbids it to
  recognise the words).
* two-layer-valid: the same for any k.
* two-layer: after *every* prefix, nothing being allowed after an invalid one, k <= 4.
* three-layer: the same for any k.
We differ: softmax on a grid with one constant scale, eta = 1, no norms; three layers recognise every depth. Sets that are
empty after *every* invalid prefix decide membership at the last token, so two layers with them for any k would recognise any
k; whether two can for k >= 5 is open here. The rule below cannot: at k = 5 it errs on 624 of the 43,008 strings of length 10
with balanced directions (416 words rejected; if it counted kinds, not digits, on 832: every word of depth >= 3).
After valid prefixes two layers are enough for any k; read at each position they decide membership too (the first wrong bracket
is not in the set before it), which is what generating means.

Proof, as code. b = max(1, ceil(log2 n)) digits of a kind, c = bit_length(k) digits (±1) of a depth. Positions i = 0 .. N,
[BOS] at 0; n = max(4, N + 1, k + 1) from here on; L = n^2 steps a unit, stepwise softmax, rounding down; G = 2 n. d is the
depth after a token. The level of a bracket is d for an open one, whose position has the same parity, and d + 1 for a close one.
* *Gate.* A score may have terms -G that a token escapes only with the right features. e^-G < 1/L rounds down to 0, so among
  otherwise equal scores the weights of m tokens that pass are equal, w = floor(L/m) >= n steps (m <= n), of all others 0.
* *Counting* (`uniform`). All scores 0: `unit` u = w/L is [BOS]'s own weight, `count` is d u, both exactly (values are whole).
  n (count - t u) is at most 0 for d <= t and at least n u >= 1 beyond, so min(1, relu(.)), two hidden units, is [d > t]
  exactly; with +1 at close brackets it is [level > t]. Digits, d > 0 (`some`), d >= k (`full`), d outside 0..k are their sums.
* *Last open bracket* (`by_parity`, `same_depth`). Score j at position j, -G for each of: not open; another parity than asked
  (products of parities are bilinear); each digit of the depth that differs (n (digit digit' - 1)). Let j* be the last one that
  passes. Others that pass lie at j* - 2, j* - 4, ..: they sum to at most 1/(e^2 - 1). The rest score at most j - j* - 2 n
  below it, together e^(-n-2)/(1 - 1/e). With R = 0.1605 >= both for n >= 4, j* has weight at least 1/(1+R) - 1/L >= 0.799 and
  the others together at most R/(1+R) <= 0.139: each retrieved digit in {0, 1} is on its side of 3/4 and 1/4, and relu(4 z - 1)
  - relu(4 z - 3) is 0 or 2 exactly (`doubled_in_place`). Where nothing passes the digits are not used: `some` = 0.
* *Errors.* `wrong` of a close bracket is the sum over digits of relu(2 z - 1 - 2 own) + relu(2 own - 1 - 2 z), z retrieved for
  its level: at least 0.598 if kinds differ, else 0. A depth outside 0..k adds 1. The last layer means `wrong` over the
  positions so far: at least floor(0.598 n) >= 2 steps if any is positive, else 0. L times that is >= 1, or 0: `errors`. It may
  saturate at L.
* *Read-out.* opens: 1 - 2 full - 2 errors; end: 1 - 2 some - 2 errors; close of kind s: sum of (2 s_m - 1)(z'_m - 1) over
  digits (b if all agree, else at most b - 2) - b - 1 + 2 some - 2 errors. Each is >= 1 if allowed, else <= -1; 0 <= z' <= 2.
* one-layer. After a valid prefix d = 1 at odd positions, and the match is the last open at an odd position. At even ones d = 2
  after an open, which itself is the match, else d = 0: full = relu(open - odd), some = 1 - relu(1 - odd - open).
* two-layer-valid. Counting, then the last open of depth d: brackets opened since lie deeper while it is open.
* three-layer. Counting; each close looks for the last open of its level, which is its match if the prefix before it is valid,
  so the first error is seen where it happens, and a valid prefix has none; then the last layer.
* two-layer. A close bracket at position i has a level of the parity of i - 1, whatever its depth: its *class*. Layer 1: the
  last open of the class; and for each class and digit of a kind the signed count of that digit (opens minus closes). A type
  times a parity is not linear in the embedding, so two heads count: one over the odd positions, one over the even ones with
  [BOS]. At even i the first takes [BOS] too; then both mean over m = floor(i/2) + 1 tokens and the counts of a class add up.
  (a) d outside 0..k; (b) `wrong`, weighed at tokens with d >= k - 2, i.e. closes of level >= k - 1; (c) `unbalanced`, the sum
  of |count| u over the digits of a close bracket's class, weighed at tokens with d < k - 2, i.e. closes of level <= k - 2. Two
  gated heads of layer 2 mean (b) and (c); [BOS] passes both gates and has neither. (c) is at least u >= n/L, and its mean at
  least n (n/L) = 1 step. For k <= 2 there is no (c): one uniform head.
  Let the prefix before a close of level l be valid. Opens of its class since its match have level >= l + 2 > k if l > k - 2:
  the last open of the class is the match, and (b) is exact. If l <= k - 2 <= 2, the class is {l, l + 2}, as l - 2 <= 0 and
  l + 4 > k; its earlier pairs agree and cancel, so its counts are the digits' difference of this one pair: (c) is exact.
  At k = 5, l = 3 the bracket of level 1 is still open and stays in the counts.

On the grid: sums of count, unit and counts are exact; a retrieved weight loses less than one step; all else is whole or a
multiple of a step. Entries: n (c + 2) <= n^2 since c <= bit_length(n - 1) <= n - 2. Only losing scores, negative units and
`errors` saturate.
What a run does not show: other lengths, kinds and depths than built. The width grows like log n + log k only (`bound`).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from seqsep.exact.executor import run
from seqsep.exact.grid import Grid
from seqsep.exact.integers import digits_of
from seqsep.exact.network import AttentionLayer, Network
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.bounded_dyck import _trials as trials
from seqsep.theorems.bounded_dyck._layers import assemble
from seqsep.theorems.bounded_dyck._parts import Plan
from seqsep.theorems.checking import tighten, until_tried

CLAIM = Claim(
    name="bounded-dyck-attention",
    source="Bhattamishra et al. 2024, section 4.1",
    statement="Two causal attention layers (k <= 4) or three (any k) of logarithmic width and constant eta "
    "recognise Dyck-(n,k)",
)
STATEMENTS = {
    "one-layer": "One causal attention layer gives the next brackets of Dyck-(n,2) after every valid prefix",
    "two-layer-valid": "Two causal attention layers give the next brackets of Dyck-(n,k) after every valid prefix",
    "two-layer": "Two causal attention layers recognise Dyck-(n,k) for k <= 4",
    "three-layer": "Three causal attention layers recognise Dyck-(n,k) for every k",
}
NEXT = ", and give the next brackets after every prefix, none after an invalid one"
EVERY_PREFIX = ("two-layer", "three-layer")
MARGIN = "a retrieved digit of a kind from 1/2"
ASK = ("word", "next")
ETA = 1
EXHAUSTIVE_STRINGS = 70_000
SMALL, MEDIUM, LARGE = (1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64), (100, 128, 250), (1024, 2048, 4096)


def build(
    length: int,
    kinds: int = 2,
    depth: int = 2,
    variant: str | None = None,
    ask: str = "word",
    steps: int | None = None,
    eta: int | None = None,
) -> Network:
    """The network for up to `length` brackets; tokens as in `BoundedDyck`, then [BOS], which comes first.

    A logit above 0 allows: the end alone with ask="word", every bracket and the end with ask="next". The default variant is
    two-layer for depths up to 4, else three-layer. `steps` and `eta` replace L and the scale of the scores.
    Raises ValueError for numbers below 1, or a variant that does not answer this depth or question.
    """
    return assemble(_plan("build", length, kinds, depth, variant, ask, steps, eta))


def _plan(
    call: str,
    length: int,
    kinds: int,
    depth: int,
    variant: str | None,
    ask: str,
    steps: int | None = None,
    eta: int | None = None,
) -> Plan:
    given = f"{call}(length={length}, kinds={kinds}, depth={depth}, variant={variant!r}, ask={ask!r})"
    variant = _default(depth) if variant is None else variant
    if min(length, kinds, depth) < 1:
        raise ValueError(f"{given}: length, kinds and depth are at least 1")
    if variant not in STATEMENTS or ask not in ASK:
        raise ValueError(f"{given}: variant is one of {', '.join(STATEMENTS)}; ask is one of {', '.join(ASK)}")
    if (variant, ask) not in _answered(depth):
        able = "; ".join(f"{one} with ask={other!r}" for one, other in _answered(depth))
        raise ValueError(f"{given}: at depth {depth} there are {able}")
    plan = Plan(CLAIM.name, length, kinds, depth, variant, ask, Grid(2), ETA if eta is None else eta)
    return plan._replace(grid=Grid.of(plan.base, 2) if steps is None else Grid(steps))


def _default(depth: int) -> str:
    return "two-layer" if depth <= 4 else "three-layer"


def _answered(depth: int) -> list[tuple[str, str]]:
    """(variant, ask) for this depth."""
    one = [("one-layer", "next")] if depth == 2 else []
    two = [("two-layer", "word"), ("two-layer", "next")] if depth <= 4 else []
    return [*one, ("two-layer-valid", "next"), *two, ("three-layer", "word"), ("three-layer", "next")]


def bound(length: int, kinds: int, depth: int, variant: str, ask: str) -> dict[str, Number]:
    """Every size with explicit constants, from the arguments alone: b, c, n as in the proof, R logits, S = 2 kinds + 1 tokens.

    Each layer is (heads, key width k', value width v', hidden units h). core = p d sum of 3 heads max(k', v');
    program = p (S d + sum of (2 heads (k' + v') d + h (2 d + 1) + d) + R (d + 1)); tables = program + p (N + 1) d.
    """
    n, b, c = max(4, length + 1, depth + 1), digits_of(kinds), depth.bit_length()
    following, classed, p = ask == "next", depth > 2, (2 * n**4).bit_length()
    digits, match = 3 * b * following, b + 1 if following else 0
    if variant == "one-layer":
        d, layers = 3 * b + 8, [(1, 2, b, 3 * b + 2)]
    elif variant == "two-layer-valid":
        d, layers = 3 * b + c + 10, [(1, 1, 2, 2 * depth), (1, c + 1, b, 3 * b)]
    elif variant == "two-layer":
        d = 3 * b + 11 + (2 * b + 2) * classed + (b + 1 + c) * following
        found = 2 * (depth if following else 1) + 4 + 2 * b + (2 + 4 * b) * classed
        first = (3, 2, 2 * b + 2, found) if classed else (2, 2, max(2, b), found)
        second = (1 + classed + following, c + 1 if following else 1, b if following else 1, 1 + digits)
        layers = [first, second]
    else:
        d = 3 * b + 2 * c + 11 + match
        last = (1 + following, c + 1 if following else 1, b if following else 1, 1 + digits)
        layers = [(1, 1, 2, 4 * depth + 4), (1, c + 1, b, 2 * b), last]
    tokens, logits = 2 * kinds + 1, 2 * kinds + 1 if following else 1
    entries = sum(2 * heads * (key + value) * d + hidden * (2 * d + 1) + d for heads, key, value, hidden in layers)
    entries += tokens * d + logits * (d + 1)
    return {
        "width": d,
        "heads": max(heads for heads, *_ in layers),
        "layers": len(layers),
        "eta": ETA,
        "precision": p,
        "core_bits": p * d * sum(3 * heads * max(key, value) for heads, key, value, _ in layers),
        "program_bits": p * entries,
        "tables_bits": p * (entries + (length + 1) * d),
    }


def proved(length: int, depth: int) -> float:
    """1/(1+R) - 1/2 - 1/L, the least distance of a retrieved digit from 1/2."""
    n = max(4, length + 1, depth + 1)
    others = 1 / (math.e**2 - 1) + math.exp(-n - 2) / (1 - 1 / math.e)
    return 1 / (1 + others) - 1 / 2 - 1 / n**2


def check(
    length: int = 32,
    kinds: int = 2,
    depth: int = 2,
    variant: str | None = None,
    ask: str | None = None,
    tightness: bool = False,
    seed: int = 0,
) -> list[Outcome]:
    """Each variant that answers this depth (or one), for membership and for next brackets (or one), read after every prefix.

    All strings where there are at most 70,000 of the length, else words with far matches, the same with one bracket changed at
    every place, and random strings; in float64 too. With `tightness`: the least eta and L that answer these.
    Raises TheoremFails with the prefix after which an answer is wrong.
    """
    chosen = [(one, other) for one, other in _answered(depth) if variant in (None, one) and ask in (None, other)]
    if not chosen or min(length, kinds) < 1:
        _plan("check", length, kinds, depth, variant, ask or "word")
    outcomes, exhaustive = [], (2 * kinds) ** length <= EXHAUSTIVE_STRINGS
    for one, other in chosen:
        plan = _plan("check", length, kinds, depth, one, other)
        asking = trials.Asking(plan)
        if exhaustive:
            asking.put_every()
        else:
            asking.put_hard(np.random.default_rng(seed))
        outcome = _outcome(asking, exhaustive)
        outcomes.append(_tightness(outcome, plan, seed) if tightness else outcome)
    return outcomes


def verify(inputs_small: int = 50_000, inputs_medium: int = 49_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """For each variant and question: all strings up to length 8, two kinds, k = 2 to 4 where it answers them; and at least
    so many prefixes of hard strings at N <= 64 (k <= 8), in between (k <= 3), and of 1,024 to 4,096 brackets (k <= 4)."""
    random, outcomes = np.random.default_rng(seed), []
    for variant, ask in dict.fromkeys([*_answered(2), *_answered(5)]):
        depths = [depth for depth in (2, 3, 4, 1, 5, 8, 20) if (variant, ask) in _answered(depth)]
        for depth in depths[:3]:
            outcomes += check(8, 2, depth, variant, ask)
        for lengths, inputs, asked in ((SMALL, inputs_small, None), (MEDIUM, inputs_medium, None), (LARGE, inputs_large, 100)):

            def check_case(
                turn: int,
                left: int,
                lengths: tuple[int, ...] = lengths,
                depths: list[int] = depths,
                chosen: tuple[str, str] = (variant, ask),
                most: int = inputs // 3 + 1,
                asked: int | None = asked,
            ) -> Outcome:
                length = lengths[turn % len(lengths)]
                depth = depths[turn // 2 % len(depths)]
                plan = _plan("verify", length, (2, 3, 1, 4, 7)[turn % 5], depth, *chosen)
                asking = trials.Asking(plan, in_floats=2_000 if length <= 64 else 0)
                asking.put_some(random, min(left, most), asked)
                return _outcome(asking, exhaustive=False)

            outcomes += until_tried(inputs, check_case)
    return outcomes


def _tightness(outcome: Outcome, plan: Plan, seed: int) -> Outcome:
    return tighten(
        outcome,
        grid=plan.grid,
        eta=ETA,
        build=lambda steps, eta: trials.Asking(plan._replace(grid=Grid(steps), eta=eta), in_floats=0),
        answers=lambda asking: trials.answers_hard(asking, seed),
    )


def _outcome(asking: trials.Asking, exhaustive: bool) -> Outcome:
    plan, network = asking.plan, asking.trial.network
    mixer = network.layers[0 if plan.variant in ("one-layer", "two-layer") else 1][0]
    assert isinstance(mixer, AttentionLayer)
    time = network.spaces["time"]  # the last head of this layer looks for an open bracket and scores eta times its position
    measured = {**sizes(network), "eta": int(mixer.heads[-1].key[:, time].largest)}
    bounds = bound(plan.length, plan.kinds, plan.depth, plan.variant, plan.ask)
    least = None if asking.least is None else Margin(float(asking.least), proved(plan.length, plan.depth), MARGIN)
    statement = STATEMENTS[plan.variant] + (NEXT if plan.variant in EVERY_PREFIX and plan.ask == "next" else "")
    return CLAIM.upper(
        statement=statement,
        length=plan.length,
        inputs=asking.trial.inputs,
        exhaustive=exhaustive,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        variant=f"{plan.variant}, {plan.ask}, n = {plan.kinds}, k = {plan.depth}",
        margin=least,
        saturated=asking.trial.saturated,
    )


def applier(
    length: int, kinds: int = 2, depth: int = 2, ask: str = "word", variant: str | None = None
) -> Callable[[Mapping[str, Any]], int | list[list[str]]]:
    """Answers {"string": "([])"}, at most `length` brackets written as `sample` writes them: 1 if it is a word of Dyck-(n,k).

    With ask="next": the brackets allowed after the prefix of each length from 0 on. The variants one-layer and two-layer-valid
    answer valid prefixes only: ValueError for a string that goes on after an invalid one.
    """
    plan = _plan("applier", length, kinds, depth, variant, ask)
    network, brackets = assemble(plan), trials.alphabet(kinds)

    def answer(given: Mapping[str, Any]) -> int | list[list[str]]:
        words = trials.read(given, kinds, length)
        if variant in ("one-layer", "two-layer-valid"):
            trials.require_valid(words, plan)
        allowed = run(network, trials.with_start(words, kinds)).logits.integers[0] > 0
        if ask == "word":
            return int(allowed[-1, 0])
        return [[bracket for bracket, may in zip(brackets, row[:-1], strict=True) if may] for row in allowed.tolist()]

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    applier=applier,
    verify=verify,
)
