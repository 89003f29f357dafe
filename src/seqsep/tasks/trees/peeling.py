"""The thought of leaf peeling: what is written, as tokens and for a reader, and why it decides IsTree.

The pointers 1', 2', .. n' are written in order. Whenever the vertex written last, by a pointer or by a climb, has exactly one
edge left, the next token is its other end: a climb, which takes that edge away. Else the next pointer follows. After the
last pointer, once no climb follows, is YES if there were n - 1 climbs, and NO if not.

It decides IsTree, for any list of n - 1 edges, loops and repeated edges included. Let the edges that are left be L.

* Only leaves' edges go. A climb takes the only edge of a vertex x, counted with repetitions, and a loop counts twice at its
  vertex. Such an edge is in no cycle. So if L begins with a cycle, the cycle stays: fewer than n - 1 climbs, so not a tree.
* Every leaf's edge goes. Let no vertex up to the last pointer v' be a leaf of L when the next pointer is written: this is kept.
  A climb x -> y lowers the degrees of x, to 0, and of y, which is looked at next; others stay. So vertices that have been
  passed become leaves only at the end of a climb, and are peeled at once. At the end no vertex is a leaf.
* A finite graph without leaves has a cycle or no edge. So if L begins without a cycle all n - 1 edges are climbed, and n - 1
  edges without a cycle on n vertices are a tree.

Each climb takes one of n - 1 edges: at most n + (n - 1) = 2n - 1 tokens, exactly that for a tree, and then the answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seqsep.tasks.trees.tokens import Tokens


@dataclass(frozen=True)
class Pointed(Tokens):
    """The tokens of a thought with pointers: those of `Tokens`, and after them the pointers 1' .. n'.

    >>> tokens = Pointed(6)
    >>> tokens.pointer(1), tokens.count, tokens.shown(12)
    (10, 16, "3'")
    """

    @property
    def count(self) -> int:
        """The size of the vocabulary, 2n + 4."""
        return 2 * self.vertices + 4

    def pointer(self, vertex: int) -> int:
        """Return the pointer v' to a vertex v."""
        return self.vertices + 3 + vertex

    def shown(self, token: int) -> int | str:
        """Return a token as a reader sees it: a vertex is its number, a pointer "v'"."""
        return f"{token - self.vertices - 3}'" if token > self.vertices + 3 else super().shown(token)


def peel(tokens: Pointed, vertices: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the thought about a graph on the vertices 1 .. n' <= n, with n' - 1 edges, and the answer after it.

    >>> tokens = Pointed(3)
    >>> [tokens.shown(token) for token in peel(tokens, 3, [(2, 1), (2, 3)])]
    ["1'", 2, 3, "2'", "3'", 'YES']
    >>> [tokens.shown(token) for token in peel(tokens, 3, [(1, 2), (2, 1)])]
    ["1'", "2'", "3'", 'NO']
    """
    left: list[list[int]] = [[] for _ in range(vertices + 1)]
    count = 0
    for u, v in edges:
        left[u].append(v)
        left[v].append(u)
        count += 1
    written = []
    climbs = 0
    for start in range(1, vertices + 1):
        written.append(tokens.pointer(start))
        at = start
        while len(left[at]) == 1:
            above = left[at].pop()
            left[above].remove(at)
            written.append(above)
            at = above
            climbs += 1
    return [*written, tokens.answers[climbs == count]]
