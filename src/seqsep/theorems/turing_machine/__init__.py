"""Turing machines, run step by step by recurrent models that attend, or that ask a retriever, while they think.

Files:

    hybrid          one linear recurrence and one attention head run any machine, one token a step (Theorem 5.8)
    recurrent       one linear recurrence runs any machine in little space (Theorem 4.1, the half that runs)
    retrieval       one linear recurrence with a retriever runs any machine, five tokens a step (Theorem 5.4)
    _machine        machines with one tape, their file format, the shipped ones, and a direct simulator
    _machine_file   machine files, refused with file, line and reason if they are malformed
    _notations      machines as bbchallenge and turingmachine.io write them
    _retrieved_run  the tokens of a run with a retriever, and what it finds
    _stacks         a tape as two numbers
    _stack_tokens   tokens of a thought in numbers
    _shown         the runs of a machine's network, as evidence for a certificate
    _trials         machines and words on which the constructions are tested
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, from_places, lazy_names

if TYPE_CHECKING:
    from seqsep.theorems.base import Theorem
    from seqsep.theorems.turing_machine._machine import Machine as Machine
    from seqsep.theorems.turing_machine._machine_file import machine_of as machine_of
    from seqsep.theorems.turing_machine._machine_file import shipped as shipped

    THEOREMS: tuple[Theorem, ...]

PLACES = {
    "turing-machine-hybrid": "seqsep.theorems.turing_machine.hybrid:THEOREM",
    "turing-machine-retrieval": "seqsep.theorems.turing_machine.retrieval:THEOREM",
    "turing-machine-recurrent": "seqsep.theorems.turing_machine.recurrent:THEOREM",
}
_HOMES = {
    "Machine": "seqsep.theorems.turing_machine._machine:Machine",
    "machine_of": "seqsep.theorems.turing_machine._machine_file:machine_of",
    "shipped": "seqsep.theorems.turing_machine._machine_file:shipped",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {**from_places(_HOMES), "THEOREMS": Registry("theorem", PLACES).members})

__all__ = ["PLACES", "THEOREMS"]
