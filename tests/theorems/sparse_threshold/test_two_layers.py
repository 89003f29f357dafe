"""Theorem 13: thresholds of k-sparse features by two layers, on the grid and in floats; CNFs read from files."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from seqsep.maths.codes.codes import position_code
from seqsep.maths.formulas import AtLeast, Thresholds, TruthTable, cnf, disjointness, dnf, equality, majority
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.sparse_threshold import two_layers as sparse_threshold_two_layers
from seqsep.theorems.sparse_threshold._formulas import random_cnf
from seqsep.theorems.sparse_threshold._slots import Scales
from seqsep.theorems.sparse_threshold._trials import answers_hard, every_assignment, tokens
from support.networks import defects_that_change

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

check, build = sparse_threshold_two_layers.check, sparse_threshold_two_layers.build


def answers(network: Network, bits: np.ndarray) -> np.ndarray:
    slots = 0 if network.indices is None else len(network.indices.integers)
    return run(network, tokens(bits, slots), at=-1).answers[:, 0]


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("length", [1, 2, 3, 6, 8])
def test_every_instance_on_every_assignment(length, variant):
    outcomes = check(length, variant=variant)
    assert len(outcomes) == (4 if length % 2 else 6)
    for outcome in outcomes:
        assert outcome.exhaustive
        assert outcome.inputs == 2**length
        assert outcome.measured == outcome.bound
        assert 1 / 4 <= outcome.margin.proved <= outcome.margin.least


@pytest.mark.parametrize("code", ["signs", "binary", "dual-bch", "kerdock", "one-hot", "circle"])
def test_every_code(code):
    for instance in ("disjointness",) if code == "signs" else ("disjointness", "cnf"):
        (outcome,) = check(2 if code == "signs" else 4, instance, code=code)
        assert outcome.measured == outcome.bound
        assert 1 / 4 <= outcome.margin.proved <= outcome.margin.least


@pytest.mark.parametrize("variant", ["repaired", "printed"])
def test_small_cnfs(variant):
    """A sample of the 2,000 formulas of `verify`: all 16 assignments of each."""
    outcome = sparse_threshold_two_layers.small_cnfs(20, 1, variant=variant)
    assert outcome.inputs == 16 * 20
    assert outcome.margin.least >= outcome.margin.proved >= 1 / 4


def test_products_beyond_64_bits():
    """The circle code with 2,049 addresses: a key's coordinate is about 2^33."""
    code = position_code("circle", 2049)
    scales = Scales.of(code, 2)
    key = [int(entry) for entry in code.keys(np.array([7]))[0]]
    assert sum(entry * entry for entry in key) > 1 << 63
    assert 2049**scales.exponent > scales.eta * sum(entry * entry for entry in key) * code.unit**2 + scales.literal
    network = build(cnf(2000, [[1, -2]] * 48), code="circle")
    scored = network.indices.integers[0, 3] * network.indices.unit
    first = [int(entry) for entry in position_code("circle", 2049).keys(np.array([1]))[0]]
    assert 0 <= scales.eta * sum(entry * entry for entry in first) * code.unit**2 - scored < network.grid.step


def test_at_larger_lengths():
    for instance, code in (("disjointness", "parabola"), ("tables", "binary")):
        (outcome,) = check(40, instance, code=code)
        assert not outcome.exhaustive
        assert outcome.measured == outcome.bound
        assert 1 / 4 <= outcome.margin.proved <= outcome.margin.least


CORNERS = (
    cnf(3, []),
    cnf(3, [[]]),
    cnf(3, [[1, -1]]),
    cnf(3, [[2, 2]]),
    cnf(3, [tuple(range(1, 4)) * 5, [-1]]),
    dnf(3, []),
    dnf(3, [[]]),
    dnf(3, [[1, -1]]),
    majority(3),
    Thresholds(3, (AtLeast((1, 2, 3), 2), AtLeast((1,), -5), AtLeast((1,), 9)), 1),
    Thresholds(3, (TruthTable((3, 1), (0, 1, 1, 0)), TruthTable((), (1,)), TruthTable((2,), (1, 1))), 2),
    Thresholds(3, (AtLeast((1,)),), -10),
    Thresholds(3, (AtLeast((1,)),), 10),
)


def test_corner_formulas():
    inputs = every_assignment(3)
    for formula in CORNERS:
        assert np.array_equal(answers(build(formula), inputs), formula.evaluate(inputs)), formula
    assert answers(build(cnf(0, [])), every_assignment(0)).tolist() == [1]
    assert answers(build(cnf(0, [[]])), every_assignment(0)).tolist() == [0]


def test_more_gates_than_positions():
    """25 of 30 clauses over 4 bits: a token for each slot. The printed layout refuses them (see the predictor)."""
    formula = Thresholds(4, random_cnf(4, 3, 30, np.random.default_rng(1)).features, 24)
    inputs = every_assignment(4)
    network = build(formula)
    assert len(network.indices.integers) == 30
    assert np.array_equal(answers(network, inputs), formula.evaluate(inputs))
    assert len(set(formula.evaluate(inputs).tolist())) == 2


def test_more_heads_than_needed_change_nothing():
    formula, inputs = random_cnf(5, 2, 6, np.random.default_rng(0)), every_assignment(5)
    for heads in (2, 3, 7):
        assert np.array_equal(answers(build(formula, heads), inputs), formula.evaluate(inputs))


def test_the_model_agrees_in_floats():
    formula = random_cnf(12, 3, 40, np.random.default_rng(3))
    network, inputs = build(formula), every_assignment(12)[::16]
    given = torch.from_numpy(tokens(inputs, 40))
    found = Model.load(network)(given, torch.full((len(inputs),), given.shape[1] - 1)).argmax(-1).numpy()
    assert np.array_equal(found, formula.evaluate(inputs))


def test_where_slots_count():
    """They count in `program`, unless they are functions of the index."""
    instance, same = disjointness(20), dataclasses.replace(disjointness(20), by_index=False)
    fixed, free = build(instance).ledger(), build(same).ledger()
    network = build(same)
    assert free.tables == fixed.tables
    assert free.program - fixed.program == 10 * network.width * network.precision


def test_30_defects_that_change_the_function_are_all_caught(monkeypatch):
    honest, inputs = build(equality(4)), every_assignment(4)
    expected = equality(4).evaluate(inputs)
    assert np.array_equal(answers(honest, inputs), expected)
    caught = set()
    for name, network in defects_that_change(honest, lambda network: answers(network, inputs).tolist(), count=30):
        caught.add(name)
        monkeypatch.setattr(sparse_threshold_two_layers, "assemble", lambda plan, network=network: network)
        with pytest.raises(TheoremFails, match="bits"):
            sparse_threshold_two_layers.check(4, "equality")
    assert len(caught) >= 8


def test_tightness():
    (tight,) = check(8, "disjointness", tightness=True)
    assert tight.measured["eta"] < tight.bound["eta"]
    assert tight.measured["steps"] < tight.bound["steps"]
    below = build(disjointness(8), eta=tight.measured["eta"] - 1)
    assert not answers_hard(below, disjointness(8), 0)


def test_the_printed_layout_needs_attention_without_a_mask():
    wrong = {}
    for name, formula in (("disjointness", disjointness(8)), ("equality", equality(8))):
        network, inputs = build(formula, variant="printed"), every_assignment(8)
        assert not network.causal
        assert np.array_equal(answers(network, inputs), formula.evaluate(inputs))
        layers = tuple((dataclasses.replace(mixer, causal=True), inner) for mixer, inner in network.layers)
        masked = answers(dataclasses.replace(network, layers=layers), inputs)
        wrong[name] = int((masked != formula.evaluate(inputs)).sum())
    assert wrong == {"disjointness": 175, "equality": 16}
    assert build(disjointness(8)).causal


def test_no_printed_coordinate_depends_on_the_feature():
    """[x_i, T(i), T(I_1), .., T(I_k)] is the same for every g of the same bits; our slots differ in what they add."""
    rows = {}
    for least in (1, 2):
        network = build(Thresholds(2, (AtLeast((1, 2), least),), 0), variant="printed")
        r = network.spaces["key"].stop - network.spaces["key"].start
        heads, key = network.spaces["heads"].start, network.spaces["key"]
        queries = [column for head in range(2) for column in range(heads + head * (r + 2), heads + head * (r + 2) + r)]
        printed = [*queries, *range(key.start, key.stop)]
        rows[least] = network.positions.integers
        assert 1 + len(printed) == 1 + (2 + 1) * r
    assert np.array_equal(rows[1][:, printed], rows[2][:, printed])
    assert not np.array_equal(rows[1], rows[2])


def test_disj_of_b1_is_a_2_dnf_and_no_2_cnf():
    inputs = every_assignment(6)
    meets = disjointness(6)
    assert all(gate.least == len(gate.literals) == 2 for gate in meets.features)
    assert meets.evaluate(inputs).tolist() == [int(any(x[:3] & x[3:])) for x in inputs]
    literals = [sign * v for v in range(1, 7) for sign in (1, -1)]
    clauses = [pair for pair in itertools.product(literals, repeat=2) if pair[0] != -pair[1]]
    yes = inputs[meets.evaluate(inputs) == 1]
    assert not [pair for pair in clauses if cnf(6, [pair]).evaluate(yes).all()]
    assert (meets.evaluate(inputs) == 0).any()


def test_the_applier_reads_files_and_names_what_is_wrong(tmp_path):
    path = tmp_path / "some.cnf"
    path.write_text("p cnf 3 3\n1 -2 0\n2 3 0\n-1 -3 0\n")
    answer = sparse_threshold_two_layers.predictor(cnf=path)
    for bits in every_assignment(3).tolist():
        x, y, z = map(bool, bits)
        assert answer({"bits": bits, "answer": 3}) == ((x or not y) and (y or z) and not (x and z))
    (outcome,) = check(cnf=path)
    assert outcome.exhaustive
    with pytest.raises(ValueError, match=r"some\.cnf, line 2: expected a clause of at most 1 literals, found one of 2"):
        sparse_threshold_two_layers.predictor(cnf=path, heads=1)
    with pytest.raises(ValueError, match="the file has 3 variables"):
        sparse_threshold_two_layers.predictor(4, cnf=path)
    meet = sparse_threshold_two_layers.predictor(4)
    assert meet({"left": [1, 0], "right": [1, 1]}) == 1
    assert meet({"left": [1, 0], "right": [0, 1]}) == 0
    assert meet({"bits": [1, 0, 0, 1]}) == 0
    for given, message in [
        ({"bits": [0, 1]}, "bits: expected 4 bits, found 2"),
        ({"bits": [0, 1, 2, 0]}, "bits: expected 0 or 1, found 2"),
        ({"left": [0, 1], "right": [1]}, "right: expected 2 bits, found 1"),
        ({"bits": None}, "bits: expected a list of whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            meet(given)
    assert sparse_threshold_two_layers.predictor(3, "majority")({"bits": [1, 0, 1]}) == 1
    with pytest.raises(ValueError, match="bits: missing"):
        sparse_threshold_two_layers.predictor(4, "majority")({"left": [1, 0], "right": [0, 1]})
    for wrong, message in [
        ({"instance": "parity", "length": 4}, "one of disjointness, majority, equality"),
        ({}, "a length"),
        ({"length": 4, "variant": "other"}, "variant is one of repaired, printed"),
        ({"length": 4, "code": "other"}, "code is one of"),
        ({"length": 4, "heads": 1}, "heads is at least 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            sparse_threshold_two_layers.predictor(**wrong)
    with pytest.raises(ValueError, match="one slot for each variable, expected at most 3 slots, found 4; variant='repaired'"):
        build(random_cnf(3, 2, 4, np.random.default_rng(0)), variant="printed")
    with pytest.raises(ValueError, match="at most 65,536 tokens"):
        build(cnf(10**12, []))
    with pytest.raises(ValueError, match="instance is one of"):
        check(4, "parity")
