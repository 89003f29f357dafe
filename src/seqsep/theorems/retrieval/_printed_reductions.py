"""The instances of Wen, Dang and Lyu that code a bit string into a retrieval task, in the paper and corrected.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), proof of Theorem 4.6. Alice writes a bit string x as data, and Bob asks for one
bit of it. If the answer to question k gives x_k for every x, a model must distinguish all x. Numbers are from 1, as in the
paper. Data are padded at the end to n tokens, with a number that changes no answer. The instances of recall are
`_recall_errata.instance`.

* Associative recall, with h = n/2 keys: 1, x_1 + v, 2, x_2 + v, .., h, x_h + v, and the question k. In the paper v = n/2,
  which is also the key h. So if x_i = 0 for some i < h, the question h finds this value before the key h. With v = n/2 + 1 the
  answers are right for n >= 4.
* c-gram retrieval, with h = n/c keys: every key k is repeated c - 1 times, and its value x_k + v follows. In the paper v = n/c,
  which is also a key.
* Counting: the data are the k with x_k = 1, and the question is k. In the paper the threshold is 1, but no number occurs
  more than once. With threshold 0 it is right.
"""

from collections.abc import Sequence


def recall_answer(data: Sequence[int], query: Sequence[int]) -> int | None:
    """Return the token after the first place of the question's tokens in the data, from the definition; None if they are
    nowhere.

    >>> recall_answer((1, 2, 2, 3), query=(2,))
    2
    """
    asked = tuple(query)
    for place in range(len(data) - len(asked)):
        if tuple(data[place : place + len(asked)]) == asked:
            return data[place + len(asked)]
    return None


def recalled_bits(data: Sequence[int], keys: int, gram: int, *, least_value: int) -> list[int | None]:
    """Return the bits that Bob reads: the answer to each question, less the value that represents 0.

    >>> recalled_bits((1, 2, 2, 3), keys=2, gram=2, least_value=2)  # the second bit is 1
    [0, 0]
    """
    answers = (recall_answer(data, (key,) * (gram - 1)) for key in range(1, keys + 1))
    return [None if answer is None else answer - least_value for answer in answers]


def counting_instance(bits: Sequence[int]) -> tuple[int, ...]:
    """The places, from 1, of the ones; padded to `len(bits)` tokens with n + 1, which is not a place.

    >>> counting_instance([0, 1, 1])
    (2, 3, 4)
    """
    ones = [place for place, bit in enumerate(bits, start=1) if bit]
    return (*ones, *(len(bits) + 1,) * (len(bits) - len(ones)))


def counted_bits(data: Sequence[int], threshold: int) -> list[int]:
    """The bits that Bob reads: 1 for each place that occurs more than `threshold` times, else 0.

    >>> counted_bits((2, 3, 4), threshold=1), counted_bits((2, 3, 4), threshold=0)
    ([0, 0, 0], [0, 1, 1])
    """
    return [int(list(data).count(place) > threshold) for place in range(1, len(data) + 1)]
