"""The syntax of regular expressions over symbols: Python's own parser reads a text, and this file makes a bounded tree of it.

A tree has at most 4,096 positions, repeats written out, and is at most 50 deep: both are counted before anything is repeated.
Look-around, back-references and other parts that no automaton of this package has are refused by name.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as python_parser  # type: ignore[attr-defined]
from typing import Any, Literal

from seqsep.core.names import excerpt

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
DIGITS = 10
MOST_REPEATS = 1000
MOST_POSITIONS = 4096
MOST_DEPTH = 50
REFUSED = {
    ops.GROUPREF: "a back-reference",
    ops.GROUPREF_EXISTS: "a condition on a group",
    ops.ATOMIC_GROUP: "an atomic group (?>...)",
    ops.POSSESSIVE_REPEAT: "a possessive repeat such as a*+ or a++",
}
STARTS = (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING)
ENDS = (ops.AT_END, ops.AT_END_STRING)


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


@dataclass(frozen=True)
class Edges:
    """The place of a part: `start` if nothing before it can read a symbol, so that `^` is true, and `end` likewise for `$`."""

    start: bool = True
    end: bool = True


class Expression:
    """A pattern as Python's parser reads it; `size` is the number of symbols.

    Raises ValueError for a pattern that Python does not read, with the place, and for parentheses more than 50 deep.
    """

    def __init__(self, pattern: str, size: int | None = None) -> None:
        self.pattern = pattern
        self.name = f"regular expression {excerpt(pattern)!r}"
        self.groups: Any = None
        self.read = self._parsed()
        self.size = max(2, 1 + max(self.named(self.read), default=0)) if size is None else size

    def _parsed(self) -> Sequence[Any]:
        """Return the items of the pattern, without its blanks."""
        places = [place for place, mark in enumerate(self.pattern) if mark != " "]
        deep = 0
        for place in places:
            deep += {"(": 1, ")": -1}.get(self.pattern[place], 0)
            if deep > MOST_DEPTH:
                raise ValueError(
                    f"{self.name}, character {place + 1}: expected parentheses at most {MOST_DEPTH} deep, found more"
                )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read = python_parser.parse("".join(self.pattern[place] for place in places))
        except re.error as error:
            place = [*places, len(self.pattern)][min(error.pos or 0, len(places))]
            raise ValueError(
                f"{self.name}, character {place + 1}: expected Python's syntax, found an error: {error.msg}"
            ) from None
        except OverflowError:
            raise ValueError(f"{self.name}: expected a number of repeats up to {MOST_REPEATS}, found more") from None
        if read.state.flags != re.UNICODE:
            raise self.refused("a flag such as (?i)")
        self.groups = read.state
        return list(read)

    def refused(self, what: str) -> ValueError:
        """Return the error that the expression has a part that is not read."""
        return ValueError(f"{self.name}: expected symbols, classes, groups, | and repeats, found {what}, which is not read")

    def named(self, items: Iterable[Any]) -> set[int]:
        """Return the symbols that the pattern mentions; \\d mentions 0 to 9, and counts in braces are not symbols."""
        found: set[int] = set()
        for op, value in items:
            if op in (ops.LITERAL, ops.NOT_LITERAL):
                found.add(self.symbol(value, len(SYMBOLS)))
            elif op is ops.RANGE:
                found |= {self.symbol(end, len(SYMBOLS)) for end in value}
            elif op is ops.CATEGORY and value is ops.CATEGORY_DIGIT:
                found.add(DIGITS - 1)
            elif op is ops.IN:
                found |= self.named(value)
            elif op is ops.BRANCH:
                found |= set().union(*map(self.named, value[1]))
            elif op in (ops.SUBPATTERN, ops.MAX_REPEAT, ops.MIN_REPEAT):
                found |= self.named(value[-1])
        return found

    def symbol(self, code: int, size: int) -> int:
        """Return the symbol of a character. Raises ValueError for another character."""
        mark = chr(code)
        if mark not in SYMBOLS[:size]:
            place = self.pattern.find(mark) + 1
            where = f"{self.name}, character {place}" if place else self.name
            raise ValueError(f"{where}: expected a symbol from 0 to {SYMBOLS[size - 1]}, found {mark!r}")
        return SYMBOLS.index(mark)

    def whole(self) -> Tree:
        """Return the tree of the pattern."""
        return self.bounded(self.sequence(self.read, Edges()))

    def bounded(self, tree: Tree) -> Tree:
        """Return the tree, if it is small enough."""
        if tree.positions > MOST_POSITIONS:
            raise ValueError(
                f"{self.name}: expected at most {MOST_POSITIONS:,} symbols with repeats written out, found {tree.positions:,}"
            )
        if tree.repeats_deep > MOST_DEPTH:
            raise ValueError(f"{self.name}: expected repeats at most {MOST_DEPTH} deep, found more")
        return tree

    def sequence(self, items: Iterable[Any], edges: Edges) -> Tree:
        """Return the tree of items, one after the other."""
        given = list(items)
        wide = [place for place, item in enumerate(given) if python_parser.SubPattern(self.groups, [item]).getwidth()[1] > 0]
        parts = []
        for place, (op, value) in enumerate(given):
            start = edges.start and not (wide and wide[0] < place)
            end = edges.end and not (wide and wide[-1] > place)
            part = self.item(op, value, Edges(start, end))
            if part.positions > 0:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Tree("then", parts=tuple(parts))

    def item(self, op: Any, value: Any, edges: Edges) -> Tree:
        """Return the tree of one item of Python's parser."""
        if op in REFUSED:
            raise self.refused(REFUSED[op])
        if op in (ops.ASSERT, ops.ASSERT_NOT):
            raise self.refused("a look-ahead" if value[0] > 0 else "a look-behind")
        if op is ops.AT:
            return self.anchor(value, edges)
        if op is ops.BRANCH:
            return self.union([self.sequence(part, edges) for part in value[1]])
        if op is ops.SUBPATTERN:
            _, on, off, part = value
            if on or off:
                raise self.refused("a flag such as (?i:...)")
            return self.sequence(part, edges)
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            return self.repeated(value, edges)
        return Tree("symbols", self.symbols(op, value))

    def anchor(self, where: Any, edges: Edges) -> Tree:
        """Return the empty word for ^ at the beginning and $ at the end, where they are always true."""
        if where not in (*STARTS, *ENDS):
            raise self.refused("a word boundary")
        if not (edges.start if where in STARTS else edges.end):
            raise self.refused("^ that is not at the beginning" if where in STARTS else "$ that is not at the end")
        return EMPTY_WORD

    def union(self, parts: Sequence[Tree]) -> Tree:
        """Return the tree of parts between |."""
        empty = [part for part in parts if part.positions == 0][:1]
        different = [*empty, *(part for part in parts if part.positions > 0)]
        return different[0] if len(different) == 1 else Tree("or", parts=tuple(different))

    def repeated(self, value: Any, edges: Edges) -> Tree:
        """Return the tree of a part that is repeated; a whole word matches lazily if and only if it matches greedily."""
        least, highest, part = value
        most = None if highest == ops.MAXREPEAT else int(highest)
        if max(least, most or 0) > MOST_REPEATS:
            raise ValueError(f"{self.name}: expected a number of repeats up to {MOST_REPEATS}, found {max(least, most or 0)}")
        tree = self.sequence(part, edges if most == 1 else Edges(start=False, end=False))
        if tree.positions == 0 or most == 0:
            return EMPTY_WORD
        return self.bounded(Tree("repeat", parts=(tree,), least=least, most=most))

    def symbols(self, op: Any, value: Any) -> frozenset[int]:
        """Return the symbols that one position matches."""
        every = frozenset(range(self.size))
        if op is ops.ANY:
            return every
        if op is ops.LITERAL:
            return frozenset((self.symbol(value, self.size),))
        if op is ops.NOT_LITERAL:
            return every - {self.symbol(value, self.size)}
        if op is ops.RANGE:
            first, last = (self.symbol(end, self.size) for end in value)
            return frozenset(range(first, last + 1))
        if op is ops.CATEGORY:
            digits = every & frozenset(range(DIGITS))
            known = {ops.CATEGORY_DIGIT: digits, ops.CATEGORY_NOT_DIGIT: every - digits, ops.CATEGORY_WORD: every}
            if value not in known:
                raise self.refused("\\s, \\S or \\W; the classes are \\d, \\D and \\w")
            return known[value]
        if op is not ops.IN:
            raise self.refused(str(op).lower())
        is_complement = value[0][0] is ops.NEGATE
        chosen = frozenset().union(*(self.symbols(*one) for one in value[is_complement:]))
        return every - chosen if is_complement else chosen
