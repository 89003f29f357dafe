"""The second paper's instances that code a bit string into a retrieval task, as printed and mended.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), proof of Theorem 4.6. Alice writes x as data, Bob asks for one bit of it; if the
answer to question k tells x_k for every x, a model must tell all x apart. Numbers are from 1, as printed; data are padded at
the end with a number that changes no answer, so that there are n tokens. The instances of recall are `_recall_errata.instance`.

* Associative recall: 1, x_1 + v, 2, x_2 + v, .., h, x_h + v for h = n/2; question k. Printed v = n/2 is also the key h: for
  x_h = 0, or for an earlier 0, the question h finds the value n/2 before or as the key. v = n/2 + 1 mends it, for n >= 4.
* c-gram retrieval: every key c - 1 times, then its value x_k + v, for h = n/c keys; printed v = n/c, the same collision.
* Counting: the k with x_k = 1; question k, threshold 1 as printed: no number occurs more than once. Threshold 0 mends it.
"""

from collections.abc import Sequence


def recall_answer(data: Sequence[int], query: Sequence[int]) -> int | None:
    """The token after the first place where the question's tokens stand in the data, from the definition; None if nowhere.

    >>> recall_answer((1, 2, 2, 3), query=(2,))
    2
    """
    asked = tuple(query)
    for place in range(len(data) - len(asked)):
        if tuple(data[place : place + len(asked)]) == asked:
            return data[place + len(asked)]
    return None


def recalled_bits(data: Sequence[int], keys: int, gram: int, *, least_value: int) -> list[int | None]:
    """What Bob takes for the bits: the answer to each question, less the value of a 0.

    >>> recalled_bits((1, 2, 2, 3), keys=2, gram=2, least_value=2)  # the second bit is 1
    [0, 0]
    """
    answers = (recall_answer(data, (key,) * (gram - 1)) for key in range(1, keys + 1))
    return [None if answer is None else answer - least_value for answer in answers]


def counting_instance(bits: Sequence[int]) -> tuple[int, ...]:
    """The places, from 1, of the ones; padded to `len(bits)` tokens with n + 1, which is no place.

    >>> counting_instance([0, 1, 1])
    (2, 3, 4)
    """
    ones = [place for place, bit in enumerate(bits, start=1) if bit]
    return (*ones, *(len(bits) + 1,) * (len(bits) - len(ones)))


def counted_bits(data: Sequence[int], threshold: int) -> list[int]:
    """What Bob takes for the bits: whether each place occurs more than `threshold` times.

    >>> counted_bits((2, 3, 4), threshold=1), counted_bits((2, 3, 4), threshold=0)
    ([0, 0, 0], [0, 1, 1])
    """
    return [int(list(data).count(place) > threshold) for place in range(1, len(data) + 1)]
