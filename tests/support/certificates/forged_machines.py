"""Forged runs of Turing machines, and of patterns. Each is rejected for the reason that it names."""

from support.certificates.forgery import Forgery, forge, repeated, without_last

MACHINE = "generated-run: machine"
QUERIES = "generated-run: machine, queries"
NUMBERS = "generated-run: machine, numbers"
PATTERN = "generated-run: pattern"
CUBIC = [3, *[11] * 40, 4, 5, 5]  # the pattern (\S+) (\S+) .. that is searched for years where there are too few words


def machines() -> list[Forgery]:
    """The machine in the file, and its run."""
    layer = "witness.layers.0"
    return [
        # a machine that is none
        forge(MACHINE, ("task.rules", repeated), why="rules does not have one entry for each state and symbol"),
        forge(MACHINE, ("task.rules", without_last), why="rules does not have one entry for each state and symbol"),
        forge(MACHINE, ("task.rules", []), why="rules is not a list, or is empty"),
        forge(MACHINE, ("task.rules", {}), why="rules is not a list, or is empty"),
        forge(MACHINE, ("task.rules.0", [[1, 1, 1], [2, 1, 1]]), why="a rule has the wrong length"),
        forge(MACHINE, ("task.rules.0", [1, 1, 1, 2, 1, 1]), why="a rule has the wrong length"),
        forge(MACHINE, ("task.rules.0", [1, 1]), why="a rule has the wrong length"),
        forge(MACHINE, ("task.rules.6", {}), why="a rule is not a list, or is empty"),
        forge(MACHINE, ("task.rules.6", 0), why="a rule is not a list, or is empty"),
        forge(MACHINE, ("task.rules.6", None), why="a rule is not a list, or is empty"),
        forge(MACHINE, ("task.rules.0.0", 4), why="a rule's state is not an integer from 0 to 3"),
        forge(MACHINE, ("task.rules.0.0", -1), why="a rule's state is not an integer from 0 to 3"),
        forge(MACHINE, ("task.rules.0.0", "B"), why="a rule's state is not an integer from 0 to 3"),
        forge(MACHINE, ("task.rules.0.1", 2), why="a rule's symbol is not an integer from 0 to 1"),
        forge(MACHINE, ("task.rules.0.1", -1), why="a rule's symbol is not an integer from 0 to 1"),
        forge(MACHINE, ("task.rules.0.2", 2), why="a rule's move is not an integer from -1 to 1"),
        forge(MACHINE, ("task.rules.0.2", -2), why="a rule's move is not an integer from -1 to 1"),
        forge(MACHINE, ("task.rules.0.2", "R"), why="a rule's move is not an integer from -1 to 1"),
        forge(MACHINE, ("task.rules.0.2", True), why="a rule's move is not an integer from -1 to 1"),
        forge(MACHINE, ("task.alphabet", 3), why="rules does not have one entry for each state and symbol"),
        forge(MACHINE, ("task.alphabet", 4), why="a rule's state is not an integer from 0 to 1"),
        forge(MACHINE, ("task.alphabet", 1), why="a rule's symbol is not an integer from 0 to 0"),
        forge(MACHINE, ("task.head", 1), why="head is not an integer from 0 to 0"),
        forge(MACHINE, ("task.head", -1), why="head is not an integer from 0 to 0"),
        forge(MACHINE, ("task.steps", 0), why="steps is not an integer from 1 to 4096"),
        forge(MACHINE, ("task.steps", 4097), why="steps is not an integer from 1 to 4096"),
        forge(MACHINE, ("task.length", 2), why="has the wrong length"),
        forge(MACHINE, ("task.states", 4), why="task must be an object with exactly the fields"),
        # a run that is not this machine's
        forge(MACHINE, ("task.steps", 2), why="the value is [0, 2, 4], not [0, 2, 4, 4]"),
        forge(MACHINE, ("task.steps", 4), why="the value is [0, 2, 4, 4, 5], not"),
        forge(MACHINE, ("task.rules.0.0", 2), why="the value is [0, 4, 5, 0]"),
        forge(MACHINE, ("task.rules.2.1", 1), why="the value is [0, 2, 4, 5]"),
        forge(MACHINE, ("task.rules.0.2", 0), why="the value is [0, 3, 2, 4]"),
        forge(MACHINE, ("task.rules.1", []), why="the value is [1], not [1, 6]"),
        forge(MACHINE, ("witness.answers.0", without_last), why="the value is"),
        forge(MACHINE, ("witness.answers.0", repeated), ("witness.positions", repeated), why="the value is"),
        forge(MACHINE, ("witness.answers.1.1", 7), why="the value is [1, 6], not [1, 7]"),
        forge(MACHINE, ("witness.answers.1", [10, 6]), why="the value is [1, 6], not [6]"),
        forge(MACHINE, ("witness.answers.1", [10, 1, 6]), why="the answer is not 10"),
        forge(MACHINE, ("witness.inputs.0.0", 8), why="leaves the alphabet"),
        forge(MACHINE, ("witness.inputs.0.1", 10), why="leaves the alphabet"),
        forge(
            MACHINE, ("witness.inputs", without_last), ("witness.answers", without_last), why="claims: all: claimed 1, found 0"
        ),
        forge(
            MACHINE,
            ("witness.inputs", without_last),
            ("witness.answers", without_last),
            ("claims.all", 0),
            ("claims.inputs", 1),
            why="not what the theorem is about",
        ),
        forge(MACHINE, ("theorem", "turing-machine-retrieval"), why="not a task"),
        forge(MACHINE, ("task.name", "turing-machine-queries"), why="not a task"),
        forge(
            MACHINE,
            ("task.name", "turing-machine-queries"),
            ("theorem", "turing-machine-retrieval"),
            why="not what the theorem is about",
        ),
        forge(
            MACHINE, ("task.name", "turing-machine-numbers"), ("theorem", "turing-machine-recurrent"), why="leaves the alphabet"
        ),
        forge(MACHINE, (f"{layer}.causal", 0), why="a layer is not causal"),
        forge(MACHINE, ("claims.heads", 2), why="claims: heads: claimed 2, found 1"),
        forge(MACHINE, ("precision", 2), why="claims: precision: claimed 2, found"),
        # what the retriever finds
        forge(QUERIES, ("witness.answers.0.3", 9), why="the answer is not 9"),
        forge(QUERIES, ("witness.answers.0.3", 13), why="the answer is not 13"),
        forge(QUERIES, ("witness.answers.0.3", 0), why="the answer is not 0"),
        forge(QUERIES, ("witness.answers.0.8", 8), why="the answer is not 8"),
        forge(QUERIES, ("witness.answers.0.18", 13), why="the answer is not 13"),
        forge(QUERIES, ("witness.answers.0.18", 4), why="the answer is not 4"),
        forge(QUERIES, ("witness.answers.0.1", 18), why="the answer is not 18"),
        forge(QUERIES, ("witness.answers.0.0", 12), why="a query is closed but was never opened"),
        forge(QUERIES, ("witness.answers.0.4", 2), why="the value is [0, 2, 4, 4], not [2, 2, 4, 4]"),
        forge(QUERIES, ("task.steps", 4), why="the value is"),
        forge(QUERIES, ("task.rules.2.1", 1), why="the value is"),
        forge(QUERIES, ("task.name", "turing-machine"), ("theorem", "turing-machine-hybrid"), why="the value is"),
        forge(
            QUERIES, (f"{layer}.heads.0.recurrent", lambda rows: [[0 for _ in row] for row in rows]), why="the answer is not"
        ),
        # the machine that thinks in numbers
        forge(NUMBERS, ("witness.answers.0.0", 12), why="the answer is not 12"),
        forge(NUMBERS, ("witness.answers.0.4", 1), why="the value is [0, 2, 4, 4], not [1, 2, 4, 4]"),
        forge(NUMBERS, ("task.head", 3), why="the value is"),
        forge(NUMBERS, ("task.head", 4), why="head is not an integer from 0 to 3"),
        forge(NUMBERS, ("task.name", "turing-machine"), ("theorem", "turing-machine-hybrid"), why="leaves the alphabet"),
        forge(NUMBERS, ("witness.inputs.0", lambda tokens: tokens[::-1]), why="leaves the alphabet"),
    ]


def patterns() -> list[Forgery]:
    """A pattern that the model writes, and what it finds."""
    return [
        forge(PATTERN, ("witness.answers.0", CUBIC), ("witness.positions", lambda rows: rows * 4), why="the value is"),
        forge(PATTERN, ("witness.answers.0.1", 9), why="the value is"),
        forge(PATTERN, ("witness.answers.0.3", 2), why="the value is"),
        forge(PATTERN, ("witness.answers.0.10", 2), why="the value is"),
        forge(PATTERN, ("witness.answers.0.11", 2), why="the value is"),
        forge(PATTERN, ("witness.answers.1.11", 1), why="the value is"),
        forge(PATTERN, ("witness.answers.0", without_last), why="the value is"),
        forge(PATTERN, ("witness.answers.0", lambda tokens: tokens[-1:]), why="the value is"),
        forge(PATTERN, ("witness.answers.0", lambda tokens: [*tokens, 1]), why="positions has too few rows"),
        forge(PATTERN, ("witness.inputs.0.0", 1), why="leaves the alphabet"),
        forge(PATTERN, ("witness.inputs.0.1", 3), why="leaves the alphabet"),
        forge(PATTERN, ("task.gram", 3), why="has the wrong length"),
        forge(PATTERN, ("task.gram", 0), why="gram is not an integer from 1 to 64"),
        forge(PATTERN, ("task.alphabet", 3), why="the value is"),
        forge(PATTERN, ("task.length", 1), why="has the wrong length"),
        forge(PATTERN, ("task.name", "ngram"), why="not a task"),
        forge(PATTERN, ("task.name", "ngram"), ("theorem", "built-generator"), why="a run continues after its end"),
        forge(PATTERN, ("theorem", "recall-hybrid"), why="not a task"),
        forge(PATTERN, ("witness.readout_bias.3", 0), why="the answer is not 3"),
        forge(PATTERN, ("witness.layers.0.inner_bias", lambda row: [0 for _ in row]), why="the answer is not"),
        forge(PATTERN, ("claims.inputs", 7), why="claims: inputs: claimed 7, found 8"),
        forge(PATTERN, ("claims", {}), why="claims must be an object with exactly the fields"),
    ]
