"""The automaton of a function, from its answers on all short words.

Two prefixes of at most `head` letters are one state if the function has the same answers after all continuations of at most
`tail` letters. If the language has an automaton of n states, head >= n and tail >= n - 1 give it exactly (Myhill and Nerode).
Nobody knows n of a Python function, so the automaton is then compared with the function on all words of at most head + tail
letters and on longer random ones. This does not show that they agree on all words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from seqsep.maths.automata.automata import DFA

FEW_WORDS = 1 << 14
"""Words up to the default length, if that is more than 3."""
MOST_WORDS = 1 << 20
LEAST_LENGTH = 3
MOST_UNARY = 200
"""The default length for one letter."""
LONGER_WORDS = 1000
LONGEST_WORD = 100

Word = tuple[int, ...]


@dataclass(frozen=True)
class LearnedAutomaton:
    """An automaton, and the words on which it was compared with the function.

    Fields:
        automaton: the least one.
        length: it agrees on all words of at most this many letters.
        longer_words: number of longer words, drawn at random, on which it agrees too.
        longest: letters of the longest of these.
    """

    automaton: DFA
    length: int
    longer_words: int
    longest: int


def learn(accepts: Callable[[Word], bool], letters: int, length: int | None = None, seed: int = 0) -> LearnedAutomaton:
    """Find the least automaton that agrees with a function on all words of at most `length` letters.

    By default, `default_length`. Raises ValueError if there are more than 1,048,576 such words, if short words show no
    automaton, or if the function and the automaton disagree on a word.

    >>> learn(lambda word: word.count(1) % 3 == 0, letters=2).automaton.table.tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    length = default_length(letters) if length is None else length
    if length < 1 or count_words(letters, length) > MOST_WORDS:
        raise ValueError(f"expected a length from 1 with at most {MOST_WORDS:,} words, found {length} for {letters:,} letters")
    automaton = _of_short_words(accepts, letters, length)
    longer = _longer_words(automaton, length, np.random.default_rng(seed))
    for word in (*words_up_to(letters, length), *longer):
        if automaton.accepts(word) != bool(accepts(word)):
            shown = " ".join(map(str, word[:40])) + (" .." if len(word) > 40 else "")
            raise ValueError(f"words of at most {length} letters show an automaton that answers wrongly on the word {shown}")
    return LearnedAutomaton(automaton, length, len(longer), max(map(len, longer)))


def _of_short_words(accepts: Callable[[Word], bool], letters: int, length: int) -> DFA:
    """Return the automaton whose states are the different rows of answers after prefixes."""
    head = (length + 1) // 2
    tails = list(words_up_to(letters, length - head))
    number: dict[tuple[bool, ...], int] = {}
    queue: list[Word] = []
    table: list[list[int]] = []

    def state_of(word: Word) -> int:
        row = tuple(bool(accepts(word + tail)) for tail in tails)
        if row not in number:
            if len(word) == head:
                states = len(number) + 1
                raise ValueError(
                    f"words of at most {length} letters show no automaton: they have {states} rows of answers or more"
                )
            number[row] = len(queue)
            queue.append(word)
        return number[row]

    state_of(())
    for word in queue:
        table.append([state_of((*word, letter)) for letter in range(letters)])
    return DFA(np.array(table), 0, np.array([row[0] for row in number])).minimal()


def _longer_words(automaton: DFA, length: int, draws: np.random.Generator) -> list[Word]:
    """Draw words of more than `length` letters.

    A quarter has any letters. A quarter keeps away from states that are never left, if that is possible. Half are x^i y^j for
    words x, y of one or two letters and exponents that differ by at most 1: many functions that are not regular count these.
    """
    states, letters = automaton.table.shape
    never_left = (automaton.table == np.arange(states)[:, np.newaxis]).all(axis=1)
    alive = [np.flatnonzero(~never_left[row]).tolist() or list(range(letters)) for row in automaton.table]
    words: list[Word] = []
    for place, size in enumerate(draws.integers(length + 1, longest_word(length) - 3, LONGER_WORDS).tolist()):
        word: list[int] = []
        state = automaton.start
        if place % 4 < 2:
            for share in draws.random(size).tolist():
                chosen = alive[state] if place % 4 else range(letters)
                word.append(chosen[int(share * len(chosen))])
                state = int(automaton.table[state, word[-1]])
        else:
            first, second = (draws.integers(0, letters, draws.integers(1, 3)).tolist() for _ in range(2))
            times = -(-size // (len(first) + len(second)))
            word = first * times + second * int(times + draws.integers(0, 3) - 1)
            word += first * (length + 1 - len(word))
        words.append(tuple(word))
    return words


def default_length(letters: int) -> int:
    """Return the greatest length with at most 16,384 words up to it, or 3 if that gives at most 1,048,576; 200 for one letter.

    >>> default_length(2), default_length(3), default_length(36), default_length(1)
    (13, 8, 3, 200)
    """
    if letters == 1:
        return MOST_UNARY
    length = 1
    while count_words(letters, length + 1) <= (FEW_WORDS if length >= LEAST_LENGTH else MOST_WORDS):
        length += 1
    return length


def longest_word(length: int) -> int:
    """Return the letters of the longest words, at most, if a function is called on all words of a length."""
    return max(LONGEST_WORD, 2 * length) + 4


def count_words(letters: int, length: int) -> int:
    """Count the words of at most this many letters.

    >>> count_words(2, 3)
    15
    """
    return length + 1 if letters == 1 else (letters ** (length + 1) - 1) // (letters - 1)


def words_up_to(letters: int, length: int) -> Iterator[Word]:
    """Yield all words of at most this many letters, shorter ones first.

    >>> list(words_up_to(2, 1))
    [(), (0,), (1,)]
    """
    for size in range(length + 1):
        yield from product(range(letters), repeat=size)
