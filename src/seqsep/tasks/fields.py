"""Fields of a task, declared in the signature: type, values and meaning. Help, `seqsep list tasks` and the pages read them.

alphabet: Annotated[int, Values(1, 2**31), "S, symbols to choose from"] = 64
order: Annotated[str, Words("any", "fixed"), "order of the keys, random or 0, 1, 2, .."] = "any"
"""

from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

LEAST_POWER = 10


@dataclass(frozen=True)
class Values:
    """The numbers from `least` to `most`, both included; if `is_open`, neither; without an end if `most` is None.

    Fields:
        least: the least number.
        most: the greatest number.
        is_open: the ends are not included.
        also: a further condition, in words.
        unit: the unit of the number in an error message.

    >>> str(Values(1, 2**20)), str(Values(0, also="and 0 with the form paper")), str(Values(0, 100, is_open=True))
    ('1 to 2^20', 'from 0, and 0 with the form paper', 'above 0 and below 100')
    """

    least: int | float
    most: int | float | None = None
    is_open: bool = False
    also: str = ""
    unit: str = ""

    def has(self, number: int | float) -> bool:
        """Return True if a number is among the values; `also` is not tested.

        >>> Values(0, 100, is_open=True).has(0), Values(1).has(2**40)
        (False, True)
        """
        if self.most is None:
            return self.least <= number
        return self.least < number < self.most if self.is_open else self.least <= number <= self.most

    @property
    def expected(self) -> str:
        """The values and their unit, as an error message has them.

        >>> Values(1, unit="pair").expected, Values(1, 2**20, unit="pairs").expected
        ('at least 1 pair', '1 to 2^20 pairs')
        """
        values = f"at least {_shown(self.least)}" if self.most is None else str(self)
        return f"{values} {self.unit}".rstrip()

    def __str__(self) -> str:
        least = _shown(self.least)
        if self.most is None:
            ends = f"from {least}"
        elif self.is_open:
            ends = f"above {least} and below {_shown(self.most)}"
        else:
            ends = f"{least} to {_shown(self.most)}"
        return f"{ends}, {self.also}" if self.also else ends


@dataclass(frozen=True, init=False)
class Words:
    """The words that a field is chosen from.

    >>> str(Words("paper", "zoology")), str(Words("random", "one", "next"))
    ('paper or zoology', 'random, one or next')
    """

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    def __str__(self) -> str:
        *others, last = self.words
        return f"{', '.join(others)} or {last}"


def plain_type(declared: Any) -> Any:
    """Return the type of a field without its notes.

    >>> plain_type(Annotated[int, Values(1), "N, tokens"])
    <class 'int'>
    """
    return get_args(declared)[0] if get_origin(declared) is Annotated else declared


def meaning_of(declared: Any) -> str:
    """Return the meaning of a field and after a semicolon its values; empty if the annotation says nothing.

    >>> meaning_of(Annotated[int, Values(1, 2**31), "S, symbols to choose from"])
    'S, symbols to choose from; 1 to 2^31.'
    """
    notes = get_args(declared)[1:] if get_origin(declared) is Annotated else ()
    said = [note for note in notes if isinstance(note, str)]
    said += [str(note) for note in notes if isinstance(note, Values | Words)]
    return f"{'; '.join(said)}." if said else ""


def values_of(declared: Any) -> Values | None:
    """Return the values of a field that is a number; None if the annotation has none.

    >>> values_of(Annotated[int, Values(1), "N, tokens"]).least
    1
    """
    return next((note for note in get_args(declared) if isinstance(note, Values)), None)


def words_of(declared: Any) -> list[str]:
    """Return the words that a field is chosen from; empty if it is not chosen.

    >>> words_of(Annotated[str, Words("any", "fixed"), "order of the keys"])
    ['any', 'fixed']
    """
    return [word for note in get_args(declared) if isinstance(note, Words) for word in note.words]


def _shown(number: int | float) -> str:
    """A number in digits, or a large power of two, or one below it, as a power."""
    for less in (0, 1):
        power = int(number + less).bit_length() - 1
        if isinstance(number, int) and power >= LEAST_POWER and number + less == 1 << power:
            return f"2^{power}" + (" - 1" if less else "")
    return f"{number:.10f}".rstrip("0") if isinstance(number, float) else str(number)
