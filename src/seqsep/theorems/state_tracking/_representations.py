"""The irreducible real representations of a finite group, computed from its table of products.

Let G act on R^G by left translations L_g. The matrices that commute with all L_g are the combinations of right
translations. Take a symmetric one with random coefficients, a_h = a_(h^-1). Its eigenspaces are invariant. For generic
coefficients each is irreducible, and every irreducible real representation occurs. This is not taken on trust:
`irreducible` tests it by characters.

*The test.* For a real representation with character c let n be the mean of c(g)^2 over G, and f the mean of c(g^2). If it
is irreducible, (n, f) is (1, 1), (2, 0) or (4, -2): real, complex or quaternionic type. Both numbers of a sum come from its
parts: with multiplicities m_j they are sum of m_j^2 n_j and sum of m_j f_j. So no sum of several parts has one of these
three pairs. Different irreducible ones have orthogonal characters, and the sum of d^2 / n over all of them is |G|, for
dimensions d. So if a list passes the test of pairs, has orthogonal characters and reaches this sum, then none is missing.

Rounding: everything is in float64. Ranks are whole numbers, and a computed one that is 1e-6 off raises an error.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.core.names import InternalError
from seqsep.maths.automata.groups import FiniteGroup

CLOSE = 1e-6
TYPES = ((1, 1), (2, 0), (4, -2))
"""The means (n, f) of an irreducible real representation."""


@dataclass(frozen=True)
class Representation:
    """Orthogonal matrices, one for each element of a group.

    Fields:
        group: the group.
        matrices: the matrix of each element.
    """

    group: FiniteGroup
    matrices: Float64[np.ndarray, "elements size size"]

    @property
    def size(self) -> int:
        """The dimension."""
        return self.matrices.shape[1]

    @cached_property
    def character(self) -> Float64[np.ndarray, "elements"]:
        """The traces."""
        return np.trace(self.matrices, axis1=1, axis2=2)

    @property
    def indicator(self) -> float:
        """The mean of the character at the squares."""
        return float(self.character[self.group.table.diagonal()].mean())

    @cached_property
    def ranks(self) -> Int64[np.ndarray, "elements"]:
        """Return rank(M(g) - I) for each g: the dimension, less the mean of the character over the powers of g.

        The mean over the powers of g projects onto the vectors that g fixes, so its trace is their dimension.
        """
        found = np.empty(self.group.size)
        for element, order in enumerate(self.group.orders.tolist()):
            power = self.group.neutral
            total = 0.0
            for _ in range(order):
                total += float(self.character[power])
                power = int(self.group.table[power, element])
            found[element] = self.size - total / order
        return _whole(found)

    @cached_property
    def kernel(self) -> frozenset[int]:
        """The elements whose matrix is I."""
        return frozenset(np.flatnonzero(self.ranks == 0).tolist())


def irreducible(group: FiniteGroup, seed: int = 0) -> list[Representation]:
    """Return the irreducible real representations, one of each, the trivial one first.

    >>> turns = FiniteGroup(np.add.outer(np.arange(5), np.arange(5)) % 5)
    >>> [representation.size for representation in irreducible(turns)]
    [1, 2, 2]
    """
    coefficients = np.random.default_rng(seed).normal(size=group.size)
    inverse = np.array(group.inverse)
    coefficients = coefficients + coefficients[inverse]
    values, vectors = np.linalg.eigh(coefficients[group.table[inverse]])
    borders = np.flatnonzero(np.diff(values) > CLOSE) + 1
    found: list[Representation] = []
    for columns in np.split(vectors, borders, axis=1):
        matrices = np.stack([columns.T @ columns[group.table[inverse[element]]] for element in range(group.size)])
        one = Representation(group, matrices)
        if all(abs(one.character - other.character).max() > CLOSE for other in found):
            found.append(one)
    _require_complete(group, found)
    return sorted(found, key=lambda one: (one.size, -float(one.character.sum())))


def _require_complete(group: FiniteGroup, found: list[Representation]) -> None:
    """Run the test at the head of the file."""
    characters = np.array([one.character for one in found])
    products = characters @ characters.T / group.size
    norms = products.diagonal()
    types = [(norm, one.indicator) for one, norm in zip(found, norms, strict=True)]
    known = all(min(max(abs(norm - n), abs(indicator - f)) for n, f in TYPES) < CLOSE for norm, indicator in types)
    total = sum(one.size**2 / norm for one, norm in zip(found, norms, strict=True))
    if not known or abs(products - np.diag(norms)).max() > CLOSE or abs(total - group.size) > CLOSE:
        raise InternalError(f"irreducible: {len(found)} representations of a group of {group.size} are not all of them")


def _whole(values: Float64[np.ndarray, "elements"]) -> Int64[np.ndarray, "elements"]:
    whole = np.rint(values)
    if abs(values - whole).max() > CLOSE:
        raise InternalError("rank: expected a whole number")
    return whole.astype(np.int64)
