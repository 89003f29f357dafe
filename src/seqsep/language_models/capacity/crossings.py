"""The crossings of two models: the lengths from which one keeps more bytes than the other."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

from seqsep.language_models.capacity.answer import Capacity

POINTS = 120
LONGEST = 10**6
"""The greatest length that is searched unless a length is given."""


def crossings(models: Sequence[Capacity], last: int) -> dict[tuple[int, int], list[int]]:
    """Return for each two models the lengths up to `last` at which the order of their bytes changes. Each is the first of the
    new order.

    Two changes between neighbouring lengths of `_lengths` are not seen.

    >>> from seqsep.language_models.capacity import capacity
    >>> fixed = {"model_type": "by-hand", "layers": [{"fixed_numbers": 64}]}
    >>> growing = {"model_type": "by-hand", "layers": [{"numbers_per_token": 2}]}
    >>> crossings([capacity(fixed), capacity(growing)], 100)
    {(0, 1): [33]}
    """
    found: dict[tuple[int, int], list[int]] = {}
    for one, other in combinations(range(len(models)), 2):
        order = [(_order(models[one], models[other], at), at) for at in lengths_to(last)]
        strict = [pair for pair in order if pair[0] != 0]
        for (before, low), (after, high) in pairwise(strict):
            if before != after:
                found.setdefault((one, other), []).append(_first_of(models[one], models[other], after, (low, high)))
    return found


def lengths_to(last: int) -> list[int]:
    """Return lengths from 1 to `last`, evenly spaced on a logarithmic axis.

    >>> lengths_to(4)
    [1, 2, 3, 4]
    """
    return sorted({round(last ** (step / POINTS)) for step in range(POINTS + 1)})


def _first_of(one: Capacity, other: Capacity, order: int, between: tuple[int, int]) -> int:
    """Return the first length after the lower one at which the two have this order, as they have it at the higher one."""
    low, high = between
    while high - low > 1:
        middle = (low + high) // 2
        if _order(one, other, middle) == order:
            high = middle
        else:
            low = middle
    return high


def crossings_in_words(models: Sequence[Capacity], last: int) -> list[str]:
    """Return a sentence for each crossing, in the order of the lengths.

    >>> crossings_in_words([], 100)
    []
    """
    names = names_of(models)
    changes = [(at, *pair) for pair, lengths in crossings(models, last).items() for at in lengths]
    lines = []
    for at, one, other in sorted(changes):
        more, less = (one, other) if _order(models[one], models[other], at) > 0 else (other, one)
        lines.append(f"From {at:,} tokens on {names[more]} keeps more than {names[less]}.")
    return lines


def _order(one: Capacity, other: Capacity, length: int) -> int:
    """Return 1 if the first keeps more, -1 if the second does, 0 if both keep equally much."""
    gap = one.bytes_at(length) - other.bytes_at(length)
    return (gap > 0) - (gap < 0)


def names_of(models: Sequence[Capacity]) -> list[str]:
    """Return the family of each. If two have one family, return the files; if two files have one name, the family with a
    number.

    >>> names_of([])
    []
    """
    families = [model.model_type for model in models]
    whole = [model.where for model in models]
    files = [Path(place).name for place in whole]
    files = files if len(set(files)) == len(files) else whole
    if len(set(files)) == len(files):
        return [family if families.count(family) == 1 else file for family, file in zip(families, files, strict=True)]
    return [
        family if families.count(family) == 1 else f"{family} {families[: place + 1].count(family)}"
        for place, family in enumerate(families)
    ]
