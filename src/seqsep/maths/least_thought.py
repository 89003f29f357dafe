"""The rank of a function, which is the least number of chain-of-thought steps of one layer with one hard-attention head.

A box allows a non-empty set of symbols at each position. If f is constant on a box, its rank there is 0. Otherwise it is the
least, over positions i and symbols s that the box allows at i among others, of max(rank(x_i = s) + 1, rank(x_i != s)). The rank
of f is that of the box of all inputs. A step of thought is a priority list of pairs (i, s), and learns the first that holds.
That the rank is the least number of such steps is the theorem of Barcelo, Kozachinskiy and Steifer 2025 (arXiv:2501.12997,
abstract); this file computes the rank and does not run such a layer. It is a statement about total functions of one length, for
scores of any size and an answer that is read after the last step.

At most: a tree, which `check_tree` runs on every input. At least: the table of all boxes, in which `check_table` compares each
box with its parts. The check is enough by induction on the number of inputs in a box: if each entry is 0, or is that of a box
on which f is not constant and is at most max(entry(x_i = s) + 1, entry(x_i != s)) for each i and s, no entry is above the rank.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from jaxtyping import Int8, Int64

MOST_BOXES = 3**14
"""The boxes of a function of 14 bits."""


@dataclass(frozen=True)
class Branch:
    """A node of a tree: go to `equal` if the symbol at `position` is `symbol`, else to `other`; an int is an answer's label."""

    position: int
    symbol: int
    equal: "Tree"
    other: "Tree"


Tree: TypeAlias = Branch | int
Labels: TypeAlias = Int64[np.ndarray, "..."]
Boxes: TypeAlias = Int8[np.ndarray, "..."]


def count_boxes(alphabets: tuple[int, ...]) -> int:
    """Count the boxes of inputs, for alphabets of these sizes.

    >>> count_boxes((2, 2, 3))
    63
    """
    return math.prod((1 << size) - 1 for size in alphabets)


def rank_table(values: Labels) -> Boxes:
    """Return the rank on each box; `values` has one axis a position, and the place of a set of symbols is its bits, minus 1.

    Boxes are filled in the order of the sum of the sizes of their sets, so that both parts of a box are there before it.
    Raises ValueError for more than 3^14 boxes.

    >>> parity = np.array([[0, 1], [1, 0]])
    >>> rank_table(parity)[-1, -1]
    np.int8(2)
    """
    boxes = count_boxes(values.shape)
    if boxes > MOST_BOXES:
        raise ValueError(f"rank_table(alphabets {values.shape}): expected at most {MOST_BOXES:,} boxes, found {boxes:,}")
    ranks = np.zeros(tuple((1 << size) - 1 for size in values.shape), dtype=np.int8)
    flat = ranks.reshape(-1)
    sizes = _sizes(ranks.shape).reshape(-1)
    sizes[_constant(values).reshape(-1)] = 0
    order = np.argsort(sizes, kind="stable")
    starts = np.searchsorted(sizes[order], np.arange(1, sizes.max() + 2))
    for start, end in pairwise(starts):
        flat[order[start:end]] = _least(flat, order[start:end], values.shape)
    return ranks


def rank(values: Labels) -> int:
    """Return the rank of a function.

    >>> rank(np.array([[0, 1], [1, 1]]))
    1
    """
    return int(rank_table(values).reshape(-1)[-1])


def tree(values: Labels, ranks: Boxes) -> Tree:
    """Return a tree of the rank in the table of boxes: at each box, the first position and symbol with the least result."""
    constant = _constant(values)

    def below(box: tuple[int, ...]) -> Tree:
        if constant[box]:
            return int(values[tuple(_first_symbol(place + 1) for place in box)])
        for position, place in enumerate(box):
            for symbol in range(values.shape[position]):
                parts = _parts(box, position, symbol)
                if (
                    place + 1 & 1 << symbol
                    and place + 1 != 1 << symbol
                    and max(ranks[parts[0]] + 1, ranks[parts[1]]) <= ranks[box]
                ):
                    return Branch(position, symbol, below(parts[0]), below(parts[1]))
        raise ValueError(f"tree: expected a table of ranks, found a box {box} without a split of rank {ranks[box]}")

    return below(tuple(size - 1 for size in ranks.shape))


def tree_rank(root: Tree) -> int:
    """Return the rank of a tree: 0 for an answer, else max(rank of equal + 1, rank of other).

    >>> tree_rank(Branch(0, 1, 1, Branch(1, 1, 1, 0)))
    1
    """
    if isinstance(root, int):
        return 0
    return max(tree_rank(root.equal) + 1, tree_rank(root.other))


def check_tree(values: Labels, root: Tree, most: int) -> bool:
    """Return True if the tree gives the function's answer to every input, and has at most this rank."""
    answers = np.full(values.shape, -1, dtype=np.int64)
    every = np.indices(values.shape, sparse=True)

    def write(node: Tree, inputs: np.ndarray) -> None:
        if isinstance(node, int):
            answers[inputs] = node
            return
        holds: np.ndarray = every[node.position] == node.symbol
        write(node.equal, inputs & holds)
        write(node.other, inputs & ~holds)

    write(root, np.ones(values.shape, dtype=bool))
    return tree_rank(root) <= most and bool((answers == values).all())


def check_table(values: Labels, ranks: Boxes) -> bool:
    """Return True if no entry of the table is above the rank of its box, by the induction at the head of the file."""
    if ranks.shape != tuple((1 << size) - 1 for size in values.shape) or (ranks[_constant(values)] > 0).any():
        return False
    for position, size in enumerate(values.shape):
        along = np.moveaxis(ranks, position, 0)
        for chosen in range(1, 1 << size):
            for symbol in range(size):
                rest = chosen & ~(1 << symbol)
                if rest in (0, chosen):
                    continue
                if (along[chosen - 1] > np.maximum(along[(1 << symbol) - 1] + 1, along[rest - 1])).any():
                    return False
    return True


def _constant(values: Labels) -> np.ndarray:
    """Return, for each box, True if the function has one answer there: its least and greatest label are equal."""
    low = values
    high = values
    for position in range(values.ndim):
        low = _over_sets(low, position, np.minimum)
        high = _over_sets(high, position, np.maximum)
    return low == high


def _over_sets(values: np.ndarray, position: int, combine: np.ufunc) -> np.ndarray:
    """Replace the symbols of one axis by the non-empty sets of them: a set's entry combines those of its symbols."""
    along = np.moveaxis(values, position, 0)
    sets = np.empty(((1 << len(along)) - 1, *along.shape[1:]), dtype=values.dtype)
    for chosen in range(1, len(sets) + 1):
        first = _first_symbol(chosen)
        rest = chosen & chosen - 1
        sets[chosen - 1] = combine(along[first], sets[rest - 1]) if rest else along[first]
    return np.moveaxis(sets, 0, position)


def _first_symbol(chosen: int) -> int:
    return (chosen & -chosen).bit_length() - 1


def _parts(box: tuple[int, ...], position: int, symbol: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the two parts of a box: the symbol at the position, and the others."""
    before = box[:position]
    after = box[position + 1 :]
    return (*before, (1 << symbol) - 1, *after), (*before, box[position] - (1 << symbol), *after)


def _sizes(shape: tuple[int, ...]) -> np.ndarray:
    """Return, for each box, the sum of the sizes of its sets."""
    sizes = np.zeros(shape, dtype=np.int16)
    for position, length in enumerate(shape):
        counts = np.array([(place + 1).bit_count() for place in range(length)], dtype=np.int16)
        sizes += counts.reshape(-1, *[1] * (len(shape) - position - 1))
    return sizes


def _least(flat: Boxes, boxes: Int64[np.ndarray, "boxes"], alphabets: tuple[int, ...]) -> np.ndarray:
    """Return the ranks of boxes on which the function is not constant, from those of their parts."""
    least = np.full(len(boxes), np.iinfo(np.int8).max, dtype=np.int8)
    stride = 1
    for size in reversed(alphabets):
        chosen = boxes // stride % ((1 << size) - 1) + 1
        for symbol in range(size):
            bit = 1 << symbol
            split = np.flatnonzero((chosen & bit != 0) & (chosen != bit))
            whole = boxes[split]
            equal = flat[whole - (chosen[split] - bit) * stride] + np.int8(1)
            least[split] = np.minimum(least[split], np.maximum(equal, flat[whole - bit * stride]))
        stride *= (1 << size) - 1
    return least
