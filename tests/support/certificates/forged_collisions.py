"""Forged state collisions. Each is rejected for the reason that it names."""

from support.certificates.forgery import Change, Forgery, columns, forge, outer, repeated, without_last

ABOUT = "not what the theorem is about"


def collisions() -> list[Forgery]:
    parity, periods, symmetric, letters, five = (
        f"state-collision: {name}" for name in ("parity", "periods", "symmetric", "letters", "modulo 5")
    )
    maps, words, start = "witness.maps", "witness.words", "witness.start"
    return [
        *outer(parity, "ones-modulo", "longer"),
        *of_form(),
        *of_words(),
        *of_languages(),
        *of_kinds(),
        forge(parity, (f"{maps}.1.0", [-2, 0, 0, 0]), why="the words end in two states"),
        forge(periods, (f"{maps}.1.0.0", 1), why="holds", status=0),
        forge(symmetric, (f"{start}.0", 0), why="holds", status=0),
        forge("state-collision: up", ("rounding", "floor"), why="the words end in two states"),
        forge("state-collision: down", ("rounding", "nearest"), why="the words end in two states"),
        forge(letters, (f"{words}.1.1", [1, 0]), why="claims: longer: claimed 4, found 3"),
        forge(five, ("task.modulus", 2), why="both words have the value 0"),
    ]


def of_form() -> list[Forgery]:
    """Numbers out of their range, and lists of another length."""
    parity = "state-collision: parity"
    maps, start, divisor, steps = "witness.maps", "witness.start", "witness.divisor", "witness.steps"
    most = (1 << 31) - 1
    return [
        forge(parity, (steps, 0), why="steps is not an integer from 1 to 32768"),
        forge(parity, (steps, (1 << 15) + 1), why="steps is not an integer"),
        forge(parity, (steps, "2"), why="steps is not an integer"),
        forge(parity, (steps, 1 << 15), why="the words end in two states"),
        forge(parity, (steps, 3), why="the words end in two states"),
        forge(parity, (steps, 3), *ones(13, 14, 3), why="claims: precision: claimed 4, found 5"),
        forge(parity, (divisor, 0), why="divisor is not an integer from 1"),
        forge(parity, (divisor, -2), why="divisor is not an integer from 1"),
        forge(parity, (divisor, True), why="divisor is not an integer from 1"),
        forge(parity, (divisor, most), why="holds", status=0),
        forge(parity, (divisor, most + 1), why="divisor is not an integer from 1"),
        forge(parity, (divisor, 1), why="holds", status=0),
        forge(parity, (f"{start}.0", -5), why="start has a number outside -4 to 4"),
        forge(parity, (f"{start}.0", 5), why="start has a number outside -4 to 4"),
        forge(parity, (f"{start}.0", [1]), why="start has an entry that is not an integer"),
        forge(parity, (start, []), why="start is not a list, or is empty"),
        forge(parity, (start, 4), why="start is not a list, or is empty"),
        forge(parity, (start, without_last), why="a map has the wrong length"),
        forge(parity, (start, repeated), why="a map has the wrong length"),
        forge(parity, (maps, without_last), why="maps has the wrong length"),
        forge(parity, (maps, repeated), why="maps has the wrong length"),
        forge(parity, (maps, {}), why="maps is not a list, or is empty"),
        forge(parity, (f"{maps}.0", without_last), why="a map has the wrong length"),
        forge(parity, (f"{maps}.0", 7), why="a map is not a list, or is empty"),
        forge(parity, (f"{maps}.0.2", without_last), why="a map has the wrong length"),
        forge(parity, (f"{maps}.0.2", repeated), why="a map has the wrong length"),
        forge(parity, (f"{maps}.0.2", {}), why="a map is not a list, or is empty"),
        forge(parity, (f"{maps}.0.2.0", False), why="a map has an entry that is not an integer"),
        forge(parity, (f"{maps}.0.2.3", -most), why="holds", status=0),
        forge(parity, (f"{maps}.0.2.3", -most - 1), why="a map has a number outside"),
        forge(parity, (f"{maps}.0.2.3", most), why="holds", status=0),
        forge(parity, (f"{maps}.0.2.3", most + 1), why="a map has a number outside"),
        forge(parity, ("rounding", "none"), why="not a rounding of this type"),
        forge(parity, ("rounding", "floor once"), why="not a rounding of this type"),
        forge(parity, ("rounding", ["floor"]), why="not a rounding of this type"),
    ]


def of_words() -> list[Forgery]:
    """Other words, and what is no word."""
    parity, letters, five = (f"state-collision: {name}" for name in ("parity", "letters", "modulo 5"))
    words = "witness.words"
    both: tuple[Change, ...] = (("claims.longer", 8), ("claims.shorter", 8))
    return [
        forge(parity, (f"{words}.1.0.1", 8), *both, why="both words have the value 0"),
        forge(parity, (f"{words}.0.0.1", 7), ("claims.shorter", 7), why="the words end in two states"),
        forge(parity, (f"{words}.1.0.0", 0), why="the words end in two states"),
        forge(parity, (f"{words}.0.0.0", 2), why="a word leaves the alphabet"),
        forge(letters, (f"{words}.0.0.0", 3), why="a word leaves the alphabet"),
        forge(parity, (f"{words}.0.0.0", -1), why="a run has a number outside 0"),
        forge(parity, (f"{words}.0.0.1", -1), why="a run has a number outside 0"),
        forge(parity, (f"{words}.0.0.1", True), why="a run has an entry that is not an integer"),
        forge(parity, (f"{words}.0.0", [1, 8, 0]), why="a run has the wrong length"),
        forge(parity, (f"{words}.0.0", [1]), why="a run has the wrong length"),
        forge(parity, (f"{words}.0.0", 1), why="a run is not a list, or is empty"),
        forge(parity, (f"{words}.0", []), why="a word is not a list, or is empty"),
        forge(parity, (f"{words}.0", 1), why="a word is not a list, or is empty"),
        forge(parity, (words, without_last), why="words has the wrong length"),
        forge(parity, (words, repeated), why="words has the wrong length"),
        forge(parity, (words, "11"), why="words is not a list, or is empty"),
        forge(parity, (f"{words}.1.0.1", (1 << 31) - 1), why="too large: work 96636764475", status=2),
        forge(parity, (f"{words}.1.0.1", 1 << 31), why="a run has a number outside 0"),
        forge(parity, (f"{words}.1.0.1", 1 << 200), why="a run has a number outside 0"),
        forge(five, (f"{words}.1.2.1", 2), ("claims.longer", 13), why="the words end in two states"),
    ]


def of_languages() -> list[Forgery]:
    """Other languages, and what is no automaton."""
    parity, language = (f"state-collision: {name}" for name in ("parity", "language"))
    table, accepting = "task.table", "task.accepting"
    constant = {"accepting": [1], "name": "regular-language", "start": 0, "table": [[0, 0]]}
    fields = "task must be an object with exactly the fields"
    return [
        forge(parity, ("task.modulus", 0), why="modulus is not an integer from 1 to 65536"),
        forge(parity, ("task.modulus", 65_537), why="modulus is not an integer from 1 to 65536"),
        forge(parity, ("task.modulus", 1), why="both words have the value 0"),
        forge(parity, ("task.modulus", 65_536), why=ABOUT),
        forge(parity, ("task.modulus", 65_536), ("theorem", "one-state-two-values"), why="holds", status=0),
        forge(parity, ("task.name", "regular-language"), why="not a task of this theorem"),
        forge(parity, ("task.name", "regular-language"), ("theorem", "one-state-two-values"), why=fields),
        forge(language, ("task.name", "ones-modulo"), why=fields),
        forge(language, ("task.name", "table"), why="not a task of this theorem"),
        forge(language, ("task.length", 3), why=fields),
        forge(language, (accepting, [1, 1, 1]), why="both words have the value 1"),
        forge(language, ("task", constant), why="both words have the value 1"),
        forge(language, (f"{accepting}.0", 2), why="accepting has a number outside 0 to 1"),
        forge(language, (f"{accepting}.0", -1), why="accepting has a number outside 0 to 1"),
        forge(language, (accepting, without_last), ("task.start", 0), why="table has the wrong length"),
        forge(language, (accepting, []), why="accepting is not a list, or is empty"),
        forge(language, ("task.start", 3), why="start is not an integer from 0 to 2"),
        forge(language, ("task.start", -1), why="start is not an integer from 0 to 2"),
        forge(language, ("task.start", True), why="start is not an integer from 0 to 2"),
        forge(language, (table, without_last), why="table has the wrong length"),
        forge(language, (f"{table}.0", []), why="table is not a list, or is empty"),
        forge(language, (f"{table}.0", 3), why="table is not a list, or is empty"),
        forge(language, (f"{table}.0", without_last), why="table has the wrong length"),
        forge(language, (f"{table}.2", repeated), why="table has the wrong length"),
        forge(language, (table, columns(without_last)), why="maps has the wrong length"),
        forge(language, (f"{table}.2.0", 3), why="table has a number outside 0 to 2"),
        forge(language, (f"{table}.2.0", -1), why="table has a number outside 0 to 2"),
    ]


def ones(shorter: int, longer: int, width: int) -> tuple[Change, ...]:
    """Other words of ones, with their claims."""
    return (
        ("witness.words", [[[1, shorter]], [[1, longer]]]),
        ("claims", {"longer": longer, "shorter": shorter, "width": width}),
    )


def standing(width: int) -> tuple[Change, ...]:
    """A recurrence of some coordinates that stays at 0."""
    return (("witness.start", [0] * width), ("witness.maps", [[[0] * (width + 1)] * width] * 2))


def of_kinds() -> list[Forgery]:
    """Two words with one state of a recurrence that is not one of the theorem's."""
    parity, periods, symmetric, one, five = (
        f"state-collision: {name}" for name in ("parity", "periods", "symmetric", "one coordinate", "modulo 5")
    )
    maps, words = "witness.maps", "witness.words"
    return [
        forge(parity, ("theorem", "one-state-two-values"), why="holds: one-state-two-values: ", status=0),
        forge(parity, (f"{maps}.0.0.1", 1), why=ABOUT),
        forge(parity, (f"{maps}.0.2.0", 1), why=ABOUT),
        forge(parity, (f"{maps}.0.1.1", -1), why=ABOUT),
        forge(parity, (f"{maps}.0.1.1", 0), why="holds", status=0),
        forge(parity, (f"{maps}.0.1.3", -1), why="holds", status=0),
        forge(parity, (words, lambda both: both[::-1]), why=ABOUT),
        forge(parity, (f"{words}.1", [[1, 4], [1, 5]]), why=ABOUT),
        forge(parity, (f"{words}.0", [[1, 8], [0, 0]]), why=ABOUT),
        forge(parity, *ones(9, 10, 3), why=ABOUT),
        forge(parity, *ones(8, 11, 3), why=ABOUT),
        forge(parity, ("theorem", "diagonal-periods"), why=ABOUT),
        forge(parity, ("theorem", "symmetric-steps"), why="holds: symmetric-steps: ", status=0),
        forge(periods, ("theorem", "nonnegative-diagonal-parity"), why=ABOUT),
        forge(periods, ("task.modulus", 4), why=ABOUT),
        forge(periods, (f"{maps}.0.0.1", 1), why=ABOUT),
        forge(periods, *ones(16, 18, 3), why="holds", status=0),
        forge(periods, *ones(17, 19, 3), why=ABOUT),
        forge(symmetric, (f"{maps}.0.0.1", 194), why=ABOUT),
        forge(symmetric, (f"{maps}.0.0.0", -1), why=ABOUT),
        forge(symmetric, (f"{maps}.0", [[0, 0, 0, 5], [0, 1, 0, 5], [0, 0, 0, 5]]), why="holds", status=0),
        forge(symmetric, (f"{maps}.0", [[0, 0, 1, 5], [0, 1, 0, 5], [1, 0, 9, 5]]), why=ABOUT),
        forge(symmetric, (f"{maps}.0", [[0, 0, 0, 5], [0, 0, 1, 5], [0, 1, 9, 5]]), why=ABOUT),
        forge(symmetric, (f"{maps}.0", [[1, 2, 0, 5], [2, 4, 0, 5], [0, 0, 1, 5]]), why="holds", status=0),
        forge(symmetric, (f"{maps}.0", [[1, 2, 0, 5], [2, 3, 0, 5], [0, 0, 1, 5]]), why=ABOUT),
        forge(symmetric, (f"{maps}.0", [[2, 1, 0, 5], [1, 1, 1, 5], [0, 1, 2, 5]]), why="holds", status=0),
        forge(symmetric, (f"{maps}.0", [[2, 1, 0, 5], [1, 1, 1, 5], [0, 1, 1, 5]]), why=ABOUT),
        forge(symmetric, ("theorem", "nonnegative-diagonal-parity"), why=ABOUT),
        forge(symmetric, *ones(100, 101, 3), why="holds", status=0),
        forge(symmetric, *ones(728, 729, 3), why="holds", status=0),
        forge(symmetric, *ones(729, 730, 3), why=ABOUT),
        forge(one, *ones(2, 3, 8), *standing(8), why="holds", status=0),
        forge(one, *ones(2, 3, 9), *standing(9), why=ABOUT),
        forge(one, *ones(3, 4, 1), why=ABOUT),
        forge(one, ("witness.divisor", 3), ("witness.maps", [[[1, 0]]] * 2), *ones(0, 1, 1), why="the words end in two states"),
        forge(five, ("task.modulus", 2), (f"{words}.1.1.1", 3), ("claims.longer", 11), why="holds", status=0),
        forge(
            five,
            ("task.modulus", 2),
            (f"{words}.1.1.1", 3),
            ("claims.longer", 11),
            ("theorem", "symmetric-steps"),
            why=ABOUT,
        ),
    ]
