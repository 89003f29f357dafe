"""Phonebooks as a language model reads them: N names with numbers of D digits, then the number of one name is asked for.

The names and their order are the same in all books of an audit; the numbers are uniform and independent. So a book holds
N D log2(10) bits that the names do not tell, and which the questions ask for.

    in words    `seqsep text phonebook` without examples, for a model with a tokenizer
    in tokens   each name is a token of its own, and so is each digit; a name once more is the question

The state is that after the last digit of the last number. The question and all digits of the right number except
the last are read token by token after it. An answer is right if every token of the number is the model's first choice,
given those before it: that is so exactly if it writes the number when it chooses greedily.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from seqsep.core.names import BadInput
from seqsep.language_models.text.language_model import equally_many
from seqsep.language_models.text.lookup import Lookups
from seqsep.language_models.text.phonebook import OPENING, asking, book

Tokens: TypeAlias = tuple[int, ...]
DIGITS = 10


@dataclass(frozen=True)
class BookQuery:
    """The tokens read after a book, and the tokens that should be chosen after the last ones of it, one each."""

    continuation: Tokens
    answer: Tokens


@dataclass(frozen=True)
class BookQuestions:
    """Books, and for each a question for every number in it."""

    books: tuple[Tokens, ...]
    asked: tuple[tuple[BookQuery, ...], ...]

    def first(self, count: int) -> "BookQuestions":
        """Return the questions about the first `count` books."""
        return BookQuestions(self.books[:count], self.asked[:count])

    def longest(self) -> int:
        """Return the number of tokens of the longest book with its longest question."""
        pairs = zip(self.books, self.asked, strict=True)
        return max(len(tokens) + max(len(one.continuation) for one in every) for tokens, every in pairs)


class Phonebooks(ABC):
    """Books of the same `entries` names with numbers of `digits` digits.

    >>> InTokens(entries=2, digits=1, usual=list(range(100, 120))).questions(range(1), seed=0).asked[0][1]
    BookQuery(continuation=(111,), answer=(100,))
    """

    form: str

    def __init__(self, entries: int, digits: int) -> None:
        self.entries = entries
        self.digits = digits

    def numbers(self, index: int, seed: int) -> list[str]:
        """Return the numbers of a book. They are uniform, independent, and those of `seqsep text phonebook` under this seed."""
        entries, _ = book(Lookups(self.entries, shots=0, seed=seed), index, self.digits)
        return [number for _, number in entries]

    def questions(self, indices: range, seed: int) -> BookQuestions:
        """Return the books of these indices under a seed, with all questions."""
        found = [self._written(self.numbers(index, seed)) for index in indices]
        return BookQuestions(tuple(tokens for tokens, _ in found), tuple(asked for _, asked in found))

    @abstractmethod
    def _written(self, numbers: Sequence[str]) -> tuple[Tokens, tuple[BookQuery, ...]]:
        """Return the book of these numbers, and the questions about it."""


class InTokens(Phonebooks):
    """Books in tokens: `usual` are those of the vocabulary, of which ten are the digits and `entries` others the names.

    Raises BadInput if they are too few.
    """

    form = "in tokens"

    def __init__(self, entries: int, digits: int, usual: Sequence[int]) -> None:
        super().__init__(entries, digits)
        if len(usual) < DIGITS + entries:
            needed = f"expected a vocabulary of {DIGITS + entries} tokens, for {entries} names and {DIGITS} digits"
            raise BadInput(f"{needed}, found {len(usual)}")
        self.digit = dict(zip("0123456789", usual, strict=False))
        self.names = usual[DIGITS : DIGITS + entries]

    def _written(self, numbers: Sequence[str]) -> tuple[Tokens, tuple[BookQuery, ...]]:
        written = [tuple(self.digit[digit] for digit in number) for number in numbers]
        pairs = list(zip(self.names, written, strict=True))
        tokens = tuple(token for name, number in pairs for token in (name, *number))
        return tokens, tuple(BookQuery((name, *number[:-1]), number) for name, number in pairs)


class InWords(Phonebooks):
    """Books in words; `read` gives the tokens of a text, and `names_seed` chooses the names.

    Raises ValueError, on the first book, for a tokenizer whose tokens of a book change when a question follows.
    """

    form = "in words"

    def __init__(self, entries: int, digits: int, read: Callable[[str], list[int]], names_seed: int) -> None:
        super().__init__(entries, digits)
        self.read = read
        self.names = [name for name, _ in book(Lookups(entries, shots=0, seed=names_seed), 0, digits)[0]]

    def _written(self, numbers: Sequence[str]) -> tuple[Tokens, tuple[BookQuery, ...]]:
        pairs = list(zip(self.names, numbers, strict=True))
        text = OPENING + "\n".join(f"{name}: {number}" for name, number in pairs)
        tokens = self.read(text)
        return tuple(tokens), tuple(self._asked(text, tokens, name, number) for name, number in pairs)

    def _asked(self, text: str, tokens: list[int], name: str, number: str) -> BookQuery:
        prompt = f"{text}\n\n{asking(name)}"
        whole = self.read(f"{prompt} {number}")
        start = equally_many(self.read(prompt), whole)
        if equally_many(tokens, whole) < len(tokens) or start < len(tokens):
            raise ValueError("expected a tokenizer whose tokens of a book stay the same when a question follows")
        return BookQuery(tuple(whole[len(tokens) : -1]), tuple(whole[start:]))
