"""The paper's construction of counting, and what is wrong with it; its hard instance is in `counting_state`.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, Counting.
"""

from collections.abc import Sequence

from seqsep.theorems.base import Erratum


def printed_answer(numbers: Sequence[int], query: int, threshold: int) -> int:
    """The printed rule: (t + 1) a < 1, where a = 1/(m' + 1) is what COUNT gives for the query at the last token.

    COUNT counts all tokens up to the one that asks: the query too, and the threshold if it is the query.

    >>> printed_answer([0], query=0, threshold=1)  # 0 occurs once, not more than once
    1
    """
    counted = [*numbers, query, threshold].count(query)
    return int(threshold + 1 < counted + 1)


ERRATA = (
    Erratum(
        where="Theorem 4.6, Counting, construction",
        printed="answer 1 iff (t + 1) / (m + 1) < 1 with 1 / (m + 1) from COUNT",
        found="COUNT also counts the query token, and t if t = q. So the rule is wrong on 419 of 1,344 inputs; the first is "
        "x = 0, q = 0, t = 1",
        built="the count is taken at the query token, before the threshold, and compared with 1/(t + 2) and 1/(t + 3)",
        test="tests/theorems/retrieval/test_counting_attention.py::test_the_printed_rule_counts_the_question",
    ),
)
