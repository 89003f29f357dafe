"""Retrievers for the queries of the walk and of Algorithm 2 while a model writes, on tokens: each prompt is read once.

It finds what the named queries find (`tasks.retriever.queries`: `first-edge` and `next-edge` in the prompt, `parent` in
everything before the query), whatever a model writes between the marks; FAILED for any other text. A test compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from seqsep.tasks.trees.algorithm_two import RecordTokens
from seqsep.tasks.trees.walk import WalkTokens


@dataclass(frozen=True)
class LiveWalk:
    """Answers [ v ] by the first neighbour of v, and [ v y ] by the next one after y.

    It is called with all tokens so far, and how many of them are the prompt; None if they end with no closed query.

    >>> tokens = WalkTokens(3)
    >>> retrieve = LiveWalk(tokens)
    >>> prompt = (0, 1, 4, 2, 2, 4, 3)  # [BOS] 1 ~ 2 2 ~ 3
    >>> [retrieve((*prompt, tokens.opens, *query, tokens.closes), 7) for query in ((2,), (2, 1), (2, 3))]
    [[1], [3], [9]]
    """

    tokens: WalkTokens

    def __call__(self, text: Sequence[int], prompt: int) -> list[int] | None:
        if text[-1] != self.tokens.closes:
            return None
        opened = len(text) - 2
        while opened >= prompt and text[opened] != self.tokens.opens:
            opened -= 1
        if opened < prompt:
            return None
        found = self.found(tuple(text[opened + 1 : -1]), text, prompt=prompt, opened=opened)
        return [self.tokens.failed if found is None else found]

    def found(self, query: tuple[int, ...], text: Sequence[int], *, prompt: int, opened: int) -> int | None:
        """Return what the query between the marks finds; None for FAILED."""
        if not 1 <= len(query) <= 2 or not self.are_vertices(query):
            return None
        return next_neighbour(neighbours(tuple(text[:prompt])), *query)

    def are_vertices(self, query: Sequence[int]) -> bool:
        """Return True if all of these tokens are vertices."""
        return all(1 <= token <= self.tokens.vertices for token in query)


@dataclass(frozen=True)
class LiveSearch(LiveWalk):
    """Answers Algorithm 2: [ v - ] by the parent of v's record, [ v ~ ] and [ v ~ y ] by neighbours.

    >>> tokens = RecordTokens(3)
    >>> retrieve = LiveSearch(tokens)
    >>> text = (0, 1, 4, 2, 2, 4, 3, 1, tokens.record, 2)  # [BOS] 1 ~ 2 2 ~ 3, and the record 1 - 2
    >>> [retrieve((*text, tokens.opens, 2, mark, tokens.closes), 7) for mark in (tokens.record, tokens.between)]
    [[1], [1]]
    """

    tokens: RecordTokens

    def found(self, query: tuple[int, ...], text: Sequence[int], *, prompt: int, opened: int) -> int | None:
        if not 2 <= len(query) <= 3 or not self.are_vertices((query[0], *query[2:])):
            return None
        if query[1:] == (self.tokens.record,):
            return self._parent(query[0], text, opened)
        if query[1] != self.tokens.between:
            return None
        return next_neighbour(neighbours(tuple(text[:prompt])), query[0], *query[2:])

    def _parent(self, vertex: int, text: Sequence[int], end: int) -> int | None:
        """Return u of the first record u - v before `end`, or None."""
        place = -1
        while True:
            try:
                place = text.index(self.tokens.record, place + 1, end - 1)
            except ValueError:
                return None
            if text[place + 1] == vertex and self.are_vertices((text[place - 1],)):
                return text[place - 1]


@lru_cache(maxsize=1024)
def neighbours(prompt: tuple[int, ...]) -> dict[int, list[int]]:
    """Return the neighbours of each vertex in the order of a prompt [BOS] u ~ v u ~ v ..

    >>> neighbours((0, 1, 4, 2, 2, 4, 3))
    {1: [2], 2: [1, 3], 3: [2]}
    """
    found: dict[int, list[int]] = {}
    for u, v in zip(prompt[1::3], prompt[3::3], strict=True):
        found.setdefault(u, []).append(v)
        found.setdefault(v, []).append(u)
    return found


def next_neighbour(graph: dict[int, list[int]], vertex: int, last: int | None = None) -> int | None:
    """Return the first neighbour, or the one after `last`; None without one, or if `last` is not a neighbour."""
    found = graph.get(vertex, [])
    if last is not None and last not in found:
        return None
    place = 0 if last is None else found.index(last) + 1
    return found[place] if place < len(found) else None
