"""Limits of every model with a state of B bits, however trained: the number of items from which each one holds.

A state has B bits once the items are read, each of them one token, and a cache adds g bits for each. B + N g < N log2 S leaves
two lists of N symbols with the same state, so a question about a symbol has a wrong answer (index lookup on every input; exact
copying). On average over uniform lists, accuracy a asks for B + N g >= N R(S, a), R = log2 S - h(1 - a) - (1 - a) log2(S - 1)
(Fano, see `seqsep.tasks.ceilings.index_lookup`). Where g is at least R no length is excluded by this argument.

By position. The sum of R(S, a_i) over the places i of a list, with accuracy a_i there, is at most B
(`tasks.ceilings.one_of_many`). So of a list of any length at most B / R(S, a) places are answered with accuracy a, whichever
they are; that is said where nothing grows.

Equality. After the first half of N tokens the state tells all S^(N/2) halves apart, if it is right on every input:
B + g N/2 >= (N/2) log2 S. On random halves accuracy 1 - 2^-B / 2 is never excluded (`tasks.ceilings.random_equality`).

Different values. A list of n different values out of S, repeated or asked by place on every input: B >= log2(S (S - 1) ..
(S - n + 1)). Once B holds log2 S! bits no list is excluded. It is said where nothing grows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from math import lgamma, log, log2, perm

from seqsep.maths.arithmetic.lookup_length import least_length_beyond

ACCURACIES = (Fraction(9, 10), Fraction(1, 2))
DIGITS = 60
PHONE_DIGITS = 10
ALPHABET = 64
EVERY_INPUT = "every input"
INDEX_LOOKUP = "index lookup"
EQUALITY = "equality"
RANDOM_HALVES = "equality of random halves"
DISTINCT = "index lookup of different values"
PHONEBOOK = "ten-digit phonebook"
MOST_EXACT = 1 << 12
NATS_OF_ROUNDING = 1e-3


@dataclass(frozen=True)
class Limit:
    """No model with this state, however trained, can do the task beyond `beyond` items drawn uniformly.

    `alphabet` is how many values an item may have, `accuracy` the fraction of questions answered right on average, or None for
    every input. `beyond` is None if this argument excludes no length. `places`: of a longer list the questions about this
    number places at most are answered with this accuracy, whichever they are.

    >>> Limit("index lookup", alphabet=64, accuracy=None, beyond=16).proof
    'counting'
    """

    task: str
    alphabet: int
    accuracy: Fraction | None
    beyond: int | None
    places: int | None = None

    @property
    def proof(self) -> str:
        """The argument that shows it."""
        return "counting" if self.accuracy is None else "Fano"

    def record(self) -> dict[str, object]:
        """Return the limit as plain values."""
        accuracy = None if self.accuracy is None else float(self.accuracy)
        return {
            "task": self.task,
            "values": self.alphabet,
            "accuracy": EVERY_INPUT if accuracy is None else accuracy,
            "no_model_beyond_items": self.beyond,
            **({} if self.places is None else {"most_places_of_any_list": self.places}),
            "proof": self.proof,
        }


def limits(state_bits: int, bits_per_item: Fraction, vocabulary: int | None) -> tuple[Limit, ...]:
    """Return the limits of a state over 64 symbols and over the model's own vocabulary, and of a phonebook.

    First index lookup, on every input and on average, then the phonebook, equality and different values.

    >>> [limit.beyond for limit in limits(600, Fraction(0), vocabulary=None)]
    [100, 121, 298, 18, 200, None, None]
    """
    alphabets = [ALPHABET, *([vocabulary] if vocabulary and vocabulary not in (1, ALPHABET) else [])]
    found = []
    for alphabet in alphabets:
        accuracies: Iterable[Fraction | None] = (None, *(a for a in ACCURACIES if a * alphabet > 1))
        for accuracy in accuracies:
            most = longest(alphabet, accuracy, state_bits, bits_per_item)
            found.append(Limit(INDEX_LOOKUP, alphabet, accuracy, most, places=None if bits_per_item else most))
    book = 10**PHONE_DIGITS
    # An entry is many tokens: where a cache grows, no one knows by how much for each.
    entries = None if bits_per_item else longest(book, None, state_bits, bits_per_item)
    found.append(Limit(PHONEBOOK, book, None, entries))
    for alphabet in alphabets:
        half = longest(alphabet, None, state_bits, bits_per_item)
        found.append(Limit(EQUALITY, alphabet, None, None if half is None else 2 * half))
        found.append(Limit(RANDOM_HALVES, alphabet, never_excluded(state_bits), None))
        different = None if bits_per_item else most_different(alphabet, state_bits)
        found.append(Limit(DISTINCT, alphabet, None, different))
    return tuple(found)


def never_excluded(state_bits: int) -> Fraction:
    """Return an accuracy on random halves that a state of B bits may have at every length: 1 - 2^-B / 2, for B above 256 with
    256.

    >>> never_excluded(3)
    Fraction(15, 16)
    """
    return 1 - Fraction(1, 2 << min(state_bits, 256))


def most_different(values: int, state_bits: int) -> int | None:
    """Return the most different values out of S = `values` whose lists a state can distinguish; None if it can for all S.

    Exact up to 4,096 values; beyond, rounding may make it one too many.

    >>> most_different(64, 100), most_different(64, 296), most_different(64, 295)
    (17, None, 62)
    """
    if _fits(values, values, state_bits):
        return None
    low = 0
    high = values
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(values, middle, state_bits):
            low = middle
        else:
            high = middle
    return low


def _fits(values: int, items: int, state_bits: int) -> bool:
    """Return True if these bits distinguish the lists of different values: S (S - 1) .. (S - n + 1) <= 2^B."""
    if values <= MOST_EXACT:
        lists = perm(values, items)
        return (lists - 1).bit_length() <= state_bits
    if items * log2(values) <= state_bits:
        return True
    nats = lgamma(values + 1) - lgamma(values - items + 1)
    return nats - NATS_OF_ROUNDING <= state_bits * log(2)


def longest(alphabet: int, accuracy: Fraction | None, state_bits: int, bits_per_item: Fraction) -> int | None:
    """Return the most items that the argument leaves open; None if it leaves every number open.

    >>> longest(64, None, 600, Fraction(0)), longest(64, None, 600, Fraction(6)), longest(2, Fraction(9, 10), 531, Fraction(0))
    (100, None, 999)
    """
    if accuracy is None:
        whole = bits_per_item.denominator
        first = least_length_beyond(alphabet**whole, state_bits * whole, bits_per_item.numerator) if whole < 3 else None
        if whole < 3:
            return None if first is None else first - 1
    with localcontext(Context(prec=DIGITS, rounding=ROUND_FLOOR)):
        asked = _bits_of_an_item(alphabet, accuracy) - Decimal(bits_per_item.numerator) / bits_per_item.denominator
        return None if asked <= 0 else int(state_bits / (asked - Decimal(10) ** (20 - DIGITS)))


def _bits_of_an_item(alphabet: int, accuracy: Fraction | None) -> Decimal:
    """Return R(S, a) in bits, to 50 digits or more."""
    bit = Decimal(2).ln()
    whole = Decimal(alphabet).ln() / bit
    if accuracy is None:
        return whole
    right = Decimal(accuracy.numerator) / accuracy.denominator
    wrong = 1 - right
    entropy = -(right * right.ln() + wrong * wrong.ln()) / bit
    return whole - entropy - wrong * Decimal(alphabet - 1).ln() / bit
