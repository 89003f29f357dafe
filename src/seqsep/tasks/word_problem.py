"""The word problem of a finite group: letters g_1 .. g_N, which are elements of the group; the answer is their product.

The product after t letters is P_t = g_t after .. after g_1: the new letter acts last. `group` and `degree` choose the group:
Z_m (cyclic), D_m (dihedral), S_m (symmetric), A_m (alternating), and Dic_m (dicyclic; Q_8 has the degree 2). The groups are
permutations of m points, those of Dic_m of 4 m points; the file `maths/automata/permutations.py` has their generators.

Queries: with `ask="all"`, every letter: the answer is P_t. With `ask="last"`, an end token after the letters: the answer is
P_N. With `ask="pointer"`, every letter: the answer is the image of point 0 under P_t.
Tokens: `letters` chooses the letters, which have the tokens 0, 1, ..: all elements of the group, its generators, or for S_m all
transpositions, or adjacent transpositions (i i+1). With `ask="last"`, the next token is the end token. Elements are numbered in
lexicographic order as tuples of images, from 0, the neutral element. Points are numbered from 0.
Lengths: a training example has n letters, n uniform in least_length .. length. An evaluation example has exactly `length`
letters.
Examples: letters are uniform and independent.
Least state: let R_K be the number of products of exactly K letters, or of images of point 0 under them. With `ask="last"` the
state before the end token holds R_N products. With the other two, the last letter and the state before it decide the answer, so
the largest state holds R_(N - 1). A model that answers from its state only needs R_N. R_K does not fall with K. Parity may keep
it below the order of the group for ever: exactly K transpositions of S_5 have 10, 36, 60, 60, .. products.
Source: Liu et al. 2023 (arXiv:2210.10749), which simulates semiautomata, and Merrill et al. 2024 (arXiv:2404.08819), which
asks for the product after each letter of Z_60, A_4 x Z_5 and A_5. The word problem of A_5 or S_5 is NC1-complete (Barrington
1989).
We differ: products of two groups, such as A_4 x Z_5, are not offered; other groups and `ask="pointer"` are ours.
Shortcuts: the number of letters of each kind is enough for the image of the product in G / G', the largest commutative quotient
of the group. If all letters are odd permutations, the length alone decides the parity of the product. With `ask="all"` the
products of the first few letters need only these letters.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.permutations import (
    GROUPS,
    LEAST_DEGREE,
    MOST_ELEMENTS,
    SYMBOLS,
    Permutation,
    PermutationGroup,
    after,
    generators_of,
    named_group,
    order_of,
    points_of,
    points_reached,
    products_reached,
    swapped,
)
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._walks import LetterTask, drawn_lengths, walked, write_letters
from seqsep.tasks.base import Batch, require

LETTERS = ("all", "generators", "transpositions", "adjacent")
ASKED = ("all", "last", "pointer")


@dataclass(frozen=True)
class WordProblem(LetterTask):
    """`length` letters of a finite group; the answer is their product so far, or the image of point 0 under it.

    >>> task = WordProblem(length=3, degree=3, letters="generators")
    >>> task.solve((0, 1)), task.elements[1]  # 0 -> 1 -> 2 -> 0, then the swap of 0 and 1
    (1, (0, 2, 1))
    >>> WordProblem(length=100).answer_bits()
    7
    """

    name: ClassVar[str] = "word-problem"

    length: Annotated[int, Range(1, 2**20, unit="letters"), "N, letters of an evaluated input"]
    group: Annotated[str, OneOf(*GROUPS), "kind of the group"] = "symmetric"
    degree: Annotated[int, Range(2, 720, also="and at most 720 elements"), "m, as in Z_m, D_m, S_m, A_m and Dic_m"] = 5
    letters: Annotated[str, OneOf(*LETTERS), "elements that occur, the last two with symmetric groups"] = "all"
    ask: Annotated[str, OneOf(*ASKED), "queried tokens, and with pointer the image of point 0"] = "all"
    least_length: Annotated[int, Range(1, unit="letter"), "letters of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        least = LEAST_DEGREE[self.group]
        require(self.degree >= least, self, f"degree is at least {least} with group={self.group!r}, found {self.degree}")
        require(
            self.degree <= MOST_ELEMENTS and order_of(self.group, self.degree) <= MOST_ELEMENTS,
            self,
            f"degree leads to at most {MOST_ELEMENTS} elements, found {self.degree} with group={self.group!r}",
        )
        require(
            self.letters in LETTERS[:2] or self.group == "symmetric",
            self,
            f"letters={self.letters!r} needs group='symmetric', found {self.group!r}",
        )
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def finite_group(self) -> PermutationGroup:
        """The group, with its table of products."""
        return named_group(self.group, self.degree)

    @property
    def elements(self) -> tuple[Permutation, ...]:
        """The elements of the group, in the order of the answers."""
        return self.finite_group.elements

    @property
    def alphabet(self) -> tuple[Permutation, ...]:
        """The letters, in the order of their tokens."""
        if self.letters == "all":
            return self.elements
        if self.letters == "generators":
            return generators_of(self.group, self.degree)
        pairs = combinations(range(self.degree), 2) if self.letters == "transpositions" else pairwise(range(self.degree))
        return tuple(swapped(self.degree, *pair) for pair in pairs)

    @property
    def letter_count(self) -> int:
        return order_of(self.group, self.degree) if self.letters == "all" else len(self.alphabet)

    @property
    def classes(self) -> int:
        return points_of(self.group, self.degree) if self.ask == "pointer" else order_of(self.group, self.degree)

    def solve(self, inputs: tuple[int, ...]) -> int:
        letters = self.letters_of(inputs)
        alphabet = self.alphabet
        product = tuple(range(points_of(self.group, self.degree)))
        for letter in letters:
            product = after(alphabet[letter], product)
        return product[0] if self.ask == "pointer" else self.finite_group.index(product)

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        example_draws = ExampleDraws((1, self.length), seed=seed, use=use, start=start + first, count=count)
        batch.lengths[:] = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        letters = below(example_draws.part(1), self.letter_count)
        answers = walked(self.moves(), letters, np.zeros(count, dtype=np.int64))
        write_letters(batch, letters, answers, self.end)

    def moves(self) -> np.ndarray:
        """Return a table of what each letter does to each element, or with `ask="pointer"` to each point."""
        if self.ask == "pointer":
            return np.array(self.alphabet, dtype=np.int64)
        if self.letters == "all":
            return self.finite_group.products
        return self.finite_group.products[[self.finite_group.index(letter) for letter in self.alphabet]]

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        letters = inputs if self.end is None else inputs[:-1]
        alphabet = self.alphabet
        shown: Any = answer if self.ask == "pointer" else list(self.elements[answer])
        return {"letters": [list(alphabet[letter]) for letter in letters], "answer": shown}

    def states_after(self, count: int) -> int:
        """Return R_K: the products of exactly K letters, or with `ask="pointer"` the images of point 0 under them.

        >>> task = WordProblem(length=9, letters="transpositions")
        >>> [task.states_after(count) for count in range(5)]
        [1, 10, 36, 60, 60]
        """
        if self.ask == "pointer":
            return points_reached(self.alphabet, 0, count)
        return products_reached(self.finite_group, self.alphabet, count)

    def answer_bits(self) -> int:
        """Return ceil(log2 R_K), exactly, for K = N with `ask="last"` and K = N - 1 with the others.

        Two products, or two points, that differ still do after the next letter. As many states as products are enough.
        """
        return ceil_log2(self.states_after(self.length - (self.end is None)))

    def alphabets(self, length: int) -> tuple[range, ...]:
        letters = (range(self.letter_count),) * length
        return letters if self.end is None else (*letters, range(self.end, self.end + 1))

    def label(self) -> str:
        return f"{self.name} {SYMBOLS[self.group]}_{self.degree}"
