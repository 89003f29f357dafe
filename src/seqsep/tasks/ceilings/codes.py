"""The accuracy of codes of B bits on index lookup: the best one by search for small sizes, and a good one for any size.

A ceiling is an upper limit. The accuracies here are lower ones: some function from N uniform symbols out of S to a state of B
bits, with some answers, has them. Whether a given architecture has weights that compute the function is another question.

The best function is the best code book. In a state z the model answers some word y_z of S^N, its answers to the N questions
(coins do not help: the best of their outcomes does as well as their mean). An input x is best sent to the state whose word has
the most symbols right. So the highest accuracy is 1 - (mean distance of a uniform word to the nearest of 2^B words) / N, over
the best choice of 2^B words; distance is the number of differing symbols. By translation one of them may be 0 .. 0.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np

from seqsep.tasks.ceilings.fano import require

MOST_CODE_BOOKS = 1_000_000
MOST_WORDS = 1 << 12


@cache
def best_accuracy(length: int, alphabet: int, state_bits: int) -> Fraction:
    """Return the highest accuracy of any state of B bits on index lookup, by testing every code.

    A code is a choice of 2^B words of N symbols. The state specifies one of these words, and the answers are its symbols. Only
    small sizes can be searched.

    Arguments:
        length: N, symbols of an input.
        alphabet: S, symbols to choose from.
        state_bits: B, bits of one example's state; from 0.

    Raises ValueError for more than 1,000,000 codes or 4,096 words.

    >>> best_accuracy(length=3, alphabet=2, state_bits=1)  # where the ceiling is 0.826
    Fraction(3, 4)
    """
    call = f"best_accuracy(length={length}, alphabet={alphabet}, state_bits={state_bits})"
    require(length >= 1 and alphabet >= 1 and state_bits >= 0, call, "length and alphabet at least 1, state_bits at least 0")
    words = alphabet**length
    if words <= 1 << state_bits:
        return Fraction(1)
    require(words <= MOST_WORDS, call, f"alphabet^length is at most {MOST_WORDS:,}")
    others = (1 << state_bits) - 1
    require(comb(words - 1, others) <= MOST_CODE_BOOKS, call, f"at most {MOST_CODE_BOOKS:,} code books")
    listed = np.array(list(product(range(alphabet), repeat=length)), dtype=np.int8)
    distance = (listed[:, None, :] != listed[None, :, :]).sum(axis=2, dtype=np.int16)
    least = min(
        int(distance[:, (0, *chosen)].min(axis=1).sum(dtype=np.int64)) for chosen in combinations(range(1, words), others)
    )
    return 1 - Fraction(least, words * length)


@cache
def code_accuracy(length: int, alphabet: int, state_bits: int) -> Fraction:
    """Return the accuracy on index lookup of a state of B bits that stores the symbols by a known code; for any size.

    The best accuracy is at least this number, and at most the ceiling. Two kinds of codes are compared, and the result is that
    of the better one. Let k be the greatest number with S^k <= 2^B:

    * The state keeps k symbols. It distinguishes the first 2^B // S^k values of the next symbol. The others are guessed as 0.
    * If S is a prime power, the state keeps as many blocks of (S^r - 1) / (S - 1) symbols as fit. A Hamming code saves r
      symbols of each block. This code is perfect: a block has no error with probability S^-r, and otherwise one error.
      The other symbols are kept or guessed as above.

    Arguments:
        length: N, symbols of an input.
        alphabet: S, symbols to choose from.
        state_bits: B, bits of one example's state; from 0.

    >>> float(code_accuracy(length=3, alphabet=2, state_bits=1)), float(code_accuracy(length=100, alphabet=64, state_bits=300))
    (0.75, 0.5078125)
    """
    call = f"code_accuracy(length={length}, alphabet={alphabet}, state_bits={state_bits})"
    require(length >= 1 and alphabet >= 1 and state_bits >= 0, call, "length and alphabet at least 1, state_bits at least 0")
    states = 1 << state_bits
    if alphabet**length <= states:
        return Fraction(1)
    kept = _most_kept(alphabet, states)
    dropped = length - kept
    guessed = 1 - Fraction(1, alphabet)
    distinguishing_suffix = Fraction(states // alphabet**kept - 1, alphabet)
    wrong = [dropped * guessed - distinguishing_suffix]
    redundancy = 2
    while _is_prime_power(alphabet) and _hamming_length(alphabet, redundancy) <= length:
        block = _hamming_length(alphabet, redundancy)
        blocks = min(length // block, dropped // redundancy, kept // (block - redundancy))
        in_blocks = blocks * (1 - Fraction(1, alphabet**redundancy))
        left = dropped - redundancy * blocks
        wrong.append(in_blocks + left * guessed - (distinguishing_suffix if left else 0))
        redundancy += 1
    return 1 - min(wrong) / length


def _most_kept(alphabet: int, states: int) -> int:
    """Return k, the most symbols that `states` states can hold. An alphabet of one symbol is outside this formula."""
    kept = 0
    power = alphabet
    while power <= states:
        power *= alphabet
        kept += 1
    return kept


def _hamming_length(alphabet: int, redundancy: int) -> int:
    return sum(alphabet**power for power in range(redundancy))


def _is_prime_power(number: int) -> bool:
    """Return True if there is a field with this number of elements."""
    divisor = next((one for one in range(2, number + 1) if number % one == 0), number)
    while number > 1 and number % divisor == 0:
        number //= divisor
    return number == 1 and divisor > 1
