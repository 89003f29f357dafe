"""A recurrent model needs exactly ceil(log2 C(2n-1, n)) bits of state for counting over n numbers, with any chain of thought.

In counting a model reads n numbers, then a number q and a threshold t. It decides whether q occurs more than t times. C(a, b)
is the binomial coefficient, and the state has about 2n bits. Two attention layers of width 9 do the same: see
`counting-attention`.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definition 4.5 and Theorem 4.6 (Counting): no recurrent model of o(n) bits,
with any chain of thought.

We differ: the paper has the bound Omega(n). Here the number of bits is exact: 2 n - (log2 n)/2 - O(1). The data may come in any
order. The instance of the paper, after a correction, shows n bits (`_printed_reductions`).

Task: the model reads n tokens x_1 .. x_n from [n], then a number q and a threshold t of 0 .. n - 1. Here [n] is the set of n
numbers 0 .. n - 1, and n >= 2. The answer is 1 if q occurs more than t times among the x_i, else 0.

Tokens: number v is the token v, and threshold t is the token t. The token n is "no", and n + 1 is "yes".

Upper bound. The data are a multiset: a set in which a number may occur several times. There are C(K + n - 1, K) multisets of K
numbers. After K tokens the state of `build` is the rank of their multiset among these. After q the state is how often q
occurs. After t it is the answer.

Lower bound. Take two sequences whose multisets differ. Some number q occurs a times in one and b > a times in the other. The
question "q, a" has the answer "no" after the first and "yes" after the second. Here a is a valid threshold, since b <= n gives
a <= n - 1. So the two sequences need different states. There are C(2n-1, n) multisets of n numbers. If a model has fewer
states, two of the multisets lead to the same state. The text that the model writes after that, its chain of thought included,
depends only on the state and on "q, a". So it answers alike after both, and wrongly after one of them.

Other times. No other time needs more states. Before the n-th token there are fewer multisets. After q a model must know how
often q occurs. These are n + 1 cases, and n + 1 <= C(2n-1, n) as n >= 2. After t it must know the answer.
"""

import itertools
import math
from bisect import insort
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import LengthFrom2
from seqsep.theorems.protocols.collision import Collision, search
from seqsep.theorems.protocols.machine import AnyModel
from seqsep.theorems.protocols.sequences import Sequences
from seqsep.theorems.protocols.small_models import RECURRENT, OfSmallModel, SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.retrieval._counting import read

UPPER = "A recurrent model with ceil(log2 C(2n-1, n)) state bits answers counting over n numbers"
LOWER = (
    "With fewer than log2 C(2n-1, n) state bits a recurrent model with any chain of thought is wrong on some input of counting"
)
CLAIM = Claim(
    name="counting-state",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6",
    statement=f"{UPPER}; {LOWER}",
)
EXHAUSTIVE_INPUTS = 100_000
DRAWN = 40
MOST_BITS_RUN = 14
MOST_ANSWERS = 5 << 20


def solve(length: int, tokens: tuple[int, ...]) -> int:
    """The answer as a token, from the definition: n for "no", n + 1 for "yes".

    >>> solve(3, (2, 0, 2, 2, 1)), solve(3, (2, 0, 2, 2, 2))  # 2 occurs twice: more than once, not more than twice
    (4, 3)
    """
    *data, query, threshold = tokens
    return length + int(data.count(query) > threshold)


def classes(length: int, tokens: int) -> int:
    """C(K + n - 1, K): the multisets of K numbers of n, each of which needs a state.

    >>> classes(length=3, tokens=3)
    10
    """
    return math.comb(tokens + length - 1, tokens)


def least_bits(length: int) -> int:
    """ceil(log2 C(2n-1, n)), exactly. Raises ValueError for n below 2, where nothing is asked.

    >>> [least_bits(length) for length in (2, 16, 64, 256, 1024)]
    [2, 29, 124, 507, 2042]
    """
    if length < 2:
        raise ValueError(f"least_bits(length={length}): at least 2 numbers")
    return ceil_log2(classes(length, length))


def rank(multiset: list[int]) -> int:
    """The number of a sorted list of K numbers among those of its length: sum of C(a_i + i, i + 1), i = 0 .. K - 1.

    a_i + i rises strictly, so this is the rank of a K-subset in the combinatorial number system; over [n] it is below
    C(K + n - 1, K).

    >>> [rank(list(pair)) for pair in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]]
    [0, 1, 2, 3, 4, 5]
    """
    return sum(math.comb(number + place, place + 1) for place, number in enumerate(multiset))


def unrank(number: int, tokens: int, length: int) -> list[int]:
    """The sorted list of `tokens` numbers of [n] with that rank: the greatest number that fits, last place first.

    >>> unrank(4, tokens=2, length=3)
    [1, 2]
    """
    multiset = []
    value = length - 1
    for place in reversed(range(tokens)):
        while math.comb(value + place, place + 1) > number:
            value -= 1
        number -= math.comb(value + place, place + 1)
        multiset.append(value)
    return multiset[::-1]


def build(length: int) -> Recurrence:
    """The exact model: the rank of the multiset so far; after q, how often it occurs; after t, whether that is more than t.

    Raises ValueError for n below 2.

    >>> model = build(3)
    >>> model.state_bits, model.answer((2, 0, 2, 2, 1)), model.answer((2, 0, 2, 2, 2))
    (4, 4, 3)
    """

    def move(t: int, state: int, token: int) -> int:
        if t < length:
            multiset = unrank(state, t, length)
            insort(multiset, token)
            return rank(multiset)
        if t == length:
            return unrank(state, length, length).count(token)
        return int(state > token)

    return Recurrence(least_bits(length), 0, move, lambda t, state: length + int(state == 1))


def sequences(length: int) -> Sequences:
    """The task as sequences to distinguish: different multisets are, by the least number that occurs unequally often."""

    def continuation(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, int] | None:
        for number in range(length):
            fewer, more = sorted((first.count(number), second.count(number)))
            if fewer < more:
                return (number, fewer)
        return None

    return Sequences(
        length=length,
        alphabet=length,
        longest=length + 2,
        vocabulary=length + 2,
        answers=range(length, length + 2),
        continuation=continuation,
        solve=partial(solve, length),
    )


def collide(model: AnyModel, length: int, seed: int = 0, precision: int | None = None) -> Collision | None:
    """Two sequences of different multisets that lead to one state, and an input that the model must answer wrongly.

    The model's answer is the first token of "no" and "yes" that it writes, within 16 tokens; with `precision`, a model on
    tensors keeps its state at that many bits per number. None: no two such sequences collide. Raises ValueError if the search
    ends without a collision and sequences remain.
    """
    return search(model, sequences(length), seed, precision)


def with_fewer_bits(length: int, bits: int) -> Recurrence:
    """The exact model with its highest bits dropped."""
    return build(length).cut_down(bits)


def state_bound(length: int) -> StateBound:
    """Return the lower bound on state, to run on models that are too small."""
    task = sequences(length)
    return StateBound(
        claim=CLAIM,
        statement=LOWER,
        task=task,
        needed=least_bits(length),
        solve=task.solve,
        reduced=partial(with_fewer_bits, length),
        most_bits=MOST_BITS_RUN,
        as_printed={"state_bits": "Omega(n)"},
    )


def check(
    length: LengthFrom2 = 5,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the exact model, and find an input that each smaller one answers wrongly, its chain of thought included.

    The exact model answers every input if there are at most 100,000, else every number with the thresholds around its count
    after 40 drawn sequences. The smaller ones are by default the exact model with its highest bits dropped, and an LSTM of
    signs. With `mixer` (and `width`, `heads`), a model of that layer with random weights; with `checkpoint`, a trained one
    whose tokens and classes are n + 6: the numbers, no, yes, and four to think with. Its state is kept at `precision` bits a
    number (by default 1). Raises ValueError if it has log2 C(2n-1, n) bits or more, or no collision was found; TheoremFails if
    it collides and still answers rightly.
    """
    small = SmallModel(**model)
    lower = state_bound(length).outcomes(small)
    return [_check_upper(length, small.seed), *lower]


def _check_upper(length: int, seed: int) -> Outcome:
    """Put questions to the exact model after sequences, and require that every rank is that of one multiset."""
    exact = build(length)
    exhaustive = length ** (length + 2) <= EXHAUSTIVE_INPUTS
    tried = list(itertools.product(range(length), repeat=length)) if exhaustive else _drawn(length, seed)
    inputs = 0
    states = set()
    for data in tried:
        state = exact.state(data)
        states.add(state)
        for query in range(length):
            count = data.count(query)
            thresholds = range(length) if exhaustive else range(max(0, count - 1), min(length, count + 2))
            for threshold in thresholds:
                answer = exact.answer((query, threshold), state, length)
                inputs += 1
                if answer != solve(length, (*data, query, threshold)):
                    raise CLAIM.fails({"tokens": data, "query": query, "threshold": threshold, "answer": answer})
    measured = {"state_bits": exact.state_bits}
    bound = {"state_bits": least_bits(length)}
    if exhaustive:
        measured["states"] = len(states)
        bound["states"] = classes(length, length)
        if measured != bound:
            raise CLAIM.fails({"states": len(states), "multisets": bound["states"]})
    return CLAIM.upper(
        statement=UPPER,
        length=length,
        inputs=inputs,
        exhaustive=exhaustive,
        measured=measured,
        bound=bound,
        as_printed={"state_bits": "Omega(n)"},
    )


def _drawn(length: int, seed: int) -> list[tuple[int, ...]]:
    """Random sequences: numbers of all, or of few so that they occur often."""
    random = np.random.default_rng(seed)
    kinds = [length if turn % 2 else int(random.integers(1, 1 + math.isqrt(length))) for turn in range(DRAWN)]
    return [tuple(random.integers(0, kind, length).tolist()) for kind in kinds]


def verify(seed: int = 0) -> list[Outcome]:
    """Answer every input up to n = 5, then drawn ones up to n = 128; find where a small model of every recurrent mixer answers
    wrongly.
    """
    outcomes = [one for length in (2, 3, 4, 5, 8, 16, 64, 128) for one in check(length, seed=seed)]
    for mixer in RECURRENT:
        outcomes += state_bound(352).outcomes(SmallModel(mixer=mixer, width=2, seed=seed))
    return outcomes


def predictor(length: LengthFrom2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"tokens": [..], "query": q, "threshold": t} by the exact model: exactly n numbers, all out of 0 .. n - 1.

    The answer is 1 if q occurs more than t times, else 0. It raises ValueError with the field's name for any other input.

    >>> predictor(length=3)({"tokens": [2, 0, 2], "query": 2, "threshold": 1})
    1
    """
    exact = build(length)

    def answer(given: Mapping[str, Any]) -> int:
        numbers, query, threshold = read(given, length, least=length, most=length)
        return exact.answer((*numbers, query, threshold)) - length

    return answer


def certificate_witness(length: LengthFrom2 = 4) -> Evidence:
    """Show a sequence of each multiset after [BOS], every two distinguished by a number and a threshold.

    Number s is token s + 1, and so is threshold s. Raises ValueError for more answers than a checker may count.
    """
    answers = math.comb(2 * length - 1, length) * length**2 if length > 1 else 0
    if not 0 < answers <= MOST_ANSWERS:
        raise ValueError(f"certify(length={length}): {answers:,} answers, at most {MOST_ANSWERS:,}; length is at least 2")
    symbols = range(1, length + 1)
    rows = [[0, *multiset] for multiset in itertools.combinations_with_replacement(symbols, length)]
    columns = [[query, threshold] for query in symbols for threshold in symbols]
    witness = DistinguishingTable(alice=list(range(length + 1)), rows=rows, columns=columns)
    return Evidence("counting", {"alphabet": length, "length": length}, witness)


TEST = "tests/theorems/retrieval/test_counting_state.py::"


def constants(length: LengthFrom2) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return {"state_bits": least_bits(length)}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows the answers of the exact model. For each smaller model it shows two sequences that lead to the same "
    "state, and a question. After one of the sequences the model answers this question wrongly, at the end of its chain of "
    "thought.",
    not_shown="This does not show that every model with fewer bits has such sequences. The pigeonhole principle shows that.",
    bound=constants,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Theorem 4.6, proof (Counting)",
            printed="the indices j with x_j = 1 are listed, and the question is whether k occurs more than once",
            found="every index is listed at most once. By definition 4.5 (strictly more than t) every answer is 0, so the "
            "instance codes no bit of x. With threshold 0 it codes all n bits",
            built="the instance with threshold 0. With all multisets in place of sets, a model needs ceil(log2 C(2n-1, n)) "
            "bits. These are almost twice as many, and they are enough",
            test=TEST + "test_the_printed_instance_answers_no_to_everything",
        ),
    ),
)
