"""Forged networks. Each is rejected for the reason that it names."""

from support.certificates.forgery import Forgery, columns, forge, outer, repeated, wider, without_last


def networks() -> list[Forgery]:
    lookup, equality, inequality, dyck = (f"network: {name}" for name in ("lookup", "equality", "inequality", "dyck"))
    layer, head = "witness.layers.0", "witness.layers.0.heads.0"
    hybrid = "network: hybrid"

    def beyond(value: int) -> int:
        return 10**6 if value >= 0 else -(10**6)

    return [
        *outer(lookup, "index-lookup", "width"),
        *other_widths(lookup, hybrid),
        forge(lookup, ("claims.all", 0), why="claims"),
        forge(
            lookup,
            ("witness.inputs", [[0, 0, 2], [0, 0, 3]]),
            ("witness.answers", [0, 0]),
            ("claims.all", 0),
            ("claims.inputs", 2),
            why="not what the theorem is about",
        ),
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
        forge(lookup, ("witness.inputs", []), ("witness.answers", []), why="inputs is not a list, or is empty"),
        forge(lookup, ("witness.inputs", repeated), ("witness.answers", repeated), ("claims.inputs", 9), why="is listed twice"),
        forge(
            lookup,
            ("witness.inputs", lambda words: [*words[:-1], words[0]]),
            ("witness.answers", lambda answers: [*answers[:-1], answers[0]]),
            why="is listed twice",
        ),
        forge(lookup, ("witness.inputs.0.2", 4), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0.2", 1), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0.0", False), why="leaves the alphabet"),
        forge(lookup, ("witness.inputs.0", without_last), why="has the wrong length"),
        forge(lookup, ("witness.answers", without_last), why="answers has the wrong length"),
        forge(lookup, ("witness.answers.0", 1), why="the value is 0, not 1"),
        forge(lookup, ("witness.answers.0", 2), why="answers has a number outside 0 to 1"),
        forge(lookup, ("witness.answers.0", -1), why="answers has a number outside 0 to 1"),
        forge(lookup, ("witness.answers.0", False), why="not an integer"),
        forge(lookup, ("witness.steps", 1), why="steps is not an integer from 2"),
        forge(lookup, ("witness.steps", (1 << 100) + 1), why="steps is not an integer from 2"),
        forge(lookup, ("witness.steps", True), why="steps is not an integer from 2"),
        forge(lookup, ("witness.steps", 2), ("precision", 4), why="outside -4 to 4"),
        forge(lookup, (f"{head}.query.0.2", beyond), why="query has a number outside"),
        forge(lookup, (f"{head}.query.0.2", -(10**6)), why="query has a number outside"),
        forge(lookup, ("witness.symbols.0.0", 10**6), why="symbols has a number outside"),
        forge(lookup, ("witness.readout.0.0", True), why="not an integer"),
        forge(lookup, ("witness.readout", lambda rows: [rows[1], rows[0]]), why="the answer is not"),
        forge(lookup, ("witness.readout_bias", lambda bias: [-16, 16]), why="the answer is not"),
        forge(dyck, ("witness.readout_bias", [0, 0]), why="the answer is not"),
        forge(dyck, ("task.kinds", 2), why="symbols has too few rows"),
        forge(lookup, ("witness.readout_bias", [17, 0]), why="readout_bias has a number outside"),
        forge(lookup, ("witness.readout_bias", without_last), why="readout_bias has the wrong length"),
        forge(
            lookup,
            ("witness.readout", without_last),
            ("witness.readout_bias", without_last),
            why="answers has a number outside 0 to 0",
        ),
        forge(lookup, ("witness.symbols", without_last), why="symbols has too few rows"),
        forge(lookup, ("witness.symbols.1", without_last), why="symbols has the wrong length"),
        forge(lookup, ("witness.positions", without_last), why="positions has too few rows"),
        forge(lookup, ("witness.positions", []), why="positions is not a list, or is empty"),
        forge(lookup, ("witness.layers", []), why="layers is not a list, or is empty"),
        forge(lookup, ("witness.layers", {}), why="layers is not a list, or is empty"),
        forge(lookup, ("witness.layers", [[]]), why="a layer must be an object with exactly the fields"),
        forge(lookup, (f"{layer}.heads", []), why="heads is not a list, or is empty"),
        forge(lookup, (f"{layer}.heads.0", []), why="a head must be an object with exactly the fields"),
        forge(lookup, (f"{layer}.causal", 0), why="not what the theorem is about"),
        forge(equality, (f"{layer}.causal", 0), why=""),
        forge(lookup, (f"{layer}.causal", True), why="causal is not an integer"),
        forge(lookup, (f"{layer}.causal", 2), why="causal is not an integer"),
        forge(lookup, ("witness.layers", repeated), ("claims.layers", 2), why=""),
        forge(equality, ("witness.layers", without_last), ("claims.layers", 1), why="the answer is not"),
        forge(lookup, (f"{head}.key", without_last), why="query has the wrong length"),
        forge(lookup, (f"{head}.value", repeated), why="output has the wrong length"),
        forge(lookup, (f"{layer}.inner", without_last), why="inner_bias has the wrong length"),
        forge(lookup, (f"{layer}.inner_bias", lambda bias: [0 for _ in bias]), why="the answer is not"),
        forge(lookup, (f"{head}.key", lambda rows: [[0] * len(row) for row in rows]), why="the answer is not"),
    ]


def other_widths(attention: str, recurrent: str) -> list[Forgery]:
    """Parts that fit each other, but are wider or narrower than the rows that they read and write.

    A sum over pairs that stops at the shorter list would run such a network, and give the right answers.
    """
    layer, head = "witness.layers.0", "witness.layers.0.heads.0"
    forged = []
    for changed in (wider, without_last):
        of_columns = tuple((f"{head}.{array}", columns(changed)) for array in ("key", "query", "value"))
        forged += [
            forge(attention, *of_columns, (f"{head}.output", changed), why="key has the wrong length"),
            forge(attention, (f"{head}.key", columns(changed)), why="key has the wrong length"),
            forge(attention, (f"{head}.query", columns(changed)), why="query has the wrong length"),
            forge(attention, (f"{head}.value", columns(changed)), why="value has the wrong length"),
            forge(attention, (f"{head}.output", changed), why="output has the wrong length"),
            forge(
                recurrent, (f"{head}.input", columns(changed)), (f"{head}.output", changed), why="input has the wrong length"
            ),
            forge(recurrent, (f"{head}.output", changed), why="output has the wrong length"),
            forge(
                attention,
                (f"{layer}.inner", columns(changed)),
                (f"{layer}.outer", changed),
                (f"{layer}.outer_bias", changed),
                why="inner has the wrong length",
            ),
            forge(attention, (f"{layer}.inner", columns(changed)), why="inner has the wrong length"),
            forge(attention, (f"{layer}.outer", changed), why="outer has the wrong length"),
            forge(attention, (f"{layer}.outer", columns(changed)), why="outer has the wrong length"),
            forge(attention, (f"{head}.output", columns(changed)), why="output"),
            forge(recurrent, (f"{head}.output", columns(changed)), why="output"),
            forge(attention, (f"{layer}.outer_bias", changed), why="outer_bias has the wrong length"),
            forge(attention, ("witness.symbols", columns(changed)), why="symbols has the wrong length"),
            forge(attention, ("witness.readout", columns(changed)), why="readout has the wrong length"),
        ]
    return forged
