"""IsTree: its graphs, thoughts and lengths against the definitions, on every trace and both distributions."""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from seqsep.maths.networks.generation import GenerationDiffers, follow
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, IsTree
from seqsep.tasks._graphs import double_stars
from seqsep.tasks.is_tree import DISTRIBUTIONS, TRACES
from seqsep.tasks.trees.graphs import is_tree
from seqsep.theorems.is_tree import peeling, state, walk

FIGURE_3 = [[2, 6], [1, 5], [3, 5], [4, 6], [2, 3]]
THOUGHTS = {
    "vanilla": lambda n: 0,
    "cot": lambda n: 2 * n - 1,
    "retrieval": lambda n: 37 * n - 26,
    "peel": lambda n: 2 * n - 1,
    "walk": lambda n: 14 * n - 10,
}
TASKS = [IsTree(n, trace, kind) for n in (4, 5, 9) for trace in TRACES for kind in DISTRIBUTIONS]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    """Every asked token of the block's thoughts is the one that the definition writes next."""
    task_laws.check_task(task, count=20 if task.trace == "retrieval" else 60)


@pytest.mark.unchecked
@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_thoughts_of_more_vertices(trace, distribution):
    """In blocks that are longer than a part in which examples are made."""
    for length, count in ((16, 1100), (33, 40)):
        task = IsTree(length, trace, distribution)
        batch = task.sample(3, count, 8)
        for inputs, targets, tokens in itertools.islice(
            zip(batch.inputs, batch.targets, batch.lengths, strict=True), 0, None, 25
        ):
            prompt = tuple(inputs[: task.prompt_tokens].tolist())
            expected = written_by_solve(task, prompt)
            assert [*inputs[task.prompt_tokens : tokens].tolist(), targets[tokens - 1]] == expected
        alone = task.sample(3 + count - 1, 1, 8)
        assert np.array_equal(alone.inputs[0], batch.inputs[-1])
        assert np.array_equal(alone.targets[0], batch.targets[-1])


def written_by_solve(task: IsTree, prompt: tuple[int, ...]) -> list[int]:
    """Token by token, with what a live retriever finds after a query."""
    text = list(prompt)
    retrieve = task.retriever() or (lambda text, prompt: None)
    while text[-1] not in task.stops:
        found = retrieve(text, len(prompt)) if len(text) > len(prompt) else None
        text += [task.solve(tuple(text))] if found is None else found
    return text[len(prompt) :]


def test_figure_3():
    task = IsTree(6, "cot")
    prompt = task.prompt({"edges": FIGURE_3})
    assert " ".join(str(task.shown(token)) for token in prompt) == "[BOS] 2 ~ 6 1 ~ 5 3 ~ 5 4 ~ 6 2 ~ 3"
    *thought, answer = written_by_solve(task, prompt)
    assert thought == [1, 5, 3, 2, 6, 4, 6, 2, 3, 5, 1]
    assert answer == task.stops[1]
    assert task.readable((*prompt, *thought), answer) == {"edges": FIGURE_3, "answer": 1, "thought": thought}
    edges, trees_there = double_stars(np.array([[5, 6, 1, 2, 3, 4]]), np.array([[0, 1, 0, 1]]), np.array([3]))
    assert {frozenset(edge) for edge in edges[0].tolist()} == {frozenset(edge) for edge in FIGURE_3}
    assert trees_there.tolist() == [True]


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("length", [6, 16, 64])
def test_lengths_are_those_of_the_formulas(trace, length):
    """A tree has the longest thought; with the two marks of the paper's code a text has 3n, 5n or 40n - 25 tokens."""
    task = IsTree(length, trace)
    thought = THOUGHTS[trace](length)
    for distribution in DISTRIBUTIONS:
        batch = IsTree(length, trace, distribution).sample(0, 200, 4)
        tree = task.answers(batch) == task.stops[1]
        assert set(batch.lengths[tree].tolist()) == {3 * length - 2 + thought}
        assert batch.lengths[~tree].max() <= 3 * length - 2 + thought
    assert (task.longest, task.most_generated) == (3 * length - 2 + thought, thought + 1)
    printed = {"vanilla": 3 * length, "cot": 5 * length, "retrieval": 40 * length - 25}
    marks = 1 if trace == "vanilla" else 2
    assert task.longest + 1 + marks == printed.get(trace, task.longest + 1 + marks)


@pytest.mark.slow
@pytest.mark.unchecked
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("length", [4, 16, 64])
def test_10000_graphs_by_union_find(distribution, length):
    """Simple, edges u < v, n - 1 of them; the answer is the definition's, and half are trees."""
    task = IsTree(length, distribution=distribution)
    batch = task.sample(0, 10_000, 2, evaluate=True)
    edges = np.stack([batch.inputs[:, 1::3], batch.inputs[:, 3::3]], axis=2)
    assert edges.shape == (10_000, length - 1, 2)
    assert edges.min() >= 1
    assert edges.max() <= length
    assert (edges[:, :, 0] < edges[:, :, 1]).all()
    found = 0
    for graph, answer in zip(edges.tolist(), task.answers(batch).tolist(), strict=True):
        assert len({*map(tuple, graph)}) == length - 1
        right = is_tree(length, graph)
        assert answer == task.stops[right]
        found += right
    assert abs(found - 5000) < 5 * 50


@pytest.mark.parametrize("trace", ["retrieval", "walk"])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_live_retriever_finds_what_is_written(trace, distribution):
    """After every closed query, and nowhere else; exactly these places ask for nothing."""
    task = IsTree(12, trace, distribution)
    batch = task.sample(0, 12, 3)
    retrieve = task.retriever()
    for inputs, targets, tokens in zip(batch.inputs.tolist(), batch.targets.tolist(), batch.lengths.tolist(), strict=True):
        for place in range(task.prompt_tokens, tokens):
            found = retrieve(inputs[: place + 1], task.prompt_tokens)
            assert (found is None) == (targets[place] != NOTHING_ASKED)
            assert found in (None, inputs[place + 1 : place + 2])
        assert set(targets[: task.prompt_tokens - 1] + targets[tokens:]) <= {NOTHING_ASKED}


def test_retrievers_of_other_traces():
    assert all(IsTree(9, trace).retriever() is None for trace in ("vanilla", "cot", "peel"))


@pytest.mark.unchecked
@pytest.mark.parametrize(("trace", "build"), [("peel", peeling.build), ("walk", walk.build)])
def test_the_built_networks_write_these_thoughts(trace, build):
    """The theorems' networks, weight by weight, generate the task's thoughts; a spoiled thought is found out."""
    task = IsTree(8, trace, "uniform")
    batch = task.sample(0, 40, 1)
    sequences = [
        [*row[:end].tolist(), int(answer)]
        for row, end, answer in zip(batch.inputs, batch.lengths, task.answers(batch), strict=True)
    ]
    marks = [
        [False] * task.prompt_tokens + [target == NOTHING_ASKED for target in row[task.prompt_tokens - 1 : end]]
        for row, end in zip(batch.targets.tolist(), batch.lengths.tolist(), strict=True)
    ]
    starts = [task.prompt_tokens] * 40
    follow(build(8), sequences, starts, marks)
    no, yes = task.stops
    sequences[7][-1] = no + yes - sequences[7][-1]
    with pytest.raises(GenerationDiffers, match="example 7"):
        follow(build(8), sequences, starts, marks)


def test_scores_and_judgement():
    task = IsTree(8, "cot")
    batch = task.sample(0, 300, 1)
    answers = task.answers(batch)
    assert set(answers.tolist()) == set(task.stops)
    right = batch.targets.copy()
    assert task.score(right, batch.targets).all()
    last = batch.lengths - 1
    rows = np.arange(300)
    flipped = right.copy()
    flipped[rows, last] = sum(task.stops) - flipped[rows, last]
    assert not task.score_answers(flipped, batch.targets).any()
    assert not task.score(flipped, batch.targets).any()
    slipped = right.copy()
    slipped[:, task.prompt_tokens - 1] += 1
    assert task.score_answers(slipped, batch.targets).all()
    assert not task.score(slipped, batch.targets).any()
    prompts = task.prompts(batch)
    assert {len(prompt) for prompt in prompts} == {22}
    no, yes = task.stops
    assert task.judge([1, 2, yes], yes) == 1
    assert task.judge([1, 2, no, yes], yes) == 0
    assert task.judge([1, 2], yes) == 0.5


@pytest.mark.parametrize(("trace", "least"), [("vanilla", 30_000), ("cot", 5_000)])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_graphs_are_made_fast(trace, least, distribution):
    """Graphs of 64 vertices a CPU second, as benchmarks/tasks.py has measured them."""
    measured = json.loads((Path(__file__).parents[2] / "results/generation.json").read_text(encoding="utf-8"))
    assert measured["examples a CPU second"][f"is-tree, n = 64, {trace}, {distribution}"]["median"] >= least


def test_answer_bits_are_those_of_the_theorem():
    for length in (6, 16, 64):
        assert IsTree(length, "peel", "uniform").answer_bits() == state.least_bits(length, simple=True)
        assert IsTree(length, "cot").answer_bits() == length - 3
    assert IsTree(64, "walk").answer_bits() is None
    assert IsTree(64, "retrieval", "uniform").answer_bits() is None


@pytest.mark.unchecked
def test_every_input_without_a_thought():
    """Loops and repeated edges too: inputs are a product, as `exact` wants it."""
    task = IsTree(4)
    for length in (2, 3, 4):
        task_laws.check_task_answers(
            task, length, lambda word: task.stops[is_tree((len(word) + 2) // 3, list(zip(word[1::3], word[3::3], strict=True)))]
        )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: IsTree(3), "length is 4 to 16,384 vertices, found 3"),
        (lambda: IsTree(9, "tour"), "trace is one of vanilla, cot, retrieval, peel, walk, found 'tour'"),
        (lambda: IsTree(9, "cot", "star"), "distribution is one of double-star, uniform, found 'star'"),
        (lambda: IsTree(4, "cot").alphabets(4), "only with trace='vanilla'"),
        (lambda: IsTree(4).alphabets(5), "inputs have 2 to 4 vertices, found 5"),
        (lambda: IsTree(4).solve((0, 1, 5)), "prompt of 10 tokens, found 3"),
        (lambda: IsTree(4, "cot").solve((0, 1, 5)), "prompt of 10 tokens, found 3"),
        (lambda: IsTree(4).solve((0, 1, 5, 2, 3, 5, 4, 1, 6, 4)), "3 edges u ~ v"),
        (lambda: IsTree(4).solve((0, 1, 5, 2, 3, 5, 4, 1, 5, 9)), "edge 3 is [1, 9]; expected vertices from 1 to 4"),
        (lambda: IsTree(4, "cot").solve((0, 1, 5, 2, 3, 5, 4, 1, 5, 4, 2)), "a beginning of the thought"),
        (lambda: IsTree(4, "walk").solve((0, 1, 5, 2, 3, 5, 4, 1, 5, 4, 8, 1, 9)), "a beginning of the thought"),
        (
            lambda: IsTree(4).prompt({"edges": [[1, 2], [2, 5], [1, 3]]}),
            "edges: edge 2 is [2, 5]; expected vertices from 1 to 4",
        ),
        (lambda: IsTree(4).prompt({"edges": [[1, 2]]}), "edges: expected 3 of them for 4 vertices, found 1"),
        (lambda: IsTree(4, "cot").prompt({"edges": [[1, 2], [3, 4], [2, 1]]}), "edge 3 is [2, 1], as edge 1"),
        (lambda: IsTree(4).prompt({"vertices": 5, "edges": []}), "vertices: expected 4, found 5"),
        (lambda: IsTree(4).prompt({}), "edges: missing; found no fields"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)) as raised:
        make()
    assert "\n" not in str(raised.value)


def test_readable():
    task = IsTree(4, "peel")
    prompt = task.prompt({"edges": [[4, 1], [2, 1], [1, 3]]})
    thought = written_by_solve(task, prompt)
    shown = {"edges": [[1, 4], [1, 2], [1, 3]], "answer": 1, "thought": ["1'", "2'", 1, "3'", 1, 4, "4'"]}
    assert task.readable((*prompt, *thought[:-1]), thought[-1]) == shown
    assert task.configuration() == {"name": "is-tree", "length": 4, "trace": "peel"}
