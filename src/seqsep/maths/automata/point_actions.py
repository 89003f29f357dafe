"""The fewest points that a finite group permutes faithfully, by its subgroups of small index.

A subgroup H of index k gives an action on k points: g sends the coset H u to H u g. Every action on m points is a union of
such actions, and their indices sum to m. The kernel of the union is the intersection of the cores: the core of H is the
greatest normal subgroup in H. The action is faithful if the kernel has one element only. A larger kernel has an element of
prime order, and all its conjugates. So one element of each class of prime order is enough to test. A union with a part of
index k has at least k points, so the search stops when the best union has no more points than the next index.

*Search for the subgroups* (`_Subgroups`). A node has a subgroup H and elements r_0 = 1, r_1, .. whose cosets are to stay
different. Let g be the first element outside of all H r_i. In a larger subgroup that keeps the r_i apart, g is in the coset of
some r_i, so g r_i^-1 is in it; or g is the next r. At most `most` cosets are allowed. Every subgroup of index up to `most` is
found once. Source: Sims' search for subgroups of small index, with products of the group in place of relators.

*Groups that need more points* are often seen at once. The order of a group that permutes m points divides m!. A commutative
group needs the sum of the orders of its cyclic factors, if these orders are powers of primes, and every subgroup needs at
most as many points as the group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, log

import numpy as np
from jaxtyping import Bool, Int

from seqsep.maths.automata.groups import FiniteGroup
from seqsep.maths.automata.permutations import Permutation

FIRST_INDEX = 5
"""The subgroups of index up to this are searched first: often no others are needed."""


@dataclass(frozen=True)
class CosetAction:
    """The action of a group on the cosets of a subgroup.

    Fields:
        table: the products of the group.
        cosets: the number of each element's coset H u; 0 is H.
        chosen: an element of each coset.
    """

    table: Int[np.ndarray, "elements elements"]
    cosets: Int[np.ndarray, "elements"]
    chosen: tuple[int, ...]

    def images(self, element: int) -> Permutation:
        """Return the image of each coset under an element."""
        return tuple(self.cosets[self.table[list(self.chosen), element]].tolist())

    def fixed(self, elements: Int[np.ndarray, "given"]) -> frozenset[int]:
        """Return those of some elements that are in the core: they fix each coset."""
        images = self.cosets[self.table[np.array(self.chosen)[:, None], elements]]
        inside = (images == np.arange(len(self.chosen))[:, None]).all(axis=0)
        return frozenset(elements[inside].tolist())


@dataclass(frozen=True)
class PointAction:
    """An action of a group on points, as a union of actions on cosets.

    >>> six = FiniteGroup(np.add.outer(np.arange(6), np.arange(6)) % 6)
    >>> action = fewest_points(six, 9)
    >>> action.points, action.images(1), action.swaps([1])
    (5, (1, 2, 0, 4, 3), 3)
    """

    parts: tuple[CosetAction, ...]

    @property
    def points(self) -> int:
        """The number of points."""
        return sum(len(part.chosen) for part in self.parts)

    def images(self, element: int) -> Permutation:
        """Return the image of each point under an element."""
        found: list[int] = []
        for part in self.parts:
            found += [len(found) + image for image in part.images(element)]
        return tuple(found)

    def swaps(self, elements: Sequence[int]) -> int:
        """Return the fewest transpositions whose products give each of some elements: m points less the cycles."""
        return max(self.points - _cycles(self.images(element)) for element in elements)


def fewest_points(group: FiniteGroup, most: int) -> PointAction | None:
    """Return a faithful action of a group on the fewest points; None if it needs more than `most`.

    >>> four = FiniteGroup(np.arange(4) ^ np.arange(4)[:, None])
    >>> fewest_points(four, 9).points, fewest_points(four, 3)
    (4, None)
    """
    if factorial(most) % group.size:
        return None
    least = max(_commutative_bound(group, 1), _commutative_bound(group, -1))
    if least > most:
        return None
    for index in (min(FIRST_INDEX, most), most):
        found = _best_union(group, index, most)
        if found is not None and found.points <= max(least, index + 1):
            return found
    return None


def _best_union(group: FiniteGroup, index: int, most: int) -> PointAction | None:
    """Return a faithful union of actions with the fewest points, at most `most`, by subgroups of index up to `index`."""
    witnesses = _of_prime_order(group)
    best: dict[frozenset[int], CosetAction] = {}
    for action in sorted(_Subgroups(group, index).all(), key=lambda one: len(one.chosen)):
        best.setdefault(action.fixed(witnesses), action)
    if frozenset.intersection(*best):
        return None
    unions: list[dict[frozenset[int], tuple[CosetAction, ...]]] = [{frozenset(witnesses.tolist()): ()}]
    for points in range(most + 1):
        if frozenset() in unions[points]:
            return PointAction(unions[points][frozenset()])
        unions.append({})
        for inside, action in best.items():
            if 1 < len(action.chosen) <= points + 1:
                for before, parts in unions[points + 1 - len(action.chosen)].items():
                    unions[-1].setdefault(before & inside, (*parts, action))
    return None


def _cycles(permutation: Permutation) -> int:
    found = 0
    left = set(range(len(permutation)))
    while left:
        found += 1
        point = left.pop()
        while (point := permutation[point]) in left:
            left.remove(point)
    return found


def _commutative_bound(group: FiniteGroup, sign: int) -> int:
    """Return the fewest points for a commutative subgroup, joined from elements of least order, or of greatest (-1)."""
    orders = group.orders
    inside = np.zeros(group.size, dtype=bool)
    inside[group.neutral] = True
    allowed = np.ones(group.size, dtype=bool)
    factors: list[int] = []
    while (allowed & ~inside).any():
        left = np.flatnonzero(allowed & ~inside)
        factors.append(int(left[(sign * orders[left]).argmin()]))
        inside = group.generated(factors)
        allowed &= group.table[factors[-1]] == group.table[:, factors[-1]]
    return _points_of_factors(orders[inside])


def _points_of_factors(orders: Int[np.ndarray, "members"]) -> int:
    """Return the sum of the orders of the cyclic factors of a commutative group, from the orders of its elements.

    The elements with a^(p^e) = 1 are p^s, and s grows with e by the number of factors of order p^e or more.
    """
    points = 0
    for prime in _primes(len(orders)):
        power = 1
        fewer = 1
        while (more := int((power * prime % orders == 0).sum())) > fewer:
            factors = round(log(more / fewer, prime))
            points += factors * (power * prime - (power if power > 1 else 0))
            power *= prime
            fewer = more
    return points


def _primes(number: int) -> list[int]:
    return [p for p in range(2, number + 1) if number % p == 0 and all(p % q for q in range(2, p))]


def _of_prime_order(group: FiniteGroup) -> Int[np.ndarray, "found"]:
    """Return an element of prime order of each conjugacy class that has one."""
    left = np.isin(group.orders, _primes(group.size))
    inverse = np.array(group.inverse)
    found: list[int] = []
    while left.any():
        found.append(int(left.argmax()))
        left[group.table[inverse, group.table[found[-1]]]] = False
    return np.array(found, dtype=np.int64)


class _Subgroups:
    """The subgroups of index up to `most`, as actions on cosets."""

    def __init__(self, group: FiniteGroup, most: int) -> None:
        self.group = group
        self.most = most
        self.columns = group.table.T  # rows in memory, for tables whose columns are
        self.inverse = np.array(group.inverse)

    def all(self) -> Iterator[CosetAction]:
        """Yield each subgroup once, conjugate ones too."""
        neutral = np.array([self.group.neutral])
        yield from self._larger((), neutral, (self.group.neutral,), np.zeros(self.group.size, dtype=bool))

    def _larger(
        self,
        factors: tuple[int, ...],
        members: Int[np.ndarray, "members"],
        chosen: tuple[int, ...],
        forbidden: Bool[np.ndarray, "elements"],
    ) -> Iterator[CosetAction]:
        """Yield the subgroups that have some members, none that is forbidden, and keep the cosets of `chosen` apart."""
        cosets = np.full(self.group.size, -1)
        for number, element in enumerate(chosen):
            cosets[self.columns[element][members]] = number
        if cosets.min() >= 0:
            yield CosetAction(self.group.table, cosets, chosen)
            return
        new = int(cosets.argmin())
        joins = self.columns[self.inverse[list(chosen)], new]
        for factor in joins.tolist():
            more = None if forbidden[factor] else self._generated((*factors, factor), forbidden)
            if more is not None:
                yield from self._larger((*factors, factor), more, chosen, forbidden)
        if (len(chosen) + 1) * len(members) <= self.group.size and len(chosen) < self.most:
            apart = forbidden.copy()
            apart[joins] = True
            yield from self._larger(factors, members, (*chosen, new), apart)

    def _generated(
        self, factors: tuple[int, ...], forbidden: Bool[np.ndarray, "elements"]
    ) -> Int[np.ndarray, "members"] | None:
        """Return the members of the subgroup that some elements generate; None if one of them is forbidden."""
        columns = [self.columns[factor] for factor in factors]
        inside = np.zeros(self.group.size, dtype=bool)
        inside[self.group.neutral] = True
        latest = np.array([self.group.neutral])
        while len(latest):
            reached = np.zeros(self.group.size, dtype=bool)
            for column in columns:
                reached[column[latest]] = True
            reached &= ~inside
            if (reached & forbidden).any():
                return None
            latest = reached.nonzero()[0]
            inside |= reached
        return inside.nonzero()[0]
