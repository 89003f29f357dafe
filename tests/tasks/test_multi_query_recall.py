"""Multi-query recall in both forms: against its definition, its stated distribution, and zoology's settings."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from seqsep.core.stream import Use, draws
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED
from seqsep.tasks._blocks import TOKENS_AT_ONCE
from seqsep.tasks._orders import asked_again, power_law_waits, weighted_order
from seqsep.tasks.multi_query_recall import MultiQueryRecall
from support.task_examples import assert_counts_are_near, pairwise_different

PAPER = [
    MultiQueryRecall(20),
    MultiQueryRecall(2),
    MultiQueryRecall(3, values=4),
    MultiQueryRecall(15, keys=400, values=3, least_length=2),
]
ZOOLOGY = [
    MultiQueryRecall.zoology(64, 4),
    MultiQueryRecall.zoology(16, 4, 12, power_a=1.0),
    MultiQueryRecall.zoology(14, 2, 13, random_non_queries=False),
    MultiQueryRecall.zoology(20, 1, 5, power_a=2.0, random_non_queries=False),
]


@pytest.mark.parametrize("task", PAPER + ZOOLOGY, ids=repr)
def test_laws(task):
    task_laws.check_task(task)


@pytest.mark.parametrize("task", PAPER, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_paper_examples_are_the_definition(task, evaluate):
    """Every point is read in turn: in the first half it is new, in the second it was there before and has the same value."""
    batch, seen = task.sample(0, 300, 2, evaluate), set()
    known = task.keys or task.length // 2
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        points, told = (tokens + 1) // 2, {}
        asked = Counter()
        for k in range(1, points + 1):
            key, value = inputs[2 * k - 2], inputs[2 * k - 1] if k < points else None
            assert 0 <= key < known
            if k > points / 2 or k > points // 2:
                assert targets[2 * k - 2] == told[key] - known
                assert value in (told[key], None)
                asked[key] += 1
            else:
                assert key not in told
                assert targets[2 * k - 2] == NOTHING_ASKED
                assert known <= value < known + task.values
                told[key] = value
        assert set(targets[1::2]) | set(targets[tokens:]) <= {NOTHING_ASKED}
        assert set(inputs[tokens:]) <= {0}
        assert set(asked) == set(told)
        assert sorted(asked.values())[:-1] == [1] * (len(told) - 1)
        assert asked.total() == points - points // 2
        seen.add(points)
    assert seen == ({task.length} if evaluate else set(range(task.least_length, task.length + 1)))


@pytest.mark.parametrize("task", ZOOLOGY, ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_zoology_examples_are_as_there(task, evaluate):
    batch, pairs, vocabulary = task.sample(0, 300, 2, evaluate), task.pairs, task.vocabulary
    assert batch.inputs.shape[1] == 2 * task.length
    assert set(batch.lengths.tolist()) == {2 * task.length}
    fillers = []
    for inputs, targets in zip(batch.inputs.tolist(), batch.targets.tolist(), strict=True):
        keys, values = inputs[: 2 * pairs : 2], inputs[1 : 2 * pairs : 2]
        assert len(set(keys)) == len(set(values)) == pairs
        assert all(1 <= key < vocabulary // 2 <= value < vocabulary for key, value in zip(keys, values, strict=True))
        asked = [place for place, target in enumerate(targets) if target != NOTHING_ASKED]
        assert all(place >= 2 * pairs and place % 2 == 0 for place in asked)
        assert sorted(inputs[place] for place in asked) == sorted(keys)
        assert all(targets[place] == values[keys.index(inputs[place])] for place in asked)
        fillers += [inputs[place] for place in range(2 * pairs, 2 * task.length) if place not in asked]
    if task.fillers == "zero":
        assert set(fillers) == {0}
    else:
        assert set(fillers) == set(range(vocabulary)) or vocabulary > 1000
        assert abs(np.mean(fillers) / vocabulary - 0.5) < 0.05


def test_zoology_names():
    task = MultiQueryRecall.zoology(512, 64)
    assert task == MultiQueryRecall(256, keys=4095, values=4096, form="zoology", pairs=64, power=0.01, fillers="random")
    assert (task.vocabulary, task.classes, task.longest) == (8192, 8192, 512)
    assert MultiQueryRecall(**{key: value for key, value in task.configuration().items() if key != "name"}) == task


@pytest.mark.parametrize("task", [MultiQueryRecall(513), MultiQueryRecall.zoology(512, 64)], ids=repr)
@pytest.mark.parametrize("evaluate", [False, True])
def test_long_examples_are_equal_for_every_block(task, evaluate):
    """Across the parts in which a block is made, and one at a time."""
    count = 2 * TOKENS_AT_ONCE // task.longest + 3
    whole = task.sample(5, count, 3, evaluate)
    for offset in (0, count // 2, count - 1):
        one = task.sample(5 + offset, 1, 3, evaluate)
        assert np.array_equal(one.inputs[0], whole.inputs[offset])
        assert np.array_equal(one.targets[0], whole.targets[offset])


def test_paper_distribution():
    """Key lists, values and orders are uniform and independent; so are lengths, and which key is asked once more."""
    task = MultiQueryRecall(5, keys=3, values=2, least_length=5)
    batch = task.sample(0, 40_000, 1)
    keys, values = batch.inputs[:, :-1:2], batch.inputs[:, 1:4:2]
    again = np.concatenate([keys[:, 2:4], batch.inputs[:, 8:]], axis=1)
    second = (again == keys[:, 1:2]).astype(int)  # which of the two pairs each question is about
    cases = Counter(
        tuple(map(tuple, case)) for case in zip(keys[:, :2].tolist(), values.tolist(), second.tolist(), strict=True)
    )
    orders = [(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)]
    expected = itertools.product(itertools.permutations(range(3), 2), itertools.product((3, 4), repeat=2), orders)
    assert_counts_are_near(cases, dict.fromkeys(expected, 1 / 96), 40_000)
    lengths = MultiQueryRecall(14).sample(0, 20_000, 1).lengths
    assert_counts_are_near(Counter(lengths.tolist()), {2 * points - 1: 1 / 5 for points in range(10, 15)}, 20_000)


def successive(weights: dict[int, float], count: int) -> dict[tuple[int, ...], float]:
    """Probabilities of the first `count` drawn one after another without replacement."""
    chances = {(): 1.0}
    for _ in range(count):
        chances = {
            (*drawn, item): chance * weight / sum(weights[other] for other in weights if other not in drawn)
            for drawn, chance in chances.items()
            for item, weight in weights.items()
            if item not in drawn
        }
    return chances


@pytest.mark.parametrize("power", [0.01, 1.0, 3.0])
def test_zoology_distribution(power):
    """Slots are drawn by the power law without replacement, the first for the first key; keys, values and fillers uniform."""
    task = MultiQueryRecall.zoology(10, 2, 8, power)
    batch = task.sample(0, 40_000, 1)
    keys, values = batch.inputs[:, :3:2], batch.inputs[:, 1:4:2]
    slots = [((batch.targets == values[:, place, None]).argmax(axis=1) - 4) // 2 for place in range(2)]
    law = {slot: (slot + 1) ** (power - 1) for slot in range(3)}
    assert_counts_are_near(Counter(zip(*(slot.tolist() for slot in slots), strict=True)), successive(law, 2), 40_000)
    told = Counter(zip(*keys.T.tolist(), *values.T.tolist(), strict=True))
    lists = [
        (*keys, *values) for keys in itertools.permutations((1, 2, 3), 2) for values in itertools.permutations((4, 5, 6, 7), 2)
    ]
    assert_counts_are_near(told, dict.fromkeys(lists, 1 / 72), 40_000)
    assert_counts_are_near(Counter(batch.inputs[:, 9].tolist()), dict.fromkeys(range(8), 1 / 8), 40_000)


def test_weighted_order_is_that_of_exponential_arrivals():
    """Against -wait ln((draw + 1/2) / 2^32) in the library's logarithm, where arrivals are 1e-6 apart; extreme draws too."""
    uniform = draws(2, Use.CODE, 0, 500, 40)
    uniform[0, :3], uniform[1, :2] = (0, 1, 2), (0xFFFFFFFF, 0xFFFFFFFE)
    waits = power_law_waits(40, 0.01)
    arrival = -waits * np.log((uniform + 0.5) / 2.0**32)
    orders = weighted_order(uniform, waits, 25)
    sought = np.sort(arrival, axis=1)
    clear = (np.diff(sought, axis=1) > 1e-6 * sought[:, 1:]).all(axis=1)
    assert clear.mean() > 0.9
    assert np.array_equal(orders[clear], np.argsort(arrival, axis=1)[clear, :25])
    assert orders[1, :2].tolist() == [0, 1]


def test_power_law_waits():
    assert power_law_waits(3, 1.0).tolist() == [1, 1, 1]
    assert power_law_waits(3, 3.0).tolist() == [1, 1 / 4, float(np.float64(1) / 9)]
    assert np.allclose(power_law_waits(200, 0.01), np.arange(1, 201) ** 0.99, rtol=1e-13)


def test_asked_again_for_differing_numbers_of_points():
    for length in (8, 9):
        points, uniform = np.array([2, 3, 6, 7, 8, length]), draws(0, Use.CODE, 0, 6, 5)
        asked = asked_again(uniform, points, length)
        assert asked.shape == (6, length - 4)
        for row, count in zip(asked.tolist(), points.tolist(), strict=True):
            half = count // 2
            assert sorted(row[:half]) == list(range(half))
            assert count % 2 == 0 or 0 <= row[half] < half
            assert set(row[count - half :]) <= {4}
        alone = [asked_again(uniform[row : row + 1], points[row : row + 1], length) for row in range(6)]
        assert np.array_equal(asked, np.concatenate(alone))


def test_shortcuts_stated():
    """The last answer of an even number is the one value that is told once more often than it was answered."""
    task = MultiQueryRecall(12, values=3)
    batch = task.sample(0, 200, 1, evaluate=True)
    for inputs, targets in zip(batch.inputs.tolist(), batch.targets.tolist(), strict=True):
        left = Counter(inputs[1:12:2]) - Counter(inputs[13::2])
        assert left == {targets[-1] + 6: 1}
    near, far = (MultiQueryRecall.zoology(64, 4, power_a=power).sample(0, 2000, 1).targets for power in (0.01, 1.0))
    assert (near != NOTHING_ASKED)[:, 8:16].sum() > 2 * (far != NOTHING_ASKED)[:, 8:16].sum()


def test_answer_bits():
    assert MultiQueryRecall(20, values=2).answer_bits() == math.ceil(9 + math.log2(10))
    assert MultiQueryRecall(21, values=64).answer_bits() == 60
    assert MultiQueryRecall(20, values=1).answer_bits() == 0
    assert MultiQueryRecall.zoology(64, 4).answer_bits() == math.ceil(math.log2(4096 * 4095 * 4094 * 4093))


@pytest.mark.parametrize(("length", "values"), [(4, 2), (4, 3), (6, 2), (7, 2)])
def test_answer_bits_are_needed(length, values):
    """This number of prefixes of the paper's form differ pairwise in an answer to a common continuation, at the best time."""
    task, pairs = MultiQueryRecall(length, values=values), length // 2
    words = [
        (*itertools.chain(*zip(keys, (pairs + v for v in told), strict=True)), question)
        for keys in itertools.permutations(range(pairs))
        for told in itertools.product(range(values), repeat=pairs)
        for question in range(pairs)
    ]
    most = 0
    for read in range(2 * pairs + 1):
        rows: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        for word in words:
            rows.setdefault(word[:read], {})[word[read:]] = task.solve(word)
        most = max(most, pairwise_different(list(rows.values())))
    assert task.answer_bits() == (most - 1).bit_length()


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: MultiQueryRecall(1), "length"),
        (lambda: MultiQueryRecall(8, keys=3), "keys"),
        (lambda: MultiQueryRecall(8, values=0), "values"),
        (lambda: MultiQueryRecall(8, least_length=1), "least_length"),
        (lambda: MultiQueryRecall(8, form="other"), "form"),
        (lambda: MultiQueryRecall(8, pairs=2), "pairs"),
        (lambda: MultiQueryRecall(8, form="zoology"), "pairs"),
        (lambda: MultiQueryRecall(8, form="zoology", pairs=5), "pairs"),
        (lambda: MultiQueryRecall(8, form="zoology", pairs=3, values=2), "values"),
        (lambda: MultiQueryRecall(8, form="zoology", pairs=3, power=0.0), "power"),
        (lambda: MultiQueryRecall(8, fillers="none"), "fillers"),
        (lambda: MultiQueryRecall.zoology(63, 4), "input_seq_len"),
        (lambda: MultiQueryRecall.zoology(64, 17), "pairs"),
        (lambda: MultiQueryRecall.zoology(64, 16, 24), "keys"),
        (lambda: MultiQueryRecall(8).alphabets(8), "product"),
        (lambda: MultiQueryRecall(8).solve((0, 5, 1)), "key 1"),
        (lambda: MultiQueryRecall.zoology(14, 2, 13).solve((1, 7, 2, 8, 3, 9, 3)), "key 3"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_readable():
    task = MultiQueryRecall(4, values=8)
    inputs = (1, 2 + 7, 0, 2 + 3, 0, 2 + 3, 1)
    expected = {"pairs": [[1, 7], [0, 3]], "queries": [0, 1], "answers": [3, 7]}
    assert task.readable(inputs, 7) == expected
    assert task.readable(inputs[:5], 3) == {**expected, "queries": [0], "answers": [3]}
    zoology = MultiQueryRecall.zoology(12, 2, 12)
    example = zoology.readable((3, 6, 5, 11, 0, 0, 5, 9, 7, 7, 3, 2), 6)
    assert example == {"pairs": [[2, 0], [4, 5]], "queries": [4, 2], "answers": [5, 0]}
