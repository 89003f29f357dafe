"""Regular expressions over symbols, as least automata, by derivatives.

Syntax: a digit 0 .. 9 is that symbol, a letter a .. z symbol 10 .. 35; `.` any symbol; [013] and [0-3] one of those, [^01] any
other; a juxtaposition, | or, ( ) grouping, * + ? and {n} {n,} {n,m} repetition. Blanks are skipped. A word must match whole.

Source: Brzozowski 1964, "Derivatives of regular expressions": a language's derivative by a symbol holds what may follow it.
Up to the laws of | (associative, commutative, idempotent) an expression has finitely many derivatives; they are the states.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from seqsep.exact.automata import DFA

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
SPECIAL = "()[]{}*+?|.^-, "
MOST_STATES = 4096
MOST_REPEATS = 1000

# ("empty",) no word; ("word",) the empty word; ("symbols", {..}); ("then", a, b); ("or", {..}); ("star", a)
Expression = tuple
NONE: Expression = ("empty",)
WORD: Expression = ("word",)


def looks_regular(text: str) -> bool:
    """Whether a text could be meant as a regular expression: its characters are those of one, and an operator is among them."""
    return bool(text) and set(text) <= set(SYMBOLS + SPECIAL) and bool(set(text) & set("()[]{}*+?|"))


def automaton(pattern: str, alphabet: int | None = None) -> DFA:
    """The least automaton of the words that match, over 0 .. alphabet - 1; by default as many symbols as are used, at least 2.

    Raises ValueError with the place for a pattern that cannot be read, and for more than 4,096 states.
    """
    size = max(2, 1 + max(_Reader(pattern, 0).used(), default=0)) if alphabet is None else alphabet
    if not 1 <= size <= len(SYMBOLS):
        raise ValueError(f"regular expression {pattern!r}: expected an alphabet of 1 to {len(SYMBOLS)} symbols, found {size}")
    root = _Reader(pattern, size).whole()
    number, queue, rows = {root: 0}, [root], []
    for state in queue:
        row = []
        for symbol in range(size):
            after = derivative(state, symbol)
            if after not in number:
                if len(number) == MOST_STATES:
                    raise ValueError(f"regular expression {pattern!r}: more than {MOST_STATES:,} states")
                number[after] = len(number)
                queue.append(after)
            row.append(number[after])
        rows.append(row)
    table = np.array(rows, dtype=np.int64)
    return DFA(table, 0, np.array([nullable(state) for state in queue])).minimal()


def nullable(expression: Expression) -> bool:
    """Whether the empty word matches."""
    kind = expression[0]
    if kind == "then":
        return nullable(expression[1]) and nullable(expression[2])
    if kind == "or":
        return any(nullable(part) for part in expression[1])
    return kind in ("word", "star")


def derivative(expression: Expression, symbol: int) -> Expression:
    """What may follow the symbol."""
    kind = expression[0]
    if kind == "symbols":
        return WORD if symbol in expression[1] else NONE
    if kind == "or":
        return either(derivative(part, symbol) for part in expression[1])
    if kind == "star":
        return then(derivative(expression[1], symbol), expression)
    if kind == "then":
        first = then(derivative(expression[1], symbol), expression[2])
        return either((first, derivative(expression[2], symbol))) if nullable(expression[1]) else first
    return NONE


def then(first: Expression, second: Expression) -> Expression:
    """Concatenation, nested to the right."""
    if NONE in (first, second):
        return NONE
    if first == WORD:
        return second
    if second == WORD:
        return first
    if first[0] == "then":
        return ("then", first[1], then(first[2], second))
    return ("then", first, second)


def either(parts: Iterable[Expression]) -> Expression:
    """Union, as a set."""
    found: set[Expression] = set()
    for part in parts:
        found |= part[1] if part[0] == "or" else {part}
    found.discard(NONE)
    if not found:
        return NONE
    return next(iter(found)) if len(found) == 1 else ("or", frozenset(found))


def star(expression: Expression) -> Expression:
    """Any number of repetitions."""
    if expression in (NONE, WORD):
        return WORD
    return expression if expression[0] == "star" else ("star", expression)


@dataclass
class _Reader:
    """Recursive descent over the pattern."""

    pattern: str
    size: int
    at: int = 0

    def used(self) -> set[int]:
        """Symbols that the pattern names; counts in braces are not symbols."""
        outside, braces = [], False
        for mark in self.pattern:
            braces = mark == "{" or (braces and mark != "}")
            if not braces and mark in SYMBOLS:
                outside.append(SYMBOLS.index(mark))
        return set(outside)

    def whole(self) -> Expression:
        found = self.union()
        if self.peek():
            raise self.error("an operand or the end")
        return found

    def peek(self) -> str:
        while self.pattern[self.at : self.at + 1] == " ":
            self.at += 1
        return self.pattern[self.at : self.at + 1]

    def take(self, expected: str) -> None:
        if self.peek() != expected:
            raise self.error(repr(expected))
        self.at += 1

    def error(self, expected: str) -> ValueError:
        found = repr(self.pattern[self.at]) if self.at < len(self.pattern) else "the end"
        return ValueError(f"regular expression {self.pattern!r}, character {self.at + 1}: expected {expected}, found {found}")

    def union(self) -> Expression:
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        return either(parts)

    def sequence(self) -> Expression:
        parts = []
        while self.peek() and self.peek() not in "|)":
            parts.append(self.repeated())
        found = WORD
        for part in reversed(parts):
            found = then(part, found)
        return found

    def repeated(self) -> Expression:
        found = self.operand()
        while self.peek() and self.peek() in "*+?{":
            mark = self.peek()
            self.at += 1
            if mark == "{":
                found = self.counted(found)
            else:
                found = {"*": star(found), "+": then(found, star(found)), "?": either((found, WORD))}[mark]
        return found

    def counted(self, repeated: Expression) -> Expression:
        least = self.number()
        if self.peek() != ",":
            most: int | None = least
        else:
            self.at += 1
            most = None if self.peek() == "}" else self.number()
        if most is not None and most < least:
            raise self.error(f"a number from {least}")
        self.take("}")
        found = star(repeated) if most is None else WORD
        for _ in range(0 if most is None else most - least):
            found = either((WORD, then(repeated, found)))
        for _ in range(least):
            found = then(repeated, found)
        return found

    def number(self) -> int:
        begun = self.at
        while self.peek().isdigit() and self.peek().isascii():
            self.at += 1
        digits = self.pattern[begun : self.at].strip()
        if not digits or len(digits) > 4 or int(digits) > MOST_REPEATS:
            self.at = begun
            raise self.error(f"a number up to {MOST_REPEATS}")
        return int(digits)

    def symbol(self) -> int:
        mark = self.peek()
        if not mark or mark not in SYMBOLS[: self.size]:
            raise self.error(f"a symbol from 0 to {SYMBOLS[self.size - 1]}")
        self.at += 1
        return SYMBOLS.index(mark)

    def operand(self) -> Expression:
        mark = self.peek()
        if mark == "(":
            self.at += 1
            found = self.union()
            self.take(")")
            return found
        if mark == ".":
            self.at += 1
            return ("symbols", frozenset(range(self.size)))
        if mark == "[":
            self.at += 1
            return self.chosen()
        return ("symbols", frozenset((self.symbol(),)))

    def chosen(self) -> Expression:
        others = self.peek() == "^"
        self.at += others
        chosen: set[int] = set()
        while self.peek() != "]":
            first = last = self.symbol()
            if self.peek() == "-":
                self.at += 1
                last = self.symbol()
            chosen.update(range(first, last + 1))
        self.at += 1
        left = frozenset(range(self.size)) - chosen if others else frozenset(chosen)
        return ("symbols", left) if left else NONE
