"""Theorem 4.1, the half that runs: a machine with its tape as two numbers in the thought; a spoiled weight is found out."""

import dataclasses
from itertools import product

import numpy as np
import pytest
import torch

from seqsep.maths.networks.executor import run
from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, generate
from seqsep.maths.networks.network import LinearLayer
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.trial import Trial
from seqsep.theorems.turing_machine import recurrent
from seqsep.theorems.turing_machine._machine import Machine, Rule, simulate
from seqsep.theorems.turing_machine._machine_file import machine_of
from seqsep.theorems.turing_machine._stack_tokens import StackTokens
from seqsep.theorems.turing_machine._stacks import base_of, stack_run
from seqsep.theorems.turing_machine._trials import drawn_machines, drawn_words
from support.networks import defects_that_change, follows

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def traces(machine, words, *, length, cells, steps=40, blanks=0):
    tokens = StackTokens(machine)
    prompts = [tokens.prompt(word, length, blanks) for word in words]
    runs = [stack_run(machine, word, steps, cells).stacks for word in words]
    thoughts = [[token for stacks in one for token in tokens.step(stacks)] for one in runs]
    return [before + after for before, after in zip(prompts, thoughts, strict=True)], [len(before) for before in prompts]


def test_the_numbers_are_the_tape():
    """Digits read back cell by cell are what the simulator leaves, and the configurations are its own."""
    random = np.random.default_rng(0)
    cut = 0
    for _, machine in drawn_machines(60, 3):
        for word in drawn_words(machine, 2, 4, random):
            for steps in (0, 1, 7, 30):
                configurations, tape = simulate(machine, word, steps)
                ours = stack_run(machine, word, steps, cells=8)
                assert [stacks.configuration for stacks in ours.stacks] == configurations[: len(ours.stacks)]
                assert ours.within == (len(ours.stacks) == len(configurations))
                cut += not ours.within
                if ours.within:
                    base, last = base_of(machine), ours.stacks[-1]
                    for place in range(8):
                        right = machine.symbols[last.right // base**place % base]
                        left = machine.symbols[last.left // base**place % base]
                        assert right == tape.cells.get(tape.head + place, machine.blank)
                        assert left == tape.cells.get(tape.head - 1 - place, machine.blank)
    assert cut > 0
    with pytest.raises(ValueError, match="a word of at most 2 symbols, found 3"):
        stack_run(machine_of("palindromes"), "aba", steps=3, cells=2)


def test_shipped_and_drawn_machines_run_step_for_step():
    """A sample of the long check."""
    *shipped, drawn = recurrent.check(machines=25, length=4, cells=5, steps=60, seed=9)
    assert len(shipped) == 4
    for outcome in (*shipped, drawn):
        assert outcome.margin.least == outcome.margin.proved == 1
        assert outcome.measured["state_numbers"] == 17
        assert outcome.measured["layer_entries"] == 1517
        assert not set(outcome.saturated) - {"read-out"}
    assert drawn.inputs == 75
    assert "3 of 3 runs halt within" in shipped[0].variant


def test_every_word_of_a_machine_and_any_number_of_blanks():
    machine = machine_of("palindromes")
    words = ["".join(word) for length in range(5) for word in product("ab", repeat=length)]
    network = recurrent.build(machine, 4, 5)
    for blanks in (0, 1, 12, 60):
        follow(network, *traces(machine, words, length=4, cells=5, blanks=blanks))


def test_constant_size_for_every_length():
    """The layer and the numbers remembered stay as they are; p grows by 4 log2 A a cell, the vocabulary with A^w."""
    machine = machine_of("busy-beaver-3")
    for cells in range(3, 13):
        network = recurrent.build(machine, cells, cells)
        bound = recurrent.bound(machine, cells)
        assert recurrent.layer_entries(network) == bound["layer_entries"] == 1517
        assert network.layers[0][0].remembered == 17
        assert network.state_bits == 17 * network.precision == bound["state_bits"]
        assert network.precision == 4 * (cells + 1) + 2
        assert bound["program_bits"] == network.ledger().program
        assert bound["tables_bits"] == network.ledger().tables


def test_a_token_is_a_function_of_the_last_five():
    """After the first step the logits of the last five tokens answer like those of the complete thought; four do not."""
    machine = machine_of("binary-increment")
    (sequence,), (start,) = traces(machine, ["1011"], length=4, cells=5)
    network = recurrent.build(machine, 4, 5)
    for window, agree in ((5, True), (4, False)):
        ends = range(start + window, len(sequence))
        cut = np.array([sequence[end - window : end] for end in ends])
        answers = run(network, cut, at=-1).answers[:, 0]
        assert np.array_equal(answers, np.array(sequence)[start + window :]) == agree


def test_the_second_papers_grid():
    """Rounded to the nearest: only the word is rounded, after "="."""
    random = np.random.default_rng(5)
    for _, machine in drawn_machines(12, 5):
        network = recurrent.build(machine, 3, 5, rounding="nearest")
        assert network.grid.steps == 1 << network.grid.steps.bit_length() - 1
        result = follow(network, *traces(machine, drawn_words(machine, 2, 3, random), length=3, cells=5))
        assert not {place for place, count in result.tally.rounded.items() if count} - {"layer 0 state"}


@torch.no_grad()
def test_floats_step_by_step_are_the_same():
    """The model steps with its state alone: 17 numbers of 64 bits."""
    machine = machine_of("binary-increment")
    (sequence,), (start,) = traces(machine, ["1011"], length=4, cells=6)
    model = Model.load(recurrent.build(machine, 4, 6))
    assert model.state_bits() == (17 * 64, 0)
    state = model.start(1)
    for time, token in enumerate(sequence[:-1]):
        logits, state = model.step(torch.tensor([token]), state, time)
        if time >= start - 1:
            assert int(logits.argmax()) == sequence[time + 1]


def test_the_applier_says_what_the_simulator_says():
    answer = recurrent.predictor(length=5, machine="binary-increment", steps=40)
    for value in (0, 11, 31):
        assert answer({"input": f"{value:b}"})["tape"] == f"{value + 1:b}"
    machine = machine_of("busy-beaver-3")
    for steps in (0, 6, 14, 20):
        answer = recurrent.predictor(length=0, machine="busy-beaver-3", steps=steps, cells=8)({"input": ""})
        assert answer == simulate(machine, "", steps)[1].record("0")
        assert answer["halted"] == (steps >= 14)


def test_the_applier_generates_what_greedy_decoding_does():
    machine = machine_of("binary-increment")
    network = recurrent.build(machine, 3, 5)
    (sequence,), (start,) = traces(machine, ["101"], length=3, cells=5)
    assert generate(network, sequence[:start], {sequence[-1]}, 200) == sequence[start:]


def test_what_is_refused():
    with pytest.raises(ValueError, match="the machine reaches the last of 3 cells; cells allows more"):
        recurrent.predictor(length=0, machine="busy-beaver-4", cells=3)({"input": ""})
    with pytest.raises(ValueError, match="at most 2 symbols"):
        recurrent.predictor(length=2, machine="binary-increment")({"input": "101"})
    machine = machine_of("binary-increment")
    for length, cells in ((3, 2), (-1, 2), (0, 0), (1, 11)):
        with pytest.raises(ValueError, match=rf"build\(length={length}, cells={cells}\)"):
            recurrent.build(machine, length, cells)


def test_30_defects_that_change_the_function_are_all_caught():
    machine = machine_of("busy-beaver-3")
    honest = recurrent.build(machine, 2, 5)
    sequences, starts = traces(machine, ["", "1", "01", "11"], length=2, cells=5)
    asked = asked_places(sequences, starts)
    arrays = set()
    for name, network in defects_that_change(honest, follows(sequences, asked), count=30):
        arrays.add(name)
        with pytest.raises(GenerationDiffers):
            follow(network, sequences, starts)
    assert len(arrays) >= 7


def test_a_network_of_another_machine_is_found_out(monkeypatch):
    honest = recurrent.build

    def other_rule(machine, *given):
        rules = dict(machine.rules)
        state = machine.start, "1"
        rules[state] = rules[state]._replace(move=-1)
        return honest(dataclasses.replace(machine, rules=rules), *given)

    monkeypatch.setattr(recurrent, "build", other_rule)
    with pytest.raises(TheoremFails, match=r"binary-increment.*place = "):
        recurrent.check("binary-increment")


def test_a_state_that_forgets_is_found_out():
    """Each of the 17 numbers is needed: without any one of them some run of a machine that moves all ways goes wrong."""
    moving = {("A", "_"): Rule("B", "x", 0), ("B", "x"): Rule("C", "y", -1), ("C", "_"): Rule("D", "x", 1)}
    moving |= {("D", "y"): Rule("D", "x", 1), ("D", "_"): Rule("E", "y", -1), ("E", "x"): Rule("F", "y", 0)}
    machine = Machine("A", (), "_", moving)
    network = recurrent.build(machine, 2, 4)
    layer, feed_forward = network.layers[0]
    sequences, starts = traces(machine, ["", "xy", "yx", "_x"], length=2, cells=4)
    follow(network, sequences, starts)
    for number in range(layer.remembered):
        entering = layer.input.integers.copy()
        recurring = layer.recurrent.integers.copy()
        entering[number] = 0
        recurring[number] = 0
        deaf = LinearLayer(
            dataclasses.replace(layer.recurrent, integers=recurring),
            dataclasses.replace(layer.input, integers=entering),
            layer.output,
        )
        forgetful = dataclasses.replace(network, layers=((deaf, feed_forward),))
        trial = Trial(recurrent.CLAIM.name, forgetful, in_floats=0)
        with pytest.raises(TheoremFails, match="place = "):
            trial.follow(sequences, starts, lambda example: {"input": example})


def test_the_bound_counts_the_layers_of_the_network():
    name, machine = next(drawn_machines(1, 3))
    network = recurrent.build(machine, length=2, cells=3)
    bound = recurrent.bound(machine, 3)
    assert (bound["layers"], bound["width"]) == (len(network.layers), network.width), name
