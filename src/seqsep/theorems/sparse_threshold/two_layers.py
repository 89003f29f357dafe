"""Upper bound: two causal layers with k heads of width O(log N) compute any threshold of k-sparse features of N bits.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 13 and appendix F.3; DISJ, majority, k-DNF and k-CNF are instances.
We differ: the tokens are [BOS], x_1 .. x_N and then one slot for each feature, any number of them, and the last one is read;
attention evaluates a literal itself, where the printed heads fetch bits that an FFN, the same at every position, combines by a
function g that differs between positions. `variant="printed"` has the printed layout, feature i at position i, at most N of
them and no mask, with our slots.

Proof, as code. *Slots.* A slot is 1 where at least `least` of its literals hold: a clause for 1, a term for all. Any table g of
k bits is a sum of at most 2^(k-1) of these plus a constant (`formulas.TruthTable.gates`), which moves to the bound. So M slots
of at most k literals (`heads`), a bound b; n tokens; a code of n addresses in r coordinates (`exact.codes`).
The residual stream is [heads: k (r + 2) | key: r | bit, bos | count, feature, total], and token t of address t holds
* x_t:   bit = +1 or -1, and the key of t;
* [BOS]: bos = 1, no key;
* slot:  the key of t; count = k + 1 - least; for its literal on variable v with sign s a block [query of v | s | A_v] with
  A_v = floor(eta score(v, v)) on the grid, and [0 | 0 | Z] for a head without a literal.
* Layer 1, head h: query [eta q | c s | A], key [key | bit | bos], value bos, written to count with factor -1. At the slot,
  [BOS] scores A_v, variable v scores A_v + c s x_v, token j at most A_v + c - eta (score(v, v) - score(v, j)), up to floors.
  Let R = leakage(eta), or e^D leakage(eta) where scores are floored; D = 1/L.
  If the literal holds, [BOS] has weight at most e^-c. If not, it has at least 1/(1 + e^-c + e^c R) >= 1 - e^-c - e^c R, less D
  for the floor. Without a literal, at least 1 - n e^-Z - D. We take
      c = ceil(ln 12k),  Z = ceil(ln 12kn),  eta the least with leakage(eta) <= e^-c / 14k,  L >= 12k:
  each head is within 3/12k of 0 or 1, so count is within 1/4 of 1 - least + (literals that hold). At other tokens it is <= 0.
* FFN of layer 1: feature = relu(4 count - 1) - relu(4 count - 3): 2 where the slot holds, 0 where not, 0 at other tokens.
* Layer 2: scores 0, so with u = 1/n the last token adds 2 F u to its total, for F slots that hold.
* Read-out: 2 F u against (2b + 1) u, b in -1 .. M: 1 exactly if F > b. No slots at all: F = 0 > -1, true; an empty clause
  counts but never holds; tautologies and repeated literals need nothing.

On the grid (B.2, stepwise softmax, rounding down): L = n^Kc with base max(4, n), Kc the least with L >= 12k for which every
entry and A + c lie on it. u is on it. A_v >= 0, so losing scores that saturate at -L stay more than ln L below. Where scores
are no multiples of D (`circle`), floors multiply another's exponential by at most e^D <= e^(1/12), and e^c R <= e^(1/12)/14k is
below 1/12k; v and [BOS] are floored alike, since c is whole.

What a run does not show: other formulas than the ones built. The proof covers them all.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from seqsep.exact import formulas
from seqsep.exact.codes import BY_NAME as CODES
from seqsep.exact.codes import PositionCode, position_code
from seqsep.exact.executor import run
from seqsep.exact.formulas import Thresholds
from seqsep.exact.grid import Array, Grid
from seqsep.exact.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.sparse_threshold import _trials as trials
from seqsep.theorems.sparse_threshold._slots import Scales, clipped, sizes_of, slot_rows
from seqsep.theorems.trial import Trial

CLAIM = Claim(
    name="sparse-threshold-two-layers",
    source="Bhattamishra et al. 2024, Theorem 13",
    statement="Two causal layers with k heads of width (k + 1) (r + 2) + 3 compute thresholds of k-sparse features of N bits",
)
MARGIN = "a slot's count from 1/2"
VARIANTS = ("repaired", "printed")


def build(
    formula: Thresholds,
    heads: int | None = None,
    code: str = "parabola",
    variant: str = "repaired",
    steps: int | None = None,
    eta: int | None = None,
) -> Network:
    """The network of a formula; k = `heads`, by default as many as its slots need. Token ids: `trials.tokens`.

    `steps` and `eta` replace L and the scale of the scores, to see how small they may be. Raises ValueError for an unknown code
    or variant, a slot of more than k literals, too many tokens, or more slots than variables in the printed layout.
    """
    require("build", code, variant)
    formula = formula.gates()
    k, n = sizes_of(formula, heads, variant)
    made, printed, slots = position_code(code, n), variant == "printed", len(formula.features)
    scales = Scales.of(made, k, eta)
    grid, r = Grid.of(n, scales.exponent) if steps is None else Grid(steps), made.dimension
    ends = np.cumsum([0, k * (r + 2), r, 2, 1, 1, 1]).tolist()
    names = ("heads", "key", "flags", "count", "feature", "total")
    spaces = {name: slice(first, last) for name, (first, last) in zip(names, pairwise(ends), strict=True)}
    rows = np.eye(ends[-1], dtype=np.int64)
    blocks, key, flags, slot, feature, total = (rows[space] for space in spaces.values())
    own = np.concatenate([np.zeros((1, r), dtype=np.int64), made.keys(np.arange(1, n))]) @ key
    positions, asking = Array(own, made.unit, by_index=not printed), slot_rows(formula, k, made, scales, grid, slot)
    if printed:
        above, below = np.zeros((1, ends[-1]), dtype=np.int64), np.zeros((n - slots - 1, ends[-1]), dtype=np.int64)
        positions = positions.plus(Array(np.concatenate([above, asking.integers, below]), asking.unit))
    scaled = np.diag([scales.eta] * r + [scales.literal, 1])
    seen, bos, nothing = whole(np.concatenate([key, flags])), whole(flags[1:]), whole(0 * slot)
    literals = (Head(whole(scaled @ block), seen, bos, whole(-slot.T)) for block in np.split(blocks, k))
    threshold = FeedForward(
        inner=whole(np.concatenate([4 * slot, 4 * slot])),
        inner_bias=whole([-1, -3]),
        outer=whole(np.concatenate([feature, -feature]).T),
        outer_bias=whole(np.zeros(ends[-1])),
    )
    add = Head(nothing, nothing, value=whole(feature), output=whole(total.T))
    return Network(
        name=f"{CLAIM.name}-{code}",
        grid=grid,
        spaces=spaces,
        symbols=whole(np.array([[-1, 0], [1, 0], [0, 1]]) @ flags),
        indices=None if printed or not slots else asking,
        positions=positions,
        layers=((AttentionLayer(tuple(literals), not printed), threshold), (AttentionLayer((add,), not printed), None)),
        readout=whole(np.concatenate([0 * total, total])),
        readout_bias=Array(np.array([(2 * clipped(formula.bound, -1, slots) + 1) * (grid.steps // n), 0]), grid.step),
        code_bits=0 if printed else made.parameter_bits,
    )


def bound(
    formula: Thresholds, heads: int | None = None, code: str = "parabola", variant: str = "repaired"
) -> dict[str, Number]:
    """Every size with explicit constants, from N, M, k and the code alone.

    width d = (k + 1) (r + 2) + 3; p = bit_length(2 n^(2 Kc)); core = 3 d p (k (r + 2) + 1);
    program = p (d (3 + k (2 r + 6) + 5 + 4 + 2) + 4 + M d): three symbols, the heads of layer 1, its FFN, layer 2, the
    read-out, with biases, and the slots; beside the code's own parameters. tables = those p .. + p n d. Slots that depend
    on N alone count in tables only. In the printed layout slots and keys share the n rows of positions, counted in program.
    """
    formula = formula.gates()
    k, n = sizes_of(formula, heads, variant)
    made, slots = position_code(code, n), len(formula.features)
    r, scales = made.dimension, Scales.of(made, k)
    d, p = (k + 1) * (r + 2) + 3, Grid.of(n, scales.exponent).precision
    entries, keys = d * (14 + k * (2 * r + 6)) + 4, n * d
    program, tables = (entries, slots * d + keys) if formula.by_index else (entries + slots * d, keys)
    if variant == "printed":
        program, tables = entries + keys, 0
    return {
        "width": d,
        "heads": k,
        "layers": 2,
        "eta": scales.eta,
        "precision": p,
        "core_bits": 3 * d * p * (k * (r + 2) + 1),
        "program_bits": p * program + (0 if variant == "printed" else made.parameter_bits),
        "tables_bits": p * (program + tables),
    }


def proved(code: PositionCode, k: int, grid: Grid) -> float:
    """1/2 - k times the most that a head may err, and at least 1/4."""
    scales = Scales.of(code, k)
    floor = 1 / grid.steps
    leakage = code.leakage(scales.eta) * (1 if code.unit == 1 else math.exp(floor))
    literal = math.exp(-scales.literal) + math.exp(scales.literal) * leakage + floor
    return 1 / 2 - k * max(literal, code.count * math.exp(-scales.nothing) + floor)


def require(call: str, code: str, variant: str) -> None:
    """Raise ValueError for a code or variant that there is not."""
    if code not in CODES:
        raise ValueError(f"{call}(code={code!r}): code is one of {', '.join(CODES)}")
    if variant not in VARIANTS:
        raise ValueError(f"{call}(variant={variant!r}): variant is one of {', '.join(VARIANTS)}")


def check(
    length: int = 10,
    instance: str | None = None,
    cnf: Path | None = None,
    heads: int | None = None,
    code: str = "parabola",
    variant: str = "repaired",
    tightness: bool = False,
    seed: int = 0,
) -> list[Outcome]:
    """The instances at N = `length` (or one of them, or the formula of a DIMACS file) on the grid and in float64.

    Random CNFs, DNFs and tables have `heads` literals, 3 by default. Every assignment where 2^N n^2 k is at most 10^8, else
    hard ones (`_sparse_threshold_trials`). With `tightness`: the least eta and L that answer those.
    Raises TheoremFails with the assignment on which the answer is wrong.
    """
    require("check", code, variant)
    if cnf is not None:
        cases = {f"CNF {cnf.name}": formulas.read_dimacs(cnf, heads)}
    else:
        cases = trials.instances(length, instance, heads, np.random.default_rng(seed), variant == "printed")
    outcomes = []
    for name, formula in cases.items():
        outcomes.append(_check(name, formula, heads, code, variant, seed, most=128))
        if tightness:
            outcomes[-1] = _tightness(outcomes[-1], formula, heads, code, variant, seed)
    return outcomes


def small_cnfs(count: int = 2_000, seed: int = 0, code: str = "parabola", variant: str = "repaired") -> Outcome:
    """All 16 assignments of so many formulas of up to 4 clauses of up to 4 literals over 4 variables."""
    random, outcomes = np.random.default_rng(seed), []
    for number in range(count):
        formula = trials.random_cnf(4, 4, int(random.integers(5)), random, shortest=0)
        floats = 2_000 if number < 100 else 0
        outcomes.append(_check("CNFs over 4 variables", formula, 4, code, variant, seed, 0, floats))
    largest = max(outcomes, key=lambda outcome: outcome.measured["tables_bits"])
    margins = [outcome.margin for outcome in outcomes if outcome.margin is not None]
    least = min(margins, key=lambda margin: margin.least)
    return replace(largest, inputs=sum(outcome.inputs for outcome in outcomes), margin=least, witness={"formulas": count})


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Disjointness, majority and equality for every N <= 16, 2,000 small CNFs, then so many hard assignments: `trials.plan`."""
    outcomes = [small_cnfs(2_000, seed), small_cnfs(200, seed, variant="printed")]
    for length in range(2, 17, 2):
        outcomes.extend(check(length, name)[0] for name in trials.INSTANCES)
    for share, (inputs, cases) in enumerate(trials.plan(inputs_small, inputs_large)):
        first_seed = seed + 1000 * share

        def check_case(turn: int, _: int, cases: Callable[[int], trials.Case] = cases, first_seed: int = first_seed) -> Outcome:
            length, name, code, variant, most = cases(turn)
            random = np.random.default_rng(first_seed + turn)
            [formula] = trials.instances(length, name, 3, random, variant == "printed").values()
            return _check(name, formula, None, code, variant, seed + turn, most, 1_000 * (length <= 128))

        outcomes += until_tried(inputs, check_case)
    return outcomes


def _check(
    name: str, formula: Thresholds, heads: int | None, code: str, variant: str, seed: int, most: int, floats: int = 2_000
) -> Outcome:
    network = build(formula, heads, code, variant)
    trial = Trial(CLAIM.name, network, trials.margin(network), in_floats=floats)
    k, n = sizes_of(formula.gates(), heads, variant)
    exhaustive = trials.exhaustible(formula, n, k)
    if exhaustive:
        trials.put(trial, formula, trials.every_assignment(formula.variables))
    else:
        trials.put_hard(trial, formula, np.random.default_rng(seed), most)
    retrieve, _ = network.layers[0]
    assert isinstance(retrieve, AttentionLayer)
    assert trial.least is not None
    measured = {**sizes(network), "eta": int(retrieve.heads[0].query.integers[0, 0])}
    bounds = bound(formula, heads, code, variant)
    made = position_code(code, n)
    printed: dict[str, Number | str] = {"width": 1 + (k + 1) * made.dimension, "slots": "at most N, at the variables; no mask"}
    return CLAIM.upper(
        length=formula.variables,
        inputs=trial.inputs,
        exhaustive=exhaustive,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        as_printed=printed,
        variant=f"{variant}, {name}, code {code}",
        margin=Margin(float(trial.least), proved(made, k, network.grid), MARGIN),
        saturated=trial.saturated,
    )


def _tightness(outcome: Outcome, formula: Thresholds, heads: int | None, code: str, variant: str, seed: int) -> Outcome:
    return tighten(
        outcome,
        grid=build(formula, heads, code, variant).grid,
        eta=int(outcome.measured["eta"]),
        build=lambda steps, eta: build(formula, heads, code, variant, steps, eta),
        answers=lambda network: trials.answers_hard(network, formula, seed),
    )


def applier(
    length: int | None = None,
    instance: str = "disjointness",
    cnf: Path | None = None,
    heads: int | None = None,
    code: str = "parabola",
    variant: str = "repaired",
) -> Callable[[Mapping[str, Any]], int]:
    """Answers {"bits": [..]} by a forward pass: an instance of N = `length` bits, or a DIMACS file, clauses of at most `heads`.

    Disjointness (1 where the sets meet) and equality take {"left": [..], "right": [..]} as well.
    """
    if cnf is None and (instance not in trials.INSTANCES or length is None):
        raise ValueError(
            f"applier(length={length}, instance={instance!r}): a length, and one of {', '.join(trials.INSTANCES)}; or a cnf"
        )
    formula = formulas.read_dimacs(cnf, heads) if cnf is not None else trials.INSTANCES[instance](length or 0)
    if length not in (None, formula.variables):
        raise ValueError(f"applier(length={length}, cnf={cnf}): the file has {formula.variables} variables")
    network, halves = build(formula, heads, code, variant), cnf is None and instance != "majority"
    slots = 0 if network.indices is None else len(network.indices.integers)

    def answer(given: Mapping[str, Any]) -> int:
        bits = trials.read(given, formula.variables, halves)
        return int(run(network, trials.tokens(bits, slots), at=-1).answers[0, 0])

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    applier=applier,
    verify=verify,
    errata=trials.ERRATA,
)
