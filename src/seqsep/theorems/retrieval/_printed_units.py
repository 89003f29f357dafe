"""Hidden units of the second paper's lemmas, in its words and mended: the indicator of an integer and the threshold.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Lemmas C.3 and C.5.
"""

from collections.abc import Sequence
from fractions import Fraction

from seqsep.theorems.base import Erratum

PRINTED_SIGNS = (1, -1, -1, 1)
MENDED_SIGNS = (1, -1, 1, -1)
OFFSETS = (Fraction(1, 2), Fraction(-1, 2), Fraction(-3, 5), Fraction(2, 5))


def indicator(x: int, wanted: int, signs: Sequence[int]) -> Fraction:
    """Lemma C.3: 10 times the signed sum of relu(B - x + o) over the offsets o = 1/2, -1/2, -3/5, 2/5, for B = `wanted`.

    >>> [int(indicator(x, 5, PRINTED_SIGNS)) for x in (4, 5, 6)], [int(indicator(x, 5, MENDED_SIGNS)) for x in (4, 5, 6)]
    ([20, 9, 0], [0, 1, 0])
    """
    units = [max(Fraction(0), wanted - x + offset) for offset in OFFSETS]
    return 10 * sum((sign * unit for sign, unit in zip(signs, units, strict=True)), start=Fraction(0))


def threshold(x: Fraction, least: Fraction, gap: Fraction) -> Fraction:
    """Lemma C.5 with as many output weights as units, (2 / gap) (1, -1): 0 up to `least` - gap / 2, and 1 from `least` on.

    >>> [int(threshold(Fraction(x, 4), least=Fraction(1), gap=Fraction(1))) for x in (0, 2, 4, 9)]
    [0, 0, 1, 1]
    """
    units = (max(Fraction(0), x - least + gap / 2), max(Fraction(0), x - least))
    return 2 / gap * (units[0] - units[1])


TESTS = "tests/theorems/retrieval/test_attention_blocks.py::"
ERRATA = (
    Erratum(
        where="Lemma C.3",
        printed="output weights 10 [1, -1, -1, 1] make an indicator of the integer B",
        found="the output is 20, 9 and 0 at B - 1, B and B + 1",
        built="[1, -1, 1, -1] gives 0, 1, 0. Our networks use `blocks.bump`, or the score of a head, to compare numbers",
        test=TESTS + "test_printed_signs_make_no_indicator",
    ),
    Erratum(
        where="Lemma C.5",
        printed="four output weights for the two hidden units of a threshold",
        found="a matrix of one row and four columns has no product with two hidden units",
        built="(2 / eps) [1, -1]",
        test=TESTS + "test_a_threshold_has_as_many_weights_as_units",
    ),
    Erratum(
        where="Lemma C.15",
        printed="the text says that the largest matching position is found",
        found="the scores -n^(4c+1) diff^2 - n k'^2 are greatest at the smallest matching position: if 1 and 2 match, at 1",
        built="`match` finds the first and `match-close` the last",
        test=TESTS + "test_printed_scores_of_match_find_the_first",
    ),
)
