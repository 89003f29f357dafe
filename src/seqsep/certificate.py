"""Certificates: what a theorem exhibits, as canonical JSON that `seqsep_check.py` checks without seqsep.

The specification is docs/certificates.md. `certificate` turns a theorem's `Evidence` into bytes: what the checker measures is
measured here from the witness, and the specification's bounds on sizes are computed here once more; beyond them nothing is
written. A theorem that the specification does not name gets the general name of its type.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact.automata import DFA
from seqsep.exact.grid import Array
from seqsep.exact.integers import ceil_log2
from seqsep.exact.network import AttentionLayer, FeedForward, GatedFeedForward, Head, LinearLayer, MixingLayer, Network
from seqsep.exact.witnesses import DistinctRows, FoolingSet, IncompatibleRows
from seqsep.theorems import BY_NAME
from seqsep.theorems.evidence import DistinguishingTable, Evidence, FoolingSetWords, GeneratedRun, NetworkRun

MOST_BYTES = 10 << 20
MOST_BRACKETS = 200_000
MOST_QUOTES = 20_000
MOST_WORK = 4_000_000
MOST_NETWORK_WORK = 30_000_000
MOST_STEPS = 1 << 100
NAMED = {
    "network": ("index-lookup-attention", "equality-two-layers"),
    "generated-run": ("is-tree-peeling", "recall-attention", "counting-attention"),
    "distinguishing-table": ("index-lookup-state", "equality-state", "least-state"),
    "fooling-set": ("bounded-dyck-one-layer",),
    "automaton": ("bounded-dyck-state",),
}
GENERAL = {
    "network": "built-network",
    "generated-run": "built-generator",
    "distinguishing-table": "one-way-cost",
    "fooling-set": "communication-cost",
}


@dataclass(frozen=True)
class _WitnessRecord:
    """A witness as the file shows it, the claims measured from it, and the work of the checker."""

    type: str
    witness: Mapping[str, Any]
    claims: Mapping[str, int]
    work: int
    precision: int = 0
    rounding: str = "none"


def certify(name: str, **options: Any) -> bytes:
    """The certificate of a theorem; `options` are those of its evidence.

    Raises ValueError for a theorem without evidence, a wrong option, or a certificate that is too large.

    >>> data = certify("index-lookup-state", length=2, alphabet=2)
    >>> json.loads(data)["claims"]
    {'rows': 4, 'state_bits': 2}
    """
    theorem = BY_NAME.get(name)
    if theorem is None or theorem.evidence is None:
        known = ", ".join(known for known, theorem in BY_NAME.items() if theorem.evidence is not None)
        raise ValueError(f"certify({name!r}): theorem is one of {known}")
    return certificate(name, theorem.evidence(**options))


def certificate(theorem: str, evidence: Evidence) -> bytes:
    """The bytes of the file; nothing in it is random. Raises ValueError for what has no form, or is too large.

    >>> table = DistinguishingTable(alice=[0], rows=[[0], [1]], columns=[[0]])
    >>> data = certificate("one-way-cost", Evidence("equality", {"alphabet": 2, "length": 2}, table))
    >>> json.loads(data)["type"]
    'distinguishing-table'
    """
    call = f"certificate({theorem}, {evidence.task})"
    recorded = _recorded(call, evidence)
    most = MOST_NETWORK_WORK if recorded.type in ("network", "generated-run") else MOST_WORK
    if recorded.work > most:
        raise ValueError(
            f"{call}: the checker's work is {recorded.work:,}, at most {most:,}; ask for a smaller length or fewer inputs"
        )
    body = {
        "claims": recorded.claims,
        "format": "seqsep-certificate",
        "precision": recorded.precision,
        "rounding": recorded.rounding,
        "task": {"name": evidence.task, **evidence.parameters},
        "theorem": theorem if theorem in NAMED[recorded.type] else GENERAL[recorded.type],
        "type": recorded.type,
        "version": 1,
        "witness": recorded.witness,
    }
    data = canonical(body | {"digest": hashlib.sha256(canonical(body)).hexdigest()})
    brackets = data.count(b"[") + data.count(b"{")
    quotes = data.count(b'"')
    if len(data) > MOST_BYTES or brackets > MOST_BRACKETS or quotes > MOST_QUOTES:
        raise ValueError(
            f"{call}: {len(data):,} bytes with {brackets:,} brackets and {quotes:,} quotation marks, at most {MOST_BYTES:,}, "
            f"{MOST_BRACKETS:,} and {MOST_QUOTES:,}"
        )
    return data


def canonical(value: Any) -> bytes:
    """The one way to write a value as JSON: sorted keys, no spaces, ASCII.

    >>> canonical({"b": [1, 2], "a": 0})
    b'{"a":0,"b":[1,2]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def evidence_of_matrix(shown: FoolingSet | DistinctRows | IncompatibleRows) -> Evidence:
    """What shows a measure of a matrix, as evidence: the matrix is the task, a function of a row and a column.

    >>> import numpy as np
    >>> from seqsep.exact.communication import distinct_rows, of_values
    >>> evidence_of_matrix(distinct_rows(of_values(np.eye(3, dtype=int), [0])).witness).witness.rows
    [[0], [1], [2]]
    """
    parameters = {"alphabets": list(shown.matrix.shape), "values": shown.matrix.ravel().tolist()}
    rows = shown.rows.tolist()
    if isinstance(shown, FoolingSet):
        words = [list(entry) for entry in zip(rows, shown.columns.tolist(), strict=True)]
        return Evidence("table", parameters, FoolingSetWords(alice=[0], value=int(shown.value), words=words))
    columns = shown.columns.tolist() if isinstance(shown, DistinctRows) else list(range(shown.matrix.shape[1]))
    some_columns = columns or [0]
    table = DistinguishingTable(alice=[0], rows=[[row] for row in rows], columns=[[column] for column in some_columns])
    return Evidence("table", parameters, table)


def _recorded(call: str, evidence: Evidence) -> _WitnessRecord:
    witness = evidence.witness
    if isinstance(witness, NetworkRun):
        return _network(call, evidence, witness)
    if isinstance(witness, GeneratedRun):
        return _generated_run(call, evidence, witness)
    if isinstance(witness, DFA):
        return _automaton(evidence, witness)
    if isinstance(witness, FoolingSetWords):
        return _fooling_set(evidence, witness)
    if isinstance(witness, DistinguishingTable):
        return _distinguishing_table(evidence, witness)
    raise ValueError(f"{call}: no form for a {type(witness).__name__}")


def _cost(evidence: Evidence) -> int:
    """Work of one evaluation of the task."""
    return (len(_alphabets(evidence)) + 8) * (1 + _depth(evidence) // 64)


def _depth(evidence: Evidence) -> int:
    parameters: Mapping[str, Any] = evidence.parameters
    return int(parameters.get("depth", 1))


def _alphabets(evidence: Evidence) -> list[int]:
    """The size of the alphabet at each position."""
    parameters: Mapping[str, Any] = evidence.parameters
    if evidence.task == "table":
        return list(parameters["alphabets"])
    if evidence.task == "is-tree":
        return [1, *[parameters["vertices"], 1, parameters["vertices"]] * (parameters["vertices"] - 1)]
    if evidence.task == "ngram":
        return [1] + [parameters["alphabet"]] * (parameters["length"] + parameters["gram"] - 1)
    if evidence.task == "counting":
        return [1] + [parameters["alphabet"]] * (parameters["length"] + 2)
    symbols = 2 * parameters["kinds"] if evidence.task == "bounded-dyck" else parameters["alphabet"]
    question = [parameters["length"]] if evidence.task == "index-lookup" else []
    return [symbols] * parameters["length"] + question


def _fooling_set(evidence: Evidence, witness: FoolingSetWords) -> _WitnessRecord:
    size = len(witness.words)
    positions = len(witness.words[0])
    shown = {"alice": witness.alice, "value": witness.value, "words": witness.words}
    claims = {"bits": ceil_log2(size), "complete": int(witness.complete), "size": size}
    comparisons = positions**2 * _depth(evidence) if witness.complete else size**2 * _cost(evidence)
    return _WitnessRecord("fooling-set", shown, claims, size * _cost(evidence) + comparisons)


def _distinguishing_table(evidence: Evidence, witness: DistinguishingTable) -> _WitnessRecord:
    rows = len(witness.rows)
    columns = len(witness.columns)
    parameters: Mapping[str, Any] = evidence.parameters
    is_partial = evidence.task == "table" and -1 in parameters["values"]
    shown = {"alice": witness.alice, "columns": witness.columns, "rows": witness.rows}
    claims = {"rows": rows, "state_bits": ceil_log2(rows)}
    comparisons = rows**2 * columns if is_partial else 0
    return _WitnessRecord("distinguishing-table", shown, claims, rows * columns * _cost(evidence) + comparisons)


def _automaton(evidence: Evidence, witness: DFA) -> _WitnessRecord:
    parameters: Mapping[str, Any] = evidence.parameters
    states = len(witness.table)
    shown = {"accepting": witness.accepting.astype(int).tolist(), "start": int(witness.start), "table": witness.table.tolist()}
    claims = {"live_states": int(witness.live().sum()), "state_bits": ceil_log2(states), "states": states}
    return _WitnessRecord("automaton", shown, claims, states * parameters["kinds"] * (parameters["depth"] + 8))


def _network(call: str, evidence: Evidence, witness: NetworkRun) -> _WitnessRecord:
    return _run(call, evidence, witness, witness.inputs, answers=witness.answers.tolist())


def _generated_run(call: str, evidence: Evidence, witness: GeneratedRun) -> _WitnessRecord:
    if not witness.network.causal:
        raise ValueError(f"{call}: expected a causal network, found one that reads what comes later")
    return _run(call, evidence, witness, witness.prompts, answers=witness.generated)


def _run(
    call: str,
    evidence: Evidence,
    witness: NetworkRun | GeneratedRun,
    inputs: Int64[np.ndarray, "batch time"],
    *,
    answers: list[Any],
) -> _WitnessRecord:
    """A network with inputs and its answers: one class each, or the tokens that it generates."""
    network = witness.network
    grid = network.grid
    if grid.steps > MOST_STEPS:
        raise ValueError(f"{call}: 2^{grid.steps.bit_length() - 1} steps a unit, at most 2^100")
    if network.symbols is None:
        raise ValueError(f"{call}: no form for inputs that are vectors")
    layers = [_layer(call, network, mixer, feed_forward) for mixer, feed_forward in network.layers]
    symbols = _steps(network, network.symbols)
    if network.indices is not None:
        symbols = symbols + _steps(network, network.indices)
    longest = max(len(answer) if isinstance(answer, list) else 1 for answer in answers)
    time = inputs.shape[1] + longest - 1
    positions = [[0] * network.width] * time
    if network.positions is not None:
        positions = _steps(network, network.positions)[:time]
    shown = {
        "answers": answers,
        "inputs": inputs.tolist(),
        "layers": layers,
        "positions": positions,
        "readout": _steps(network, network.readout),
        "readout_bias": _steps(network, network.readout_bias),
        "steps": grid.steps,
        "symbols": symbols,
    }
    claims = {
        "all": int(len(inputs) == math.prod(_alphabets(evidence))),
        "heads": max(len(layer["heads"]) for layer in layers),
        "inputs": len(inputs),
        "layers": len(layers),
        "width": network.width,
    }
    work = _work_of_a_run(network, layers, time, longest) * len(inputs)
    return _WitnessRecord(
        "generated-run" if isinstance(witness, GeneratedRun) else "network",
        shown,
        claims,
        work * (16 + grid.steps.bit_length()) // 16,
        precision=grid.precision,
        rounding=f"{grid.rounding} {grid.softmax}",
    )


def _steps(network: Network, array: Array) -> Any:
    """An array's numbers in steps of the network's grid, as lists."""
    return array.of_unit(network.grid.step).integers.tolist()


def _layer(
    call: str, network: Network, mixer: MixingLayer, feed_forward: FeedForward | GatedFeedForward | None
) -> dict[str, Any]:
    """A layer as the file shows it; without a feed-forward part, with one that adds 0."""
    if isinstance(mixer, AttentionLayer):
        causal = mixer.causal
        heads = [_matrices(network, head, ("key", "output", "query", "value")) for head in mixer.heads]
    elif isinstance(mixer, LinearLayer):
        causal = True
        heads = [_matrices(network, mixer, ("input", "output", "recurrent"))]
    else:
        raise ValueError(f"{call}: no form for a {type(mixer).__name__}; layers are of attention or linear")
    if isinstance(feed_forward, GatedFeedForward):
        raise ValueError(f"{call}: no form for a GatedFeedForward")
    added = {
        "inner": [[0] * network.width],
        "inner_bias": [0],
        "outer": [[0]] * network.width,
        "outer_bias": [0] * network.width,
    }
    if feed_forward is not None:
        added = _matrices(network, feed_forward, tuple(added))
    return {"causal": int(causal), "heads": heads, **added}


def _matrices(network: Network, part: Head | LinearLayer | FeedForward, names: tuple[str, ...]) -> dict[str, Any]:
    """The arrays of a part of a layer, by name."""
    return {name: _steps(network, getattr(part, name)) for name in names}


def _work_of_a_run(network: Network, layers: list[dict[str, Any]], time: int, asked: int) -> int:
    """The checker's work for `time` tokens, of which the last `asked` are read out, without the factor for long numbers."""
    width = network.width
    entry = 1600 if network.grid.softmax == "once" else 400
    work = asked * len(network.readout.integers) * (width + 12)
    for number, layer in enumerate(layers, start=1):
        places = asked if number == len(layers) else time
        work += places * 2 * len(layer["inner"]) * (width + 12)
        for head in layer["heads"]:
            written = len(head["output"][0])
            work += places * width * (written + 12)
            if "recurrent" in head:
                work += time * written * (written + width + 12)
            else:
                keys = len(head["key"])
                work += ((places + time) * keys + time * written) * (width + 12)
                work += places * time * (keys + written + entry)
    return work
