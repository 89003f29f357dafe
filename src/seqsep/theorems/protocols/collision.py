"""Two prefixes that leave one state, and the input on which a model must then err: the pigeonhole principle, run.

A `Recall` is a task that first reads values v_1 .. v_N from an alphabet of S and then asks for any of them. With B < N log2 S
state bits, two of the S^N lists of values leave one state; they differ at some position p; the model gives one answer to the
question p after either, and errs on one of them.

The search. Prefixes are walked in a fixed scattered order, each once, until one meets the state of another: after at most
2^B + 1 of them, in expectation about 2^(B/2) for a model that mixes well. Models on tensors forget: for those, prefixes that
differ in their first few values only are tried first. Prefixes are run in batches, where sums may round differently; a
collision counts once both prefixes, each alone, leave equal states and get equal answers.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from seqsep.theorems.protocols.machine import AnyModel, Machine, OfNumbers, as_machine, choice

MOST_PREFIXES = 1 << 21
MOST_PREFIXES_ON_TENSORS = 1 << 17
BLOCK = 1024
EXAMPLES = 64
MOST_BEGINNINGS = 64
ENDS = 16

Values = Int64[np.ndarray, "batch length"]


class TaskSizes(NamedTuple):
    """What a model of a task must fit: kinds of tokens, classes of answers, and the length of the longest input.

    >>> TaskSizes(vocabulary=5, classes=2, longest=4).longest
    4
    """

    vocabulary: int
    classes: int
    longest: int


@dataclass(frozen=True)
class Recall:
    """A task as lists of `length` values from `alphabet`: how they are written as tokens, and the question for one of them.

    >>> from seqsep.theorems.retrieval.index_lookup_state import recall
    >>> lookup = recall(length=3, alphabet=2)
    >>> lookup.tokens((1, 0, 1)) + lookup.question(1)
    (1, 0, 1, 3)
    """

    length: int
    alphabet: int
    write: Callable[[Values], Int64[np.ndarray, "batch time"]]
    question: Callable[[int], tuple[int, ...]]
    sizes: TaskSizes

    def examples(self, seed: int = 0) -> Tensor:
        """Inputs from which the range of a model's state is found: random values, written."""
        values = np.random.default_rng(seed).integers(0, self.alphabet, (EXAMPLES, self.length))
        return torch.from_numpy(self.write(values).copy())

    def tokens(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The prefix that these values are written as."""
        return tuple(self.write(np.array([values], dtype=np.int64).reshape(1, self.length))[0].tolist())


@dataclass(frozen=True)
class Collision:
    """Two lists of values with one state, and the input on which the model errs; `position`, from 1, is where they differ."""

    prefixes: tuple[tuple[int, ...], tuple[int, ...]]
    state: int
    position: int
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    prefixes_tried: int

    def record(self) -> dict[str, Any]:
        """The fields as a JSON object, without the state, which may be long."""
        return {
            "prefixes": [list(prefix) for prefix in self.prefixes],
            "position": self.position,
            "errs_on": list(self.errs_on),
            "answer": self.answer,
            "expected": self.expected,
        }


def search(
    model: AnyModel, task: Recall, seed: int = 0, precision: int | None = None, most: int | None = None
) -> Collision | None:
    """Two lists of values after which the model is in one state, and an input on which it must err.

    With `precision`, a model on tensors is rounded first. None: no two of all S^N collide (then B >= N log2 S).
    Raises ValueError if `most` prefixes (2^21; 2^17 on tensors) were walked without a collision and more remain.

    >>> from seqsep.theorems.retrieval.index_lookup_state import build, recall, with_fewer_bits
    >>> search(build(3, 2), recall(3, 2)) is None
    True
    >>> collision = search(with_fewer_bits(3, 2, bits=2), recall(3, 2))
    >>> collision.answer == collision.expected
    False
    """
    party = as_machine(model) if precision is None else as_machine(model, precision, task.examples(seed))
    on_tensors = not isinstance(party, OfNumbers)
    if most is None:
        most = MOST_PREFIXES_ON_TENSORS if on_tensors else MOST_PREFIXES
    first_with: dict[Hashable, tuple[int, ...]] = {}
    tried: set[tuple[int, ...]] = set()
    for block in _blocks(task, seed, on_tensors, most):
        for values, state in zip(map(tuple, block.tolist()), party.states(task.write(block)), strict=True):
            if len(tried) >= most:
                raise ValueError(
                    f"collide(length={task.length}, alphabet={task.alphabet}): no collision among {most:,} prefixes of a "
                    f"model of {party.bits} state bits"
                )
            tried.add(values)
            other = first_with.setdefault(state, values)
            collision = None if other == values else _confirmed(party, task, (other, values), len(tried))
            if collision is not None:
                return collision
    return None


def _confirmed(party: Machine, task: Recall, prefixes: tuple[tuple[int, ...], tuple[int, ...]], tried: int) -> Collision | None:
    """The collision of two lists of values, if each alone leaves the same state and gets the same answer."""
    first, second = prefixes
    position = next(index for index in range(task.length) if first[index] != second[index])
    question = task.question(position)
    states = []
    answers = []
    for values in prefixes:
        tokens = task.tokens(values)
        _, state = party.read(tokens)
        outputs, _ = party.read(question, state, len(tokens))
        states.append(party.pack(state)[0])
        answers.append(choice(outputs[-1]))
    if states[0] != states[1] or answers[0] != answers[1]:
        return None
    wrong = second if second[position] != answers[0] else first
    return Collision(
        prefixes=prefixes,
        state=states[0],
        position=position + 1,
        errs_on=task.tokens(wrong) + question,
        answer=answers[0],
        expected=wrong[position],
        prefixes_tried=tried,
    )


def _blocks(task: Recall, seed: int, on_tensors: bool, most: int) -> Iterator[Values]:
    """Lists of values in blocks: for a model on tensors, first those that differ in their beginnings; then scattered ones."""
    if on_tensors:
        yield from _differing_early(task, seed)
    rows: list[tuple[int, ...]] = []
    for values in scattered(task.length, task.alphabet, seed, most):
        rows.append(values)
        if len(rows) == BLOCK:
            yield np.array(rows, dtype=np.int64)
            rows = []
    if rows:
        yield np.array(rows, dtype=np.int64)


def _differing_early(task: Recall, seed: int) -> Iterator[Values]:
    """For each of ENDS random ends, all beginnings of the length of which there are at most MOST_BEGINNINGS."""
    random = np.random.default_rng(seed)
    varied = 1
    while varied < task.length and task.alphabet ** (varied + 1) <= MOST_BEGINNINGS:
        varied += 1
    beginnings = min(task.alphabet**varied, MOST_BEGINNINGS)
    for _ in range(ENDS):
        block = np.tile(random.integers(0, task.alphabet, task.length), (beginnings, 1))
        for place in range(varied):
            block[:, place] = np.arange(beginnings) // task.alphabet**place % task.alphabet
        yield block


def scattered(length: int, alphabet: int, seed: int, most: int = MOST_PREFIXES) -> Iterator[tuple[int, ...]]:
    """All S^N lists of values, each once, or most + 1 of them: an affine walk through their ranks, its step prime to S^N.

    >>> list(scattered(length=2, alphabet=2, seed=0))
    [(0, 0), (1, 1), (0, 1), (1, 0)]
    """
    total = alphabet**length
    step = (total * 618 // 1000 // alphabet * alphabet + 1) % total or 1
    for index in range(min(total, most + 1)):
        rank = (index * step + seed) % total
        yield tuple(rank // alphabet**place % alphabet for place in range(length))
