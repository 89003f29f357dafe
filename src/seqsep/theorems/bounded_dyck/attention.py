"""Attention layers of width O(log N) recognise bracket words of bounded depth: two layers up to depth 4, three at any depth.

A word of Dyck-(n,k) has brackets of n kinds, correctly nested at most k deep. If a network only has to give the brackets that
may come next in a correct string, fewer layers are enough.

Source: section 4.1 of Bhattamishra et al. 2024 (arXiv:2406.09347), which cites Yao et al. 2021 (arXiv:2105.11115). In Yao et
al. two layers generate Dyck-(n,k): they give the brackets that may come next after each valid prefix. There k + 1 layers with
hard attention recognise it.

A prefix is valid if some word begins with it. The option `ask` says which answers a network gives. With `next` it gives the
brackets that may come next, and says if the word may end. With `word` it only decides whether the string is a word. There are
four variants, all causal. Each reads [BOS] first, a token that marks the beginning:
* `one-layer` is for k = 2. After every valid prefix it gives the answers of `next`. By Theorem 5, one layer of width O(log N)
  cannot recognise the words.
* `two-layer-valid` gives the same for any k.
* `two-layer` gives the same after *every* prefix, for k <= 4. After an invalid prefix nothing is allowed.
* `three-layer` gives the same after every prefix, for any k.

We differ:
* All numbers, also those inside the softmax, are multiples of 1/L. These multiples are called the grid. The scale of the scores
  is eta = 1 at every length. The network has no layer normalisation.
* Three layers recognise every depth.

Open question. A network that gives the empty set after *every* invalid prefix recognises the words: its answer at the last
token shows if the string is a word. So two layers with this property for any k would recognise any depth. We do not know if two
layers can do it for k >= 5. The rule of `_layers._two_layers` cannot. We tested it for two kinds and k = 5, on the 43,008
strings of length 10 whose brackets match if the kinds are ignored. It is wrong on 624 of them: it rejects 416 words and accepts
208 other strings. We also tested a rule that counts each kind, and not the digits of the kinds. It is wrong on 832 strings: it
rejects every word of depth 3 or more.

After valid prefixes two layers are enough for any k. Their answers at *all* positions together also decide membership: the
first wrong bracket is not in the set that the network gives at the position before it.

Symbols. A kind has b = max(1, ceil(log2 n)) digits in {0, 1}, and a depth has c = bit_length(k) digits in {-1, 1}. Positions
are i = 0 .. N, with [BOS] at 0. From here on the letter n has another meaning: n = max(4, N + 1, k + 1), the base of the grid.
Numbers are multiples of 1/L with L = n^2. The softmax is stepwise: each exponential is rounded down before the sum. If a head
must not see a token, the token's score is lower by G = 2 n (`DyckPlan.gate`).

Depth and level. The depth d after a token is the number of brackets that are open. The level of an open bracket is the depth
after it, and the level of a close bracket is the depth before it, d + 1. So a pair of brackets has one level. The depth after i
brackets has the parity of i. So the level of an open bracket has the parity of its position.

Margins. Let d be the depth, and u the weight of [BOS] in a head that weighs all tokens alike. The space `count` holds d u. The
margins are:
* If the m tokens that a head may see have equal scores, each has the weight floor(L/m)/L, which is at least n steps of 1/L. All
  other weights are 0 (`DyckPlan.gate`).
* A retrieved digit is above 3/4 or below 1/4. It is at least 1/(1+R) - 1/2 - 1/L away from 1/2, with R = 0.1605
  (`_parts._last_open`).
* n (count - t u) is at most 0 or at least 1. So a comparison of the depth with t is exact (`_parts._beyond`).
* The mean of the error flags is 0 or at least 1 step (`_layers._mean_of_wrong`, `_layers._weighed_by_level`).
* A logit is at least 1 if its bracket is allowed, and at most -1 if not (`_layers._readout`).

Rounding. The sums `count`, `unit` and the counts of kinds are exact. A retrieved weight loses less than one step. Every other
number is whole or a multiple of a step.

The proof continues at `_plan.DyckPlan.spaces`, `_plan.DyckPlan.gate`, `_parts.class_counters`, `_parts.last_open_by_parity`,
`_parts._last_open`, `_parts._beyond`, `_parts.mismatch`, `_layers._one_layer`, `_layers._two_layers`, `_layers._three_layers`,
`_layers._mean_of_wrong`, `_layers._weighed_by_level` and `_layers._readout`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import OneOf
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.bounded_dyck._bound import bound, proved
from seqsep.theorems.bounded_dyck._layers import assemble
from seqsep.theorems.bounded_dyck._plan import ETA, DyckPlan, answered, planned
from seqsep.theorems.bounded_dyck._strings import alphabet, parsed, require_valid, with_start
from seqsep.theorems.bounded_dyck._trials import Trials, answers_hard
from seqsep.theorems.checking import tighten
from seqsep.theorems.options import Depth, Eta, GridSteps, Kinds, Length, Seed, Tightness

Ask = Annotated[str, OneOf("word", "next"), "word (is the string one?) or next (which brackets may follow each prefix)."]
Variant = Annotated[
    str,
    OneOf("one-layer", "two-layer-valid", "two-layer", "three-layer"),
    "The network: one-layer and two-layer-valid answer valid prefixes only; by default two-layer for depths up to 4, else "
    "three-layer, and check runs each that answers the query.",
]

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
MARGIN = "a retrieved digit of a kind from 1/2"
EXHAUSTIVE_STRINGS = 70_000
SMALL = (1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64)
MEDIUM = (100, 128, 250)
LARGE = (1024, 2048, 4096)
LONGEST_IN_FLOATS = 64


def build(
    length: Length,
    kinds: Kinds = 2,
    depth: Depth = 2,
    variant: Variant | None = None,
    ask: Ask = "word",
    steps: GridSteps | None = None,
    eta: Eta | None = None,
) -> Network:
    """Build the network for up to `length` brackets; tokens are those of `BoundedDyck`, then [BOS], which comes first.

    A logit above 0 allows: the end alone with ask="word", every bracket and the end with ask="next". `variant`: by default
    two-layer for depths up to 4, else three-layer.
    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the scores.
    Raises ValueError for numbers below 1, or a variant that does not answer this depth or question.

    >>> network = build(length=4, ask="next")
    >>> run(network, np.array([[4, 0]]), at=-1).logits.integers[0, 0] > 0  # after ( : all but ] and the end
    array([ True,  True,  True, False, False])
    """
    plan = planned("build", length=length, kinds=kinds, depth=depth, variant=variant, ask=ask, steps=steps, eta=eta)
    return assemble(plan)


def check(
    length: Length = 32,
    kinds: Kinds = 2,
    depth: Depth = 2,
    variant: Variant | None = None,
    ask: Ask | None = None,
    tightness: Tightness = False,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check each variant that answers this depth (or one), for membership and for next brackets (or one).

    `variant` is one-layer, two-layer-valid, two-layer or three-layer; by default each that answers the question.
    Answers are read after every prefix: of all strings if there are at most 70,000 of the length, else words with far matches,
    the same with one bracket changed at every place, and random strings; in float64 too. With `tightness`: the least eta and L
    that answer the hard ones of these (`_words.hard`). Raises TheoremFails with the prefix after which an answer is wrong.
    """
    chosen = [(one, other) for one, other in answered(depth) if variant in (None, one) and ask in (None, other)]
    if not chosen or min(length, kinds) < 1:
        planned("check", length=length, kinds=kinds, depth=depth, variant=variant, ask=ask or "word")
    is_exhaustive = (2 * kinds) ** length <= EXHAUSTIVE_STRINGS
    outcomes = []
    for one, other in chosen:
        plan = planned("check", length=length, kinds=kinds, depth=depth, variant=one, ask=other)
        trials = Trials(CLAIM, plan)
        if is_exhaustive:
            trials.put_every()
        else:
            trials.put_hard(np.random.default_rng(seed))
        outcome = _outcome(trials, is_exhaustive)
        outcomes.append(_tightness(outcome, plan, seed) if tightness else outcome)
    return outcomes


def _outcome(trials: Trials, is_exhaustive: bool) -> Outcome:
    """Report the sizes of a network next to their bounds, and the results of its trials."""
    plan = trials.plan
    network = trials.trial.network
    bounds = bound(plan)
    statement = STATEMENTS[plan.variant]
    if plan.gives_sets and not plan.valid_prefixes_only:
        statement += NEXT
    return CLAIM.upper(
        statement=statement,
        length=plan.length,
        inputs=trials.trial.inputs,
        exhaustive=is_exhaustive,
        measured=CLAIM.within({**sizes(network), "eta": _measured_eta(plan, network)}, bounds),
        bound=bounds,
        variant=f"{plan.variant}, {plan.ask}, n = {plan.kinds}, k = {plan.depth}",
        margin=None if trials.least is None else Margin(float(trials.least), proved(plan), MARGIN),
        saturated=trials.trial.saturated,
    )


def _measured_eta(plan: DyckPlan, network: Network) -> int:
    """Measure the factor of the position in the scores of the first head that looks for an open bracket."""
    layer = network.attention(0 if plan.variant in ("one-layer", "two-layer") else 1)
    return int(layer.heads[-1].key[:, network.spaces["time"]].largest)


def _tightness(outcome: Outcome, plan: DyckPlan, seed: int) -> Outcome:
    """Find the least eta and L that answer the hard strings."""
    return tighten(
        outcome,
        grid=plan.grid,
        eta=ETA,
        build=lambda steps, eta: Trials(CLAIM, replace(plan, steps=steps, eta=eta), in_floats=0),
        answers=lambda trials: answers_hard(trials, seed),
    )


def verify(inputs_small: int = 50_000, inputs_medium: int = 49_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Check each variant and question on all strings up to length 8 of two kinds, k = 2 to 4; then on hard strings.

    At least `inputs_small` prefixes of hard strings at N <= 64 (k <= 8), `inputs_medium` in between (k <= 3), and
    `inputs_large` of 1,024 to 4,096 brackets (k <= 4).
    """
    random = np.random.default_rng(seed)
    outcomes: list[Outcome] = []
    for variant, ask in dict.fromkeys([*answered(2), *answered(5)]):
        depths = [depth for depth in (2, 3, 4, 1, 5, 8, 20) if (variant, ask) in answered(depth)]
        for depth in depths[:3]:
            outcomes += check(8, 2, depth, variant, ask=ask)
        for lengths, inputs, asked in ((SMALL, inputs_small, None), (MEDIUM, inputs_medium, None), (LARGE, inputs_large, 100)):
            plans = _plans(lengths, depths, variant, ask)
            outcomes += _hard_strings(plans, inputs, asked, random)
    return outcomes


def _plans(lengths: tuple[int, ...], depths: list[int], variant: str, ask: str) -> Callable[[int], DyckPlan]:
    """Plan case 0, 1, 2, ..: all lengths in turn, with changing depths and kinds."""

    def plan(case: int) -> DyckPlan:
        length = lengths[case % len(lengths)]
        depth = depths[case // 2 % len(depths)]
        kinds = (2, 3, 1, 4, 7)[case % 5]
        return DyckPlan(length, kinds, depth, variant, ask=ask)

    return plan


def _hard_strings(
    plan_of: Callable[[int], DyckPlan], inputs: int, asked: int | None, random: np.random.Generator
) -> list[Outcome]:
    """Check cases until a number of prefixes are read, at most a third of them in one case."""
    outcomes: list[Outcome] = []
    left = inputs
    while left > 0:
        plan = plan_of(len(outcomes))
        trials = Trials(CLAIM, plan, in_floats=2_000 if plan.length <= LONGEST_IN_FLOATS else 0)
        trials.put_some(random, min(left, inputs // 3 + 1), asked)
        outcomes.append(_outcome(trials, is_exhaustive=False))
        left -= outcomes[-1].inputs
    return outcomes


def predictor(
    length: Length, kinds: Kinds = 2, depth: Depth = 2, ask: Ask = "word", variant: Variant | None = None
) -> Callable[[Mapping[str, Any]], int | list[list[str]]]:
    """Answer {"string": "([])"}, at most `length` brackets written as `sample` writes them: 1 for a word of Dyck-(n,k).

    With ask="next": the brackets allowed after the prefix of each length from 0 on. `variant` is one-layer, two-layer-valid,
    two-layer or three-layer, by default two-layer for depths up to 4, else three-layer. one-layer and two-layer-valid answer
    valid prefixes only: ValueError for a string that continues after an invalid one.

    >>> predictor(length=8)({"string": "([])"})
    1
    """
    plan = planned("predictor", length=length, kinds=kinds, depth=depth, variant=variant, ask=ask)
    network = assemble(plan)
    brackets = alphabet(kinds)

    def answer(given: Mapping[str, Any]) -> int | list[list[str]]:
        words = parsed(given, kinds, length)
        if plan.valid_prefixes_only:
            require_valid(words, kinds, depth, plan.variant)
        may_follow = run(network, with_start(words, kinds)).logits.integers[0] > 0
        if not plan.gives_sets:
            return int(may_follow[-1, 0])
        return [[brackets[token] for token in np.flatnonzero(after[:-1])] for after in may_follow]

    return answer


def constants(
    length: Length, kinds: Kinds, depth: Depth, variant: Variant | None = None, ask: Ask = "word"
) -> dict[str, Number]:
    """The bound at one length; nothing is built.

    `variant` is one-layer, two-layer-valid, two-layer or three-layer; by default two-layer for depths up to 4, beyond that
    three-layer.
    """
    return bound(planned("bound", length=length, kinds=kinds, depth=depth, variant=variant, ask=ask))


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the networks for the given length, number of kinds and depth.",
    not_shown="This does not show that the networks are right for other lengths, kinds and depths. The proof covers them all.",
    build=build,
    bound=constants,
    nothing_to_certify="the network answers by the signs of its logits, but a certificate only checks which logit is greatest",
    predictor=predictor,
    verify=verify,
)
