"""Finite groups by their multiplication tables: derived series, and a witness that a group is not solvable.

A group is solvable if commutators lead to its neutral element: G' is the subgroup that all a^-1 b^-1 a b generate, G'' is
(G')', and so on. The derived length is the number of these steps.

*A witness.* A group is not solvable if it has elements a, b, c of pairwise coprime orders with a b c = 1 and a != 1. *Proof.*
In the commutative group G/G' the orders of the images are pairwise coprime, and their product is 1. So the order of each
image divides the product of the other two orders, and is 1. So a, b, c are in G', and in the same way in G'', and so on. The
series does not reach {1}, as a is in all of these groups.

Each group that is not solvable has such elements: Thompson 1968, "Nonsolvable finite groups all of whose local subgroups are
solvable", corollary 3.
"""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int


class FiniteGroup:
    """A group by its products; elements are the numbers 0 to n - 1.

    >>> turns = FiniteGroup(np.add.outer(np.arange(3), np.arange(3)) % 3)
    >>> turns.neutral, turns.orders.tolist(), turns.derived_length()
    (0, [1, 3, 3], 1)
    """

    def __init__(self, table: Int[np.ndarray, "elements elements"]) -> None:
        self.table = table
        self.size = len(table)
        self.neutral = int(np.flatnonzero(table.diagonal() == np.arange(self.size))[0])
        self.inverse: list[int] = (table == self.neutral).argmax(axis=1).tolist()

    @cached_property
    def orders(self) -> Int[np.ndarray, "elements"]:
        """The least k >= 1 with a^k = 1 for each element a."""
        each = np.arange(self.size)
        orders = np.zeros(self.size, dtype=np.int64)
        power = each
        step = 1
        while not orders.all():
            orders[(power == self.neutral) & (orders == 0)] = step
            power = self.table[power, each]
            step += 1
        return orders

    def generated(self, elements: Iterable[int]) -> Bool[np.ndarray, "elements"]:
        """Return the members of the subgroup that some elements generate, as flags."""
        factors = np.array(sorted(set(elements) - {self.neutral}), dtype=np.int64)
        if len(factors) == 1:
            return self._powers(int(factors[0]))
        inside = np.zeros(self.size, dtype=bool)
        inside[self.neutral] = True
        latest = np.array([self.neutral])
        while len(latest):
            reached = np.zeros(self.size, dtype=bool)
            reached[self.table[np.ix_(latest, factors)].reshape(-1)] = True
            latest = np.flatnonzero(reached & ~inside)
            inside |= reached
        return inside

    def _powers(self, element: int) -> Bool[np.ndarray, "elements"]:
        inside = np.zeros(self.size, dtype=bool)
        times = self.table[:, element].tolist()
        power = self.neutral
        while not inside[power]:
            inside[power] = True
            power = times[power]
        return inside

    def generators(self, inside: Bool[np.ndarray, "elements"]) -> list[int]:
        """Return elements that generate a subgroup, at most log2 of its size."""
        found: list[int] = []
        while True:
            missing = np.flatnonzero(inside & ~self.generated(found))
            if not len(missing):
                return found
            found.append(int(missing[0]))

    def commutators(self, inside: Bool[np.ndarray, "elements"]) -> Bool[np.ndarray, "elements"]:
        """Return the members of the commutator subgroup of a subgroup, as flags.

        It is the least normal subgroup that has the commutators of generators.
        """
        generators = self.generators(inside)
        found = {self._product((self.inverse[a], self.inverse[b], a, b)) for a in generators for b in generators}
        while True:
            subgroup = self.generated(found)
            conjugates = {self._product((self.inverse[a], x, a)) for a in generators for x in found}
            missing = [x for x in conjugates if not subgroup[x]]
            if not missing:
                return subgroup
            found.add(min(missing))

    def _product(self, factors: Iterable[int]) -> int:
        product = self.neutral
        for factor in factors:
            product = int(self.table[product, factor])
        return product

    @cached_property
    def core(self) -> tuple[int, Bool[np.ndarray, "elements"]]:
        """The number of steps of the derived series, and its last subgroup; this is {1} for solvable groups only."""
        inside = np.ones(self.size, dtype=bool)
        steps = 0
        while True:
            smaller = self.commutators(inside)
            if smaller.sum() == inside.sum():
                return steps, inside
            inside = smaller
            steps += 1

    def derived_length(self) -> int | None:
        """Return the number of steps in which commutators lead to the neutral element; None if they never do."""
        steps, last = self.core
        return steps if last.sum() == 1 else None

    def coprime_triple(self) -> tuple[int, int, int] | None:
        """Return a, b, c of pairwise coprime orders with a b c = 1 and a != 1; None for a solvable group."""
        members = np.flatnonzero(self.core[1])
        if len(members) == 1:
            return None
        orders = self.orders
        for a in members[members != self.neutral].tolist():
            c = np.array(self.inverse)[self.table[a, members]]
            of_b = orders[members]
            of_c = orders[c]
            fits = (np.gcd(orders[a], of_b) == 1) & (np.gcd(orders[a], of_c) == 1) & (np.gcd(of_b, of_c) == 1)
            if fits.any():
                place = int(np.flatnonzero(fits)[0])
                return a, int(members[place]), int(c[place])
        return None
