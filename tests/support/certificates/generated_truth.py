"""The tasks of generated runs from their definitions, by other means than the checker's."""

import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from seqsep.retriever import Retriever
from seqsep.tasks.trees.walk import WalkTokens
from seqsep.theorems.circuits._circuit import parsed, run_circuit
from seqsep.theorems.circuits._tokens import Vocabulary


class Generated(NamedTuple):
    """The letters of a prompt, its value or whole run, the tokens that end a run, and the retriever, given the fields of it."""

    alphabets: Callable[[dict[str, Any]], list[range]]
    solve: Callable[[dict[str, Any], list[int]], int | list[int]]
    ends: Callable[[dict[str, Any]], set[int]]
    retriever: Callable[[dict[str, Any]], Retriever] | None = None


def _tree_alphabets(task: dict[str, Any]) -> list[range]:
    n = task["vertices"]
    edge = [range(1, n + 1), range(n + 1, n + 2), range(1, n + 1)]
    return [range(1), *itertools.chain.from_iterable(itertools.repeat(edge, n - 1))]


def _tree_value(task: dict[str, Any], word: list[int]) -> int:
    """Every vertex is reached from vertex 1 along n - 1 edges."""
    n = task["vertices"]
    edges = [(word[place], word[place + 2]) for place in range(1, len(word), 3)]
    reached = {1}
    for _ in range(n):
        reached |= {end for edge in edges if reached & {*edge} for end in edge}
    return n + 3 if reached == {*range(1, n + 1)} else n + 2


def _ngram_value(task: dict[str, Any], word: list[int]) -> int:
    """By a regular expression on symbols as characters."""
    text = "".join(map(chr, word[1 : task["length"] + 1]))
    asked = "".join(map(chr, word[task["length"] + 1 :]))
    found = re.search(re.escape(asked) + "(.)", text, flags=re.DOTALL)
    return ord(found.group(1)) if found else 0


def _counting_value(task: dict[str, Any], word: list[int]) -> int:
    threshold = word[-1] - 1
    return int(sum(symbol == word[-2] for symbol in word[1 : task["length"] + 1]) > threshold)


def _circuit_run(task: dict[str, Any], word: list[int]) -> list[int]:
    """By the definition of `circuits._circuit`, with sources by name."""
    bits, state = task["bits"], len(task["start"])
    names = [f"x{place}" for place in range(bits)] + [f"s{place}" for place in range(state)]
    names += [f"g{gate}" for gate in range(len(task["gates"]))]
    circuit = parsed(
        {
            "inputs": bits,
            "gates": [[names[one], names[other]] for one, other in task["gates"]],
            "state": [f"g{gate}" for gate in task["state"]],
            "start": task["start"],
            "output": [f"g{gate}" for gate in task["output"]],
        }
    )
    return Vocabulary(circuit, task["length"]).thought(run_circuit(circuit, word[:-1], task["length"]))


GENERATED = {
    "circuit": Generated(
        lambda task: [range(1 << task["bits"])] * task["length"] + [range(1 << task["bits"], (1 << task["bits"]) + 1)],
        _circuit_run,
        lambda _: set(),
    ),
    "is-tree": Generated(_tree_alphabets, _tree_value, lambda task: {task["vertices"] + 2, task["vertices"] + 3}),
    "ngram": Generated(
        lambda task: [range(1)] + [range(1, task["alphabet"] + 1)] * (task["length"] + task["gram"] - 1),
        _ngram_value,
        lambda task: {*range(task["alphabet"] + 1)},
    ),
    "counting": Generated(
        lambda task: [range(1)] + [range(1, task["alphabet"] + 1)] * (task["length"] + 2),
        _counting_value,
        lambda _: {0, 1},
    ),
}
GENERATED["is-tree-queries"] = GENERATED["is-tree"]._replace(
    retriever=lambda task: WalkTokens(task["vertices"]).retriever("prompt")
)
