"""Tasks as sequences of symbols that a model must distinguish, whose answer is a token that may follow a thought.

A model reads the sequence and a continuation, then writes greedily until one of the answer tokens; that is its answer. Tokens
after those of the task are for thinking: the model may write a given number of them before it answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import ensure
from seqsep.theorems.protocols.collision import DistinguishingSuffix, ListTask, TaskSizes, Values
from seqsep.theorems.protocols.thought import Insert, Thought

THINKING_TOKENS = 4
MOST_WRITTEN = 16


@dataclass(frozen=True)
class Sequences(ListTask):
    """Sequences of `length` symbols from `alphabet`; `continuation` distinguishes two of them (None: nothing does).

    `longest` is the most tokens of a prompt. `vocabulary` are the tokens of the task, `answers` those of them that answer, and
    THINKING_TOKENS more are for thinking. `solve` gives the right answer, as a token, to a whole prompt. With `oracle`, which
    gets the prompt and what was written since, tokens are put into the thought.

    >>> last = Sequences(
    ...     length=2, alphabet=2, longest=3, vocabulary=3, answers=range(2),
    ...     continuation=lambda first, second: (2,) if first[1] != second[1] else None, solve=lambda prompt: prompt[1],
    ... )
    >>> last.distinguishing_suffix((0, 1), (1, 0)).answers, last.distinguishing_suffix((0, 1), (1, 1)), last.sizes.vocabulary
    ((1, 0), None, 7)
    """

    length: int
    alphabet: int
    longest: int
    vocabulary: int
    answers: range
    continuation: Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...] | None]
    solve: Callable[[tuple[int, ...]], int]
    oracle: Callable[[tuple[int, ...], list[int]], list[int] | None] | None = None

    @property
    def sizes(self) -> TaskSizes:  # type: ignore[override]
        """Every class is a token; the longest input is a prompt with the longest thought."""
        tokens = self.vocabulary + THINKING_TOKENS
        return TaskSizes(vocabulary=tokens, classes=tokens, longest=self.longest + MOST_WRITTEN)

    def written(self, values: Values) -> Int64[np.ndarray, "batch time"]:
        return values

    def distinguishing_suffix(self, first: tuple[int, ...], second: tuple[int, ...]) -> DistinguishingSuffix | None:
        continuation = self.continuation(first, second)
        if continuation is None:
            return None
        answers = (self.solve(first + continuation), self.solve(second + continuation))
        ensure(answers[0] != answers[1], "the continuation does not distinguish two prefixes", (first, second, continuation))
        return DistinguishingSuffix(continuation, answers)

    def thought(self, prompt: tuple[int, ...]) -> Thought:
        insert: Insert | None = None if self.oracle is None else partial(self.oracle, prompt)
        return Thought(frozenset(self.answers), MOST_WRITTEN, insert)
