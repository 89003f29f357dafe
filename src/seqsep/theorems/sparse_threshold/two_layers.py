"""Two causal attention layers with k heads, of width O(log N), compute any threshold of k-sparse features of N bits.

A k-sparse feature is a function of k of the bits, with the value 0 or 1. The answer is 1 if more than b of M given features
are 1. Disjointness, majority, k-DNF and k-CNF are such functions. After the N bits the input has slots: tokens that stand for
the features. In the statement, r is the number of coordinates of the position code.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 13 and appendix F.3.

We differ:
* The tokens are [BOS], x_1 .. x_N and then one slot for each feature. The number of features is free, and the answer is read
  at the last token.
* Attention itself evaluates each literal. In the paper the heads fetch bits, and an FFN combines the bits of a feature by its
  function g. But an FFN is the same at all positions, and g differs from feature to feature.
* `variant="printed"` has the paper's layout with our slots: feature i is at position i, so there are at most N features. No
  mask is used.

Slots. A slot is 1 if at least `least` of its literals hold. A clause has least = 1, and a term needs all its literals. Any
table g of k bits is a constant plus a sum of at most 2^(k-1) slots (`formulas.TruthTable.gates`). The constant is subtracted
from the bound b. So there are M slots of at most k literals (k = `heads`), a bound b, n tokens, and a code of n addresses in r
coordinates (`maths.codes.codes`). The code gives each address a query and a key. Let score(v, j) be the inner product of the
query of v and the key of j, in a suitable unit. It is greatest at j = v.

Inputs. The residual stream is [heads: k (r + 2) | key: r | bit, bos | count, feature, total]. The embedding of the token at
address t has these numbers, and 0 elsewhere:
* [BOS] has bos = 1 and no key.
* A bit x_t has bit = +1 or -1, and the key of t.
* A slot has the key of t, and count = k + 1 - least. It has one block of r + 2 numbers for each of the k heads. For a literal
  on variable v with sign s, the block is [query of v | s | A_v]. Here A_v is eta score(v, v) rounded down to the grid, and eta
  is the scale of the scores. A head without a literal has the block [0 | 0 | Z] (`_slots.slot_rows`).

Margins. These hold for every formula:
* The weight of [BOS] at a head of a slot is within 3/(12 k) of 1 if the head's literal fails, and within 3/(12 k) of 0 if it
  holds.
* The count of a slot is at least 1/4 away from 1/2.
* The two logits differ by at least u, which is 1/n. For n = 3 it is 1/3, rounded down to the grid.

The proof continues at `_fetch_literals` (layer 1 gives a weight for each literal), `_slot_holds` (its FFN gives a bit for each
slot), `_add_up` (layer 2 counts the slots that hold) and `_readout` (the threshold). The scales are in `_slots.Scales`.

Rounding. The grid is that of appendix B.2, with stepwise softmax and rounding down. L = n^Kc with base max(4, n), and D = 1/L
is one step. The weight u = 1/n is on the grid, except for n = 3. Losing scores below -L are stored as -L. They stay more than
ln L below the winner, since A_v >= 0.

In the code `circle`, scores are not multiples of D. They are rounded down, which multiplies the exponential of any other token
by at most e^D <= e^(1/12), relative to the winner. With R from `_fetch_literals`, e^c R <= e^(1/12)/14k is still below 1/12k.
The scores of v and of [BOS] are lowered by the same amount, since c is whole.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import OneOf
from seqsep.maths import formulas
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.codes.codes import PositionCode
from seqsep.maths.formulas import Thresholds
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import Spaces, average, doubled_bit, feed_forward
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.options import Code, Eta, GridSteps, Heads, Length, LengthFrom2, Repair, Seed, Tightness
from seqsep.theorems.sparse_threshold import _trials as trials
from seqsep.theorems.sparse_threshold._formulas import INSTANCES, FormulaSeries, all_series, instances, random_cnf
from seqsep.theorems.sparse_threshold._remarks import CHOICES, ERRATA
from seqsep.theorems.sparse_threshold._slots import Scales, SlotPlan, clipped, require, slot_rows
from seqsep.theorems.trial import Trial

Cnf = Annotated[Path, "A DIMACS file with the clauses to satisfy."]
Instance = Annotated[str, OneOf("disjointness", "majority", "equality"), "The function that the network computes."]
DrawnInstance = Annotated[Instance, OneOf("disjointness", "majority", "equality", "cnf", "dnf", "tables")]

CLAIM = Claim(
    name="sparse-threshold-two-layers",
    source="Bhattamishra et al. 2024, Theorem 13",
    statement="Two causal layers with k heads, of width (k + 1) (r + 2) + 3, compute thresholds of M k-sparse features of N "
    "bits that are followed by M slots",
)
MARGIN = "a slot's count from 1/2"


def build(
    formula: Annotated[Thresholds, "An object of Python: a formula of thresholds."],
    heads: Heads | None = None,
    code: Code = "parabola",
    variant: Repair = "repaired",
    steps: GridSteps | None = None,
    eta: Eta | None = None,
) -> Network:
    """The network of a formula; k = `heads`, by default as many as its slots need. Token ids: `_trials.tokens`.

    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the scores.
    `formula` is an object of Python; `variant` is the one that is proved, or the printed one. Raises as `SlotPlan.of`.

    >>> network = build(formulas.disjointness(4))
    >>> network.heads, network.width, list(network.spaces)
    (2, 15, ['heads', 'key', 'flags', 'count', 'feature', 'total'])
    """
    return assemble(replace(SlotPlan.of(formula, heads, code, variant), steps=steps, eta=eta))


def assemble(plan: SlotPlan) -> Network:
    """The network of a plan."""
    spaces = plan.spaces()
    slots = slot_rows(plan, spaces)
    readout, readout_bias = _readout(plan, spaces)
    return Network(
        name=f"{CLAIM.name}-{plan.code.name}",
        grid=plan.grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(flags=np.array([[-1, 0], [1, 0], [0, 1]]))),
        indices=None if plan.printed or not plan.slots.features else slots,
        positions=_positions(plan, spaces, slots),
        layers=((_fetch_literals(plan, spaces), _slot_holds(spaces)), (_add_up(plan, spaces), None)),
        readout=readout,
        readout_bias=readout_bias,
        code_bits=0 if plan.printed else plan.code.parameter_bits,
    )


def _positions(plan: SlotPlan, spaces: Spaces, slots: Array) -> Array:
    """Return the key of each address except [BOS]'s; in the printed layout the slots as well, from address 1 on."""
    no_key = np.zeros((1, plan.code.dimension), dtype=np.int64)
    keys = np.concatenate([no_key, plan.code.keys(np.arange(1, plan.tokens))])
    positions = Array(spaces.embed(key=keys), plan.code.unit, by_index=not plan.printed)
    if not plan.printed:
        return positions
    after = plan.tokens - 1 - len(slots.integers)
    placed = np.concatenate([spaces.nothing(), slots.integers, spaces.nothing(after)])
    return positions.plus(Array(placed, slots.unit))


def _fetch_literals(plan: SlotPlan, spaces: Spaces) -> AttentionLayer:
    """Head h has the query [eta q | c s | A], the key [key | bit | bos] and the value bos; count is reduced by its output.

    Let a slot's literal be on variable v with sign s. At this slot, up to rounding down, [BOS] has the score A_v and the token
    of v has A_v + c s x_v. Any other token j has at most A_v + c - eta (score(v, v) - score(v, j)).

    Let leakage(eta) be an upper bound, for every v, on the sum of e^(-eta (score(v, v) - score(v, j))) over all j != v. Let R
    = leakage(eta), times e^D if scores are rounded down, with D = 1/L. If the literal holds, [BOS] has a weight of at most
    e^-c. If it fails, the weight is at least 1/(1 + e^-c + e^c R) >= 1 - e^-c - e^c R, less D for rounding. At a head without
    a literal the weight is at least 1 - n e^-Z - D. We choose
        c = ceil(ln 12k),  Z = ceil(ln 12kn),  eta the least with leakage(eta) <= e^-c / 14k,  L >= 12k.
    So each head is within 3/12k of 0 or 1. The count is then within 1/4 of 1 - least + (number of literals that hold). At
    other tokens it is at most 0.
    """
    bit_and_bos = spaces["flags"]
    bos = bit_and_bos[1:]
    key = np.concatenate([spaces["key"], bit_and_bos])
    scale = np.diag([plan.scales.eta] * plan.code.dimension + [plan.scales.literal, 1])
    heads = (
        Head(query=whole(scale @ block), key=whole(key), value=whole(bos), output=whole(-spaces["count"].T))
        for block in np.split(spaces["heads"], plan.heads)
    )
    return AttentionLayer(tuple(heads), causal=not plan.printed)


def _slot_holds(spaces: Spaces) -> FeedForward:
    """The FFN writes feature = relu(4 count - 1) - relu(4 count - 3): 2 if the slot holds, 0 if not, and 0 at other tokens."""
    return feed_forward([doubled_bit(spaces["count"], spaces["feature"])], bias=spaces.nothing()[0])


def _add_up(plan: SlotPlan, spaces: Spaces) -> AttentionLayer:
    """The last token adds 2 F u to its total if F slots hold: all scores are 0, so all weights are u = 1/n."""
    return AttentionLayer((average(spaces["feature"], spaces["total"]),), causal=not plan.printed)


def _readout(plan: SlotPlan, spaces: Spaces) -> tuple[Array, Array]:
    """The logits are (2 b + 1) u for class 0 and 2 F u for class 1, which is greater exactly if F > b.

    The bound b is first moved into -1 .. M, which changes no answer. A CNF without clauses is true, as F = 0 > b = -1. An
    empty clause is a slot that never holds. Tautologies and repeated literals need no special treatment.
    """
    bound = clipped(plan.slots.bound, -1, len(plan.slots.features))
    steps = (2 * bound + 1) * (plan.grid.steps // plan.tokens)
    return whole(np.concatenate([spaces.nothing(), spaces["total"]])), Array(np.array([steps, 0]), plan.grid.step)


def proved(code: PositionCode, k: int, grid: Grid) -> float:
    """Return 1/2 less k times the greatest error of a head, which is at least 1/4."""
    scales = Scales.of(code, k)
    floor = 1 / grid.steps
    leakage = code.leakage(scales.eta) * (1 if code.unit == 1 else math.exp(floor))
    literal = math.exp(-scales.literal) + math.exp(scales.literal) * leakage + floor
    nothing = code.count * math.exp(-scales.nothing) + floor
    return 1 / 2 - k * max(literal, nothing)


def bound(plan: SlotPlan) -> dict[str, Number]:
    """Every size with explicit constants, from N, M, k and the code alone.

    width d = (k + 1) (r + 2) + 3; p = bit_length(2 n^(2 Kc)); core = 3 d p (k (r + 2) + 1); program = p (d (3 + k (2 r + 6) + 5
    + 4 + 2) + 4 + M d): three symbols, the heads of layer 1, its FFN, layer 2, the read-out, with biases, and the slots; beside
    the code's own parameters. tables = program + p n d, less those parameters. Slots that depend on N alone count in tables
    only. In the printed layout slots and keys share the n rows of positions, counted in program.
    """
    k = plan.heads
    r = plan.code.dimension
    d = (k + 1) * (r + 2) + 3
    p = plan.grid.precision
    program = d * (14 + k * (2 * r + 6)) + 4
    by_index = 0
    slots = d * len(plan.slots.features)
    positions = d * plan.tokens
    if plan.printed:
        program += positions
    elif plan.slots.by_index:
        by_index = slots + positions
    else:
        program += slots
        by_index = positions
    return {
        "width": d,
        "heads": k,
        "layers": 2,
        "eta": plan.scales.eta,
        "precision": p,
        "core_bits": 3 * d * p * (k * (r + 2) + 1),
        "program_bits": p * program + (0 if plan.printed else plan.code.parameter_bits),
        "tables_bits": p * (program + by_index),
    }


def check(
    length: Length = 10,
    instance: DrawnInstance | None = None,
    cnf: Cnf | None = None,
    heads: Heads | None = None,
    code: Code = "parabola",
    variant: Repair = "repaired",
    tightness: Tightness = False,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check the instances at N = `length`, or one of them, or the formula of a DIMACS file; on the grid and in float64.

    Random CNFs, DNFs and tables have `heads` literals, 3 by default. Every assignment if 2^N n^2 k is at most 10^8, else
    hard ones (`_trials`). With `tightness`: the least eta and L that answer those. `variant` is repaired (ours) or printed
    (the paper's layout).
    Raises TheoremFails with the assignment on which the answer is wrong.
    """
    require("check", code, variant)
    if cnf is not None:
        cases = {f"CNF {cnf.name}": formulas.read_dimacs(cnf, heads)}
    else:
        random = np.random.default_rng(seed)
        cases = instances(length, instance, heads, random, few=variant == "printed")
    outcomes = []
    for name, formula in cases.items():
        plan = SlotPlan.of(formula, heads, code, variant)
        outcome = _check(name, plan, seed, most=128)
        outcomes.append(_tightness(outcome, plan, seed) if tightness else outcome)
    return outcomes


def small_cnfs(count: int = 2_000, seed: int = 0, code: str = "parabola", variant: str = "repaired") -> Outcome:
    """Check all 16 assignments of `count` formulas of up to 4 clauses of up to 4 literals over 4 variables."""
    random = np.random.default_rng(seed)
    outcomes = []
    for number in range(count):
        formula = random_cnf(4, 4, int(random.integers(5)), random, shortest=0)
        plan = SlotPlan.of(formula, 4, code, variant)
        outcomes.append(_check("CNFs over 4 variables", plan, seed, most=0, floats=2_000 if number < 100 else 0))
    largest = max(outcomes, key=lambda outcome: outcome.measured["tables_bits"])
    margins = [outcome.margin for outcome in outcomes if outcome.margin is not None]
    least = min(margins, key=lambda margin: margin.least)
    return replace(largest, inputs=sum(outcome.inputs for outcome in outcomes), margin=least, witness={"formulas": count})


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Check disjointness, majority and equality for even N <= 16, 2,200 small CNFs, then hard assignments.

    At least `inputs_small` of these are at N <= 256, `inputs_large` at 1,024 to 4,096 (`_formulas.all_series`).
    """
    outcomes = [small_cnfs(2_000, seed), small_cnfs(200, seed, variant="printed")]
    for length in range(2, 17, 2):
        outcomes += [check(length, name)[0] for name in INSTANCES]
    for number, series in enumerate(all_series(inputs_small, inputs_large)):
        outcomes += until_tried(series.inputs, _cases(series, seed, first_seed=seed + 1000 * number))
    return outcomes


def _cases(series: FormulaSeries, seed: int, first_seed: int) -> Iterator[Outcome]:
    """Test the hard assignments of the formulas of one series."""
    for turn in count():
        case = series.case(turn)
        random = np.random.default_rng(first_seed + turn)
        [formula] = instances(case.length, case.instance, 3, random, few=case.variant == "printed").values()
        plan = SlotPlan.of(formula, None, case.code, case.variant)
        floats = 1_000 if case.length <= 128 else 0
        yield _check(case.instance, plan, seed + turn, most=series.most, floats=floats)


def _check(name: str, plan: SlotPlan, seed: int, most: int, floats: int = 2_000) -> Outcome:
    """Test every assignment, or at most `most` of each kind of hard ones."""
    network = assemble(plan)
    trial = Trial(CLAIM.name, network, trials.margin(network), in_floats=floats)
    exhaustive = trials.exhaustible(plan.formula, plan.tokens, plan.heads)
    if exhaustive:
        trials.put(trial, plan.formula, trials.every_assignment(plan.formula.variables))
    else:
        trials.put_hard(trial, plan.formula, np.random.default_rng(seed), most)
    printed_width = 1 + (plan.heads + 1) * plan.code.dimension
    return trial.outcome(
        CLAIM,
        bound(plan),
        more={"eta": int(network.attention(0).heads[0].query.integers[0, 0])},
        margin_of=MARGIN,
        proved=proved(plan.code, plan.heads, network.grid),
        length=plan.formula.variables,
        exhaustive=exhaustive,
        as_printed={"width": printed_width, "slots": "at most N, at the variables; no mask"},
        variant=f"{plan.variant}, {name}, {plan.slots.features} slots, code {plan.code.name}",
    )


def _tightness(outcome: Outcome, plan: SlotPlan, seed: int) -> Outcome:
    """Find the least eta and L that answer hard assignments."""
    return tighten(
        outcome,
        grid=plan.grid,
        eta=plan.scales.eta,
        build=lambda steps, eta: assemble(replace(plan, steps=steps, eta=eta)),
        answers=lambda network: trials.answers_hard(network, plan.formula, seed),
    )


def predictor(
    length: LengthFrom2 | None = None,
    instance: Instance = "disjointness",
    cnf: Cnf | None = None,
    heads: Heads | None = None,
    code: Code = "parabola",
    variant: Repair = "repaired",
) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"bits": [..]} by a forward pass: an instance of N = `length` bits, or a DIMACS file, clauses of at most `heads`.

    Disjointness (1 if the sets meet) and equality take {"left": [..], "right": [..]} as well. An input that says its function,
    as a line of `seqsep sample sparse-threshold --json`, must be of this one. `variant` is repaired (ours) or printed (the
    paper's layout). Raises ValueError without a file if the instance does not exist or has no length, and with one if `length`
    is not its number of variables.
    """
    if cnf is None and (instance not in INSTANCES or length is None):
        raise ValueError(
            f"predictor(length={length}, instance={instance!r}): a length, and one of {', '.join(INSTANCES)}; or a cnf"
        )
    formula = formulas.read_dimacs(cnf, heads) if cnf is not None else INSTANCES[instance](length or 0)
    if length not in (None, formula.variables):
        raise ValueError(f"predictor(length={length}, cnf={cnf}): the file has {formula.variables} variables")
    network = build(formula, heads, code, variant)
    slots = 0 if network.indices is None else len(network.indices.integers)

    def answer(given: Mapping[str, Any]) -> int:
        trials.require_function(given, formula, instance if cnf is None else str(cnf))
        bits = trials.read(given, formula.variables, cnf is None and instance != "majority")
        return int(run(network, trials.tokens(bits, slots), at=-1).answers[0, 0])

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the formulas that it builds.",
    not_shown="This does not show that the network is right for other formulas. The proof covers them all.",
    build=build,
    nothing_to_certify="a certificate cannot hold a formula; seqsep check tests every assignment",
    predictor=predictor,
    verify=verify,
    choices=CHOICES,
    errata=ERRATA,
)
