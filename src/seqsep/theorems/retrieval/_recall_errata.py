"""The printed hard instances of associative recall and c-gram retrieval, and what is wrong with them.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), the lower bound of Theorem 4.6. A bit string x_1 .. x_m is written as m blocks
of c numbers, block i as c - 1 times the key i and then x_i + m; asking for c - 1 times the key k is to give x_k. A value 0 + m
is the key m, so the key m may occur before its own block: values must begin at m + 1.
"""

from collections.abc import Sequence

from seqsep.theorems.base import Erratum


def instance(bits: Sequence[int], gram: int, least_value: int) -> list[int]:
    """Block i is c - 1 times the key i, counted from 1, and then the value x_i + `least_value`; printed: the number of bits.

    >>> instance([0, 1], gram=2, least_value=2), instance([0, 1], gram=3, least_value=2)
    ([1, 2, 2, 3], [1, 1, 2, 2, 2, 3])
    """
    tokens = []
    for key, bit in enumerate(bits, start=1):
        tokens += [key] * (gram - 1) + [bit + least_value]
    return tokens


ERRATA = (
    Erratum(
        where="Theorem 4.6, lower bound, associative recall",
        printed="the values are x_i + n/2, with the keys 1 to n/2",
        found="x = (0, 1) gives 1 2 2 3. There the first token after the key 2 is 2, not 3",
        built="values x_i + n/2 + 1 decode every bit",
        test="tests/theorems/retrieval/test_recall_attention.py::test_printed_instances_have_values_that_are_keys",
    ),
    Erratum(
        where="Theorem 4.6, lower bound, c-gram retrieval",
        printed="bit strings have length n/2 and the values are x_i + n/c, with the keys 1 to n/c",
        found="n tokens hold n/c blocks. For c = 3, x = (0, 1) gives 1 1 2 2 2 3. There the first token after 2 2 is 2, not 3",
        built="bit strings of length n/c and values x_i + n/c + 1 decode every bit",
        test="tests/theorems/retrieval/test_recall_attention.py::test_printed_instances_have_values_that_are_keys",
    ),
)
