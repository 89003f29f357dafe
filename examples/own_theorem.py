"""A theorem of your own: the parity of N bits takes one bit of state, and no model without state computes it.

    seqsep check --theorem examples/own_theorem.py:PARITY --length 12
    seqsep certify examples/own_theorem.py:PARITY --length 6 -o parity.json

Proof. Upper bound: the state is the parity of the bits read; each new bit is added to it modulo 2. Lower bound: after 0 0 .. 0
and 1 0 .. 0, N - 1 bits each, a model without state is in the same state. The next bit is 0 for both, so it gives both inputs
the same answer, but their parities are 0 and 1.
"""

from itertools import product
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Claim, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence

CLAIM = Claim("parity-state", "own", "One bit of state computes the parity of N bits, and a model without state does not")
Length = Annotated[int, Range(2, 16), "N, bits of an input; all inputs of N bits are tested."]
Long = Annotated[int, Range(1, 10_000), "Bits of each random input."]


def bound(length: Length):
    """Return the sizes of the statement."""
    return {"state_bits": 1}


def check(length: Length = 10, long: Long = 1_000, seed: Annotated[int, Range(0), "Random seed."] = 0):
    """Run the model on all inputs of N bits and on 50 long ones, and every model without state on two inputs."""
    drawn = np.random.default_rng(seed).integers(2, size=(50, long)).tolist()
    return [upper(list(product((0, 1), repeat=length)), exhaustive=True), upper(drawn, exhaustive=False), lower(length)]


def upper(words, exhaustive):
    """Require the right answer to each input of a model whose state, and answer, is the parity of the bits read so far."""
    model = Recurrence(state_bits=1, start=0, move=lambda t, state, bit: state ^ bit, read=lambda t, state: state)
    for word in words:
        if model.answer(word) != sum(word) % 2:
            raise CLAIM.fails({"input": list(word), "answer": model.answer(word)})
    sizes = {"measured": {"state_bits": model.state_bits}, "bound": bound(len(words[0]))}
    return CLAIM.upper(length=len(words[0]), inputs=len(words), exhaustive=exhaustive, **sizes)


def lower(length):
    """Require that each of the four functions of the last bit gives a wrong answer to one of two inputs."""
    table = witness(length).witness
    words = [row + table.columns[0] for row in table.rows]
    for answers in product((0, 1), repeat=2):
        if all(answers[word[-1]] == sum(word) % 2 for word in words):
            raise CLAIM.fails({"inputs": words, "answers to a last bit of 0 and of 1": answers})
    sizes = {"measured": {"state_bits": ceil_log2(len(table.rows))}, "bound": bound(length)}
    return CLAIM.lower(length=length, inputs=len(words), witness={"inputs": words}, **sizes)


def witness(length: Annotated[Length, Range(2, 12)] = 6):
    """Return the certificate's content: the parities of all inputs, and two beginnings that need different states."""
    values = [sum(word) % 2 for word in product((0, 1), repeat=length)]
    rows = [[first] + [0] * (length - 2) for first in (0, 1)]
    table = DistinguishingTable(alice=list(range(length - 1)), rows=rows, columns=[[0]])
    return Evidence("table", {"alphabets": [2] * length, "values": values}, table)


PARITY = Theorem(CLAIM, check, bound=bound, certificate_witness=witness, nothing_to_apply="the answer is a sum modulo 2")
