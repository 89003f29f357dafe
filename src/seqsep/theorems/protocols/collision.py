"""Two prefixes that leave one state, and the input on which a model must then err: the pigeonhole principle, run.

A `Recall` is a task that first reads values v_1 .. v_N from an alphabet of S and then asks for any of them. With B < N log2 S
state bits, two of the S^N lists of values leave one state; they differ at some position p; the model gives one answer to the
question p after either, and errs on one of them.

The search. Prefixes are walked in a fixed scattered order, each once, until one meets the state of another: after at most
2^B + 1 of them, in expectation about 2^(B/2) for a model that mixes well. Models on tensors forget: for those, prefixes that
differ in their first few values only are tried before. Prefixes are run in batches, where sums may round differently; a
collision counts once both prefixes, each alone, leave equal states and get equal answers.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from seqsep.theorems.protocols.machine import Given, Machine, OfNumbers, choice, machine

MOST_PREFIXES = 1 << 21
MOST_PREFIXES_ON_TENSORS = 1 << 17
BLOCK = 1024
TAILS = 16
HEADS = 64
EXAMPLES = 64

Rows = Int64[np.ndarray, "batch length"]


@dataclass(frozen=True)
class Recall:
    """A task as lists of `length` values from `alphabet`: how they are written as tokens, and the question for one of them."""

    length: int
    alphabet: int
    write: Callable[[Rows], Int64[np.ndarray, "batch time"]]
    question: Callable[[int], tuple[int, ...]]

    def examples(self, seed: int = 0) -> Tensor:
        """Inputs from which the range of a model's state is found: random values, written."""
        values = np.random.default_rng(seed).integers(0, self.alphabet, (EXAMPLES, self.length))
        return torch.from_numpy(self.write(values).copy())

    def tokens(self, values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.write(np.array([values], dtype=np.int64).reshape(1, self.length))[0].tolist())


@dataclass(frozen=True)
class Collision:
    """Two lists of values with one state, the position (from 1) where they differ, and the input on which the model errs."""

    prefixes: tuple[tuple[int, ...], tuple[int, ...]]
    state: int
    position: int
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    prefixes_tried: int

    def record(self) -> dict[str, Any]:
        """As JSON, without the state, which may be long."""
        return {
            "prefixes": [list(prefix) for prefix in self.prefixes],
            "position": self.position,
            "errs_on": list(self.errs_on),
            "answer": self.answer,
            "expected": self.expected,
        }


def search(
    given: Given | Machine, task: Recall, seed: int = 0, precision: int | None = None, most: int | None = None
) -> Collision | None:
    """Two lists of values after which the model is in one state, and an input on which it must err.

    With `precision`, a model on tensors is rounded first. None: no two of all S^N collide (then B >= N log2 S).
    Raises ValueError where `most` prefixes (2^21; 2^17 on tensors) were walked without a collision and more remain.
    """
    model = machine(given) if precision is None else machine(given, precision, task.examples(seed))
    on_tensors = not isinstance(model, OfNumbers)
    most = (MOST_PREFIXES_ON_TENSORS if on_tensors else MOST_PREFIXES) if most is None else most
    seen: dict[Hashable, tuple[int, ...]] = {}
    tried: set[tuple[int, ...]] = set()
    for values, state in _walk(model, task, seed, on_tensors, most):
        if len(tried) >= most:
            raise ValueError(
                f"collide(length={task.length}, alphabet={task.alphabet}): no collision among {most:,} prefixes of a model of "
                f"{model.bits} state bits"
            )
        tried.add(values)
        other = seen.setdefault(state, values)
        if other != values:
            found = _confirmed(model, task, other, values, len(tried))
            if found is not None:
                return found
    return None


def _confirmed(model: Machine, task: Recall, first: tuple[int, ...], second: tuple[int, ...], tried: int) -> Collision | None:
    position = next(index for index in range(task.length) if first[index] != second[index])
    answers, states, question = [], [], task.question(position)
    for values in (first, second):
        tokens = task.tokens(values)
        state = model.read(tokens)[1]
        states.append(model.pack(state)[0])
        answers.append(choice(model.read(question, state, len(tokens))[0][-1]))
    if states[0] != states[1] or answers[0] != answers[1]:
        return None
    wrong = second if second[position] != answers[0] else first
    errs_on = task.tokens(wrong) + question
    return Collision((first, second), states[0], position + 1, errs_on, answers[0], wrong[position], tried)


def _walk(model: Machine, task: Recall, seed: int, on_tensors: bool, most: int) -> Iterator[tuple[tuple[int, ...], Hashable]]:
    for block in _blocks(task, seed, on_tensors, most):
        yield from zip(map(tuple, block.tolist()), model.states(task.write(block)), strict=True)


def _blocks(task: Recall, seed: int, on_tensors: bool, most: int) -> Iterator[Rows]:
    if on_tensors:
        random = np.random.default_rng(seed)
        first = 1
        while first < task.length and task.alphabet ** (first + 1) <= HEADS:
            first += 1
        heads = min(task.alphabet**first, HEADS)
        for _ in range(TAILS):
            block = np.tile(random.integers(0, task.alphabet, task.length), (heads, 1))
            for place in range(first):
                block[:, place] = np.arange(heads) // task.alphabet**place % task.alphabet
            yield block
    rows: list[tuple[int, ...]] = []
    for values in scattered(task.length, task.alphabet, seed, most):
        rows.append(values)
        if len(rows) == BLOCK:
            yield np.array(rows, dtype=np.int64)
            rows = []
    if rows:
        yield np.array(rows, dtype=np.int64)


def scattered(length: int, alphabet: int, seed: int, most: int = MOST_PREFIXES) -> Iterator[tuple[int, ...]]:
    """All S^N lists of values, each once, or most + 1 of them: an affine walk through their ranks, its step prime to S^N."""
    total = alphabet**length
    step = (total * 618 // 1000 // alphabet * alphabet + 1) % total or 1
    for index in range(min(total, most + 1)):
        rank = (index * step + seed) % total
        yield tuple(rank // alphabet**place % alphabet for place in range(length))
