"""Recall, c-grams and counting: one question whose possible answers depend on each other.

    B >= H(A_1 .. A_Q) - Q (h(e) + e log2(k - 1)),   e <= 1 - 1/k                    (1)

holds if one of Q questions is asked, each equally likely and independent of the data; A_i, a function of the data, is the
answer to question i, of k classes at most; and a state of B bits is computed from the data before the question is seen. e is
the error rate over data and question.

Proof. Let Z be the state, A the list A_1 .. A_Q, and e_i the error rate of question i. B >= H(Z) >= I(A; Z) = H(A) - H(A | Z),
and H(A | Z) <= sum_i H(A_i | Z) <= sum_i h(e_i) + e_i log2(k - 1) by Fano's inequality, since the model's answer to question i
is a function of Z and of coins independent of the data. The right side is concave in e_i: by Jensen it is at most Q times its
value at e, the mean of the e_i. A thought that the model writes after the question changes nothing.

Associative recall (Wen, Dang, Lyu 2025, arXiv:2402.18510, definition 4.3). The data are 1 .. n in a uniformly random order, and
the question is one of these numbers: the answer is the number after it, or FAILED for the last one. Each answer has k = n
values, since no number comes after itself. The answers to any j questions are uniform over n! / (n - j)! lists. For such a list
says, for each of the j numbers, what comes after it, and joins the numbers to blocks. If FAILED is not in it, n - j blocks are
left, in any order. If FAILED is in it, n - j + 1 blocks are left, one of them last. So each list that occurs has (n - j)! of
the n! orders. These are the values of (5) in `tasks.ceilings.one_of_many` with S = n, and its proof needs nothing else: (5)
holds for every j from 1 to n. With j = n only, (1) would allow 0.387 for n = 64 and an empty state; the least over all j is
1/64.

c-grams (definition 4.4). The data are N uniform and independent symbols out of S, and the question is the c - 1 symbols that
begin at a place i, uniform over the M = N - c + 1 places after which there is a symbol; the answer is the symbol after their
first place.

    accuracy <= c(B, M) + r,   c(B, M): the ceiling of index lookup of M symbols out of S                             (2)

with r = (M - 1) / (2 S^(c-1)), and for c = 2 also r = 1 - (S / M) (1 - (1 - 1/S)^M).

Proof. With G_i the question at place i and Y_i the symbol after it, H(X | Z) <= (c - 1) log2 S + sum_i H(Y_i | G_i, Z), by
the chain rule along the data. The model's answer is a function of Z and G_i. It differs from Y_i with chance at most e_i +
r_i, r_i the chance that G_i is at an earlier place too: if it does not, Y_i is the right answer. Two places hold equal
symbols with chance S^-(c-1), also if they overlap, as those of the second follow one by one from those before: r_i <= (i - 1)
/ S^(c-1), and for c = 2 exactly r_i = 1 - (1 - 1/S)^(i-1). The mean of the r_i is at most r. So B >= I(X; Z) >= M log2 S -
sum_i phi(e_i + r_i), with phi of Fano's inequality, constant from 1 - 1/S on: concave and rising, and the rest is as above.

Counting (definition 4.5) with threshold 0: does the number q occur? The data are n uniform and independent numbers of 1 .. n,
and q is uniform. The answers are the set of numbers that occur: H is its entropy, Q = n, k = 2. A given set of s numbers is the
one that occurs with chance surj(n, s) / n^n, where surj counts the maps onto s numbers.

A state below the exact least one (theorems recall-state and counting-state) answers some input wrongly. These bounds say how
often it does so on average at least. They are upper limits of accuracy. A code or an architecture may not reach them.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb

from seqsep.tasks.ceilings.fano import DIGITS, highest_accuracy, require, rounded_up
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling
from seqsep.tasks.ceilings.one_of_many import distinct_values_ceiling

MOST_NUMBERS = 2048


@cache
def recall_ceiling(numbers: int, state_bits: int) -> float:
    """Return the highest accuracy on associative recall of the numbers 1 .. n in random order, rounded up.

    A query is one of the numbers, and the answer is the next number (Wen, Dang, Lyu 2025, definition 4.3).

    Arguments:
        numbers: n; from 2.
        state_bits: B, bits of one example's state; from 0. For an empty state the result is 1/n, as for a guess.

    >>> recall_ceiling(numbers=16, state_bits=45), round(recall_ceiling(numbers=16, state_bits=22), 3)
    (1.0, 0.798)
    """
    call = f"recall_ceiling(numbers={numbers}, state_bits={state_bits})"
    require(numbers >= 2 and state_bits >= 0, call, "numbers is at least 2, state_bits at least 0")
    return distinct_values_ceiling(numbers, numbers, state_bits)


def gram_ceiling(length: int, alphabet: int, gram: int, state_bits: int) -> float:
    """Return the highest accuracy on n-gram retrieval, rounded up; at most 1.

    Arguments:
        length: N, independent and uniform symbols of an input.
        alphabet: S, symbols to choose from.
        gram: c, one more than the symbols of a query; from 2.
        state_bits: B, bits of one example's state; from 0.

    >>> round(gram_ceiling(length=64, alphabet=64, gram=3, state_bits=186), 3)
    0.661
    """
    call = f"gram_ceiling(length={length}, alphabet={alphabet}, gram={gram}, state_bits={state_bits})"
    require(2 <= gram <= length, call, "gram is 2 to length")
    require(alphabet >= 2 and state_bits >= 0, call, "alphabet is at least 2, state_bits at least 0")
    places = length - gram + 1
    repeated = Fraction(places - 1, 2 * alphabet ** (gram - 1))
    if gram == 2 and places <= MOST_NUMBERS:
        new = Fraction(alphabet, places) * (1 - Fraction(alphabet - 1, alphabet) ** places)
        repeated = min(repeated, 1 - new)
    return rounded_up(min(Fraction(1), Fraction(index_lookup_ceiling(places, alphabet, state_bits)) + repeated))


@cache
def occurrence_ceiling(numbers: int, state_bits: int) -> float:
    """Return the highest accuracy on counting with threshold 0, which asks if a number occurs; rounded up.

    The input is n uniform and independent numbers of 1 .. n (Wen, Dang, Lyu 2025, definition 4.5).

    Arguments:
        numbers: n; 2 to 2,048.
        state_bits: B, bits of one example's state; from 0.

    >>> round(occurrence_ceiling(numbers=64, state_bits=0), 3), round(occurrence_ceiling(numbers=64, state_bits=32), 3)
    (0.639, 0.908)
    """
    call = f"occurrence_ceiling(numbers={numbers}, state_bits={state_bits})"
    require(2 <= numbers <= MOST_NUMBERS, call, f"numbers is 2 to {MOST_NUMBERS:,}")
    require(state_bits >= 0, call, "state_bits is at least 0")
    return _questions_ceiling(_entropy_of_the_set(numbers), questions=numbers, classes=2, state_bits=state_bits)


def _questions_ceiling(entropy_nats: Decimal, *, questions: int, classes: int, state_bits: int) -> float:
    """Return the ceiling (1) for answers of `entropy_nats` nats together."""
    with localcontext(Context(prec=DIGITS, rounding=ROUND_CEILING)):
        return highest_accuracy((entropy_nats - state_bits * Decimal(2).ln()) / questions, classes)


@cache
def _entropy_of_the_set(numbers: int) -> Decimal:
    """Return the entropy, in nats, of the set of numbers among n uniform ones of 1 .. n."""
    onto = [0] * (numbers + 1)
    onto[0] = 1
    for _ in range(numbers):
        # surj(m, s) = s (surj(m - 1, s) + surj(m - 1, s - 1)): the last of m goes anywhere, or alone to a number of its own.
        onto = [0, *(size * (onto[size] + onto[size - 1]) for size in range(1, numbers + 1))]
    sequences = numbers**numbers
    with localcontext(Context(prec=DIGITS, rounding=ROUND_FLOOR)):
        log_sequences = Decimal(sequences).ln()
        entropy = Decimal(0)
        for size in range(1, numbers + 1):
            chance = Decimal(comb(numbers, size) * onto[size]) / Decimal(sequences)
            entropy += chance * (log_sequences - Decimal(onto[size]).ln())
    return entropy
