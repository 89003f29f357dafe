"""What no model with a state of so many bits can do, however trained: from which number of items on.

A state has B bits once the items are read, each of them one token, and a cache adds g bits for each. B + N g < N log2 S leaves
two lists of N symbols with the same state, so a question about a symbol has a wrong answer (index lookup on every input; exact
copying). On average over uniform lists, accuracy a asks for B + N g >= N R(S, a), R = log2 S - h(1 - a) - (1 - a) log2(S - 1)
(Fano, see `seqsep.ceilings.index_lookup`). Where g is at least R no length is excluded by this argument.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

from seqsep.ceilings import length_where_it_bites

ACCURACIES = (Fraction(9, 10), Fraction(1, 2))
DIGITS = 60
PHONE_DIGITS = 10
ALPHABET = 64
EVERY_INPUT = "every input"


@dataclass(frozen=True)
class Limit:
    """No model with this state, however trained, can do the task beyond `beyond` items drawn uniformly.

    `alphabet` is how many values an item may have, `accuracy` the fraction of questions answered right on average, or None for
    every input. `beyond` is None where this argument excludes no length.

    >>> Limit("index lookup", alphabet=64, accuracy=None, beyond=16).proof
    'counting'
    """

    task: str
    alphabet: int
    accuracy: Fraction | None
    beyond: int | None

    @property
    def proof(self) -> str:
        """Which argument shows it."""
        return "counting" if self.accuracy is None else "Fano"

    def record(self) -> dict[str, object]:
        """The limit as plain values."""
        accuracy = None if self.accuracy is None else float(self.accuracy)
        return {
            "task": self.task,
            "values": self.alphabet,
            "accuracy": EVERY_INPUT if accuracy is None else accuracy,
            "no_model_beyond_items": self.beyond,
            "proof": self.proof,
        }


def limits(state_bits: int, bits_per_item: Fraction, vocabulary: int | None) -> tuple[Limit, ...]:
    """The limits of a state: index lookup over 64 symbols and over the model's own vocabulary, and a phonebook.

    >>> [limit.beyond for limit in limits(600, Fraction(0), vocabulary=None)]
    [100, 121, 298, 18]
    """
    alphabets = [ALPHABET, *([vocabulary] if vocabulary and vocabulary not in (1, ALPHABET) else [])]
    found = []
    for alphabet in alphabets:
        accuracies: Iterable[Fraction | None] = (None, *(a for a in ACCURACIES if a * alphabet > 1))
        for accuracy in accuracies:
            found.append(Limit("index lookup", alphabet, accuracy, longest(alphabet, accuracy, state_bits, bits_per_item)))
    book = 10**PHONE_DIGITS
    # An entry is many tokens: where a cache grows, no one knows by how much for each.
    entries = None if bits_per_item else longest(book, None, state_bits, bits_per_item)
    return (*found, Limit("ten-digit phonebook", book, None, entries))


def longest(alphabet: int, accuracy: Fraction | None, state_bits: int, bits_per_item: Fraction) -> int | None:
    """The most items that the argument leaves open; None if it leaves every number open.

    >>> longest(64, None, 600, Fraction(0)), longest(64, None, 600, Fraction(6)), longest(2, Fraction(9, 10), 531, Fraction(0))
    (100, None, 999)
    """
    if accuracy is None:
        whole = bits_per_item.denominator
        first = length_where_it_bites(alphabet**whole, state_bits * whole, bits_per_item.numerator) if whole < 3 else None
        if whole < 3:
            return None if first is None else first - 1
    with localcontext(Context(prec=DIGITS, rounding=ROUND_FLOOR)):
        asked = _bits_of_an_item(alphabet, accuracy) - Decimal(bits_per_item.numerator) / bits_per_item.denominator
        return None if asked <= 0 else int(state_bits / (asked - Decimal(10) ** (20 - DIGITS)))


def _bits_of_an_item(alphabet: int, accuracy: Fraction | None) -> Decimal:
    """R(S, a) in bits, to 50 digits or more."""
    bit = Decimal(2).ln()
    whole = Decimal(alphabet).ln() / bit
    if accuracy is None:
        return whole
    right = Decimal(accuracy.numerator) / accuracy.denominator
    wrong = 1 - right
    entropy = -(right * right.ln() + wrong * wrong.ln()) / bit
    return whole - entropy - wrong * Decimal(alphabet - 1).ln() / bit
