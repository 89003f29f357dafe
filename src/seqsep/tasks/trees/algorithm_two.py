"""Algorithm 2, the printed thought with a retriever: a depth-first search that looks up the parents that it has written down.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Algorithm 2, in the shortened format of the experiments. With v on top of the
stack, v' the vertex visited before (none at first):

    v [ v - ] f                  the parent of v, by the record f - v; FAILED for the root
    [ v ~ ] x                    on a first visit (v' = f): the first edge with v leads to x
    [ v ~ v' ] x                 on a return: the first edge with v after the edge with v'
    [ v ~ x ] x'                 only if x = f: the one after that to the parent; x := x'
    [ x - ] FAILED v - x         if a vertex x is found that has no parent: its record; x is on top
    [ x - ] f' NO                if it has one, or is the root: a cycle
                                 if no x is found, v is done; the search ends with the root, and says YES if n are done

The root has no record, so whether x is the root has to be asked for itself. A tree of n vertices takes 2n - 1 steps of 6 tokens
for the parent, n first visits of 5, n - 1 returns of 6, n - 1 more questions of 6 after the parent and n - 1 records of 8:
37 n - 26 tokens. A search that meets a cycle ends there.

What edge queries search matters. The text of an earlier query, v ~ v', reads as an edge: where everything is searched, as
RETRIEVE is printed, the search goes wrong; where the prompt is, it is right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from seqsep.tasks.retriever import Query, Region
from seqsep.tasks.trees.walk import WalkTokens

FAILED = "FAILED"
ROOT = "1"


@dataclass(frozen=True)
class RecordTokens(WalkTokens):
    """The tokens of Algorithm 2: those of the walk, and after them the mark - of a record.

    >>> tokens = RecordTokens(6)
    >>> tokens.record, tokens.count, tokens.shown(13)
    (13, 14, '-')
    """

    @property
    def record(self) -> int:
        """The token - between a parent and its child."""
        return self.vertices + 7

    @property
    def count(self) -> int:
        """The size of the vocabulary, n + 8."""
        return self.vertices + 8

    def shown(self, token: int) -> int | str:
        """Return a token as a reader sees it: a vertex is its number."""
        return "-" if token == self.record else super().shown(token)


def algorithm_two(vertices: int, edges: Iterable[Sequence[int]], region: Region) -> tuple[list[str], bool | None]:
    """Return the chain of thought without the answer, and True if it says that the graph is a tree. Edge queries search
    `region`.

    None instead of an answer: the search, misled by what it found, has not ended after 37 n tokens.

    >>> thought, is_tree = algorithm_two(6, [(2, 6), (1, 5), (3, 5), (4, 6), (2, 3)], "prompt")
    >>> len(thought) == 37 * 6 - 26, is_tree
    (True, True)
    """
    search = _Search(edges, region)
    stack = [ROOT]
    done = 0
    visited = FAILED
    while stack and len(search.text) - search.prompt < 37 * vertices:
        top = stack[-1]
        search.text.append(top)
        parent = search.ask(Query("parent", (top,)), [top, "-"])
        first_visit = visited == parent
        found = search.next_edge(top) if first_visit else search.next_edge(top, visited)
        if found == parent and found != FAILED:
            found = search.next_edge(top, found)
        if found == FAILED:
            visited = stack.pop()
            done += 1
            continue
        known = search.ask(Query("parent", (found,)), [found, "-"])
        if known != FAILED or found == ROOT:
            return search.text[search.prompt :], False
        search.text += [top, "-", found]
        stack.append(found)
        visited = top
    return search.text[search.prompt :], None if stack else done == vertices


class _Search:
    """The text so far, and what it is asked."""

    def __init__(self, edges: Iterable[Sequence[int]], region: Region) -> None:
        self.text = ["<s>", *chain.from_iterable((str(u), "~", str(v)) for u, v in edges)]
        self.prompt = len(self.text)
        self.region = region

    def ask(self, query: Query, written: list[str]) -> str:
        """Return what a query finds, which is written down as `written`: records everywhere, edges in the region."""
        in_prompt = self.region == "prompt" and query.name != "parent"
        found = query.find(self.text[: self.prompt] if in_prompt else self.text) or FAILED
        self.text += ["[", *written, "]", found]
        return found

    def next_edge(self, *arguments: str) -> str:
        """Return the first neighbour of a vertex, or the next one after a given neighbour."""
        name = "first-edge" if len(arguments) == 1 else "next-edge"
        return self.ask(Query(name, arguments), [arguments[0], "~", *arguments[1:]])
