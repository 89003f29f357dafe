"""Induction heads: symbols with one trigger among them, then the trigger again; the answer is the symbol after the first one.

Queries: the last token only.
Tokens: symbols are 0 .. S - 1, and the trigger is the token S. S is `alphabet`.
Lengths: a training example has n tokens before the query, n uniform in least_length .. length. An evaluation example has
exactly `length`. With the query there are n + 1 tokens.
Examples: the first trigger is at a uniform place among the first n - 1 tokens. All other tokens are uniform and independent
symbols.
Least state: a state holds either the symbol to answer, or that the last token was the trigger: S + 1 states for N >= 3. Before
the trigger any one of them is enough, since no suffix continues both a prefix with a trigger and one without. For N = 2 the
trigger is always first, and S states are enough.
Source: Gu and Dao 2023 (arXiv:2312.00752), section 4.1.2, with 16 symbols and 256 tokens in training. The ability is that of
the induction heads of Olsson et al. 2022 (arXiv:2209.11895).
We differ: the paper does not say how the place of the trigger is drawn. `ngram-retrieval` with `gram=2` asks for the symbol
after any symbol, which needs a state that grows with the length.
Shortcuts: no shortcut is better than chance, 1/S, since the answer is uniform and independent of all other tokens. The trigger
is known in advance, so a recurrence with a few states is enough: this task does not test recall.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, FilledTask
from seqsep.tasks._rows import is_before
from seqsep.tasks._walks import drawn_lengths
from seqsep.tasks.base import Batch


@dataclass(frozen=True)
class InductionHeads(FilledTask):
    """`length` tokens with one trigger, then the trigger; the answer is the symbol after the first trigger.

    >>> task = InductionHeads(length=4, alphabet=5)
    >>> task.solve((0, 5, 3, 1, 5))
    3
    >>> task.answer_bits()
    3
    """

    name: ClassVar[str] = "induction-heads"

    length: Annotated[int, Range(2, 2**20, unit="tokens"), "N, tokens of an evaluated input before the query"]
    alphabet: Annotated[int, Range(2, 2**30, unit="symbols"), "S, symbols to choose from"] = 16
    least_length: Annotated[int, Range(2, unit="tokens"), "tokens of the shortest training input before the query"] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "least_length", min(self.least_length, self.length))

    @property
    def vocabulary(self) -> int:
        return self.alphabet + 1

    @property
    def classes(self) -> int:
        return self.alphabet

    @property
    def longest(self) -> int:
        return self.length + 1

    def solve(self, inputs: tuple[int, ...]) -> int:
        trigger = self.alphabet
        places = [place for place, token in enumerate(inputs) if token == trigger]
        if len(places) != 2 or places[1] != len(inputs) - 1 or places[0] + 1 == places[1]:
            raise ValueError(f"{self!r}: expected the trigger {trigger}, a symbol, and the trigger at the end, found {inputs}")
        return inputs[places[0] + 1]

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        example_draws = ExampleDraws((2, self.length), seed=seed, use=use, start=start + first, count=count)
        rows = np.arange(count)
        tokens = drawn_lengths(example_draws, self.length, self.least_length, use is Use.EVALUATION)
        places = below(example_draws.part(0)[:, 1], tokens - 1)
        symbols = below(example_draws.part(1), self.alphabet)
        symbols[rows, places] = self.alphabet
        batch.inputs[:, :-1] = np.where(is_before(tokens, self.length), symbols, 0)
        batch.inputs[:, -1] = 0
        batch.inputs[rows, tokens] = self.alphabet
        batch.targets[rows, tokens] = symbols[rows, places + 1]
        np.add(tokens, 1, out=batch.lengths)

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        symbols: list[int | str] = ["trigger" if token == self.alphabet else token for token in inputs[:-1]]
        return {"symbols": symbols, "answer": answer}

    def answer_bits(self) -> int:
        """Return ceil(log2 (S + 1)), and ceil(log2 S) for N = 2, exactly.

        Two answers need two states. The state after the trigger differs from that of each answer v: a symbol other than v may
        follow, and then the query.
        """
        return ceil_log2(self.alphabet + (self.length > 2))

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Raise ValueError: the inputs are not a product of alphabets, since the trigger occurs once before the query."""
        raise ValueError(f"{self!r}: the inputs are not a product of alphabets, since one token is the trigger")
