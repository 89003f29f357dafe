"""The rank of functions: two independent programs, known values, and tables and trees that are spoiled."""

import itertools
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from seqsep.maths.least_thought import Branch, check_table, check_tree, rank, rank_table, tree


def _table(function: Callable[[tuple[int, ...]], int], length: int, symbols: int = 2) -> np.ndarray:
    words = itertools.product(range(symbols), repeat=length)
    return np.array([int(function(word)) for word in words]).reshape((symbols,) * length)


def _by_definition(answers: dict[tuple[int, ...], int], letters: int) -> int:
    """The rank by its recursion, on sets of words."""

    @cache
    def of(words: frozenset[tuple[int, ...]]) -> int:
        if len({answers[word] for word in words}) == 1:
            return 0
        found = []
        for position, symbol in itertools.product(range(len(next(iter(words)))), range(letters)):
            equal = frozenset(word for word in words if word[position] == symbol)
            if equal and equal != words:
                found.append(max(of(equal) + 1, of(words - equal)))
        return min(found)

    return of(frozenset(answers))


def _by_priority_lists(answers: dict[tuple[int, ...], int]) -> int:
    """The least number of steps, each a priority list; a smaller set is never harder, so lists may be built greedily."""
    length = len(next(iter(answers)))

    @cache
    def enough(words: frozenset[tuple[int, ...]], steps: int) -> bool:
        if len({answers[word] for word in words}) <= 1:
            return True
        left = words
        while steps and left:
            parts = (frozenset(w for w in left if w[at] == bit) for at in range(length) for bit in (0, 1))
            taken = next((part for part in parts if part and enough(part, steps - 1)), None)
            if taken is None:
                return False
            left -= taken
        return not left

    return next(steps for steps in itertools.count() if enough(frozenset(answers), steps))


def test_three_programs_agree_on_3_bits() -> None:
    """The table of boxes, the recursion and priority lists agree on all 256 functions."""
    words = list(itertools.product((0, 1), repeat=3))
    counts: Counter[int] = Counter()
    for number in range(256):
        answers = {word: number >> place & 1 for place, word in enumerate(words)}
        values = _table(answers.__getitem__, 3)
        ranks = rank_table(values)
        found = int(ranks[-1, -1, -1])
        assert found == _by_definition(answers, 2) == _by_priority_lists(answers)
        assert check_table(values, ranks)
        assert check_tree(values, tree(values, ranks), found)
        counts[found] += 1
    assert counts == {0: 2, 1: 94, 2: 158, 3: 2}


def test_three_letters_agree_with_the_recursion() -> None:
    """Larger sets of letters have (2^3 - 1)^2 boxes."""
    random = np.random.default_rng(0)
    for _ in range(40):
        values = random.integers(0, 2, (3, 3))
        answers = {word: int(values[word]) for word in itertools.product(range(3), repeat=2)}
        ranks = rank_table(values)
        assert ranks[-1, -1] == _by_definition(answers, 3)
        assert check_table(values, ranks)
        assert check_tree(values, tree(values, ranks), int(ranks[-1, -1]))


def _halves(word: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return word[: len(word) // 2], word[len(word) // 2 :]


def _common(word: tuple[int, ...]) -> int:
    return sum(one & other for one, other in zip(*_halves(word), strict=True))


def _dyck(word: tuple[int, ...]) -> bool:
    heights = list(itertools.accumulate(2 * bit - 1 for bit in word))
    return min(heights) >= 0 and heights[-1] == 0


def _flip_flop(word: tuple[int, ...]) -> int:
    """The last bit that was written: pairs of write and bit."""
    written = [bit for write, bit in zip(word[::2], word[1::2], strict=True) if write]
    return written[-1] if written else 0


def _second_one(word: tuple[int, ...]) -> int:
    ones = [place for place, bit in enumerate(word) if bit]
    return ones[1] if len(ones) > 1 else -1


KNOWN: dict[str, tuple[Callable[[tuple[int, ...]], int], list[int]]] = {
    "or": (any, [1, 1, 1, 1, 1]),
    "parity": (lambda word: sum(word) % 2, [2, 4, 6, 8, 10]),
    "number of ones": (sum, [2, 4, 6, 8, 10]),
    "majority": (lambda word: 2 * sum(word) > len(word), [1, 2, 3, 4, 5]),
    "exactly half": (lambda word: 2 * sum(word) == len(word), [2, 3, 4, 5, 6]),
    "at least 2": (lambda word: sum(word) >= 2, [1, 2, 2, 2, 2]),
    "at least 3": (lambda word: sum(word) >= 3, [0, 2, 3, 3, 3]),
    "exactly one": (lambda word: sum(word) == 1, [2, 2, 2, 2, 2]),
    "mod 3": (lambda word: sum(word) % 3 == 0, [1, 3, 5, 7, 9]),
    "equality": (lambda word: _halves(word)[0] == _halves(word)[1], [2, 3, 4, 5, 6]),
    "palindrome": (lambda word: word == word[::-1], [2, 3, 4, 5, 6]),
    "disjointness": (lambda word: not _common(word), [1, 2, 3, 4, 5]),
    "inner product": (lambda word: _common(word) % 2, [1, 2, 3, 4, 5]),
    "comparison": (lambda word: _halves(word)[0] < _halves(word)[1], [1, 2, 3, 4, 5]),
    "dyck-1": (_dyck, [1, 2, 3, 4, 5]),
    "contains 11": (lambda word: (1, 1) in itertools.pairwise(word), [1, 2, 2, 3, 3]),
    "contains 01": (lambda word: (0, 1) in itertools.pairwise(word), [1, 2, 2, 2, 2]),
    "sorted": (lambda word: list(word) == sorted(word), [1, 2, 2, 2, 2]),
    "flip-flop": (_flip_flop, [1, 2, 2, 2, 2]),
    "second one": (_second_one, [1, 2, 2, 2, 2]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_ranks(name: str) -> None:
    """Ranks at N = 2, 4, 6, 8, 10."""
    function, expected = KNOWN[name]
    assert [rank(_table(function, length)) for length in (2, 4, 6, 8, 10)] == expected


def test_multiplexer_and_composition() -> None:
    """A multiplexer of a address bits has a + 1; f^t(0) has t if there are more than t places, and 2 for f^3 on three."""
    for bits in (1, 2, 3):
        values = _table(lambda word, a=bits: word[a + int("".join(map(str, word[:a])), 2)], bits + 2**bits)
        assert rank(values) == bits + 1
    for places, times, expected in ((3, 1, 1), (3, 2, 2), (3, 3, 2), (4, 1, 1), (4, 2, 2), (4, 3, 3)):

        def composed(word: tuple[int, ...], times: int = times) -> int:
            at = 0
            for _ in range(times):
                at = word[at]
            return at

        assert rank(_table(composed, places, places)) == expected


def test_checks_refuse_spoiled_tables_and_trees() -> None:
    """A raised entry, a wrong answer and a rank that is too small are refused."""
    values = _table(lambda word: 2 * sum(word) > 4, 4)
    ranks = rank_table(values)
    shown = tree(values, ranks)
    for box in np.ndindex(ranks.shape):
        raised = ranks.copy()
        raised[box] += 1
        assert not check_table(values, raised)
    assert not check_tree(values, shown, int(ranks.reshape(-1)[-1]) - 1)
    assert not check_tree(1 - values, shown, 4)
    assert not check_tree(values, Branch(0, 1, shown, 0), 4)
    with pytest.raises(ValueError, match="at most 4,782,969 boxes"):
        rank_table(np.zeros((2,) * 15, dtype=np.int64))
