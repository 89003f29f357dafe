"""Sparse threshold: bits x_1 .. x_N; the label is 1 if more than b features hold. A feature is a function of k of the bits.

Queries: the last token only.
Tokens: the bits.
Lengths: exactly `length` bits, in training and evaluation.
Function: all examples have the same function. It is drawn with `function_seed`, or given as `formula`.
Drawn function: each feature reads `sparsity` different bits, chosen uniformly. Its table is uniform among the tables that are
not constant. b is chosen on 1,024 uniform inputs, so that both labels are as nearly equally frequent as possible. If less
than 1/64 of these inputs have one of the labels, the function is drawn again. If 64 functions in a row fail, ValueError is
raised.
Given function: `formula` is a DIMACS CNF, and its clauses are the features. By default all clauses must hold. If `formula` is
the path of a file, the file is read at once, and the field then holds its text without comments. So the key of a run does not
depend on the path, and the run can be repeated on a machine without this file. If less than
1/64 of 1,024 uniform inputs have one of the labels, ValueError is raised.
Bound: `bound` sets b for both kinds of functions.
Examples: a label is drawn, each with probability 1/2. Then uniform inputs are drawn, at most 256, until one has this label;
if none has it, the last one is taken. So inputs are uniform given their label. Let p be the share of label 1 among all
inputs. Among the examples, its share is (1 - (1 - p)^256 + p^256) / 2. For p = 1/64 to 63/64, this is between 0.49 and 0.51.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 5.1 and appendix F.3; the paper trains no model on this task.
We differ: in F.3 a function has at most N features. Here it may have more; the default is N. Inputs do not begin with [BOS].
Shortcuts: a linear model compares a weighted sum of the bits with a threshold. On average it explains k / (2^k - 1) of the
variance of a random table of k bits. So with many drawn features of k bits, its share of right answers is
about 1 - arccos(sqrt(k / (2^k - 1))) / pi:
    k           1      2     3     4
    examples  100 %  80 %  73 %  67 %
A recurrent model need not store all bits of the input in its state. For N up to 16, `answer_bits` returns the fewest bits of
state that are enough.
"""

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, UInt8

from seqsep.core.names import excerpt
from seqsep.core.options import Range
from seqsep.core.stream import draws
from seqsep.maths.automata.layered import of_values
from seqsep.maths.formulas import AtLeast, Thresholds, dimacs, read_dimacs
from seqsep.tasks._blocks import HALF_OF_DRAWS, use_of
from seqsep.tasks._fixed_length import FixedLengthDecision
from seqsep.tasks._thresholds import FeatureCounter, dimacs_text, drawn, feature_counts, is_balanced_enough, unpacked
from seqsep.tasks.base import Batch, Task, require

ATTEMPTS = 256
MOST_ENUMERATED = 16


@dataclass(frozen=True)
class SparseThreshold(FixedLengthDecision):
    """`length` bits; the label is 1 if more than `bound` features of the bits hold.

    A feature is a function of a few of the bits. The features are drawn, or given as `formula`. If `sparsity` is greater than
    `length`, a feature reads all `length` bits.

    >>> task = SparseThreshold(length=2, formula="p cnf 2 2\\n1 0\\n-1 2 0\\n")
    >>> task.solve((1, 1)), task.solve((1, 0))
    (1, 0)
    """

    name: ClassVar[str] = "sparse-threshold"

    length: Annotated[int, Range(1, 2**20, unit="bits"), "N, bits of an input"]
    features: Annotated[int, Range(0, 2**16), "number of drawn features, 0 for as many as bits"] = 0
    sparsity: Annotated[int, Range(1, 4, unit="bits"), "bits that each drawn feature reads"] = 3
    bound: Annotated[
        int, Range(-1), "the label is 1 if more features than this hold; -1 for the default, which depends on the features"
    ] = -1
    function_seed: Annotated[int, Range(0, 2**63 - 1), "random seed of the function"] = 0
    formula: Annotated[str, "a DIMACS file whose clauses are the features; a path, or the text of such a file"] = field(
        default="", repr=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.formula:
            object.__setattr__(self, "formula", dimacs_text(self._read()))
            is_drawn_by_default = (self.features, self.sparsity, self.function_seed) == (0, 3, 0)
            expected = "features, sparsity and function_seed belong to a drawn function; here a formula is given"
            require(is_drawn_by_default, self, expected)
        else:
            object.__setattr__(self, "sparsity", min(self.sparsity, self.length))
        object.__setattr__(self, "features", 0 if self.features == self.length else self.features)
        count = len(self.thresholds.features)
        require(self.bound < max(count, 1), self, f"bound is 0 to {count - 1}, or -1, found {self.bound}")
        if self.formula and self.bound == count - 1:
            object.__setattr__(self, "bound", -1)
        self._require_balance()

    @classmethod
    def restore(cls, fields: Mapping[str, Any]) -> Task:
        """Return the task of a configuration, whose formula is its text. Raises ValueError for the path of one."""
        given = fields.get("formula", "\n")
        if not isinstance(given, str) or "\n" not in given:
            raise ValueError(
                f"{cls.name}: formula: expected the text of a DIMACS formula, found {excerpt(reprlib.repr(given))}"
            )
        return super().restore(fields)

    def _require_balance(self) -> None:
        bound = self.thresholds.bound
        counts = feature_counts(self.thresholds, self.function_seed)
        require(
            is_balanced_enough(counts, bound),
            self,
            f"a function with both labels on at least one in 64 of its inputs; more than {bound} features "
            f"hold on {int((counts > bound).sum())} of {len(counts)}, in the middle {int(np.median(counts))} "
            "do: set bound near that",
        )

    def _read(self) -> Thresholds:
        given = self.formula
        formula = dimacs(given, "formula") if "\n" in given else read_dimacs(Path(given))
        require(formula.variables == self.length, self, f"length is {formula.variables}, the formula's number of variables")
        return formula

    @cached_property
    def thresholds(self) -> Thresholds:
        """The function."""
        if not self.formula:
            features = self.features or self.length
            return drawn(self.length, features, self.sparsity, bound=self.bound, seed=self.function_seed)
        formula = self._read()
        return formula if self.bound < 0 else Thresholds(formula.variables, formula.features, self.bound)

    @cached_property
    def _counter(self) -> FeatureCounter:
        return FeatureCounter(self.thresholds)

    @property
    def vocabulary(self) -> int:
        return 2

    def solve(self, inputs: tuple[Any, ...]) -> int:
        require(len(inputs) == self.length, self, f"an input has {self.length} bits, found {len(inputs)}")
        return int(self.thresholds.evaluate(np.array([inputs], dtype=np.int64))[0])

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        each = 1 + -(-self.length // 32)
        draw = partial(draws, seed=seed, use=use_of(evaluate), start=start, count=count, each=each)
        words = draw()
        wanted = words[:, 0] < HALF_OF_DRAWS
        bits = unpacked(words[:, 1:], self.length)
        labels = self.answers(bits)
        pending = np.flatnonzero(labels != wanted)
        for attempt in range(1, ATTEMPTS):
            if not len(pending):
                break
            words = draw(attempt=attempt)
            bits[pending] = unpacked(words[pending, 1:], self.length)
            labels[pending] = self.answers(bits[pending])
            pending = pending[labels[pending] != wanted[pending]]
        return self._batch(bits.astype(np.int64), labels)

    def answers(self, bits: UInt8[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch"]:
        """Return the function of many inputs, quickly."""
        return self._counter.count(bits) > self.thresholds.bound

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        """Return the bits, the features and the bound. Label 1 means that more than `threshold` features are 1.

        A feature is a clause, 1 if some literal holds (v: bit v, from 1, is 1; -v: it is 0), or a table: values[a], of which
        binary digit j of a is the bit of indices[j]. Both count from 0, but bits from 1.
        """
        return {"bits": list(inputs), **readable_function(self.thresholds), "label": answer}

    def answer_bits(self) -> int | None:
        """Return the least state in bits (`seqsep.maths.automata.least_state`), exactly, up to 16 bits of input; beyond, return
        None.
        """
        if self.length > MOST_ENUMERATED:
            return None
        every_input = np.arange(2**self.length)[:, None] >> np.arange(self.length)[::-1] & 1
        answers = self.answers(every_input.astype(np.uint8)).astype(np.int64)
        return of_values(answers.reshape((2,) * self.length)).state_bits

    def alphabets(self, length: int) -> tuple[range, ...]:
        require(length == self.length, self, f"the function has inputs of {self.length} bits, found {length}")
        return (range(2),) * length


def readable_function(thresholds: Thresholds) -> dict[str, Any]:
    """Return the fields of a readable form that determine the function: its features, and the number that it must exceed."""
    features = [
        {"literals": list(feature.literals)}
        if isinstance(feature, AtLeast)
        else {"indices": list(feature.indices), "values": list(feature.values)}
        for feature in thresholds.features
    ]
    return {"features": features, "threshold": thresholds.bound}
