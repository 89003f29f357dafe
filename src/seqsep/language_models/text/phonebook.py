"""Phonebook lookup in words: N names with their numbers, then the number of one name is asked for.

The task of Jelassi et al. 2024 (arXiv:2402.01032, section 3.3) with names and numbers of ours. Names are distinct: a uniformly
random subset, in random order, of all names of the least form that gives N of them (Ada Baker; Ada C. Baker; Ada C. D. Baker).
Numbers are uniform and independent, so the book holds N D log2(10) bits that any state must carry to answer every question.
"""

from seqsep.language_models.text.lookup import Lookups, chance, distinct, scaled
from seqsep.language_models.text.question import Question
from seqsep.language_models.text.word_lists import FIRST_NAMES, INITIALS, LAST_NAMES

TASK = "phonebook"
MOST_DIGITS = 9
ONE_FORM = len(FIRST_NAMES) * len(LAST_NAMES)
OPENING = "Here is a phonebook, then questions about it.\n\n"


def phonebook_question(lookups: Lookups, index: int, digits: int = 7) -> Question:
    """Return question `index`: a phonebook, examples and the question. Raises ValueError unless there are 1 to 9 digits.

    >>> question = phonebook_question(Lookups(length=3, shots=1), 0, digits=4)
    >>> question.prompt.splitlines()[2:5]
    ['Frank Bailey: 6716', 'Nina Berry: 9157', 'Ben Ferguson: 4831']
    >>> question.prompt.splitlines()[-2:], question.expected
    (['Question: What is the number of Nina Berry?', 'Answer:'], '9157')
    """
    entries, asked = book(lookups, index, digits)
    lines = "".join(f"{name}: {number}\n" for name, number in entries)
    examples = "".join(f"\n{asking(entries[place][0])} {entries[place][1]}\n" for place in asked[:-1])
    name, number = entries[asked[-1]]
    return Question(
        fields={
            "task": TASK,
            "length": lookups.length,
            "digits": digits,
            "shots": lookups.shots,
            "seed": lookups.seed,
            "index": index,
        },
        prompt=f"{OPENING}{lines}{examples}\n{asking(name)}",
        expected=number,
        end=r"\n",
        most_tokens=digits + 4,
        chance=chance([value for _, value in entries], asked),
    )


def asking(name: str) -> str:
    """Return the words that ask for a number. The answer follows them."""
    return f"Question: What is the number of {name}?\nAnswer:"


def book(lookups: Lookups, index: int, digits: int) -> tuple[list[tuple[str, str]], list[int]]:
    """Return the names and numbers of question `index`, and the queried places."""
    if not 1 <= digits <= MOST_DIGITS:
        raise ValueError(f"phonebook of {digits} digits: digits are 1 to {MOST_DIGITS}")
    asked, values = lookups.drawn(index, further=2 * lookups.length)
    initials = 0
    while (names := ONE_FORM * len(INITIALS) ** initials) < lookups.length:
        initials += 1
    numbers = [scaled(value, 10**digits) for value in values[lookups.length :]]
    chosen = distinct(values[: lookups.length], names)
    return [(_name(place, initials), str(number).zfill(digits)) for place, number in zip(chosen, numbers, strict=True)], asked


def _name(place: int, initials: int) -> str:
    """Return the name at a place among all names with `initials` initials."""
    rest, last = divmod(place, len(LAST_NAMES))
    rest, first = divmod(rest, len(FIRST_NAMES))
    parts = [FIRST_NAMES[first]]
    for _ in range(initials):
        rest, initial = divmod(rest, len(INITIALS))
        parts.append(f"{INITIALS[initial]}.")
    return " ".join([*parts, LAST_NAMES[last]])
