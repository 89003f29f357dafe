"""A recurrent model needs Theta(n log n) bits of state to decide whether n - 1 edges form a tree; the exact number is known.

In IsTree a model reads a list of n - 1 edges and answers whether they form a tree on the vertices 1 .. n. The least state has
ceil(log2(1 + max_b b S(n, b))) bits, and seqsep builds a model with this number of bits. Here S(n, b) is the number of
partitions of n vertices into b blocks, a Stirling number of the second kind. A chain of thought does not lower the bound.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7, the half on recurrent models, with Lemma C.28.

We differ: the paper shows Omega(n) by one family of graphs, which needs n - 3 bits (`_printed`). Here the least number of bits
is known exactly, and a model that we build has this number.

Input. The tokens are [BOS] and n - 1 edges u ~ v. The model may know n and the time. There are two forms:
* A list has any n - 1 pairs of vertices, with loops and repeated edges. Every bound here is exact for it.
* A simple graph has edges u < v, as in the paper. The same model has enough state for it. For n >= 6 at least ceil(log2(1 +
  max_b S(n, b))) bits are needed, with the maximum over 3 <= b <= n - 3. These are 7, 32 and 215 bits at n = 6, 16 and 64.
  Lists need 9, 35 and 219 bits.

Upper bound. `build` is union-find. After K edges its state is the components of these edges, or the fact that they have a
cycle. Without a cycle there are b = n - K components, so there are S(n, b) + 1 states. If only the first end of an edge was
read, the state also has the block of this end, so there are b S(n, b) + 1 states. `_partitions.numbered` numbers the
partitions, so each state is stored as a number. The number of states depends on the number of tokens read, and the model has
enough bits for the greatest. After the last edge two states are left: one component, or a cycle.

Lower bound. Let two beginnings of one length lead to one state. From there on the model computes the same for both: the same
outputs, the same chain of thought and the same answer. The reason is that each token of a thought depends only on the state
and on the last token. A continuation distinguishes two beginnings if exactly one of them becomes a tree with it. So two
beginnings that some continuation distinguishes need different states.

All beginnings with a cycle are one class. The class of any other beginning is the partition of the vertices into its
components. If such a beginning stops inside an edge, after its first end, the class also has the block of this end. Two
beginnings of different classes are distinguished, as three cases show (`_continuations`). So a state of B bits needs 2^B >=
the number of classes, for beginnings of any length.
1. One beginning has a cycle and the other has none. Complete the second to a tree. The first cannot become a tree.
2. Both have the same components, but their first ends are in different blocks A and A'. Let the second end be in A', and
   complete the first to a tree. Then the second has a cycle.
3. The components differ. There are equally many, so neither partition refines the other. So some x and y are in one block of
   the second and in two blocks of the first. Complete the first to a tree through the edge xy, which closes a cycle in the
   second.

Case 3 inside an edge. First choose the second end of the edge that is half read. If there are b >= 3 blocks, choose it such
that x and y stay in two blocks of the first. If b = 2, the second end is the only token that is left. It makes a tree if and
only if it is not in the block A of the first end. So for two different classes some second end makes a tree of exactly one.

Case 3 for simple graphs, between two edges, with b >= 3. Here the edges that are added must be in neither beginning. Take x
and y as before, and z in a third block of the first. If z is not in the block of x and y in the second, add xz and yz. They
close a cycle in the second and none in the first. Otherwise x, y and z are in one block of the second. The edges of the second
have no cycle, so one of the pairs xy, xz and yz is not among them. Add this pair. It closes a cycle in the second and none in
the first. The rest of the tree can also avoid the K edges of the second, since at least n - 1 > K pairs cross every cut. A
simple graph with a cycle has at least 3 edges, so the class of a cycle needs K >= 3.

So on lists there are 1 + max_b b S(n, b) classes for n >= 3. For n = 2 there are only 2 classes, which need 1 bit.

Size. b^(n-b) <= S(n, b) <= b^n. For the first inequality, put b vertices into b different blocks, and the others into any of
these blocks. So the bits are at least floor(n/2) log2(n/2) and at most (n + 1) log2 n + 1, in both forms.

The proof continues at `_continuations`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.automata.enumeration import Tabulated, tabulate
from seqsep.maths.automata.least_state import LeastState, of_table
from seqsep.tasks.trees.graphs import is_tree
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.is_tree import _collision
from seqsep.theorems.is_tree._beginnings import InputPlace
from seqsep.theorems.is_tree._graphs import (
    Graphs,
    as_prompts,
    every_list_of_pairs,
    hard_graphs,
    read_graph,
    readable,
    simple_edges,
    trees_among,
)
from seqsep.theorems.is_tree._partitions import joined
from seqsep.theorems.is_tree._printed import messages
from seqsep.theorems.options import Length, LengthFrom2
from seqsep.theorems.protocols.collision import RecallTask, TaskSizes
from seqsep.theorems.protocols.machine import BitMachine
from seqsep.theorems.protocols.small_models import RECURRENT, OfSmallModel, SmallModel

UPPER = "A recurrent model with ceil(log2(1 + max_b b S(n, b))) state bits decides IsTree"
CLASSES = "The prefixes of IsTree have as many classes as the exact model has states, at every split"
LOWER = "A recurrent model with fewer state bits is wrong on some list of pairs, with any chain of thought"
PRINTED = "The graphs of the paper, two stars and one edge, distinguish 2^(n - 3) strings"
CLAIM = Claim(
    name="is-tree-state",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7",
    statement=f"{UPPER}; with fewer bits it is wrong on some list of n - 1 pairs, for n >= 3 and with any chain of thought",
)
LEAST_SIMPLE = 6
MOST_ENUMERATED = 4
MOST_CERTIFIED = 5
MOST_BITS_RUN = 16
LEAST_PRINTED = 4
MOST_PRINTED = 10
GRAPHS = 120
VERTICES_BY_MIXER = {"dss": 80, "mamba2": 160, "rotation": 160}


@lru_cache(maxsize=64)
def widest(vertices: int, simple: bool = False) -> InputPlace:
    """Return the place in an input where its beginnings have the most classes.

    With `simple`, only places between two edges count, with at least three blocks and three edges. There simple graphs have as
    many classes. Raises ValueError for fewer than 2 vertices, or 6 with `simple`.

    >>> widest(8)
    InputPlace(vertices=8, edges=4, half_read=True)
    """
    if vertices < (LEAST_SIMPLE if simple else 2):
        raise ValueError(f"widest(vertices={vertices}, simple={simple}): at least 2 vertices, {LEAST_SIMPLE} for simple graphs")
    if simple:
        places = [InputPlace(vertices, edges, half_read=False) for edges in range(3, vertices - 2)]
    else:
        places = [InputPlace(vertices, edges, half_read=True) for edges in range(vertices - 1)]
    return max(places, key=lambda place: place.classes)


def least_bits(vertices: int, simple: bool = False) -> int:
    """The least state of IsTree on n vertices, in bits; with `simple` what is proved for simple graphs with edges u < v.

    >>> [least_bits(vertices) for vertices in (2, 3, 4, 5, 6, 16, 64)]
    [1, 3, 5, 7, 9, 35, 219]
    """
    return ceil_log2(widest(vertices, simple).classes)


def build(vertices: int) -> Recurrence:
    """Union-find in exactly `least_bits(n)` bits: the number of the class of what is read; it answers NO or YES.

    It reads [BOS] u ~ v u ~ v .. with the tokens of `Tokens`; [BOS] and ~ leave the state as it is.

    >>> exact = build(vertices=4)
    >>> exact.state_bits, exact.answer((0, 1, 5, 2, 3, 5, 4, 1, 5, 4)) == Tokens(4).answers[1]
    (5, True)
    """
    no, yes = Tokens(vertices).answers

    def move(t: int, state: int, token: int) -> int:
        edges, part = divmod(t - 1, 3)
        if t == 0 or part == 1:
            return state
        before = InputPlace(vertices, edges, half_read=part == 2).case(state)
        after = InputPlace(vertices, edges + part // 2, half_read=part == 0)
        if before is None:
            return after.number(None)
        partition, first_block = before
        block = partition[token - 1]
        if part == 0:
            return after.number((partition, block))
        return after.number(None if block == first_block else (joined(partition, first_block, block), 0))

    return Recurrence(least_bits(vertices), 0, move, lambda t, state: yes if state == 1 and t == 3 * vertices - 3 else no)


def prompts(vertices: int, graphs: Graphs) -> np.ndarray:
    """The tokens of graphs for a recurrent model."""
    return as_prompts(graphs, Tokens(vertices).begin, Tokens(vertices).between)


def recall(vertices: int) -> RecallTask:
    """The inputs as lists of 2 n - 2 ends of edges, for the sizes of a model and the range of its state."""
    vocabulary = Tokens(vertices)
    ends = 2 * vertices - 2
    return RecallTask(
        ends,
        vertices,
        write=lambda values: prompts(vertices, values.reshape(-1, vertices - 1, 2) + 1),
        question=lambda position: (),
        sizes=TaskSizes(vocabulary.count, vocabulary.count, 3 * vertices - 2 + most_thought(vertices)),
    )


def most_thought(vertices: int) -> int:
    """Return the number of tokens that a small model may write before its answer: 2 n, a tour of the tree and the answer."""
    return 2 * vertices


def check(
    length: LengthFrom2 = 8,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the exact model, count classes by brute force, and find an input that each smaller model answers wrongly.

    `length` is the number of vertices. The exact model answers every list of pairs for n <= 4, else 120 hard graphs; classes
    are counted at every split for at most 4 vertices. The smaller models are by default the exact one with its highest bits
    dropped, and an LSTM of signs. With `mixer` (and `width`, `heads`), a model of that layer with random weights; with
    `checkpoint`, a trained one with the tokens of `Tokens`. Its state is kept at `precision` bits per number (by default 1). A
    model of fewer bits than simple graphs need answers a simple one wrongly. Raises ValueError if it has enough bits, or no
    collision was found; TheoremFails if the exact model answers wrongly, a count differs, or a collision leads to no error.
    """
    small = SmallModel(**model)
    exact = build(length)
    models = small.models(recall(length), exact.state_bits, reduced=exact.cut_down, most_bits=MOST_BITS_RUN)
    outcomes = [_check_upper(length, small.seed), _check_classes(min(length, MOST_ENUMERATED))]
    if length >= LEAST_PRINTED:
        outcomes.append(_check_printed(min(length, MOST_PRINTED)))
    return outcomes + [_errs(length, name, model, small.seed) for name, model in models]


def _check_upper(vertices: int, seed: int) -> Outcome:
    """Answer every list of pairs if there are at most 4 vertices, else hard graphs, by the exact model."""
    exact = build(vertices)
    exhaustive = vertices <= MOST_ENUMERATED
    if exhaustive:
        graphs = every_list_of_pairs(vertices, vertices - 1)
    else:
        graphs = hard_graphs(vertices, GRAPHS, np.random.default_rng(seed))
    require_answers(exact, vertices, graphs)
    return CLAIM.upper(
        statement=UPPER,
        length=vertices,
        inputs=len(graphs),
        exhaustive=exhaustive,
        measured={"state_bits": exact.state_bits},
        bound={"state_bits": least_bits(vertices)},
        variant="union-find",
    )


def require_answers(exact: Recurrence, vertices: int, graphs: Graphs) -> None:
    """Require the answer of the definition to each graph. Raises TheoremFails with a graph."""
    answers = Tokens(vertices).answers
    truths = trees_among(vertices, graphs).tolist()
    for graph, tokens, truth in zip(graphs, prompts(vertices, graphs).tolist(), truths, strict=True):
        found = exact.answer(tokens)
        if found != answers[truth]:
            raise CLAIM.fails({**readable(vertices, graph), "expected": truth, "found token": found})


def table(vertices: int, whole_edges: bool = False) -> Tabulated:
    """The answer to every list of pairs, an end a token; or of pairs u < v, an edge a token.

    >>> len(table(3).labels), len(table(4, whole_edges=True).labels)
    (81, 216)
    """
    if whole_edges:
        pairs = simple_edges(vertices)
        return tabulate(
            lambda word: is_tree(vertices, [pairs[number] for number in word]), [range(len(pairs))] * (vertices - 1)
        )
    ends = [range(1, vertices + 1)] * (2 * vertices - 2)
    return tabulate(lambda word: is_tree(vertices, zip(word[::2], word[1::2], strict=True)), ends)


def classes_expected(vertices: int, whole_edges: bool = False) -> list[int]:
    """The classes at every split, by the formula: without loops a cycle needs two edges.

    >>> classes_expected(3), classes_expected(4, whole_edges=True)
    ([1, 3, 4, 7, 2], [1, 6, 8, 2])
    """
    if whole_edges:
        without_cycle = [InputPlace(vertices, edges, False).classes - min(edges, 1) for edges in range(vertices)]
        return [count + (edges >= 2) for edges, count in enumerate(without_cycle)]
    splits = [InputPlace(vertices, edges, half_read).classes for edges in range(vertices) for half_read in (False, True)]
    return splits[:-1]


def _check_classes(vertices: int, whole_edges: bool = False) -> Outcome:
    """Count the classes of prefixes at every split from the table of all answers, and compare them with the formula."""
    found: LeastState = of_table(table(vertices, whole_edges))
    expected = classes_expected(vertices, whole_edges)
    if found.classes_by_split != expected:
        raise CLAIM.fails({"vertices": vertices, "classes at every split": found.classes_by_split, "expected": expected})
    return CLAIM.lower(
        statement=CLASSES,
        length=vertices,
        inputs=found.inputs_run,
        exhaustive=True,
        measured={"state_bits": found.state_bits, "classes": found.classes},
        bound={"state_bits": ceil_log2(max(expected)), "classes": max(expected)},
        variant="an edge a token" if whole_edges else "an end a token",
    )


def _check_printed(vertices: int) -> Outcome:
    """Count the strings that the graphs of the paper's proof distinguish, and give the least state next to it."""
    distinguished = messages(vertices)
    if distinguished != 2 ** (vertices - 3):
        raise CLAIM.fails({"vertices": vertices, "strings distinguished": distinguished, "expected": 2 ** (vertices - 3)})
    return CLAIM.lower(
        statement=PRINTED,
        length=vertices,
        inputs=2 ** (vertices - 2) * (vertices - 3),
        exhaustive=True,
        measured={"state_bits": ceil_log2(distinguished)},
        bound={"state_bits": least_bits(vertices)},
        variant="the printed graphs",
    )


def _errs(vertices: int, name: str, model: BitMachine, seed: int) -> Outcome:
    """Find, for a model of too few bits, two beginnings that leave it in one state and an input that it answers wrongly."""
    simple = vertices >= LEAST_SIMPLE and model.bits < least_bits(vertices, simple=True)
    place = widest(vertices, simple)
    found = _collision.search(model, place, simple=simple, most_thought=most_thought(vertices), seed=seed)
    if found is None or found.answer == found.expected or is_tree(vertices, found.errs_on) != found.expected:
        raise CLAIM.fails({"model": name, "state bits": model.bits, "vertices": vertices, "collision": found})
    return CLAIM.lower(
        statement=LOWER,
        length=vertices,
        inputs=found.tried,
        measured={"state_bits": model.bits},
        bound={"state_bits": least_bits(vertices, simple)},
        as_printed={"state_bits": "Omega(n)"},
        variant=f"{name}, {'simple graphs' if simple else 'lists of pairs'}",
        witness=found.record(),
    )


def predictor(length: LengthFrom2) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer {"vertices": 6, "edges": [[2, 6], ..]}, at most `length` vertices, by the exact model, without a thought.

    Without `vertices` there is one more than edges. Loops and repeated edges are no tree. The answer raises ValueError with the
    field's name for any other input.

    >>> predictor(length=8)({"edges": [[1, 2], [3, 2]]})
    {'answer': 1, 'thought': []}
    """

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        vertices, graph = read_graph(given, length, simple=False)
        tokens = prompts(vertices, graph[None])[0].tolist()
        return {"answer": Tokens(vertices).answers.index(build(vertices).answer(tokens)), "thought": []}

    return answer


def certificate_witness(length: Annotated[Length, Range(2, 5)] = 4) -> Evidence:
    """Show a beginning of every class at the widest split, every two distinguished; the task is IsTree itself.

    Raises ValueError beyond 5 vertices.
    """
    if not 2 <= length <= MOST_CERTIFIED:
        raise ValueError(f"certify(length={length}): 2 to {MOST_CERTIFIED} vertices, of which every list of pairs is tested")
    least = of_table(table(length))
    rows, columns, _ = least.distinguishing_table()
    alice = 1 + least.split + least.split // 2  # [BOS], the ends, and ~ between two of an edge
    shown_rows = [_as_tokens(length, row)[:alice] for row in rows]
    shown_columns = [_as_tokens(length, (*rows[0], *column))[alice:] for column in columns]
    witness = DistinguishingTable(alice=list(range(alice)), rows=shown_rows, columns=shown_columns)
    return Evidence("is-tree", {"vertices": length}, witness)


def _as_tokens(vertices: int, ends: Sequence[int]) -> list[int]:
    """Return [BOS] u ~ v u ~ v .. for ends that are numbered from 0, up to the last of them.

    >>> _as_tokens(3, [0, 1, 2])
    [0, 1, 4, 2, 3]
    """
    tokens = Tokens(vertices)
    written = [tokens.begin]
    for number, end in enumerate(ends):
        written += [tokens.between] * (number % 2) + [end + 1]
    return written


def verify(seed: int = 0) -> list[Outcome]:
    """Count classes at every split, n <= 5 end by end and n <= 6 edge by edge; run exact and small models up to n = 64."""
    outcomes = [_check_classes(vertices) for vertices in range(2, 6)]
    outcomes += [_check_classes(vertices, whole_edges=True) for vertices in range(3, 7)]
    for vertices in (2, 3, 4, 6, 10, 16, 32, 64):
        outcomes += check(vertices, seed=seed)
    for mixer in RECURRENT:
        outcomes += check(VERTICES_BY_MIXER.get(mixer, 32), seed=seed, mixer=mixer, width=2)
    return outcomes


TEST = "tests/theorems/is_tree/test_state.py::"


def constants(length: LengthFrom2) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return {"state_bits": least_bits(length)}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run tests the model with this number of bits. It also counts by brute force how many states the first tokens of "
    "an input can require, after each number of tokens. It does so for at most 4 vertices, and the long check for 5, and for 6 "
    "after complete edges. For each smaller model that is tested, a run finds two beginnings that lead to one state. Then it "
    "finds an input that the model answers wrongly after its chain of thought.",
    not_shown="This does not show that every model with fewer bits has such an input. The pigeonhole principle shows that. "
    "The bound does not apply to a layer with attention, because attention keeps a cache that grows.",
    bound=constants,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Lemma C.28",
            printed="x_k = x_(k-1) if and only if the prefix sums agree at k and k - 1",
            found="false in 8 of the 16 cases of length 3, first x = 010, k = 3; the prefix sums agree if and only if x_k = 0",
            built="the reverse reduction, which passes on the string of the prefix sums. Its symbols at k - 1 and k are equal "
            "if and only if x_k = 0. This codes n - 1 of the n bits",
            test=TEST + "test_prefix_sums_agree_where_the_bit_is_zero",
        ),
    ),
    choices=(
        Choice(
            where="Theorem 4.7, the half on recurrent models",
            printed="IsTree needs Omega(n) bits",
            found="the bound is too small. The graphs of the paper with n vertices need n - 3 bits, 61 at n = 64. Simple "
            "graphs need from 215 to 219 there. On lists of n - 1 pairs, with loops and repeated edges, the least state is "
            "ceil(log2(1 + max_b b S(n, b))) bits, 219 at n = 64. In both forms it is at least floor(n/2) log2(n/2)",
            built="a model with the least state, and the continuation that distinguishes any two classes of prefixes",
            test=TEST + "test_the_printed_graphs_tell_apart_fewer_bits",
        ),
    ),
)
