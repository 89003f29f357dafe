"""Words over a named group: the options that choose it, words as users write them, and the products that answers must
equal.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import OneOf, Range
from seqsep.maths.automata.groups import FiniteGroup
from seqsep.maths.automata.permutations import (
    GROUPS,
    LEAST_DEGREE,
    SYMBOLS,
    Permutation,
    PermutationGroup,
    named_group,
    order_of,
)
from seqsep.theorems.base import Claim, field_of

Letter = TypeVar("Letter")
MOST_ELEMENTS = 120
GroupName = Annotated[str, OneOf(*GROUPS), "The family of groups."]
Degree = Annotated[int, Range(2, 60), "m, as in Z_m, D_m, S_m, A_m and Dic_m; Dic_2 is Q_8."]
Product = Int64[np.ndarray, "time"]


def group_of(group: str, degree: int) -> PermutationGroup:
    """Return a named group of at most 120 elements. Raises ValueError for a larger one, or a degree that is too small.

    >>> len(group_of("dicyclic", 2).elements)
    8
    """
    least = LEAST_DEGREE[group]
    if degree < least or degree > MOST_ELEMENTS or order_of(group, degree) > MOST_ELEMENTS:
        raise ValueError(
            f"group={group!r}, degree={degree}: expected a degree of at least {least} and at most {MOST_ELEMENTS} elements"
        )
    return named_group(group, degree)


def label(group: str, degree: int) -> str:
    """Return the symbol of a named group.

    >>> label("symmetric", 5)
    'S_5'
    """
    return f"{SYMBOLS[group]}_{degree}"


def table_of(group: PermutationGroup) -> FiniteGroup:
    """Return the group by its table; the product of row a and column b is b first and then a."""
    return FiniteGroup(group.products)


def products_of(group: PermutationGroup, letters: Sequence[int]) -> Product:
    """Return the product after each letter; a new letter acts last.

    >>> products_of(group_of("cyclic", 3), [1, 1, 1]).tolist()
    [1, 2, 0]
    """
    table = group.products
    found = np.empty(len(letters), dtype=np.int64)
    product = 0
    for place, letter in enumerate(letters):
        product = int(table[letter, product])
        found[place] = product
    return found


def require_products(claim: Claim, group: PermutationGroup, letters: Sequence[int], found: Sequence[int]) -> None:
    """Require the right product after every letter. Raises TheoremFails with the shortest prefix that is answered wrongly."""
    expected = products_of(group, letters)
    wrong = np.flatnonzero(expected != np.asarray(found))
    if len(wrong):
        place = int(wrong[0])
        shown = [group.elements[letter] for letter in letters[max(0, place - 9) : place + 1]]
        answers = {"expected": group.elements[expected[place]], "found": group.elements[found[place]]}
        raise claim.fails({"letters": place + 1, "the last of them": shown, **answers})


def letters_in(given: Mapping[str, Any], group: PermutationGroup, most: int) -> list[int]:
    """Return the letters of a user's input {"letters": [[1, 0, 2], ..]}. Raises ValueError for anything else.

    >>> letters_in({"letters": [[1, 2, 0]]}, group_of("cyclic", 3), most=4)
    [1]
    """
    known = {element: index for index, element in enumerate(group.elements)}
    return permutations_in(given, known, "elements of the group", most)


def permutations_in(given: Mapping[str, Any], known: Mapping[Permutation, Letter], kind: str, most: int) -> list[Letter]:
    """Return what is known of each letter of a user's input {"letters": [[1, 0, 2], ..]}. Raises ValueError for anything else.

    >>> permutations_in({"letters": [[1, 0]]}, {(1, 0): "swap"}, "transpositions", most=4)
    ['swap']
    """
    written = field_of(given, "letters")
    if not isinstance(written, list) or not 1 <= len(written) <= most:
        raise ValueError(f"letters: expected a list of 1 to {most} {kind}, found {str(written)[:80]}")
    found = []
    for letter in written:
        images = tuple(letter) if isinstance(letter, list) and all(type(image) is int for image in letter) else ()
        if images not in known:
            raise ValueError(f"letters: expected {kind}, as lists of images, found {str(letter)[:80]}")
        found.append(known[images])
    return found
