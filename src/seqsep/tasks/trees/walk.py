"""The walk: a thought that decides IsTree with a retriever and no memory of where it has been, and why it decides.

At vertex v, coming from y, the walk asks for the neighbour of v after y, among v's neighbours in the order of the prompt, and
goes there. After the last one it *wraps*: it asks for the first neighbour of v and goes there. It starts by asking for the
first neighbour of the root, vertex 1, and ends where the root would wrap.

    [ 1 ] r     then again and again    [ v y ] r     or, at a wrap,    [ v y ] FAILED [ v ] r     at the end    [ 1 y ] FAILED

After it is YES if FAILED is there m + 1 times, for the m edges of the prompt, and NO if not.

It decides IsTree for every simple graph with n vertices and m = n - 1 edges:

* A step takes the directed edge (y, v) to (v, w), where w is the neighbour after y, or the first one if y is the last. Each
  directed edge (v, w) has one predecessor: y is the neighbour of v before w, or the last one if w is the first. So the steps
  are a permutation of the 2m directed edges.
* The walk's first edge is (1, first neighbour of 1), and its only predecessor is the root's wrap. So the walk goes once through
  the cycle of its first edge and ends just before it would close; if the root has no neighbour it asks once and ends.
* Each vertex with a neighbour wraps once in all cycles together: at the edge that comes from its last neighbour.
* If it wrapped n times, all n vertices are on the walk: the graph is connected, with n - 1 edges, a tree.
* In a tree the walk is the Euler tour: it wraps n times. From y it enters v's branch, and by induction over the branch's size
  it comes back along (v, y) after all of v's other neighbours, having wrapped at each vertex of the branch.

So there are at most n wraps, n exactly for a tree. The number of steps alone does not decide: of the 3,003 graphs of 6 vertices
and 5 edges, each once with its edges in rising order, 40 that are no trees have a walk of all ten directed edges. The first of
them is 12 13 14 23 24.

Tokens. At most 2m queries of five tokens, and at most n of four: the first one, and one a wrap but the last. That is
10 (n - 1) + 4 n = 14 n - 10 tokens, exactly this number for a tree, and then the answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seqsep.tasks.retriever import Query, Region, Retriever
from seqsep.tasks.trees.tokens import Tokens

ROOT = 1


@dataclass(frozen=True)
class WalkTokens(Tokens):
    """The tokens of the walk: those of `Tokens`, and after them [, ] and FAILED.

    >>> tokens = WalkTokens(6)
    >>> tokens.opens, tokens.closes, tokens.failed, tokens.count, tokens.shown(12)
    (10, 11, 12, 13, 'FAILED')
    """

    @property
    def opens(self) -> int:
        """The token [ that begins a query."""
        return self.vertices + 4

    @property
    def closes(self) -> int:
        """The token ] that ends a query."""
        return self.vertices + 5

    @property
    def failed(self) -> int:
        """The token FAILED, found where nothing is."""
        return self.vertices + 6

    @property
    def count(self) -> int:
        """The size of the vocabulary, n + 7."""
        return self.vertices + 7

    def shown(self, token: int) -> int | str:
        """Return a token as a reader sees it: a vertex is its number."""
        names: dict[int, str] = {self.opens: "[", self.closes: "]", self.failed: "FAILED"}
        return names.get(token) or super().shown(token)

    def retriever(self, region: Region) -> Retriever:
        """Return the retriever that finds the first neighbour after [ v ], and the next one after [ v y ]."""
        return Retriever(vocabulary=tuple(str(self.shown(token)) for token in range(self.count)), read=_query, region=region)


def _query(texts: Sequence[str]) -> Query:
    return Query("first-edge" if len(texts) == 1 else "next-edge", tuple(texts))


def walk(tokens: WalkTokens, vertices: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the walk's thought about a simple graph on the vertices 1 .. n' <= n, results and answer in it.

    >>> tokens = WalkTokens(3)
    >>> print(*(tokens.shown(token) for token in walk(tokens, 3, [(2, 1), (2, 3)])))
    [ 1 ] 2 [ 2 1 ] 3 [ 3 2 ] FAILED [ 3 ] 2 [ 2 3 ] FAILED [ 2 ] 1 [ 1 2 ] FAILED YES
    """
    neighbours: list[list[int]] = [[] for _ in range(vertices + 1)]
    count = 0
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
        count += 1
    written: list[int] = []
    place = ROOT
    came_from: int | None = None
    wraps = 0
    while True:
        behind = 0 if came_from is None else neighbours[place].index(came_from) + 1
        asked = [place] if came_from is None else [place, came_from]
        found = neighbours[place][behind] if behind < len(neighbours[place]) else tokens.failed
        written += [tokens.opens, *asked, tokens.closes, found]
        if found != tokens.failed:
            came_from = place
            place = found
            continue
        wraps += 1
        came_from = None
        if place == ROOT:
            return [*written, tokens.answers[wraps == count + 1]]
