"""Sparse threshold: bits x_1 .. x_N; the label is 1 where more than b of some features hold, each a function of k of the bits.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 5.1 and appendix F.3; the paper trains nothing on it.
We differ: any number of features, where the class of F.3 has at most N (the default); no token [BOS].

The function is the same for all examples. Drawn by `function_seed`: each feature has `sparsity` different bits, uniform, and a
table of them, uniform among those that are not constant; b is that which comes nearest to half of each label on 1,024 uniform
inputs. Or given: `formula` is a DIMACS CNF, whose clauses are the features; by default all must hold. It may be the path of a
file, which is read at once: the field then holds its text without comments, so that a run's key depends on the formula and
nothing else, and its row can be run elsewhere. `bound` sets b in both. A function of which fewer than one in 64 of those inputs
have either label is drawn again, at most 64 times; the last, or a given one, is then refused.

Asked: the last token only. Lengths: exactly `length` bits, in training and evaluation. Tokens: the bits.
Examples: a label is wanted, either with probability 1/2; uniform inputs are drawn until one has it, at most 256 times, and the
last one stands. So inputs are uniform given their label, and where p of all inputs have label 1, it has probability
(1 - (1 - p)^256 + p^256) / 2, which is 1/2 to 1 % from p = 1/64 to 63/64.
Shortcuts: a weighted vote of single bits. A random table has k / (2^k - 1) of its variance in single bits, so with many drawn
features of k bits such a vote is right on about 1 - arccos(sqrt(k / (2^k - 1))) / pi of the examples: all for k = 1, 80 % for
k = 2, 73 % for k = 3 and 67 % for k = 4. The state need not hold the bits: a recurrent model needs what `answer_bits` says.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, UInt8

from seqsep.exact.formulas import AtLeast, Thresholds, dimacs, read_dimacs
from seqsep.exact.layered import of_values
from seqsep.stream import Use, draws
from seqsep.tasks._halves import HALF
from seqsep.tasks._thresholds import Counter, balanced_enough, dimacs_text, drawn, probed, unpacked
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task, require

ATTEMPTS = 256
MOST_ENUMERATED = 16


@dataclass(frozen=True)
class SparseThreshold(Task):
    """`length` bits; a drawn function of `features` tables (0: as many as bits) of `sparsity` bits, or a given `formula`; 1 for
    more than `bound` (-1: the function's own). Features have at most `length` bits, so `sparsity` is capped there."""

    name: ClassVar[str] = "sparse-threshold"

    features: int = 0
    sparsity: int = 3
    bound: int = -1
    function_seed: int = 0
    formula: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        require(1 <= self.length <= 2**20, self, f"length is 1 to 2^20 bits, found {self.length}")
        require(0 <= self.features <= 2**16, self, f"features is 1 to 65,536, or 0 for length, found {self.features}")
        require(1 <= self.sparsity <= 4, self, f"sparsity is 1 to 4 bits, found {self.sparsity}")
        require(0 <= self.function_seed < 2**63, self, f"function_seed is 0 to 2^63 - 1, found {self.function_seed}")
        if self.formula:
            object.__setattr__(self, "formula", dimacs_text(self._read()))
            require((self.features, self.sparsity, self.function_seed) == (0, 3, 0), self,
                    "features, sparsity and function_seed belong to a drawn function; here a formula is given")  # fmt: skip
        else:
            object.__setattr__(self, "sparsity", min(self.sparsity, self.length))
        object.__setattr__(self, "features", 0 if self.features == self.length else self.features)
        count = len(self.thresholds.features)
        require(-1 <= self.bound < max(count, 1), self, f"bound is 0 to {count - 1}, or -1, found {self.bound}")
        if self.formula and self.bound == count - 1:
            object.__setattr__(self, "bound", -1)
        found = probed(self.thresholds, self.function_seed)
        require(balanced_enough(found, self.thresholds.bound), self,
                f"a function with both labels on at least one in 64 of its inputs; more than {self.thresholds.bound} features "
                f"hold on {int((found > self.thresholds.bound).sum())} of {len(found)}, in the middle {int(np.median(found))} "
                "do: set bound near that")  # fmt: skip

    def _read(self) -> Thresholds:
        given = self.formula
        formula = dimacs(given, "formula") if "\n" in given else read_dimacs(Path(given))
        require(formula.variables == self.length, self, f"length is {formula.variables}, the formula's number of variables")
        return formula

    @cached_property
    def thresholds(self) -> Thresholds:
        """The function."""
        if not self.formula:
            return drawn(self.length, self.features or self.length, self.sparsity, self.bound, self.function_seed)
        formula = self._read()
        return formula if self.bound < 0 else Thresholds(formula.variables, formula.features, self.bound)

    @cached_property
    def _counter(self) -> Counter:
        return Counter(self.thresholds)

    @property
    def vocabulary(self) -> int:
        return 2

    @property
    def classes(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return self.length

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        use = Use.EVALUATION if evaluate else Use.TRAINING
        words = draws(seed, use, start, count, 1 + -(-self.length // 32))
        wanted = words[:, 0] < HALF
        bits = unpacked(words[:, 1:], self.length)
        labels = self.answers(bits)
        pending = np.flatnonzero(labels != wanted)
        for attempt in range(1, ATTEMPTS):
            if not len(pending):
                break
            words = draws(seed, use, start, count, 1 + -(-self.length // 32), attempt)
            bits[pending] = unpacked(words[pending, 1:], self.length)
            labels[pending] = self.answers(bits[pending])
            pending = pending[labels[pending] != wanted[pending]]
        targets = np.full((count, self.length), NOTHING_ASKED, dtype=np.int64)
        targets[:, -1] = labels
        return Batch(bits.astype(np.int64), targets, np.full(count, self.length, dtype=np.int64))

    def answers(self, bits: UInt8[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch"]:
        """The function of many inputs, quickly."""
        return self._counter.count(bits) > self.thresholds.bound

    def solve(self, inputs: tuple[Any, ...]) -> int:
        require(len(inputs) == self.length, self, f"an input has {self.length} bits, found {len(inputs)}")
        return int(self.thresholds.evaluate(np.array([inputs], dtype=np.int64))[0])

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        """A feature is a clause, 1 where some literal holds (v: bit v, from 1, is 1; -v: it is 0), or a table: values[a], where
        binary digit j of a is the bit of indices[j], both counted from 0 but bits. Label 1: more than `threshold` are 1."""
        features = [
            {"literals": list(feature.literals)}
            if isinstance(feature, AtLeast)
            else {"indices": list(feature.indices), "values": list(feature.values)}
            for feature in self.thresholds.features
        ]
        return {"bits": list(inputs), "features": features, "threshold": self.thresholds.bound, "label": answer}

    def answer_bits(self) -> int | None:
        """The least state (`seqsep.exact.least_state`), exactly, up to 16 bits; None beyond, where it is not enumerated."""
        if self.length > MOST_ENUMERATED:
            return None
        every = np.arange(2**self.length)[:, None] >> np.arange(self.length)[::-1] & 1
        return of_values(self.answers(every.astype(np.uint8)).astype(np.int64).reshape((2,) * self.length)).state_bits

    def alphabets(self, length: int) -> tuple[range, ...]:
        require(length == self.length, self, f"the function has inputs of {self.length} bits, found {length}")
        return (range(2),) * length
