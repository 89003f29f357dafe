"""An oracle for associative recall saves a recurrent model almost no state on the hard sequences y_1 k y_2 k .. y_h k.

In these sequences every second token is one fixed token k, and h other symbols are to be remembered. The oracle answers any
question of associative recall about the sequence: for a token it gives the token after its first occurrence. The model must
answer Index: given i, it answers y_i. Even with the oracle, its state must store nearly all of the symbols y_1 .. y_h. The
number of bits is known exactly. In the statement, surj(h, s) is the number of maps of h places onto s symbols.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Proposition 5.1: with an oracle that answers any question of associative
recall, no recurrent model of o(n) bits answers Index, with any chain of thought. In their instance, as here, the symbols y_1
.. y_h are drawn from S symbols.

We differ: the number of bits is exact. The oracle also answers on symbols that do not occur, which the paper leaves out (see
the errata).

The oracle. To the question k it answers y_2. To a symbol that occurs it answers k, and to any other symbol FAILED. So its
answers are determined by y_2 and by the set D of symbols that occur. The answers also determine both (`simulated`).

Lower bound. Consider the sequences with one fixed y_2 and one fixed set D of s symbols. The oracle gives the same answers on
all of them. There are surj(h, s) / s of these sequences, because each of the s symbols is equally often at place 2. Any two of
them differ at some i. If both lead to the same state, the model writes the same chain of thought for both. Then it gives the
same answer to i, which is wrong for one of them. So the state after the data needs log2 K bits. Here K is the maximum of
surj(h, s) / s over s <= min(h, S). For S = 2 and h >= 3, K is 2^(h-1) - 1, so h - 1 bits are needed. Without the oracle h bits
are needed. For s = h the sequences are the h! permutations of D, and (h-1)! of them have the fixed y_2.

Upper bound. `encode` returns a number below K. From this number, D and y_2, `decode` finds all of y. Leave y_2 out: let z be
y_1 y_3 .. y_h. The set of symbols of z is D, or D without y_2. So z has t = s or t = s - 1 different symbols. Take the rank of
z among the surj(h-1, t) strings with the same set of symbols. For even t `encode` returns this rank, and for odd t it returns
K - 1 minus this rank. The ranges of numbers for t = s and t = s - 1 do not overlap, because surj(h, s) = s (surj(h-1, s) +
surj(h-1, s-1)). So the number determines t. (K counts only the states directly after the data. While the model asks and
answers, it needs more.)
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import required
from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import Alphabet, Length
from seqsep.theorems.protocols.collision import Collision, DistinguishingSuffix, Values, search
from seqsep.theorems.protocols.machine import AnyModel
from seqsep.theorems.protocols.sequences import Sequences
from seqsep.theorems.protocols.small_models import RECURRENT, OfSmallModel, SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.retrieval._index_lookup_trials import read
from seqsep.theorems.retrieval._recall_classes import stirling_partitions

UPPER = (
    "With an oracle for associative recall, ceil(log2 max_s surj(h, s)/s) bits of state are enough to recover all h symbols y "
    "of y_1 k y_2 k .. y_h k"
)
LOWER = (
    "With fewer bits after y_1 k .. y_h k a recurrent model is wrong on some input of Index, with the oracle and any chain of "
    "thought"
)
MOST_COUNTED = 64
CLAIM = Claim(
    name="recall-oracle-state",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Proposition 5.1",
    statement=f"{UPPER}; {LOWER}",
)
EXHAUSTIVE = 70_000
DRAWN = 200
MOST_BITS_RUN = 14
MOST_SHOWN = 4_096
Symbols = tuple[int, ...]


def onto(places: int, symbols: int) -> int:
    """surj(h, s): the maps of h places onto s symbols.

    >>> onto(places=3, symbols=2)
    6
    """
    return math.factorial(symbols) * stirling_partitions(places, symbols)


def cases(length: int, alphabet: int) -> int:
    """K: the most sequences of h = `length` symbols with equal answers of the oracle. Raises ValueError for h < 2 or S < 1.

    >>> [cases(length, 2) for length in (2, 3, 8)], cases(4, 4), cases(6, 3)
    ([1, 3, 127], 12, 180)
    """
    if length < 2 or alphabet < 1:
        raise ValueError(f"cases(length={length}, alphabet={alphabet}): at least 2 symbols drawn from 1 or more")
    return max(onto(length, symbols) // symbols for symbols in range(1, min(length, alphabet) + 1))


def least_bits(length: int, alphabet: int) -> int:
    """ceil(log2 K): h - 1 for two symbols and h >= 3.

    >>> least_bits(64, 2), least_bits(64, 64)
    (63, 321)
    """
    return ceil_log2(cases(length, alphabet))


def written(symbols: Symbols, alphabet: int) -> Symbols:
    """y_1 k y_2 k .., where k is the token S.

    >>> written((1, 0), alphabet=2)
    (1, 2, 0, 2)
    """
    return tuple(token for symbol in symbols for token in (symbol, alphabet))


def real(data: Symbols, asked: int) -> int | None:
    """The oracle, from the definition: the token after the first place of the one asked for; None for FAILED.

    >>> real((1, 2, 0, 2), asked=2), real((1, 2, 0, 2), asked=0), real((1, 2, 1, 2), asked=0)
    (0, 2, None)
    """
    return next((after for token, after in itertools.pairwise(data) if token == asked), None)


def simulated(occurring: frozenset[int], second: int, asked: int, alphabet: int) -> int | None:
    """The oracle's answer from D and y_2 alone.

    >>> simulated(frozenset({0, 1}), second=0, asked=2, alphabet=2), simulated(frozenset({1}), second=1, asked=0, alphabet=2)
    (0, None)
    """
    if asked == alphabet:
        return second
    return alphabet if asked in occurring else None


def _ranges(length: int, alphabet: int, size: int) -> range:
    """The numbers that `encode` gives to strings of h - 1 symbols, `size` of them different."""
    most = cases(length, alphabet)
    count = onto(length - 1, size) if size else 0
    return range(count) if size % 2 == 0 else range(most - count, most)


@cache
def _covering(places: int, missing: int, size: int) -> int:
    """Strings over `size` symbols in which `missing` given ones occur."""
    return sum((-1) ** left * math.comb(missing, left) * (size - left) ** places for left in range(missing + 1))


def rank(string: Symbols) -> int:
    """The number of a string among those with its length and set, in lexicographic order.

    >>> [rank(string) for string in [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]]
    [0, 1, 2, 3, 4, 5]
    """
    occurring = sorted(set(string))
    missing = set(occurring)
    number = 0
    for place, symbol in enumerate(string):
        rest = len(string) - 1 - place
        smaller = [other for other in occurring if other < symbol]
        number += sum(_covering(rest, len(missing - {other}), len(occurring)) for other in smaller)
        missing.discard(symbol)
    return number


def unrank(number: int, length: int, occurring: frozenset[int]) -> Symbols:
    """The string of that rank.

    >>> unrank(4, length=3, occurring=frozenset({0, 1}))
    (1, 0, 1)
    """
    missing = set(occurring)
    string = []
    for rest in reversed(range(length)):
        for symbol in sorted(occurring):
            count = _covering(rest, len(missing - {symbol}), len(occurring))
            if number < count:
                break
            number -= count
        string.append(symbol)
        missing.discard(symbol)
    return tuple(string)


def encode(symbols: Symbols, alphabet: int) -> int:
    """The number below K that is to be remembered of y.

    >>> sorted(encode(symbols, 2) for symbols in [(0, 0, 1), (1, 0, 0), (1, 0, 1)])  # all with y_2 = 0
    [0, 1, 2]
    """
    string = symbols[:1] + symbols[2:]
    numbers = _ranges(len(symbols), alphabet, len(set(string)))
    return numbers[rank(string)] if len(set(string)) % 2 == 0 else numbers[-1 - rank(string)]


def decode(number: int, length: int, alphabet: int, *, occurring: frozenset[int], second: int) -> Symbols:
    """All of y, from the number and from the answers of the oracle.

    >>> decode(encode((1, 0, 1), 2), 3, 2, occurring=frozenset({0, 1}), second=0)
    (1, 0, 1)
    """
    for own in (occurring, occurring - {second}):
        numbers = _ranges(length, alphabet, len(own))
        if own and number in numbers:
            place = number - numbers.start if len(own) % 2 == 0 else numbers.stop - 1 - number
            string = unrank(place, length - 1, own)
            return (string[0], second, *string[1:])
    raise ValueError(f"decode({number}, length={length}, alphabet={alphabet}): no sequence with this number")


@dataclass(frozen=True)
class WithOracle(Sequences):
    """Sequences y, written with k after each symbol; only those with equal answers of the oracle are to be distinguished."""

    def written(self, values: Values) -> Int64[np.ndarray, "batch time"]:
        behind = np.full_like(values, self.alphabet)
        return np.stack([values, behind], axis=2).reshape(len(values), -1)

    def group(self, values: Symbols) -> Hashable:
        return frozenset(values), values[1]

    def distinguishing_suffix(self, first: Symbols, second: Symbols) -> DistinguishingSuffix | None:
        place = next((index for index in range(self.length) if first[index] != second[index]), None)
        if place is None or self.group(first) != self.group(second):
            return None
        return DistinguishingSuffix((self.alphabet + 2 + place,), (first[place], second[place]))


def sequences(length: int, alphabet: int) -> WithOracle:
    """The task as sequences. Tokens: symbols, k = S, FAILED = S + 1, h questions, and S + 1 that ask the oracle for a token.

    >>> task = sequences(length=3, alphabet=2)
    >>> task.oracle((1, 2, 0, 2, 1, 2, 4), [9]), task.oracle((1, 2, 0, 2, 1, 2, 4), [7])  # 7, 8, 9 ask for 0, 1 and k
    ([0], [2])
    """
    first_asking = alphabet + 2 + length

    def oracle(prompt: Symbols, behind: list[int]) -> list[int] | None:
        asked = behind[-1] - first_asking
        if not 0 <= asked <= alphabet:
            return None
        found = real(prompt[: 2 * length], asked)
        return [alphabet + 1 if found is None else found]

    return WithOracle(
        length=length,
        alphabet=alphabet,
        longest=2 * length + 1,
        vocabulary=first_asking + alphabet + 1,
        answers=range(alphabet),
        continuation=lambda first, second: None,
        solve=lambda prompt: prompt[2 * (prompt[-1] - alphabet - 2)],
        oracle=oracle,
    )


def without_oracle(length: int, alphabet: int, bits: int) -> Recurrence:
    """A model that remembers y as a number in base S and asks nothing, with its highest bits dropped."""

    def move(t: int, state: int, token: int) -> int:
        if t < 2 * length:
            return state if t % 2 else state * alphabet + token
        return state // alphabet ** (length - 1 - (token - alphabet - 2)) % alphabet

    return Recurrence(ceil_log2(alphabet**length), 0, move, lambda t, state: state % alphabet).cut_down(bits)


def collide(model: AnyModel, length: int, alphabet: int, seed: int = 0, precision: int | None = None) -> Collision | None:
    """Two sequences with equal answers of the oracle that lead to one state, and an input that the model answers wrongly.

    As `counting_state.collide`; whenever the model writes a token that asks the oracle, its answer is the next token.
    """
    return search(model, sequences(length, alphabet), seed, precision)


def state_bound(length: int, alphabet: int) -> StateBound:
    """Return the lower bound on state next to an oracle, to run on models that are too small."""
    task = sequences(length, alphabet)
    return StateBound(
        claim=CLAIM,
        statement=LOWER,
        task=task,
        needed=least_bits(length, alphabet),
        solve=task.solve,
        reduced=partial(without_oracle, length, alphabet),
        most_bits=MOST_BITS_RUN,
        as_printed={"state_bits": "Omega(n)"},
    )


def check(
    length: Annotated[Length, Range(2, 256)] = 8,
    alphabet: Alphabet = 2,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the oracle's simulation and the code for h = `length` symbols of S = `alphabet`, then models that are too small.

    Every y if there are at most 70,000, and then the largest set with equal answers is counted; else 200 drawn ones. The
    models are those of `counting-state` (options `mixer`, `width`, `heads`, `precision`, `checkpoint`), by default one that
    remembers y with its highest bits dropped, and an LSTM of signs. Raises ValueError for a model with log2 K bits or more, or
    if no collision was found; TheoremFails if it collides and still answers rightly.
    """
    small = SmallModel(**model)
    lower = state_bound(length, alphabet).outcomes(small)
    return [_check_upper(length, alphabet, small.seed), *lower]


def _check_upper(length: int, alphabet: int, seed: int) -> Outcome:
    exhaustive = alphabet**length <= EXHAUSTIVE
    drawn = np.random.default_rng(seed).integers(0, alphabet, (DRAWN, length)).tolist()
    tried = list(itertools.product(range(alphabet), repeat=length)) if exhaustive else list(map(tuple, drawn))
    equal: Counter[tuple[int | None, ...]] = Counter()
    for symbols in tried:
        data = written(symbols, alphabet)
        occurring = frozenset(symbols)
        answers = tuple(real(data, asked) for asked in range(alphabet + 1))
        if answers != tuple(simulated(occurring, symbols[1], asked, alphabet) for asked in range(alphabet + 1)):
            raise CLAIM.fails({"symbols": symbols, "answers": answers})
        number = encode(symbols, alphabet)
        found = decode(number, length, alphabet, occurring=occurring, second=symbols[1])
        if found != symbols or not 0 <= number < cases(length, alphabet):
            raise CLAIM.fails({"symbols": symbols, "number": number, "found": found})
        equal[answers] += 1
    bound = {"state_bits": least_bits(length, alphabet)}
    measured = {"state_bits": ceil_log2(max(equal.values())) if exhaustive else bound["state_bits"]}
    if exhaustive:
        measured["sequences"] = max(equal.values())
        bound["sequences"] = cases(length, alphabet)
        if measured != bound:
            raise CLAIM.fails({"equal answers": measured["sequences"], "formula": bound["sequences"]})
    return CLAIM.upper(
        statement=UPPER,
        length=length,
        inputs=len(tried) * (alphabet + 1),
        exhaustive=exhaustive,
        measured=measured,
        bound=bound,
        as_printed={"state_bits": "Omega(n)"},
        variant=f"S = {alphabet}; without the oracle {ceil_log2(alphabet**length)} bits",
    )


def verify(seed: int = 0) -> list[Outcome]:
    """Try every y at small h and S, then drawn ones up to h = 64; find where a small model of every recurrent mixer answers
    wrongly.
    """
    exhaustive = ((2, 2), (3, 2), (8, 2), (12, 2), (16, 2), (6, 3), (8, 3), (10, 3), (5, 4), (8, 4), (6, 6))
    outcomes = [
        one for length, alphabet in (*exhaustive, (64, 2), (32, 8), (64, 64)) for one in check(length, alphabet, seed=seed)
    ]
    for mixer in RECURRENT:
        outcomes += state_bound(120, 120).outcomes(SmallModel(mixer=mixer, width=2, seed=seed))
    return outcomes


def predictor(
    length: Annotated[Length, Range(2, 256)], alphabet: Alphabet = 2
) -> Callable[[Mapping[str, Any]], Mapping[str, int]]:
    """Answer {"symbols": [..], "position": i} from the number that is remembered of y and from the oracle's answers.

    Exactly h = `length` symbols from 0 to S - 1, S = `alphabet`, i from 1 to h. The answer says y_i and the number below K that
    was remembered. Raises ValueError with the field's name for any other input.

    >>> predictor(length=3)({"symbols": [1, 0, 1], "position": 3})  # 2 bits, beside an oracle that tells y_2 and which occur
    {'answer': 1, 'remembered': 2, 'state_bits': 2}
    """
    bits = least_bits(length, alphabet)

    def answer(given: Mapping[str, Any]) -> Mapping[str, int]:
        symbols, position = read(given, alphabet, least=length, most=length)
        data = written(tuple(symbols), alphabet)
        remembered = encode(tuple(symbols), alphabet)
        occurring = frozenset(asked for asked in range(alphabet) if real(data, asked) is not None)
        second = required(real(data, alphabet), "the answer to the second query")
        found = decode(remembered, length, alphabet, occurring=occurring, second=second)
        return {"answer": found[position - 1], "remembered": remembered, "state_bits": bits}

    return answer


def certificate_witness(length: Annotated[Length, Range(2, 256)] = 5, alphabet: Alphabet = 3) -> Evidence:
    """Show one set of the most sequences with equal answers of the oracle; the questions tell every two of them apart.

    Raises ValueError for more than 4,096 sequences.
    """
    most = cases(length, alphabet)
    if most > MOST_SHOWN:
        raise ValueError(f"certify(length={length}, alphabet={alphabet}): {most:,} sequences, at most {MOST_SHOWN:,}")
    size = next(size for size in range(1, alphabet + 1) if onto(length, size) == size * most)
    strings = itertools.product(range(size), repeat=length)
    rows = [list(string) for string in strings if string[1] == 0 and len(set(string)) == size]
    questions = [[alphabet + place] for place in range(length)]
    witness = DistinguishingTable(alice=list(range(length)), rows=rows, columns=questions)
    return Evidence("index-lookup", {"length": length, "alphabet": alphabet}, witness)


def constants(length: Annotated[Length, Range(2, 64)], alphabet: Alphabet) -> dict[str, Number]:
    """The bound at one length; nothing is built. Raises ValueError beyond 64: classes are counted exactly."""
    if length > MOST_COUNTED:
        raise ValueError(f"length is at most {MOST_COUNTED} here, since classes are counted exactly, found {length}")
    return {"state_bits": least_bits(length, alphabet)}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows that y_2 and the set of symbols that occur determine every answer of the oracle. It finds by search the "
    "largest set of sequences with the same answers, and recovers all symbols of every sequence. For the models given it shows "
    "two sequences of one such set, and a question that the model answers wrongly after one of them.",
    not_shown="This does not show that every model with fewer bits has two such sequences. The pigeonhole principle shows "
    "that.",
    bound=constants,
    certificate_witness=certificate_witness,
    predictor=predictor,
    verify=verify,
    choices=(
        Choice(
            where="Proposition 5.1, proof",
            printed="the oracle returns the fixed token for any other one that is asked, and a constant for the fixed token",
            found="the simulation in the paper is right if the oracle may give any answer for a symbol that does not occur, "
            "a case that the task leaves out. Our oracle then answers FAILED. So for the symbol 1 it answers differently on "
            "0 k 0 k and 1 k 0 k. Its answers show y_2 and which symbols occur, and the simulation must know both",
            built="a simulation that gets y_2 and the set of symbols; the bound that remains is log2 max_s surj(h, s)/s bits",
            test="tests/theorems/retrieval/test_recall_oracle.py::test_the_oracle_tells_which_symbols_occur",
        ),
    ),
)
