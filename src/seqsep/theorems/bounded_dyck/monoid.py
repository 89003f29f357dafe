"""The algebra of bounded bracket words is not in the class DA, and products in it cost two parties linearly many bits.

The paper mentions this as a second way to prove its Lemma 1. The algebra is the syntactic monoid of the language, and DA is a
class of finite monoids from the theory of regular languages. In general this way has a gap: if the monoid of a language is not
in DA, products in the monoid are hard to compute, but the words of the language may still be easy to decide.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix E, which mentions this way to prove Lemma 1, for n = 2 and k = 2.
The proof in the paper, by a fooling set, is in `one_layer`.

We differ:
* The proof holds for all n >= 1 and k >= 1.
* A reduction from disjointness gives the bound in bits, with its constant.
* We show that words can be easy although the algebra is not in DA.

The monoid. The syntactic monoid of Dyck-(n,k) has one element for each class of strings that can replace each other in all
words. The strings that are part of no word have the element 0. Any other string acts on the stack of open brackets. It needs
the kinds P on top of the stack and replaces them by the kinds Q. At its highest, the stack is r higher than at the start.

P, Q and r determine this map: it is defined on the stacks that end in P and have at most k - r brackets. Each triple with r +
|P| <= k and |Q| - |P| <= r is the map of a string: go up r and down again, then close P, then open Q. So there are 1 + sum
over i, j <= k of n^(i+j) (k + 1 - max(i, j)) elements.

An element is idempotent if P = Q, or if it is 0. Some power of each element equals the next power, so the monoid is aperiodic.

*Not in DA.* In a monoid in DA, e y e = e for each idempotent e = x y z. Here the element e = "()" is idempotent, and e = x y z
for an empty x, y = "(" and z = ")". But e y e is another element: "()" is a word and "()(()" is not. This holds for all n and
k >= 1. `monoids.outside_da` finds it by search.

*Products.* Alice and Bob have a set each, of numbers from 1 to h. Together they write a product of 4 h + 2 factors. The first
factor is "(" and the last is ")". Between them are four factors for each i <= h, in the order Alice, Bob, Alice, Bob. The two
factors of a party for i are ")" and "(" if its set contains i, and otherwise 1 and 1. Here 1 is the neutral element of the
monoid, the empty string.

Before each i the stack is "(". If one party has i, this bracket is closed and opened again. If both have i, the second close
is one too many. So the product is a word of the language exactly if the sets are disjoint. The parties need h bits
(`disjointness_one_layer`), which is (F - 2) / 4 for F factors.

*Words.* A factor may be 1. No bracket of a word acts like 1. So it is not enough that the monoid is not in DA. The monoid of
Dyck-(1,1) is not in DA either, but two parties decide its words with 2 bits, however the positions are divided between them.
Its only word of each even length is ()()..(), so each party checks its own positions.

For k >= 2 let a party write "(" and ")" in place of 1 and 1. Then the brackets alternate between the parties, as in Lemma 1. If
neither party has i, the four brackets are (()), so the stack grows by two on the way. For k >= 3 this is allowed, and the
result is a word exactly if the sets are disjoint. For k = 2 it is a word exactly if the sets are complements. Both cost h = (N
- 2) / 4 bits, about a quarter of the bound N - 1 of Lemma 1.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.automata.monoids import MOST_ELEMENTS, Monoid, Word, outside_da, syntactic_monoid
from seqsep.maths.communication.communication import TwoParty, protocol_cost, rank_bound, two_party
from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import Choice, Claim, Outcome, Theorem
from seqsep.theorems.bounded_dyck import state
from seqsep.theorems.bounded_dyck._strings import written
from seqsep.theorems.options import Depth, Kinds

Members = Annotated[int, Range(1, 5), "h, the number of members of the sets that are compared."]

CLAIM = Claim(
    name="bounded-dyck-monoid",
    source="Bhattamishra et al. 2024, Lemma 1",
    statement="The syntactic monoid of Dyck-(n,k) is aperiodic and not in DA",
)
PRODUCTS = "Two parties that multiply F elements of the monoid of Dyck-(n,k) need (F - 2) / 4 bits"
WORDS = "Two parties with the odd and even brackets of a word of Dyck-(n,k), k >= 2, need (N - 2) / 4 bits"
EASY = "The syntactic monoid of Dyck-(1,1) is not in DA, and 2 bits decide its words for every partition"
OPEN = 0
CLOSE = 1
LONGEST_PARTITIONED = 6
MOST_MEMBERS = 5

Set = Sequence[int]
Choices = tuple[Word, Word]


def count(kinds: int, depth: int) -> int:
    """Count the elements: 1 + sum over i, j <= k of n^(i+j) (k + 1 - max(i, j)).

    >>> count(kinds=1, depth=1), count(kinds=2, depth=2)
    (6, 60)
    """
    sizes = product(range(depth + 1), repeat=2)
    return 1 + sum(kinds ** (closes + opens) * (depth + 1 - max(closes, opens)) for closes, opens in sizes)


def count_idempotents(kinds: int, depth: int) -> int:
    """Count the idempotents: 1 + sum over i <= k of n^i (k + 1 - i).

    >>> count_idempotents(kinds=1, depth=1), count_idempotents(kinds=2, depth=2)
    (4, 12)
    """
    return 1 + sum(kinds**closes * (depth + 1 - closes) for closes in range(depth + 1))


def factors(alice: Set, bob: Set, absent: Choices = ((), ())) -> list[Word]:
    """Return the factors of the reduction as words; `absent` are the two of a party whose set does not contain i.

    >>> factors([1], [0]), factors([1], [0], absent=((0,), (1,)))
    ([(0,), (1,), (), (0,), (), (1,)], [(0,), (1,), (0,), (0,), (1,), (1,)])
    """
    present = ((CLOSE,), (OPEN,))
    between = []
    for has_alice, has_bob in zip(alice, bob, strict=True):
        of_alice = present if has_alice else absent
        of_bob = present if has_bob else absent
        between += [of_alice[0], of_bob[0], of_alice[1], of_bob[1]]
    return [(OPEN,), *between, (CLOSE,)]


def check(kinds: Kinds = 2, depth: Depth = 2, members: Members = 3) -> list[Outcome]:
    """Check the monoid of Dyck-(n,k), the reductions for sets of h = `members` members, and that Dyck-(1,1) is easy.

    Raises ValueError for numbers below 1, more than 5 members, or a monoid of more than 20,000 elements; TheoremFails if a run
    contradicts the proof.
    """
    if min(kinds, depth, members) < 1 or members > MOST_MEMBERS or count(kinds, depth) > MOST_ELEMENTS:
        raise ValueError(
            f"check(kinds={kinds}, depth={depth}, members={members}): kinds and depth are at least 1, with at most "
            f"{MOST_ELEMENTS:,} elements; members is 1 to {MOST_MEMBERS}"
        )
    monoid = syntactic_monoid(state.build(kinds, depth))
    outcomes = [_check_monoid(monoid, kinds, depth), _check_products(monoid, kinds, depth, members=members)]
    if depth > 1:
        outcomes.append(_check_words(kinds, depth, members))
    return [*outcomes, _check_easy(members)]


def _check_monoid(monoid: Monoid, kinds: int, depth: int) -> Outcome:
    """Count elements and idempotents, and find the equation of DA that fails; it is checked in the monoid and in words."""
    found = outside_da(monoid)
    if found is None or not monoid.is_aperiodic:
        raise CLAIM.fails({"kinds": kinds, "depth": depth, "outside DA": found, "aperiodic": monoid.is_aperiodic})
    found.verify(monoid)
    e = found.idempotent
    between = (*e, *found.middle, *e)
    before, after = _context(monoid, (monoid.of_word(e), monoid.of_word(between)), kinds, depth)
    return CLAIM.lower(
        length=len(between),
        inputs=len(monoid.maps),
        exhaustive=True,
        measured={"elements": len(monoid.maps), "idempotents": len(monoid.idempotents)},
        bound={"elements": count(kinds, depth), "idempotents": count_idempotents(kinds, depth)},
        variant=f"Dyck-({kinds},{depth})",
        witness={
            "x": _shown(found.left, kinds),
            "y": _shown(found.middle, kinds),
            "z": _shown(found.right, kinds),
            "e": _shown(e, kinds),
            "e y e": _shown(between, kinds),
            "before": _shown(before, kinds),
            "behind": _shown(after, kinds),
        },
    )


def _context(monoid: Monoid, pair: tuple[int, int], kinds: int, depth: int) -> tuple[Word, Word]:
    """Find words u and v such that u a v is in the language for exactly one of two elements a."""
    for before, after in product(sorted(monoid.words, key=len), repeat=2):
        words = [(*before, *monoid.words[element], *after) for element in pair]
        if _is_word(words[0], kinds, depth) != _is_word(words[1], kinds, depth):
            return before, after
    raise CLAIM.fails({"elements": pair, "found": "no context that tells them apart"})


def _is_word(word: Word, kinds: int, depth: int) -> bool:
    """Return True if a word is in Dyck-(n,k), as the task says; the empty word is, and no word of odd length is."""
    if len(word) % 2 or not word:
        return not word
    return bool(BoundedDyck(len(word), kinds, depth).accepts(np.array([word]))[0])


def _sets(members: int) -> list[Set]:
    return list(product((0, 1), repeat=members))


def _meet(alice: Set, bob: Set) -> bool:
    return any(one and other for one, other in zip(alice, bob, strict=True))


def _check_products(monoid: Monoid, kinds: int, depth: int, *, members: int) -> Outcome:
    """Multiply the factors for all pairs of sets: the product is the element of a word exactly if they do not meet."""
    sets = _sets(members)
    answers = []
    for alice, bob in product(sets, repeat=2):
        element = monoid.product(monoid.of_word(factor) for factor in factors(alice, bob))
        is_word = _is_word(monoid.words[element], kinds, depth)
        if is_word == _meet(alice, bob):
            raise CLAIM.fails({"alice": alice, "bob": bob, "product": monoid.words[element], "word": is_word})
        answers.append(int(is_word))
    return _linear(PRODUCTS, answers, members, variant=f"products in the monoid of Dyck-({kinds},{depth})")


def _check_words(kinds: int, depth: int, members: int) -> Outcome:
    """Write every factor as one bracket: words exactly if the sets do not meet, or for k = 2 if they are complements."""
    answers = []
    for alice, bob in product(_sets(members), repeat=2):
        word = tuple(bracket for factor in factors(alice, bob, absent=((OPEN,), (CLOSE,))) for bracket in factor)
        expected = not _meet(alice, bob) if depth > 2 else all(one != other for one, other in zip(alice, bob, strict=True))
        if _is_word(word, kinds, depth) != expected or len(word) != 4 * members + 2:
            raise CLAIM.fails({"alice": alice, "bob": bob, "word": _shown(word, kinds), "expected": expected})
        answers.append(int(expected))
    return _linear(WORDS, answers, members, variant=f"words of Dyck-({kinds},{depth}), odd and even brackets")


def _linear(statement: str, answers: list[int], members: int, variant: str) -> Outcome:
    """Bound the bits by the rank of the answers, Alice's sets being the rows."""
    bits = rank_bound(TwoParty(np.array(answers).reshape(1 << members, -1))).bits
    if bits < members:
        raise CLAIM.fails({"variant": variant, "bits": bits, "expected": members})
    return CLAIM.lower(
        statement=statement,
        length=4 * members + 2,
        inputs=len(answers),
        exhaustive=True,
        measured={"bits": bits},
        bound={"bits": members},
        variant=variant,
    )


def _check_easy(members: int) -> Outcome:
    """Search the exact cost of Dyck-(1,1) for every partition, and the equation that fails in its monoid."""
    found = outside_da(syntactic_monoid(state.build(1, 1)))
    if found is None:
        raise CLAIM.fails({"Dyck-(1,1)": "its monoid is in DA"})
    costs = []
    for length in range(2, LONGEST_PARTITIONED + 1, 2):
        for size in range(1, length):
            for alice in combinations(range(length), size):
                f = two_party(lambda word: int(_is_word(tuple(word), 1, 1)), [2] * length, alice)
                costs.append(protocol_cost(f).bits)
    if max(costs) > 2:
        raise CLAIM.fails({"Dyck-(1,1)": "a partition", "bits": max(costs)})
    return CLAIM.upper(
        statement=EASY,
        length=LONGEST_PARTITIONED,
        inputs=len(costs),
        exhaustive=True,
        measured={"bits": max(costs)},
        bound={"bits": 2},
        variant="Dyck-(1,1), every partition",
    )


def _shown(word: Word, kinds: int) -> str:
    return written(np.array(word, dtype=np.int64), kinds)


TEST = "tests/theorems/bounded_dyck/test_monoid.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="For the n and k given, a run lists the monoid element by element. It shows that the monoid is aperiodic and not in "
    "DA. It runs the two reductions of the proof, to products and to words, for all pairs of sets of numbers from 1 to h (by "
    "default 3). For Dyck-(1,1) it computes how many bits two parties need, for every way to divide up to 6 brackets between "
    "them.",
    not_shown="This does not show the claim for every n, k and h. The proof shows that.",
    nothing_to_certify="certificates have no type for a monoid; bounded-dyck-one-layer certifies the fooling set",
    nothing_to_apply="a lower bound; bounded-dyck-attention and bounded-dyck-state recognise the words",
    choices=(
        Choice(
            where="Appendix E, after the proof of Lemma 1",
            printed='"an alternative proof of Lemma 1 could proceed using varieties of finite monoids, by proving that the '
            "syntactic monoid of Dyck-(2,2) is not in the variety DA, and then applying the result of Raymond et al. "
            '[49]"',
            found="the monoid of Dyck-(2,2) is not in DA: it has 60 elements, and e y e differs from e if e is () and y is (. "
            "This gives linear bounds for products, in which a party may hold the neutral element. It does not give them for "
            "words, because no bracket acts as the neutral element. The monoid of Dyck-(1,1) is not in DA either, but 2 bits "
            "decide its words for every partition. For words of depth 2 and more, the bound from the monoid is smaller than N "
            "- 1",
            built="a reduction from disjointness: (F - 2) / 4 bits for F factors. For the odd and even brackets of words of "
            "depth 2 and more it gives (N - 2) / 4. The bound N - 1 comes from the fooling set",
            test=TEST + "test_outside_da_is_not_enough_for_words",
        ),
    ),
)
