"""Equality needs and takes N/2 log2 S bits: the queue is right, smaller models err where it is said, counts are exact."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from seqsep.maths.automata.automata import DFA, Recurrence
from seqsep.maths.automata.layered import of_function
from seqsep.maths.automata.partial_automata import distinguished, least, on_length
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems import laws as theorem_laws
from seqsep.theorems.equality import _one_layer_cost as attention
from seqsep.theorems.equality import state as equality_state
from seqsep.theorems.equality._by_automata import as_automaton
from seqsep.theorems.equality._collision import STATEMENT as LOWER
from seqsep.theorems.equality._collision import collide, fingerprint
from seqsep.theorems.equality._words import has_equal_halves
from seqsep.theorems.protocols import one_way_protocol
from seqsep.theorems.protocols.collision import TaskSizes
from seqsep.theorems.protocols.machine import as_machine, choice
from seqsep.theorems.protocols.small_models import with_random_weights

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

SIZES = [(2, 2), (4, 2), (8, 2), (12, 2), (2, 3), (6, 3), (4, 5)]


def words(length: int, alphabet: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(alphabet), repeat=length))


def test_laws():
    theorem_laws.check_theorem(equality_state.THEOREM)


@pytest.mark.parametrize(("length", "alphabet"), SIZES)
def test_the_queue_decides_equality_in_as_many_states_as_halves(length, alphabet):
    queue, automaton = equality_state.build(length, alphabet), equality_state.build_automaton(length, alphabet)
    halves = alphabet ** (length // 2)
    assert len(automaton.table) == halves == len(automaton.minimal().table)
    assert 1 << queue.state_bits >= halves > (1 << queue.state_bits) // 2
    for word in words(length, alphabet):
        assert queue.answer(word) == automaton.accepts(word) == has_equal_halves(list(word)), word
    # Every half is a message of its own.
    assert len({queue.state(half) for half in words(length // 2, alphabet)}) == halves


@pytest.mark.parametrize(("length", "alphabet"), SIZES[:6])
def test_no_layer_and_no_clock_does_with_less(length, alphabet):
    layers = of_function(lambda word: int(has_equal_halves(word)), (alphabet,) * length)
    assert layers.state_bits == equality_state.build(length, alphabet).state_bits
    assert max(layers.widths) == layers.widths[length // 2] == alphabet ** (length // 2)
    machine = layers.recurrence()
    assert all(machine.answer(word) == has_equal_halves(list(word)) for word in words(length, alphabet))


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (4, 2), (6, 2), (2, 3), (4, 3)])
def test_the_queue_is_a_least_automaton_with_dont_cares(length, alphabet):
    examples = on_length(has_equal_halves, length, alphabet)
    search = least(examples, exhaustive=alphabet ** (length // 2) <= 8)
    assert search.states == alphabet ** (length // 2) == len(distinguished(examples).prefixes)
    assert examples.disagreement(equality_state.build_automaton(length, alphabet)) is None


def test_the_loaded_table_and_its_protocol():
    model, word = Model.load(equality_state.build_network(8)), torch.tensor([1, 0, 1, 1, 1, 0, 1, 1])
    every = torch.tensor(words(8, 2))
    assert model(every)[:, -1].argmax(-1).tolist() == [int(has_equal_halves(list(w))) for w in words(8, 2)]
    assert one_way_protocol.reduce(model, word) == 8  # a byte of tensor holds its 4 bits
    assert one_way_protocol.reduce(equality_state.build(8), word.tolist()) == 4


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("length", "alphabet", "bits"), [(6, 2, 2), (12, 2, 5), (24, 2, 8), (8, 3, 6), (40, 2, 9)])
def test_smaller_models_err_where_they_are_said_to(length, alphabet, bits, seed):
    queue, mask = equality_state.build(length, alphabet), (1 << bits) - 1
    lower = Recurrence(bits, 0, lambda t, state, token: queue.move(t, state, token) & mask, queue.read)
    always = Recurrence(bits, 0, lambda t, state, token: queue.move(t, state, token) & mask, lambda t, state: 1)
    never = Recurrence(bits, 0, lambda t, state, token: queue.move(t, state, token) & mask, lambda t, state: 0)
    for model in (lower, always, never, fingerprint(length, alphabet, bits)):
        collision = collide(model, length, alphabet, seed)
        assert collision is not None
        first, second = collision.halves
        assert first != second
        assert model.state(first) == model.state(second)
        assert collision.tried <= (1 << bits) + 1
        assert collision.errs_on[length // 2 :] in collision.halves
        assert collision.answer == model.answer(collision.errs_on) != collision.expected
        assert collision.expected == has_equal_halves(list(collision.errs_on))


def test_a_rounded_lstm_errs_where_it_is_said_to():
    lstm = with_random_weights(TaskSizes(2, 2, 16), "lstm", 3, seed=0)
    party = as_machine(lstm, 1, torch.randint(2, (64, 16), generator=torch.Generator().manual_seed(0)))
    collision = collide(party, 16)
    assert party.bits == 6
    assert collision is not None
    outputs, _ = party.read(collision.errs_on)
    assert choice(outputs[-1]) == collision.answer != collision.expected
    assert collision.expected == has_equal_halves(list(collision.errs_on))


@pytest.mark.parametrize(("length", "alphabet"), [(2, 2), (10, 2), (4, 5)])
def test_a_model_that_is_large_enough_has_no_collision(length, alphabet):
    assert collide(equality_state.build(length, alphabet), length, alphabet) is None


def test_a_fingerprint_passes_every_equal_pair():
    hashed = fingerprint(12, 3, 6)
    assert all(hashed.answer(half + half) == 1 for half in words(6, 3))


@pytest.mark.parametrize(
    "options",
    [{"length": 2}, {"length": 6}, {"length": 12, "seed": 5}, {"length": 6, "alphabet": 3}, {"length": 30}, {"length": 1000}],
    ids=str,
)
def test_check(options):
    outcomes = equality_state.check(**options)
    assert all(outcome.holds and outcome.length >= 2 for outcome in outcomes)
    needed = (options.get("alphabet", 2) ** (options["length"] // 2) - 1).bit_length()
    upper = [outcome for outcome in outcomes if outcome.side == "upper"]
    assert len(upper) == (options["length"] <= 256)
    assert all(set(outcome.measured.values()) == {needed} == set(outcome.bound.values()) for outcome in upper)
    collision_outcome = [outcome for outcome in outcomes if outcome.statement == LOWER]
    assert all(outcome.measured["state_bits"] < outcome.bound["state_bits"] for outcome in collision_outcome)
    searched = [outcome.measured["states"] for outcome in outcomes if str(outcome.variant).startswith("least DFA")]
    assert searched == [2, 4, 8][: options["length"] // 2]


def test_a_spoiled_queue_is_found_out(monkeypatch):
    exact = equality_state.build(8)

    def spoiled(length: int, alphabet: int = 2) -> Recurrence:
        return dataclasses.replace(exact, move=lambda t, state, token: exact.move(t, state, token) ^ (state == 5))

    monkeypatch.setattr(equality_state, "build", spoiled)
    with pytest.raises(TheoremFails, match="input = "):
        equality_state.check(8)


def test_lemma_4_on_machines_and_their_automata():
    language = equality_state.build_automaton(8)
    assert as_automaton(language.recurrence(), 2).difference(language) is None
    rng = np.random.default_rng(0)
    for _ in range(20):
        small = DFA(rng.integers(0, 8, (8, 2)), 0, rng.random(8) < 0.3)
        automaton = as_automaton(small.recurrence(), 2)
        assert automaton.difference(small) is None
        assert len(automaton.table) <= 1 << small.recurrence().state_bits
        word = automaton.difference(language)
        assert word is not None
        assert automaton.accepts(word) != language.accepts(word)


def test_lemma_4_needs_the_least_automaton():
    """An automaton with 8 states, of a language that a model of 1 bit recognises."""
    states = np.arange(8)
    cycle = DFA(np.stack([(states + 1) % 8, states], axis=1), 0, states % 2 == 0)
    parity = Recurrence(1, 0, lambda t, state, token: state ^ (token == 0), lambda t, state: 1 - state)
    assert all(parity.answer(word) == cycle.accepts(word) for length in range(1, 9) for word in words(length, 2))
    assert parity.state_bits < np.log2(len(cycle.table))
    assert parity.state_bits == np.log2(len(cycle.minimal().table))


def test_lemma_4_bounds_bits_and_not_numbers():
    """One number of 3 bits that counts to 8: m = 1 is below log2 8 = 3, and mp is equal to it."""
    numbers, precision = 1, 3
    states = np.arange(8)
    counter = Recurrence(numbers * precision, 0, lambda t, state, token: (state + 1) % 8, lambda t, state: state == 0)
    cycle = DFA(np.stack([(states + 1) % 8] * 2, axis=1), 0, states == 0)
    least_states = len(cycle.minimal().table)
    assert all(counter.answer(word) == cycle.accepts(word) for length in range(1, 10) for word in words(length, 2))
    assert numbers < np.log2(least_states) == numbers * precision


def test_with_the_time_lemma_4_fails_and_theorem_11_holds():
    """The length is a multiple of 5, or not: no bit for a model that knows the time, 5 states for a DFA."""
    clock = Recurrence(0, 0, lambda t, state, token: 0, lambda t, state: int((t + 1) % 5 == 0))
    states = np.arange(5)
    cycle = DFA(np.stack([(states + 1) % 5] * 2, axis=1), 0, states == 0)
    assert len(cycle.minimal().table) == 5
    assert all(clock.answer(word) == cycle.accepts(word) for length in range(1, 11) for word in words(length, 2))
    # The fingerprint and the least layered automaton depend on the time, and gain nothing for it.
    for bits in range(2, 6):
        collision = collide(fingerprint(12, 2, bits), 12)
        assert collision is not None
        assert collision.answer != collision.expected
    assert of_function(lambda word: int(has_equal_halves(word)), (2,) * 12).state_bits == 6


def brute_force(costs: attention.Costs, exchange: attention.Exchange) -> int:
    need = attention.needed(costs, exchange)
    sizes = [(m, h) for h in range(1, 120) for m in range(1, 119 // h + 1)]
    return min(m * h for m, h in sizes if attention.protocol_bits(costs, m, h, exchange) >= need)


@pytest.mark.parametrize("exchange", attention.EXCHANGES, ids=lambda exchange: exchange.name)
@pytest.mark.parametrize(("length", "alphabet", "exponent"), [(10, 2, 2), (1024, 2, 1), (8192, 2, 2), (4000, 64, 2)])
def test_least_sizes(length, alphabet, exponent, exchange):
    costs = attention.Costs(length, alphabet, exponent)
    width, heads = attention.least_size(costs, exchange)
    assert attention.protocol_bits(costs, width, heads, exchange) >= attention.needed(costs, exchange)
    if width * heads < 120:
        assert width * heads == brute_force(costs, exchange)
    assert attention.least_product(costs, exchange) <= width * heads <= attention.least_width(costs, 1, exchange)
    one = attention.least_width(costs, 1, exchange)
    assert attention.protocol_bits(costs, one, 1, exchange) >= attention.needed(costs, exchange)
    assert one == 1 or attention.protocol_bits(costs, one - 1, 1, exchange) < attention.needed(costs, exchange)


def test_bits_by_hand():
    """N = 8,192 = 2^13, Kc = 2: L = 2^26, p = 54, the normaliser below 2^40, value sums within 2 L^3 = 2^79."""
    costs = attention.Costs(8192, 2, 2)
    assert (costs.score, costs.normaliser, costs.value) == (54, 40, 80)
    both, one, sent = attention.EXCHANGES
    assert attention.protocol_bits(costs, 3, 2, both) == 3 * 54 + 2 * (2 * 54 + 2 * 40 + 2 * 3 * 80)
    assert attention.protocol_bits(costs, 3, 2, one) == 3 * 54 + 2 * (2 * 54 + 2 * 40 + 3 * 80)
    assert attention.protocol_bits(costs, 3, 2, sent) == 1 + 2 * (2 * 54 + 2 * 40 + 3 * 80)
    assert [attention.needed(costs, exchange) for exchange in attention.EXCHANGES] == [4097, 4096, 4096]
    assert attention.needed(attention.Costs(4, 3, 1), both) == 4  # 3^2 + 1 leaves
    assert attention.needed(attention.Costs(4, 3, 1), one) == 4


def test_theorem_12_does_not_follow_for_narrow_heads():
    costs = attention.Costs(8192, 2, 2)
    printed = 4096 / (3 * (costs.score + 13))
    assert printed == pytest.approx(20.378, abs=1e-3)
    for exchange in attention.EXCHANGES:
        for heads in range(16, 21):  # m H below the printed bound, and enough bits for equality
            assert attention.protocol_bits(costs, 1, heads, exchange) >= attention.needed(costs, exchange)
            assert heads < printed
    assert attention.least_size(costs, attention.TOKEN_SENT) == (1, 16)
    assert attention.least_width(costs, 1, attention.TOKEN_SENT) == 49


def test_wrong_arguments():
    with pytest.raises(ValueError, match="an even length from 2 and an alphabet from 2"):
        equality_state.check(length=5)
    with pytest.raises(ValueError, match="an even length"):
        equality_state.build(4, 1)
    with pytest.raises(ValueError, match="states, at most 4096"):
        equality_state.build_automaton(30)
    with pytest.raises(ValueError, match="Kc is at least 1"):
        equality_state.check(exponent=0)
    with pytest.raises(ValueError, match="at least 2 bits"):
        fingerprint(8, 2, 1)


@pytest.mark.parametrize(("length", "alphabet"), [(2, 3), (4, 2), (6, 2), (4, 3)])
def test_the_applier_answers_every_input_of_its_length(length, alphabet):
    apply = equality_state.predictor(length, alphabet)
    for symbols in itertools.product(range(alphabet), repeat=length):
        left, right = list(symbols[: length // 2]), list(symbols[length // 2 :])
        assert apply({"left": left, "right": right}) == int(left == right)
