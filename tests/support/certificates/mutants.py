"""Semantic mutants: a certificate that holds, changed at random in what it says and sealed again with the right digest."""

import copy
import json
import random
from collections import Counter
from typing import Any

import seqsep_check
from support.certificates import truth as truth
from support.certificates.samples import of_type, seal

WORDS = (
    "floor stepwise",
    "floor once",
    "nearest stepwise",
    "nearest once",
    "none",
    "built-network",
    "index-lookup-attention",
    "equality-two-layers",
    "index-lookup-state",
    "equality-state",
    "least-state",
    "one-way-cost",
    "communication-cost",
    "bounded-dyck-one-layer",
    "bounded-dyck-state",
    "state-collision",
    "nonnegative-diagonal-parity",
    "diagonal-periods",
    "symmetric-steps",
    "one-state-two-values",
    "ones-modulo",
    "regular-language",
    "floor",
    "nearest",
    "is-tree-peeling",
    "is-tree-walk",
    "is-tree-queries",
    "recall-attention",
    "counting-attention",
    "built-generator",
    "index-lookup-hybrid",
    "counting-one-layer",
    "circuits-attention",
    "recall-oracle-state",
    "retrieval-by-pattern",
    "ngram-by-pattern",
    "index-by-pattern",
    "counting-by-pattern",
    "turing-machine-hybrid",
    "turing-machine-retrieval",
    "turing-machine-recurrent",
    "turing-machine",
    "turing-machine-queries",
    "turing-machine-numbers",
    "circuit",
    "generated-run",
    "is-tree",
    "ngram",
    "counting",
    "network",
    "automaton",
    "fooling-set",
    "distinguishing-table",
    "index-lookup",
    "equality",
    "inequality",
    "bounded-dyck",
    "table",
    "",
)


def _places(tree: Any, places: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        places.append((tree, key))
        if isinstance(tree[key], dict | list):
            _places(tree[key], places)
    return places


def mutated(given: dict[str, Any], seed: int) -> dict[str, Any]:
    """One to three changes; half of the time the claims are then made to fit the sizes."""
    draw = random.Random(seed)
    changed = copy.deepcopy(given)
    if given["type"] == "automaton" and draw.random() < 0.1:
        _renumber(changed["witness"], draw)
        return changed
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        roots = [changed, changed["witness"], changed["witness"], changed["task"], changed["claims"]]
        places = _places(draw.choice([root for root in roots if isinstance(root, dict) and root]), [])
        tree, key = draw.choice(places)
        value, others = tree[key], [near for near in places if near[0] is not tree or near[1] != key]
        if type(value) is int:
            new = (value + 1, value - 1, -value, 0, 1, 2 * value, draw.randrange(-5, 30), 1 << 70, True)
            tree[key] = draw.choice(new)
        elif type(value) is str:
            tree[key] = draw.choice(WORDS)
        elif isinstance(value, list) and value:
            one, other = draw.randrange(len(value)), draw.randrange(len(value))
            how = draw.randrange(5)
            if how == 0:
                del value[one]
            elif how == 1:
                value.insert(other, copy.deepcopy(value[one]))
            elif how == 2:
                value[one], value[other] = value[other], value[one]
            elif how == 3:
                value.reverse()
            else:
                value[one] = copy.deepcopy(value[other])
        elif others:
            near, there = draw.choice(others)
            tree[key] = copy.deepcopy(near[there])
        if not isinstance(changed.get("witness"), dict) or not isinstance(changed.get("task"), dict):
            break
    if draw.random() < 0.5:
        _fit(changed)
    return changed


def _renumber(witness: dict[str, Any], draw: random.Random) -> None:
    """The states in another order, and sometimes one number wrong."""
    number = draw.sample(range(len(witness["table"])), len(witness["table"]))
    order = sorted(range(len(number)), key=number.__getitem__)
    witness["table"] = [[number[target] for target in witness["table"][state]] for state in order]
    witness["accepting"] = [witness["accepting"][state] for state in order]
    witness["start"] = number[witness["start"]] if draw.random() < 0.7 else draw.choice(number)


def _fit(changed: dict[str, Any]) -> None:
    witness, claims = changed.get("witness"), changed.get("claims")
    if not isinstance(witness, dict) or not isinstance(claims, dict):
        return
    for listed, count, width in (("words", "size", "bits"), ("rows", "rows", "state_bits"), ("table", "states", "state_bits")):
        if isinstance(witness.get(listed), list) and count in claims:
            claims |= {count: len(witness[listed]), width: (len(witness[listed]) - 1).bit_length()}
    if isinstance(witness.get("maps"), list) and isinstance(witness.get("words"), list):
        lengths = [_length(word) for word in witness["words"]]
        width = len(witness["start"]) if isinstance(witness.get("start"), list) else 0
        claims |= {"longer": max(lengths, default=0), "shorter": min(lengths, default=0), "width": width}
    if isinstance(witness.get("inputs"), list) and "inputs" in claims:
        claims["inputs"] = len(witness["inputs"])


def _length(word: Any) -> int:
    """The length of a word of runs; 0 if it is none."""
    runs = [run for run in word if isinstance(run, list) and len(run) == 2] if isinstance(word, list) else []
    return sum(run[1] for run in runs if isinstance(run[1], int))


def try_mutants(kind: str, first: int, count: int) -> Counter[str]:
    """Mutants `first` .. of a type, the samples in turn: how many are rejected, unfit, and valid rewrites.

    Raises AssertionError with the mutant that the checker accepts and that is false.
    """
    given = [json.loads(data) for data in of_type(kind).values()]
    counts: Counter[str] = Counter()
    for number in range(first, first + count):
        changed = mutated(given[number % len(given)], number)
        if changed == given[number % len(given)]:
            counts["unchanged"] += 1
            continue
        status, line = seqsep_check.check(seal(changed))
        if status == 0:
            try:
                true = truth.holds(changed)
            except (AssertionError, KeyError, TypeError, ValueError) as error:
                raise AssertionError(f"{kind} mutant {number}: accepted, and no certificate: {error!r}: {changed}") from error
            assert true, f"{kind} mutant {number}: accepted ({line}), and false: {changed}"
        counts[("valid rewrites", "rejected", "unfit")[status]] += 1
    return counts
