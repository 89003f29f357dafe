"""Theorem 5.8: a linear recurrence and one head run a Turing machine, step for step; a spoiled weight is found out."""

import dataclasses

import numpy as np
import pytest

from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow
from seqsep.theorems import TheoremFails
from seqsep.theorems.trial import Trial
from seqsep.theorems.turing_machine import hybrid
from seqsep.theorems.turing_machine._machine import Machine, Rule, simulate
from seqsep.theorems.turing_machine._machine_file import machine_of
from seqsep.theorems.turing_machine._trials import drawn_machines, drawn_words
from support.networks import defects_that_change, follows

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_shipped_and_drawn_machines_run_step_for_step():
    """A sample, 1 %, of the long check."""
    *shipped, drawn = hybrid.check(machines=100, words=2, seed=7)
    assert len(shipped) == 4
    for outcome in (*shipped, drawn):
        assert outcome.measured["width"] == 9
        assert outcome.measured["state_numbers"] == 2
        assert outcome.measured["state_bits_by_range"] <= outcome.bound["state_bits_by_range"] == 17
        assert not {place for place in outcome.saturated if "scores" not in place and "minus maximum" not in place}
    assert drawn.inputs == 300


def test_sizes_are_as_bound_and_precision_is_four_logarithms():
    for _, machine in drawn_machines(20, 11):
        for length, steps in ((0, 0), (3, 9), (20, 50)):
            network = hybrid.build(machine, length, steps)
            bound = hybrid.bound(machine, length, steps)
            assert bound["program_bits"] == network.ledger().program
            assert bound["core_bits"] == network.ledger().core
            base = max(length + steps + 2, len(network.readout.integers), 4)
            if base >= 30:
                assert network.precision == (2 * base**4).bit_length()


def traces(machine, words, steps):
    prompts = [hybrid._prompt(machine, word) for word in words]
    runs = [[hybrid._token(machine, one) for one in simulate(machine, word, steps)[0]] for word in words]
    return [prompt + tokens for prompt, tokens in zip(prompts, runs, strict=True)], [len(prompt) for prompt in prompts]


def test_the_papers_own_grid_answers_alike():
    """Numbers of 2^-b below 2^b, rounded to the nearest: nothing but losing scores saturates, and nothing is rounded."""
    random = np.random.default_rng(5)
    for _, machine in drawn_machines(30, 5):
        network = hybrid.build(machine, 6, 60, rounding="nearest")
        result = follow(network, *traces(machine, drawn_words(machine, 2, 6, random), 60))
        assert not sum(result.tally.rounded.values())
        assert network.grid.steps & (network.grid.steps - 1) == 0


def test_the_last_write_wins_at_the_ends_of_time_and_space():
    """Runs that only move right, only left, or stay: the greatest cells, and 300 writes on one cell."""
    for move in (-1, 0, 1):
        machine = Machine("A", (), "_", {("A", "_"): Rule("A", "x", move), ("A", "x"): Rule("A", "_", move)})
        network = hybrid.build(machine, 2, 300)
        result = follow(network, *traces(machine, ["", "x", "xx"], 300))
        least, greatest = result.state_ranges[0].least, result.state_ranges[0].greatest
        assert max(-least, greatest) == (300 if move else 0)


def test_one_network_reads_every_input_up_to_its_length():
    answer = hybrid.predictor(length=6, machine="binary-increment", steps=40)
    for value in range(64):
        assert answer({"input": f"{value:b}"})["tape"] == f"{value + 1:b}"


def test_the_applier_says_what_the_simulator_says():
    machine = machine_of("busy-beaver-4")
    for steps in (0, 1, 30, 107, 108):
        answer = hybrid.predictor(length=0, machine="busy-beaver-4", steps=steps)({"input": ""})
        assert answer == simulate(machine, "", steps)[1].record("0")
        assert answer["halted"] == (steps >= 107)
    with pytest.raises(ValueError, match="at most 0 symbols"):
        hybrid.predictor(length=0, machine="busy-beaver-4", steps=5)({"input": "1"})


def test_30_defects_that_change_the_function_are_all_caught():
    machine = machine_of("palindromes")
    honest = hybrid.build(machine, 5, 40)
    words = ["", "a", "ab", "abba", "abbb", "babab"]
    sequences, starts = traces(machine, words, 40)
    asked = asked_places(sequences, starts)
    arrays = set()
    for name, network in defects_that_change(honest, follows(sequences, asked), count=30):
        arrays.add(name)
        with pytest.raises(GenerationDiffers):
            follow(network, sequences, starts)
    assert len(arrays) >= 8


def test_a_network_of_another_machine_is_found_out(monkeypatch):
    honest = hybrid.build

    def other_rule(machine, *given):
        rules = dict(machine.rules)
        state = machine.start, "1"
        rules[state] = rules[state]._replace(move=-1)
        return honest(dataclasses.replace(machine, rules=rules), *given)

    monkeypatch.setattr(hybrid, "build", other_rule)
    with pytest.raises(TheoremFails, match=r"binary-increment.*place = "):
        hybrid.check("binary-increment")


def test_without_the_most_recent_write_a_run_goes_wrong():
    """Scores without time tie all writes on a cell: the head reads their mean."""
    machine = machine_of("busy-beaver-4")
    network = hybrid.build(machine, 0, 110)
    head = network.layers[1][0].heads[0]
    key = head.key.integers.copy()
    key[-1] = key[-1] * (np.arange(key.shape[1]) == network.spaces["real"].start)
    layer = dataclasses.replace(network.layers[1][0], heads=(dataclasses.replace(head, key=hybrid.whole(key)),))
    timeless = dataclasses.replace(network, layers=(network.layers[0], (layer, None)))
    trial = Trial(hybrid.CLAIM.name, timeless, in_floats=0)
    with pytest.raises(TheoremFails, match="place = "):
        hybrid._follow(trial, "busy-beaver-4", machine, [""], steps=110)


def test_the_applier_shows_what_the_weights_write(monkeypatch):
    """Weights of another machine: its run is shown, not the run of the machine that was asked for."""
    other = machine_of("busy-beaver-3")
    rules = dict(other.rules) | {("C", "1"): Rule("H", "1", 1)}
    honest = hybrid.build
    monkeypatch.setattr(hybrid, "build", lambda machine, *given: honest(dataclasses.replace(machine, rules=rules), *given))
    answer = hybrid.predictor(length=0, machine="busy-beaver-3", steps=30)({"input": ""})
    monkeypatch.undo()
    assert answer["steps"] < hybrid.predictor(length=0, machine="busy-beaver-3", steps=30)({"input": ""})["steps"] == 14
    assert answer["state"] == "H"


NEVER_HALTS = "1RB0RA_1LA1RB"
MANY_STEPS = 66_000


def test_a_long_run_is_followed_on_the_grid_only(monkeypatch):
    """Attention of torch takes memory of the square of the tokens: 6.5 GB for 16,000 steps."""
    tokens = 1 + 151  # [BOS] and the configurations
    monkeypatch.setattr(hybrid, "MOST_IN_FLOATS", tokens)
    [short] = hybrid.check(NEVER_HALTS, length=0, steps=150, words=0)
    assert short.variant == f"machine {NEVER_HALTS}, 150 steps"
    monkeypatch.setattr("seqsep.theorems.trial.Trial._in_floats", lambda *given: pytest.fail("run in float64"))
    with pytest.raises(pytest.fail.Exception, match="run in float64"):
        hybrid.check(NEVER_HALTS, length=0, steps=150, words=0)
    monkeypatch.setattr(hybrid, "MOST_IN_FLOATS", tokens - 1)
    [long] = hybrid.check(NEVER_HALTS, length=0, steps=150, words=0)
    assert (long.variant, long.inputs) == (f"machine {NEVER_HALTS}, 150 steps, on the grid only", 1)


def test_a_machine_runs_for_more_steps_than_two_bytes_count():
    """A palindrome of n symbols takes about n^2 / 2 steps; a machine that never halts ends with its steps."""
    machine = machine_of("palindromes")
    word = "ab" * 91
    word += word[::-1]
    configurations, tape = simulate(machine, word, 1 << 20)
    assert (tape.halted, tape.state, tape.steps) == (True, "yes", len(configurations) - 1)
    assert tape.steps > 1 << 16
    assert simulate(machine, "b" + word[1:], 1 << 20)[1].state == "no"
    _, tape = simulate(machine_of(NEVER_HALTS), "", MANY_STEPS)
    assert tape.record("0") == {"state": "A", "halted": False, "steps": MANY_STEPS, "tape": "", "head": MANY_STEPS // 2 + 1}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_weights_run_for_more_steps_than_two_bytes_count():
    answer = hybrid.predictor(length=1, machine=NEVER_HALTS, steps=MANY_STEPS)({"input": ""})
    assert answer == simulate(machine_of(NEVER_HALTS), "", MANY_STEPS)[1].record("0")
