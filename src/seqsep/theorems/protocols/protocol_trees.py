"""Protocols of two parties with coins as trees of exact chances: their answers, and the information in their transcripts.

At a node Alice or Bob speaks: a bit that is 1 with a chance that depends on the speaker's own input. A leaf is the answer, so
both know it. A protocol with shared coins is one tree for each of them, all equally likely, and the coin is part of its
transcript. Information is in bits, and 0 log 0 = 0.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from jaxtyping import Int64

Distribution = tuple[Fraction, ...]


@dataclass(frozen=True)
class Node:
    """`speaker` says 1 with the chance that `chances` has for its input; the walk continues at `zero` or `one`.

    >>> tree = Node("alice", (Fraction(0), Fraction(1)), 0, Node("bob", (Fraction(1, 4), Fraction(1)), 0, 1))
    >>> [str(chance) for chance, _ in leaves(tree, 1, 0)], bits_of(tree)
    (['0', '3/4', '1/4'], 2)
    """

    speaker: Literal["alice", "bob"]
    chances: Distribution
    zero: "Node | int"
    one: "Node | int"


Tree = Node | int


@dataclass(frozen=True)
class Protocol:
    """A tree for each of the shared coins; one tree if each party has coins of its own.

    >>> bit = (Fraction(0), Fraction(1))
    >>> exchange = Protocol("AND", (Node("alice", bit, 0, Node("bob", bit, 0, 1)),))
    >>> exchange.bits, exchange.chance_of_one(1, 1)
    (2, Fraction(1, 1))
    """

    name: str
    trees: tuple[Tree, ...]

    @property
    def bits(self) -> int:
        """The bits sent in the longest run."""
        return max(bits_of(tree) for tree in self.trees)

    def transcripts(self, x: int, y: int) -> Distribution:
        """The chance of each transcript, shared coin and bits, on inputs number x and y; the order does not depend on them."""
        return tuple(chance / len(self.trees) for tree in self.trees for chance, _ in leaves(tree, x, y))

    def chance_of_one(self, x: int, y: int) -> Fraction:
        """The chance that the answer is 1."""
        found = [chance for tree in self.trees for chance, answer in leaves(tree, x, y) if answer]
        return sum(found, Fraction(0)) / len(self.trees)


def leaves(tree: Tree, x: int, y: int) -> list[tuple[Fraction, int]]:
    """The leaves from left to right, each with the chance of ending there and the answer.

    >>> leaves(1, 0, 0)
    [(Fraction(1, 1), 1)]
    """
    if isinstance(tree, int):
        return [(Fraction(1), tree)]
    chance = tree.chances[x if tree.speaker == "alice" else y]
    zero = [(one * (1 - chance), answer) for one, answer in leaves(tree.zero, x, y)]
    return zero + [(one * chance, answer) for one, answer in leaves(tree.one, x, y)]


def bits_of(tree: Tree) -> int:
    """The depth.

    >>> bits_of(0)
    0
    """
    return 0 if isinstance(tree, int) else 1 + max(bits_of(tree.zero), bits_of(tree.one))


def one_way(
    messages: Sequence[Mapping[str, Fraction]], answers: Callable[[str], Distribution], width: int, prefix: str = ""
) -> Tree:
    """Alice says `width` bits, with chances by her input; Bob answers 1 with the chance that `answers(message)` has for his.

    >>> tree = one_way([{"0": Fraction(1)}, {"1": Fraction(1)}], lambda message: (Fraction(0), Fraction(int(message))), 1)
    >>> [Protocol("AND", (tree,)).chance_of_one(x, y) == x * y for x in (0, 1) for y in (0, 1)]
    [True, True, True, True]
    """
    if len(prefix) == width:
        return Node("bob", answers(prefix), 0, 1)
    chances = []
    for message in messages:
        here = sum((chance for said, chance in message.items() if said.startswith(prefix)), Fraction(0))
        one = sum((chance for said, chance in message.items() if said.startswith(prefix + "1")), Fraction(0))
        chances.append(one / here if here else Fraction(0))
    zero = one_way(messages, answers, width, prefix + "0")
    return Node("alice", tuple(chances), zero, one_way(messages, answers, width, prefix + "1"))


def drawn(random: np.random.Generator, inputs: int, bits: int) -> Tree:
    """A tree in which speakers, chances (eighths) and answers are drawn.

    >>> bits_of(drawn(np.random.default_rng(0), inputs=4, bits=3))
    3
    """
    if bits == 0:
        return int(random.integers(2))
    chances = tuple(Fraction(int(one), 8) for one in random.integers(9, size=inputs))
    speaker: Literal["alice", "bob"] = "alice" if random.integers(2) else "bob"
    zero = drawn(random, inputs, bits - 1)
    return Node(speaker, chances, zero, drawn(random, inputs, bits - 1))


def disturbed(tree: Tree, random: np.random.Generator, most: Fraction) -> Tree:
    """The tree with each chance moved by a drawn share, at most `most`, towards a drawn 0 or 1.

    >>> tree = disturbed(Node("alice", (Fraction(0), Fraction(1)), 0, 1), np.random.default_rng(1), Fraction(1, 4))
    >>> [chance.denominator for chance in tree.chances]
    [8, 1]
    """
    if isinstance(tree, int):
        return tree
    shares = [most * Fraction(int(one), 8) for one in random.integers(9, size=len(tree.chances))]
    ends = [int(one) for one in random.integers(2, size=len(tree.chances))]
    moved = [(1 - share) * chance + share * end for chance, share, end in zip(tree.chances, shares, ends, strict=True)]
    zero = disturbed(tree.zero, random, most)
    return Node(tree.speaker, tuple(moved), zero, disturbed(tree.one, random, most))


def eighths(tree: Tree, inputs: int) -> Int64[np.ndarray, "a b"]:
    """The chance that the answer is 1 in a tree of B bits with chances in eighths, times 8^B, for all pairs of inputs.

    >>> eighths(Node("alice", (Fraction(1, 8), Fraction(1)), 0, 1), 2).tolist()
    [[1, 1], [8, 8]]
    """
    if isinstance(tree, int):
        return np.full((inputs, inputs), tree, dtype=np.int64)
    chances = np.array([int(8 * one) for one in tree.chances])
    said = chances[:, None] if tree.speaker == "alice" else chances
    return (8 - said) * eighths(tree.zero, inputs) + said * eighths(tree.one, inputs)


def parts(places: int) -> Iterator[int]:
    """The subsets of a set, as numbers.

    >>> list(parts(0b101))
    [0, 1, 4, 5]
    """
    return (one for one in range(places + 1) if one & ~places == 0)


def mean(distributions: Sequence[Distribution]) -> Distribution:
    """Their average.

    >>> mean([(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))])
    (Fraction(1, 2), Fraction(1, 2))
    """
    return tuple(sum(column, Fraction(0)) / len(distributions) for column in zip(*distributions, strict=True))


def entropy(distribution: Distribution) -> float:
    """The sum of -p log2 p.

    >>> entropy((Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(0)))
    1.5
    """
    return math.fsum(-float(chance) * math.log2(chance) for chance in distribution if chance)


def information(distributions: Sequence[Distribution]) -> float:
    """Return the information of a draw about its source, all sources equally likely: the entropy of the mean less the mean
    entropy.

    >>> information([(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))])
    1.0
    """
    return entropy(mean(distributions)) - math.fsum(entropy(one) for one in distributions) / len(distributions)


def hellinger(one: Distribution, other: Distribution) -> float:
    """h^2 = 1 - the sum of sqrt(p q).

    >>> hellinger((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    1.0
    """
    return 1 - math.fsum(math.sqrt(p * q) for p, q in zip(one, other, strict=True))


def unpasted(p00: Distribution, p01: Distribution, p10: Distribution, p11: Distribution) -> int | None:
    """The first transcript t with P_00(t) P_11(t) != P_01(t) P_10(t), exactly; None if there is none.

    >>> half = (Fraction(1, 2), Fraction(1, 2))
    >>> unpasted(half, half, half, half), unpasted(half, half, (Fraction(1), Fraction(0)), half)
    (None, 0)
    """
    for place, (a, b, c, d) in enumerate(zip(p00, p01, p10, p11, strict=True)):
        if a * d != b * c:
            return place
    return None
