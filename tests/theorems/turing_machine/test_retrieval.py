"""Theorem 5.4: a linear recurrence with a live retriever runs a Turing machine; a spoiled weight or query is found out."""

import re

import numpy as np
import pytest

from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, generate
from seqsep.tasks.retriever import Query
from seqsep.theorems import TheoremFails
from seqsep.theorems.turing_machine import _retrieved_run, retrieval
from seqsep.theorems.turing_machine._machine import Machine, Rule, simulate
from seqsep.theorems.turing_machine._machine_file import machine_of
from seqsep.theorems.turing_machine._retrieved_run import RunTokens, written
from seqsep.theorems.turing_machine._trials import drawn_machines, drawn_words
from support.networks import defects_that_change, follows

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def test_shipped_and_drawn_machines_run_step_for_step():
    """A sample, 1 %, of the long check."""
    *shipped, drawn = retrieval.check(machines=100, words=1, steps=20, seed=7)
    assert len(shipped) == 4
    for outcome in (*shipped, drawn):
        assert {key: outcome.measured[key] for key in ("width", "tokens_a_step", "state_numbers")} == {
            "width": 7,
            "tokens_a_step": 5,
            "state_numbers": 6,
        }
        assert outcome.measured["state_bits_by_range"] <= outcome.bound["state_bits_by_range"]
        assert not outcome.saturated
    assert drawn.inputs == 200


def test_long_runs_and_all_of_the_busy_beaver():
    [beaver] = retrieval.check("busy-beaver-4", length=0, steps=107, words=0)
    assert beaver.inputs == 1
    retrieval.check("palindromes", length=14, steps=200, words=4, seed=2)


def test_sizes_are_as_bound():
    for _, machine in drawn_machines(20, 11):
        for steps in (0, 9, 50):
            network = retrieval.build(machine, steps)
            bound = retrieval.bound(machine, steps)
            assert bound["program_bits"] == network.ledger().program
            assert bound["precision"] == network.precision
            assert bound["state_bits"] == network.state_bits
    with pytest.raises(ValueError, match=r"build\(steps=-1\): expected 0 steps or more"):
        retrieval.build(machine, -1)


def sequences_of(machine, words, steps):
    tokens = RunTokens(machine, steps)
    sequences = [[*tokens.prompt(word), *written(tokens, word)] for word in words]
    starts = [len(word) + 1 for word in words]
    retriever = tokens.retriever()
    marks = [retriever.inserted(sequence, start) for sequence, start in zip(sequences, starts, strict=True)]
    return sequences, starts, marks


def test_what_is_found_is_what_the_pattern_finds():
    """The named query, live, and its regular expression on the text so far, for every query of 60 runs."""
    random = np.random.default_rng(1)
    searched = 0
    for _, machine in drawn_machines(30, 4):
        tokens = RunTokens(machine, 15)
        for sequence, start, _ in zip(*sequences_of(machine, drawn_words(machine, 1, 4, random), 15), strict=True):
            texts = [tokens.texts[token] for token in sequence]
            for place in range(start, len(texts), 5):
                pattern = _retrieved_run._query([texts[place + 1]]).pattern
                found = re.search(pattern, " ".join(texts[:place]))
                assert (found.group(1) if found else "FAILED") == texts[place + 3]
                searched += 1
    assert searched > 100


def test_token_by_token_with_a_live_retriever_it_writes_the_same():
    machine = machine_of("binary-increment")
    tokens = RunTokens(machine, 12)
    network = retrieval.build(machine, 12)
    for word in ("", "0", "111"):
        prompt = tokens.prompt(word)
        thought = written(tokens, word)
        retrieve = tokens.retriever().behind(len(prompt))
        assert generate(network, prompt, {thought[-1]}, most=65, retriever=retrieve) == thought


def test_the_head_may_go_as_far_as_the_steps_on_either_side():
    for move, last in ((-1, "m29"), (1, "31")):
        machine = Machine("A", (), "_", {("A", "_"): Rule("A", "x", move), ("A", "x"): Rule("A", "_", move)})
        tokens = RunTokens(machine, 30)
        sequences, starts, marks = sequences_of(machine, ["", "xx_x"], 30)
        result = follow(retrieval.build(machine, 30), sequences, starts, marks)
        assert tokens.texts[sequences[0][-4]] == last
        assert not sum(result.tally.saturated.values())


def test_the_printed_pattern_finds_the_first_write():
    """p (.) p .*?$ is leftmost, not last, and it wants one character."""

    def printed(cell, text):
        found = re.search(rf"{cell} (.) {cell} .*?$", text)
        return None if found is None else found.group(1)

    assert printed(1, "<s> 1 a 1 q 1 b 1 q") == "a"
    assert printed(1, "<s> 1 10 1 q") is None
    text = ["<s>", "x0", "[", "1", "]", "x0", "q1s0", "[", "1", "]", "q1s0", "q2s1"]
    assert Query("last-write", ("1", "0")).find(text) == "q2s1"
    assert Query("last-write", ("11", "10")).find(text) is None


def test_index_queries_run_on_into_the_thought():
    """The input has two symbols; the third is asked for while the copy of the second is in the text."""
    text = ["<s>", "x0", "x1", "[", "1", "]", "x0", "[", "2", "]", "x1"]
    assert Query("token-at", ("3",)).find(text) == "["
    assert Query("last-write", ("3", "2")).find(text) is None
    assert Query("last-write", ("2", "1")).find(text) == "x1"


def test_a_retriever_that_finds_the_first_write_is_found_out(monkeypatch):
    def first_write(texts):
        place = texts[0]
        return Query("token-at", (place,)) if place.isdecimal() else Query("last-write", (place,))

    monkeypatch.setattr(_retrieved_run, "_query", first_write)
    with pytest.raises(TheoremFails, match="retriever = "):
        retrieval.check("busy-beaver-4", steps=30)


def test_30_defects_that_change_the_function_are_all_caught():
    machine = machine_of("palindromes")
    honest = retrieval.build(machine, 12)
    sequences, starts, marks = sequences_of(machine, ["", "a", "ab", "abb", "bab", "bbb"], 12)
    follow(honest, sequences, starts, marks)
    arrays = set()
    for name, network in defects_that_change(honest, follows(sequences, asked_places(sequences, starts, marks)), count=30):
        arrays.add(name)
        with pytest.raises(GenerationDiffers):
            follow(network, sequences, starts, marks)
    assert len(arrays) >= 7


def test_the_applier_says_what_the_simulator_says():
    machine = machine_of("palindromes")
    answer = retrieval.predictor(length=6, machine="palindromes", steps=12)
    for word in ("", "a", "abba", "ab"):
        assert answer({"input": word}) == simulate(machine, word, 12)[1].record("_")
    with pytest.raises(ValueError, match="expected symbols among _ab, found 'c' at place 2"):
        answer({"input": "ac"})
