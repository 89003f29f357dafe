"""The base of every task: a frozen dataclass that makes examples by index and can solve them slowly and obviously.

Its fields are its whole configuration. Nothing here needs torch: a Batch holds NumPy arrays, padded on the right.
Inputs are tokens, or vectors if `coordinates` is not 0. A target is a class; with binary cross-entropy (next-character
prediction) it represents a set of classes: only that one, or EVERY_CLASS for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from numbers import Real
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from jaxtyping import Bool, Float32, Int64

from seqsep.core.names import excerpt, is_whole, whole_arguments
from seqsep.core.options import Option, option_of

NOTHING_ASKED = -100
EVERY_CLASS = -1

TYPE_WORDS: Mapping[type, str] = {int: "a whole number", float: "a number", str: "a word", bool: "True or False"}
NAMED_TYPES: Mapping[Any, type] = {kind.__name__: kind for kind in TYPE_WORDS}
"""The types by their names, as which a file with `from __future__ import annotations` declares them."""

Loss: TypeAlias = Literal["cross-entropy", "binary-cross-entropy"]
LiveRetriever: TypeAlias = Callable[[Sequence[int], int], Sequence[int] | None]
"""Given all tokens so far, and how many of them are the prompt: the tokens to insert, or None if no query has been closed."""


@dataclass(frozen=True)
class Batch:
    """Examples of a task as arrays.

    Fields:
        inputs: tokens of the shape (batch, time), or vectors of the shape (batch, time, coordinates).
        targets: the answer at each position, of the shape (batch, time); -100 at positions without a query.
        lengths: tokens or vectors of each example before the padding, of the shape (batch).

    >>> from seqsep.tasks import IndexLookup
    >>> IndexLookup(length=3, alphabet=5).sample(start=0, count=4, seed=0, evaluate=True).inputs.shape
    (4, 4)
    >>> inputs, targets, lengths = IndexLookup(length=3, alphabet=5).sample(start=0, count=4, seed=0)
    >>> inputs.shape, targets.shape, lengths.shape
    ((4, 4), (4, 4), (4,))
    """

    inputs: Int64[np.ndarray, "batch time"] | Float32[np.ndarray, "batch time coordinates"]
    targets: Int64[np.ndarray, "batch time"]
    lengths: Int64[np.ndarray, "batch"]

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield inputs, targets and lengths, so that a batch unpacks."""
        return iter((self.inputs, self.targets, self.lengths))


@dataclass(frozen=True)
class Task(ABC):
    """A problem on sequences of tokens or vectors; subclasses add fields.

    Fields:
        length: N, the size of an evaluated input, in the unit of the task; from 1.

    >>> from seqsep.tasks import BY_NAME
    >>> task = BY_NAME["index-lookup"](length=12)
    >>> task.configuration()
    {'name': 'index-lookup', 'length': 12}
    """

    name: ClassVar[str]
    revision: ClassVar[int] = 1

    length: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let `sample` refuse a start, count or seed that is not a whole number."""
        super().__init_subclass__(**kwargs)
        if "sample" in vars(cls):
            cls.sample = whole_arguments(cls.sample)  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        wrong = wrong_field(self)
        require(wrong is None, self, wrong or "")
        for option in _declared_values(type(self)):
            fault = option.fault(getattr(self, option.name))
            require(fault is None, self, f"{option.name} {fault}")

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """Number of token ids; 0 if inputs are vectors."""

    @property
    def coordinates(self) -> int:
        """Coordinates of an input vector; 0: inputs are tokens."""
        return 0

    @property
    def loss(self) -> Loss:
        """Cross-entropy of one class, or the mean of binary cross-entropies of every class."""
        return "cross-entropy"

    @property
    @abstractmethod
    def classes(self) -> int:
        """Number of answers that a read-out distinguishes."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """Most tokens in an example, the question included."""

    @abstractmethod
    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        """Return the examples start .. start + count - 1 under a seed; `evaluate` takes the evaluation stream and its
        lengths.
        """

    @abstractmethod
    def solve(self, inputs: tuple[Any, ...]) -> int:
        """Return the target at the last of one sequence of tokens (or of vectors as tuples) without padding, from the
        definition.

        Raises ValueError for a sequence that ends in no question of the task.
        """

    @abstractmethod
    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        """Return one example as a person would write it. The format is fixed."""

    @abstractmethod
    def answer_bits(self) -> int | None:
        """State bits that a recurrent model must carry to answer every input of this length; None: no such bound."""

    @abstractmethod
    def alphabets(self, length: int) -> tuple[range, ...]:
        """Return the tokens allowed at each position of an input of `length`: the inputs are their product.

        Raises ValueError if they are not, or if inputs are vectors.
        """

    def query_positions(self, batch: Batch) -> Int64[np.ndarray, "batch"] | None:
        """Return the queried position of each example, 1 to `length`, or None if the task queries no position."""
        return None

    def mixed(self) -> "Task":
        """Return the same task with training inputs of mixed lengths, the first part of a curriculum (`Run.mixed_steps`).

        Raises ValueError if the task has no field `least_length`.
        """
        default: dict[str, Any] = {field.name: field.default for field in fields(self) if field.name == "least_length"}
        require(bool(default), self, "a curriculum needs a task with the field least_length")
        return replace(self, **default)

    def function(self, length: int) -> Callable[[tuple[int, ...]], int]:
        """Return the task at one length as a plain callable from token tuples to answers, for `seqsep.maths`.

        The callable raises ValueError for an input of another length.
        """
        expected = len(self.alphabets(length))

        def answer(inputs: tuple[int, ...]) -> int:
            if len(inputs) != expected:
                raise ValueError(f"{self.name}: an input of length {length} has {expected} tokens, found {len(inputs)}")
            return self.solve(inputs)

        return answer

    def score(
        self, predictions: Int64[np.ndarray, "batch time"], targets: Int64[np.ndarray, "batch time"]
    ) -> Bool[np.ndarray, "batch"]:
        """Return the examples that are right: those with every queried position predicted exactly.

        >>> from seqsep.tasks import IndexLookup
        >>> task = IndexLookup(length=2, alphabet=3)
        >>> targets = task.sample(0, 2, seed=0).targets
        >>> predictions = targets.copy()
        >>> predictions[1] += 1
        >>> task.score(predictions, targets)
        array([ True, False])
        """
        return np.all((targets == NOTHING_ASKED) | (predictions == targets), axis=1)

    def label(self) -> str:
        """Return the task's name with what distinguishes its kinds, for lines and tables; the length is given next to it.

        >>> from seqsep.tasks import BoundedDyck
        >>> BoundedDyck(4).label()
        'bounded-dyck'
        """
        return self.name

    def configuration(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, by name, with the task's name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        chosen = {field.name: values[field.name] for field in fields(self) if values[field.name] != field.default}
        return {"name": self.name} | chosen

    @classmethod
    def restore(cls, fields: Mapping[str, Any]) -> "Task":
        """Return the task of the fields of a `configuration`, which may come from a stranger: no file that they name is read.

        Raises ValueError and TypeError for fields that are not those of a task.
        """
        return cls(**fields)


def wrong_field(value: Any) -> str | None:
    """Return what is wrong with the first field of a dataclass that is not of its declared type; None if nothing is.

    A whole number is a number too; a truth value is neither. NumPy's numbers become Python's: an int64 would overflow where an
    int grows.

    >>> from dataclasses import make_dataclass
    >>> Point = make_dataclass("Point", [("x", int)])
    >>> wrong_field(Point(8.0)), wrong_field(Point(True))
    ('x is a whole number, found 8.0', 'x is a whole number, found True')
    >>> point = Point(np.int64(9))
    >>> wrong_field(point), type(point.x)
    (None, <class 'int'>)
    """
    kind: Any = type(value)
    for name, declared in _declared_types(kind):
        given = getattr(value, name)
        if type(given) is declared:
            continue
        if isinstance(given, np.generic):
            given = given.item()
            object.__setattr__(value, name, given)
        if not _is_of(declared, given):
            return f"{name} is {TYPE_WORDS[declared]}, found {excerpt(repr(given))}"
    return None


@cache
def _declared_types(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the name and the declared type of each field of a dataclass: looked up once, for rows are read by thousands."""
    return tuple((field.name, NAMED_TYPES.get(field.type, _plain(field.type))) for field in fields(kind))


def _plain(declared: Any) -> Any:
    """A declared type without its notes."""
    return get_args(declared)[0] if get_origin(declared) is Annotated else declared


@cache
def _declared_values(kind: type) -> tuple[Option, ...]:
    """Return each field of a task that declares its range or its choices."""
    declared = (option_of(field.name, field.type) for field in fields(kind))
    return tuple(option for option in declared if option.range or option.choice)


def _is_of(declared: Any, value: object) -> bool:
    """Tell if a value is of a type of TYPE_WORDS; every value is of any other type."""
    if declared is int:
        return is_whole(value)
    if declared is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    return declared not in TYPE_WORDS or isinstance(value, declared)


class GeneratedTask(Task):
    """A task whose answer is written: after a prompt a model writes a chain of thought, token by token, and then the answer.

    The inputs are the prompt and the thought. At the last token of the prompt and at each token of the thought, the target is
    the next token. At the last token of the thought, the target is the answer, one of the tokens `stops`. A token that a
    retriever inserts is not a target. So a model that predicts all targets of an example right also writes the right thought
    and answer by itself. `score` is true for an example if all targets are right, and `score_answers` if the answer is right.

    Fields:
        length: N, the size of an evaluated input, in the unit of the task; from 1.

    >>> from seqsep.tasks import IsTree
    >>> task = IsTree(length=4, trace="cot")
    >>> batch = task.sample(start=2, count=1, seed=0)
    >>> print(*(task.shown(token) for token in task.prompts(batch)[0]))
    [BOS] 1 ~ 2 1 ~ 3 2 ~ 4
    >>> batch.targets[0, 9:].tolist(), task.stops  # after the prompt: the tour and YES
    ([1, 2, 4, 2, 1, 3, 1, 7], (6, 7))
    >>> task.judge([1, 2, 1, 7], answer=7), task.judge([1, 6], answer=7), task.judge([1, 2, 1], answer=7)
    (1.0, 0.0, 0.5)
    """

    @property
    def classes(self) -> int:
        """Every token may follow."""
        return self.vocabulary

    @property
    @abstractmethod
    def stops(self) -> tuple[int, ...]:
        """The tokens that end a generation: the answers."""

    @property
    @abstractmethod
    def most_generated(self) -> int:
        """The most tokens of a right thought and its answer; a generation is cut there."""

    @abstractmethod
    def prompt(self, given: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the prompt of an input as `readable` writes it. Raises ValueError with the field's name."""

    @abstractmethod
    def shown(self, token: int) -> int | str:
        """Return a token as a reader sees it."""

    def retriever(self) -> LiveRetriever | None:
        """Return the retriever that answers the queries of the chain of thought while it is generated; None if it has no
        queries.
        """
        return None

    def prompts(self, batch: Batch) -> list[tuple[int, ...]]:
        """Return the prompt of each example: its tokens up to the first queried position."""
        ends = (batch.targets != NOTHING_ASKED).argmax(axis=1) + 1
        return [tuple(inputs[:end]) for inputs, end in zip(batch.inputs.tolist(), ends.tolist(), strict=True)]

    def answers(self, batch: Batch) -> Int64[np.ndarray, "batch"]:
        """Return the answer of each example as a token: the target of its last query."""
        rows = np.arange(len(batch.targets))
        return batch.targets[rows, _last_asked(batch.targets)]

    def score_answers(
        self, predictions: Int64[np.ndarray, "batch time"], targets: Int64[np.ndarray, "batch time"]
    ) -> Bool[np.ndarray, "batch"]:
        """Return the examples with the right answer after the right thought: only the last queried position counts."""
        rows = np.arange(len(targets))
        last = _last_asked(targets)
        return predictions[rows, last] == targets[rows, last]

    def judge(self, generated: Sequence[int], answer: int) -> float:
        """Return 1 if the first answer among the generated tokens is right, 0 if it is wrong, and 1/2 without an answer."""
        found = next((token for token in generated if token in self.stops), None)
        return 0.5 if found is None else float(found == answer)


def _last_asked(targets: Int64[np.ndarray, "batch time"]) -> Int64[np.ndarray, "batch"]:
    """Return the last queried position of each example."""
    return targets.shape[1] - 1 - (targets[:, ::-1] != NOTHING_ASKED).argmax(axis=1)


def fields_given(kind: type[Task], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given fields, if the task declares their names and types. A whole number is a number too.

    Raises ValueError for another name or another type.

    >>> from seqsep.tasks import IndexLookup
    >>> fields_given(IndexLookup, {"length": 9})
    {'length': 9}
    """
    hints = get_type_hints(kind)
    types = {field.name: hints[field.name] for field in fields(kind)}
    for name, value in given.items():
        flag = f"{kind.name}: --{name.replace('_', '-')}"
        if name not in types:
            raise ValueError(f"{kind.name}: expected {', '.join(types)} as flags, found --{name.replace('_', '-')}")
        if not _is_of(types[name], value):
            raise ValueError(f"{flag}: expected {TYPE_WORDS[types[name]]}, found {value!r}")
    return dict(given)


def require(condition: bool, task: Task, expected: str) -> None:
    """Raise ValueError with the task as it was called and what was expected, unless the condition holds."""
    if not condition:
        raise ValueError(f"{task!r}: {expected}")
