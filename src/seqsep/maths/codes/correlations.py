"""Words of linear codes over Z_2 and Z_4 as signs, and the exact distribution of their correlations.

Word i of a code is (digits of i) . generator modulo `order`, 2 or 4, with the digits of i in base `order`, the least first. As
signs, a symbol s of Z_2 is (-1)^s, and a symbol of Z_4 is a pair by Gray's map: 0 is ++, 1 is +-, 2 is --, 3 is -+. Either way
the product of two words depends on their difference alone, which is a word itself:

    T_u . T_v = order/2 * Re sum over symbols x of w^(u_x - v_x),   w = exp(2 pi i / order).

So the products over all pairs of words are the correlations of the words other than 0 with word 0. The sum is the Fourier
transform, over Z_order^digits, of how often each column occurs in the generator: one transform gives every correlation.
Sources: MacWilliams and Sloane 1977, chapter 5; Hammons, Kumar, Calderbank, Sloane and Sole 1994 for Z_4.
"""

from collections import Counter

import numpy as np
from jaxtyping import Int, Int64

MOST_WORDS = 1 << 24
WORDS_AT_ONCE = 1 << 20
SIGNS = {2: np.array([[1], [-1]]), 4: np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])}


def words(
    generator: Int64[np.ndarray, "digits symbols"], order: int, addresses: Int[np.ndarray, "n"]
) -> Int64[np.ndarray, "n k"]:
    """The words of the addresses as signs, in k = symbols * order / 2 coordinates.

    The float32 products are exact: their sums are at most digits * (order - 1)^2.

    >>> words(np.array([[0, 1, 2, 3]]), 4, np.array([1])).tolist()
    [[1, 1, 1, -1, -1, -1, -1, 1]]
    """
    digits = addresses.astype(np.int64)[:, None] // order ** np.arange(len(generator)) % order
    symbols = (digits.astype(np.float32) @ generator.astype(np.float32)).astype(np.int64) % order
    return SIGNS[order][symbols].reshape(len(addresses), generator.shape[1] * (order // 2)).astype(np.int64)


def correlations(generator: Int64[np.ndarray, "digits symbols"], order: int, count: int) -> Counter[int]:
    """Count the words 1 .. count - 1 by their correlation with word 0; every word is computed.

    The counts are exact: a partial sum of the transform is an integer of at most the number of symbols, below 2^24.
    Raises ValueError for more words than 2^24 or than the generator has.

    >>> from seqsep.maths.codes.linear_codes import kerdock
    >>> sorted(correlations(kerdock(3), 4, 256).items())
    [(-16, 1), (-4, 112), (0, 30), (4, 112)]
    """
    digits = 0
    while order**digits < count:
        digits += 1
    if digits > len(generator) or order**digits > MOST_WORDS:
        raise ValueError(f"correlations(order={order}, count={count}): at most min({order}^{len(generator)}, 2^24) words")
    table = np.zeros(order**digits, dtype=np.float32 if order == 2 else np.complex64)
    np.add.at(table, order ** np.arange(digits) @ generator[:digits], 1)
    dimension = generator.shape[1] * (order // 2)
    counts = np.zeros(2 * dimension + 1, dtype=np.int64)  # entry i counts correlation i - dimension
    table = _fourier(table, order, digits).real
    for first in range(0, count, WORDS_AT_ONCE):
        sums = table[first : min(count, first + WORDS_AT_ONCE)].astype(np.int64)
        counts += np.bincount(sums * (order // 2) + dimension, minlength=len(counts))
    counts[-1] -= 1  # word 0 with itself
    return Counter({int(place) - dimension: int(counts[place]) for place in counts.nonzero()[0]})


def _fourier(table: np.ndarray, order: int, digits: int) -> np.ndarray:
    """The sum over c of w^(u . c) table[c] for every u; a few digits at a time, as products of matrices."""
    at_once = 12 // order
    for last in range(digits, 0, -at_once):
        block = order ** min(at_once, last)
        places = np.arange(block)[:, None] // order ** np.arange(min(at_once, last)) % order
        characters = np.array([1, 1j, -1, -1j])[places @ places.T * (4 // order) % 4]
        if order == 2:
            characters = characters.real
        # The highest digits move to the low end; once every digit has moved there, the order is the first one again.
        table = (table.reshape(block, -1).T @ characters.astype(table.dtype)).reshape(-1)
    return table
