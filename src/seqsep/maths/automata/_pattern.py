"""The syntax of regular expressions over symbols: a text becomes a tree whose positions, repeats written out, are counted.

A tree has at most 4,096 positions and is at most 50 deep, whatever is repeated: both are counted before anything is repeated.
"""

from dataclasses import dataclass, field
from typing import Literal

from seqsep.core.names import excerpt

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_REPEATS = 1000
MOST_POSITIONS = 4096
MOST_DEPTH = 50


@dataclass(frozen=True)
class Tree:
    """A parsed expression: a set of symbols, its parts one after the other, either of them, or one part repeated.

    A sequence without parts matches the empty word. A part is repeated `least` to `most` times, without end if `most` is None.
    `positions` counts the sets of symbols, each as often as it is written out.
    """

    kind: Literal["symbols", "then", "or", "repeat"]
    symbols: frozenset[int] = frozenset()
    parts: tuple["Tree", ...] = ()
    least: int = 1
    most: int | None = 1
    positions: int = field(init=False)
    repeats_deep: int = field(init=False)
    has_empty_word: bool = field(init=False)

    def __post_init__(self) -> None:
        inside = sum(part.positions for part in self.parts)
        deepest = max((part.repeats_deep for part in self.parts), default=0)
        empty = [part.has_empty_word for part in self.parts]
        is_optional = self.kind == "repeat" and self.least == 0
        object.__setattr__(self, "positions", 1 if self.kind == "symbols" else inside * self.copies)
        object.__setattr__(self, "repeats_deep", deepest + (self.kind == "repeat"))
        object.__setattr__(
            self,
            "has_empty_word",
            self.kind != "symbols" and (is_optional or (any(empty) if self.kind == "or" else all(empty))),
        )

    @property
    def copies(self) -> int:
        """The number of times that a part is written out."""
        return max(1, self.least) if self.most is None else self.most


EMPTY_WORD = Tree("then")


@dataclass
class Reader:
    """A recursive descent parser of a pattern, at the character number `at`."""

    pattern: str
    size: int
    at: int = 0
    groups: int = 0

    def used(self) -> set[int]:
        """The symbols that the pattern names; counts in braces are not symbols."""
        symbols = set()
        in_braces = False
        for mark in self.pattern:
            in_braces = mark == "{" or (in_braces and mark != "}")
            if not in_braces and mark in SYMBOLS:
                symbols.add(SYMBOLS.index(mark))
        return symbols

    def whole(self) -> Tree:
        """The whole pattern: a union, then the end."""
        tree = self.union()
        if self.peek():
            raise self.error("an operand or the end")
        return self.bounded(tree)

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
        where = f"regular expression {excerpt(self.pattern)!r}, character {self.at + 1}"
        return ValueError(f"{where}: expected {expected}, found {found}")

    def bounded(self, tree: Tree) -> Tree:
        """The tree, if it is small enough."""
        name = f"regular expression {excerpt(self.pattern)!r}, up to character {self.at}"
        if tree.positions > MOST_POSITIONS:
            raise ValueError(
                f"{name}: expected at most {MOST_POSITIONS:,} symbols with repeats written out, found {tree.positions:,}"
            )
        if tree.repeats_deep > MOST_DEPTH:
            raise ValueError(f"{name}: expected repeats at most {MOST_DEPTH} deep, found more")
        return tree

    def union(self) -> Tree:
        """Sequences between |."""
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        empty = [part for part in parts if part.positions == 0][:1]
        different = [*empty, *(part for part in parts if part.positions > 0)]
        return different[0] if len(different) == 1 else Tree("or", parts=tuple(different))

    def sequence(self) -> Tree:
        """Repeated operands, one after the other."""
        parts = []
        while self.peek() and self.peek() not in "|)":
            part = self.repeated()
            if part.positions > 0:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Tree("then", parts=tuple(parts))

    def repeated(self) -> Tree:
        """An operand with its repetitions."""
        tree = self.operand()
        while self.peek() and self.peek() in "*+?{":
            mark = self.peek()
            self.at += 1
            least, most = self.counts() if mark == "{" else {"*": (0, None), "+": (1, None), "?": (0, 1)}[mark]
            if tree.positions == 0 or most == 0:
                tree = EMPTY_WORD
            else:
                tree = self.bounded(Tree("repeat", parts=(tree,), least=least, most=most))
        return tree

    def counts(self) -> tuple[int, int | None]:
        """The least and the most of a repetition {n}, {n,} or {n,m}, after its opening brace."""
        least = self.number()
        if self.peek() != ",":
            most: int | None = least
        else:
            self.at += 1
            most = None if self.peek() == "}" else self.number()
        if most is not None and most < least:
            raise self.error(f"a number from {least}")
        self.take("}")
        return least, most

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

    def operand(self) -> Tree:
        """A group, any symbol, a choice of symbols, or a symbol."""
        mark = self.peek()
        if mark == "(":
            return self.group()
        if mark == ".":
            self.at += 1
            return Tree("symbols", frozenset(range(self.size)))
        if mark == "[":
            self.at += 1
            return self.chosen()
        return Tree("symbols", frozenset((self.symbol(),)))

    def group(self) -> Tree:
        """A union in parentheses."""
        if self.groups == MOST_DEPTH:
            raise self.error(f"parentheses at most {MOST_DEPTH} deep")
        self.at += 1
        self.groups += 1
        tree = self.union()
        self.take(")")
        self.groups -= 1
        return tree

    def chosen(self) -> Tree:
        """A choice of symbols, after its opening bracket; a position that nothing matches if none is left."""
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
        return Tree("symbols", frozenset(range(self.size)) - chosen if is_complement else frozenset(chosen))
