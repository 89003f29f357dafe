"""The embedding of the model that writes a circuit's gates out: the row of every token and of every place."""

import numpy as np
from jaxtyping import Int64

from seqsep.theorems.blocks import Rows, Spaces, with_squares
from seqsep.theorems.circuits._tokens import Vocabulary


def tokens_in_all(vocabulary: Vocabulary, steps: int) -> int:
    """N + 1 + C T + 1 + O: the prompt, and the longest thought."""
    return vocabulary.length + 1 + vocabulary.gates * steps + 1 + len(vocabulary.answers)


def spaces_of(vocabulary: Vocabulary) -> Spaces:
    """The residual stream of `attention`."""
    inputs = vocabulary.circuit.inputs
    where = {"time": 2, "place": 2, "thought": 1, "one": 1}
    own = {"bit": 1, "prompt": 1, "given": inputs, "over": 1, "next": 1, "back": 2, "kind": len(vocabulary.kinds)}
    fetched = {"first": 2, "second": 2, "read": inputs, "ended": 1, "value": 1}
    return Spaces(**where, **own, may_stop=1, **fetched)


def positions(vocabulary: Vocabulary, spaces: Spaces, steps: int) -> Rows:
    """The row of each place: the clock u and r = min(u, 0) with their squares, the part that it is in, and 1."""
    clock = np.arange(tokens_in_all(vocabulary, steps)) - vocabulary.length
    thought = (clock > 0).astype(np.int64)[:, None]
    place = with_squares(np.minimum(clock, 0))
    return spaces.embed(time=with_squares(clock), place=place, thought=thought, one=np.ones_like(thought))


def symbols(vocabulary: Vocabulary, spaces: Spaces) -> Rows:
    """The row of each token: its own bits, and what it says of the next token."""
    rows = spaces.nothing(vocabulary.size)
    for token in range(vocabulary.filler):
        rows[token, spaces.slices["given"]] = [token >> place & 1 for place in range(vocabulary.circuit.inputs)]
    rows[: vocabulary.filler + 1, spaces.slices["prompt"]] = 1
    rows[vocabulary.filler, spaces.slices["over"]] = 1
    for gate in range(vocabulary.gates):
        for value in (0, 1):
            rows[vocabulary.bit(gate, value), spaces.slices["bit"]] = value
            ends_step = gate == vocabulary.gates - 1
            stops = ends_step and (value == 1 or not vocabulary.circuit.thinks)
            rows[vocabulary.bit(gate, value), spaces.slices["may_stop"]] = int(stops)
            rows[vocabulary.bit(gate, value)] += _next(vocabulary, spaces, (gate + 1) % vocabulary.gates)
    rows[vocabulary.filler] += _next(vocabulary, spaces, 0)
    rows[vocabulary.stop] += _next(vocabulary, spaces, vocabulary.answers[0])
    for number_before in vocabulary.answers[:-1]:
        for value in (0, 1):
            rows[vocabulary.bit(number_before, value)] += _next(vocabulary, spaces, number_before + 1)
    return rows


def _next(vocabulary: Vocabulary, spaces: Spaces, written: int) -> Int64[np.ndarray, "width"]:
    """Return what a token says of the next one: its number v, o_1 and o_2 counted from this token, and the kinds of its
    sources.
    """
    first, second = vocabulary.readings(written)
    kind = vocabulary.kinds.index((first.kind, second.kind))
    row = spaces.nothing()[0]
    row[spaces.slices["next"]] = written
    row[spaces.slices["back"]] = (first.back - 1, second.back - 1)
    row[spaces.slices["kind"].start + kind] = 1
    return row
