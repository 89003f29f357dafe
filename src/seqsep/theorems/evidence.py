"""A theorem's evidence for a certificate: a task, and a witness of one of the types of docs/reference/certificates.md."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.network import Network


@dataclass(frozen=True)
class FoolingSetWords:
    """Inputs with one value, no two of which can share a leaf of a protocol between two parties.

    The parties share out the positions. `alice`: the first party's positions, from 0. `complete`: whether these are all inputs
    with that value.

    >>> equal = FoolingSetWords(alice=[0], value=1, words=[[0, 0], [1, 1]], complete=True)
    >>> len(equal.words)
    2
    """

    alice: list[int]
    value: int
    words: list[list[int]]
    complete: bool = False


@dataclass(frozen=True)
class DistinguishingTable:
    """Parts of inputs at Alice's positions, and columns at the others: every two rows differ in some column.

    >>> first_bit = DistinguishingTable(alice=[0], rows=[[0], [1]], columns=[[0]])
    >>> len(first_bit.rows)
    2
    """

    alice: list[int]
    rows: list[list[int]]
    columns: list[list[int]]


@dataclass(frozen=True)
class NetworkRun:
    """A built network with inputs (tokens) and the classes that it answers at their last positions.

    >>> parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    >>> NetworkRun(parity, inputs=np.array([[0, 1], [1, 1]]), answers=np.array([1, 0])).answers.tolist()
    [1, 0]
    """

    network: Network
    inputs: Int64[np.ndarray, "batch time"]
    answers: Int64[np.ndarray, "batch"]


@dataclass(frozen=True)
class GeneratedRun:
    """A causal network with prompts, and the tokens that it generates after each, up to and with the answer.

    Tokens are those of docs/reference/certificates.md for the task: 0 begins each prompt. Class i of the read-out is
    token i.

    >>> from seqsep.theorems.retrieval.recall_attention import build
    >>> run = GeneratedRun(build(3, 2), prompts=np.array([[0, 1, 2, 1, 1]]), generated=[[2]])  # behind 1 stands 2
    >>> len(run.generated)
    1
    """

    network: Network
    prompts: Int64[np.ndarray, "batch time"]
    generated: list[list[int]]


def tabulated(
    inputs: Int64[np.ndarray, "batch time"], values: Sequence[int], most: int = 20_000
) -> dict[str, int | list[int] | list[list[int]]]:
    """The fields of a `table` with these values of these inputs, and -1, outside the domain, for others.

    Raises ValueError if it has more than `most` entries.

    >>> tabulated(np.array([[0, 1], [1, 0]]), values=[7, 8])
    {'alphabets': [2, 2], 'values': [-1, 7, 8, -1]}
    """
    sizes = (inputs.max(axis=0) + 1).tolist()
    entries = math.prod(sizes)
    if entries > most:
        raise ValueError(f"tabulated: a table of {entries:,} inputs, at most {most:,}; ask for a smaller length")
    table = np.full(sizes, -1)
    table[tuple(inputs.T)] = values
    return {"alphabets": sizes, "values": table.ravel().tolist()}


@dataclass(frozen=True)
class Evidence:
    """The content of a certificate: the task by name, its whole-number fields, and the witness.

    >>> evidence = Evidence("equality", {"alphabet": 2, "length": 2}, DistinguishingTable([0], [[0], [1]], [[0]]))
    >>> evidence.parameters["length"]
    2
    """

    task: str
    parameters: Mapping[str, int | list[int] | list[list[int]]]
    witness: FoolingSetWords | DistinguishingTable | DFA | NetworkRun | GeneratedRun
