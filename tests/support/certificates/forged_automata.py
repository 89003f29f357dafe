"""Forged automata. Each is rejected for the reason that it names."""

from support.certificates.forgery import Forgery, forge, outer, repeated, without_last


def automata() -> list[Forgery]:
    dyck, deep = "automaton: dyck", "automaton: deep"
    table, accepting = "witness.table", "witness.accepting"
    return [
        *outer(dyck, "bounded-dyck", "states"),
        forge(dyck, ("claims.live_states", 8), why="claims"),
        forge(dyck, ("claims.state_bits", 4), why="claims"),
        forge(dyck, ("claims.states", 7), ("claims.live_states", 6), why="claims"),
        forge(dyck, ("task.length", 4), why="task must be an object with exactly the fields"),
        forge(dyck, ("task.name", "table"), why="not a task"),
        forge(dyck, ("task.depth", 1), why="table has the wrong length"),
        forge(dyck, ("task.depth", 3), why="table has the wrong length"),
        forge(dyck, ("task.kinds", 3), why="table has the wrong length"),
        forge(dyck, ("task.depth", 0), why="depth is not an integer"),
        forge(dyck, ("task.kinds", True), why="kinds is not an integer"),
        forge(dyck, (table, []), why="table is not a list, or is empty"),
        forge(dyck, (table, without_last), (accepting, without_last), why="table has the wrong length"),
        forge(dyck, (table, repeated), (accepting, repeated), why="table has the wrong length"),
        forge(dyck, (f"{table}.0", without_last), why="table has the wrong length"),
        forge(dyck, (f"{table}.3", []), why="table is not a list, or is empty"),
        forge(dyck, (f"{table}.3", 3), why="table is not a list, or is empty"),
        forge(dyck, (f"{table}.0.0", 8), why="table has a number outside"),
        forge(dyck, (f"{table}.0.0", -1), why="table has a number outside"),
        forge(dyck, (f"{table}.0.0", True), why="not an integer"),
        forge(dyck, (f"{table}.0.1", 0), why="goes wrong"),
        forge(dyck, (f"{table}.0.0", 2), why="goes wrong"),
        forge(dyck, (f"{table}.7.0", 0), why="goes wrong"),
        forge(dyck, (f"{table}.3.0", 3), why="goes wrong"),
        forge(dyck, (f"{table}.1.1", 7), why="goes wrong"),
        forge(dyck, (accepting, lambda flags: [0] * len(flags)), why="answers wrongly"),
        forge(dyck, (f"{accepting}.7", 1), why="answers wrongly"),
        forge(dyck, (f"{accepting}.3", 1), why="answers wrongly"),
        forge(dyck, (f"{accepting}.0", True), why="not an integer"),
        forge(dyck, (f"{accepting}.0", 2), why="accepting has a number outside 0 to 1"),
        forge(dyck, (f"{accepting}.0", -1), why="accepting has a number outside 0 to 1"),
        forge(dyck, (accepting, without_last), why="accepting has the wrong length"),
        forge(dyck, (accepting, []), why="accepting is not a list, or is empty"),
        forge(dyck, ("witness.start", 1), why="answers wrongly"),
        forge(dyck, ("witness.start", 8), why="start is not an integer"),
        forge(dyck, ("witness.start", -8), why="start is not an integer"),
        forge(dyck, ("witness.start", False), why="start is not an integer"),
        forge(dyck, ("witness.table", lambda rows: [rows[1], rows[0], *rows[2:]]), why="goes wrong"),
        forge(deep, ("task.kinds", 3), ("task.depth", 1), why="table has the wrong length"),
        forge(deep, (f"{table}.3.0", 0), why="goes wrong"),
        forge(deep, ("witness.start", 4), why="answers wrongly"),
    ]
