"""Words of linear codes over Z_2 and Z_4 as signs, and the exact distribution of their correlations: every word is computed.

Word i of a code is (digits of i) . generator modulo `order`, 2 or 4, with the digits of i in base `order`, least first. As
signs, a symbol s of Z_2 is (-1)^s, and a symbol of Z_4 is a pair by Gray's map: 0 is ++, 1 is +-, 2 is --, 3 is -+. Either way
the product of two words depends on their difference alone, which is a word itself:

    T_u . T_v = order/2 * Re sum over symbols x of w^(u_x - v_x),   w = exp(2 pi i / order).

So the products over all pairs of words are the correlations of the words other than 0 with word 0. The sum is the Fourier
transform over Z_order^digits of how often each column occurs in the generator: one transform gives every word's correlation.
Sources: MacWilliams and Sloane 1977, chapter 5; Hammons, Kumar, Calderbank, Sloane and Sole 1994 for Z_4.
"""

from collections import Counter

import numpy as np
from jaxtyping import Int, Int64

MOST_WORDS = 1 << 24
SIGNS = {2: np.array([[1], [-1]]), 4: np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])}


def words(
    generator: Int64[np.ndarray, "digits symbols"], order: int, addresses: Int[np.ndarray, "n"]
) -> Int64[np.ndarray, "n k"]:
    """The words of the addresses as signs. Float32 products are exact here: sums of at most digits * (order - 1)^2."""
    digits = addresses.astype(np.int64)[:, None] // order ** np.arange(len(generator)) % order
    symbols = (digits.astype(np.float32) @ generator.astype(np.float32)).astype(np.int64) % order
    return SIGNS[order][symbols].reshape(len(addresses), generator.shape[1] * (order // 2)).astype(np.int64)


def correlations(generator: Int64[np.ndarray, "digits symbols"], order: int, count: int) -> Counter[int]:
    """How many of the words 1 .. count - 1 have which correlation with word 0. Exhaustive: every word is computed.

    Exact: every partial sum of the transform is an integer of magnitude at most the number of symbols, below 2^24.
    Raises ValueError for more words than 2^24 or than the generator has.
    """
    digits = 0
    while order**digits < count:
        digits += 1
    if digits > len(generator) or order**digits > MOST_WORDS:
        raise ValueError(f"correlations(order={order}, count={count}): at most min({order}^{len(generator)}, 2^24) words")
    table = np.zeros(order**digits, dtype=np.float32 if order == 2 else np.complex64)
    np.add.at(table, order ** np.arange(digits) @ generator[:digits], 1)
    dimension = generator.shape[1] * (order // 2)
    found = np.zeros(2 * dimension + 1, dtype=np.int64)
    table = _fourier(table, order, digits).real
    for first in range(0, count, 1 << 20):
        sums = table[first : min(count, first + (1 << 20))].astype(np.int64)
        found += np.bincount(sums * (order // 2) + dimension, minlength=len(found))
    found[-1] -= 1  # word 0 with itself
    return Counter({int(place) - dimension: int(found[place]) for place in found.nonzero()[0]})


def _fourier(table: np.ndarray, order: int, digits: int) -> np.ndarray:
    """Sum over c of w^(u . c) table[c] for every u, a few digits at a time through products of matrices."""
    at_once = 12 // order
    for last in range(digits, 0, -at_once):
        block = order ** min(at_once, last)
        places = np.arange(block)[:, None] // order ** np.arange(min(at_once, last)) % order
        turns = np.array([1, 1j, -1, -1j])[places @ places.T * (4 // order) % 4]
        # The highest digits go to the low end; when every digit has gone there, all stand in their first order.
        table = (table.reshape(block, -1).T @ (turns.real if order == 2 else turns).astype(table.dtype)).reshape(-1)
    return table
