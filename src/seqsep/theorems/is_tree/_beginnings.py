"""Beginnings of an input of IsTree: their classes, a number for each, and how they are written as tokens.

A beginning has K edges, and sometimes the first end of one more. Its class is all that matters of it. The class says that the
beginning has a cycle, or it has the components of its edges and the component (block) of that first end.
"""

from dataclasses import dataclass

from seqsep.core.names import required
from seqsep.tasks.trees.partitions import stirling
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems.is_tree._partitions import Edge, Partition, components, numbered, partition_of, spanning_stars

TRIANGLE = ((1, 2), (1, 3), (2, 3))
Case = tuple[Partition, int]


@dataclass(frozen=True)
class Continuation:
    """The rest of an input: the second end of a half-read edge (or None), then edges."""

    second_end: int | None
    edges: tuple[Edge, ...]

    def tokens(self, vertices: int) -> tuple[int, ...]:
        """The tokens that follow the beginning.

        >>> Continuation(2, ((1, 3),)).tokens(vertices=3)
        (2, 1, 4, 3)
        """
        second_end = () if self.second_end is None else (self.second_end,)
        return second_end + _written(self.edges, vertices)


@dataclass(frozen=True)
class Beginning:
    """The first edges of an input, and the first end of the next edge if it is half read.

    >>> Beginning(vertices=3, edges=((1, 2),), half_read=3).followed_by(Continuation(1, ()))
    ((1, 2), (3, 1))
    """

    vertices: int
    edges: tuple[Edge, ...]
    half_read: int | None = None

    @property
    def partition(self) -> Partition | None:
        """The components of the edges; None if they close a cycle."""
        return components(self.vertices, self.edges)

    @property
    def case(self) -> Case | None:
        """The class: the components, and the block of the first end (0 between two edges); None if there is a cycle."""
        partition = self.partition
        if partition is None:
            return None
        return partition, 0 if self.half_read is None else partition[self.half_read - 1]

    @property
    def place(self) -> "InputPlace":
        """The number of edges that are read, and whether an edge is half read."""
        return InputPlace(self.vertices, len(self.edges), self.half_read is not None)

    def tokens(self) -> tuple[int, ...]:
        """[BOS] and the edges, u ~ v each, and u ~ of a half-read one.

        >>> Beginning(3, ((1, 2),), half_read=3).tokens()
        (0, 1, 4, 2, 3, 4)
        """
        half = () if self.half_read is None else (self.half_read, Tokens(self.vertices).between)
        return (Tokens(self.vertices).begin, *_written(self.edges, self.vertices), *half)

    def followed_by(self, continuation: Continuation) -> tuple[Edge, ...]:
        """All edges of the input that this beginning and the continuation make."""
        if self.half_read is None:
            return (*self.edges, *continuation.edges)
        second_end = required(continuation.second_end, "the second end of the edge that is half read")
        return (*self.edges, (self.half_read, second_end), *continuation.edges)


def _written(edges: tuple[Edge, ...], vertices: int) -> tuple[int, ...]:
    between = Tokens(vertices).between
    return tuple(token for u, v in edges for token in (u, between, v))


@dataclass(frozen=True)
class InputPlace:
    """A place in an input: a number of complete edges, and sometimes the first end of the next.

    Classes are numbered from 0: that of a cycle first, if there can be one, then by partition and block.
    """

    vertices: int
    edges: int
    half_read: bool

    @property
    def blocks(self) -> int:
        """The number of components of the edges if they have no cycle."""
        return self.vertices - self.edges

    @property
    def marks(self) -> int:
        """The number of blocks in which the first end can be; 1 between two edges."""
        return self.blocks if self.half_read else 1

    @property
    def cycles(self) -> int:
        """1 if a beginning can have a cycle, else 0; loops count as cycles."""
        return min(self.edges, 1)

    @property
    def classes(self) -> int:
        """b S(n, b) + 1 inside an edge and S(n, b) + 1 between two, with b blocks; before the first edge one less.

        >>> [InputPlace(4, edges, half_read).classes for edges in range(3) for half_read in (False, True)]
        [1, 4, 7, 19, 8, 15]
        """
        return self.marks * stirling(self.vertices)[self.blocks] + self.cycles

    def number(self, case: Case | None) -> int:
        """The number of a class."""
        if case is None:
            return 0
        partition, block = case
        return numbered(partition) * self.marks + block + self.cycles

    def case(self, number: int) -> Case | None:
        """The class of a number."""
        if number < self.cycles:
            return None
        rank, block = divmod(number - self.cycles, self.marks)
        return partition_of(rank, self.vertices, self.blocks), block

    def beginning(self, number: int) -> Beginning:
        """One beginning of a class, its edges u < v and each once; a cycle is a triangle, below three edges loops.

        >>> InputPlace(4, edges=1, half_read=True).beginning(7)
        Beginning(vertices=4, edges=((2, 3),), half_read=1)
        >>> InputPlace(6, edges=4, half_read=False).beginning(0)
        Beginning(vertices=6, edges=((1, 2), (1, 3), (2, 3), (1, 4)), half_read=None)
        """
        case = self.case(number)
        if case is None:
            star = tuple((1, vertex) for vertex in range(4, self.edges + 1))
            cycle = TRIANGLE + star if self.edges >= 3 else ((1, 1),) * self.edges
            return Beginning(self.vertices, cycle, 1 if self.half_read else None)
        partition, block = case
        first_end = partition.index(block) + 1 if self.half_read else None
        return Beginning(self.vertices, tuple(spanning_stars(partition)), first_end)
