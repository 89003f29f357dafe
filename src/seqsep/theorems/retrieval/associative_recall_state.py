"""A recurrent model needs N log2 S bits of state for associative recall of N pairs with S different values.

A model reads N pairs of a key and a value, then one of the keys. It answers with the value of that key. If the keys may come
in any order, a model can need more bits while it reads the last pair.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Proposition 9 and appendix C.1; multi-query recall from appendix G.

We differ:
* The paper shows m p >= N, for a state of m numbers of p bits and two values. Here N is the number of pairs, so there are 2 N +
  1 tokens. The last sentence of that proof says "at most" in place of "at least".
* With S values in place of two, the same proof gives m p >= N log2 S, if the keys come in one fixed order. Then ceil(N log2 S)
  bits are enough.
* If the keys come in any order, a model needs max(N log2 S, (N - 1) log2 S + log2 N) bits. This number of bits, rounded up, is
  enough.

Task. The tokens are k_1 v_1 .. k_N v_N, then one of the keys. The answer is the value of this key. Keys are 0 .. N - 1, each
once. Values are the tokens N .. N + S - 1.

Upper bound. The state of `build` is a number in base S. Its digit i is the value of key i.

Lower bound. First consider the state after all pairs, with keys in a fixed order. Suppose that the state has B < N log2 S
bits. There are S^N lists of values, so two of them lead to the same state. They differ at some key. If the model is asked for
this key, it gives the same answer after both lists. So it answers wrongly after one of them. `collide` finds two such lists
for any model.

Next consider the state inside the last pair, with keys in any order and S >= 2. The model has read N - 1 pairs and the last key
k, but not the value of k. A case is the key k together with the values of the N - 1 other keys. There are N S^(N-1) cases, and
the model must distinguish any two of them:
* If two cases have the same k, the values of some other key q differ. Any value for k may follow, and then the question q.
* If two cases have different last keys k and k', the second case already has a value for k. Let another value v follow, and
  then the question k. The right answer is v in the first case. In the second case v is the value of k', and the right answer
  is the value of k, which is not v.

The proof continues at `build`.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem, field_of, number_in, symbols_in
from seqsep.theorems.options import Alphabet, Length
from seqsep.theorems.protocols.collision import Collision, RecallTask, TaskSizes, search
from seqsep.theorems.protocols.machine import AnyModel
from seqsep.theorems.protocols.small_models import OfSmallModel, SmallModel
from seqsep.theorems.protocols.state_bound import StateBound

UPPER = "A recurrent model with ceil(max(N log2 S, (N-1) log2 S + log2 N)) state bits answers associative recall of N pairs"
LOWER = "A recurrent model with fewer than N log2 S state bits is wrong on some input of associative recall of N pairs"
CLAIM = Claim(
    name="associative-recall-state",
    source="Bhattamishra et al. 2024, Proposition 9",
    statement=f"{UPPER}; {LOWER}",
)
EXHAUSTIVE_INPUTS = 20_000
SPREAD_INPUTS = 400
MOST_BITS_RUN = 10


Pairs = tuple[int, ...]
"""k_1 v_1 .. k_N v_N, as tokens."""


def solve(length: int, tokens: tuple[int, ...]) -> int:
    """The answer, from the definition: the value that follows the key asked for.

    >>> solve(2, (1, 5, 0, 3, 1))  # keys 0 and 1, values from token 2 on
    3
    """
    *pairs, asked = tokens
    return pairs[pairs.index(asked) + 1] - length


def least_bits(length: int, alphabet: int, any_order: bool = False) -> int:
    """ceil(N log2 S), or in any order ceil(log2 max(S^N, N S^(N-1))), exactly; 0 if there is only one case.

    >>> least_bits(6, 3), least_bits(6, 3, any_order=True), least_bits(4, 2, any_order=True)
    (10, 11, 5)
    """
    cases = alphabet**length
    if any_order and alphabet > 1:
        cases = max(cases, length * alphabet ** (length - 1))
    return ceil_log2(cases)


def build(length: int, alphabet: int, any_order: bool = False) -> Recurrence:
    """The exact model, for one question or for several questions about different keys.

    After a question, a token with the value of its key may follow, which does not change the state. Then another question may
    follow.

    The state is a number in base S. Its digit i is the value of key i, and 0 while this value is unknown.
    * Keys in order: the time determines the key, so a key token changes nothing. A value token sets a digit. So there are S^N
      states.
    * Keys in any order: after the key token k the state is k S^(N-1) plus the number that the digits of the other keys form.
      The value token sets digit k. So there are N S^(N-1) states inside the last pair.
    * After a question q the state must give the answer y. If further questions follow, it must also keep the values of the
      other keys. So the model replaces digit q such that the sum of all digits is -y modulo S. The read-out is minus this sum,
      modulo S. The other digits do not change, and q is not asked again. So S^N states are enough here too.

    If `any_order` is true, keys may come in any order. Otherwise they come as 0, 1, .., N - 1. Raises ValueError for a length
    or alphabet below 1.

    >>> model = build(length=3, alphabet=2)
    >>> model.state_bits, [model.answer((0, 4, 1, 3, 2, 4, key)) for key in range(3)]
    (3, [1, 0, 1])
    """
    if min(length, alphabet) < 1:
        raise ValueError(f"build(length={length}, alphabet={alphabet}): both are at least 1")
    named = any_order and alphabet > 1  # whether the state holds the name of a key whose value comes next

    def read_key(state: int, key: int) -> int:
        return key * alphabet ** (length - 1) + _without(state, key, alphabet) if named else state

    def read_value(t: int, state: int, value: int) -> int:
        if not named:
            return state + value * alphabet ** (t // 2)
        key, others = divmod(state, alphabet ** (length - 1))
        return _with(others, key, value, alphabet)

    def answer(state: int, key: int) -> int:
        value = state // alphabet**key % alphabet
        others = state - value * alphabet**key
        return others + -(_sum(others, alphabet) + value) % alphabet * alphabet**key

    def move(t: int, state: int, token: int) -> int:
        if t >= 2 * length:
            return answer(state, token) if token < length else state
        return read_key(state, token) if t % 2 == 0 else read_value(t, state, token - length)

    bits = least_bits(length, alphabet, any_order)
    return Recurrence(bits, 0, move, lambda t, state: -_sum(state, alphabet) % alphabet)


def _sum(state: int, alphabet: int) -> int:
    """The sum of the digits in base S."""
    total = 0
    while alphabet > 1 and state:
        state, digit = divmod(state, alphabet)
        total += digit
    return total


def _without(state: int, place: int, alphabet: int) -> int:
    """The number with the digit at a place taken out."""
    low = alphabet**place
    return state // (low * alphabet) * low + state % low


def _with(others: int, place: int, digit: int, alphabet: int) -> int:
    """The number with a digit put in at a place."""
    low = alphabet**place
    return (others // low * alphabet + digit) * low + others % low


def with_fewer_bits(length: int, alphabet: int, bits: int) -> Recurrence:
    """The exact model for keys in order with its highest bits dropped."""
    return build(length, alphabet).cut_down(bits)


def written(values: Int64[np.ndarray, "batch length"]) -> Int64[np.ndarray, "batch time"]:
    """0 v_0 1 v_1 .., keys in order.

    >>> written(np.array([[1, 0, 1]])).tolist()
    [[0, 4, 1, 3, 2, 4]]
    """
    length = values.shape[1]
    keys = np.broadcast_to(np.arange(length), values.shape)
    return np.stack([keys, values + length], axis=2).reshape(len(values), 2 * length)


def recall(length: int, alphabet: int) -> RecallTask:
    """The lists of values, written as pairs with keys in order; a key is its own question."""
    return RecallTask(
        length,
        alphabet,
        write=written,
        question=lambda position: (position,),
        sizes=TaskSizes(vocabulary=length + alphabet, classes=alphabet, longest=2 * length + 1),
    )


def collide(model: AnyModel, length: int, alphabet: int, seed: int = 0, precision: int | None = None) -> Collision | None:
    """Two lists of values that lead to one state, and an input that the model must answer wrongly.

    As `index_lookup_state.collide`, for models ours or a user's whose tokens are keys 0 .. N - 1 and values N .. N + S - 1.
    """
    return search(model, recall(length, alphabet), seed, precision)


def state_bound(length: int, alphabet: int) -> StateBound:
    """Return the lower bound on state, to run on models that are too small."""
    return StateBound(
        claim=CLAIM,
        statement=LOWER,
        task=recall(length, alphabet),
        needed=least_bits(length, alphabet),
        solve=partial(solve, length),
        reduced=partial(with_fewer_bits, length, alphabet),
        most_bits=MOST_BITS_RUN,
        as_printed={"state_bits": length},
    )


def check(
    length: Length = 6,
    alphabet: Alphabet = 3,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the exact models, for keys in order and in any order; find inputs that smaller ones answer wrongly.

    The exact models run on every input if there are at most 20,000, else on about 400. The smaller ones are by default the
    exact model with its highest bits dropped, and an LSTM of signs. With `mixer` (and `width`, `heads`), a model of that layer
    with random weights; with `checkpoint`, a trained one; its state is kept at `precision` bits per number (by default 1).
    Raises ValueError if it has N log2 S bits or more, or no collision was found.
    """
    small = SmallModel(**model)
    lower = state_bound(length, alphabet).outcomes(small)
    return [_check_upper(length, alphabet, any_order, small.seed) for any_order in (False, True)] + lower


def _check_upper(length: int, alphabet: int, any_order: bool, seed: int) -> Outcome:
    """Ask for every key after every list of pairs, each alone and all of them one after the other."""
    exact = build(length, alphabet, any_order)
    orders = math.factorial(length) if any_order else 1
    exhaustive = length * alphabet**length * orders <= EXHAUSTIVE_INPUTS
    tried = _every(length, alphabet, any_order) if exhaustive else _some(length, alphabet, any_order, seed)
    random = np.random.default_rng(seed)
    prefixes = 0
    for pairs in tried:
        state = exact.state(pairs)
        for key in pairs[0::2]:
            answer = exact.answer((key,), state, len(pairs))
            if answer != solve(length, (*pairs, key)):
                raise CLAIM.fails({"pairs": pairs, "query": key, "answer": answer})
        _require_many(exact, pairs, state, random.permutation(length).tolist())
        prefixes += 1
    return CLAIM.upper(
        statement=UPPER,
        length=length,
        inputs=prefixes * length,
        exhaustive=exhaustive,
        measured={"state_bits": exact.state_bits, "values_recovered": length},
        bound={"state_bits": least_bits(length, alphabet, any_order), "values_recovered": length},
        variant=f"keys in {'any order' if any_order else 'order'}",
    )


def _require_many(exact: Recurrence, pairs: Pairs, state: int, asked: list[int]) -> None:
    """Ask for every key, one after the other, each followed by its value."""
    length = len(pairs) // 2
    tokens: tuple[int, ...] = ()
    for key in asked:
        tokens = (*tokens, key)
        answer = exact.answer(tokens, state, len(pairs))
        expected = solve(length, (*pairs, key))
        if answer != expected:
            raise CLAIM.fails({"pairs": pairs, "queries and values": tokens, "answer": answer})
        tokens = (*tokens, length + expected)


def _every(length: int, alphabet: int, any_order: bool) -> Iterator[Pairs]:
    """All lists of pairs, keys in every order or in the one."""
    for keys in itertools.permutations(range(length)) if any_order else [tuple(range(length))]:
        for values in itertools.product(range(length, length + alphabet), repeat=length):
            yield tuple(itertools.chain.from_iterable(zip(keys, values, strict=True)))


def _some(length: int, alphabet: int, any_order: bool, seed: int) -> Iterator[Pairs]:
    """Random lists of pairs, with about 400 keys in all."""
    random = np.random.default_rng(seed)
    for _ in range(-(-SPREAD_INPUTS // length)):
        keys = random.permutation(length) if any_order else np.arange(length)
        values = length + random.integers(0, alphabet, length)
        yield tuple(np.stack([keys, values], axis=1).ravel().tolist())


def predictor(length: Length, alphabet: Alphabet = 64) -> Callable[[Mapping[str, Any]], int | list[int]]:
    """Answer {"pairs": [[key, value], ..], "query": key} by the exact model for keys in any order: the value.

    Exactly N = `length` pairs: keys are 0 .. N - 1, each once, and values 0 .. S - 1. With "queries", a list of different keys
    in place of "query", one state answers them in turn, and the answer is a list. The answer raises ValueError with the
    field's name for any other input.

    >>> answer = predictor(length=2, alphabet=9)
    >>> answer({"pairs": [[1, 8], [0, 3]], "query": 1}), answer({"pairs": [[1, 8], [0, 3]], "queries": [0, 1]})
    (8, [3, 8])
    """
    exact = build(length, alphabet, any_order=True)

    def answer(given: Mapping[str, Any]) -> int | list[int]:
        tokens = pairs_in(given, length, alphabet, least=length)
        if "queries" not in given:
            return exact.answer((*tokens, number_in(given, "query", 0, length - 1)))
        asked = symbols_in(given, "queries", length, most=length)
        if len(set(asked)) < len(asked):
            raise ValueError(f"queries: expected different keys, found {str(asked)[:80]}")
        return [exact.answer((*tokens, *asked[: number + 1])) for number in range(len(asked))]

    return answer


def pairs_in(given: Mapping[str, Any], length: int, alphabet: int, *, least: int) -> Pairs:
    """A user's pairs as tokens. Raises ValueError unless they are `least` to N pairs of a key, each once, and a value.

    >>> pairs_in({"pairs": [[1, 7], [0, 4]]}, 2, 8, least=2)
    (1, 9, 0, 6)
    """
    pairs = field_of(given, "pairs")
    if not isinstance(pairs, list) or not least <= len(pairs) <= length:
        found = f"{len(pairs)} of them" if isinstance(pairs, list) else str(pairs)[:80]
        wanted = f"{length}" if least == length else f"{least} to {length}"
        raise ValueError(f"pairs: expected a list of {wanted} pairs, found {found}")
    seen: dict[int, int] = {}
    for number, pair in enumerate(pairs, start=1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(entry) is int for entry in pair):
            raise ValueError(f"pairs: pair {number} is {str(pair)[:80]}; expected [key, value], two whole numbers")
        key, value = pair
        if not 0 <= key < length or not 0 <= value < alphabet:
            wanted = f"a key of 0 to {length - 1} and a value of 0 to {alphabet - 1}"
            raise ValueError(f"pairs: pair {number} is {str(pair)[:80]}; expected {wanted}")
        if key in seen:
            raise ValueError(f"pairs: pair {number} has the key of pair {seen[key]}; expected each key once")
        seen[key] = number
    return tuple(token for key, value in pairs for token in (key, length + value))


TEST = "tests/theorems/retrieval/test_associative_recall_state.py::"


def constants(length: Length, alphabet: Alphabet) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return {"state_bits": least_bits(length, alphabet)}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows the answers of the exact models. It also shows an input for each smaller model that this model answers "
    "wrongly.",
    not_shown="This does not show that every model with fewer bits has such an input. The pigeonhole principle shows that.",
    bound=constants,
    nothing_to_certify="if the keys come in one order, the task is index lookup, and index-lookup-state has the certificate",
    predictor=predictor,
    errata=(
        Erratum(
            where="Proposition 9, appendix C.1",
            printed='"the size of the hidden state of the RNN must be at most N/p"',
            found="the proof shows at least. With S values it shows m p >= N log2 S. This size is enough if the keys come in "
            "one fixed order",
            built="for keys in one fixed order, a model of this size that is always right. For a given model with fewer bits, "
            "the check finds an input that this model answers wrongly",
            test=TEST + "test_both_sides",
        ),
    ),
    choices=(
        Choice(
            where="Proposition 9, appendix C.1",
            printed='"Alice can use the recurrent model to compute the hidden state h_2N"; "must have m >= N/p"',
            found="the bound m >= N/p is true. With keys in any order and N > S, a model needs more bits while it reads the "
            "last pair: (N-1) log2 S + log2 N",
            built="a model with this number of bits, which is always right, and the N S^(N-1) cases that each model must "
            "distinguish",
            test=TEST + "test_inside_the_last_pair_every_case_needs_its_own_state",
        ),
    ),
)
