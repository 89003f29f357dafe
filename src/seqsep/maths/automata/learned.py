"""The automaton of a function of words, from its answers on all short words.

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

MOST_WORDS = 1 << 14
"""Words on which a function is called to find its states."""
RANDOM_WORDS = 500
LONGEST = 100

Word = tuple[int, ...]


@dataclass(frozen=True)
class Learned:
    """An automaton, and the words on which it was compared with the function.

    Fields:
        automaton: the least one.
        length: it agrees on all words of at most this many letters.
        random_words: number of longer random words on which it agrees too.
        longest: letters of the longest of these.
    """

    automaton: DFA
    length: int
    random_words: int
    longest: int


def learn(accepts: Callable[[Word], bool], letters: int, length: int | None = None, seed: int = 0) -> Learned:
    """Find the least automaton that agrees with a function on all words of at most `length` letters.

    Without a length, as many letters as give at most 16,384 words. Raises ValueError if short words show no automaton, or if
    the function and the automaton disagree on a word.

    >>> learn(lambda word: word.count(1) % 3 == 0, letters=2).automaton.table.tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    if length is None:
        length = next(size for size in range(1, 64) if letters == 1 or letters ** (size + 2) > MOST_WORDS)
    head = (length + 1) // 2
    tails = list(words_up_to(letters, length - head))
    number: dict[tuple[bool, ...], int] = {}
    queue: list[Word] = []
    accepting = []
    table: list[list[int]] = []

    def state_of(word: Word) -> int:
        row = tuple(bool(accepts(word + tail)) for tail in tails)
        if row not in number:
            if len(word) == head:
                raise ValueError(
                    f"words of at most {length} letters show no automaton: {len(number) + 1} states need {head} letters"
                )
            number[row] = len(queue)
            queue.append(word)
            accepting.append(row[0])
        return number[row]

    state_of(())
    for word in queue:
        table.append([state_of((*word, letter)) for letter in range(letters)])
    automaton = DFA(np.array(table), 0, np.array(accepting)).minimal()
    draws = np.random.default_rng(seed)
    sizes = draws.integers(length + 1, max(LONGEST, 2 * length) + 1, RANDOM_WORDS)
    longer = [tuple(draws.integers(0, letters, size).tolist()) for size in sizes]
    for word in (*words_up_to(letters, length), *longer):
        if automaton.accepts(word) != bool(accepts(word)):
            shown = " ".join(map(str, word[:40]))
            raise ValueError(f"short words show no automaton: one of {len(table)} states is wrong on the word {shown}")
    return Learned(automaton, length, RANDOM_WORDS, int(sizes.max()))


def words_up_to(letters: int, length: int) -> Iterator[Word]:
    """Yield all words of at most this many letters, shorter ones first.

    >>> list(words_up_to(2, 1))
    [(), (0,), (1,)]
    """
    for size in range(length + 1):
        yield from product(range(letters), repeat=size)
