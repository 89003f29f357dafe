"""Two prefixes that leave one state, and an input that a model then answers wrongly: the pigeonhole principle, run.

`ListTask` are a task whose inputs begin with one of S^N lists of N values. A model must distinguish two lists if some
continuation has different right answers after them. Such lists are in different classes. With fewer states than classes, two
lists of different classes leave one state. Then the model gives that continuation one answer after both, and one of the two
answers is wrong. If the model writes a thought before it answers, the thought is the same after both, and so is the answer.

A `RecallTask` first reads values v_1 .. v_N and then asks for any of them. Then all S^N lists must be distinguished: two lists
differ at some position, and the question for it distinguishes them.

The search visits prefixes in a fixed scattered order, each once, until two of them leave the same state. For B bits of state
this takes at most 2^B + 1 prefixes. It takes about 2^(B/2) on average for a model that mixes well. Models on tensors forget,
so for them the search first visits prefixes that differ only in their first few values. Prefixes run in batches, in which sums
may round differently. So a collision counts only if the two prefixes, each run by itself, leave equal states and get equal
answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.theorems.protocols.machine import AnyModel, BitMachine, OfNumbers, as_machine, choice
from seqsep.theorems.protocols.thought import Thought, think

MOST_PREFIXES = 1 << 21
MOST_PREFIXES_ON_TENSORS = 1 << 17
BLOCK = 1024
EXAMPLES = 64
MOST_BEGINNINGS = 64
ENDS = 16

Values = Int64[np.ndarray, "batch length"]


class TaskSizes(NamedTuple):
    """The sizes of a task that a model must fit: kinds of tokens, classes of answers, and the length of the longest input.

    >>> TaskSizes(vocabulary=5, classes=2, longest=4).longest
    4
    """

    vocabulary: int
    classes: int
    longest: int


class DistinguishingSuffix(NamedTuple):
    """A continuation of two prefixes, and the right answer after each.

    `position`, from 0, is where they differ, if the continuation asks for one.

    >>> DistinguishingSuffix(continuation=(5,), answers=(0, 1)).position is None
    True
    """

    continuation: tuple[int, ...]
    answers: tuple[int, int]
    position: int | None = None


class ListTask(ABC):
    """A task as lists of `length` values from `alphabet`, written as tokens, some of which a model must distinguish.

    >>> from seqsep.theorems.retrieval.index_lookup_state import recall
    >>> recall(length=3, alphabet=2).distinguishing_suffix((1, 0, 1), (1, 1, 0))
    DistinguishingSuffix(continuation=(3,), answers=(0, 1), position=1)
    """

    length: int
    alphabet: int
    sizes: TaskSizes

    @abstractmethod
    def written(self, values: Values) -> Int64[np.ndarray, "batch time"]:
        """The prefixes that lists of values are written as."""

    @abstractmethod
    def distinguishing_suffix(self, first: tuple[int, ...], second: tuple[int, ...]) -> DistinguishingSuffix | None:
        """Return a continuation with different answers after two lists of values; None if there is none."""

    def group(self, values: tuple[int, ...]) -> Hashable:
        """Lists of values of different groups are never distinguished by the state; all are in one group by default."""
        return None

    def thought(self, prompt: tuple[int, ...]) -> Thought | None:
        """The rule for writing after a prompt, before the answer; None for a model that answers at once."""
        return None

    def examples(self, seed: int = 0) -> Int64[np.ndarray, "batch time"]:
        """Inputs from which the range of a model's state is found: random values, written."""
        values = np.random.default_rng(seed).integers(0, self.alphabet, (EXAMPLES, self.length))
        return self.written(values).copy()

    def tokens(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The prefix that these values are written as."""
        return tuple(self.written(np.array([values], dtype=np.int64).reshape(1, self.length))[0].tolist())


@dataclass(frozen=True)
class RecallTask(ListTask):
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

    def written(self, values: Values) -> Int64[np.ndarray, "batch time"]:
        return self.write(values)

    def distinguishing_suffix(self, first: tuple[int, ...], second: tuple[int, ...]) -> DistinguishingSuffix:
        position = next(index for index in range(self.length) if first[index] != second[index])
        return DistinguishingSuffix(self.question(position), (first[position], second[position]), position)


@dataclass(frozen=True)
class Collision:
    """Two lists of values with one state, and the input that the model answers wrongly.

    `position`, from 1, is where they differ, if the input asks for one; `written` are the tokens of a thought.
    """

    prefixes: tuple[tuple[int, ...], tuple[int, ...]]
    state: int
    position: int | None
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    prefixes_tried: int
    written: tuple[int, ...] | None = None

    def record(self) -> dict[str, Any]:
        """The fields as a JSON object, without the state, which may be long, and without what the task does not have."""
        record = {
            "prefixes": [list(prefix) for prefix in self.prefixes],
            "position": self.position,
            "errs_on": list(self.errs_on),
            "written": None if self.written is None else list(self.written),
            "answer": self.answer,
            "expected": self.expected,
        }
        return {name: value for name, value in record.items() if value is not None}


def search(
    model: AnyModel, task: ListTask, seed: int = 0, precision: int | None = None, most: int | None = None
) -> Collision | None:
    """Find two lists of values that leave a model in one state, and an input that it then answers wrongly.

    With `precision`, a model on tensors is rounded first. None: no two of all S^N that are distinguished collide (then it has
    a state for each class). Of a group's lists that leave one state, the first is compared with every other. So one of another
    class is found if it exists. Raises ValueError if `most` prefixes (2^21; 2^17 on tensors) were visited without a collision
    and more remain.

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
        for values, state in zip(map(tuple, block.tolist()), party.states(task.written(block)), strict=True):
            if len(tried) >= most:
                raise ValueError(
                    f"collide(length={task.length}, alphabet={task.alphabet}): no collision among {most:,} prefixes of a "
                    f"model of {party.bits} state bits"
                )
            tried.add(values)
            other = first_with.setdefault((task.group(values), state), values)
            collision = None if other == values else _confirmed(party, task, (other, values), len(tried))
            if collision is not None:
                return collision
    return None


def _confirmed(
    party: BitMachine, task: ListTask, prefixes: tuple[tuple[int, ...], tuple[int, ...]], tried: int
) -> Collision | None:
    """Return the collision of two lists that are distinguished, if each by itself leaves the same state and gets the same
    answer.
    """
    apart = task.distinguishing_suffix(*prefixes)
    if apart is None:
        return None
    first, second = (_put(party, task, values, apart.continuation) for values in prefixes)
    if first != second:
        return None
    wrong = 1 if apart.answers[1] != first.answer else 0
    return Collision(
        prefixes=prefixes,
        state=first.state,
        position=None if apart.position is None else apart.position + 1,
        errs_on=task.tokens(prefixes[wrong]) + apart.continuation,
        answer=first.answer,
        expected=apart.answers[wrong],
        prefixes_tried=tried,
        written=first.written,
    )


class _Answered(NamedTuple):
    """The state after a prefix by itself, the tokens written after its continuation (None: no thought), and the answer."""

    state: int
    written: tuple[int, ...] | None
    answer: int


def _put(party: BitMachine, task: ListTask, values: tuple[int, ...], continuation: tuple[int, ...]) -> _Answered:
    tokens = task.tokens(values)
    _, state = party.read(tokens)
    outputs, after = party.read(continuation, state, len(tokens))
    number, _ = party.pack(state)
    thought = task.thought(tokens + continuation)
    if thought is None:
        return _Answered(number, None, choice(outputs[-1]))
    written = think(party, outputs[-1], after, len(tokens + continuation), thought=thought).tokens
    return _Answered(number, tuple(written), thought.answer(written))


def _blocks(task: ListTask, seed: int, on_tensors: bool, most: int) -> Iterator[Values]:
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


def _differing_early(task: ListTask, seed: int) -> Iterator[Values]:
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
