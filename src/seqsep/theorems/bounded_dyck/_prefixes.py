"""The brackets that may follow each prefix of a string: the right answers that networks are compared with."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

Strings = Int64[np.ndarray, "batch length"]


class Prefixes(NamedTuple):
    """For the prefix of every length: which brackets, and last the end, may follow; whether it begins a word; its depth."""

    allowed: Bool[np.ndarray, "batch prefix outputs"]
    valid: Bool[np.ndarray, "batch prefix"]
    depth: Int64[np.ndarray, "batch prefix"]


def prefixes(words: Strings, kinds: int, depth: int) -> Prefixes:
    """Find the answers by a stack for each string, all strings at a time; the depth of an invalid prefix is 0.

    >>> after = prefixes(np.array([[0, 2, 1]]), kinds=2, depth=2)  # ( [ )
    >>> after.valid.tolist(), after.depth.tolist()
    ([[True, True, True, False]], [[0, 1, 2, 0]])
    >>> after.allowed[0, 2].tolist()  # ( [ goes on with ] only
    [False, False, False, True, False]
    """
    batch, length = words.shape
    rows = np.arange(batch)
    stack = np.full((batch, depth + 2), -1, dtype=np.int64)
    is_valid = np.ones(batch, dtype=bool)
    now_open = np.zeros(batch, dtype=np.int64)
    after = Prefixes(
        allowed=np.zeros((batch, length + 1, 2 * kinds + 1), dtype=bool),
        valid=np.zeros((batch, length + 1), dtype=bool),
        depth=np.zeros((batch, length + 1), dtype=np.int64),
    )
    for size in range(length + 1):
        if size:
            kind = words[:, size - 1] // 2
            closes = words[:, size - 1] % 2 == 1
            is_valid &= np.where(closes, stack[rows, now_open] == kind, now_open < depth)
            now_open = np.where(is_valid, now_open + 1 - 2 * closes, 0)
            opened = is_valid & ~closes
            stack[rows[opened], now_open[opened]] = kind[opened]
        after.valid[:, size] = is_valid
        after.depth[:, size] = now_open
        may_open = is_valid & (now_open < depth)
        after.allowed[:, size, :-1:2] = may_open[:, None]
        may_close = is_valid & (now_open > 0)
        last_opened = stack[rows, now_open][may_close]
        after.allowed[rows[may_close], size, 2 * last_opened + 1] = True
        after.allowed[:, size, -1] = is_valid & (now_open == 0)
    return after
