"""One question about n items: different values, a phonebook, and errors that depend on the place.

Different values. Each list of n different values out of S is equally likely, as in zoology's form of multi-query recall, and e
is the error rate over items and lists. For every j from 1 to n

    B >= log2(S (S - 1) .. (S - j + 1)) - j (h(e) + e log2(S - 1)),   e <= 1 - 1/S                  (5)

Proof. Let Z be the state, e_i the error rate at item i, J a set of j items. Their values X_J are a uniform list of j different
ones, so B >= I(X_J; Z) = log2(S .. (S - j + 1)) - H(X_J | Z), and H(X_J | Z) <= sum over J of H(X_i | Z) <= sum over J of
phi(e_i) with phi(e) = h(e) + e log2(S - 1), by Fano's inequality. The mean over all J of j items has (j / n) sum_i phi(e_i) at
the right, which is at most j phi(e), since phi is concave. With j = n alone an empty state would be allowed more than 1/S. The
answers of one example in zoology's form are such: no answer is given, so each is a function of Z and of questions, which are
independent of the values given the keys. The ceiling then is that of answers, where `ceiling` asks for examples all right. The
best j is the first with log2(S .. (S - j + 1)) - j log2(S - j) > B, or n: the bits missing about each item, (log2(S .. (S - j +
1)) - B) / j, grow with j as long as the next item has more than their mean, and what an item adds falls. (5) holds for any j.

Phonebooks: n names with uniform and independent numbers of D digits. If a number is right only as a whole, this is (*), N = n
and S = 10^D; counted by digits, for a question that asks for one digit of one number, (*), N = n D and S = 10. Names are not
counted: they may be given away.

By place. With independent symbols the proof of (*) has B >= sum_i R(S, 1 - e_i) before its last step, R(S, a) = log2 S - h(1 -
a) - (1 - a) log2(S - 1), and 0 below guessing: sharper than the bound of the mean, by Jensen, if places differ. A state that
holds half of the symbols and guesses the rest meets it with equality.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, localcontext
from functools import cache
from math import fsum, log2

from seqsep.tasks.ceilings.answer_lists import nats_of_distinct
from seqsep.tasks.ceilings.fano import DIGITS, highest_accuracy, nats_of_bits, require
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling


@cache
def distinct_values_ceiling(values: int, items: int, state_bits: int) -> float:
    """Return the highest accuracy on one query about n different values out of S, rounded up.

    Multi-query recall with the form zoology uses this formula for each single answer. For an empty state the result is 1/S.

    Arguments:
        values: S, values to choose from; from 2.
        items: n, different values in an input; at most S.
        state_bits: B, bits of one example's state; from 0.

    Raises ValueError for fewer than 2 values, or for more items than values.

    >>> round(distinct_values_ceiling(values=8, items=4, state_bits=5), 3)  # log2 (8 * 7 * 6 * 5) is 10.7
    0.769
    """
    call = f"distinct_values_ceiling(values={values}, items={items}, state_bits={state_bits})"
    require(values >= 2 and 1 <= items <= values, call, "values is at least 2, items from 1 to values")
    require(state_bits >= 0, call, "state_bits is at least 0")
    asked = _sharpest_number_of_items(values, items, state_bits)
    with localcontext(Context(prec=DIGITS, rounding=ROUND_CEILING)):
        missing_nats = (nats_of_distinct(values, asked) - nats_of_bits(state_bits)) / asked
    return highest_accuracy(missing_nats, values)


def _sharpest_number_of_items(values: int, items: int, state_bits: int) -> int:
    """Return the j of (5) with the most missing bits an item, up to the rounding of floats."""
    bits = 0.0
    for asked in range(1, items):
        bits += log2(values - asked + 1)
        if bits - asked * log2(values - asked) > state_bits:
            return asked
    return items


def phonebook_ceiling(entries: int, digits: int, state_bits: int, by_digit: bool = False) -> float:
    """Return the highest accuracy on a phonebook of uniform and independent numbers, rounded up.

    The formula counts no bits for the names: it holds even if the model knows all names in advance.

    Arguments:
        entries: n, entries of the phonebook; from 1.
        digits: D, digits of each number; from 1.
        state_bits: B, bits of one example's state; from 0.
        by_digit: if True, a query asks for one digit of a number; if False, for the complete number.

    Raises ValueError for less than one entry or digit, or a negative state.

    >>> round(phonebook_ceiling(entries=100, digits=10, state_bits=1661), 3)  # half of the 3,322 bits
    0.53
    >>> round(phonebook_ceiling(entries=100, digits=10, state_bits=1661, by_digit=True), 3)
    0.738
    """
    call = f"phonebook_ceiling(entries={entries}, digits={digits}, state_bits={state_bits}, by_digit={by_digit})"
    require(entries >= 1 and digits >= 1 and state_bits >= 0, call, "entries and digits at least 1, state_bits at least 0")
    if by_digit:
        return index_lookup_ceiling(entries * digits, 10, state_bits)
    return index_lookup_ceiling(entries, 10**digits, state_bits)


def carried_bits_by_place(alphabet: int, accuracies: Sequence[float]) -> float:
    """Return how many bits about the symbols a state carries at least, from the accuracy at each place.

    The symbols are independent and uniform. The result is never less than `carried_bits` of the mean accuracy. A place adds 0
    if its accuracy is that of guessing or below.

    Arguments:
        alphabet: S, symbols to choose from.
        accuracies: the accuracy at each place, as a fraction.

    Raises ValueError for an empty alphabet, or accuracies that are not fractions.

    >>> carried_bits_by_place(64, [1.0] * 50 + [0.0] * 50)  # carried_bits of the mean, 0.5, is 201
    300.0
    """
    call = f"carried_bits_by_place(alphabet={alphabet}, accuracies={list(accuracies)[:3]}..)"
    require(alphabet >= 1 and all(0 <= one <= 1 for one in accuracies), call, "alphabet at least 1, accuracies from 0 to 1")
    return fsum(bits_of_a_symbol(alphabet, one) for one in accuracies)


def bits_of_a_symbol(alphabet: int, accuracy: float) -> float:
    """Return R(S, a), in bits: the least information about a uniform symbol out of S = `alphabet` in an answer of accuracy a.

    >>> bits_of_a_symbol(2, 1.0), bits_of_a_symbol(2, 0.5)
    (1.0, 0.0)
    """
    error = 1 - accuracy
    if error >= 1 - 1 / alphabet:
        return 0.0
    entropy_bits = 0.0
    if 0 < error < 1:
        entropy_bits = -error * log2(error) - accuracy * log2(accuracy)
    return max(0.0, log2(alphabet) - entropy_bits - error * log2(max(1, alphabet - 1)))
