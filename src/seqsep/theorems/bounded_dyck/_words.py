"""Strings of brackets that networks are tested on: all of one length, words with far matches, and words that just fail."""

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.theorems.bounded_dyck._prefixes import Strings


def every(length: int, kinds: int, at_once: int = 1 << 13) -> Iterator[Strings]:
    """Yield every string of one length, in blocks; their prefixes are all the shorter ones.

    >>> [len(block) for block in every(length=7, kinds=2)]
    [8192, 8192]
    """
    powers = (2 * kinds) ** np.arange(length)[::-1]
    count = (2 * kinds) ** length
    for first in range(0, count, at_once):
        ranks = np.arange(first, min(first + at_once, count))
        yield ranks[:, None] // powers % (2 * kinds)


def walks(
    length: int, kinds: int, depth: int, random: np.random.Generator, batch: int, floor: int = 0, opposed: bool = False
) -> Strings:
    """Draw words (of odd length: all but the last bracket); `floor` brackets stay open from the start to the end.

    With `opposed`, the brackets that stay open, and the last one opened in between, differ from all others in as many digits
    as possible.
    """
    is_open = np.empty((batch, length), dtype=bool)
    kind = random.integers(0, kinds, (batch, length))
    now_open = np.zeros(batch, dtype=np.int64)
    even_length = length + length % 2
    floor = max(0, min(floor, depth - 1, even_length // 2 - 1))
    for place in range(length):
        left = even_length - place
        lowest = min(floor, place, left - 2)
        up = np.where(random.random(batch) < 1 / 2, True, now_open <= lowest)
        up &= now_open < min(depth, left)
        up |= now_open <= min(lowest, left - 1)
        up &= now_open < left
        if opposed:
            stays_open = place < floor or left <= 2 * floor + 2
            kind[:, place] = kinds - 1 if stays_open else 0
        is_open[:, place] = up
        now_open = now_open + np.where(up, 1, -1)
    return matched(is_open, kind)


def matched(is_open: Bool[np.ndarray, "batch length"], kind: Int64[np.ndarray, "batch length"]) -> Strings:
    """Write brackets that open or close as given; one that opens has the kind given, one that closes that of its match.

    >>> matched(np.array([[True, True, False, False]]), np.array([[0, 1, 0, 0]]))  # ( [ ] )
    array([[0, 2, 3, 1]])
    """
    batch, length = is_open.shape
    rows = np.arange(batch)
    words = np.empty((batch, length), dtype=np.int64)
    level = np.cumsum(np.where(is_open, 1, -1), axis=1)
    stack = np.zeros((batch, int(level.max(initial=0)) + 1), dtype=np.int64)
    for place in range(length):
        up = is_open[:, place]
        stack[rows[up], level[up, place]] = kind[up, place]
        level_of_pair = level[:, place] + np.where(up, 0, 1)
        kind_of_match = stack[rows, level_of_pair]
        words[:, place] = np.where(up, 2 * kind[:, place], 2 * kind_of_match + 1)
    return words


def nudged(words: Strings, kinds: int, depth: int, random: np.random.Generator) -> Strings:
    """Change one pair's kind in each word, and swap two neighbouring brackets if the depth stays within 0 to k."""
    batch, length = words.shape
    rows = np.arange(batch)
    is_open = words % 2 == 0
    kind = words // 2
    kind[rows, random.integers(length, size=batch)] = random.integers(kinds, size=batch)
    place = random.integers(max(1, length - 1), size=batch)
    after = np.minimum(place + 1, length - 1)
    swapped = is_open.copy()
    swapped[rows, place] = is_open[rows, after]
    swapped[rows, after] = is_open[rows, place]
    level = np.cumsum(np.where(swapped, 1, -1), axis=1)
    fits = (level.min(axis=1) >= 0) & (level.max(axis=1) <= depth)
    return matched(np.where(fits[:, None], swapped, is_open), kind)


def mutated(word: Int64[np.ndarray, "length"], places: Int64[np.ndarray, "n"], kinds: int) -> Strings:
    """Turn one bracket around, then give it another kind, at each of the places.

    >>> mutated(np.array([0, 1]), np.array([0, 1]), kinds=2)
    array([[1, 1],
           [0, 0],
           [2, 1],
           [0, 3]])
    """
    which = np.arange(len(places))
    turned = np.repeat(word[None], len(places), axis=0)
    turned[which, places] ^= 1
    if kinds == 1:
        return turned
    of_another_kind = np.repeat(word[None], len(places), axis=0)
    bracket = of_another_kind[which, places]
    of_another_kind[which, places] = 2 * ((bracket // 2 + 1 + which % (kinds - 1)) % kinds) + bracket % 2
    return np.concatenate([turned, of_another_kind])


def hard(
    length: int, kinds: int, depth: int, random: np.random.Generator, batch: int = 8, changed: int | None = None
) -> Iterator[Strings]:
    """Yield words with matches as far apart as they go, the same with one bracket changed, and random strings.

    A bracket is changed at every place, or at `changed` places that are drawn.
    """
    places = _every_place(length) if changed is None else _drawn_places(length, changed, random)
    for floor in sorted({0, min(1, depth - 1), depth // 2, depth - 1}):
        for opposed in (False, True):
            words = walks(length, kinds, depth, random, batch=batch, floor=floor, opposed=opposed)
            yield words
            yield mutated(words[0], places(), kinds)
    changed_once = mutated(walks(length, kinds, depth, random, batch=1)[0], places(), kinds)
    changed_again = [mutated(word, random.integers(0, length, 2), kinds) for word in changed_once[::7]]
    yield np.concatenate(changed_again)
    yield random.integers(0, 2 * kinds, (batch, length))


def _every_place(length: int) -> Callable[[], Int64[np.ndarray, "n"]]:
    return lambda: np.arange(length)


def _drawn_places(length: int, count: int, random: np.random.Generator) -> Callable[[], Int64[np.ndarray, "n"]]:
    return lambda: random.integers(0, length, count)
