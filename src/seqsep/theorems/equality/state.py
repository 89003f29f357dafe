"""A recurrent model needs N/2 log2 S bits of state to decide whether two halves are equal, and that many bits are enough.

N is the number of symbols of both halves, and S the size of the alphabet. When the model has read the first half, its state
must distinguish all S^(N/2) halves. Two layers of attention decide the same with a width of O(log N): see
`equality-two-layers`.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 4, Theorems 11 and 12, appendix F.1. The function EQ is 1 for equal
halves, and INEQ = 1 - EQ.

We differ:
* The alphabet has any number S of symbols, so there are S^(N/2) halves. The paper has 2^(N/2).
* A model attains the bound. Its transition is the same at every time.
* The proof by automata also holds for transitions that depend on the time. The paper leaves this open.
* Lemma 4 is about the least DFA of a language. The paper states it for any DFA.
* Theorem 12 has explicit constants.

The proofs are below, under these names:
* `build` has the upper bound: a queue of digits with exactly that many bits of state.
* `_collision` proves Theorem 11 by communication. For a smaller model it finds an input that the model answers wrongly.
* `_by_automata` proves Theorem 11 again, by automata, and Lemma 4.
* `_one_layer_cost` proves Theorem 12: the protocol of Theorem 4 has too few bits for equality unless m H is large.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA, Recurrence
from seqsep.maths.automata.layered import unrolled
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.equality import _collision as collision
from seqsep.theorems.equality import _one_layer_cost as one_layer_cost
from seqsep.theorems.equality._by_automata import (
    LEMMA_4,
    as_automaton,
    check_lemma_4,
    check_prefixes,
    check_search,
    drops_a_bit,
)
from seqsep.theorems.equality._one_layer_cost import EXCHANGES, Costs, check_one_layer
from seqsep.theorems.equality._trials import symbols_of
from seqsep.theorems.equality._words import MOST_INPUTS, SomeWords, count_halves, require, some_words
from seqsep.theorems.options import AlphabetFrom2, Exponent, LengthFrom2, Seed
from seqsep.theorems.protocols import one_way_protocol

UPPER = "A recurrent model with ceil(N/2 log2 S) state bits and the same step at all times decides equality of two halves"
CLAIM = Claim(
    name="equality-state",
    source="Bhattamishra et al. 2024, Lemma 4, Theorems 11 and 12",
    statement=f"{UPPER}; {collision.STATEMENT}",
)
LEMMA = Claim(name=CLAIM.name, source="Bhattamishra et al. 2024, Lemma 4", statement=LEMMA_4)
ONE_LAYER = Claim(name=CLAIM.name, source="Bhattamishra et al. 2024, Theorem 12", statement=one_layer_cost.STATEMENT)
"""Two claims of the index of theorems. Their outcomes are reported under CLAIM, whose source names all three."""
MOST_STATES = 1 << 12
MOST_LOADED = 256
MOST_PREFIXES = 4096
MOST_SEARCHED = 6
MOST_RUN = 256
LONG = 8192


def build(length: int, alphabet: int = 2) -> Recurrence:
    """Build a queue of h = N/2 digits that starts with zeros, and answers 1 if all digits are 0.

    The state is the queue as a number in base S. Each symbol x removes the oldest digit d and appends x - d modulo S. After h
    symbols the queue is the first half a_1 .. a_h. After N symbols its digits are b_i - a_i for the second half b, which are
    all 0 exactly for equal halves. The queue has S^h states, which are ceil(h log2 S) bits, and its step is the same at every
    time. So by the lower bound it is a least DFA that agrees with equality on the words of length N, for every even N. For two
    symbols and N = 2, 4 and 6, a search that does not use the bound also finds 2, 4 and 8 states.

    >>> queue = build(length=4)
    >>> queue.state_bits, queue.answer([0, 1, 0, 1]), queue.answer([0, 1, 1, 1])
    (2, 1, 0)
    """
    require("build", length, alphabet)
    above = alphabet ** (length // 2 - 1)

    def move(t: int, state: int, token: int) -> int:
        oldest, others = divmod(state, above)
        return others * alphabet + (token - oldest) % alphabet

    return Recurrence(ceil_log2(above * alphabet), 0, move, lambda t, state: int(state == 0))


def build_automaton(length: int, alphabet: int = 2) -> DFA:
    """Build the queue as a table. Raises ValueError beyond 4,096 states.

    >>> build_automaton(length=2).table.tolist()
    [[0, 1], [1, 0]]
    """
    require("build_automaton", length, alphabet)
    if count_halves(length, alphabet) > MOST_STATES:
        raise ValueError(f"build_automaton({length}, {alphabet}): {alphabet}^{length // 2} states, at most {MOST_STATES}")
    return as_automaton(build(length, alphabet), alphabet)


def build_network(length: int, alphabet: int = 2) -> Network:
    """Build the table as a network for `Model.load`; class 1 is "equal". Raises ValueError beyond 4,096 states."""
    automaton = build_automaton(length, alphabet)
    return Network.of_table(CLAIM.name, automaton.table, automaton.accepting.astype(np.int64), start=automaton.start)


def check(length: LengthFrom2 = 10, alphabet: AlphabetFrom2 = 2, exponent: Exponent = 2, seed: Seed = 0) -> list[Outcome]:
    """Check Theorem 11 both ways, its tightness, Lemma 4 on smaller models, and Theorem 12 at `length` and 8,192.

    Every input if S^N is at most 65,536, else 200 drawn ones, half of them equal or all but equal; the DFA search runs at
    2 symbols and lengths up to min(N, 6), the prefixes at N if there are at most 4,096. `exponent` is Kc of Theorem 12.
    Beyond 256 tokens no recurrent model is run at N.
    Raises ValueError for an odd length; TheoremFails with an input on which a model and the statement differ.
    """
    require("check", length, alphabet)
    if exponent < 1:
        raise ValueError(f"check(exponent={exponent}): Kc is at least 1")
    outcomes = []
    if length <= MOST_RUN:
        tried = some_words(length, alphabet, seed)
        outcomes.append(_check_queue(tried, alphabet, seed))
        outcomes += collision.check_smaller(CLAIM, length, alphabet, tried.words, seed=seed)
    outcomes += [check_search(CLAIM, shorter) for shorter in range(2, min(length, MOST_SEARCHED) + 1, 2)]
    if _has_few_prefixes(length, alphabet):
        outcomes.append(check_prefixes(CLAIM, build_automaton(length, alphabet), length, alphabet))
    if drops_a_bit(count_halves(length, alphabet)):
        queue = build(length, alphabet)
        outcomes.append(check_lemma_4(CLAIM, queue, build_automaton(length, alphabet), length=length, alphabet=alphabet))
    for long in sorted({length, max(length, LONG)}):
        outcomes += [check_one_layer(CLAIM, Costs(long, alphabet, exponent), exchange) for exchange in EXCHANGES]
    return outcomes


def _has_few_prefixes(length: int, alphabet: int) -> bool:
    """Tell whether words and prefixes of words of one length are few enough to compare every two."""
    prefixes = sum(alphabet**size for size in range(length + 1))
    return alphabet**length <= MOST_INPUTS and prefixes <= MOST_PREFIXES


def _check_queue(tried: SomeWords, alphabet: int, seed: int) -> Outcome:
    """Require that the queue answers every input tried, and that its state as a message has the bound's bits."""
    words = tried.words
    length = words.shape[1]
    states = count_halves(length, alphabet)
    queue = build(length, alphabet)
    expected = (words[:, : length // 2] == words[:, length // 2 :]).all(axis=1)
    if states <= MOST_STATES:
        answers = unrolled(build_automaton(length, alphabet), length).run(words)
    else:
        answers = np.array([queue.answer(word) for word in words.tolist()])
    wrong = np.flatnonzero(answers != expected)
    if len(wrong):
        raise CLAIM.fails({"input": words[wrong[0]].tolist(), "answer": int(answers[wrong[0]])})
    some = words[np.random.default_rng(seed).integers(0, len(words), 3)]
    sent = {one_way_protocol.reduce(queue, word.tolist(), CLAIM.name) for word in some}
    if states <= MOST_LOADED:
        from seqsep.models.model import Model  # brings torch

        loaded = Model.load(build_network(length, alphabet))
        for word in some:
            one_way_protocol.reduce(loaded, word, CLAIM.name)
    needed = ceil_log2(states)
    return CLAIM.upper(
        statement=UPPER,
        length=length,
        inputs=len(words),
        exhaustive=tried.is_exhaustive,
        measured={"state_bits": queue.state_bits, "message_bits": max(sent)},
        bound={"state_bits": needed, "message_bits": needed},
        as_printed=collision.printed(length, alphabet),
        variant="queue of digits",
    )


def predictor(length: LengthFrom2, alphabet: AlphabetFrom2 = 2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"left": [..], "right": [..]}, N/2 symbols each, by the queue of digits: 1 if they are equal.

    >>> predictor(length=4)({"left": [0, 1], "right": [0, 1]})
    1
    """
    queue = build(length, alphabet)
    return lambda given: queue.answer(symbols_of(given, length, alphabet))


TESTS = "tests/theorems/equality/test_state.py"


def constants(length: LengthFrom2, alphabet: AlphabetFrom2) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    require("bound", length, alphabet)
    return dict.fromkeys(("state_bits", "message_bits"), ceil_log2(count_halves(length, alphabet)))


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows that the built model decides equality on the inputs tested, with a state of N/2 log2 S bits. Each "
    "smaller model that is tested answers some input wrongly. All first halves lead to different states of the least DFA. "
    "For two symbols and N <= 6, a search finds no smaller DFA that is right on words of length N.",
    not_shown="This does not show that every recurrent model and every attention layer obeys the bounds. The proof shows that. "
    "The numbers of Theorem 12 are computed from the bits of the protocol. `one-layer-protocol` shows that the protocol "
    "computes what an attention layer computes.",
    bound=constants,
    predictor=predictor,
    certificate_witness=collision.certificate_witness,
    errata=(
        Erratum(
            where="Lemma 4",
            printed='"Let A be a DFA with n states. Let R be an RNN such that for all x, A(x) = R(x). Then [...] mp >= log n"',
            found='its proof assumes the least DFA ("we are given that the automata A is the minimum-sized DFA"). It is false '
            "for other DFAs of the language, since these may have any number of copies of a state",
            built="the bound for the least DFA. For words of one length, this is the least DFA that is right on these words; "
            "on other words it may do anything",
            test=f"{TESTS}::test_lemma_4_needs_the_least_automaton",
        ),
        Erratum(
            where="Lemma 4, proof",
            printed='"the dimension of the hidden state vector of the RNN must be at least log n", m >= log n for mp >= log n',
            found="m is a count of numbers, and mp is a count of bits. One number of 3 bits is enough for a least DFA with 8 "
            "states",
            built="the bound is in bits",
            test=f"{TESTS}::test_lemma_4_bounds_bits_and_not_numbers",
        ),
    ),
    choices=(
        Choice(
            where="Appendix F.1",
            printed='"It is unclear if the result still applies when the function is allowed to be different based on the '
            'timestep"',
            found="Lemma 4 does not hold for models whose step depends on the time: such a model with 0 bits decides whether "
            "the length is a multiple of n. Theorem 11 still holds, since its prefixes have one length",
            built="the bound of Theorem 11 for any `Recurrence`, and a model that attains it without depending on the time",
            test=f"{TESTS}::test_with_the_time_lemma_4_fails_and_theorem_11_holds",
        ),
        Choice(
            where="Theorems 12 and 4",
            printed="m p H = Omega(N)",
            found="the paper leaves the constant open. Let N = 8,192, on a grid with L = N^2. By the total of Theorem 4, N/2 "
            "<= 3 m (p + log N) H, so m H >= 20.4. But a head of width 1 takes 268 bits by the steps of the protocol, and not "
            "the 201 bits of this total. So the counted protocol shows only m H >= 16. If p is below log N, only m (p + log "
            "N) H = Omega(N) follows",
            built="the least m H that the counted protocol allows: 16 at this N. With one head, it is 49",
            test=f"{TESTS}::test_theorem_12_does_not_follow_for_narrow_heads",
        ),
    ),
)
