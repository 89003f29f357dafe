"""Membership of a regular language: letters; is the word so far in the language that a regular expression describes?

Queries: with `ask="all"`, every letter: the answer is 1 if the word so far is in the language, else 0. With `ask="last"`, an
end token after the letters: the answer is for the complete word.
Tokens: letters are 0 .. S - 1, and with `ask="last"` the end token is S. S is `alphabet`, or by default the least number that
has the symbols of `pattern`, at least 2. The file `maths/automata/regular.py` has the syntax of a pattern.
Lengths: a training example has n letters, n uniform in least_length .. length. An evaluation example has exactly `length`
letters.
Examples: each is a walk on the least automaton of the language. A component is a set of states that lead to each other. Let D
be the greatest number of moves from one component to another in a walk. In an example of n letters, D places are drawn,
uniform in 1 .. 2 n and independent; those above n have no effect. At a drawn place the letter is uniform among those that
leave the component, and at other places among those that stay in it. Without such a letter, it is uniform among all
letters. So words of every length leave a component at every place. Of (01)*, for which D is 1, half of the words never break
the alternation. If D is 0, as for a language that is decided by a group, letters are uniform and independent.
Least state: with `ask="all"` the last letter and the state before it decide the answer. With `ask="last"` the state before
the end token does. `maths/automata/exact_lengths.py` counts the states that words of exactly N letters need. They may be
fewer than those of the least automaton. With `ask="all"`, a model that answers from its state only may need more.
Source: Bhattamishra, Ahuja and Goyal 2020 (arXiv:2009.11264) train Transformers and LSTMs on regular languages and test them
on longer words. Yang et al. 2026, "Algebraic Decomposition Theory for Transformer Length Generalization", do so by class.
We differ: the query is membership, and not the set of letters that may follow. The distribution of the examples is ours.
Shortcuts: after the last component is reached, one answer may be right for ever. In many languages a short window of letters
decides most answers. So a single answer is often right without a state; an example is right only if all its answers are.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64, UInt32

from seqsep.core.names import excerpt
from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.exact_lengths import states_needed
from seqsep.maths.automata.multiplication import components
from seqsep.maths.automata.regular import automaton
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._walks import ASKED, LetterTask, drawn_lengths, write_letters
from seqsep.tasks.base import Batch, require

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class RegularLanguage(LetterTask):
    """`length` letters; the answer is whether the word so far is in a regular language.

    Raises ValueError for a pattern that is not a regular expression, and for a field out of its range.

    >>> task = RegularLanguage(length=4, pattern="(01)*")
    >>> [task.solve((0, 1, 0, 0)[:read]) for read in range(1, 5)]
    [0, 1, 0, 0]
    >>> task.answer_bits()
    1
    """

    name: ClassVar[str] = "regular-language"
    arrays_at_once: ClassVar[int] = 2

    length: Annotated[int, Range(1, 2**20, unit="letters"), "N, letters of an evaluated input"]
    pattern: Annotated[str, "a regular expression over the symbols 0 to 9 and a to z; any, such as (01)*"] = "(01)*"
    alphabet: Annotated[int, Range(0, 36, also="and 0 means those that the pattern needs"), "S, letters to choose from"] = 0
    ask: Annotated[str, OneOf(*ASKED), "queried tokens, every letter or an end token"] = "all"
    least_length: Annotated[int, Range(1, unit="letter"), "letters of the shortest training input"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))
        try:
            used = _automaton(self.pattern, None).table.shape[1]
        except ValueError as error:
            raise ValueError(f"{self.name}: pattern: {error}") from error
        require(self.alphabet in (0, *range(used, 37)), self, f"alphabet is 0 or {used} to 36, found {self.alphabet}")
        if self.alphabet == used:
            object.__setattr__(self, "alphabet", 0)

    @property
    def automaton(self) -> DFA:
        """The least automaton of the language."""
        return _automaton(self.pattern, self.alphabet or None)

    @property
    def letter_count(self) -> int:
        return int(self.automaton.table.shape[1])

    @property
    def classes(self) -> int:
        return 2

    def solve(self, inputs: tuple[int, ...]) -> int:
        return int(self.automaton.accepts(self.letters_of(inputs)))

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        walks = _walks(self.pattern, self.alphabet or None)
        moves = min(walks.most_moves, self.length)
        example_draws = ExampleDraws((1, self.length, moves), seed=seed, use=use, start=start + first, count=count)
        batch.lengths[:] = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        places = below(example_draws.part(2), 2 * batch.lengths[:, None])
        leaves = np.zeros((count, 2 * self.length), dtype=bool)
        leaves[np.arange(count)[:, None], places] = True
        letters, states = walks.drawn(example_draws.part(1), leaves[:, : self.length])
        write_letters(batch, letters, self.automaton.accepting[states].astype(np.int64), self.end)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        letters = inputs if self.end is None else inputs[:-1]
        return {"word": "".join(SYMBOLS[letter] for letter in letters), "answer": answer}

    def states_needed(self) -> int:
        """Return the number of states that a model needs before some token of an input of this length.

        >>> [RegularLanguage(length, ".*11.*").states_needed() for length in (1, 2, 3, 4)]
        [1, 2, 3, 3]
        """
        return states_needed(self.automaton, self.length, at_end=self.end is not None)

    def answer_bits(self) -> int:
        """Return ceil(log2) of the states that words of exactly N letters need, exactly."""
        return ceil_log2(self.states_needed())

    def alphabets(self, length: int) -> tuple[range, ...]:
        letters = (range(self.letter_count),) * length
        return letters if self.end is None else (*letters, range(self.end, self.end + 1))

    def label(self) -> str:
        return f"{self.name} {excerpt(self.pattern)}"


@dataclass(frozen=True)
class _Walks:
    """The letters that each state offers: choices[state, kind] begins with counts[state, kind] letters.

    Kind 0 are those that stay in the component, and kind 1 those that leave it; all letters if there is none.
    """

    table: Int64[np.ndarray, "states letters"]
    start: int
    choices: Int64[np.ndarray, "states kinds letters"]
    counts: Int64[np.ndarray, "states kinds"]
    most_moves: int

    def drawn(
        self, uniform: UInt32[np.ndarray, "batch time"], leaves: Bool[np.ndarray, "batch time"]
    ) -> tuple[Int64[np.ndarray, "batch time"], Int64[np.ndarray, "batch time"]]:
        """Return the letters of walks, and the state after each letter."""
        letters = np.empty(uniform.shape[::-1], dtype=np.int64)
        states = np.empty_like(letters)
        state = np.full(len(uniform), self.start)
        for time, (draw, kind) in enumerate(zip(uniform.T, leaves.T.astype(np.int64), strict=True)):
            letters[time] = self.choices[state, kind, below(draw, self.counts[state, kind])]
            state = self.table[state, letters[time]]
            states[time] = state
        return np.ascontiguousarray(letters.T), np.ascontiguousarray(states.T)


@cache
def _automaton(pattern: str, alphabet: int | None) -> DFA:
    return automaton(pattern, alphabet)


@cache
def _walks(pattern: str, alphabet: int | None) -> _Walks:
    """Return the walks of a language. Components are numbered so that a move leads to a lower number."""
    least = _automaton(pattern, alphabet)
    component = components(least.table.tolist())
    moves = np.zeros(component.max() + 1, dtype=np.int64)
    for state in np.argsort(component, kind="stable"):
        others = component[least.table[state]]
        others = others[others != component[state]]
        if len(others):
            moves[component[state]] = max(moves[component[state]], 1 + moves[others].max())
    stays = component[least.table] == component[:, None]
    kinds = np.stack([stays, ~stays], axis=1)
    kinds |= ~kinds.any(axis=2, keepdims=True)
    choices = np.argsort(~kinds, axis=2, kind="stable")
    return _Walks(
        table=least.table,
        start=least.start,
        choices=choices,
        counts=kinds.sum(axis=2),
        most_moves=int(moves[component[least.start]]),
    )
