"""The least chain of thought that a function of one length needs in one layer with one hard-attention head.

`maths.least_thought` has the definition, the source and the two proofs. Both are checked before a number is returned.
"""

from dataclasses import dataclass
from typing import Any

from seqsep.core.names import ensure
from seqsep.maths.automata.enumeration import Tabulated
from seqsep.maths.automata.layered import Layered
from seqsep.maths.least_thought import MOST_BOXES, Branch, Tree, check_table, check_tree, count_boxes, rank_table, tree

MOST_BRANCHES = 64
"""The branches of the largest tree that a record has."""


@dataclass(frozen=True)
class LeastThought:
    """The exact number of steps of thought, with the tree that shows that they are enough.

    Fields:
        steps: the rank of the function.
        boxes: number of boxes in the table that shows that fewer are not enough.
        tree: the tree, with places of symbols and labels of answers.

    >>> from seqsep.theorems.analysis import analyze
    >>> analyze(lambda word: sum(word) % 2, [4]).lengths[0].thought.steps
    4
    """

    steps: int
    boxes: int
    tree: Tree

    @classmethod
    def of(cls, table: Tabulated | None) -> "LeastThought | None":
        """Return the least thought of a function with at most two answers; None if it has more, is partial or is too large."""
        if table is None or len(table.answers) > 2 or not table.total or count_boxes(table.alphabets) > MOST_BOXES:
            return None
        values = table.values()
        ranks = rank_table(values)
        steps = int(ranks.reshape(-1)[-1])
        shown = tree(values, ranks)
        ensure(check_table(values, ranks), "an entry of the table of boxes is above the rank of its parts", steps)
        ensure(check_tree(values, shown, steps), "the tree does not compute the function in its rank", steps)
        return cls(steps, count_boxes(table.alphabets), shown)

    def record(self, table: Tabulated) -> dict[str, Any]:
        """The least thought as a JSON object, with tokens and answers; the tree only if it has at most 64 branches."""
        branches = _branches(self.tree)
        shown = _tree_record(self.tree, table) if branches <= MOST_BRANCHES else None
        return {"label": "exact", "steps": self.steps, "boxes": self.boxes, "branches": branches, "tree": shown}


def table_of(automaton: Layered, symbols: tuple[range, ...], answers: tuple[int, ...]) -> Tabulated | None:
    """Return every answer of an automaton, whose labels are places in `answers`; None if there are more than 3^14 boxes.

    >>> from seqsep.maths.automata.layered import of_function
    >>> table_of(of_function(lambda word: sum(word) % 2, [2, 2]), (range(2), range(2)), (7, 8)).labels.tolist()
    [0, 1, 1, 0]
    """
    if count_boxes(tuple(map(len, symbols))) > MOST_BOXES:
        return None
    values = automaton.answers
    for table in reversed(automaton.tables):
        values = values[table]
    return Tabulated(symbols, values[automaton.start].reshape(-1), answers)


def _branches(node: Tree) -> int:
    return 0 if isinstance(node, int) else 1 + _branches(node.equal) + _branches(node.other)


def _tree_record(node: Tree, table: Tabulated) -> dict[str, Any]:
    """Return a tree with positions from 0, tokens and answers."""
    if not isinstance(node, Branch):
        return {"answer": table.answers[node]}
    return {
        "position": node.position,
        "token": table.symbols[node.position][node.symbol],
        "equal": _tree_record(node.equal, table),
        "other": _tree_record(node.other, table),
    }
