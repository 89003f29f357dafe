"""IsTree on uniform graphs: weights, coins and errors of the proof by enumeration, and a scheme that stays below."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from seqsep.tasks import IsTree
from seqsep.tasks.ceilings import ceiling, uniform_graph_ceiling
from seqsep.tasks.ceilings.uniform_graphs import ROUNDING, branch_sums, coins_asked, least_error, tree_weight
from seqsep.tasks.trees.graphs import is_tree

Edge = tuple[int, int]
Graph = frozenset[Edge]


def edge(u: int, v: int) -> Edge:
    return (min(u, v), max(u, v))


@cache
def every_tree(vertices: int) -> tuple[Graph, ...]:
    pairs = list(itertools.combinations(range(1, vertices + 1), 2))
    return tuple(frozenset(g) for g in itertools.combinations(pairs, vertices - 1) if is_tree(vertices, g))


def reached(graph: Graph, start: int) -> set[int]:
    """The vertices of a component."""
    found = {start}
    while more := {v for one in graph for v in one if found & set(one)} - found:
        found |= more
    return found


@cache
def near_misses(vertices: int) -> dict[Graph, Fraction]:
    """Every near miss with its probability among near misses: a tree, a pair of its vertices, an edge off the cycle."""
    found: dict[Graph, Fraction] = defaultdict(Fraction)
    trees = every_tree(vertices)
    for tree in trees:
        moves = []
        for added in set(itertools.combinations(range(1, vertices + 1), 2)) - tree:
            off = [gone for gone in tree if joins(tree - {gone}, added)]
            if off:
                moves.append([(tree | {added}) - {gone} for gone in off])
        for graphs in moves:
            for graph in graphs:
                found[graph] += Fraction(1, len(trees) * len(moves) * len(graphs))
    return found


def joins(graph: Graph, pair: Edge) -> bool:
    return pair[1] in reached(graph, pair[0])


class Marked(NamedTuple):
    """A marked graph: T as edges, its late candidate y = vv', the edge e = uv, w, M, and the near miss and tree made of it."""

    tree: Graph
    chosen: Edge
    towards: Edge
    middle: int
    near_miss: Graph
    other_tree: Graph
    new_edges: tuple[Edge, Edge]


@cache
def marked(vertices: int) -> tuple[Marked, ...]:
    return tuple(one for tree in every_tree(vertices) for one in marks_from(tree, vertices))


def marks_from(tree: Graph, vertices: int) -> Iterator[Marked]:
    """Every w and vv' of T whose v has an edge towards w that does not end at w."""
    for w in range(1, vertices + 1):
        for chosen in tree:
            near = reached(tree - {chosen}, w)
            if w in chosen:
                continue
            v, after = chosen if chosen[0] in near else chosen[::-1]
            towards = next(one for one in tree if v in one and not joins(tree - {one}, (v, w)))
            u = sum(towards) - v
            if u == w:
                continue
            middle = len(reached(tree - {chosen, towards}, w))
            ends = (edge(v, w), edge(after, w))
            yield Marked(tree, chosen, towards, middle, *((tree - {chosen}) | {end} for end in ends), ends)


def constants(vertices: int) -> tuple[Fraction, int, int]:
    """K, P and the number of trees."""
    largest = max(Fraction((length - 1) * (vertices - length), length) for length in range(3, vertices))
    return largest, (vertices - 1) * (vertices - 2) // 2, vertices ** (vertices - 2)


@pytest.mark.slow
@pytest.mark.parametrize("vertices", [4, 5, 6])
def test_marks_weigh_no_more_than_their_graphs(vertices):
    """In half of the orders e comes before vv'. Some near miss is used up: a smaller K would be wrong. All marks: B = 0."""
    largest, pairs, trees = constants(vertices)
    near: dict[Graph, Fraction] = defaultdict(Fraction)
    of_tree: dict[Graph, Fraction] = defaultdict(Fraction)
    for one in marked(vertices):
        weight = one.middle / largest / (4 * pairs * trees) / 2
        near[one.near_miss] += weight
        of_tree[one.other_tree] += weight * Fraction(tree_weight(vertices))
    probabilities = near_misses(vertices)
    assert sum(probabilities.values()) == 1
    assert near.keys() <= probabilities.keys()
    most_used = max(weight / probabilities[graph] * 4 for graph, weight in near.items())
    assert {4: Fraction(3, 4), 5: Fraction(9, 10), 6: Fraction(19, 20)}[vertices] <= most_used <= 1
    assert of_tree.keys() <= set(every_tree(vertices))
    assert max(of_tree.values()) <= Fraction(1, 2 * trees)
    assert 1 - float(sum(near.values())) == pytest.approx(uniform_graph_ceiling(vertices, 0), abs=ROUNDING)
    assert uniform_graph_ceiling(vertices, 0) > 1 - sum(near.values())


def most_late(late: Graph, chosen: Edge) -> int:
    """g: the larger of the numbers of late edges at the ends of an edge."""
    return max(sum(end in one for one in late) for end in chosen)


@pytest.mark.parametrize("vertices", [4, 5, 6])
def test_coins_are_as_many_as_counted(vertices):
    """Over every tree, w and set of late edges: r_g(L)."""
    expected = np.zeros((vertices - 3, vertices - 2))
    for one in marked(vertices):
        for late_edges in range(1, vertices - 1):
            for late in map(frozenset, itertools.combinations(sorted(one.tree), late_edges)):
                if one.chosen in late and one.towards not in late:
                    most = most_late(late, one.chosen)
                    expected[most - 1, late_edges - 1] += one.middle / most / math.comb(vertices - 1, late_edges)
    expected /= len(every_tree(vertices)) * vertices * (vertices - 2)
    assert coins_asked(vertices) == pytest.approx(expected, abs=1e-12)
    middles = sum(one.middle for one in marked(vertices)) / len(every_tree(vertices))
    assert branch_sums(vertices).sum() == pytest.approx(middles / (vertices - 1), rel=1e-12)


@pytest.mark.parametrize("vertices", [4, 5, 6, 16, 64, 256])
def test_the_limit_follows_from_these(vertices):
    """A late edge is chosen with 1 / g at most; q is between 1 and 2; with q = 2 a slope of 2 G leaves coins up to G whole."""
    coins = coins_asked(vertices)
    asked = np.arange(1, len(coins) + 1) @ coins
    assert (asked <= np.arange(1, vertices - 1)).all()
    assert 1 <= tree_weight(vertices) <= 2
    assert least_error(2.0, 2.0) == 1


def test_ceilings_near_the_limit():
    """Without state, and with log2 n bits, (1) falls towards 3/4 as n grows."""
    without = [uniform_graph_ceiling(vertices, 0) for vertices in (16, 64, 256, 1024)]
    some = [uniform_graph_ceiling(2**exponent, exponent) for exponent in (6, 8, 10)]
    assert without == sorted(without, reverse=True)
    assert some == sorted(some, reverse=True)
    assert 0.75 < without[-1] < 0.754
    assert some[-1] < 0.82


def binary_entropy(probability: float) -> float:
    return -sum(p * math.log2(p) for p in (probability, 1 - probability) if p > 0)


SLOPES = np.geomspace(0.1, 20, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("vertices", "late_edges"), [(5, 2), (6, 2), (6, 3)])
def test_no_function_of_small_entropy_errs_less(vertices, late_edges):
    """Two states that tell one set of early edges from the others: exact error on the marks, told all late edges, against (1).

    The bound holds for the entropy of the state in place of B, and there it says something.
    """
    largest, pairs, trees = constants(vertices)
    weights: dict[tuple[Edge, Graph], dict[Graph, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    splits = math.comb(vertices - 1, late_edges)
    for one in marked(vertices):
        weight = one.middle / float(largest) / (4 * pairs * trees) / splits / late_edges
        for late in map(frozenset, itertools.combinations(sorted(one.tree), late_edges)):
            if one.chosen in late and one.towards not in late:
                rest = late - {one.chosen}
                weights[one.new_edges[0], rest][one.tree - late][0] += weight
                weights[one.new_edges[1], rest][one.tree - late][1] += weight * tree_weight(vertices)
    totals = {question: np.sum(list(by_early.values()), axis=0) for question, by_early in weights.items()}
    questions = np.arange(1, vertices - 2)
    coins = questions * coins_asked(vertices)[:, late_edges - 1]
    a_coin = vertices * (vertices - 2) / (4 * float(largest) * pairs * late_edges)
    every_late = ((tree, late) for tree in every_tree(vertices) for late in itertools.combinations(tree, late_edges))
    early_chances = Counter(tree - set(late) for tree, late in every_late)
    bites = 0
    for told, times in early_chances.items():
        error = 0.0
        for question, total in totals.items():
            known = np.array(weights[question].get(told, (0.0, 0.0)))
            error += min(known) + min(total - known)
        bits = binary_entropy(times / (trees * splits))
        bound = max(coins @ [least_error(s / g, tree_weight(vertices)) for g in questions] - s * bits for s in SLOPES)
        bites += bound > 0
        assert error >= bound * a_coin - 1e-12
    assert bites == len(early_chances) or vertices == 5


@pytest.mark.parametrize("weight", [1.2, 1.5, 2.0])
@pytest.mark.parametrize(("count", "states"), [(1, 1), (1, 2), (2, 2), (2, 3), (3, 2)])
def test_no_state_of_coins_errs_less_than_the_lines(weight, count, states):
    """Every function of a few fair coins: phi summed over the coins, counted 1, 2, 3 times, at least sum g t(s / g) - s B."""
    words = list(itertools.product((0, 1), repeat=count))
    for times in (np.ones(count), np.arange(1, count + 1)):
        least = math.inf
        for function in itertools.product(range(states), repeat=len(words)):
            error = 0.0
            for place in range(count):
                for state in range(states):
                    ones = sum(word[place] for word, mine in zip(words, function, strict=True) if mine == state) / len(words)
                    zeros = function.count(state) / len(words) - ones
                    error += times[place] * (min(ones, weight * zeros) + min(zeros, weight * ones))
            least = min(least, error)
        bound = max(times @ [least_error(s / g, weight) for g in times] - s * math.log2(states) for s in SLOPES)
        assert least >= bound - 1e-9
        if states == 1:
            assert bound == pytest.approx(times.sum(), abs=1e-9)


@pytest.mark.parametrize("weight", [1.0, 1.2, 1.632, 2.0])
def test_lines_lie_below_and_touch(weight):
    grid = np.linspace(0, 0.5, 20_001)
    errors = np.minimum(1, (1 + weight) * grid)
    missing = 1 - np.array([binary_entropy(p) for p in grid])
    for slope in SLOPES:
        above = errors - (least_error(slope, weight) - slope * missing)
        assert -1e-12 < above.min() < 1e-5


def test_flips_keep_the_tree_and_what_is_asked():
    """On random trees of 12 vertices: every edge that may be chosen, flipped with others, asks for its own end alone."""
    random = np.random.default_rng(0)
    flips = 0
    for _ in range(40):
        code = random.permutation(12) + 1
        tree = frozenset(edge(int(v), int(code[random.integers(place)])) for place, v in enumerate(code) if place)
        late = frozenset(one for one in tree if random.random() < 0.5)
        marks = [one for one in marks_from(tree, 12) if one.chosen in late and one.towards not in late]
        w = int(code[0])
        marks = [one for one in marks if w in one.new_edges[0] and w in one.new_edges[1]]
        used: set[int] = set()
        picked = [one for one in marks if not used & (part := reached(late, one.chosen[0])) and not used.update(part)]
        for coins in itertools.product((False, True), repeat=len(picked)):
            flipped = tree
            for one, coin in zip(picked, coins, strict=True):
                v = next(iter(set(one.towards) & set(one.chosen)))
                if coin:
                    flipped = (flipped - {one.towards}) | {edge(sum(one.towards) - v, sum(one.chosen) - v)}
            again = {one.chosen: one for one in marks_from(flipped, 12) if w in one.new_edges[0] and w in one.new_edges[1]}
            assert is_tree(12, flipped)
            for one, coin in zip(picked, coins, strict=True):
                now = again[one.chosen]
                assert (now.middle, late <= flipped) == (one.middle, True)
                assert now.new_edges == (one.new_edges[::-1] if coin else one.new_edges)
                assert not is_tree(12, now.near_miss)
                assert is_tree(12, now.other_tree)
                flips += coin
    assert flips > 40


@pytest.mark.slow
def test_values_and_ends():
    at_256 = [uniform_graph_ceiling(256, bits) for bits in (0, 1, 8, 16, 64)]
    assert at_256 == pytest.approx([0.7565, 0.7896, 0.8938, 0.9508, 1.0], abs=1e-4)
    assert 0.75 < uniform_graph_ceiling(2**14, 0) < uniform_graph_ceiling(2**14, 64) < 0.783
    for vertices in (4, 5, 6, 16, 33, 64):
        rising = [uniform_graph_ceiling(vertices, bits) for bits in range(vertices)]
        assert rising == sorted(rising)
        assert 0.75 < rising[0] < 0.82
        task = IsTree(vertices, distribution="uniform")
        assert ceiling(task, task.answer_bits()) == rising[-1] == 1.0
        held = coins_asked(vertices).sum(axis=0).max()
        assert max((bits for bits, one in enumerate(rising) if one < 1), default=0) <= held < 0.17 * vertices
        assert least_error(2.5, tree_weight(vertices)) == 1
    assert ceiling(IsTree(64, distribution="uniform"), 5) == uniform_graph_ceiling(64, 5) < 1
    assert uniform_graph_ceiling(64, 10**400) == 1
    assert tree_weight(12) == pytest.approx(22 / 15)
    assert ceiling(IsTree(64, "cot", "uniform"), 5) is None
    assert (len(branch_sums(28)), len(branch_sums(29))) == (25, 25)
    assert 0.166 * 2**14 < coins_asked(2**14).sum(axis=0).max() < 0.17 * 2**14
    with pytest.raises(ValueError, match="vertices is at least 4"):
        uniform_graph_ceiling(3, 1)


@pytest.mark.parametrize(("states", "best"), [(1, 0.5), (2, 0.8125)])
def test_the_best_of_all_functions_of_two_edges(states, best):
    """n = 4: 16 trees share 1/2, 4 triangles the rest. Every function of the first two edges, then the best answers."""
    pairs = list(itertools.combinations(range(1, 5), 2))
    firsts = list(itertools.combinations(range(6), 2))
    signed = np.zeros((6, len(firsts)))
    for last, (place, first) in itertools.product(range(6), enumerate(firsts)):
        if last not in first:
            signed[last, place] = 1 / 32 if is_tree(4, [pairs[i] for i in (*first, last)]) else -1 / 8
    functions = np.array(list(itertools.product(range(states), repeat=len(firsts) - 1)))
    functions = np.pad(functions, ((0, 0), (1, 0)))
    gains = sum(np.abs((functions == state) @ signed.T).sum(axis=1) for state in range(states))
    assert 0.5 + gains.max() / 3 / 2 == pytest.approx(best)
    assert best < uniform_graph_ceiling(4, states - 1)


@pytest.mark.unchecked
@pytest.mark.parametrize(("vertices", "watched", "least"), [(64, 4, 0.58), (256, 8, 0.65), (1024, 16, 0.7)])
def test_watched_vertices_stay_below(vertices, watched, least):
    """NO if one of B watched vertices has no edge, else YES: B bits, nearly 3/4 for many, and never above the ceiling."""
    task = IsTree(vertices, distribution="uniform")
    batch = task.sample(0, 1200, 3)
    seen = np.stack([(batch.inputs == vertex).any(axis=1) for vertex in range(1, watched + 1)], axis=1)
    says_tree = seen.all(axis=1)
    accuracy = np.mean(says_tree == (task.answers(batch) == task.stops[1]))
    assert least < accuracy < uniform_graph_ceiling(vertices, watched) < 1
