"""The inputs that test the four tasks by pattern, the right result of each, and a user's own inputs."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from seqsep.theorems.base import number_in, symbols_in
from seqsep.theorems.retrieval import _counting, _recall
from seqsep.theorems.retrieval._written_query import Template

WORDS = (1, 2, 11, 12)


class Given(NamedTuple):
    """An input: the data, and the tokens of the question."""

    numbers: tuple[int, ...]
    question: tuple[int, ...]

    def readable(self) -> dict[str, Any]:
        """As a reader sees it."""
        return {"tokens": list(self.numbers), "question": list(self.question)}


def solved(template: Template, given: Given) -> int | None:
    """The token that the retriever must find, from the task's definition; in counting the query, if it occurs often enough.

    >>> solved(Template("counting", alphabet=9), Given(numbers=(7, 7), question=(7, 1)))
    7
    """
    if template.question == "index":
        return given.numbers[given.question[0] - 1]
    if template.question == "recall":
        return _recall.solve(given.numbers, given.question)
    token, threshold = given.question
    return token if _counting.solve(given.numbers, token, threshold) else None


def every_input(template: Template, length: int) -> Iterator[Given]:
    """All data of 1 to N tokens out of four numbers of one and two digits, with every question over them.

    >>> [len(list(every_input(Template(task, alphabet=13), length=2))) for task in ("index", "recall")]
    [36, 80]
    """
    for count in range(1, length + 1):
        questions: list[tuple[int, ...]] = list(product(WORDS, repeat=template.asked))
        if template.question == "index":
            questions = [(place,) for place in range(1, count + 1)]
        elif template.question == "counting":
            questions = list(product(WORDS, range(4)))
        for numbers in product(WORDS, repeat=count):
            yield from (Given(numbers, question) for question in questions)


def drawn_inputs(template: Template, length: int, count: int, seed: int) -> Iterator[Given]:
    """Data of up to N tokens, half out of few numbers; most questions occur, and thresholds are about how often they do.

    >>> [len(given.question) for given in drawn_inputs(Template("counting", alphabet=9), length=8, count=3, seed=0)]
    [2, 2, 2]
    """
    random = np.random.default_rng([seed, template.asked])
    for number in range(count):
        size = int(random.integers(1, length, endpoint=True))
        many = template.alphabet if number % 2 else int(random.integers(1, 4))
        numbers = random.integers(0, many, size).tolist()
        start = int(random.integers(size))
        question = numbers[start : start + template.asked]
        if len(question) < template.asked or number % 3 == 2:
            question = random.integers(0, many, template.asked).tolist()
        if template.question == "index":
            question = [int(random.integers(1, size, endpoint=True))]
        elif template.question == "counting":
            often = numbers.count(numbers[start])
            question = [numbers[start], int(np.clip(often + random.integers(-1, 2), 0, template.alphabet - 1))]
        yield Given(tuple(numbers), tuple(question))


def read(given: Mapping[str, Any], length: int, alphabet: int) -> tuple[Template, Given]:
    """A user's input, of the task that its fields are those of.

    >>> read({"symbols": [3, 1], "position": 2}, length=4, alphabet=5)[1]
    Given(numbers=(3, 1), question=(2,))
    """
    if "symbols" in given:
        symbols = symbols_in(given, "symbols", alphabet, most=length)
        position = number_in(given, "position", 1, min(len(symbols), alphabet - 1))
        return Template("index", alphabet), Given(tuple(symbols), (position,))
    if "threshold" in given:
        numbers, query, threshold = _counting.read(given, alphabet, most=length)
        return Template("counting", alphabet), Given(tuple(numbers), (query, threshold))
    gram = len(symbols_in(given, "query", alphabet, most=length)) + 1
    numbers, grams = _recall.read(given, alphabet, gram, most=length)
    return Template("recall", alphabet, gram), Given(tuple(numbers), tuple(grams))
