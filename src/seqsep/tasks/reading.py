"""Inputs of the user's own, read back: the tokens of one input that is written as `Task.readable` writes it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from seqsep.tasks.associative_recall import AssociativeRecall
from seqsep.tasks.base import Task
from seqsep.tasks.bounded_dyck import BRACKETS, BoundedDyck
from seqsep.tasks.counting import Counting
from seqsep.tasks.disjointness import Disjointness
from seqsep.tasks.equality import Equality
from seqsep.tasks.index_lookup import IndexLookup
from seqsep.tasks.induction_heads import InductionHeads
from seqsep.tasks.ngram_retrieval import NgramRetrieval
from seqsep.tasks.parity_conditioned_recall import ParityConditionedRecall
from seqsep.tasks.sparse_threshold import SparseThreshold

Given = Mapping[str, Any]


def readable_form(given: Given) -> Given:
    """Return the readable form in an example of `seqsep sample --json`, or any other object unchanged.

    >>> readable_form({"inputs": [7, 1, 64], "targets": [7], "readable": {"symbols": [7, 1], "position": 1}})
    {'symbols': [7, 1], 'position': 1}
    >>> readable_form({"symbols": [7, 1], "position": 1})
    {'symbols': [7, 1], 'position': 1}
    """
    readable = given.get("readable")
    return readable if isinstance(readable, Mapping) else given


def read_input(task: Task, given: Given) -> tuple[int, ...]:
    """Return the tokens of an input: those of the field `inputs`, or those of the fields of `task.readable`, without the
    answer. An example of `seqsep sample --json` has both.

    Raises ValueError with the field for a text that is not an input of the task, or one that is too long.

    >>> read_input(IndexLookup(length=5), {"symbols": [7, 1, 2], "position": 1})
    (7, 1, 2, 64)
    >>> read_input(IndexLookup(length=5), {"inputs": [7, 1, 2, 64]})
    (7, 1, 2, 64)
    """
    if task.coordinates:
        raise ValueError(f"{task.name}: expected a task on tokens, its inputs are vectors")
    if "inputs" in given:
        tokens = tuple(_numbers(given, "inputs", task.vocabulary))
    else:
        given = readable_form(given)
        read = next((read for kind, read in READERS.items() if isinstance(task, kind)), None)
        if read is None:
            raise ValueError(
                f"inputs: expected the tokens of an input of {task.name}, found the fields {', '.join(given) or 'none'}"
            )
        tokens = read(task, given)
    if not 1 <= len(tokens) <= task.longest:
        raise ValueError(f"expected 1 to {task.longest} tokens for {task!r}, found {len(tokens)}")
    return tokens


def _field(given: Given, name: str) -> Any:
    if name not in given:
        raise ValueError(f"{name}: missing; found the fields {', '.join(map(str, given)) or 'none'}")
    return given[name]


def _numbers(given: Given, name: str, below: int) -> list[int]:
    """Return a list of whole numbers from 0 to below - 1."""
    value = _field(given, name)
    if not isinstance(value, list) or not all(type(one) is int and 0 <= one < below for one in value):
        raise ValueError(f"{name}: expected a list of whole numbers from 0 to {below - 1}, found {value!r:.60}")
    return value


def _number(given: Given, name: str, first: int, last: int) -> int:
    value = _field(given, name)
    if type(value) is not int or not first <= value <= last:
        raise ValueError(f"{name}: expected a whole number from {first} to {last}, found {value!r:.60}")
    return int(value)


def _index_lookup(task: IndexLookup, given: Given) -> tuple[int, ...]:
    symbols = _numbers(given, "symbols", task.alphabet)
    return (*symbols, task.alphabet + _number(given, "position", 1, len(symbols)) - 1)


def _associative_recall(task: AssociativeRecall, given: Given) -> tuple[int, ...]:
    return _pairs(given, task.key_count, task.values)


def _pairs(given: Given, key_count: int, value_count: int) -> tuple[int, ...]:
    """Return the tokens of pairs of a key and a value, and of a queried key."""
    pairs = _field(given, "pairs")
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"pairs: expected a list of [key, value], found {pairs!r:.60}")
    keys = _numbers({"keys of pairs": [key for key, _ in pairs]}, "keys of pairs", key_count)
    values = _numbers({"values of pairs": [value for _, value in pairs]}, "values of pairs", value_count)
    told = [token for key, value in zip(keys, values, strict=True) for token in (key, key_count + value)]
    return (*told, _number(given, "query", 0, key_count - 1))


def _parity_conditioned_recall(task: ParityConditionedRecall, given: Given) -> tuple[int, ...]:
    return _pairs(given, task.length, task.values)


def _induction_heads(task: InductionHeads, given: Given) -> tuple[int, ...]:
    symbols = _field(given, "symbols")
    if isinstance(symbols, list):
        symbols = [task.alphabet if type(symbol) is str and symbol == "trigger" else symbol for symbol in symbols]
    return (*_numbers({"symbols": symbols}, "symbols", task.vocabulary), task.alphabet)


def _halves(task: Equality | Disjointness, given: Given) -> tuple[int, ...]:
    symbols = task.vocabulary - 1
    return (*_numbers(given, "left", symbols), symbols, *_numbers(given, "right", symbols))


def _bounded_dyck(task: BoundedDyck, given: Given) -> tuple[int, ...]:
    """Return the tokens of brackets in the form of `BoundedDyck.readable`; beyond four kinds "(5" and ")5"."""
    text = _field(given, "string")
    kinds = task.kinds
    written = BRACKETS[: 2 * kinds]
    is_numbered = 2 * kinds > len(BRACKETS)
    if not isinstance(text, str) or not re.fullmatch(r"([()]\d{1,9} ?)*" if is_numbered else f"[{re.escape(written)}]*", text):
        raise ValueError(f"string: expected brackets {'as (5 and )5' if is_numbered else written}, found {text!r:.60}")
    if not is_numbered:
        return tuple(map(written.index, text))
    tokens = [2 * (int(word[1:]) - 1) + (word[0] == ")") for word in text.split()]
    return tuple(_numbers({"string": tokens}, "string", 2 * kinds))


def _sparse_threshold(task: SparseThreshold, given: Given) -> tuple[int, ...]:
    return tuple(_numbers(given, "bits", 2))


def _counting(task: Counting, given: Given) -> tuple[int, ...]:
    return (
        *_numbers(given, "tokens", task.numbers),
        _number(given, "query", 0, task.numbers - 1),
        _number(given, "threshold", 0, task.vocabulary - 1),
    )


def _ngram_retrieval(task: NgramRetrieval, given: Given) -> tuple[int, ...]:
    query = _numbers(given, "query", task.vocabulary)
    if len(query) != task.gram - 1:
        raise ValueError(f"query: expected {task.gram - 1} symbols, found {len(query)}")
    return (*_numbers(given, "tokens", task.vocabulary), *query)


READERS: dict[type, Callable[[Any, Given], tuple[int, ...]]] = {
    IndexLookup: _index_lookup,
    AssociativeRecall: _associative_recall,
    Equality: _halves,
    Disjointness: _halves,
    BoundedDyck: _bounded_dyck,
    SparseThreshold: _sparse_threshold,
    Counting: _counting,
    NgramRetrieval: _ngram_retrieval,
    InductionHeads: _induction_heads,
    ParityConditionedRecall: _parity_conditioned_recall,
}
"""For each task, a function from the fields of `readable` to tokens; other tasks are asked by their tokens."""
