"""Random operations on the states of an engine, with a canary's oracle that knows each answer.

A program is a list of operations: read, copy, save, load, remove the last tokens, free. Programs are drawn from a
seed. A program with a wrong answer is made small: what is left is the shortest list of operations that the search found.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from seqsep.language_models.canary.exam import word
from seqsep.language_models.canary.questions import canary_words
from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import BOS, FILLER, FIRST_KEY, KEYS, words

SEQUENCES = 6
"""The most sequences that a program has at the same time."""
LONGEST = 100
"""The most tokens of a sequence."""
PIECE = 12
OPERATIONS = 40
METHODS = {"fork": "fork", "save": "save", "load": "load", "crop": "crop", "free": "free"}
"""Operation -> the method that the engine needs for it."""


@dataclass(frozen=True)
class Operation:
    """One operation of a program.

    Fields:
        kind: read, fork, save, load, crop or free.
        source: number of the sequence, or of the saved bytes for load.
        target: number of the new sequence, or of the bytes for save.
        rows: for read, the sequences and the tokens that are read after each in one call; a new sequence begins with BOS.
        count: for crop, the number of tokens.
    """

    kind: str
    source: int = -1
    target: int = -1
    rows: tuple[tuple[int, tuple[int, ...]], ...] = ()
    count: int = 0

    def line(self) -> str:
        """Return the operation in words.

        >>> Operation("fork", 0, 1).line(), Operation("crop", 1, count=3).line()
        ('fork 0 as 1', 'crop 1 by 3')
        """
        if self.kind == "read":
            return "read " + ", ".join(f"{sequence}: {words(tokens)}" for sequence, tokens in self.rows)
        if self.kind == "crop":
            return f"crop {self.source} by {self.count}"
        return f"{self.kind} {self.source}" + (f" as {self.target}" if self.target >= 0 else "")


@dataclass(frozen=True)
class WrongStep:
    """An answer that is wrong: the number of the operation, its sequence, and the tokens.

    Fields:
        step: index of the operation in the program.
        sequence: number of the sequence.
        expected: the right token.
        found: the token that came, or None if the engine failed.
        failed: the error of the engine, or None.
    """

    step: int
    sequence: int
    expected: int | None
    found: int | None
    failed: str | None = None

    def line(self) -> str:
        """Return the wrong answer in words.

        >>> WrongStep(2, 0, 7, 6).line()
        'operation 3, sequence 0: expected a1, found a0'
        """
        found = self.failed or f"expected {word(self.expected)}, found {word(self.found)}"
        return f"operation {self.step + 1}, sequence {self.sequence}: {found}"


@dataclass
class Played:
    """The result of a program: the number of answers by operation before them, and the first wrong one."""

    answers: int = 0
    calls: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    wrong: WrongStep | None = None


def program(
    canary: Canary, seed: int | Sequence[int], *, count: int = OPERATIONS, kinds: Sequence[str] = ()
) -> list[Operation]:
    """Draw a program.

    Arguments:
        canary: the canary that the engine holds.
        seed: random seed, one number or several.
        count: number of operations.
        kinds: operations besides read; by default all.

    >>> from seqsep.theorems.canary import CANARIES
    >>> program(CANARIES["llama"], 0)[0].kind
    'read'
    """
    return list(_Drawn(canary, seed, tuple(kinds) or tuple(METHODS)).operations(count))


def play(engine: Any, canary: Canary, operations: Sequence[Operation]) -> Played:
    """Run a program until the first wrong answer.

    An operation of a sequence that does not exist is left out, and so is one that the engine refuses.

    Arguments:
        engine: an engine of the protocol with `batch`, and the methods of the operations.
        canary: the canary.
        operations: the program.
    """
    run = Played()
    held: dict[int, tuple[list[int], Any]] = {}
    saved: dict[int, tuple[list[int], Any]] = {}
    for step, operation in enumerate(operations):
        kind = operation.kind
        place = saved if kind == "load" else held
        if kind != "read" and (operation.source not in place or not hasattr(engine, METHODS[kind])):
            continue
        try:
            wrong = None
            if kind == "read":
                wrong = _read(engine, canary, operation, held, run=run)
            else:
                _changed(engine, operation, held, saved)
        except NotImplementedError:
            run.refused[kind] = run.refused.get(kind, 0) + 1
            held.pop(operation.source, None)
            continue
        except Exception as error:  # any error of an engine is a verdict
            run.wrong = WrongStep(step, operation.source, None, None, failed=f"{type(error).__name__}: {error}")
            return run
        run.calls[kind] = run.calls.get(kind, 0) + 1
        if wrong is not None:
            run.wrong = replace(wrong, step=step)
            return run
    return run


def made_smaller(fails: Callable[[list[Operation]], bool], operations: Sequence[Operation]) -> list[Operation]:
    """Remove operations, rows and tokens as long as the program still fails.

    Arguments:
        fails: function that runs a program on a new engine and returns True if an answer is wrong.
        operations: a program that fails.

    >>> made_smaller(lambda left: any(each.kind == "fork" for each in left), [Operation("save", 0, 1), Operation("fork", 0, 2)])
    [Operation(kind='fork', source=0, target=2, rows=(), count=0)]
    """
    left = list(operations)
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(left):
            if fails(smaller):
                left = smaller
                changed = True
                break
    return left


def _smaller(operations: list[Operation]) -> Iterator[list[Operation]]:
    """Yield programs without one operation, one row, or some of the tokens of a row."""
    for size in (8, 4, 2, 1):
        for start in range(0, len(operations) - size + 1, size):
            yield operations[:start] + operations[start + size :]
    for index, operation in enumerate(operations):
        if operation.kind == "fork":
            later = [_renamed(other, operation.target, operation.source) for other in operations[index + 1 :]]
            yield operations[:index] + later
        for row, (sequence, tokens) in enumerate(operation.rows):
            before = operation.rows[:row]
            after = operation.rows[row + 1 :]
            fewer: list[tuple[tuple[int, tuple[int, ...]], ...]] = [()] if len(operation.rows) > 1 else []
            for size in (16, 4, 1):
                pieces = range(0, len(tokens) - size, size)
                fewer += [((sequence, tokens[:start] + tokens[start + size :]),) for start in pieces]
            for kept in fewer:
                changed = replace(operation, rows=before + kept + after)
                yield [*operations[:index], changed, *operations[index + 1 :]]
        if operation.count > 1:
            yield [*operations[:index], replace(operation, count=1), *operations[index + 1 :]]


def _renamed(operation: Operation, old: int, new: int) -> Operation:
    """Put another sequence in the place of a copy of it."""
    rows = tuple((new if sequence == old else sequence, tokens) for sequence, tokens in operation.rows)
    return replace(operation, source=new if operation.source == old else operation.source, rows=rows)


def _read(
    engine: Any, canary: Canary, operation: Operation, held: dict[int, tuple[list[int], Any]], run: Played
) -> WrongStep | None:
    """Read tokens after the sequences, and compare the answer to each token."""
    rows = [(sequence, list(tokens)) for sequence, tokens in operation.rows if sequence in held or tokens[:1] == (BOS,)]
    before = [held.get(sequence, ([], None)) for sequence, _ in rows]
    if not rows:
        return None
    try:
        truths = [canary.truth([*old, *new])[-len(new) :] for (old, _), (_, new) in zip(before, rows, strict=True)]
    except ValueError:
        return None
    logits, states = engine.batch([tokens for _, tokens in rows], [state for _, state in before])
    wrong = None
    for (sequence, new), (old, _), truth, given, state in zip(rows, before, truths, logits, states, strict=True):
        held[sequence] = [*old, *new], state
        found = torch.as_tensor(given).argmax(-1).reshape(-1).tolist()
        answers = list(zip(truth[-len(found) :], found, strict=True))
        run.answers += len(answers)
        first = next(((right, came) for right, came in answers if right != came), None)
        if first is not None and wrong is None:
            wrong = WrongStep(0, sequence, *first)
    return wrong


def _changed(
    engine: Any,
    operation: Operation,
    held: dict[int, tuple[list[int], Any]],
    saved: dict[int, tuple[list[int], Any]],
) -> None:
    """Run an operation that reads no token."""
    source = operation.source
    tokens, state = (saved if operation.kind == "load" else held)[source]
    if operation.kind == "fork":
        held[operation.target] = tokens, engine.fork(state)
    elif operation.kind == "save":
        saved[operation.target] = tokens, engine.save(state)
    elif operation.kind == "load":
        held[operation.target] = tokens, engine.load(state)
    elif operation.kind == "free":
        engine.free(state)
        del held[source]
    elif operation.count < len(tokens):
        held[source] = tokens[: -operation.count], engine.crop(state, operation.count)


class _Drawn:
    """Draws operations, and keeps the tokens of each sequence."""

    def __init__(self, canary: Canary, seed: int | Sequence[int], kinds: tuple[str, ...]) -> None:
        self.canary = canary
        self.kinds = kinds
        self.random = np.random.default_rng(seed)
        self.words = canary_words(canary.name)
        self.held: dict[int, list[int]] = {}
        self.saved: dict[int, list[int]] = {}
        self.number = 0

    def operations(self, count: int) -> Iterator[Operation]:
        """Yield operations; about half of them read. After a copy often comes an operation on it, or on its source.

        An engine may put off a copy until it reads the next tokens: what happens before then is where it goes wrong.
        """
        recent: list[int] = []
        for _ in range(count):
            reads = not self.held or self.random.random() < (0.2 if recent else 0.5)
            drawn = self._operation("read" if reads else self._chosen(self.kinds), recent)
            operation = drawn or self._operation("read", recent) or self._free(list(self.held))
            if operation.kind == "fork":
                recent = [operation.source, operation.target]
            elif operation.kind == "read":
                recent = []
            yield operation

    def _operation(self, kind: str, recent: Sequence[int]) -> Operation | None:
        if kind == "read":
            return self._reading()
        near = [sequence for sequence in recent if sequence in self.held] or list(self.held)
        if kind == "free":
            return self._free(near) if len(self.held) > 2 else None
        place = self.saved if kind == "load" else self.held
        if not place or (kind in ("fork", "load") and len(self.held) >= SEQUENCES):
            return None
        source = self._chosen(list(self.saved)[-3:] if kind == "load" else near)
        tokens = place[source]
        if kind == "crop":
            count = min(self._below(PIECE) + 1, len(tokens) - 1)
            self.held[source] = tokens[: len(tokens) - count]
            return Operation("crop", source, count=count) if count else None
        (self.saved if kind == "save" else self.held)[self.number] = tokens
        self.number += 1
        return Operation(kind, source, self.number - 1)

    def _reading(self) -> Operation | None:
        """Read after some sequences in one call, a new one among them if there is a place."""
        open_ones = [sequence for sequence, tokens in self.held.items() if len(tokens) < LONGEST - PIECE - 2]
        rows = {sequence: self.held[sequence] for sequence in open_ones if self.random.random() < 0.4}
        if len(self.held) < SEQUENCES and (not open_ones or self.random.random() < 0.3):
            rows[self.number] = []
            self.number += 1
        if not rows and open_ones:
            chosen = self._chosen(open_ones)
            rows[chosen] = self.held[chosen]
        written = []
        for sequence, before in rows.items():
            new = self._tokens(before)
            self.held[sequence] = [*before, *new]
            written.append((sequence, tuple(new)))
        return Operation("read", rows=tuple(written)) if written else None

    def _tokens(self, before: list[int]) -> list[int]:
        """Draw tokens that have answers: one as in decoding, or several; questions are half of them."""
        new: list[int] = [] if before else [BOS]
        count = 1 if before and self.random.random() < 0.4 else 2 + self._below(PIECE)
        while len(new) < count:
            key = self._below(KEYS)
            asks = [self.words.question(key)]
            pair = [FIRST_KEY + key, self.words.values[self._below(2)]]
            piece = (asks, asks, pair, [self._chosen(self.words.noise)])[self._below(4)]
            new += piece if self._has_answers([*before, *new, *piece]) else [FILLER]
        return new

    def _has_answers(self, tokens: list[int]) -> bool:
        try:
            self.canary.truth(tokens)
        except ValueError:
            return False
        return True

    def _free(self, choices: Sequence[int]) -> Operation:
        source = self._chosen(choices)
        del self.held[source]
        return Operation("free", source)

    def _chosen(self, choices: Sequence[Any]) -> Any:
        return choices[self._below(len(choices))]

    def _below(self, count: int) -> int:
        return int(self.random.integers(count))
