"""A recurrent model needs about n log n bits of state for associative recall over n numbers, with any chain of thought.

The same holds for c-gram retrieval, of which associative recall is the case c = 2. Two attention layers of constant width do
it: see `recall-attention`.

Two sequences are in one class if no continuation leads to different answers. A model needs a state for each class, so log2 M
bits for M classes. The least number of bits and the bits of the model that seqsep builds can differ. For c = 2 and n = 5 the
least state has 11 bits, and the built model has ceil(5 log2 5) = 12. `seqsep bound` prints the first as `state_bits` and the
second as `built_state_bits`. The check measures both: the built model has 12 bits, and the least state, which a search finds,
has 11.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definitions 4.3 and 4.4, and Theorem 4.6 (associative recall, c-gram
retrieval): no recurrent model with o(n) bits of state answers these tasks, with any chain of thought.

Task: the model reads n tokens from [n], the numbers 0 .. n - 1. Then it reads c - 1 tokens as a question, with 2 <= c <= n. It
answers with the token after the first place where these c - 1 tokens occur in the data. Without such a token the answer is
FAILED. Associative recall is c = 2. (`associative-recall-state` is another task: pairs of a key and a value, each key once.)

We differ: the bound here is Theta(n log n) with constants, in place of Omega(n).
* For c = 2 the least number of bits is exact: ceil(log2 M), where M is the largest number of classes after any number of
  tokens. `_recall_classes` counts the classes in polynomial time. The least state has 2, 5, 8, 11 and 14 bits for n = 2 .. 6,
  and 335 bits for n = 64. It is between log2 n! and n log2 n.
* For c >= 3 the least state has at least log2(n^n - C(n-c+2, 2) n^(n-c+1)) bits, which is more than n log2 n - 1.
* For c = 3 it has at most ceil(n log2 n) bits. So for c = 3 the lower and the upper bound differ by at most one bit.
* The hard inputs in the paper show that floor(n/c) bits are needed, after a correction (`_recall_errata`).

Tokens: number v is the token v, and FAILED is the token n.

Upper bound. `build` stores the data as a number in base n. While it reads the question, it also stores the question's tokens,
except the last. These are ceil((n + c - 2) log2 n) bits.

Upper bound. For c = 3 fewer bits are enough, and `build` uses only these. The question has two tokens. After its first token
w, only two things about the data matter: the set of tokens w' that occur directly after w, and the answer to each question w
w'. The set takes n bits. There are at most n/2 such answers. To see this, let j of these answers have a w' other than w. Each
of them takes two places in the data: one of w, and the next one, of w'. One more token follows the last pair. So the data have
at least 2j + 1 tokens. An answer for w' = w needs one more place with the token w. So there are at most 2^n n^floor(n/2)
cases. For n >= 4 these are at most n^n, and for n = 3 they are 24 <= 2^5. So ceil(n log2 n) bits are enough at all times.

Lower bound. For c = 2 any two of the n! permutations are distinguished, so a state has at least log2 n! bits.
`_recall_classes` proves which sequences are distinguished, and counts the classes.

Lower bound. For any c, consider the sequences in which no (c-1)-gram occurs twice. The answers to all questions determine such
a sequence, as follows. Take the (c-1)-grams as the vertices of a graph. A question is one of these vertices. Its answer gives
the next (c-1)-gram of the sequence, and so an edge from the one vertex to the other. So the sequence is a path that visits no
vertex twice, and it starts at the vertex that no edge enters. So some question distinguishes any two of these sequences.

Now count the other sequences, in which some (c-1)-gram occurs twice. Fix its two places. The c - 1 tokens at the second place
are then equal to earlier tokens, also if the places overlap. So n^(n-c+1) sequences have the same (c-1)-gram at both places.
There are C(n-c+2, 2) pairs of places. So at most C(n-c+2, 2) n^(n-c+1) sequences have a (c-1)-gram twice. For c >= 3 this is
less than half of all.

Variants. Let c = 2, and suppose that the model need not answer FAILED: every question has an answer. Then log2 (n-1)! bits are
needed. The proof uses the permutations with one fixed last token. A chain of thought changes nothing, because it is computed
from the state and the question (`protocols.thought`).

The proof continues at `_recall_classes`.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata import least_state
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.automata.enumeration import alphabet_ranges, tabulate
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import Gram, LengthFrom2
from seqsep.theorems.protocols.collision import Collision, search
from seqsep.theorems.protocols.machine import AnyModel
from seqsep.theorems.protocols.sequences import Sequences
from seqsep.theorems.protocols.small_models import RECURRENT, OfSmallModel, SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.retrieval._recall import read
from seqsep.theorems.retrieval._recall_classes import classes

UPPER = (
    "A recurrent model with ceil((n + c - 2) log2 n) state bits, or ceil(n log2 n) if c = 3, answers c-gram retrieval over n "
    "numbers"
)
EXACT = "The least state of c-gram retrieval over n numbers, which a search finds, agrees with the count of classes"
LOWER = (
    "A recurrent model with fewer than log2 M state bits, for M classes of sequences, is wrong on some input of recall over n "
    "numbers, with any chain of thought"
)
MOST_COUNTED = 64
CLAIM = Claim(
    name="recall-state",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6",
    statement=f"Recall over n numbers needs Theta(n log n) state bits; {UPPER}; {LOWER}",
)
EXHAUSTIVE_INPUTS = 100_000
DRAWN = 40
MOST_BITS_RUN = 14
MOST_ANSWERS = 5 << 20


def require(call: str, length: int, gram: int) -> None:
    """Raise ValueError unless 2 <= c <= n."""
    if not 2 <= gram <= length:
        raise ValueError(f"{call}(length={length}, gram={gram}): gram is 2 to length")


def solve(length: int, tokens: tuple[int, ...]) -> int:
    """The answer as a token, from the definition; FAILED is n.

    >>> solve(4, (2, 0, 2, 1, 2)), solve(4, (2, 0, 2, 1, 3)), solve(4, (2, 0, 2, 1, 0, 2))
    (0, 4, 1)
    """
    data = tokens[:length]
    query = tokens[length:]
    for place in range(length - len(query)):
        if data[place : place + len(query)] == query:
            return data[place + len(query)]
    return length


def least_bits(length: int, gram: int = 2) -> int:
    """No model has fewer bits: exact for c = 2; else ceil(log2(n^n - C(n-c+2, 2) n^(n-c+1))).

    >>> [least_bits(length) for length in range(2, 7)], least_bits(64), [least_bits(length, gram=3) for length in (3, 4, 5)]
    ([2, 5, 8, 11, 14], 335, [5, 8, 12])
    """
    require("least_bits", length, gram)
    if gram == 2:
        return ceil_log2(max(classes(length, tokens) for tokens in range(1, length + 1)))
    repeated = math.comb(length - gram + 2, 2) * length ** (length - gram + 1)
    return ceil_log2(length**length - repeated)


def enough_bits(length: int, gram: int = 2) -> int:
    """State bits of `build`: ceil(n log2 n) for c = 2 and 3, else ceil((n + c - 2) log2 n).

    >>> [enough_bits(64, gram) for gram in (2, 3, 4)]
    [384, 384, 396]
    """
    require("enough_bits", length, gram)
    return ceil_log2(length ** (length + (gram - 2 if gram > 3 else 0)))


def build(length: int, gram: int = 2) -> Recurrence:
    """The exact model: the tokens so far as a number in base n; for c = 3 then the packed answers; at the end the answer.

    >>> model = build(4)
    >>> model.state_bits, model.answer((2, 0, 2, 1, 2)), model.answer((2, 0, 2, 1, 3))
    (8, 0, 4)
    """
    require("build", length, gram)
    last = length + gram - 2

    def move(t: int, state: int, token: int) -> int:
        if gram == 3 and t == length:
            return _packed(_digits(state, length, length), token)
        if t < last:
            return state * length + token
        if gram == 3:
            return _unpacked(state, length, token)
        return solve(length, (*_digits(state, length, last), token))

    return Recurrence(enough_bits(length, gram), 0, move, lambda t, state: state if t == last else 0)


def _digits(number: int, base: int, count: int) -> tuple[int, ...]:
    """The `count` least significant digits, highest first."""
    return tuple(number // base**place % base for place in reversed(range(count)))


def _packed(data: tuple[int, ...], first: int) -> int:
    """The second tokens that have an answer after this first one, a bit each; above these bits the answers, in base n."""
    length = len(data)
    answers = {second: solve(length, (*data, first, second)) for second in range(length)}
    known = [second for second, answer in answers.items() if answer < length]
    packed = sum(answers[second] * length**place for place, second in enumerate(known))
    return (packed << length) + sum(1 << second for second in known)


def _unpacked(state: int, length: int, second: int) -> int:
    """The answer to a second token."""
    if not state >> second & 1:
        return length
    place = (state & ((1 << second) - 1)).bit_count()
    return (state >> length) // length**place % length


def sequences(length: int, gram: int = 2) -> Sequences:
    """The task as sequences to distinguish, by the first (c-1)-gram of either that is answered differently."""
    require("sequences", length, gram)
    answer = partial(solve, length)

    def continuation(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
        for data in (first, second):
            for place in range(length - gram + 1):
                query = data[place : place + gram - 1]
                if answer(first + query) != answer(second + query):
                    return query
        return None

    return Sequences(
        length=length,
        alphabet=length,
        longest=length + gram - 1,
        vocabulary=length + 1,
        answers=range(length + 1),
        continuation=continuation,
        solve=answer,
    )


def collide(model: AnyModel, length: int, gram: int = 2, seed: int = 0, precision: int | None = None) -> Collision | None:
    """Return two sequences that are distinguished and leave the model in one state, and an input that it must answer wrongly.

    The model's answer is the first of the tokens 0 .. n that it writes, within 16 tokens. As `counting_state.collide`.
    """
    return search(model, sequences(length, gram), seed, precision)


def with_fewer_bits(length: int, gram: int, bits: int) -> Recurrence:
    """The exact model with its highest bits dropped."""
    return build(length, gram).cut_down(bits)


def state_bound(length: int, gram: int = 2) -> StateBound:
    """Return the lower bound on state, to run on models that are too small."""
    task = sequences(length, gram)
    return StateBound(
        claim=CLAIM,
        statement=LOWER,
        task=task,
        needed=least_bits(length, gram),
        solve=task.solve,
        reduced=partial(with_fewer_bits, length, gram),
        most_bits=MOST_BITS_RUN,
        as_printed={"state_bits": "Omega(n)"},
        prefix=f"{gram}-gram, ",
    )


def check(
    length: LengthFrom2 = 5,
    gram: Gram = 2,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the exact model and, at small n, the count of classes; find an input that each smaller model answers wrongly.

    `gram` is c. The exact model answers every input if there are at most 100,000, and then the least state is found by brute
    force; else every question that has an answer, and ten that have none, after 40 drawn sequences. The smaller models are
    those of `counting-state`: options `mixer`, `width`, `heads`, `precision`, `checkpoint` are the same. Raises ValueError
    for a model of `least_bits` or more, or if no collision was found; TheoremFails if it collides and still answers rightly.
    """
    small = SmallModel(**model)
    lower = state_bound(length, gram).outcomes(small)
    outcomes = [_check_upper(length, gram, small.seed)]
    if _is_small(length, gram):
        outcomes.append(_check_classes(length, gram))
    return outcomes + lower


def _is_small(length: int, gram: int) -> bool:
    return length ** (length + gram - 1) <= EXHAUSTIVE_INPUTS


def _check_upper(length: int, gram: int, seed: int) -> Outcome:
    """Put questions to the exact model after sequences."""
    exact = build(length, gram)
    exhaustive = _is_small(length, gram)
    tried = itertools.product(range(length), repeat=length) if exhaustive else _drawn(length, gram, seed)
    inputs = 0
    random = np.random.default_rng(seed)
    for data in tried:
        state = exact.state(data)
        questions = itertools.product(range(length), repeat=gram - 1) if exhaustive else _some_questions(data, gram, random)
        for query in questions:
            answer = exact.answer(query, state, length)
            inputs += 1
            if answer != solve(length, data + query):
                raise CLAIM.fails({"tokens": data, "query": query, "answer": answer})
    return CLAIM.upper(
        statement=UPPER,
        length=length,
        inputs=inputs,
        exhaustive=exhaustive,
        measured={"built_state_bits": exact.state_bits},
        bound={"built_state_bits": enough_bits(length, gram)},
        as_printed={"built_state_bits": "Omega(n)"},
        variant=f"{gram}-gram",
    )


def _drawn(length: int, gram: int, seed: int) -> list[tuple[int, ...]]:
    """Random sequences: of all numbers, or of few, so that (c-1)-grams are repeated."""
    random = np.random.default_rng(seed)
    few = max(2, round(length ** (1 / gram)))
    return [tuple(random.integers(0, length if turn % 2 else few, length).tolist()) for turn in range(DRAWN)]


def _some_questions(data: tuple[int, ...], gram: int, random: np.random.Generator) -> list[tuple[int, ...]]:
    """Every (c-1)-gram of the data, the last one too, and ten drawn ones."""
    length = len(data)
    inside = [data[place : place + gram - 1] for place in range(length - gram + 2)]
    return inside + [tuple(random.integers(0, length, gram - 1).tolist()) for _ in range(10)]


def _check_classes(length: int, gram: int) -> Outcome:
    """Find the least state by brute force, every split, and compare it with the count."""
    table = tabulate(lambda word: solve(length, tuple(word)), alphabet_ranges([length] * (length + gram - 1)))
    least = least_state.of_table(table)
    low = least_bits(length, gram)
    high = low if gram == 2 else enough_bits(length, gram)
    if not low <= least.state_bits <= high:
        raise CLAIM.fails({"classes": least.classes_by_split, "least_bits": low, "enough_bits": high})
    measured = {"state_bits": least.state_bits}
    bound = {"state_bits": high}
    if gram == 2:
        counted = [classes(length, tokens) for tokens in range(1, length + 1)]
        if least.classes_by_split[1 : length + 1] != counted:
            raise CLAIM.fails({"classes": least.classes_by_split, "counted": counted})
        measured["classes"] = least.classes
        bound["classes"] = max(counted)
    return CLAIM.upper(
        statement=EXACT,
        length=length,
        inputs=least.inputs_run,
        exhaustive=least.every_input,
        measured=measured,
        bound=bound,
        as_printed={"state_bits": f"Omega(n); the instance codes {length // gram}"},
        variant=f"{gram}-gram, least automaton",
    )


def verify(seed: int = 0) -> list[Outcome]:
    """Find the least state by brute force up to n = 5; run exact models up to n = 64, and a small one of every recurrent mixer.

    c is 2, 3 and 4.
    """
    outcomes = []
    for gram, lengths in ((2, (2, 3, 4, 5, 8, 16, 32, 64)), (3, (3, 4, 5, 8, 16, 64)), (4, (4, 5, 8, 64))):
        for length in lengths:
            outcomes += check(length, gram, seed=seed)
    for mixer in RECURRENT:
        outcomes += state_bound(128).outcomes(SmallModel(mixer=mixer, width=2, seed=seed))
    return outcomes


def predictor(length: LengthFrom2, gram: Gram = 2) -> Callable[[Mapping[str, Any]], int | None]:
    """Answer {"tokens": [..], "query": [..]} by the exact model: a token, or None for FAILED.

    Exactly n = `length` numbers and a query of c - 1, c = `gram`, all out of 0 .. n - 1. The answer raises ValueError with the
    field's name for any other input.

    >>> answer = predictor(length=4)
    >>> answer({"tokens": [3, 1, 3, 2], "query": [3]}), answer({"tokens": [3, 1, 3, 2], "query": [2]})
    (1, None)
    """
    exact = build(length, gram)

    def answer(given: Mapping[str, Any]) -> int | None:
        symbols, query = read(given, length, gram, least=length, most=length)
        found = exact.answer((*symbols, *query))
        return None if found == length else found

    return answer


def certificate_witness(length: LengthFrom2 = 4, gram: Gram = 2) -> Evidence:
    """Show a sequence of each class after [BOS] and n tokens, every two distinguished by a question; symbol s is token s + 1.

    Raises ValueError for more inputs than are tried.
    """
    require("certify", length, gram)
    inputs = length ** (length + gram - 1)
    if inputs > MOST_ANSWERS:
        raise ValueError(f"certify(length={length}, gram={gram}): {inputs:,} answers, at most {MOST_ANSWERS:,}")
    columns = list(itertools.product(range(length), repeat=gram - 1))
    first_with: dict[tuple[int, ...], list[int]] = {}
    for data in itertools.product(range(length), repeat=length):
        answers = tuple(solve(length, data + query) for query in columns)
        first_with.setdefault(answers, list(data))
    witness = DistinguishingTable(
        alice=list(range(length + 1)),
        rows=[[0, *(symbol + 1 for symbol in data)] for data in first_with.values()],
        columns=[[symbol + 1 for symbol in query] for query in columns],
    )
    return Evidence("ngram", {"alphabet": length, "gram": gram, "length": length}, witness)


TEST = "tests/theorems/retrieval/test_recall_state.py::"


def constants(length: LengthFrom2, gram: Gram = 2) -> dict[str, Number]:
    """The bound at one length; nothing is built. Raises ValueError beyond 64: classes are counted exactly."""
    if length > MOST_COUNTED:
        raise ValueError(f"length is at most {MOST_COUNTED} here, since classes are counted exactly, found {length}")
    return {"state_bits": least_bits(length, gram), "built_state_bits": enough_bits(length, gram)}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows the answers of the exact models, and at small n the number of classes by brute force. For the models "
    "given it shows two sequences that lead to one state, and a question that the model answers wrongly after one of them.",
    not_shown="This does not show that every model with fewer bits has two such sequences. The pigeonhole principle shows "
    "that.",
    bound=constants,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    choices=(
        Choice(
            where="Theorem 4.6 (associative recall, c-gram retrieval)",
            printed="no recurrent model of o(n) bits",
            found="the task needs Theta(n log n) bits, which is more than Omega(n). The paper's hard inputs show n/c bits. At "
            "n = 64 and c = 2 these are 32 bits, but 335 are needed",
            built="the exact number of bits for c = 2, and within one bit for c = 3",
            test=TEST + "test_bits_at_longer_lengths",
        ),
    ),
)
