"""The thought of one layer: a copy of every edge as one token, then leaves are peeled, each climb one token.

After the prompt, the edges are written once more, in its order, as tokens uv. Then the pointers 1' .. n' are written, and
after each pointer the climbs x->y of `tasks.trees.peeling`. The proof there holds for this thought unchanged. A tree takes (n
- 1) + n + (n - 1) = 3n - 2 tokens, and the answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from seqsep.tasks.trees.peeling import Pointed, peel


@dataclass(frozen=True)
class Paired(Pointed):
    """The tokens of a thought with pairs: those of `Pointed`, then the edges uv, then the climbs x->y, over all u != v.

    >>> tokens = Paired(3)
    >>> tokens.edge(1, 2), tokens.climb(1, 2), tokens.count
    (10, 16, 22)
    >>> tokens.shown(11), tokens.shown(18)
    ('1 ~ 3', '2 -> 1')
    """

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The ordered pairs of different vertices, in the order of their tokens."""
        return list(permutations(range(1, self.vertices + 1), 2))

    @property
    def count(self) -> int:
        """The size of the vocabulary, 2 n (n - 1) + 2n + 4."""
        return 2 * self.vertices * (self.vertices - 1) + super().count

    def edge(self, u: int, v: int) -> int:
        """The token of the edge u ~ v."""
        return super().count + (u - 1) * (self.vertices - 1) + v - 1 - (v > u)

    def climb(self, x: int, y: int) -> int:
        """The token of a climb from x to y."""
        return self.edge(x, y) + self.vertices * (self.vertices - 1)

    def most_written(self, vertices: int) -> int:
        """The most tokens of a thought with its answer, 3n - 1."""
        return 3 * vertices - 1

    def shown(self, token: int) -> int | str:
        """A token as a reader sees it: "u ~ v", "x -> y", and as in `Pointed`."""
        if token < super().count:
            return super().shown(token)
        kind, number = divmod(token - super().count, self.vertices * (self.vertices - 1))
        u, v = self.pairs[number]
        return f"{u} -> {v}" if kind else f"{u} ~ {v}"


def copy_and_peel(tokens: Paired, vertices: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """The thought about a simple graph on all n vertices, and the answer after it.

    >>> tokens = Paired(3)
    >>> [tokens.shown(token) for token in copy_and_peel(tokens, 3, [(2, 1), (2, 3)])]
    ['2 ~ 1', '2 ~ 3', "1'", '1 -> 2', '2 -> 3', "2'", "3'", 'YES']
    """
    listed = [(u, v) for u, v in edges]
    written = [tokens.edge(u, v) for u, v in listed]
    at = 0
    *peeled, answer = peel(tokens, vertices, listed)
    for token in peeled:
        is_climb = token <= vertices
        written.append(tokens.climb(at, token) if is_climb else token)
        at = token if is_climb else token - tokens.pointer(0)
    return [*written, answer]
