"""`seqsep.audit_language_model`: what a causal language model of `transformers` carries of a phonebook, as three numbers.

Stored is counted from the tensors of the state. Needs at most is found with the codebooks of the other audits, except those
of gradients; it is not tried on a state of more than MOST_NUMBERS numbers, nor where books have different numbers of tokens.
Carries at least follows from the accuracy at each place of the book, as for index lookup of N symbols out of 10^D: the numbers
are independent, and each answer is a function of the state and of a question that says nothing of them.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch

from seqsep.core.names import BadInput, whole_arguments
from seqsep.lab.audit.answer import LEAST_PREFIXES, SEEDS, Audit, PlaceAccuracy
from seqsep.lab.audit.carried import carried_bits, lower_accuracy, places_at_least
from seqsep.lab.audit.needed import MOST_BUDGET, CodebookResult, codebooks, fewest, rounded
from seqsep.language_models.audit.books import BookQuestions, InTokens, InWords, Phonebooks
from seqsep.language_models.audit.reader import BookReader
from seqsep.language_models.capacity.config import model_path
from seqsep.language_models.laws.reader import ModelReader
from seqsep.language_models.loader.folder import read_folder
from seqsep.language_models.loader.source import find_source
from seqsep.language_models.text.language_model import CONTEXT_FIELDS, ends_of, tokens_of, vocabulary_of
from seqsep.language_models.text.phonebook import MOST_DIGITS
from seqsep.language_models.text.tokenizer import Tokenizer
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import least_state_bits

ENTRIES = 8
NUMBER_DIGITS = 3
MOST_ENTRIES = 10_000
QUESTIONS = 2000
SECONDS = 300.0
BOOKS_AT_ONCE = 16
FITTED_ON = 256
MOST_NUMBERS = 1 << 20
DRAWN_FOR_EACH = 100
OVER = "the time was over"
OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is done, how many of it are, and how many there are at most."""


def _say_nothing(what: str, done: int, count: int) -> None:
    """Report nothing of the progress."""


@dataclass(frozen=True, repr=False, kw_only=True)
class LanguageModelAudit(Audit):
    """The result of an audit of a language model; it prints as the table of its numbers, all in bits of one sequence's state.

    Fields:
        task: index lookup with one symbol for each entry of the phonebook; its bounds are those of the phonebook.
        model: type of the model, in words.
        prefixes: number of phonebooks.
        questions: number of questions.
        confidence: confidence of the lower limits together.
        accuracy: share of right answers.
        accuracy_at_least: lower limit of the accuracy over all possible questions.
        stored_bits: bits of the state's tensors after the phonebook.
        needs_at_most_bits: bits of the smallest codebook that is good enough, as in `Audit`; None if no codebook is.
        codebook: name of this codebook.
        carries_at_least_bits: bits that the state carries, as the accuracy proves; wrong with probability at most 1 -
            `confidence`.
        all_right_bits: the fewest bits with which some model answers every question rightly.
        least_bits: the fewest bits with which some model can have the accuracy.
        places: accuracy at each entry of the phonebook.
        curve: accuracy with each codebook.
        form: form of the phonebooks, in words or in tokens.
        digits: digits of each number.
        not_tried: reason why no codebook was tested; empty if codebooks were tested.

    >>> task = IndexLookup(length=2, alphabet=10)
    >>> counts = {"prefixes": 250, "questions": 500, "confidence": 0.95, "accuracy": 0.1, "accuracy_at_least": 0.07}
    >>> needed = {"needs_at_most_bits": None, "codebook": None, "places": (), "curve": (), "not_tried": "a large state"}
    >>> bits = {"stored_bits": 2048, "carries_at_least_bits": 0.0, "all_right_bits": 7, "least_bits": 0}
    >>> LanguageModelAudit(task=task, model="llama", form="in tokens", digits=1, **counts, **needed, **bits).records()[1]
    {'number': 'needs at most', 'bits': None, 'meaning': 'not tested: a large state'}
    """

    form: str
    digits: int
    not_tried: str

    def title(self) -> str:
        """Return the model, the books, the number of queries, and its accuracy. If nothing can be said of it, add why."""
        books = f"phonebooks {self.form}, {_count(self.task.length, 'entry', 'entries')} of {_count(self.digits, 'digit')}"
        asked = f"{self.questions:,} questions about {self.prefixes:,} books"
        first = f"{self.model} on {books}: {self.accuracy:.2%} of {asked}"
        if self.carries_at_least_bits > 0:
            return first
        return f"{first}\nits answers prove nothing about its state: it may hold what these questions do not ask for"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each number."""
        rows = super().records()
        if self.not_tried:
            rows[1]["meaning"] = f"not tested: {self.not_tried}"
        return rows

    def record(self) -> dict[str, Any]:
        """Return the audit as plain values, for JSON."""
        task = {"name": "phonebook", "entries": self.task.length, "digits": self.digits, "form": self.form}
        return super().record() | {"task": task}


@whole_arguments
def audit_language_model(
    path: Path | str,
    *,
    entries: int = ENTRIES,
    digits: int = NUMBER_DIGITS,
    questions: int = QUESTIONS,
    confidence: float = 0.95,
    seconds: float = SECONDS,
    seed: int = 0,
    on_progress: OnProgress = _say_nothing,
) -> LanguageModelAudit:
    """Audit a causal language model of `transformers` on phonebooks: the bits that its state stores, carries and needs.

    A phonebook is a list of names with random numbers. The model reads it, and each question is one name. Nothing is
    downloaded, and no code in the folder is run.

    Arguments:
        path: folder of the model with config.json and model.safetensors, and with a tokenizer, if it has one.
        entries: entries of a phonebook.
        digits: digits of a number in it.
        questions: number of questions, unless the time ends first; they are about 250 or more different phonebooks.
        confidence: probability with which the lower limits hold together; above 0 and below 1.
        seconds: time limit, half of it for questions and half for codebooks.
        seed: random seed of the phonebooks.
        on_progress: function that is called with ("books", done, count) and ("codebooks", done, count); by default it does
            nothing.

    Raises BadInput for an empty path, a folder without such a model, a model without a state, and a model that cannot read a
    phonebook. Raises TransformersMissing without the extra hf.

    >>> import json, tempfile
    >>> from seqsep.language_models.loader.source import ModelSource
    >>> from seqsep.language_models.loader.weights import built
    >>> sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 32}
    >>> folder = tempfile.mkdtemp()
    >>> built(ModelSource("llama", {"model_type": "llama", **sizes}), torch.float32).save_pretrained(folder)
    >>> found = audit_language_model(folder, entries=2, digits=1, questions=500)
    >>> found.stored_bits, found.carries_at_least_bits, found.all_right_bits
    (2048, 0.0, 7)
    """
    _require_sizes(entries, digits)
    if questions < 1 or not 0 < confidence < 1 or not 0 <= seed < SEEDS or not seconds > 0:
        given = f"questions={questions}, confidence={confidence}, seconds={seconds}, seed={seed}"
        expected = "expected questions from 1, confidence between 0 and 1, seconds above 0, seed from 0 to 2^62 - 1"
        raise BadInput(f"audit_language_model({given}): {expected}")
    began = time.monotonic()
    reader = ModelReader(find_source(model_path(path), {}), torch.float32)
    books = _books(reader, (entries, digits), seed)
    first = _in_one_line(path, books, range(2), 2 * seed + 1)
    _require_room(reader, first.longest(), entries)
    states = BookReader(reader, max(first.books, key=len))
    if len(first.books[0]) == len(first.books[1]):
        states.require_whole_state(first.books[0], first.books[1], first.asked[0][0])
    count = max(LEAST_PREFIXES, -(-questions // entries))
    asked, right = _asked(states, books, count=count, seed=2 * seed + 1, until=began + seconds / 2, on_progress=on_progress)
    task = IndexLookup(entries, alphabet=10**digits)
    error = 1 - confidence
    until = began + seconds
    why, curve = _curve(
        states, books, task=task, asked=asked, right=right, error=error, seed=seed, until=until, on_progress=on_progress
    )
    accuracy = float(right.mean())
    needed = fewest(curve, accuracy)
    limits = places_at_least(right, error)
    return LanguageModelAudit(
        task=task,
        model=_described(reader),
        prefixes=len(right),
        questions=right.size,
        confidence=confidence,
        accuracy=accuracy,
        accuracy_at_least=lower_accuracy(right, error),
        stored_bits=states.bits,
        needs_at_most_bits=None if needed is None else needed.bits,
        codebook=None if needed is None else needed.codebook,
        carries_at_least_bits=carried_bits(task, right, error),
        all_right_bits=task.answer_bits(),
        least_bits=least_state_bits(task, accuracy),
        places=tuple(
            PlaceAccuracy(position + 1, float(share), limit)
            for position, (share, limit) in enumerate(zip(right.mean(0), limits, strict=True))
        ),
        curve=curve,
        form=books.form,
        digits=digits,
        not_tried=why,
    )


def _require_sizes(entries: int, digits: int) -> None:
    if not 1 <= entries <= MOST_ENTRIES or not 1 <= digits <= MOST_DIGITS:
        expected = f"expected entries from 1 to {MOST_ENTRIES:,}, digits from 1 to {MOST_DIGITS}"
        raise BadInput(f"audit_language_model(entries={entries}, digits={digits}): {expected}")


def _books(reader: ModelReader, sizes: tuple[int, int], seed: int) -> Phonebooks:
    """Return the books of these numbers of entries and digits: in words if the folder has a tokenizer, else in tokens."""
    entries, digits = sizes
    folder = None if reader.source.folder is None else read_folder(reader.source.folder)
    if folder is None or not folder.has_tokenizer():
        drawn = reader.random_tokens(1, DRAWN_FOR_EACH * (entries + 10), seed)[0].tolist()
        return InTokens(entries, digits, list(dict.fromkeys(drawn)))
    tokenizer = Tokenizer(folder)
    vocabulary = vocabulary_of(reader.model)
    ends = ends_of(tokenizer, (reader.config,), vocabulary)

    def read(text: str) -> list[int]:
        return tokens_of(text, tokenizer, ends, vocabulary)

    return InWords(entries, digits, read, names_seed=seed)


def _in_one_line(path: Path | str, books: Phonebooks, indices: range, seed: int) -> BookQuestions:
    """Return the first books. Raises BadInput, with the folder's name, for a tokenizer that does not keep them."""
    try:
        return books.questions(indices, seed)
    except BadInput:
        raise
    except ValueError as error:
        words = str(error)
        raise BadInput(words if words.startswith(str(path)) else f"{path}{os.sep}: {words}") from error


def _require_room(reader: ModelReader, longest: int, entries: int) -> None:
    """Raise BadInput if a book with its question is longer than config.json says that the model can read."""
    field = next((name for name in CONTEXT_FIELDS if isinstance(getattr(reader.config, name, None), int)), None)
    if field is not None and longest > getattr(reader.config, field):
        limit = f"{field}: expected room for {longest:,} tokens, of {entries} entries and a question"
        raise BadInput(f"{reader.source.where}: {limit}, found {getattr(reader.config, field):,}; --entries asks for fewer")


def _asked(
    states: BookReader, books: Phonebooks, *, count: int, seed: int, until: float, on_progress: OnProgress
) -> tuple[BookQuestions, np.ndarray]:
    """Return the books with all questions, or as many as there is time for, and a mask of the right answers."""
    parts: list[BookQuestions] = []
    right: list[np.ndarray] = []
    for first in range(0, count, BOOKS_AT_ONCE):
        parts.append(books.questions(range(first, min(first + BOOKS_AT_ONCE, count)), seed))
        right.append(states.answered(parts[-1]))
        on_progress("books", min(first + BOOKS_AT_ONCE, count), count)
        if time.monotonic() > until:
            break
    whole = BookQuestions(
        tuple(one for part in parts for one in part.books), tuple(one for part in parts for one in part.asked)
    )
    return whole, np.concatenate(right)


def _curve(
    states: BookReader,
    books: Phonebooks,
    *,
    task: IndexLookup,
    asked: BookQuestions,
    right: np.ndarray,
    error: float,
    seed: int,
    until: float,
    on_progress: OnProgress,
) -> tuple[str, tuple[CodebookResult, ...]]:
    """Return the answers through codebooks, by bits until one is within a point; or the reason why none is tested."""
    if time.monotonic() > until:
        return OVER, ()
    if states.numbers > MOST_NUMBERS:
        return f"over {MOST_NUMBERS:,} numbers", ()
    if not states.are_floats:
        return "the state has whole numbers", ()
    fitted_on = books.questions(range(FITTED_ON), 2 * seed + 2)
    if len({len(tokens) for tokens in (*asked.books, *fitted_on.books)}) > 1:
        return "books of several lengths", ()
    most_bits = max(MOST_BUDGET, 2 * (task.answer_bits() or 0))
    by_bits = sorted(codebooks(states.states(fitted_on.books), None, most_bits), key=lambda one: (one.bits, one.name))
    rows = states.states(asked.books)
    curve: list[CodebookResult] = []
    for one in rounded(partial(states.right, questions=asked), task, by_bits, rows=rows, error=error):
        curve.append(one)
        on_progress("codebooks", len(curve), len(by_bits))
        if fewest((one,), float(right.mean())) is not None:
            break
        if time.monotonic() > until:
            return OVER, tuple(curve)
    return "", tuple(curve)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def _described(reader: ModelReader) -> str:
    """Return a model in a few words."""
    parameters = sum(weight.numel() for weight in reader.model.parameters())
    return f"{reader.config.model_type} of {parameters:,} parameters in float32"
