r"""The named queries: what each finds in a list of tokens, in plain Python and as a regular expression.

    token-at i            the token after the first i
    follower g ..         the token after the first g .., if as many tokens as are in g .. follow that one
    count-above q t       q, if more than t of its places have two tokens or more after them
    first-edge v          the first neighbour of v
    next-edge v y         the first neighbour of v after the first edge between v and y
    parent v              u of the first record u - v
    last-write c [i]      the action of the last record [ c ] r action; or else the symbol after the first i + 1 tokens

An edge is written u ~ v. A neighbour of v is a number directly after v ~ or directly before ~ v; of several the
leftmost is found. An action is a token that begins with q, an input symbol one that begins with x: `last-write` takes a symbol
only if there are i symbols after the first token ahead of it. Where nothing is found the answer is FAILED.

The question is part of the searched text: `follower` and `count-above` look ahead so that neither the question's own tokens
(g .., or q t, at the end of the text) nor their followers are found.

Domain. Tokens have no white space. Numbers (i, t, v, y) are decimal and below 10^9; g, q and c are words of letters, digits and
underscores.

Language. A pattern is in the syntax of Python's `re`, with one group. `Query.tokens` is how a model writes it: tokens joined by
spaces, which its first one, (?x), makes meaningless, so that \s means a space; a count {i} is one token. No pattern takes
more than polynomial time: the shorter ^(?:.*?(?<!\S)(q)(?=(?:\s\S+){2})){t+1} for `count-above` tries 2^m ways before it fails
on a text with only m <= t of q.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

EDGE = "~"
RECORD = "-"
OPEN = "["
CLOSE = "]"
NEIGHBOUR = r"(?<!\S) (?: (?<= (?<!\S) {0} \s ~ \s ) | (?= \d+ \s ~ \s {0} (?!\S) ) ) (\d+) (?!\S)"

Tokens = Sequence[str]


class NamedQuery(NamedTuple):
    """A kind of query: `meaning(tokens, *arguments)` is what it finds, `expression(*arguments)` its pattern.

    `numbers` says which arguments are numbers. There are `least` to `most` arguments, or any count from `least` on.
    """

    meaning: Callable[..., str | None]
    expression: Callable[..., str]
    numbers: tuple[bool, ...]
    least: int
    most: int | None


def _token_at(tokens: Tokens, place: str) -> str | None:
    return tokens[int(place)] if int(place) < len(tokens) else None


def _token_at_expression(place: str) -> str:
    return rf"^ (?:\S+\s) {{{place}}} (\S+)"


def _follower(tokens: Tokens, *gram: str) -> str | None:
    size = len(gram)
    for place in range(len(tokens) - 2 * size):
        if tuple(tokens[place : place + size]) == gram:
            return tokens[place + size]
    return None


def _follower_expression(*gram: str) -> str:
    words = r" \s ".join(gram)
    return rf"(?<!\S) {words} \s (\S+) (?=(?:\s\S+) {{{len(gram)}}} )"


def _count_above(tokens: Tokens, token: str, threshold: str) -> str | None:
    return token if list(tokens[:-2]).count(token) > int(threshold) else None


def _count_above_expression(token: str, threshold: str) -> str:
    return rf"^ (?: (?: (?! {token} \s ) \S+ \s )* ( {token} ) \s (?=\S+\s\S) ) {{{int(threshold) + 1}}}"


def _places(tokens: Tokens, text: str, start: int = 0) -> Iterator[int]:
    """Yield the places of the text, from `start` on and from the left."""
    with suppress(ValueError):
        while True:
            start = tokens.index(text, start) + 1
            yield start - 1


def _edges(tokens: Tokens, vertex: str, start: int = 0) -> Iterator[int]:
    """Yield the places of ~ next to the vertex, with something on its other side, from the left."""
    for place in _places(tokens, vertex, start):
        for edge in (place - 1, place + 1):
            if 0 < edge < len(tokens) - 1 and tokens[edge] == EDGE:
                yield edge


def _first_edge(tokens: Tokens, vertex: str, start: int = 0) -> str | None:
    for edge in _edges(tokens, vertex, max(0, start - 2)):
        for place, other in ((edge - 1, edge + 1), (edge + 1, edge - 1)):
            if place >= start and tokens[other] == vertex and tokens[place].isdecimal():
                return tokens[place]
    return None


def _first_edge_expression(vertex: str) -> str:
    return NEIGHBOUR.format(vertex)


def _next_edge(tokens: Tokens, vertex: str, last: str) -> str | None:
    for edge in _edges(tokens, last):
        if (tokens[edge - 1], tokens[edge + 1]) in ((vertex, last), (last, vertex)):
            return _first_edge(tokens, vertex, start=edge + 2)
    return None


def _next_edge_expression(vertex: str, last: str) -> str:
    edge = rf"(?<!\S) (?: {vertex} \s ~ \s {last} | {last} \s ~ \s {vertex} ) (?!\S)"
    return rf"{edge} .*? {NEIGHBOUR.format(vertex)}"


def _parent(tokens: Tokens, vertex: str) -> str | None:
    for place in _places(tokens, vertex, 2):
        if tokens[place - 1] == RECORD and tokens[place - 2].isdecimal():
            return tokens[place - 2]
    return None


def _parent_expression(vertex: str) -> str:
    return rf"(?<!\S) (\d+) \s - \s {vertex} (?!\S)"


def _last_write(tokens: Tokens, cell: str, ahead: str | None = None) -> str | None:
    for place in reversed(list(_places(tokens, cell, 1))):
        around = [tokens[place - 1], *tokens[place + 1 : place + 2]]
        if around == [OPEN, CLOSE] and place + 3 < len(tokens) and tokens[place + 3].startswith("q"):
            return tokens[place + 3]
    if ahead is None:
        return None
    symbols = tokens[1 : int(ahead) + 2]
    return symbols[-1] if len(symbols) > int(ahead) and all(symbol.startswith("x") for symbol in symbols) else None


def _last_write_expression(cell: str, ahead: str | None = None) -> str:
    written = rf".* (?<!\S) \[ \s {cell} \s \] \s \S+ \s (?=q)"
    given = "" if ahead is None else rf"| \S+ \s (?:x\S*\s) {{{ahead}}} (?=x)"
    return rf"^ (?: {written} {given} ) (\S+)"


NAMED = {
    "token-at": NamedQuery(_token_at, _token_at_expression, numbers=(True,), least=1, most=1),
    "follower": NamedQuery(_follower, _follower_expression, numbers=(False,), least=1, most=None),
    "count-above": NamedQuery(_count_above, _count_above_expression, numbers=(False, True), least=2, most=2),
    "first-edge": NamedQuery(_first_edge, _first_edge_expression, numbers=(True,), least=1, most=1),
    "next-edge": NamedQuery(_next_edge, _next_edge_expression, numbers=(True, True), least=2, most=2),
    "parent": NamedQuery(_parent, _parent_expression, numbers=(True,), least=1, most=1),
    "last-write": NamedQuery(_last_write, _last_write_expression, numbers=(False, True), least=1, most=2),
}


@dataclass(frozen=True)
class Query:
    """A named query with its arguments, which are tokens. Raises ValueError for another name, or arguments outside the domain.

    >>> edges = "<s> 2 ~ 6 1 ~ 5 3 ~ 5".split()
    >>> Query("first-edge", ("5",)).find(edges), Query("next-edge", ("5", "1")).find(edges)
    ('1', '3')
    >>> Query("next-edge", ("5", "3")).find(edges) is None
    True
    >>> import re
    >>> re.search(Query("first-edge", ("5",)).pattern, " ".join(edges)).group(1)
    '1'
    """

    name: str
    arguments: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.name not in NAMED:
            raise ValueError(f"Query({self.name}): expected one of {', '.join(NAMED)}")
        kind = NAMED[self.name]
        count = len(self.arguments)
        if count < kind.least or (kind.most is not None and count > kind.most):
            raise ValueError(f"Query({self.name}): expected {kind.least} to {kind.most or 'any'} arguments, found {count}")
        for number, argument in enumerate(self.arguments):
            is_number = kind.numbers[min(number, len(kind.numbers) - 1)]
            if not re.fullmatch(r"[0-9]{1,9}" if is_number else r"\w+", argument):
                expected = "a number below 10^9" if is_number else "a word of letters, digits and underscores"
                raise ValueError(f"Query({self.name}): argument {number + 1} is {expected}, found {argument!r}")

    def find(self, tokens: Tokens) -> str | None:
        """Return what the query finds in the tokens, by its meaning; None for FAILED."""
        return NAMED[self.name].meaning(tokens, *self.arguments)

    @property
    def pattern(self) -> str:
        """The regular expression, whose first group is what is found."""
        return f"(?x) {NAMED[self.name].expression(*self.arguments)}"

    @property
    def tokens(self) -> list[str]:
        """The pattern as a model writes it, token by token."""
        return self.pattern.split()
