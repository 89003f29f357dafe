"""A linear recurrence of 16 numbers and a retriever decide IsTree with a chain of thought of 14n - 10 tokens.

In IsTree a model reads n - 1 edges and answers whether they form a tree on the vertices 1 .. n. This model has no attention.
It writes a query such as "first edge of v" into its chain of thought ("thought"). The retriever searches the text and writes
the answer after the query. If each number of the state has as many bits as its range needs, the state has 52 bits at n = 64.
On simple graphs of this size, a recurrent model without a retriever needs at least 215 bits.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorems 5.2 and 5.3: a linear recurrent model of O(log n) bits with in-context
retrieval, and O(n) tokens.

Input. The prompt is [BOS] u ~ v u ~ v .., with n' - 1 edges on the vertices 1 .. n', for any n' <= n. The graph is simple, and
its edges are in any order. There are two queries (`seqsep.tasks.retriever`). `first-edge`, written [ v ], asks for the first
neighbour of v. `next-edge`, written [ v y ], asks for the neighbour of v after y. The retriever writes its result after the
query: a vertex, or FAILED. It may search the prompt or everything so far. Both give the same result, since no query can be
read as an edge.

Thought. At vertex v, coming from y, the model queries the neighbour of v after y and goes there. After the last neighbour the
retriever writes FAILED. Then the model queries the first neighbour of v and goes there. This is a wrap. The walk starts at
vertex 1, the root, with its first neighbour. If the next step would be a wrap at the root, the walk ends. The answer is YES if
the retriever has written FAILED once for each of the n' vertices.

We differ:
* The paper follows Algorithm 2, a depth-first search with a record of each vertex's parent, in 37n - 26 tokens
  (`tasks.trees.algorithm_two`). Here the thought is a walk without records or a stack, in 14n - 10 tokens. `tasks.trees.walk`
  has the walk, and the proof that its answer is right.
* The last six tokens determine the next one, except for the answer. The answer also depends on how often FAILED was written.
* A vertex is embedded as its number, and the read-out has a separate matrix.
* The layer after the recurrence has five ReLU units, and needs no units that multiply two numbers. Numbers have p =
  bit_length(2 (n + 7)^4) bits.

Margins. These hold for every n, every n' <= n and every such list:
* The logit of the next token is above every other logit by at least 1.
* No number is rounded or cut off. Every number is whole, and at most (n + 7)^2 in magnitude.

State. The recurrence stores tokens of 1 to 5 places back in four shift registers: 5 numbers for vertices, 5 for [, 2 for
FAILED and 3 for ~. One more number is the number of tokens FAILED less the number of tokens ~. These 16 numbers have 16 p
bits: 416 at n = 64, and 480 at n = 128. A model without a retriever needs 523 bits at n = 128 (`state`). If each number has as
many bits as its range needs, the 16 numbers have 6 bit_length(n) + 10 bits, 52 at n = 64. From n = 19 on, this is less than a
recurrent model without a retriever needs.

Residual stream. It has 16 coordinates:
* [vertex | opens | failed | edge] is the token.
* [back: 4] are the vertices 1, 3, 4 and 5 places back. Below, "1 back" means one place back.
* [first], [second] and [fifth] say whether [ is 1, 2 or 5 back.
* [after_failed] says whether FAILED is 1 back. [closing] says whether FAILED is 2 back or ~ is 3 back.
* [balance] is the number of earlier tokens FAILED, less the number of earlier tokens ~.
* [next] is the vertex to write. The recurrence sets it to 1 if ~ is 2 back, and the units add to it. [ends] is positive at the
  end of the walk.

The proof continues at `_choose_vertex` and `_read_out`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import FeedForward, LinearLayer, Network, whole
from seqsep.tasks.retriever import Region
from seqsep.tasks.trees.algorithm_two import algorithm_two
from seqsep.tasks.trees.graphs import is_tree
from seqsep.tasks.trees.walk import ROOT, WalkTokens
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.blocks import Rows, Spaces, Units, feed_forward, linear_layer, running_sum, shift_register
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.is_tree import _trials as trials
from seqsep.theorems.is_tree._graphs import LEAST_WITHOUT_TREE, Graphs, read_graph
from seqsep.theorems.is_tree._walk_patterns import walk_by_patterns
from seqsep.theorems.is_tree._walk_trials import Walking, every_simple_list, shown
from seqsep.theorems.options import GraphCount, GraphCountFrom1, Length, LengthFrom2, Seed

CLAIM = Claim(
    name="is-tree-walk",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.3",
    statement="A linear recurrence of 16 numbers and a retriever decide IsTree, with a walk of 14n - 10 tokens as their chain "
    "of thought",
)
WIDTH = 16
NUMBERS_REMEMBERED = 16
UNITS = 5
SPECIAL = 7
REGIONS: tuple[Region, ...] = ("prompt", "everything")


def build(length: Length) -> Network:
    """The network for graphs of up to n = `length` vertices, tokens as in `WalkTokens(length)`.

    Raises ValueError for a length below 1.

    >>> network = build(length=64)
    >>> network.width, network.layers[0][0].remembered, network.precision
    (16, 16, 26)
    """
    if length < 1:
        raise ValueError(f"build(length={length}): expected at least 1 vertex")
    spaces = _spaces()
    grid = _grid(length)
    readout, readout_bias = _read_out(spaces, length)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, length), by_index=True),
        layers=((_remember(spaces), _choose_vertex(spaces, length)),),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=_generators() * grid.precision,
    )


def _spaces() -> Spaces:
    token = {"vertex": 1, "opens": 1, "failed": 1, "edge": 1}
    remembered = {"back": 4, "first": 1, "second": 1, "fifth": 1, "after_failed": 1, "closing": 1, "balance": 1}
    return Spaces(**token, **remembered, next=1, ends=1)


def _grid(length: int) -> Grid:
    """Return the grid with L = (n + 7)^2.

    Entries are at most n^2, and so are all numbers except logits. Logits are at most 2 K and K + (n + 1)^2 / 4 + n.
    """
    return Grid.of(WalkTokens(length).count, 2)


def _symbols(spaces: Spaces, length: int) -> Int64[np.ndarray, "tokens width"]:
    """A vertex holds its number; [, FAILED and ~ a 1 each in a space of their own; [BOS], ] and the answers nothing."""
    tokens = WalkTokens(length)
    rows = np.zeros((tokens.count, spaces.width), dtype=np.int64)
    rows[1 : length + 1] = np.arange(1, length + 1)[:, None] * spaces["vertex"]
    rows[tokens.opens] = spaces["opens"][0]
    rows[tokens.failed] = spaces["failed"][0]
    rows[tokens.between] = spaces["edge"][0]
    return rows


def _generators() -> int:
    """The numbers that generate the tables: 7 rows, and for a vertex i the row a i, or a + b i + c i^2 with its bias."""
    return (SPECIAL + 1) * WIDTH + (SPECIAL + 3) * (WIDTH + 1)


def _remember(spaces: Spaces) -> LinearLayer:
    """Four shift registers and a sum: `closing` gets FAILED 2 back and ~ 3 back, `next` gets ~ 2 back."""
    back = spaces["back"]
    vertices = shift_register(spaces["vertex"], {1: back[:1], 3: back[1:2], 4: back[2:3], 5: back[3:]})
    opens = shift_register(spaces["opens"], {1: spaces["first"], 2: spaces["second"], 5: spaces["fifth"]})
    failed = shift_register(spaces["failed"], {1: spaces["after_failed"], 2: spaces["closing"]})
    edges = shift_register(spaces["edge"], {2: spaces["next"], 3: spaces["closing"]})
    balance = running_sum(spaces["failed"] - spaces["edge"], spaces["balance"])
    parts = [vertices, opens, failed, edges, balance]
    return linear_layer(*parts)


def _choose_vertex(spaces: Spaces, length: int) -> FeedForward:
    """Five units write `next`, the vertex to be written next, and `ends`, which is positive at the end of the walk.

    Let v_i be the vertex i places back, or 0 if the token there is not a vertex. Let <condition> be 1 if the condition holds,
    and 0 otherwise. Then `next` is <~ 2 back> plus the sum of these four units:

        relu(v_1 - n <~ 2 back>)                         the result w, after [ v y ] w [ or [ v ] w [
        relu(v_4 - n + n <FAILED 1 back>)                the vertex v of the query, after [ v y ] FAILED [
        relu(v_5 - n + n <[ 1 back>)                     the vertex u of the query before, after [ u y ] v [ v
        relu(v_4 - 2 n + n <[ 5 back> + n <[ 1 back>)    the vertex u of the query before, after [ u ] v [ v

    If a vertex is to be written, `next` is that vertex:
    * After .. u ~ v [ it is 1, the root, since ~ is 2 back. All units are 0: the first since v_1 - n <= 0, and the others
      since neither FAILED nor [ is 1 back.
    * After [ v y ] w [ it is v_1 = w, from the first unit. The others are 0.
    * After [ v ] w [ it is v_1 = w, in the same way.
    * After [ v y ] FAILED [ it is v_4 = v, from the second unit. v_1 is 0.
    * After [ u y ] v [ v it is v_5 = u, from the third unit. The fourth is 0, since [ is not 5 back.
    * After [ u ] v [ v it is v_4 = u, from the fourth unit. The third is 0, since [ is 5 back and so v_5 = 0.

    If no vertex is to be written, `next` is a number from 0 to n, which is all that `_read_out` needs. It is 0 after the
    prompt and after a result. After [ v y it is v_1 = v. After [ v at a wrap or at the start it is v_5.

    `ends` is relu(2 - v_3) at FAILED. After [ v y ] FAILED it is 1 if v is the root, and 0 if not. After [ 1 ] FAILED it is 2.
    At every other token it is 0.
    """
    one_back, three_back, four_back, five_back = (spaces["back"][i : i + 1] for i in range(4))
    n = length
    chosen = Units(
        inner=np.concatenate(
            [
                one_back - n * spaces["next"],
                four_back + n * spaces["after_failed"],
                five_back + n * spaces["first"],
                four_back + n * spaces["fifth"] + n * spaces["first"],
            ]
        ),
        bias=np.array([0, -n, -n, -2 * n]),
        outer=np.repeat(spaces["next"], 4, axis=0),
    )
    ends = Units((ROOT + 1) * spaces["failed"] - three_back, np.zeros(1, dtype=np.int64), spaces["ends"])
    return feed_forward([chosen, ends], bias=spaces.nothing()[0])


def _read_out(spaces: Spaces, length: int) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """The logits, with z = `next`, c = floor(n/2), P = (n - c)^2 and K = P + 2:

        vertex i    (z - c)^2 - (z - i)^2 + K (opens + first - closing)    up to P + K [a vertex is to be written]
        [           P + 1
        ]           K (second + closing)
        YES         K ends + 2 (balance + failed) - 1
        NO          K ends
        others      0

    * A vertex is to be written after [. A second one is to be written after [ v, except at a wrap or at the start, where
      FAILED is 2 back or ~ is 3 back. Then the vertex `next` wins: it has at least K = P + 2, and at least 1 more than every
      other vertex.
    * After [ v at a wrap or the start, and after [ v y, the token ] wins. It has K = P + 2. The token [ has P + 1, and
      vertices have at most P, as 0 <= z <= n.
    * After FAILED with `ends` = 1 or 2, NO has at least K. Let W be the number of FAILED so far, with this one, and m the
      number of edges. YES - NO = 2 (W - m) - 1, which is positive if and only if W >= m + 1. W is never more than m + 1
      (`tasks.trees.walk`).
    * Otherwise, after the prompt and after a result, [ wins. Vertices have at most P, ] has 0, YES at most 1 and NO 0, as
      `ends` = 0.
    """
    tokens = WalkTokens(length)
    middle = length // 2
    highest = (length - middle) ** 2
    above = highest + 2
    rows = np.zeros((tokens.count, spaces.width), dtype=np.int64)
    bias = np.zeros(tokens.count, dtype=np.int64)
    numbers = np.arange(1, length + 1)
    writes_vertex = above * (spaces["opens"] + spaces["first"] - spaces["closing"])
    rows[1 : length + 1] = 2 * (numbers - middle)[:, None] * spaces["next"] + writes_vertex
    bias[1 : length + 1] = middle**2 - numbers**2
    bias[tokens.opens] = highest + 1
    rows[tokens.closes] = above * (spaces["second"] + spaces["closing"])[0]
    no, yes = tokens.answers
    rows[no] = above * spaces["ends"][0]
    rows[yes] = (above * spaces["ends"] + 2 * spaces["balance"] + 2 * spaces["failed"])[0]
    bias[yes] = -1
    return rows, bias


def bound(length: Length) -> dict[str, Number]:
    """Every size with explicit constants: p = bit_length(2 (n + 7)^4), program = p E with E = 1,159 whatever n is.

    E: 16^2 + 2 * 16^2 for the recurrence, 2 * 5 * 16 + 5 + 16 for the units, 298 that generate the tables.
    """
    precision = _grid(length).precision
    recurrence = 3 * NUMBERS_REMEMBERED * WIDTH
    units = 2 * UNITS * WIDTH + UNITS + WIDTH
    return {
        "width": WIDTH,
        "layers": 1,
        "precision": precision,
        "program_bits": precision * (recurrence + units + _generators()),
        "thought_tokens": 14 * length - 10,
        "state_numbers": NUMBERS_REMEMBERED,
        "state_bits": NUMBERS_REMEMBERED * precision,
        "state_bits_by_range": 6 * length.bit_length() + 10,
    }


def check(length: LengthFrom2 = 16, graphs: GraphCount = 24, seed: Seed = 0) -> list[Outcome]:
    """Build the network and require walk and answer with a live retriever, on the grid and in float64.

    Once the retriever searches the prompt only, once everything before the query. Up to 4 vertices: every simple graph of
    n' - 1 edges, in every order and both directions, for n' <= n. Beyond: `graphs` hard graphs of n vertices (random trees,
    paths, double stars, near misses, a cycle beside a tree, random graphs), and some of fewer vertices. Then the walk with
    literal patterns, and Algorithm 2, by plain programs with a live retriever. Raises ValueError for a length below 2;
    TheoremFails with the graph whose walk or answer is wrong.
    """
    if length < 2:
        raise ValueError(f"check(length={length}): expected at least 2 vertices")
    outcomes = [_check(length, region, graphs, seed) for region in REGIONS]
    return [*outcomes, *(_check_program(program, length, graphs, seed) for program in PROGRAMS)]


def _inputs(length: int, graphs: int, seed: int) -> tuple[bool, Iterable[tuple[int, Graphs]]]:
    """Return whether these are all inputs, and the graphs with their numbers of vertices."""
    if length <= trials.EVERY_LIST_UP_TO:
        return True, [(vertices, every_simple_list(vertices)) for vertices in range(2, length + 1)]
    return False, trials.hard_series(length, graphs, np.random.default_rng(seed))


def _check(length: int, region: Region, graphs: int, seed: int) -> Outcome:
    walking = _walking(length, region)
    exhaustive, series = _inputs(length, graphs, seed)
    for vertices, some in series:
        walking.put(vertices, some)
    return _outcome(walking, exhaustive)


class Program(NamedTuple):
    """A thought that a plain program writes, with a live retriever: its name, its tokens for a tree, and its function."""

    name: str
    tokens_for_a_tree: Callable[[int], int]
    think: Callable[[int, list[list[int]]], tuple[list[str], bool | None]]


PROGRAMS = (
    Program("literal patterns", lambda n: 45 * n - 36, lambda n, edges: walk_by_patterns(edges)),
    Program("Algorithm 2, searching the prompt", lambda n: 37 * n - 26, lambda n, edges: algorithm_two(n, edges, "prompt")),
)


def _check_program(program: Program, length: int, graphs: int, seed: int) -> Outcome:
    """Require the right answer of a program on every graph, and its number of tokens on trees."""
    exhaustive, series = _inputs(length, graphs, seed)
    tried = 0
    longest = 0
    for vertices, some in series:
        for graph in some.tolist():
            truth = is_tree(vertices, graph)
            thought, answer = program.think(vertices, graph)
            if answer != truth or (truth and len(thought) != program.tokens_for_a_tree(vertices)):
                shown = {"vertices": vertices, "edges": graph, "is a tree": truth}
                raise CLAIM.fails({**shown, "answer": answer, "tokens": len(thought), "program": program.name})
            longest = max(longest, len(thought))
            tried += 1
    bounds = {"thought_tokens": program.tokens_for_a_tree(length)}
    return CLAIM.upper(
        statement=f"A thought with a live retriever decides IsTree: {program.name}",
        length=length,
        inputs=tried,
        exhaustive=exhaustive,
        measured=CLAIM.within({"thought_tokens": longest}, bounds),
        bound=bounds,
        variant=program.name,
    )


def verify(small: int = 4_000, large: int = 60, seed: int = 0) -> list[Outcome]:
    """Check every list of n - 1 edges up to 5 vertices, every simple graph up to 6, and hard ones.

    `small` hard graphs have up to 32 vertices, `large` ones 64 to 256. All but the lists are put twice: the prompt is searched,
    and everything.
    """
    random = np.random.default_rng(seed)
    walking = _walking(5, REGIONS[0])
    for vertices, some in trials.every_simple_list(5):
        walking.put(vertices, some)
    outcomes = [_outcome(walking, exhaustive=True)]
    for region in REGIONS:
        for built in (6, 9):
            walking = _walking(built, region)
            for vertices, some in trials.every_simple_graph(random):
                walking.put(vertices, some)
            outcomes.append(_outcome(walking, exhaustive=False))
        outcomes += [_check(length, region, small // 4, seed + length) for length in (7, 8, 16, 32)]
        outcomes += [_check(length, region, large // 3, seed + length) for length in (64, 128, 256)]
    for program in PROGRAMS:
        outcomes += [_check_program(program, length, 200, seed) for length in (4, 5, 8, 16, 32)]
    return outcomes


def _walking(length: int, region: Region) -> Walking:
    return Walking(CLAIM.name, build(length), WalkTokens(length), region)


def _outcome(walking: Walking, exhaustive: bool) -> Outcome:
    length = walking.tokens.vertices
    return walking.trial.outcome(
        CLAIM,
        bound(length),
        more={"thought_tokens": walking.longest_thought},
        margin_of=trials.MARGIN,
        proved=1.0,
        length=length,
        exhaustive=exhaustive,
        as_printed={"thought_tokens": 37 * length - 26},
        variant=f"searching {'the prompt' if walking.region == 'prompt' else 'everything'}",
    )


def predictor(length: Length) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer {"vertices": n', "edges": [[u, v], ..]} by {"answer": 1 or 0, "thought": [..]}; 2 <= n' <= `length`.

    Without `vertices` n' is one more than there are edges. The thought holds the queries and what the retriever found in the
    prompt. The answer raises ValueError with the field's name for any other input, a loop or a repeated edge.
    """
    walking = _walking(length, "prompt")

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        vertices, graph = read_graph(given, length)
        return walking.answer(vertices, graph)

    return answer


def certificate_witness(
    length: Annotated[Length, Range(4, 1 << 16)] = 4, graphs: GraphCountFrom1 = 24, seed: Seed = 0
) -> Evidence:
    """Show the walks of n = `length` vertices, with what the retriever finds in the prompt, for at most `graphs` graphs.

    Raises ValueError below 4 vertices, where every simple graph of n - 1 edges is a tree.
    """
    if length < LEAST_WITHOUT_TREE:
        raise ValueError(
            f"certify(length={length}): expected at least {LEAST_WITHOUT_TREE} vertices, for a graph that is not a tree"
        )
    return shown(_walking(length, "prompt"), graphs, seed)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the model is right at other sizes. The proof covers every n.",
    build=build,
    bound=bound,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Algorithm 2 with Definition A.5",
            printed="every query searches all text before it, and the query for the edge after v ~ v' contains v ~ v' itself",
            found="that query reads as an edge in every later search. On the one edge 1 ~ 2 the search says NO. On 16 vertices "
            "it is right on about half of the paper's graphs",
            built="edge queries search the prompt only. The walk's queries cannot be read as edges, so they may search "
            "everything",
            test="tests/theorems/is_tree/test_walk.py::test_algorithm_two_goes_wrong_where_its_queries_are_searched",
        ),
    ),
    choices=(
        Choice(
            where="Theorems 5.2 and 5.3",
            printed="IsTree takes O(n log n) tokens in Theorem 5.2 and O(n) in Theorem 5.3, for the same model",
            found="O(n) is right: Algorithm 2 takes 37n - 26 tokens on every tree, and the walk at most 14n - 10 on any graph",
            built="the walk: 14n - 10 tokens and then the answer. If each query is a regular expression, as in Definition A.5, "
            "it takes 45n - 36",
            test="tests/theorems/is_tree/test_walk.py::test_every_thought_with_a_retriever_is_linear",
        ),
    ),
)
