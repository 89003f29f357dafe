"""A regular language as a user names it, with its least automaton.

(01)*          a regular expression over symbols
FILE.py:NAME   a DFA, or a function from a list of letters to 1 (in the language) or 0; its automaton is learned
FILE.json      a DFA (`automaton_file`); also FILE.jff of JFLAP
bounded-dyck   the task of bounded brackets; each flag is a field
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.learned import LearnedAutomaton, default_length, learn, longest_word
from seqsep.maths.automata.monoids import Word
from seqsep.theorems.analysis.automaton_file import read_automaton_file
from seqsep.theorems.analysis.function import Fields, Function, NamedFunction, of_function, resolve

MOST_SHOWN = 24
"""Letters of a word that a line shows."""
SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Language:
    """A regular language under its name, by an automaton; `learned` says how a function's automaton was found."""

    name: str
    kind: str
    automaton: DFA
    learned: LearnedAutomaton | None = None


def find_language(
    target: str | DFA | Callable[[list[int]], int | None],
    alphabet: Sequence[int] | None,
    fields: Fields | None,
    *,
    is_regular: bool,
    length: int | None,
) -> Language:
    """Return the language of this name with its least automaton. Raises BadInput or ValueError if it has none."""
    if isinstance(target, DFA):
        return _checked(Language("DFA", "automaton", target), alphabet, fields)
    if not isinstance(target, str):
        if not callable(target):
            raise BadInput(f"classify: expected a text, a function or a DFA, found {excerpt(repr(target))}")
        return _of_function(of_function(target, getattr(target, "__name__", "function"), alphabet), length)
    if target.endswith(".json") and not is_regular:
        return _checked(Language(target, "automaton", read_automaton_file(Path(target)).automaton), alphabet, fields)
    named = resolve(target, alphabet, fields, is_regular)
    if named.automaton is not None:
        sizes = alphabet if named.kind == "automaton" else None
        return _checked(Language(named.name, named.kind, named.automaton()), sizes, None)
    if named.kind != "function":
        raise BadInput(f"{target}: expected a language of words of every length, found a {named.kind} for one length at a time")
    return _of_function(named, length)


def _checked(language: Language, sizes: Sequence[int] | None, fields: Fields | None) -> Language:
    """Return the language with its least automaton. Raises BadInput if letters or fields do not fit."""
    letters = language.automaton.table.shape[1]
    if not letters:
        raise BadInput(f"{language.name}: expected an automaton with a letter, found none")
    if sizes is not None and list(sizes) != [letters]:
        found = ",".join(map(str, sizes))
        raise BadInput(f"{language.name}: expected --alphabet {letters}, as in the automaton, found {found}")
    if fields:
        raise BadInput(f"{language.name}: unknown option --{next(iter(fields)).replace('_', '-')}; only tasks have fields")
    return replace(language, automaton=language.automaton.minimal())


def _of_function(named: NamedFunction, length: int | None) -> Language:
    """Learn the automaton of a Python function. Raises BadInput for one with other answers, or with several alphabets."""
    if named.call is None or named.sizes_at is None:
        raise BadInput(f"{named.name}: expected a Python function")
    letters = named.sizes_at(1)[0]
    for size in range(1, longest_word(length or default_length(letters)) + 1):
        if set(named.sizes_at(size)) != {letters}:
            found = sorted(set(named.sizes_at(size)))[:5]
            raise BadInput(f"{named.name}: expected {letters} letters at each position, found {found} for length {size}")
    call = named.call
    try:
        learned = learn(lambda word: _answer(named.name, call, word), letters, length)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"{named.name}: {error}") from error
    return Language(named.name, named.kind, learned.automaton, learned)


def _answer(name: str, call: Function, word: Word) -> bool:
    """Return True for a word in the language. Raises BadInput for another answer than 0 or 1."""
    try:
        answer = call(list(word))
    except (Exception, SystemExit) as error:
        said = text_of(error)
        what = said if isinstance(error, BadInput) else f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise BadInput(f"{name}: expected 0 or 1 for {_quoted(word)}, found an error: {what}") from error
    if not isinstance(answer, int | np.integer | np.bool) or answer not in (0, 1):
        raise BadInput(f"{name}: expected 0 or 1 for {_quoted(word)}, found {excerpt(repr(answer))}")
    return bool(answer)


def shown(word: Word) -> str:
    """Return a word in symbols; a long one is cut.

    >>> shown((0, 1, 10)), shown(())
    ('01a', 'empty')
    """
    text = "".join(SYMBOLS[letter] if letter < len(SYMBOLS) else f"<{letter}>" for letter in word[:MOST_SHOWN])
    return (text or "empty") + (".." if len(word) > MOST_SHOWN else "")


def _quoted(word: Word) -> str:
    return f"the word {shown(word)}" if word else "the empty word"
