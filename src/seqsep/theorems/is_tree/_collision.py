"""Two beginnings that leave a model in one state, and an input that it then answers wrongly, whatever thought it writes.

From one state, the same continuation makes the model write the same tokens: the same thought and the same answer. But the
beginnings are of two classes. So some continuation makes a tree of exactly one of them, and one of the two answers is wrong.

The search visits one beginning of each class in a scattered order until two of them leave the same state. For B bits of state
this takes at most 2^B + 1 beginnings. It takes about 2^(B/2) on average for a model that mixes well. Models on tensors forget,
so for them the search first visits beginnings that differ only in their first three edges. Beginnings run in batches, in which
sums may round differently. So a collision counts only if the two beginnings, each run by itself, leave equal states and lead
to the same tokens.
"""

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from seqsep.core.names import ensure
from seqsep.tasks.trees.graphs import is_tree
from seqsep.tasks.trees.partitions import stirling
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems.is_tree._beginnings import Beginning, Continuation, InputPlace
from seqsep.theorems.is_tree._continuations import telling_apart, telling_apart_simply
from seqsep.theorems.is_tree._partitions import partition_of, spanning_stars
from seqsep.theorems.protocols.machine import BitMachine, OfNumbers
from seqsep.theorems.protocols.thought import Thought, think

MOST_BEGINNINGS = 1 << 21
MOST_BEGINNINGS_ON_TENSORS = 1 << 17
BLOCK = 1024
ENDS = 16
VARIED = 6
VARIED_BLOCKS = 3


@dataclass(frozen=True)
class GraphCollision:
    """Two beginnings with one state, and the input that the model answers wrongly; `answer` is None if it never answers."""

    beginnings: tuple[Beginning, Beginning]
    continuation: Continuation
    thought: tuple[int, ...]
    errs_on: tuple[tuple[int, int], ...]
    answer: int | None
    expected: int
    tried: int

    def record(self) -> dict[str, Any]:
        """The fields as a JSON object; of a long thought that leads to no answer, its length."""
        return {
            "beginnings": [
                {"edges": [list(edge) for edge in one.edges], "first_end": one.half_read} for one in self.beginnings
            ],
            "errs_on": [list(edge) for edge in self.errs_on],
            "thought_tokens": len(self.thought),
            "answer": self.answer,
            "expected": self.expected,
        }


def search(
    model: BitMachine, place: InputPlace, *, simple: bool, most_thought: int, seed: int = 0, most: int | None = None
) -> GraphCollision | None:
    """Find two beginnings of different classes that leave the model in one state, and an input that it answers wrongly.

    With `simple` the inputs are simple graphs with edges u < v; beginnings then end between two edges. The model writes at
    most `most_thought` tokens. None: every class has a state of its own. Raises ValueError if `most` beginnings (2^21; 2^17 on
    tensors) were visited without a collision and more classes remain.
    """
    on_tensors = not isinstance(model, OfNumbers)
    if most is None:
        most = MOST_BEGINNINGS_ON_TENSORS if on_tensors else MOST_BEGINNINGS
    first_with: dict[Hashable, Beginning] = {}
    tried: set[Hashable] = set()
    for block in _blocks(place, seed, on_tensors, most):
        tokens = np.array([one.tokens() for one in block], dtype=np.int64)
        for beginning, state in zip(block, model.states(tokens), strict=True):
            if len(tried) >= most:
                raise ValueError(f"search({place}): no collision among {most:,} classes for a model of {model.bits} state bits")
            case = beginning.case
            tried.add(case)
            other = first_with.setdefault(state, beginning)
            if other.case == case:
                continue
            collision = _confirmed(model, (other, beginning), simple, most_thought, tried=len(tried))
            if collision is not None:
                return collision
    return None


def _confirmed(
    model: BitMachine, beginnings: tuple[Beginning, Beginning], simple: bool, most_thought: int, *, tried: int
) -> GraphCollision | None:
    """Return the collision of two beginnings, if each by itself leaves the same state and leads to the same tokens."""
    first, second = beginnings
    continuation = telling_apart_simply(first, second) if simple else telling_apart(first, second)
    answers = Tokens(first.vertices).answers
    states = []
    written = []
    for one in beginnings:
        tokens = one.tokens()
        _, state = model.read(tokens)
        states.append(model.pack(state)[0])
        after = continuation.tokens(one.vertices)
        outputs, state = model.read(after, state, len(tokens))
        thought = think(model, outputs[-1], state, len(tokens) + len(after), thought=Thought(frozenset(answers), most_thought))
        written.append(tuple(thought.tokens))
    if states[0] != states[1] or written[0] != written[1]:
        return None
    last = written[0][-1]
    answer = answers.index(last) if last in answers else None
    graphs = [one.followed_by(continuation) for one in beginnings]
    truths = [int(is_tree(first.vertices, graph)) for graph in graphs]
    ensure(sum(truths) == 1, "not exactly one of two graphs is a tree", *beginnings, continuation)
    wrong = truths.index(1 if answer is None else 1 - answer)
    return GraphCollision(
        beginnings=beginnings,
        continuation=continuation,
        thought=written[0],
        errs_on=graphs[wrong],
        answer=answer,
        expected=truths[wrong],
        tried=tried,
    )


def _blocks(place: InputPlace, seed: int, on_tensors: bool, most: int) -> Iterator[list[Beginning]]:
    """Beginnings in blocks: for a model on tensors, first those that differ early only; then one of each class, scattered."""
    if on_tensors:
        yield from _differing_early(place, np.random.default_rng(seed))
    numbers = _scattered(place.classes, seed, most + 1)
    while block := [place.beginning(number) for number in islice(numbers, BLOCK)]:
        yield block


def _scattered(total: int, seed: int, most: int) -> Iterator[int]:
    """The numbers below `total`, each once, or the first `most` of them: an affine walk whose step is prime to `total`.

    >>> list(_scattered(total=7, seed=0, most=9))
    [0, 4, 1, 5, 2, 6, 3]
    """
    step = total * 618 // 1000
    while math.gcd(step, total) > 1:
        step += 1
    return ((seed + index * step) % total for index in range(min(total, most)))


def _differing_early(place: InputPlace, random: np.random.Generator) -> Iterator[list[Beginning]]:
    """For each of ENDS ends, all partitions of six vertices into three blocks first, then the same other edges."""
    vertices = place.vertices - VARIED
    blocks = place.blocks - VARIED_BLOCKS
    if not 1 <= blocks <= vertices:
        return
    varied = [partition_of(number, VARIED, VARIED_BLOCKS) for number in range(stirling(VARIED)[VARIED_BLOCKS])]
    for _ in range(ENDS):
        labels = [*range(blocks), *random.integers(0, blocks, vertices - blocks).tolist()]
        later = [
            (labels.index(label) + VARIED + 1, other + VARIED + 1) for other, label in enumerate(labels) if other >= blocks
        ]
        half_read = int(random.integers(VARIED + 1, place.vertices + 1)) if place.half_read else None
        yield [Beginning(place.vertices, (*spanning_stars(early), *later), half_read) for early in varied]
