"""A Boolean function, or one on other symbols, as the list of its answers.

00010111                  a text of 0 and 1
[0,0,0,1,0,1,1,1]         a JSON list; null is an input outside the domain
FILE.json, FILE.txt       the same in a file

Answer number i is that to the input whose symbols, the first position most significant, are the digits of i. For bits, the
number of answers is a power of 2.
"""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from seqsep.core.files import read_text
from seqsep.core.names import BadInput, excerpt, is_whole

MOST_BYTES = 1 << 24
MOST_ANSWERS = 1 << 20


def looks_like_answers(text: str) -> bool:
    """Return True for a text of two or more 0 and 1, or for a list in brackets with a comma.

    >>> looks_like_answers("0110"), looks_like_answers("[0, 1]"), looks_like_answers("[01]")
    (True, True, False)
    """
    text = text.strip()
    return (len(text) > 1 and set(text) <= set("01")) or (text.startswith("[") and "," in text and text.endswith("]"))


def answers_in(text: str, source: str) -> list[int | None]:
    """Return the answers of a text, a list or a JSON text of them. Raises BadInput for something else."""
    shown = "".join(text.split())
    if shown and set(shown) <= set("01"):
        return [int(mark) for mark in shown]
    try:
        return answers_of(json.loads(text), source)
    except BadInput:
        raise
    except (ValueError, RecursionError):
        raise BadInput(f"{source}: expected 0 and 1, or a JSON list of answers, found {excerpt(repr(text))}") from None


def answers_of(data: Any, source: str) -> list[int | None]:
    """Return the answers of JSON data, a list or a text of 0 and 1. Raises BadInput for something else."""
    if isinstance(data, str) and data and set(data) <= set("01"):
        return [int(mark) for mark in data]
    if not isinstance(data, list) or not data or not all(answer is None or is_whole(answer) for answer in data):
        raise BadInput(f"{source}: expected a list of answers (whole numbers, or null), found {excerpt(repr(data))}")
    return data


def read_answers(path: Path) -> list[int | None]:
    """Read the answers in a file."""
    return answers_in(read_text(path, most=MOST_BYTES), str(path))


def sizes_of(answers: Sequence[int | None], alphabet: Sequence[int] | None, source: str) -> tuple[int, ...]:
    """Return the sizes of the alphabet at each position. Raises BadInput if the number of answers is another.

    >>> sizes_of([0] * 8, None, "mine"), sizes_of([0] * 9, [3], "mine"), sizes_of([0] * 6, [2, 3], "mine")
    ((2, 2, 2), (3, 3), (2, 3))
    """
    count = len(answers)
    if count > MOST_ANSWERS:
        raise BadInput(f"{source}: expected at most {MOST_ANSWERS:,} answers, found {count:,}")
    if alphabet is not None and len(alphabet) > 1:
        if math.prod(alphabet) != count:
            raise BadInput(f"{source}: expected {math.prod(alphabet):,} answers for this alphabet, found {count:,}")
        return tuple(alphabet)
    size = 2 if alphabet is None else alphabet[0]
    length = 0
    while size > 1 and size**length < count:
        length += 1
    if length < 1 or size**length != count:
        power = f"a power of {size} from {size}" if size > 1 else "an alphabet from 2"
        raise BadInput(f"{source}: expected {power} as the number of answers, found {count:,}")
    return (size,) * length


def function_of(answers: Sequence[int | None], sizes: Sequence[int]) -> Callable[[list[int]], int | None]:
    """Return the function with these answers.

    >>> function_of([0, 0, 0, 1], (2, 2))([1, 1])
    1
    """

    def call(word: list[int]) -> int | None:
        place = 0
        for symbol, size in zip(word, sizes, strict=True):
            place = place * size + symbol
        return answers[place]

    return call
