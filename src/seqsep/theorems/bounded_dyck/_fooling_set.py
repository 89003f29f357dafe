"""Lemma 1: the words of Dyck-(n,2) of one length, each split into its odd and its even half, are a fooling set of Dyck-(n,k).

S is the set of these words. Alice has the brackets x at the positions 1, 3, .. of a word, and Bob has the others, y. A word is
written as (x, y).

Proof. Let (x, y) and (x', y') be two words of S. Suppose that both mixed inputs (x, y') and (x', y) are in Dyck-(n,k), k >= 2.
We show that the two words are equal.
* A depth is a sum of ±1 over both halves. So at each position the depths of the two mixed inputs add up to those of the two
  words of S.
* After an odd position the depth of a word of S is 1. So the two mixed depths add up to 2. They are odd and not negative, so
  both are 1.
* Hence both mixed inputs have depth at most 2, and they are in S.
* (x, y) and (x, y') have the same odd half, so y' = y (`complete_by_halves`). Then (x, y) and (x', y) have the same even half,
  so x' = x.

So for every two different words of S, one of the mixed inputs is not a word.

For k = 2 more is true: a mixed input differs from the word of S with the same odd half, so it is not in S. As S has all words
of Dyck-(n,2), it is not a word. For k = 3 a mixed input may be a word, and S is still a fooling set. But the set of all words
of Dyck-(n,3) is not, as two words may have the same odd half. For n = 2 and N = 8 the 208 words have only 128 different odd
halves.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int64

from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import Claim
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state

MOST_WORDS = 1 << 14


def words(length: int, kinds: int = 2) -> Int64[np.ndarray, "words length"]:
    """List all words of Dyck-(n,2), grown bracket by bracket: n (2n)^(N/2 - 1) of them, for n = 2 that is 2^(N-1).

    Raises ValueError for an odd length or more than 2^14 words.

    >>> words(length=2).tolist(), len(words(length=14))
    ([[0, 1], [2, 3]], 8192)
    """
    if length < 2 or length % 2 or kinds < 1 or _count(length, kinds) > MOST_WORDS:
        raise ValueError(
            f"words(length={length}, kinds={kinds}): an even length of at least 2, with at most {MOST_WORDS:,} words "
            "(length 14 for 2 kinds)"
        )
    prefixes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]  # brackets so far, and the kinds that are open
    for place in range(length):
        most_open = length - place - 1
        longer = []
        for prefix, open_kinds in prefixes:
            for bracket, still_open in _after(open_kinds, kinds):
                if len(still_open) <= most_open:
                    longer.append(((*prefix, bracket), still_open))
        prefixes = longer
    return np.array([word for word, _ in prefixes], dtype=np.int64)


def _count(length: int, kinds: int) -> int:
    """Count the words: each x whose first bracket opens has one y, which makes n (2n)^(N/2 - 1).

    The proof in the paper counts them block by block instead, over all partitions into blocks.
    """
    return kinds * (2 * kinds) ** (length // 2 - 1)


def _after(open_kinds: tuple[int, ...], kinds: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each bracket that may follow, with the kinds that are open then."""
    if len(open_kinds) < 2:
        for kind in range(kinds):
            yield 2 * kind, (*open_kinds, kind)
    if open_kinds:
        yield 2 * open_kinds[-1] + 1, open_kinds[:-1]


def complete_by_halves(odd: Int64[np.ndarray, "half"]) -> Int64[np.ndarray, "length"]:
    """Complete an odd half, whose first bracket opens, to a word of Dyck-(n,2): different words have different odd halves.

    Before an odd position the depth is 0 or 2, as it is even. The bracket there opens at depth 0 and closes at depth 2, so the
    depth after it is 1. Given the odd half x, each y_j follows. If x_(j+1) closes, y_j opens a bracket of the kind of x_(j+1).
    If x_(j+1) opens, or j = N/2, y_j closes the one open bracket, which is the last open one of x_1 .. x_j.

    Different words have different even halves, too. For read a word from right to left with open and close exchanged: this
    gives a word whose halves have changed places.

    >>> complete_by_halves(np.array([0, 3]))  # ( . ] . is ( [ ] )
    array([0, 2, 3, 1])
    """
    word = np.empty(2 * len(odd), dtype=np.int64)
    word[::2] = odd
    last_opened = 0
    for place, bracket in enumerate(odd.tolist()):
        last_opened = bracket if bracket % 2 == 0 else last_opened
        following = int(odd[place + 1]) if place + 1 < len(odd) else 0
        following_closes = following % 2 == 1
        word[2 * place + 1] = following - 1 if following_closes else last_opened + 1
    return word


def require_fooling_set(claim: Claim, given: Int64[np.ndarray, "words length"], kinds: int) -> None:
    """Require words of the language, as many as the automaton counts and the formula says, different in both halves.

    Raises TheoremFails with the number of words that violate this.
    """
    length = given.shape[1]
    counted = bounded_dyck_state.build(kinds, 2).count_words(length)
    defects = {
        "inputs that are not words": int((~BoundedDyck(length, kinds, 2).accepts(given)).sum()),
        "words missing": counted - len(given),
        "formula": counted - _count(length, kinds),
        "odd halves that are not new": len(given) - len(np.unique(given[:, ::2], axis=0)),
        "even halves that are not new": len(given) - len(np.unique(given[:, 1::2], axis=0)),
    }
    if any(defects.values()):
        raise claim.fails({"length": length, "kinds": kinds, **defects})
