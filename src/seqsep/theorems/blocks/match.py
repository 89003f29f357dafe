"""Scores that compare whole numbers: greatest at the keys whose number is the one asked for."""

import numpy as np

from seqsep.theorems.blocks.head import Scores
from seqsep.theorems.blocks.number import Number
from seqsep.theorems.blocks.space import Rows


def match(asked: Number, own: Number, one: Rows, *, factors: tuple[int, int] = (1, 1), present: Rows | None = None) -> Scores:
    """-B (v_j - q_k)^2, in four rows: 0 at each key whose number v_j is q_k, and at most -B at every other one.

    B = `factors[0]` * `factors[1]`. The rows are (b1 q)(b2 v) twice, (-B)(v^2) and (-q^2)(B): for |q|, |v| <= V every number in
    them is at most max(b1 V, b2 V, V^2, B), although the score may be far more, -B (2 V)^2 (`match_needs`). `one` reads 1 in
    the query. `present` reads 1 in every key by default; a key with v = v^2 = present = 0 scores 0 whatever is asked: a sink
    that ties with the matches, which other scores may raise or lower.

    >>> from seqsep.theorems.blocks.number import number
    >>> from seqsep.theorems.blocks.space import Spaces
    >>> spaces = Spaces(value=2, one=1)
    >>> same = match(number(spaces, "value"), number(spaces, "value"), spaces["one"], factors=(10, 3))
    >>> [same.between(np.array([5, 25, 1]), np.array([v, v * v, 1])) for v in (4, 5, 7)]
    [-30, 0, -120]
    """
    first, second = factors
    scale = first * second
    query = [first * asked.value, first * asked.value, -scale * one, -asked.square]
    key = [second * own.value, second * own.value, own.square, scale * (one if present is None else present)]
    return Scores(np.concatenate(query), np.concatenate(key))


def match_needs(most: int, factors: tuple[int, int]) -> int:
    """The greatest magnitude in the rows of `match`, for numbers of magnitude at most `most`: what L must be at least.

    >>> match_needs(66, (36, 67))
    4422
    """
    return max(factors[0] * most, factors[1] * most, most * most, factors[0] * factors[1])


def offset(time: Number, one: Rows, back: int, eta: int) -> Scores:
    """-eta (t_j - t_k + o)^2: the key `back` = o places before the query, which beats every other one by at least eta.

    It is a match of t_j with t_k - o. If that key does not exist, the first one wins by at least 3 eta, provided that eta (o +
    1)^2 <= L. Its distance a >= 1 is the least, and (a + 1)^2 - a^2 >= 3. The condition keeps its score and the next one on the
    grid, so that they are not both cut off at -L.

    >>> from seqsep.theorems.blocks.number import number
    >>> from seqsep.theorems.blocks.space import Spaces
    >>> spaces = Spaces(time=2, one=1)
    >>> before = offset(number(spaces, "time"), spaces["one"], back=1, eta=7)
    >>> [before.between(np.array([5, 25, 1]), np.array([t, t * t, 1])) for t in (3, 4, 5)]
    [-7, 0, -7]
    """
    return match(time.plus(-back, one), time, one, factors=(eta, 1))
