"""Regular expressions over symbols as minimal DFAs, by derivatives.

Syntax: a digit 0 .. 9 is that symbol, and a letter a .. z is symbol 10 .. 35. `.` is any symbol, [013] and [0-3] are one of
those, [^01] is any other one. Juxtaposition is concatenation, | is union, ( ) groups, and * + ? {n} {n,} {n,m} repeat. Blanks
are skipped. An expression must match the whole word.

Source: Brzozowski 1964, "Derivatives of regular expressions". The derivative of a language by a symbol holds the words that may
follow the symbol. Up to the laws of | (associative, commutative, idempotent) an expression has finitely many derivatives; they
are the states.
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
    """Whether a text may be meant as a regular expression: only characters of the syntax, and an operator among them.

    >>> looks_regular("(01)*"), looks_regular("bounded-dyck")
    (True, False)
    """
    return bool(text) and set(text) <= set(SYMBOLS + SPECIAL) and bool(set(text) & set("()[]{}*+?|"))


def automaton(pattern: str, alphabet: int | None = None) -> DFA:
    """The minimal DFA of the words that match, over 0 .. alphabet - 1; by default as many symbols as are used, at least 2.

    Raises ValueError, with the place, for a pattern that cannot be read, and for more than 4,096 states.

    >>> automaton("(0|1 0* 1)*").table.tolist()  # an even number of ones
    [[0, 1], [1, 0]]
    """
    size = max(2, 1 + max(_Reader(pattern, 0).used(), default=0)) if alphabet is None else alphabet
    if not 1 <= size <= len(SYMBOLS):
        raise ValueError(f"regular expression {pattern!r}: expected an alphabet of 1 to {len(SYMBOLS)} symbols, found {size}")
    root = _Reader(pattern, size).whole()
    number = {root: 0}
    queue = [root]
    rows = []
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
    """Whether the empty word matches.

    >>> nullable(star(("symbols", frozenset({0}))))
    True
    """
    kind = expression[0]
    if kind == "then":
        return nullable(expression[1]) and nullable(expression[2])
    if kind == "or":
        return any(nullable(part) for part in expression[1])
    return kind in ("word", "star")


def derivative(expression: Expression, symbol: int) -> Expression:
    """The expression of the words that may follow the symbol.

    >>> derivative(("symbols", frozenset({0})), 0) == WORD
    True
    """
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
    """Concatenation, nested to the right.

    >>> then(WORD, ("symbols", frozenset({0})))
    ('symbols', frozenset({0}))
    """
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
    """Union, as a set of parts.

    >>> either([NONE, WORD, WORD])
    ('word',)
    """
    union: set[Expression] = set()
    for part in parts:
        union |= part[1] if part[0] == "or" else {part}
    union.discard(NONE)
    if not union:
        return NONE
    return next(iter(union)) if len(union) == 1 else ("or", frozenset(union))


def star(expression: Expression) -> Expression:
    """Any number of repetitions.

    >>> star(star(("symbols", frozenset({0}))))
    ('star', ('symbols', frozenset({0})))
    """
    if expression in (NONE, WORD):
        return WORD
    return expression if expression[0] == "star" else ("star", expression)


@dataclass
class _Reader:
    """A recursive descent parser of a pattern, at the character number `at`."""

    pattern: str
    size: int
    at: int = 0

    def used(self) -> set[int]:
        """The symbols that the pattern names; counts in braces are not symbols."""
        symbols = set()
        in_braces = False
        for mark in self.pattern:
            in_braces = mark == "{" or (in_braces and mark != "}")
            if not in_braces and mark in SYMBOLS:
                symbols.add(SYMBOLS.index(mark))
        return symbols

    def whole(self) -> Expression:
        """The whole pattern: a union, then the end."""
        expression = self.union()
        if self.peek():
            raise self.error("an operand or the end")
        return expression

    def peek(self) -> str:
        """The next character other than a blank; empty at the end."""
        while self.pattern[self.at : self.at + 1] == " ":
            self.at += 1
        return self.pattern[self.at : self.at + 1]

    def take(self, expected: str) -> None:
        """Read the expected character."""
        if self.peek() != expected:
            raise self.error(repr(expected))
        self.at += 1

    def error(self, expected: str) -> ValueError:
        """The error that something else was expected here."""
        found = repr(self.pattern[self.at]) if self.at < len(self.pattern) else "the end"
        return ValueError(f"regular expression {self.pattern!r}, character {self.at + 1}: expected {expected}, found {found}")

    def union(self) -> Expression:
        """Sequences between |."""
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        return either(parts)

    def sequence(self) -> Expression:
        """Repeated operands, one after the other."""
        parts = []
        while self.peek() and self.peek() not in "|)":
            parts.append(self.repeated())
        expression = WORD
        for part in reversed(parts):
            expression = then(part, expression)
        return expression

    def repeated(self) -> Expression:
        """An operand with its repetitions."""
        operand = self.operand()
        while self.peek() and self.peek() in "*+?{":
            mark = self.peek()
            self.at += 1
            if mark == "{":
                operand = self.counted(operand)
            elif mark == "*":
                operand = star(operand)
            elif mark == "+":
                operand = then(operand, star(operand))
            else:
                operand = either((operand, WORD))
        return operand

    def counted(self, repeated: Expression) -> Expression:
        """A repetition {n}, {n,} or {n,m}, after its opening brace."""
        least = self.number()
        if self.peek() != ",":
            most: int | None = least
        else:
            self.at += 1
            most = None if self.peek() == "}" else self.number()
        if most is not None and most < least:
            raise self.error(f"a number from {least}")
        self.take("}")
        expression = star(repeated) if most is None else WORD
        for _ in range(0 if most is None else most - least):
            expression = either((WORD, then(repeated, expression)))
        for _ in range(least):
            expression = then(repeated, expression)
        return expression

    def number(self) -> int:
        """A number of repetitions."""
        begun = self.at
        while self.peek().isdigit() and self.peek().isascii():
            self.at += 1
        digits = self.pattern[begun : self.at].strip()
        if not digits or len(digits) > 4 or int(digits) > MOST_REPEATS:
            self.at = begun
            raise self.error(f"a number up to {MOST_REPEATS}")
        return int(digits)

    def symbol(self) -> int:
        """A symbol of the alphabet."""
        mark = self.peek()
        if not mark or mark not in SYMBOLS[: self.size]:
            raise self.error(f"a symbol from 0 to {SYMBOLS[self.size - 1]}")
        self.at += 1
        return SYMBOLS.index(mark)

    def operand(self) -> Expression:
        """A group, any symbol, a choice of symbols, or a symbol."""
        mark = self.peek()
        if mark == "(":
            self.at += 1
            group = self.union()
            self.take(")")
            return group
        if mark == ".":
            self.at += 1
            return ("symbols", frozenset(range(self.size)))
        if mark == "[":
            self.at += 1
            return self.chosen()
        return ("symbols", frozenset((self.symbol(),)))

    def chosen(self) -> Expression:
        """A choice of symbols, after its opening bracket."""
        is_complement = self.peek() == "^"
        self.at += is_complement
        chosen: set[int] = set()
        while self.peek() != "]":
            first = last = self.symbol()
            if self.peek() == "-":
                self.at += 1
                last = self.symbol()
            chosen.update(range(first, last + 1))
        self.at += 1
        symbols = frozenset(range(self.size)) - chosen if is_complement else frozenset(chosen)
        return ("symbols", symbols) if symbols else NONE
