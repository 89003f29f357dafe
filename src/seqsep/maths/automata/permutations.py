"""Finite groups of permutations by name, their elements in order, and the products of exactly K letters.

A permutation of m points is a tuple: its entry i is the image of point i. `after(g, f)` is f and then g. The product of the
letters g_1 .. g_K is g_K after .. after g_1, so the image of one point follows the letters one by one.

    group         degree m               order    points      generators
    cyclic        Z_m, m from 2          m        m           the neutral element, i -> i + 1
    dihedral      D_m, m from 3          2 m      m           i -> i + 1, i -> -i
    symmetric     S_m, m from 3          m!       m           i -> i + 1, the swap of 0 and 1
    alternating   A_m, m from 4          m! / 2   m           the cycles (0 1 i)
    dicyclic      Dic_m, m from 2        4 m      4 m         the two of its presentation; Dic_2 is Q_8

Z_m has the neutral element among its generators, since words over one letter differ in their lengths only. S_2 and A_3 are
Z_2 and Z_3.

*Products of exactly K letters.* Let A be the letters and A^K the products of exactly K of them. |A^K| does not fall with K,
since A^(K + 1) contains g A^K. If |A^(K + 1)| = |A^K|, then it stays the same for ever. *Proof.* A^(K + 1) contains g A^K and
A^K g for each letter g, and has their size, so it equals each of them. Then A^(K + 2) = A A^K g = g' A^K g for any letters g
and g', which has the same size again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import factorial

import numpy as np
from jaxtyping import Int64

Permutation = tuple[int, ...]
GROUPS = ("cyclic", "dihedral", "symmetric", "alternating", "dicyclic")
SYMBOLS = {"cyclic": "Z", "dihedral": "D", "symmetric": "S", "alternating": "A", "dicyclic": "Dic"}
LEAST_DEGREE = {"cyclic": 2, "dihedral": 3, "symmetric": 3, "alternating": 4, "dicyclic": 2}
MOST_ELEMENTS = 720


def after(outer: Permutation, inner: Permutation) -> Permutation:
    """Return the permutation that is `inner` and then `outer`.

    >>> after((1, 2, 0), (1, 0, 2))
    (2, 1, 0)
    """
    return tuple(outer[image] for image in inner)


@dataclass(frozen=True)
class PermutationGroup:
    """All elements of a group of permutations, in lexicographic order: the neutral element is the first.

    >>> group = PermutationGroup.generated([(1, 2, 0)])
    >>> group.elements, group.products[1].tolist()
    (((0, 1, 2), (1, 2, 0), (2, 0, 1)), [1, 2, 0])
    """

    elements: tuple[Permutation, ...]

    @classmethod
    def generated(cls, generators: Iterable[Permutation], most: int = MOST_ELEMENTS) -> "PermutationGroup":
        """Return the group that some permutations generate. Raises ValueError if it has more than `most` elements."""
        letters = list(generators)
        neutral = tuple(range(len(letters[0])))
        known = {neutral}
        latest = [neutral]
        while latest:
            latest = sorted({after(letter, element) for letter in letters for element in latest} - known)
            known.update(latest)
            if len(known) > most:
                raise ValueError(f"PermutationGroup.generated({letters}): expected at most {most} elements")
        return cls(tuple(sorted(known)))

    @property
    def points(self) -> int:
        """The points that are permuted."""
        return len(self.elements[0])

    @cached_property
    def images(self) -> Int64[np.ndarray, "elements points"]:
        """The image of each point under each element."""
        return np.array(self.elements, dtype=np.int64)

    @cached_property
    def products(self) -> Int64[np.ndarray, "elements elements"]:
        """The index of `outer` after `inner`, in row `outer` and column `inner`."""
        base = self._base
        scale = self.points ** np.arange(base - 1, -1, -1, dtype=np.int64)
        codes = self.images[:, :base] @ scale  # in the order of the elements, which is lexicographic
        return np.searchsorted(codes, self.images[:, self.images[:, :base]] @ scale)

    @property
    def _base(self) -> int:
        """The fewest first points whose images distinguish all elements.

        >>> named_group("cyclic", 7)._base, named_group("symmetric", 4)._base
        (1, 3)
        """
        each = range(1, self.points + 1)
        return next(first for first in each if len({element[:first] for element in self.elements}) == len(self.elements))

    def index(self, element: Permutation) -> int:
        """Return the place of an element in the order. Raises ValueError for a permutation outside the group."""
        return self.elements.index(element)


def order_of(name: str, degree: int) -> int:
    """Return the number of elements of a named group, without its elements.

    >>> order_of("alternating", 5), order_of("dicyclic", 2)
    (60, 8)
    """
    orders = {
        "cyclic": lambda: degree,
        "dihedral": lambda: 2 * degree,
        "symmetric": lambda: factorial(degree),
        "alternating": lambda: factorial(degree) // 2,
        "dicyclic": lambda: 4 * degree,
    }
    return orders[name]()


def points_of(name: str, degree: int) -> int:
    """Return the number of points that a named group permutes."""
    return 4 * degree if name == "dicyclic" else degree


def generators_of(name: str, degree: int) -> tuple[Permutation, ...]:
    """Return the generators of a named group, as the table above has them.

    >>> generators_of("symmetric", 3)
    ((1, 2, 0), (1, 0, 2))
    """
    each = range(degree)
    neutral = tuple(each)
    turn = tuple((point + 1) % degree for point in each)
    if name == "cyclic":
        return neutral, turn
    if name == "dihedral":
        return turn, tuple(-point % degree for point in each)
    if name == "symmetric":
        return turn, swapped(degree, 0, 1)
    if name == "alternating":
        return tuple(after(swapped(degree, 0, point), swapped(degree, 0, 1)) for point in each[2:])
    # a^i is the point i and a^i x the point 2 m + i, with a^(2 m) = 1, x x = a^m, a x = x a^-1; letters multiply from the left.
    double = 2 * degree
    of_a = tuple((point + 1) % double + double * half for half in range(2) for point in range(double))
    of_x = (*(double + -point % double for point in range(double)), *((degree - point) % double for point in range(double)))
    return of_a, of_x


def swapped(points: int, one: int, other: int) -> Permutation:
    """Return the swap of two points.

    >>> swapped(4, 1, 3)
    (0, 3, 2, 1)
    """
    images = list(range(points))
    images[one], images[other] = other, one
    return tuple(images)


@cache
def named_group(name: str, degree: int) -> PermutationGroup:
    """Return a group of the table above, of at most 720 elements.

    >>> len(named_group("symmetric", 5).elements)
    120
    """
    return PermutationGroup.generated(generators_of(name, degree))


def points_reached(letters: Sequence[Permutation], start: int, count: int) -> int:
    """Return the number of images of one point under the products of exactly `count` letters.

    >>> points_reached([(1, 0, 2), (0, 2, 1)], start=0, count=3)
    3
    """
    images = np.array(letters, dtype=np.int64)
    reached = np.array([start])
    first: dict[bytes, int] = {}
    sizes: list[int] = []
    for step in range(count + 1):
        since = first.setdefault(reached.tobytes(), step)
        if since < step:  # the sets repeat from here on
            return sizes[since + (count - since) % (step - since)]
        sizes.append(len(reached))
        reached = np.unique(images[:, reached])
    return sizes[count]


def products_reached(group: PermutationGroup, letters: Sequence[Permutation], count: int) -> int:
    """Return |A^K|, the number of products of exactly K letters, K = `count`.

    >>> from itertools import combinations
    >>> swaps = [swapped(5, *pair) for pair in combinations(range(5), 2)]
    >>> [products_reached(named_group("symmetric", 5), swaps, count) for count in range(5)]
    [1, 10, 36, 60, 60]
    """
    rows = group.products[[group.index(letter) for letter in letters]]
    reached = np.array([0])
    for _ in range(count):
        more = np.unique(rows[:, reached])
        if len(more) == len(reached):
            break
        reached = more
    return len(reached)
