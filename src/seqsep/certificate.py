"""Certificates: what a theorem exhibits, as canonical JSON that `seqsep_check.py` checks without seqsep.

The specification is docs/certificates.md. `certificate` turns a theorem's `Evidence` into bytes: what the checker measures is
measured here from the witness, and the specification's bounds on sizes are computed here once more; beyond them nothing is
written. A theorem that the specification does not name gets the general name of its type.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from seqsep.analysis.record import AtLength
from seqsep.exact.automata import DFA
from seqsep.exact.enumeration import OUTSIDE, Tabulated
from seqsep.exact.grid import Array
from seqsep.exact.integers import ceil_log2
from seqsep.exact.least_state import every_label
from seqsep.exact.network import AttentionLayer, FeedForward, Network
from seqsep.exact.partial_states import Clique
from seqsep.exact.witnesses import DistinctRows, FoolingSet, IncompatibleRows
from seqsep.theorems import BY_NAME
from seqsep.theorems.base import Evidence, NetworkRun

MOST_BYTES, MOST_BRACKETS, MOST_QUOTES = 10 << 20, 200_000, 20_000
MOST_WORK, MOST_NETWORK_WORK = 4_000_000, 30_000_000
MOST_STEPS = 1 << 100
NAMED = {
    "network": ("index-lookup-attention", "equality-two-layers"),
    "distinguishing-table": ("index-lookup-state", "equality-state", "least-state"),
    "fooling-set": ("bounded-dyck-one-layer",),
    "automaton": ("bounded-dyck-state",),
}
GENERAL = {"network": "built-network", "distinguishing-table": "one-way-cost", "fooling-set": "communication-cost"}


def canonical(value: Any) -> bytes:
    """Sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def certify(name: str, **options: Any) -> bytes:
    """The certificate of a theorem. Raises ValueError for one without evidence, a wrong option, or one that is too large."""
    theorem = BY_NAME.get(name)
    if theorem is None or theorem.evidence is None:
        known = ", ".join(known for known, theorem in BY_NAME.items() if theorem.evidence is not None)
        raise ValueError(f"certify({name!r}): theorem is one of {known}")
    return certificate(name, theorem.evidence(**options))


def certificate(theorem: str, evidence: Evidence) -> bytes:
    """The bytes of the file; nothing here is random. Raises ValueError for what has no form, or is too large.

    Matrix witnesses are mappings as in the specification: `alice`, `rows`, `columns`, or `alice`, `value`, `words`, with
    `complete` among the claims (0 or 1; 0 where it is missing); or those of `exact.witnesses`, whose matrix becomes the task.
    """
    if isinstance(evidence.witness, FoolingSet | DistinctRows | IncompatibleRows):
        evidence = _of_matrix(evidence.witness)
    call = f"certificate({theorem}, {evidence.task})"
    witness, rounding, precision = evidence.witness, "none", 0
    if isinstance(witness, NetworkRun):
        kind, grid = "network", witness.network.grid
        shown, claims, work = _network(call, evidence, witness)
        rounding, precision = f"{grid.rounding} {grid.softmax}", grid.precision
    elif isinstance(witness, DFA):
        kind = "automaton"
        shown, claims, work = _automaton(evidence, witness)
    elif isinstance(witness, Mapping) and "words" in witness:
        kind = "fooling-set"
        shown, claims, work = _fooling_set(evidence, witness)
    elif isinstance(witness, Mapping) and "rows" in witness:
        kind = "distinguishing-table"
        shown, claims, work = _distinguishing_table(evidence, witness)
    else:
        raise ValueError(f"{call}: no form for a {type(witness).__name__}")
    most = MOST_NETWORK_WORK if kind == "network" else MOST_WORK
    if work > most:
        raise ValueError(f"{call}: the checker's work is {work:,}, at most {most:,}; ask for a smaller length or fewer inputs")
    body = {
        "claims": claims,
        "format": "seqsep-certificate",
        "precision": precision,
        "rounding": rounding,
        "task": {"name": evidence.task, **evidence.parameters},
        "theorem": theorem if theorem in NAMED[kind] else GENERAL[kind],
        "type": kind,
        "version": 1,
        "witness": shown,
    }
    data = canonical(body | {"digest": hashlib.sha256(canonical(body)).hexdigest()})
    brackets, quotes = data.count(b"[") + data.count(b"{"), data.count(b'"')
    if len(data) > MOST_BYTES or brackets > MOST_BRACKETS or quotes > MOST_QUOTES:
        raise ValueError(
            f"{call}: {len(data):,} bytes with {brackets:,} brackets and {quotes:,} quotation marks, at most {MOST_BYTES:,}, "
            f"{MOST_BRACKETS:,} and {MOST_QUOTES:,}"
        )
    return data


def least_state(found: AtLength) -> Evidence:
    """What `analyze` finds at a length, for `certificate("least-state", ..)`: every answer; prefixes and suffixes between them.

    Rows are prefixes of the widest split, one of each class; or of the clique, where inputs are outside the domain. Answers
    stand for themselves if all are from 0 to 2^31 - 1, else for their numbers in order of appearance. Raises ValueError for
    more inputs than a file can list.
    """
    alphabets = [len(tokens) for tokens in found.symbols]
    total = math.prod(alphabets)
    if 2 * total > MOST_BYTES:
        raise ValueError(f"least_state(length={found.length}): {total:,} answers, a certificate holds {MOST_BYTES // 2:,}")
    if found.least is not None:
        split, (prefixes, suffixes, _) = found.least.split, found.least.distinguishing_table()
        labels = every_label(found.automaton)
    else:
        assert found.partial is not None
        assert found.table is not None
        labels, split = found.table.labels, found.partial.clique.split
        prefixes, suffixes = _told_apart(found.table, found.partial.clique)
    answers = np.array(found.answers if all(0 <= answer < 1 << 31 for answer in found.answers) else range(len(found.answers)))
    values = np.where(labels == OUTSIDE, OUTSIDE, answers[labels]) if len(answers) else labels
    witness = {
        "alice": list(range(split)),
        "rows": [list(map(int, prefix)) for prefix in prefixes],
        "columns": [list(map(int, suffix)) for suffix in suffixes or [(0,) * (len(alphabets) - split)]],
    }
    return Evidence("table", {"alphabets": alphabets, "values": values.tolist()}, {}, witness)


def _told_apart(table: Tabulated, clique: Clique) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The prefixes of a clique, and suffixes: every two clash at one of them."""
    sizes = table.alphabets
    rows = table.labels.reshape(math.prod(sizes[: clique.split]), -1)[list(clique.prefixes)]
    together, chosen = {*combinations(range(len(rows)), 2)}, []
    for one, other in combinations(range(len(rows)), 2):
        if (one, other) not in together:
            continue
        clash = (rows[one] != rows[other]) & (rows[one] != OUTSIDE) & (rows[other] != OUTSIDE)
        column = int(np.flatnonzero(clash)[0])
        chosen.append(column)
        seen = rows[:, column]
        together = {(i, j) for i, j in together if seen[i] == seen[j] or OUTSIDE in (seen[i], seen[j])}
    prefixes = [tuple(map(int, np.unravel_index(number, sizes[: clique.split]))) for number in clique.prefixes]
    return prefixes, [tuple(map(int, np.unravel_index(column, sizes[clique.split :]))) for column in chosen]


def _of_matrix(found: FoolingSet | DistinctRows | IncompatibleRows) -> Evidence:
    """Two positions, the row and the column."""
    parameters: dict[str, Any] = {"alphabets": list(found.matrix.shape), "values": found.matrix.ravel().tolist()}
    rows = found.rows.tolist()
    if isinstance(found, FoolingSet):
        words = [list(pair) for pair in zip(rows, found.columns.tolist(), strict=True)]
        return Evidence("table", parameters, {}, {"alice": [0], "value": int(found.value), "words": words})
    columns = found.columns.tolist() if isinstance(found, DistinctRows) else list(range(found.matrix.shape[1]))
    return Evidence(
        "table", parameters, {}, {"alice": [0], "rows": [[row] for row in rows], "columns": [[c] for c in columns or [0]]}
    )  # fmt: skip


Part = tuple[dict[str, Any], dict[str, int], int]


def _cost(evidence: Evidence) -> int:
    """Of one evaluation of the task."""
    given: Mapping[str, Any] = evidence.parameters
    positions = len(given["alphabets"]) if evidence.task == "table" else given["length"] + (evidence.task == "index-lookup")
    return (positions + 8) * (1 + given.get("depth", 1) // 64)


def _fooling_set(evidence: Evidence, witness: Mapping[str, Any]) -> Part:
    given: Mapping[str, Any] = evidence.parameters
    size, complete = len(witness["words"]), int(evidence.claims.get("complete", 0))
    length = len(witness["words"][0])
    work = size * _cost(evidence) + (length * length * given.get("depth", 1) if complete else size * size * _cost(evidence))
    shown = {name: witness[name] for name in ("alice", "value", "words")}
    return shown, {"bits": ceil_log2(size), "complete": complete, "size": size}, work


def _distinguishing_table(evidence: Evidence, witness: Mapping[str, Any]) -> Part:
    rows, columns = len(witness["rows"]), len(witness["columns"])
    given: Mapping[str, Any] = evidence.parameters
    partial = evidence.task == "table" and -1 in given["values"]
    shown = {name: witness[name] for name in ("alice", "columns", "rows")}
    work = rows * columns * (_cost(evidence) + rows * partial)
    return shown, {"rows": rows, "state_bits": ceil_log2(rows)}, work


def _automaton(evidence: Evidence, witness: DFA) -> Part:
    given: Mapping[str, Any] = evidence.parameters
    states = len(witness.table)
    shown = {"accepting": witness.accepting.astype(int).tolist(), "start": int(witness.start), "table": witness.table.tolist()}
    claims = {"live_states": int(witness.live().sum()), "state_bits": ceil_log2(states), "states": states}
    return shown, claims, states * given["kinds"] * (given["depth"] + 8)


def _network(call: str, evidence: Evidence, run: NetworkRun) -> Part:
    network, (count, time) = run.network, run.inputs.shape
    if network.grid.steps > MOST_STEPS:
        raise ValueError(f"{call}: 2^{network.grid.steps.bit_length() - 1} steps a unit, at most 2^100")
    layers, work = [], len(network.readout.integers) * (network.width + 12)
    for number, (mixer, feed_forward) in enumerate(network.layers):
        if not isinstance(mixer, AttentionLayer):
            raise ValueError(f"{call}: no form for a {type(mixer).__name__}; layers are of attention")
        layers.append(_layer(network, mixer, feed_forward))
        asked = 1 if number == len(network.layers) - 1 else time
        work += _work(network, layers[-1], asked, time)
    if network.symbols is None:
        raise ValueError(f"{call}: no form for inputs that are vectors")
    symbols = _steps(network, network.symbols)
    if network.indices is not None:
        symbols = symbols + _steps(network, network.indices)
    positions = _steps(network, network.positions)[:time] if network.positions is not None else [[0] * network.width] * time
    shown = {
        "answers": run.answers.tolist(),
        "inputs": run.inputs.tolist(),
        "layers": layers,
        "positions": positions,
        "readout": _steps(network, network.readout),
        "readout_bias": _steps(network, network.readout_bias),
        "steps": network.grid.steps,
        "symbols": symbols,
    }
    everything = count == math.prod(_alphabets(evidence))
    claims = {
        "all": int(everything), "heads": network.heads, "inputs": count, "layers": len(layers), "width": network.width
    }  # fmt: skip
    return shown, claims, work * count * (16 + network.grid.steps.bit_length()) // 16


def _alphabets(evidence: Evidence) -> list[int]:
    """Sizes, by position."""
    given: Mapping[str, Any] = evidence.parameters
    if evidence.task == "table":
        return list(given["alphabets"])
    alphabet = 2 * given["kinds"] if evidence.task == "bounded-dyck" else given["alphabet"]
    return [alphabet] * given["length"] + ([given["length"]] if evidence.task == "index-lookup" else [])


def _steps(network: Network, array: Array) -> Any:
    return array.of_unit(network.grid.step).integers.tolist()


def _layer(network: Network, mixer: AttentionLayer, feed_forward: FeedForward | None) -> dict[str, Any]:
    """Without a feed-forward part, one that adds 0."""
    zeros = {
        "inner": [[0] * network.width], "inner_bias": [0], "outer": [[0]] * network.width, "outer_bias": [0] * network.width
    }  # fmt: skip
    names = ("key", "output", "query", "value")
    heads = [{name: _steps(network, getattr(head, name)) for name in names} for head in mixer.heads]
    part = zeros if feed_forward is None else {name: _steps(network, getattr(feed_forward, name)) for name in zeros}
    return {"causal": int(mixer.causal), "heads": heads, **part}


def _work(network: Network, layer: Mapping[str, Any], asked: int, time: int) -> int:
    d, entry = network.width, 1600 if network.grid.softmax == "once" else 400
    work = asked * 2 * len(layer["inner"]) * (d + 12)
    for head in layer["heads"]:
        a, b = len(head["key"]), len(head["value"])
        work += ((asked + time) * a + time * b) * (d + 12) + asked * d * (b + 12) + asked * time * (a + b + entry)
    return work
