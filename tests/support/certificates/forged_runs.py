"""Forged generated runs. Each is rejected for the reason that it names."""

from support.certificates.forgery import Forgery, forge, outer, repeated, without_last


def generated_runs() -> list[Forgery]:
    tree, recall, counting = (f"generated-run: {name}" for name in ("tree", "recall", "counting"))
    linear = "generated-run: linear, floor stepwise"
    layer = "witness.layers.0"
    head = f"{layer}.heads.0"

    def of_attention(heads: list) -> list:
        row = [[0, 0, 0]]
        return [*heads, {"key": row, "query": row, "value": row, "output": [[0], [0], [0]]}]

    return [
        *outer(tree, "is-tree", "width"),
        forge(tree, ("theorem", "recall-attention"), why="not a task"),
        forge(tree, ("theorem", "counting-attention"), why="not a task"),
        forge(tree, ("theorem", "built-network"), ("type", "network"), why="no integer"),
        forge(tree, ("type", "network"), why="not the type"),
        forge(tree, ("task.name", "ngram"), why="not a task"),
        forge(counting, ("task.name", "ngram"), why="task has not the fields"),
        forge(counting, ("task.name", "equality"), why="a word of inputs has not its length"),
        forge(linear, ("theorem", "is-tree-peeling"), why="not what the theorem is about"),
        forge(tree, ("witness.layers.1.causal", 0), why="a layer is not causal"),
        forge(tree, (f"{layer}.causal", 0), why="a layer is not causal"),
        forge(tree, ("claims.all", 0), why="claims"),
        forge(tree, ("claims.heads", 6), why="claims"),
        forge(tree, ("claims.inputs", 3), why="claims"),
        forge(tree, ("precision", 0), why="claims"),
        # what is written
        forge(tree, ("witness.answers.0", lambda tokens: [*tokens[:-1], 5]), why="the value is 4, not 5"),
        forge(tree, ("witness.answers.1", lambda tokens: [*tokens[:-1], 4]), why="the value is 5, not 4"),
        forge(tree, ("witness.answers.0", without_last), why="the value is 4, not 7"),
        forge(tree, ("witness.answers.0", lambda tokens: tokens[-1:]), why="the answer is not 4"),
        forge(tree, ("witness.answers.1.0", 7), why="the answer is not 7"),
        forge(tree, ("witness.answers.1.1", 1), why="the answer is not 1"),
        forge(tree, ("witness.answers.1.2", 6), why="the answer is not 6"),
        forge(tree, ("witness.answers.0.1", 4), why="a run goes on behind its end"),
        forge(tree, ("witness.answers.0", lambda tokens: [5, *tokens[1:]]), why="a run goes on behind its end"),
        forge(recall, ("witness.answers.0", [1, 1]), why="positions has too few rows"),
        forge(
            recall,
            ("witness.answers.0", [1, 1]),
            ("witness.positions", repeated),
            why="a run goes on behind its end",
        ),
        forge(recall, ("witness.answers.0", [0]), why="the value is 1, not 0"),
        forge(recall, ("witness.answers.1", [1]), why="the value is 0, not 1"),
        forge(counting, ("witness.answers.0", [0]), why="the value is 1, not 0"),
        forge(tree, ("witness.answers.0", []), why="answers is no list, or empty"),
        forge(tree, ("witness.answers.0", 4), why="answers is no list, or empty"),
        forge(tree, ("witness.answers.0.0", True), why="no integer"),
        forge(tree, ("witness.answers.0.0", 8), why="answers leaves 0 to 7"),
        forge(tree, ("witness.answers.0.0", -1), why="answers leaves 0 to 7"),
        forge(tree, ("witness.answers", without_last), why="answers has not its length"),
        forge(tree, ("witness.answers", {}), why="answers is no list, or empty"),
        forge(tree, ("witness.inputs", repeated), ("witness.answers", repeated), ("claims.inputs", 5), why="stands twice"),
        # prompts
        forge(tree, ("witness.inputs.0.0", 1), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.1", 0), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.1", 3), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.2", 2), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.2", 4), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.3", 0), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0.3", 3), why="leaves the alphabet"),
        forge(tree, ("witness.inputs.0", without_last), why="has not its length"),
        forge(recall, ("witness.inputs.0.0", 1), why="leaves the alphabet"),
        forge(recall, ("witness.inputs.0.1", 0), why="leaves the alphabet"),
        forge(recall, ("witness.inputs.0.3", 3), why="leaves the alphabet"),
        forge(counting, ("witness.inputs.0.0", 1), why="leaves the alphabet"),
        forge(counting, ("witness.inputs.0.4", 0), why="leaves the alphabet"),
        forge(counting, ("witness.inputs.0.4", 3), why="leaves the alphabet"),
        # the task
        forge(tree, ("task.vertices", 3), why="has not its length"),
        forge(tree, ("task.vertices", 1025), why="vertices is no integer from 1 to 1024"),
        forge(recall, ("task.gram", 65), why="gram is no integer from 1 to 64"),
        forge(recall, ("task.gram", 3), why="has not its length"),
        forge(recall, ("task.alphabet", 1), why="leaves the alphabet"),
        forge(recall, ("task.alphabet", 3), why="symbols has too few rows"),
        forge(tree, ("task.length", 2), why="task has not the fields"),
        # the network
        forge(tree, ("witness.symbols", without_last), why="symbols has too few rows"),
        forge(tree, ("witness.positions", without_last), why="positions has too few rows"),
        forge(tree, ("witness.readout", lambda rows: [*rows[:6], rows[7], rows[6]]), why="the answer is not"),
        forge(linear, (f"{head}.recurrent", without_last), why="recurrent has not its length"),
        forge(linear, (f"{head}.recurrent.0", without_last), why="recurrent has not its length"),
        forge(linear, (f"{head}.recurrent.0.0", 10**9), why="recurrent leaves"),
        forge(linear, (f"{head}.input", without_last), why="input has not its length"),
        forge(linear, (f"{head}.input.0", without_last), why="input has not its length"),
        forge(linear, (f"{head}.output", without_last), why="output has not its length"),
        forge(linear, (f"{head}.output.1", repeated), why="output has not its length"),
        forge(linear, (f"{head}.key", [[0, 0, 0]]), why="a head has not the fields"),
        forge(linear, (f"{layer}.heads", repeated), why="a recurrence beside other heads"),
        forge(linear, (f"{layer}.heads", of_attention), why="a recurrence beside other heads"),
        forge(linear, (f"{head}.input.0", lambda row: [0 for _ in row]), why="the answer is not"),
        forge(linear, (f"{head}.recurrent", lambda rows: [[0 for _ in row] for row in rows]), why=""),
    ]
