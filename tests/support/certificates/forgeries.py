"""Forgeries by hand: a sample, what is changed in it, the status, and a part of the line that says why.

A change is (path, value); the value is put there, or called on what is there. The digest is made anew.
"""

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from support.certificates.samples import samples, seal

Change = tuple[str, Any]
REMOVED = object()


class Forgery(NamedTuple):
    sample: str
    changes: tuple[Change, ...]
    status: int
    why: str

    def data(self) -> bytes:
        changed = json.loads(samples()[self.sample])
        for path, value in self.changes:
            put(changed, path, value)
        return seal(changed)


def put(tree: Any, path: str, value: Any) -> None:
    *way, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    for step in way:
        tree = tree[step]
    if value is REMOVED:
        del tree[last]
    elif callable(value):
        tree[last] = value(copy.deepcopy(tree[last]))
    else:
        tree[last] = value


def repeated(entries: list) -> list:
    return [*entries, entries[0]]


def without_last(entries: list) -> list:
    return entries[:-1]


def add(number: int) -> Callable[[int], int]:
    return lambda value: value + number


def forge(sample: str, *changes: Change, why: str, status: int = 1) -> Forgery:
    return Forgery(sample, changes, status, why)


def outer(sample: str, task: str, field: str) -> list[Forgery]:
    """What every type has in common."""
    return [
        forge(sample, ("theorem", "index-lookup"), why="no such theorem"),
        forge(sample, ("theorem", ["built-network"]), why="no such theorem"),
        forge(sample, ("theorem", "one-way-cost" if "network" in sample else "built-network"), why="not the type"),
        forge(sample, ("type", "Network"), why="not the type"),
        forge(sample, ("task.name", "bounded-deck"), why="not a task"),
        forge(sample, ("task.name", 7), why="not a task"),
        forge(sample, ("task", [task]), why="are objects"),
        forge(sample, ("witness", []), why="are objects"),
        forge(sample, ("claims", []), why="are objects"),
        forge(sample, ("task.depths", 1), why="task has not the fields"),
        forge(sample, ("witness.more", 1), why="witness has not the fields"),
        forge(sample, ("claims.more", 1), why="claims"),
        forge(sample, ("claims", {}), why="complete" if "fooling" in sample else "claims"),
        forge(sample, ("precision", add(1)), why="claims"),
        forge(sample, ("precision", False), why="claims"),
        forge(sample, ("rounding", "floor"), why="not a rounding"),
        forge(sample, (f"claims.{field}", add(1)), why="claims"),
        forge(sample, (f"claims.{field}", add(-1)), why="claims"),
        forge(sample, (f"claims.{field}", str), why="claims"),
        forge(sample, ("version", 2), why="version 1", status=2),
        forge(sample, ("version", True), why="version 1", status=2),
        forge(sample, ("format", "certificate"), why="version 1", status=2),
        forge(sample, ("more", 1), why="not the fields of a certificate", status=2),
        forge(sample, ("theorem", REMOVED), why="not the fields of a certificate", status=2),
        forge(sample, (f"claims.{field}", float), why="not canonical", status=2),
        forge(sample, (f"claims.{field}", None), why="claims"),
    ]


def fooling() -> list[Forgery]:
    dyck, pairs, equality, lookup = (f"fooling-set: {name}" for name in ("dyck", "pairs", "equality", "lookup"))
    one, partial, table, inequality = (f"fooling-set: {name}" for name in ("one", "partial", "table", "inequality"))
    word, words = "a word of words", "witness.words"
    return [
        *outer(dyck, "bounded-dyck", "bits"),
        forge(dyck, ("task.length", True), why="length is no integer"),
        forge(dyck, ("task.length", 0), why="length is no integer from 1 to 4096"),
        forge(dyck, ("task.length", 4097), why="length is no integer from 1 to 4096"),
        forge(dyck, ("task.kinds", 1 << 16), why="kinds is no integer"),
        forge(dyck, ("task.kinds", (1 << 15) + 1), why="kinds is no integer"),
        forge(dyck, ("task.depth", 4097), why="depth is no integer from 1 to 4096"),
        forge(dyck, ("task.depth", "2"), why="depth is no integer"),
        forge(dyck, ("task.length", 6), why=f"{word} has not its length"),
        forge(dyck, ("task.kinds", 1), why=f"{word} leaves the alphabet"),
        forge(dyck, ("task.depth", 1), why="the value is not 1"),
        forge(dyck, ("task.kinds", 3), why="not all"),
        forge(dyck, (words, []), why="words is no list, or empty"),
        forge(dyck, (words, 7), why="words is no list, or empty"),
        forge(dyck, (words, {}), why="words is no list, or empty"),
        forge(dyck, (f"{words}.0", {}), why=f"{word} has not its length"),
        forge(dyck, (f"{words}.0", without_last), why=f"{word} has not its length"),
        forge(dyck, (f"{words}.0.0", True), why=f"{word} leaves the alphabet"),
        forge(dyck, (f"{words}.0.0", 4), why=f"{word} leaves the alphabet"),
        forge(dyck, (f"{words}.0.0", -4), why=f"{word} leaves the alphabet"),
        forge(dyck, (f"{words}.0.3", 3), why="the value is not 1"),
        forge(dyck, (f"{words}.0", [0, 0, 0, 1]), why="the value is not 1"),
        forge(dyck, (f"{words}.0", [0, 1, 1, 0]), why="the value is not 1"),
        forge(dyck, (words, repeated), ("claims.size", 9), ("claims.bits", 4), why="the same half"),
        forge(dyck, (words, without_last), ("claims.size", 7), why="not all with the value"),
        forge(dyck, ("witness.value", 0), why="the value is not 0"),
        forge(dyck, ("witness.value", -1), why="value is no integer"),
        forge(dyck, ("witness.value", True), why="value is no integer"),
        forge(dyck, ("witness.alice", [0, 1]), why="the same half"),
        forge(dyck, ("witness.alice", [2, 0]), why="not ascending"),
        forge(dyck, ("witness.alice", [0, 0, 2]), why="not ascending"),
        forge(dyck, ("witness.alice", [0, 4]), why="not ascending"),
        forge(dyck, ("witness.alice", [False, 2]), why="no list of integers"),
        forge(dyck, ("witness.alice", 0), why="no list of integers"),
        forge(dyck, ("witness.alice", [1, 3]), why="not what the theorem is about"),
        forge(dyck, ("witness.alice", [0, 2, 3]), why="the same half"),
        forge(dyck, ("claims.complete", 0), ("witness.alice", [1, 3]), why="not what the theorem is about"),
        forge(dyck, ("claims.complete", 0), why="not what the theorem is about"),
        forge(dyck, ("claims.complete", True), why="complete is no integer"),
        forge(dyck, ("claims.complete", 2), why="complete is no integer"),
        forge(dyck, ("rounding", "floor stepwise"), why="not a rounding"),
        forge(one, ("theorem", "bounded-dyck-one-layer"), why="not what the theorem is about"),
        forge(
            one, ("theorem", "bounded-dyck-one-layer"), ("task.kinds", 2), ("witness.words", [[0, 1], [2, 3]]),
            ("claims.size", 2), ("claims.bits", 1), why="not what the theorem is about",
        ),
        forge(
            one, ("theorem", "bounded-dyck-one-layer"), ("task.depth", 2), why="not what the theorem is about",
        ),
        forge(one, (words, []), ("claims.size", 0), ("claims.bits", 0), why="empty"),
        forge(pairs, (words, repeated), ("claims.size", 9), ("claims.bits", 4), why="neither tells them apart"),
        forge(pairs, ("witness.alice", [0, 1]), why="neither tells them apart"),
        forge(pairs, ("claims.complete", 1), ("witness.alice", [0, 1]), why="the same half"),
        forge(pairs, ("claims.bits", 4), why="claims"),
        forge(equality, ("task.length", 1), why="length is odd"),
        forge(equality, ("task.alphabet", 4), why="not all with the value"),
        forge(equality, ("task.alphabet", 65537), why="alphabet is no integer"),
        forge(equality, ("task.name", "inequality"), why="the value is not 1"),
        forge(equality, ("task.depth", 1), why="task has not the fields"),
        forge(equality, (f"{words}.2", [2, 1]), why="the value is not"),
        forge(inequality, ("claims.complete", 1), why="not all with the value, or their number is not known"),
        forge(inequality, ("task.name", "equality"), ("witness.value", 1), (f"{words}.0", [0, 1]), why="the value is not"),
        forge(lookup, ("claims.complete", 1), why="or their number is not known"),
        forge(lookup, (f"{words}.0.2", 4), why=f"{word} leaves the alphabet"),
        forge(lookup, (f"{words}.0.2", 1), why=f"{word} leaves the alphabet"),
        forge(lookup, (f"{words}.0", [0, 0, 2]), why="neither tells them apart"),
        forge(partial, ("task.length", 2), why="task has not the fields alphabets, name, values"),
        forge(partial, ("claims.complete", 1), why="or their number is not known"),
        forge(partial, ("task.values.1", 1), ("task.values.3", 1), why="neither tells them apart"),
        forge(partial, ("task.values.3", -1), why="neither tells them apart"),
        forge(partial, ("task.values.3", 1), why="neither tells them apart"),
        forge(partial, ("task.values.1", -2), why="values leaves"),
        forge(partial, ("task.values.1", 1 << 31), why="values leaves"),
        forge(partial, ("task.values", without_last), why="values has not its length"),
        forge(partial, ("task.values.1", True), why="no integer"),
        forge(partial, ("task.alphabets.0", 0), why="alphabets leaves"),
        forge(partial, ("task.alphabets", []), why="alphabets is no list, or empty"),
        forge(partial, ("task.alphabets", {}), why="alphabets is no list, or empty"),
        forge(partial, ("task.alphabets.0", 65537), why="alphabets leaves"),
        forge(partial, ("task.alphabets", [1] * 4097), why="too many positions"),
        forge(table, ("task.values.1", 7), ("claims.complete", 1), why="not all with the value"),
        forge(
            table, ("task", {"name": "table", "alphabets": [3, 2], "values": [7, 0, 0, 7, 7, 7]}),
            ("witness.words", [[0, 0], [1, 1]]), why="not all with the value",
        ),
    ]  # fmt: skip


def distinguishing() -> list[Forgery]:
    lookup, equality, total = (f"distinguishing-table: {name}" for name in ("lookup", "equality", "total"))
    partial, dyck, whole = (f"distinguishing-table: {name}" for name in ("partial", "dyck", "whole"))
    return [
        *outer(lookup, "index-lookup", "state_bits"),
        forge(lookup, ("claims.rows", 9), why="claims"),
        forge(lookup, ("witness.rows", []), why="rows is no list, or empty"),
        forge(lookup, ("witness.columns", []), why="columns is no list, or empty"),
        forge(lookup, ("witness.rows", []), ("claims.rows", 0), ("claims.state_bits", 0), why="empty"),
        forge(lookup, ("witness.rows", repeated), ("claims.rows", 9), ("claims.state_bits", 4), why="two rows are equal"),
        forge(lookup, ("witness.rows", without_last), ("claims.rows", 7), why="not what the theorem is about"),
        forge(lookup, ("witness.columns", without_last), why="two rows are equal"),
        forge(lookup, ("witness.columns.0.0", 5), why="a word of columns leaves the alphabet"),
        forge(lookup, ("witness.columns.0.0", 1), why="a word of columns leaves the alphabet"),
        forge(lookup, ("witness.columns.0.0", "2"), why="a word of columns leaves the alphabet"),
        forge(lookup, ("witness.columns.0", [2, 2]), why="a word of columns has not its length"),
        forge(lookup, ("witness.rows.1.0", 2), why="a word of rows leaves the alphabet"),
        forge(lookup, ("witness.rows.1.0", True), why="a word of rows leaves the alphabet"),
        forge(lookup, ("witness.rows.1", repeated), why="a word of rows has not its length"),
        forge(lookup, ("witness.alice", [0, 1, 3]), why="a word of rows leaves the alphabet"),
        forge(lookup, ("witness.alice", [0, 1]), why="a word of rows has not its length"),
        forge(lookup, ("witness.alice", [0, 1, 2, 3]), why="a word of rows has not its length"),
        forge(lookup, ("witness.alice", [0, 2, 1]), why="not ascending"),
        forge(lookup, ("witness.alice", [0, 1, "2"]), why="no list of integers"),
        forge(lookup, ("task.length", 4), why="a word of"),
        forge(lookup, ("task.alphabet", 3), why="a word of columns leaves the alphabet"),
        forge(lookup, ("task.alphabet", True), why="alphabet is no integer"),
        forge(lookup, ("theorem", "equality-state"), why="not a task"),
        forge(lookup, ("theorem", "index-lookup-attention"), why="not the type"),
        forge(lookup, ("rounding", "floor once"), why="not a rounding"),
        forge(
            lookup, ("witness.alice", [3]), ("witness.rows", [[2], [3], [4]]), ("claims.rows", 3), ("claims.state_bits", 2),
            ("witness.columns", [[0, 0, 1], [0, 1, 0]]), why="not what the theorem is about",
        ),
        forge(
            lookup, ("witness.alice", [3]), ("witness.rows", [[2], [3], [4]]), ("claims.rows", 3), ("claims.state_bits", 2),
            ("witness.columns", [[0, 0, 1], [0, 1, 0]]), ("theorem", "least-state"), why="not what the theorem is about",
        ),
        forge(
            lookup, ("task", {"alphabet": 3, "length": 1, "name": "index-lookup"}), ("witness.alice", [1]), ("claims.rows", 1),
            ("claims.state_bits", 0), ("witness.columns", [[0]]), ("witness.rows", [[3]]), why="not what the theorem is about",
        ),
        forge(
            lookup, ("task", {"alphabet": 1, "length": 1, "name": "index-lookup"}), ("witness.alice", [1]), ("claims.rows", 1),
            ("claims.state_bits", 0), ("witness.columns", [[0]]), ("witness.rows", [[1]]), why="not what the theorem is about",
        ),
        forge(
            equality, ("task.alphabet", 1), ("witness.alice", [1, 2]), ("claims.rows", 1), ("claims.state_bits", 0),
            ("witness.columns", [[0, 0]]), ("witness.rows", [[0, 0]]), why="not what the theorem is about",
        ),
        forge(equality, ("witness.rows", without_last), ("claims.rows", 3), why="not what the theorem is about"),
        forge(equality, ("witness.columns", without_last), why="two rows are equal"),
        forge(equality, ("task.name", "inequality"), why="not a task"),
        forge(total, ("task.values.2", 0), ("task.values.3", 1), why="two rows are equal"),
        forge(total, ("claims.state_bits", 1), why="claims"),
        forge(total, ("witness.alice", [0, 2]), ("witness.rows", [[0, 0], [0, 1]]), ("claims.rows", 2),
              ("claims.state_bits", 1), ("witness.columns", [[0], [1], [2]]), why="not what the theorem is about"),
        forge(partial, ("task.values.4", -1), ("task.values.1", -1), why="not told apart"),
        forge(partial, ("task.values.4", -1), ("task.values.0", 0), why="not told apart"),
        forge(partial, ("task.values", [-1] * 9), why="two rows are equal"),
        forge(partial, ("witness.rows.2", [0]), why="two rows are equal"),
        forge(partial, ("theorem", "least-state"), why="not what the theorem is about"),
        forge(dyck, ("task.depth", 1), ("task.kinds", 1), why="leaves the alphabet"),
        forge(dyck, ("witness.rows.2", [2, 2]), ("witness.rows.1", [0, 1]), why="two rows are equal"),
        forge(whole, ("witness.columns", [[0]]), why="a word of columns has not its length"),
        forge(whole, ("witness.rows.1", [0, 1, 1]), ("witness.rows.2", [1, 2, 1]), why="two rows are equal"),
    ]  # fmt: skip


def automata() -> list[Forgery]:
    dyck, deep = "automaton: dyck", "automaton: deep"
    table, accepting = "witness.table", "witness.accepting"
    return [
        *outer(dyck, "bounded-dyck", "states"),
        forge(dyck, ("claims.live_states", 8), why="claims"),
        forge(dyck, ("claims.state_bits", 4), why="claims"),
        forge(dyck, ("claims.states", 7), ("claims.live_states", 6), why="claims"),
        forge(dyck, ("task.length", 4), why="task has not the fields"),
        forge(dyck, ("task.name", "table"), why="not a task"),
        forge(dyck, ("task.depth", 1), why="table has not its length"),
        forge(dyck, ("task.depth", 3), why="table has not its length"),
        forge(dyck, ("task.kinds", 3), why="table has not its length"),
        forge(dyck, ("task.depth", 0), why="depth is no integer"),
        forge(dyck, ("task.kinds", True), why="kinds is no integer"),
        forge(dyck, (table, []), why="table is no list, or empty"),
        forge(dyck, (table, without_last), (accepting, without_last), why="table has not its length"),
        forge(dyck, (table, repeated), (accepting, repeated), why="table has not its length"),
        forge(dyck, (f"{table}.0", without_last), why="table has not its length"),
        forge(dyck, (f"{table}.3", []), why="table is no list, or empty"),
        forge(dyck, (f"{table}.3", 3), why="table is no list, or empty"),
        forge(dyck, (f"{table}.0.0", 8), why="table leaves"),
        forge(dyck, (f"{table}.0.0", -1), why="table leaves"),
        forge(dyck, (f"{table}.0.0", True), why="no integer"),
        forge(dyck, (f"{table}.0.1", 0), why="goes wrong"),
        forge(dyck, (f"{table}.0.0", 2), why="goes wrong"),
        forge(dyck, (f"{table}.7.0", 0), why="goes wrong"),
        forge(dyck, (f"{table}.3.0", 3), why="goes wrong"),
        forge(dyck, (f"{table}.1.1", 7), why="goes wrong"),
        forge(dyck, (accepting, lambda flags: [0] * len(flags)), why="answers wrongly"),
        forge(dyck, (f"{accepting}.7", 1), why="answers wrongly"),
        forge(dyck, (f"{accepting}.3", 1), why="answers wrongly"),
        forge(dyck, (f"{accepting}.0", True), why="no integer"),
        forge(dyck, (f"{accepting}.0", 2), why="accepting leaves 0 to 1"),
        forge(dyck, (f"{accepting}.0", -1), why="accepting leaves 0 to 1"),
        forge(dyck, (accepting, without_last), why="accepting has not its length"),
        forge(dyck, (accepting, []), why="accepting is no list, or empty"),
        forge(dyck, ("witness.start", 1), why="answers wrongly"),
        forge(dyck, ("witness.start", 8), why="start is no integer"),
        forge(dyck, ("witness.start", -8), why="start is no integer"),
        forge(dyck, ("witness.start", False), why="start is no integer"),
        forge(dyck, ("witness.table", lambda rows: [rows[1], rows[0], *rows[2:]]), why="goes wrong"),
        forge(deep, ("task.kinds", 3), ("task.depth", 1), why="table has not its length"),
        forge(deep, (f"{table}.3.0", 0), why="goes wrong"),
        forge(deep, ("witness.start", 4), why="answers wrongly"),
    ]  # fmt: skip


def networks() -> list[Forgery]:
    lookup, equality, inequality, dyck = (f"network: {name}" for name in ("lookup", "equality", "inequality", "dyck"))
    layer, head = "witness.layers.0", "witness.layers.0.heads.0"

    def beyond(value: int) -> int:
        return 10**6 if value >= 0 else -(10**6)

    return [
        *outer(lookup, "index-lookup", "width"),
        forge(lookup, ("claims.all", 0), why="claims"),
        forge(dyck, ("claims.all", 1), why="claims"),
        forge(lookup, ("claims.heads", 2), why="claims"),
        forge(lookup, ("claims.layers", 0), why="claims"),
        forge(lookup, ("claims.inputs", 9), why="claims"),
        forge(lookup, ("claims.all", True), why="claims"),
        forge(lookup, ("precision", 0), why="claims"),
        forge(lookup, ("rounding", "none"), why="not a rounding"),
        forge(lookup, ("rounding", ["floor once"]), why="not a rounding"),
        forge(lookup, ("task.name", "equality"), why="not a task"),
        forge(lookup, ("theorem", "equality-two-layers"), why="not a task"),
        forge(equality, ("theorem", "index-lookup-attention"), why="not a task"),
        forge(equality, ("task.name", "inequality"), why="the value is"),
        forge(inequality, ("task.name", "equality"), why="the value is"),
        forge(equality, ("task.length", 5), why="length is odd"),
        forge(lookup, ("witness.inputs", []), ("witness.answers", []), why="inputs is no list, or empty"),
        forge(lookup, ("witness.inputs", repeated), ("witness.answers", repeated), ("claims.inputs", 9), why="stands twice"),
        forge(
            lookup, ("witness.inputs", lambda words: [*words[:-1], words[0]]),
            ("witness.answers", lambda answers: [*answers[:-1], answers[0]]), why="stands twice",
        ),
        forge(lookup, ("witness.inputs.0.2", 4), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0.2", 1), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0.0", False), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0", without_last), why="has not its length"),
        forge(lookup, ("witness.answers", without_last), why="answers has not its length"),
        forge(lookup, ("witness.answers.0", 1), why="the value is 0, not 1"),
        forge(lookup, ("witness.answers.0", 2), why="answers leaves 0 to 1"),
        forge(lookup, ("witness.answers.0", -1), why="answers leaves 0 to 1"),
        forge(lookup, ("witness.answers.0", False), why="no integer"),
        forge(lookup, ("witness.steps", 1), why="steps is no integer from 2"),
        forge(lookup, ("witness.steps", (1 << 100) + 1), why="steps is no integer from 2"),
        forge(lookup, ("witness.steps", True), why="steps is no integer from 2"),
        forge(lookup, ("witness.steps", 2), ("precision", 4), why="leaves -4 to 4"),
        forge(lookup, (f"{head}.query.0.2", beyond), why="query leaves"),
        forge(lookup, (f"{head}.query.0.2", -(10**6)), why="query leaves"),
        forge(lookup, ("witness.symbols.0.0", 10**6), why="symbols leaves"),
        forge(lookup, ("witness.readout.0.0", True), why="no integer"),
        forge(lookup, ("witness.readout", lambda rows: [rows[1], rows[0]]), why="the answer is not"),
        forge(lookup, ("witness.readout_bias", lambda bias: [-16, 16]), why="the answer is not"),
        forge(dyck, ("witness.readout_bias", [0, 0]), why="the answer is not"),
        forge(dyck, ("task.kinds", 2), why="symbols has too few rows"),
        forge(lookup, ("witness.readout_bias", [17, 0]), why="readout_bias leaves"),
        forge(lookup, ("witness.readout_bias", without_last), why="readout_bias has not its length"),
        forge(lookup, ("witness.readout", without_last), ("witness.readout_bias", without_last), why="answers leaves 0 to 0"),
        forge(lookup, ("witness.symbols", without_last), why="symbols has too few rows"),
        forge(lookup, ("witness.symbols.1", without_last), why="symbols has not its length"),
        forge(lookup, ("witness.positions", without_last), why="positions has too few rows"),
        forge(lookup, ("witness.positions", []), why="positions is no list, or empty"),
        forge(lookup, ("witness.layers", []), why="layers is no list, or empty"),
        forge(lookup, ("witness.layers", {}), why="layers is no list, or empty"),
        forge(lookup, ("witness.layers", [[]]), why="a layer has not the fields"),
        forge(lookup, (f"{layer}.heads", []), why="heads is no list, or empty"),
        forge(lookup, (f"{layer}.heads.0", []), why="a head has not the fields"),
        forge(lookup, (f"{layer}.causal", 0), why="not what the theorem is about"),
        forge(equality, (f"{layer}.causal", 0), why=""),
        forge(lookup, (f"{layer}.causal", True), why="causal is no integer"),
        forge(lookup, (f"{layer}.causal", 2), why="causal is no integer"),
        forge(lookup, ("witness.layers", repeated), ("claims.layers", 2), why=""),
        forge(equality, ("witness.layers", without_last), ("claims.layers", 1), why="the answer is not"),
        forge(lookup, (f"{head}.key", without_last), why="query has not its length"),
        forge(lookup, (f"{head}.value", repeated), why="value has not its length"),
        forge(lookup, (f"{head}.output", without_last), why="output has not its length"),
        forge(lookup, (f"{layer}.inner", without_last), why="inner_bias has not its length"),
        forge(lookup, (f"{layer}.outer", without_last), why="outer has not its length"),
        forge(lookup, (f"{layer}.inner_bias", lambda bias: [0 for _ in bias]), why="the answer is not"),
        forge(lookup, (f"{head}.key", lambda rows: [[0] * len(row) for row in rows]), why="the answer is not"),
    ]  # fmt: skip


FORGERIES = {
    "fooling-set": fooling, "distinguishing-table": distinguishing, "automaton": automata, "network": networks
}  # fmt: skip
