"""IsTree's least state: the formula against brute force, the exact model, and inputs on which smaller models err."""

import dataclasses
import json
import math
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import torch

import seqsep_check
from seqsep.maths.automata.automata import Recurrence
from seqsep.tasks.trees.partitions import stirling
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems import TheoremFails
from seqsep.theorems.certificate import certify
from seqsep.theorems.is_tree import _collision, state
from seqsep.theorems.is_tree._beginnings import Beginning, InputPlace
from seqsep.theorems.is_tree._continuations import telling_apart, telling_apart_simply
from seqsep.theorems.is_tree._graphs import every_order, hard_graphs, is_tree, shuffled
from seqsep.theorems.is_tree._partitions import components, numbered, partition_of
from seqsep.theorems.is_tree._printed import messages, prefix_sums, two_stars
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.protocols.thought import Thought, think

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
FINDINGS = {2: 1, 3: 3, 4: 5, 5: 7, 6: 9, 8: 13, 16: 35, 32: 89, 64: 219, 128: 528, 256: 1245, 512: 2886}


def test_partitions_are_counted_and_numbered():
    for vertices in range(1, 8):
        strings = set(product(range(vertices), repeat=vertices)) if vertices < 6 else set()
        grown = [s for s in strings if all(b <= max(s[:i], default=-1) + 1 for i, b in enumerate(s))]
        for blocks in range(1, vertices + 1):
            count = stirling(vertices)[blocks]
            partitions = [partition_of(number, vertices, blocks) for number in range(count)]
            assert [numbered(partition) for partition in partitions] == list(range(count))
            if strings:
                assert partitions == sorted(string for string in grown if max(string) == blocks - 1)


@pytest.mark.parametrize(("vertices", "whole_edges"), [(3, False), (4, False), (3, True), (4, True), (5, True)])
def test_classes_by_brute_force_are_the_formula(vertices, whole_edges):
    """At every split; a wrong formula is found out."""
    outcome = state._check_classes(vertices, whole_edges)
    assert outcome.measured["classes"] == max(state.classes_expected(vertices, whole_edges))


def test_a_wrong_count_of_classes_is_found_out(monkeypatch):
    monkeypatch.setattr(InputPlace, "classes", property(lambda place: stirling(place.vertices)[place.blocks] + 1))
    with pytest.raises(TheoremFails, match="classes at every split"):
        state._check_classes(4)


def test_least_bits_are_those_of_the_formula():
    assert {vertices: state.least_bits(vertices) for vertices in FINDINGS} == FINDINGS
    for vertices in range(3, 130):
        row = stirling(vertices)
        assert state.least_bits(vertices) == max(b * count for b, count in enumerate(row)).bit_length()
        simple = state.least_bits(vertices, simple=True) if vertices >= 6 else state.least_bits(vertices)
        least = vertices // 2 * math.log2(vertices / 2)
        assert least <= simple <= state.least_bits(vertices) <= (vertices + 1) * math.log2(vertices) + 1


@pytest.mark.parametrize("vertices", [3, 4, 5])
def test_every_two_classes_are_told_apart(vertices):
    """By the definition: exactly one of the two inputs is a tree."""
    for edges, half_read in product(range(vertices - 1), (False, True)):
        place = InputPlace(vertices, edges, half_read)
        some = [place.beginning(number) for number in range(place.classes)]
        assert [place.number(beginning.case) for beginning in some] == list(range(place.classes))
        for first, second in combinations(some, 2):
            require_told_apart(first, second, telling_apart(first, second))


def require_told_apart(first, second, continuation):
    graphs = [one.followed_by(continuation) for one in (first, second)]
    assert [len(graph) for graph in graphs] == [first.vertices - 1] * 2
    assert sorted(is_tree(first.vertices, graph) for graph in graphs) == [False, True]
    return graphs


@pytest.mark.parametrize(("vertices", "pairs"), [(6, 1500), (9, 1500), (24, 150)])
def test_drawn_beginnings_are_told_apart_by_simple_graphs(vertices, pairs):
    """Forests of any shape, not only stars, and beginnings with a cycle: two edge lists u < v without repeats."""
    random = np.random.default_rng(vertices)
    for _ in range(pairs):
        edges = int(random.integers(3, vertices - 2))
        drawn = []
        for graph in hard_graphs(vertices, 2, random):
            written = tuple((min(edge), max(edge)) for edge in graph.tolist())
            drawn.append(Beginning(vertices, written[:edges]))
        first, second = drawn
        if first.case == second.case:
            continue
        for graph in require_told_apart(first, second, telling_apart_simply(first, second)):
            assert len(set(graph)) == vertices - 1
            assert all(u < v for u, v in graph)
        halves = [Beginning(vertices, one.edges, int(random.integers(1, vertices + 1))) for one in drawn]
        if halves[0].case != halves[1].case:
            require_told_apart(*halves, telling_apart(*halves))


def test_the_smallest_forests_are_told_apart_by_simple_graphs():
    """Every two forests and cycles of simple graphs u < v on 6 vertices with 3 edges, one of each class and shape drawn."""
    simple = list(combinations(combinations(range(1, 7), 2), 3))
    by_case: dict[object, list[Beginning]] = {}
    for edges in simple:
        beginning = Beginning(6, edges)
        by_case.setdefault(beginning.case, []).append(beginning)
    assert len(by_case) == stirling(6)[3] + 1 == state.widest(6, simple=True).classes
    random = np.random.default_rng(0)
    for first, second in combinations(by_case.values(), 2):
        one = first[int(random.integers(len(first)))]
        other = second[int(random.integers(len(second)))]
        for graph in require_told_apart(one, other, telling_apart_simply(one, other)):
            assert len(set(graph)) == 5


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="two classes of one length"):
        telling_apart(Beginning(3, ((1, 2),)), Beginning(3, ((2, 1),)))
    with pytest.raises(ValueError, match="at least 3 components"):
        telling_apart_simply(Beginning(4, ((1, 2), (1, 3))), Beginning(4, ((1, 2), (1, 4))))


@pytest.mark.parametrize("vertices", [2, 3, 4, 6, 8])
def test_both_sides(vertices):
    upper, counted, *lower = state.check(vertices)
    assert upper.exhaustive == (vertices <= 4)
    assert upper.measured["state_bits"] == state.least_bits(vertices)
    assert counted.exhaustive
    lower = [outcome for outcome in lower if outcome.witness is not None]
    assert len(lower) == (0 if vertices == 2 else 2)
    for outcome in lower:
        assert outcome.measured["state_bits"] < outcome.bound["state_bits"]
        witness = outcome.witness
        assert is_tree(vertices, witness["errs_on"]) == witness["expected"] != witness["answer"]
        first, second = (components(vertices, beginning["edges"]) for beginning in witness["beginnings"])
        ends = [beginning["first_end"] for beginning in witness["beginnings"]]
        assert first != second or first[ends[0] - 1] != second[ends[1] - 1]


@pytest.mark.parametrize("vertices", [5, 16, 40])
def test_the_exact_model_of_exactly_so_many_bits_decides(vertices):
    random = np.random.default_rng(0)
    graphs = hard_graphs(vertices, 60, random)
    if vertices == 5:
        graphs = np.concatenate([graphs, shuffled(every_order(5, 4)[::7], random)])
    state.require_answers(state.build(vertices), vertices, graphs)


def test_the_exact_model_uses_every_class():
    """At n = 4 each place reaches all of its numbers, so no bit is too many: 19 states are more than 4 bits."""
    exact = state.build(4)
    reached = {exact.start}
    for t in range(10):
        tokens = (0,) if t == 0 else (5,) if t % 3 == 2 else range(1, 5)
        reached = {exact.move(t, number, token) for number in reached for token in tokens}
        edges, part = divmod(t - 1, 3)
        place = InputPlace(4, edges + part // 2, part < 2) if t else InputPlace(4, 0, False)
        assert reached == set(range(place.classes))


@pytest.mark.parametrize("bits", [0, 1, 3, 6])
def test_every_smaller_model_errs_and_the_exact_one_does_not(bits):
    exact = state.build(5)
    place = state.widest(5)
    small = exact.cut_down(bits)
    found = _collision.search(as_machine(small), place, simple=False, most_thought=10)
    assert found is not None
    assert found.tried <= 2**bits + 1
    tokens = state.prompts(5, np.array([found.errs_on]))[0].tolist()
    assert small.answer(tokens) == Tokens(5).answers[found.answer]
    assert is_tree(5, found.errs_on) == found.expected != found.answer
    assert _collision.search(as_machine(exact), place, simple=False, most_thought=10) is None


def test_a_model_that_thinks_errs_too():
    """Three bits: the state after the prompt decides what is counted aloud, up to 7, and that decides the answer."""
    vertices = 8
    no, yes = Tokens(vertices).answers

    def move(t, number, token):
        return (3 * number + token) % 8 if t <= 3 * vertices - 3 else (number + 1) % 8

    def read(t, number):
        return 1 + number if t < 3 * vertices - 3 + number else (no, yes)[number % 2]

    model = as_machine(Recurrence(3, 0, move, read))
    found = _collision.search(model, state.widest(vertices, simple=True), simple=True, most_thought=30)
    assert found is not None
    assert len(set(found.errs_on)) == vertices - 1
    graph = np.array([found.errs_on])
    tokens = state.prompts(vertices, graph)[0].tolist()
    outputs, after = model.read(tokens)
    written = think(model, outputs[-1], after, len(tokens), thought=Thought(frozenset((no, yes)), 30)).tokens
    assert written == list(found.thought)
    assert len(written) > 1
    assert written[-1] == (no, yes)[found.answer]
    assert is_tree(vertices, found.errs_on) != found.answer


class Sum:
    """A user's model: a float64 number, the sum of the tokens so far; it never answers."""

    def start(self, batch):
        return (torch.zeros(batch, 1, dtype=torch.float64),)

    def step(self, inputs, state, t):
        total = state[0] + inputs[:, None]
        return torch.cat([total, -total], dim=1), (total,)

    def forward(self, inputs):
        total = inputs.double().cumsum(1)[..., None]
        return torch.cat([total, -total], dim=2)


def test_a_users_model_errs():
    found = _collision.search(as_machine(Sum()), state.widest(40, simple=True), simple=True, most_thought=3)
    assert found is not None
    assert found.answer is None
    assert found.expected == 1
    assert is_tree(40, found.errs_on)


def test_options_choose_the_model():
    *_, lower = state.check(16, mixer="linear-attention", width=4)
    assert lower.measured == {"state_bits": 20}
    assert lower.bound == {"state_bits": 32}
    assert lower.variant.endswith("simple graphs")
    with pytest.raises(ValueError, match="the bound says nothing"):
        state.check(8, mixer="mamba")
    with pytest.raises(ValueError, match="mixer is one of"):
        state.check(8, mixer="attention")
    with pytest.raises(ValueError, match="at least 2 vertices"):
        state.check(1)


def test_a_wrong_exact_model_is_found_out(monkeypatch):
    honest = state.build

    def forgets_the_marked_block(vertices):
        exact = honest(vertices)

        def move(t, number, token):
            place = InputPlace(vertices, (t - 1) // 3, True)
            if t == 7:
                case = place.case(number)
                number = number if case is None else place.number((case[0], 0))
            return exact.move(t, number, token)

        return dataclasses.replace(exact, move=move)

    monkeypatch.setattr(state, "build", forgets_the_marked_block)
    for vertices in (4, 8):
        with pytest.raises(TheoremFails, match="edges = "):
            state.check(vertices)


def test_one_bit_less_does_not_hold_the_states():
    exact = dataclasses.replace(state.build(4), state_bits=4)
    with pytest.raises(ValueError, match="does not fit"):
        state.require_answers(exact, 4, every_order(4, 3))


def test_the_printed_graphs_tell_apart_fewer_bits():
    for vertices in range(4, 10):
        assert messages(vertices) == 2 ** (vertices - 3)
        assert 2 ** (vertices - 3) < state.widest(vertices).classes
        for bits in product((0, 1), repeat=vertices - 2):
            for k in range(1, vertices - 2):
                assert is_tree(vertices, two_stars(bits, k).tolist()) == (bits[k - 1] != bits[k])
    assert 64 - 3 == 61 < state.least_bits(64) == 219


def test_prefix_sums_agree_where_the_bit_is_zero():
    cases = [(bits, k) for bits in product((0, 1), repeat=3) for k in (2, 3)]
    agree = {(bits, k): prefix_sums(bits)[k - 1] == prefix_sums(bits)[k - 2] for bits, k in cases}
    wrong = [(bits, k) for bits, k in cases if agree[bits, k] != (bits[k - 1] == bits[k - 2])]
    assert len(cases) == 16
    assert len(wrong) == 8
    assert wrong[0] == ((0, 1, 0), 3)
    assert all(agree[bits, k] == (bits[k - 1] == 0) for bits, k in cases)


def test_the_certificate_holds(tmp_path):
    path = tmp_path / "is_tree.json"
    path.write_bytes(certify("is-tree-state", length=4))
    given = json.loads(path.read_text())
    assert given["claims"] == {"rows": 19, "state_bits": 5}
    assert given["task"] == {"name": "is-tree", "vertices": 4}
    checker = Path(seqsep_check.__file__)
    assert subprocess.run([sys.executable, "-I", "-S", checker, path], check=False, capture_output=True).returncode == 0
    with pytest.raises(ValueError, match="2 to 5 vertices"):
        state.certificate_witness(6)


def test_the_exact_model_answers_a_users_graph():
    answer = state.predictor(8)
    assert answer({"vertices": 6, "edges": [[2, 6], [1, 5], [3, 5], [4, 6], [2, 3]]}) == {"answer": 1, "thought": []}
    assert answer({"vertices": 4, "edges": [[1, 2], [2, 3], [1, 3]]})["answer"] == 0
    assert answer({"vertices": 3, "edges": [[1, 1], [2, 3]]})["answer"] == 0
    with pytest.raises(ValueError, match="vertices: expected 2 to 8, found 9"):
        answer({"vertices": 9, "edges": []})
