"""Certificates: the evidence of a theorem, as canonical JSON that `seqsep_check.py` checks without seqsep.

The specification is docs/reference/certificates.md. `certificate` turns a theorem's `Evidence` into bytes. It measures on the
witness the sizes that the checker measures. It also computes the specification's bounds on sizes, and writes nothing beyond
them. A theorem that the specification does not mention gets the general name of its type.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA
from seqsep.maths.communication.witnesses import DistinctRows, FoolingSet, IncompatibleRows
from seqsep.theorems import BY_NAME, Theorem
from seqsep.theorems.certificate._collisions import of_collision
from seqsep.theorems.certificate._networks import of_generated_run, of_network
from seqsep.theorems.certificate._record import WitnessRecord, cost
from seqsep.theorems.evidence import DistinguishingTable, Evidence, FoolingSetWords, GeneratedRun, NetworkRun
from seqsep.theorems.state_tracking.collision import CollisionEvidence

MOST_BYTES = 10 << 20
MOST_BRACKETS = 200_000
MOST_QUOTES = 20_000
MOST_WORK = 4_000_000
MOST_NETWORK_WORK = 30_000_000
NAMED = {
    "network": ("index-lookup-attention", "index-lookup-one-layer", "index-lookup-hybrid", "equality-two-layers"),
    "generated-run": (
        "is-tree-peeling",
        "is-tree-tour",
        "is-tree-one-layer",
        "is-tree-hybrid",
        "is-tree-walk",
        "recall-attention",
        "recall-hybrid",
        "counting-attention",
        "counting-hybrid",
        "counting-one-layer",
        "circuits-attention",
        "retrieval-by-pattern",
        "turing-machine-hybrid",
        "turing-machine-retrieval",
        "turing-machine-recurrent",
    ),
    "distinguishing-table": ("index-lookup-state", "equality-state", "recall-oracle-state", "least-state"),
    "fooling-set": ("bounded-dyck-one-layer",),
    "automaton": ("bounded-dyck-state",),
    "state-collision": ("nonnegative-diagonal-parity", "diagonal-periods", "symmetric-steps"),
}
GENERAL = {
    "network": "built-network",
    "generated-run": "built-generator",
    "distinguishing-table": "one-way-cost",
    "fooling-set": "communication-cost",
    "state-collision": "one-state-two-values",
}
OF_A_STATE = ("is-tree-state", "recall-state", "counting-state")


def certify(name: str | Theorem, **options: Any) -> bytes:
    """The certificate of a theorem, by its name or as a `Theorem`; `options` are those of its evidence.

    Raises ValueError for a theorem without evidence, a wrong option, a certificate that is too large, or one of which the
    checker would say that it is not of the theorem, as every input that it shows has the same answer.

    >>> data = certify("index-lookup-state", length=2, alphabet=2)
    >>> json.loads(data)["claims"]
    {'rows': 4, 'state_bits': 2}
    """
    theorem = name if isinstance(name, Theorem) else BY_NAME.get(name)
    name = name.name if isinstance(name, Theorem) else name
    if theorem is not None and theorem.certificate_witness is None:
        raise ValueError(f"certify({name!r}): {theorem.nothing_to_certify}")
    if theorem is None or theorem.certificate_witness is None:
        known = ", ".join(known for known, theorem in BY_NAME.items() if theorem.certificate_witness is not None)
        raise ValueError(f"certify({name!r}): theorem is one of {known}")
    data = certificate(name, theorem.call("certify", options))
    given = json.loads(data)
    if given["theorem"] == name and given["type"] in ("network", "generated-run"):
        _require_two_answers(f"certify({name!r})", given["witness"]["answers"], given["task"])
    return data


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
        "theorem": name_in_file(theorem, recorded.type),
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


def _require_two_answers(call: str, answers: Sequence[Any], parameters: Mapping[str, Any]) -> None:
    """Raise ValueError unless two inputs have different answers, which the checker asks of a theorem's network."""
    last = [answer if isinstance(answer, int) or "rules" in parameters else answer[-1] for answer in answers]
    if all(answer == last[0] for answer in last):
        raise ValueError(
            f"{call}: all inputs shown have one answer, {str(last[0])[:60]}, and a certificate of this theorem shows two: "
            "another seed, more inputs or more symbols have them"
        )


def name_in_file(theorem: str, kind: str) -> str:
    """Return the theorem's name if docs/reference/certificates.md has it for this type, else the type's general name.

    >>> name_in_file("equality-state", "distinguishing-table"), name_in_file("recall-state", "distinguishing-table")
    ('equality-state', 'least-state')
    """
    if theorem in NAMED[kind]:
        return theorem
    return "least-state" if theorem in OF_A_STATE else GENERAL[kind]


def canonical(value: Any) -> bytes:
    """The one way to write a value as JSON: sorted keys, no spaces, ASCII.

    >>> canonical({"b": [1, 2], "a": 0})
    b'{"a":0,"b":[1,2]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def evidence_of_matrix(shown: FoolingSet | DistinctRows | IncompatibleRows) -> Evidence:
    """The evidence of a measure of a matrix. The task is the matrix: a function of a row and a column.

    >>> import numpy as np
    >>> from seqsep.maths.communication.communication import distinct_rows, of_values
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


def _recorded(call: str, evidence: Evidence) -> WitnessRecord:
    if isinstance(evidence, CollisionEvidence):
        return of_collision(call, evidence.witness)
    witness = evidence.witness
    if isinstance(witness, NetworkRun):
        return of_network(call, evidence, witness)
    if isinstance(witness, GeneratedRun):
        return of_generated_run(call, evidence, witness)
    if isinstance(witness, DFA):
        return _automaton(evidence, witness)
    if isinstance(witness, FoolingSetWords):
        return _fooling_set(evidence, witness)
    if isinstance(witness, DistinguishingTable):
        return _distinguishing_table(evidence, witness)
    raise ValueError(f"{call}: no form for a {type(witness).__name__}")


def _fooling_set(evidence: Evidence, witness: FoolingSetWords) -> WitnessRecord:
    size = len(witness.words)
    shown = {"alice": witness.alice, "value": witness.value, "words": witness.words}
    claims = {"bits": ceil_log2(size), "complete": int(witness.complete), "size": size}
    comparisons = 64 * len(witness.words[0]) if witness.complete else size**2
    return WitnessRecord("fooling-set", shown, claims, (size + comparisons) * cost(evidence))


def _distinguishing_table(evidence: Evidence, witness: DistinguishingTable) -> WitnessRecord:
    rows = len(witness.rows)
    columns = len(witness.columns)
    parameters: Mapping[str, Any] = evidence.parameters
    is_partial = evidence.task == "table" and -1 in parameters["values"]
    shown = {"alice": witness.alice, "columns": witness.columns, "rows": witness.rows}
    claims = {"rows": rows, "state_bits": ceil_log2(rows)}
    comparisons = rows**2 * columns if is_partial else 0
    return WitnessRecord("distinguishing-table", shown, claims, rows * columns * cost(evidence) + comparisons)


def _automaton(evidence: Evidence, witness: DFA) -> WitnessRecord:
    parameters: Mapping[str, Any] = evidence.parameters
    states = len(witness.table)
    shown = {"accepting": witness.accepting.astype(int).tolist(), "start": int(witness.start), "table": witness.table.tolist()}
    claims = {"live_states": int(witness.live().sum()), "state_bits": ceil_log2(states), "states": states}
    return WitnessRecord("automaton", shown, claims, states * parameters["kinds"] * (parameters["depth"] + 8))
