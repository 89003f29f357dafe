"""Sparse threshold against its definition, its stated distribution, given formulas, its shortcut, and its counted states."""

import itertools
import pickle
from math import acos, pi, sqrt

import numpy as np
import pytest

from seqsep.lab.run import Run
from seqsep.maths.formulas import AtLeast, Thresholds, TruthTable, cnf
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, sparse_threshold
from seqsep.tasks._thresholds import FeatureCounter, column_sums, drawn, feature_counts
from seqsep.tasks.sparse_threshold import SparseThreshold

CLAUSES = "p cnf 5 4\n1 -2 0\n3 4 -5 0\n2 5 0\n-4 1 0\n"
TASKS = [
    SparseThreshold(20),
    SparseThreshold(1),
    SparseThreshold(2),
    SparseThreshold(7, features=40, sparsity=2, function_seed=5),
    SparseThreshold(33, sparsity=4, function_seed=2**62),
    SparseThreshold(10, features=3, sparsity=1, bound=1),
    SparseThreshold(5, formula=CLAUSES),
    SparseThreshold(5, formula=CLAUSES, bound=2),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 100)


def label_of(told: dict, bits: tuple[int, ...]) -> int:
    """The label by what `readable` tells of the function, and nothing else."""
    true = 0
    for feature in told["features"]:
        if "literals" in feature:
            true += any(bits[abs(literal) - 1] == (literal > 0) for literal in feature["literals"])
        else:
            address = "".join(str(bits[index - 1]) for index in reversed(feature["indices"]))
            true += feature["values"][int(address, 2)]
    return int(true > told["threshold"])


@pytest.mark.parametrize("task", [task for task in TASKS if task.length <= 10], ids=repr)
def test_solve_is_the_definition_on_every_input(task):
    told = task.readable((0,) * task.length, 0)
    task_laws.check_task_answers(task, task.length, lambda bits: label_of(told, bits))


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_examples_are_the_definition(task, evaluate):
    batch = task.sample(0, 150, 2, evaluate)
    assert set(batch.lengths.tolist()) == {task.length}
    assert (batch.targets[:, :-1] == NOTHING_ASKED).all()
    for inputs, targets in zip(batch.inputs.tolist(), batch.targets.tolist(), strict=True):
        told = task.readable(tuple(inputs), targets[-1])
        assert list(told) == ["bits", "features", "threshold", "label"]
        assert {*inputs} <= {0, 1}
        assert told["label"] == label_of(told, tuple(told["bits"]))


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_labels_are_balanced(task):
    labels = task.sample(0, 10_000, 1).targets[:, -1]
    assert abs(labels.mean() - 0.5) < 5 * 0.5 / 100


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_balance_is_as_stated_for_a_function_that_is_rarely_1(monkeypatch, attempts):
    """(1 - (1 - p)^A + p^A) / 2 for p = 1/16 and A attempts."""
    monkeypatch.setattr(sparse_threshold, "ATTEMPTS", attempts)
    labels = SparseThreshold(4, formula="p cnf 4 4\n1 0\n2 0\n3 0\n4 0\n").sample(0, 20_000, 1).targets[:, -1]
    chance = (1 - (15 / 16) ** attempts + (1 / 16) ** attempts) / 2
    assert abs(labels.mean() - chance) < 5 * sqrt(chance * (1 - chance) / 20_000)


def test_inputs_are_uniform_given_their_label():
    task = SparseThreshold(5, formula=CLAUSES)
    batch = task.sample(0, 40_000, 3)
    answers = task.answers((np.arange(32)[:, None] >> np.arange(5) & 1).astype(np.uint8))
    counts = np.bincount(batch.inputs @ (1 << np.arange(5)), minlength=32)
    for label in (False, True):
        share = counts[answers == label].sum() / (answers == label).sum()
        assert 0 < (answers == label).sum() < 32
        assert abs(counts[answers == label] - share).max() < 5 * sqrt(share)


@pytest.mark.parametrize("sparsity", [1, 2, 3, 4])
def test_drawn_functions_are_as_stated(sparsity):
    """Different bits, each index and each table that is not constant equally often; the bound nearest to half and half."""
    functions = [drawn(9, 100, sparsity, -1, seed) for seed in range(10)]
    assert len({function.features for function in functions}) == 10
    tables = [feature for function in functions for feature in function.features]
    assert all(isinstance(table, TruthTable) and len(set(table.indices)) == sparsity for table in tables)
    seen = np.bincount([index for table in tables for index in table.indices], minlength=10)[1:]
    assert abs(seen - 1000 * sparsity / 9).max() < 5 * sqrt(1000 * sparsity / 9)
    ones = np.array([table.values for table in tables])
    assert 0 < ones.sum(axis=1).min() <= ones.sum(axis=1).max() < 2**sparsity
    assert abs(ones.mean(axis=0) - 0.5).max() < 5 * 0.5 / sqrt(1000)
    if sparsity <= 2:
        numbers = np.bincount(ones @ (1 << np.arange(2**sparsity)), minlength=2**2**sparsity)[1:-1]
        assert abs(numbers - 1000 / len(numbers)).max() < 5 * sqrt(1000 / len(numbers))
    for seed, function in enumerate(functions):
        counts = feature_counts(function, seed)
        off = [abs((counts > bound).sum() - 512) for bound in range(101)]
        assert abs((counts > function.bound).sum() - 512) == min(off)
        assert function.bound == off.index(min(off))


@pytest.mark.parametrize("length", range(1, 9))
def test_no_drawn_function_is_constant(length):
    """By every input, of 25 seeds and few features, where constant ones are often met."""
    every = (np.arange(2**length)[:, None] >> np.arange(length) & 1).astype(np.uint8)
    for seed in range(25):
        task = SparseThreshold(length, features=2, function_seed=seed)
        assert set(task.answers(every).tolist()) == {False, True}


def test_a_function_that_is_constant_is_drawn_again():
    """Two features of one bit with bound 1 are an and: where they contradict each other a second draw must differ."""
    first = [drawn(1, 2, 1, 1, seed) for seed in range(30)]
    assert all({table.values for table in function.features} in ({(0, 1)}, {(1, 0)}) for function in first)


@pytest.mark.parametrize(("sparsity", "share"), [(1, 1.0), (2, 0.80), (3, 0.73), (4, 0.67)])
def test_shortcut_of_weighing_single_bits(sparsity, share):
    """The vote with the weights of the tables' own single-bit parts, cut where it is right most often."""
    assert share == round(1 - acos(sqrt(sparsity / (2**sparsity - 1))) / pi, 2)
    right = []
    for seed in range(6):
        task = SparseThreshold(100, sparsity=sparsity, function_seed=seed)
        weights = np.zeros(100)
        for table in task.thresholds.features:
            assert isinstance(table, TruthTable)
            for digit, index in enumerate(table.indices):
                weights[index - 1] += np.mean(
                    [value * (1 if row >> digit & 1 else -1) for row, value in enumerate(table.values)]
                )
        batch = task.sample(0, 2000, 1)
        votes = np.round(batch.inputs @ weights, 9)
        cuts = np.quantile(votes, np.linspace(0.3, 0.7, 81))
        right.append(max(np.mean((votes > cut) == (batch.targets[:, -1] == 1)) for cut in cuts))
    assert abs(np.mean(right) - share) < 0.03


def test_a_configuration_names_no_file(tmp_path):
    """It may come from a stranger's rows, which choose no file of the reader's to be read."""
    path = tmp_path / "formula.cnf"
    path.write_text(CLAUSES)
    assert SparseThreshold.restore({"length": 5, "formula": CLAUSES}) == SparseThreshold(5, formula=str(path))
    for named in (str(path), "-", "/dev/stdin", "", 3):
        with pytest.raises(ValueError, match="formula: expected the text of a DIMACS formula, found"):
            SparseThreshold.restore({"length": 5, "formula": named})
        configuration = {"task": {"name": "sparse-threshold", "length": 5, "formula": named}, "layers": ["lstm"], "width": 8}
        with pytest.raises(ValueError, match="formula: expected the text of a DIMACS formula, found"):
            Run.from_configuration(configuration)


def test_a_file_is_its_formula_without_comments(tmp_path):
    path = tmp_path / "some.cnf"
    path.write_text("c a comment\np cnf 5 4\n1 -2 0 3 4\n-5 0\n 2 5 0 -4 1 0\n%\n")
    task = SparseThreshold(5, formula=str(path))
    path.unlink()
    assert task == SparseThreshold(5, formula=CLAUSES)
    assert task.configuration() == {"name": "sparse-threshold", "length": 5, "formula": CLAUSES}
    assert SparseThreshold(5, formula=CLAUSES, bound=3) == task
    again = {key: value for key, value in task.configuration().items() if key != "name"}
    assert SparseThreshold(**again) == task
    there = pickle.loads(pickle.dumps(task))
    assert np.array_equal(there.sample(0, 50, 1).inputs, task.sample(0, 50, 1).inputs)
    assert task.thresholds == cnf(5, [(1, -2), (3, 4, -5), (2, 5), (-4, 1)])
    assert SparseThreshold(5, formula=CLAUSES, bound=2).thresholds.bound == 2
    assert task.readable((1, 0, 1, 0, 1), 1) == {
        "bits": [1, 0, 1, 0, 1],
        "features": [{"literals": [1, -2]}, {"literals": [3, 4, -5]}, {"literals": [2, 5]}, {"literals": [-4, 1]}],
        "threshold": 3,
        "label": 1,
    }


def some_features(random: np.random.Generator) -> Thresholds:
    clauses = [
        AtLeast(tuple((random.integers(1, 12, size) * random.choice([-1, 1], size)).tolist()))
        for size in (0, 1, 1, 2, 3, 7, 300)
    ]
    tables = [
        TruthTable(tuple((random.permutation(11)[:size] + 1).tolist()), tuple(random.integers(2, size=1 << size).tolist()))
        for size in (0, 0, 1, 2, 3, 3, 5)
    ]
    return Thresholds(11, (*clauses, *tables), 6)


@pytest.mark.parametrize("batch", [1, 7, 8, 65])
def test_quick_evaluation_is_the_slow_one(batch):
    random = np.random.default_rng(batch)
    for _ in range(20):
        formula = some_features(random)
        counter, bits = FeatureCounter(formula), random.integers(0, 2, (batch, 11)).astype(np.uint8)
        expected = formula.count(bits.astype(np.int64)).tolist()
        assert counter.count(bits).tolist() == expected
        counter.at_once = 8  # several parts
        assert counter.count(bits).tolist() == expected


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 64, 1000])
def test_column_sums(rows):
    bits = np.random.default_rng(rows).integers(0, 2, (rows, 24)).astype(np.uint8)
    assert column_sums(np.packbits(bits, axis=1)).tolist() == bits.sum(axis=0).tolist()
    assert column_sums(np.full((rows, 1), 255, dtype=np.uint8)).tolist() == [rows] * 8


ADDRESS_FIRST = "p cnf 6 4\n1 2 3 0\n1 -2 4 0\n-1 2 5 0\n-1 -2 6 0\n"
ADDRESS_LAST = "p cnf 6 4\n5 6 1 0\n5 -6 2 0\n-5 6 3 0\n-5 -6 4 0\n"


def test_answer_bits_are_those_in_reading_order():
    """One of four bits is asked for by two others, which come first or last."""
    assert [SparseThreshold(6, formula=text).answer_bits() for text in (ADDRESS_FIRST, ADDRESS_LAST)] == [3, 4]


@pytest.mark.parametrize("task", [SparseThreshold(6), SparseThreshold(4, features=9, sparsity=2), TASKS[-1]], ids=repr)
def test_answer_bits_by_counting_prefix_classes(task):
    answer, most = task.function(task.length), 0
    for read in range(task.length + 1):
        suffixes = list(itertools.product(range(2), repeat=task.length - read))
        prefixes = itertools.product(range(2), repeat=read)
        most = max(most, len({tuple(answer(prefix + suffix) for suffix in suffixes) for prefix in prefixes}))
    assert task.answer_bits() == (most - 1).bit_length()


def test_answer_bits_are_not_enumerated_beyond_16():
    assert SparseThreshold(16).answer_bits() == 9
    assert SparseThreshold(17).answer_bits() is None


def test_equal_tasks_have_one_configuration():
    assert SparseThreshold(9, features=9).configuration() == {"name": "sparse-threshold", "length": 9}
    assert SparseThreshold(2, sparsity=3) == SparseThreshold(2, sparsity=2)
    assert (TASKS[0].vocabulary, TASKS[0].classes, TASKS[0].longest, TASKS[0].loss) == (2, 2, 20, "cross-entropy")


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: SparseThreshold(0), "length"),
        (lambda: SparseThreshold(5, features=-1), "features"),
        (lambda: SparseThreshold(5, features=1 << 17), "features"),
        (lambda: SparseThreshold(5, sparsity=0), "sparsity"),
        (lambda: SparseThreshold(5, sparsity=5), "sparsity"),
        (lambda: SparseThreshold(5, function_seed=-1), "function_seed"),
        (lambda: SparseThreshold(5, bound=5), "bound is 0 to 4"),
        (lambda: SparseThreshold(5, bound=-2), "bound is at least -1, found -2"),
        (lambda: SparseThreshold(40, bound=39), "in the middle .. do: set bound near that"),
        (lambda: SparseThreshold(4, formula=CLAUSES), "length is 5, the formula's"),
        (lambda: SparseThreshold(5, formula=CLAUSES, features=3), "belong to a drawn function"),
        (lambda: SparseThreshold(5, formula=CLAUSES, bound=4), "bound is 0 to 3"),
        (lambda: SparseThreshold(2, formula="p cnf 2 1\n1 -1 0\n"), "both labels"),
        (lambda: SparseThreshold(2, formula="p cnf 2 1\n1 -1\n"), "expected 0 after the last clause"),
        (lambda: SparseThreshold(2, formula="p cnf 2 0\n"), "both labels"),
        (lambda: TASKS[0].solve((0, 1)), "20 bits"),
        (lambda: TASKS[0].alphabets(8), "20 bits"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        SparseThreshold(5, formula="no/such.cnf")
