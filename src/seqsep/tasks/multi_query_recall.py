"""Multi-query associative recall: pairs of a key and a value, then many queries.

The task has two forms. Both count an example as right only if all its answers are right.

Form paper: an example has N points, which are pairs of a key x and a value y: x_1 y_1 .. x_N y_N without the last y. The first
n = N // 2 keys differ, and every list of n different keys is equally likely. Their values are uniform and independent. The
second half has the same keys in a uniform order, and each key is followed by its value. If N is odd, one more point follows,
which repeats one of the keys.
Queries: every x_k with k > N/2.
Lengths: a training example has N points, N uniform in least_length .. length. An evaluation example has exactly `length`
points. N points are 2 N - 1 tokens.
Tokens: keys are 0 .. K - 1, and value v is the token K + v. K is `keys`, or N // 2 if `keys` is 0. An answer is v.
Shortcuts: in the second half, the input shows the value after each query. So a model can keep track of the values that the
second half has not shown yet. The later answers are easier to guess. For even N, the last answer is the only value that is
left.

Form zoology: an example has N slots of two tokens. The first `pairs` slots are pairs with different keys and different
values. Of the other N - pairs slots, `pairs` slots are queries: a key and a filler. All remaining tokens are fillers. The
queries are placed one by one, in the order of the keys in the pairs. For each query, one of the free slots is drawn. The
probability of a free slot is proportional to i^(power - 1), if it is slot number i after the pairs.
Queries: each key is queried once. The input does not show the answer: a filler follows the key.
Lengths: exactly 2 N tokens, also in training; least_length is not used.
Tokens: 0 is the filler, keys are 1 .. K, and values are K + 1 .. K + S. The answer to
a query is the token of the value, and every token is a class.
Settings: `MultiQueryRecall.zoology(input_seq_len, num_kv_pairs, vocab_size, power_a, random_non_queries)` takes the settings
by their names in zoology:
    length = input_seq_len / 2                   pairs = num_kv_pairs
    keys = vocab_size // 2 - 1                   values = vocab_size - vocab_size // 2
    power = power_a                              fillers = "random" (any token, uniformly) or "zero"
The published lengths and pairs are (64, 4), (128, 8), (256, 16) and (512, 64), with 8,192 tokens in the vocabulary and power
0.01. One task has one setting; for a mixture of settings, use several tasks.
Shortcuts: with "zero", every token after the pairs that is not 0 is a query. A model may guess among the values whose keys were
not queried yet. This guess is right with probability at least 1/pairs. If the power is near 0, most queries come directly after
the pairs, and mostly in the order of the pairs.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 5.2 and appendix G; `form="zoology"` is the generator of Arora et
al. 2023 (arXiv:2312.04927), github.com/HazyResearch/zoology.
We differ: in the form paper, symbols replace the vectors of the nearest-neighbour task. zoology draws 100,000 examples once
and counts single answers; here every example is new.
"""

from dataclasses import dataclass
from functools import partial
from math import perm
from typing import Annotated, Any, ClassVar

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks._blocks import ExampleDraws, filled, nothing_asked, use_of
from seqsep.tasks._orders import asked_again, distinct, draws_for_distinct, power_law_waits, weighted_order
from seqsep.tasks._rows import below_into, chosen, write_from
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task, require


@dataclass(frozen=True)
class MultiQueryRecall(Task):
    """`length` points, each a key and a value; the second half queries the keys of the first half.

    >>> task = MultiQueryRecall(length=4, values=8)
    >>> task.solve((1, 2 + 7, 0, 2 + 3, 0, 2 + 3, 1))
    7
    >>> task.answer_bits()
    6
    """

    name: ClassVar[str] = "multi-query-recall"

    length: Annotated[int, Range(2, 2**20, unit="points"), "N, points of an evaluated input, with the queries"]
    keys: Annotated[int, Range(0, 2**30), "keys to choose from, at least as many as pairs, or 0 for as many as pairs"] = 0
    values: Annotated[int, Range(1, 2**30), "values to choose from"] = 64
    least_length: Annotated[int, Range(2, unit="points"), "points of the shortest training input"] = 10
    form: Annotated[str, OneOf("paper", "zoology"), "how examples are drawn and written"] = "paper"
    pairs: Annotated[
        int, Range(0, also="and 0 with the form paper"), "pairs of key and value with the form zoology, 1 to N / 2"
    ] = 0
    power: Annotated[
        float,
        Range(0, 100, above=True, below=True),
        "with the form zoology, slot i gets a query with a weight of i^(power - 1)",
    ] = 0.01
    fillers: Annotated[str, OneOf("random", "zero"), "tokens that fill the other slots with the form zoology"] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "paper":
            require(self.pairs == 0, self, f"pairs are half of the points with form='paper', found {self.pairs}")
        else:
            require(
                1 <= 2 * self.pairs <= self.length,
                self,
                f"pairs is 1 to half of length, {self.length // 2}, with form='zoology', found {self.pairs}",
            )
            require(self.values >= self.pairs, self, f"values is at least pairs, {self.pairs}, found {self.values}")
        require(
            self.keys == 0 or self.pair_count <= self.keys <= 2**30,
            self,
            f"keys is 0 or from the pairs, {self.pair_count}, to 2^30, found {self.keys}",
        )
        object.__setattr__(self, "least_length", min(self.least_length, self.length))
        object.__setattr__(self, "keys", 0 if self.keys == self.pair_count else self.keys)

    @classmethod
    def zoology(
        cls,
        input_seq_len: int,
        num_kv_pairs: int,
        vocab_size: int = 8192,
        power_a: float = 0.01,
        random_non_queries: bool = True,
    ) -> "MultiQueryRecall":
        """Return a setting of zoology, by its names there. Raises ValueError for an odd length or too few tokens or slots.

        >>> MultiQueryRecall.zoology(64, 4).longest
        64
        """
        if input_seq_len % 2 or vocab_size < 4:
            raise ValueError(
                f"MultiQueryRecall.zoology(input_seq_len={input_seq_len}, vocab_size={vocab_size}): input_seq_len is even and "
                "vocab_size at least 4"
            )
        return cls(
            length=input_seq_len // 2,
            keys=vocab_size // 2 - 1,
            values=vocab_size - vocab_size // 2,
            form="zoology",
            pairs=num_kv_pairs,
            power=power_a,
            fillers="random" if random_non_queries else "zero",
        )

    @property
    def pair_count(self) -> int:
        """Pairs of an example that is evaluated."""
        return self.pairs if self.form == "zoology" else self.length // 2

    @property
    def first_key(self) -> int:
        """The token of the first key."""
        return int(self.form == "zoology")

    @property
    def first_value(self) -> int:
        """The token of value 0."""
        return self.first_key + (self.keys or self.pair_count)

    @property
    def vocabulary(self) -> int:
        return self.first_value + self.values

    @property
    def classes(self) -> int:
        return self.vocabulary if self.form == "zoology" else self.values

    @property
    def longest(self) -> int:
        return 2 * self.length - int(self.form == "paper")

    def solve(self, inputs: tuple[int, ...]) -> int:
        *earlier, asked = inputs
        told = earlier[: 2 * self.pairs] if self.form == "zoology" else earlier
        keys = told[::2]
        if asked not in keys:
            raise ValueError(f"{self!r}: the question asks for key {asked}, which is not among {keys}")
        value = told[2 * keys.index(asked) + 1]
        return value if self.form == "zoology" else value - self.first_value

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        lengths = np.full(count, self.longest, dtype=np.int64)
        inputs = np.empty((count, 2 * self.length), dtype=np.int64)
        batch = Batch(inputs, nothing_asked(count, 2 * self.length), lengths)
        fill = self._fill_zoology if self.form == "zoology" else self._fill_paper
        filled(batch, self.longest, partial(fill, start=start, seed=seed, use=use_of(evaluate)))
        return Batch(inputs[:, : self.longest], batch.targets[:, : self.longest], lengths)

    def _fill_paper(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        pairs = self.pair_count
        keys_there = self.first_value
        widths = (1, pairs, pairs + 1, draws_for_distinct(pairs, keys_there))
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        points = np.full(count, self.length, dtype=np.int64)
        if use is Use.TRAINING:
            points = self.least_length + below(example_draws.part(0)[:, 0], self.length - self.least_length + 1)
        inputs = batch.inputs.reshape(count, self.length, 2)
        inputs[:, :pairs, 0] = distinct(partial(example_draws.part, 3), pairs, keys_there)
        inputs[:, pairs:] = 0
        values = np.full((count, pairs + 1), NOTHING_ASKED, dtype=np.int64)
        values[:, :pairs] = below(example_draws.part(1), self.values)
        np.add(values[:, :pairs], keys_there, out=inputs[:, :pairs, 1])
        again = asked_again(example_draws.part(2), points, self.length)
        write_from(points // 2, chosen(inputs, again), inputs)
        write_from(points // 2, chosen(values, again), batch.targets[:, ::2])
        batch.lengths[:] = 2 * points - 1
        batch.inputs[np.arange(count), batch.lengths] = 0  # no value after the last point

    def _fill_zoology(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        pairs = self.pairs
        slots = self.length - pairs
        keys_there = self.first_value - 1
        drawn_fillers = 2 * slots if self.fillers == "random" else 0
        widths = (draws_for_distinct(pairs, keys_there), draws_for_distinct(pairs, self.values), slots, drawn_fillers)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start + first, count=count)
        keys = distinct(partial(example_draws.part, 0), pairs, keys_there) + 1
        values = distinct(partial(example_draws.part, 1), pairs, self.values) + self.first_value
        asked = weighted_order(example_draws.part(2), power_law_waits(slots, self.power), pairs)
        batch.inputs[:, : 2 * pairs : 2] = keys
        batch.inputs[:, 1 : 2 * pairs : 2] = values
        if drawn_fillers:
            below_into(example_draws.part(3), self.vocabulary, batch.inputs[:, 2 * pairs :])
        else:
            batch.inputs[:, 2 * pairs :] = 0
        rows = np.arange(count)[:, None]
        places = 2 * pairs + 2 * asked
        batch.inputs[rows, places] = keys
        batch.targets[rows, places] = values

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        """Return the readable form. Keys and values count from 0. A random filler that happens to be a key of the pairs reads
        as a question.
        """
        keys = [token - self.first_key for token in inputs[::2]]
        values = [token - self.first_value for token in inputs[1::2]]
        told = self.pairs if self.form == "zoology" else next(at for at, key in enumerate(keys) if key in keys[:at])
        pairs = [[key, value] for key, value in zip(keys[:told], values[:told], strict=True)]
        queries = [key for key in keys[told:] if key in keys[:told]]
        answers = [values[keys.index(query)] for query in queries]
        return {"pairs": pairs, "queries": queries, "answers": answers}

    def answer_bits(self) -> int:
        """Return ceil(log2 max(S^n, n S^(n-1))) for n pairs and S values, as associative recall with keys in any order.

        This is appendix G.1; theorem associative-recall-state. With different values (zoology) it is ceil(log2 S! / (S - n)!):
        two lists of values that leave one state differ at some key, which may be asked first.
        """
        pairs = self.pair_count
        if self.form == "zoology":
            return ceil_log2(perm(self.values, pairs))
        if self.values == 1:
            return 0
        return ceil_log2(max(self.values**pairs, pairs * self.values ** (pairs - 1)))

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Raise ValueError: the inputs, whose keys differ, are not a product of alphabets."""
        raise ValueError(f"{self!r}: the inputs are not a product of alphabets, since keys differ")
