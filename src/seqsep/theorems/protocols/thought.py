"""A thought: the tokens that a model writes, greedily, between its prompt and its answer.

The greatest logit's class is the next token, and the model reads it like any other. So everything written depends on the
prompt only through the state and the last output. If two prompts leave the same state and output, they get the same thought
and the same answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from seqsep.theorems.protocols.machine import BitMachine, choice

NO_ANSWER = -1
Insert = Callable[[Sequence[int]], Sequence[int] | None]


@dataclass(frozen=True)
class Thought:
    """The rule for writing after a prompt: until one of `stops` is written, or `most` tokens (at least 1).

    `insert` is an oracle or a retriever. It gets all tokens after the prompt, and returns the tokens to read next in place of
    what the model would write, or None; these end nothing. A tie goes to the least class. Raises ValueError for no tokens at
    all.

    >>> Thought(stops=frozenset({2}), most=5).most
    5
    """

    stops: frozenset[int]
    most: int
    insert: Insert | None = None

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError(f"Thought(most={self.most}): at least 1 token")

    def answer(self, written: Sequence[int]) -> int:
        """The last token written, if it is one of `stops`; NO_ANSWER if it is not.

        >>> thought = Thought(stops=frozenset({2}), most=3)
        >>> thought.answer([0, 2]), thought.answer([0, 0, 0])
        (2, -1)
        """
        return written[-1] if written[-1] in self.stops else NO_ANSWER


class Written(NamedTuple):
    """The tokens after the prompt, and the output after each of them except the last, which is not read.

    >>> Written(tokens=[4], outputs=[]).tokens
    [4]
    """

    tokens: list[int]
    outputs: list[Any]


def think(party: BitMachine, output: Any, state: Any, t: int, *, thought: Thought) -> Written:
    """Continue greedily from the output and the state after the prompt, from time t on.

    >>> from seqsep.maths.automata.automata import Recurrence
    >>> from seqsep.theorems.protocols.machine import as_machine
    >>> counts = as_machine(Recurrence(3, 0, lambda t, state, token: state + 1, lambda t, state: state))
    >>> think(counts, 1, 1, 1, thought=Thought(stops=frozenset({4}), most=9)).tokens  # after a prompt of one token
    [1, 2, 3, 4]
    """
    tokens = [choice(output)]
    outputs: list[Any] = []
    inserted: list[int] = []
    is_written = True
    while len(tokens) < thought.most and not (is_written and tokens[-1] in thought.stops):
        output, state = party.step(tokens[-1], state, t + len(outputs))
        outputs.append(output)
        if not inserted and thought.insert is not None:
            inserted = list(thought.insert(tokens) or ())
        is_written = not inserted
        tokens.append(choice(output) if is_written else inserted.pop(0))
    return Written(tokens, outputs)
