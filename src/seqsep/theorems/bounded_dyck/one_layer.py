"""One attention layer that recognises bracket words of depth 2 or more needs a width that grows almost linearly in N.

For words of N brackets the bound is m H >= const N / (p + log N). The layer has H heads of m coordinates, and numbers of p
bits. Two layers need only a width of O(log N): see `bounded-dyck-attention`.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 1, Theorems 5 and 10, appendix E. N is even. Alice has the brackets
at positions 1, 3, .., and Bob those at 2, 4, .. . Both want to know whether the string is a word of Dyck-(n,k), correctly
nested brackets of n kinds at most k deep.

We differ:
* The number of kinds n and the depth k >= 2 may be any numbers. In the paper both are 2.
* Two words of depth at most 2 with the same even half are equal. The proof needs this. The paper shows it only for odd halves.
* The bound is computed from the bits that our protocol sends. With few heads it is up to 2.5 times the bound of the paper.

Proof. By Lemma 1 the set S of words of Dyck-(n,2) is a fooling set (`_fooling_set`). So a protocol for Dyck-(n,k) sends at
least log2 |S| bits (Fact 4), even if only one party learns the answer. For n = 2 this is N - 1 bits. By Theorem 4 a layer gives
a protocol, and ours sends `cost` bits (`one-layer-protocol`). So N - 1 <= `cost`. For m >= 2, `cost` is at most 3 m (p + log2
N) H, the total that the paper states. In most cases the steps in the paper send more.

The bound is about *recognition*. One layer with one head gives the next brackets of Dyck-(n,2) after every valid prefix
(`bounded-dyck-attention`, variant `one-layer`). The protocol runs on that layer as well. This is not a contradiction. The
answers of that layer after invalid prefixes mean nothing, so its answer at the last token does not decide membership.

The proof continues in `_fooling_set`.
"""

from collections.abc import Callable
from math import floor, isqrt
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.bounded_dyck import attention as bounded_dyck_attention
from seqsep.theorems.bounded_dyck._collision import counting_model, erring_input
from seqsep.theorems.bounded_dyck._fooling_set import require_fooling_set, words
from seqsep.theorems.bounded_dyck._strings import written
from seqsep.theorems.evidence import Evidence, FoolingSetWords
from seqsep.theorems.options import Exponent, Heads, LengthFrom2, Precision, Seed, Width
from seqsep.theorems.protocols import one_layer_protocol
from seqsep.theorems.protocols.one_layer_ledger import first_excluded

CLAIM = Claim(
    name="bounded-dyck-one-layer",
    source="Bhattamishra et al. 2024, Theorems 5 and 10",
    statement="One attention layer with stepwise softmax that recognises Dyck-(2,k), k >= 2, has m H of order at least N / (p "
    "+ log N)",
)
LEMMA = Claim(
    name=CLAIM.name,
    source="Bhattamishra et al. 2024, Lemma 1",
    statement="The words of Dyck-(n,2) are a fooling set: their odd halves differ, and their even halves differ",
)
RUN = "A one-layer model gives the logits of a word on an input that is not a word"
NEXT = "The protocol runs on the one-layer model that gives the next brackets of Dyck-(2,2)"
LENGTHS = (400, 1024, 8192, 10**6)
LONGEST_WHOLE = 14
TOKENS = 4


def cost(length: int, width: int, heads: int, grid: Grid) -> int:
    """Count the bits with which the party with the last bracket learns the answer of a one-layer model.

    The last token is sent, not its vector.

    >>> cost(length=400, width=2, heads=1, grid=Grid.of(400, 2)), cost(length=400, width=6, heads=1, grid=Grid.of(400, 2))
    (232, 444)
    """
    steps = one_layer_protocol.message_bits(
        length=length, width=width, embedding=1, heads=heads, grid=grid, variant="one-learns", vocabulary=TOKENS
    )
    return steps["total"]


def needed(length: int, grid: Grid) -> dict[str, Number]:
    """Find the least m H for N, by the constant in the paper and counted: for any m and H, and with one head.

    >>> needed(length=400, grid=Grid.of(400, 2))["one head"]
    6
    """
    bits = length - 1
    product = one_layer_protocol.least_width_heads(bits, grid.precision, length, vocabulary=TOKENS, grid=grid)
    one_head = one_layer_protocol.least_width(bits, length, grid, heads=1, variant="one-learns", vocabulary=TOKENS)
    return {"precision": grid.precision, "printed": product.printed, "any heads": product.counted, "one head": one_head}


def grids(exponent: int = 2, precision: int | None = None) -> Callable[[int], Grid]:
    """Choose the grid of each N: L = N^Kc for Kc = `exponent`, or the finest grid of `precision` bits.

    >>> grids(exponent=2)(10).steps, grids(precision=8)(10).steps
    (100, 11)
    """
    if precision is not None:
        fixed = Grid(isqrt(((1 << precision) - 1) // 2))
        return lambda length: fixed
    return lambda length: Grid.of(length, exponent)


def fails_from(width: int, heads: int, grid_of: Callable[[int], Grid], printed: bool = False) -> int:
    """Find the least even N from which no model of these sizes recognises Dyck-(2,k) at any even length.

    `grid_of(N)` is its grid, never coarser for a greater N. A model is too small if its protocol takes fewer than N - 1 bits.
    The protocol's bits are T(N), by the count or by the total in the paper. So the last N that is possible is at most T(N) +
    1.

    >>> fails_from(width=64, heads=1, grid_of=grids(exponent=2))
    4980
    """

    def last_possible(length: int) -> int:
        grid = grid_of(length)
        if printed:
            return floor(one_layer_protocol.printed(length, width, heads, grid.precision)) + 1
        return cost(length, width, heads, grid) + 1

    return first_excluded(last_possible)


def check(
    length: LengthFrom2 = 14,
    width: Width = 2,
    heads: Heads = 1,
    exponent: Exponent = 2,
    precision: Annotated[Precision, Range(4, 1 << 10)] | None = None,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check Lemma 1, the N from which models of these sizes fail, and the protocol on two models.

    The sizes are m = `width` and H = `heads`. The lemma is checked for 2 kinds at `length`, up to 14. The grids have L =
    N^`exponent`, or `precision` bits at every N. The models are the one that counts brackets and the one that gives next
    brackets. Raises ValueError for lengths that are odd or above 14, or numbers below 1 (a precision below 4); TheoremFails if
    a run contradicts the proof.
    """
    if min(width, heads, exponent) < 1 or (precision is not None and precision < 4):
        raise ValueError(
            f"check(width={width}, heads={heads}, exponent={exponent}, precision={precision}): at least 1, precision at least 4"
        )
    grid_of = grids(exponent, precision)
    variant = f"m = {width}, H = {heads}, " + (f"L = N^{exponent}" if precision is None else f"p = {precision}")
    return [
        _check_lemma(length),
        _check_sizes(width, heads, grid_of, variant),
        _check_err(6, seed),
        _check_err(fails_from(2, 1, grids(2)), seed),
        _check_next(min(length, 6)),
    ]


def _check_lemma(length: int) -> Outcome:
    """Check that the words of Dyck-(2,2) are all there and that their halves differ."""
    given = words(length)
    require_fooling_set(CLAIM, given, 2)
    return LEMMA.lower(
        length=length,
        inputs=len(given),
        exhaustive=True,
        measured={"words": len(given), "bits": ceil_log2(len(given))},
        bound={"words": 2 ** (length - 1), "bits": length - 1},
        variant="fooling set",
        witness={"words": [written(word, 2) for word in given[:4]], "of": len(given)},
    )


def _check_sizes(width: int, heads: int, grid_of: Callable[[int], Grid], variant: str) -> Outcome:
    """Find from which N a model of these sizes is too small, and the m H needed at four lengths."""
    least = fails_from(width, heads, grid_of)
    needed_at = {length: needed(length, grid_of(length)) for length in LENGTHS}
    printed: dict[str, Number | str] = {"bites_from": fails_from(width, heads, grid_of, printed=True)}
    counted = {}
    for length, sizes in needed_at.items():
        printed[f"mH at N = {length}"] = f"{sizes['printed']:.4g}"
        counted[str(length)] = {name: size for name, size in sizes.items() if name != "printed"}
    return CLAIM.lower(
        length=least,
        inputs=len(LENGTHS),
        computed=True,
        measured={"bits": cost(least, width, heads, grid_of(least))},
        bound={"bits": least - 1},
        as_printed=printed,
        variant=variant,
        witness=counted,
    )


def _check_err(length: int, seed: int) -> Outcome:
    """Test the counting model on all words, or beyond length 14 on drawn ones; it fails at shorter lengths than it must."""
    network = counting_model(length)
    task = BoundedDyck(length)
    given = words(length) if length <= LONGEST_WHOLE else task.sample(0, 400, seed).inputs
    shown = erring_input(network, given[task.accepts(given)])
    if shown is None:
        raise CLAIM.fails({"length": length, "words": len(given), "found": "no two words with one transcript"})
    bits = cost(length, 2, 1, network.grid)
    return CLAIM.lower(
        statement=RUN,
        length=length,
        inputs=shown.words_tried,
        measured={"bits": bits},
        bound={"bits": length - 1},
        variant="counting model" + (", too small for this length" if bits < length - 1 else ""),
        witness={
            "words": [written(np.array(word), 2) for word in shown.words],
            "errs_on": written(np.array(shown.errs_on), 2),
            "answer": shown.answer,
            "expected": shown.expected,
        },
    )


def _check_next(length: int) -> Outcome:
    """Run the protocol on the built one-layer model, [BOS] and the odd half being Alice's.

    The model gives next brackets, which is not recognition, so it contradicts nothing.
    """
    network = bounded_dyck_attention.build(length, variant="one-layer", ask="next")
    given = words(length)
    alice = (0, *range(1, length + 1, 2))
    total = 0
    for word in given:
        tokens = np.concatenate([[TOKENS], word])
        steps = one_layer_protocol.reduce(network, tokens, alice, "one-learns", question="token", name=CLAIM.name)
        total = steps["total"]
    return CLAIM.lower(
        statement=NEXT,
        length=length,
        inputs=len(given),
        exhaustive=True,
        measured={"bits": total},
        bound={"bits": total},
        variant="next brackets",
    )


def certificate_witness(length: LengthFrom2 = 14) -> Evidence:
    """Show for a certificate of Lemma 1 all words of Dyck-(2,2), for `length` up to 14. Raises ValueError as `words`."""
    given = words(length)
    witness = FoolingSetWords(alice=list(range(0, length, 2)), value=1, words=given.tolist(), complete=True)
    return Evidence(BoundedDyck.name, {"depth": 2, "kinds": 2, "length": length}, witness)


TEST = "tests/theorems/bounded_dyck/test_one_layer.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="S is the set of words of depth at most 2, and the two halves of a word are its brackets at odd and at even places. "
    "At N <= 14 a run lists S, and shows that no two words of S have an equal half. The proof turns a layer into a protocol of "
    "two parties, who have one half each. On the networks that are tested, this protocol gives the answers of the forward "
    "pass. The counting model of the output is a layer that only counts brackets. If the protocol has fewer than N - 1 bits, "
    "two words of S lead to the same transcript, the record of all bits sent. Then the run finds a mixed input, with one half "
    "of each word. The network gives it the logits of a word, although it is not a word.",
    not_shown="This does not show that every one-layer model below the bound is wrong. The proof shows that.",
    nothing_to_apply="a lower bound on one layer; bounded-dyck-attention and bounded-dyck-state recognise the words",
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Lemma 1, appendix E",
            printed='"if x is the string of symbols in the odd indices [...] then the string of symbols y in the even indices '
            "such that "
            'f(x, y) = 1 is unique", from which the mixed pairs are not words',
            found="this does not exclude two words with the same even half. The mixed inputs of two such words would both be "
            "words",
            built="a proof that no two words have the same even half: it reads them from right to left. Odd and even halves "
            "are checked for every word up to N = 14",
            test=TEST + "test_one_half_alone_does_not_make_a_fooling_set",
        ),
        Erratum(
            where="Section 4.1, before Theorem 5",
            printed='"Combining Lemmas 4 and 1 entails a lower bound on the width of a Transformer"',
            found="Lemma 4 is about finite automata and recurrent models; Theorem 4, the protocol, is meant",
            built="the bound from `one-layer-protocol` and the fooling set of Lemma 1",
            test=TEST + "test_the_bound_is_that_of_theorem_4_and_not_of_lemma_4",
        ),
    ),
    choices=(
        Choice(
            where="Lemma 1, Theorems 5 and 10",
            printed='"fooling set S contains all strings of length N in the language Dyck-(2,2)"',
            found="true at depth 2, which the lemma is about. At depth 3 the set of all words is not a fooling set: the 208 "
            "words of length 8 have only 128 different odd halves",
            built="the words of depth 2 are a fooling set of Dyck-(n,k) for every k >= 2, so the same bound holds there",
            test=TEST + "test_depth_three_has_other_words_and_the_same_bound",
        ),
        Choice(
            where="Theorems 5 and 10, and section 6",
            printed='m H >= (N - 1) / (3 (p + log N)); on Dyck-(2,2) the one-layer model has "a width of 256 across lengths in '
            '{20, ..., 400} most of which are smaller than the width of the model"',
            found="true. On a grid with L = N^2 the bound is m H >= 3.0 at N = 400, 6.6 at 1,024, 41 at 8,192 and 3,303 at "
            "10^6. So it does not exclude a width of 256 at the lengths 20 to 400. The bound uses the total of Theorem 4, but "
            "the steps of that theorem, as the paper gives them, cost more bits than this total",
            built="proved for m >= 2 by a protocol with fewer bits; with one head m >= 6, 15, 101 and 8,263 at these N, "
            "and m = 64 fails from N = 4,980 on",
            test=TEST + "test_from_which_length_it_bites",
        ),
    ),
)
