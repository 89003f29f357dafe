"""IsTree: a list of n - 1 edges between n vertices; is it a tree? The answer is written after a chain of thought.

    [BOS] u ~ v u ~ v ..   thought   YES or NO

Queries: the model predicts each token of the thought, and then the answer, from the tokens before it. It does not predict
tokens that the retriever inserts.
Tokens: [BOS] is 0, vertex v is v, and the next numbers are ~, NO and YES. After these, the trace peel has n more tokens, one
pointer for each vertex. The trace walk has [, ] and FAILED, and the trace retrieval has [, ], FAILED and -.
Lengths: exactly n = `length` vertices, in training and evaluation. A prompt has 3n - 2 tokens.
Thoughts: `trace` chooses the thought. The table has the number of its tokens if the graph is a tree. For another graph the
thought has at most this number of tokens:
    trace      thought                                                           tokens
    vanilla    none                                                              0
    cot        a depth-first tour (Algorithm 1)                                  2n - 1
    retrieval  a tour that looks up its parents (Algorithm 2, shortened format)  37n - 26
    peel       leaves are removed one by one; ours                               2n - 1
    walk       a walk without memory that looks up its next edge; ours           14n - 10
The thought walk is local: the last six tokens determine the next one. Only the answer depends on more, because it depends on
how often FAILED is in the thought: n times for a tree, and less often for another graph.
Graphs: the edges u < v are in random order. With `distribution="double-star"`, two random vertices are hubs, and a fair coin
joins each other vertex to one of the hubs. One odd edge joins two of these other vertices; any two are equally likely. The
graph is a tree if and only if these two have different hubs, which has probability 1/2. With "uniform", the graph is a tree
with probability 1/2, a near miss with 1/4, and another graph with 1/4. Every labelled tree is equally likely. A near miss is
such a tree with two changes. First, two vertices that are not joined get an edge, which closes a cycle. Then an edge that is
not on this cycle is removed. The other graphs are uniform among all graphs with n - 1 edges that are not trees.
Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.1 and appendix B; double stars are those of its experiments.
We differ: no token is between prompt, thought and answer. The paper's code writes one after the prompt and one after the
thought. With the answer, its sequences for vanilla, cot and retrieval have 3n, 5n and 40n - 25 tokens; ours have 3n - 1, 5n -
2 and 40n - 27.
Shortcuts: on double stars, a state of O(log n) bits is enough for an accuracy of 2/3. The odd edge has two ends, and each end
has one other edge, to its hub. With probability 1/3 the odd edge comes before these two edges. Then the state can store both
ends, and later the hub of each. In all other cases the model guesses (`seqsep.tasks.ceilings`). The length of a thought is
another shortcut: if the graph is not a tree, the thought is often shorter. With
"uniform", most of the other graphs have a vertex without an edge, which is easy to see. For this reason half of the graphs
that are not trees are near misses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import OneOf, Range
from seqsep.core.stream import Use, below
from seqsep.tasks._blocks import HALF_OF_DRAWS, TOKENS_AT_ONCE, ExampleDraws, filled, nothing_asked, use_of
from seqsep.tasks._graphs import PAIRS_TRIED, double_stars, near_misses, other_graphs, trees
from seqsep.tasks._orders import draws_for_distinct, order
from seqsep.tasks._rows import chosen, is_before
from seqsep.tasks._thoughts import WRITERS
from seqsep.tasks.base import NOTHING_ASKED, Batch, GeneratedTask, LiveRetriever, require
from seqsep.tasks.trees import graphs
from seqsep.tasks.trees.algorithm_two import RecordTokens, algorithm_two
from seqsep.tasks.trees.live import LiveSearch, LiveWalk
from seqsep.tasks.trees.partitions import simple_graph_bits
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.tasks.trees.tokens import Tokens
from seqsep.tasks.trees.tour import printed
from seqsep.tasks.trees.walk import WalkTokens, walk

TRACES: dict[str, type[Tokens]] = {
    "vanilla": Tokens,
    "cot": Tokens,
    "retrieval": RecordTokens,
    "peel": Pointed,
    "walk": WalkTokens,
}
DISTRIBUTIONS = ("double-star", "uniform")
EXAMPLES_AT_ONCE = 1024
"""A step of a thought is a few operations on all examples: of fewer at once the calls would take most of the time."""


@dataclass(frozen=True)
class IsTree(GeneratedTask):
    """Graphs of `length` vertices as lists of edges; a model writes a chain of thought, and then YES or NO.

    >>> task = IsTree(length=4)
    >>> task.solve((0, 1, 5, 2, 3, 5, 4, 1, 5, 4)) == task.stops[1]  # 1 ~ 2 3 ~ 4 1 ~ 4
    True
    >>> task.answer_bits(), IsTree(length=64, distribution="uniform").answer_bits()
    (1, 215)
    """

    name: ClassVar[str] = "is-tree"

    length: Annotated[int, Range(4, 2**14, unit="vertices"), "n, vertices of a graph"]
    trace: Annotated[str, OneOf(*TRACES), "the chain of thought before the answer, none with vanilla"] = "vanilla"
    distribution: Annotated[str, OneOf(*DISTRIBUTIONS), "the graphs that are drawn"] = "double-star"

    @property
    def tokens(self) -> Tokens:
        """The meaning of the token ids."""
        return TRACES[self.trace](self.length)

    def label(self) -> str:
        return f"{self.name} {self.trace}"

    @property
    def vocabulary(self) -> int:
        return self.tokens.count

    @property
    def stops(self) -> tuple[int, ...]:
        """The tokens NO and YES."""
        return self.tokens.answers

    @property
    def prompt_tokens(self) -> int:
        """3n - 2: [BOS] and three for each edge."""
        return 3 * self.length - 2

    @property
    def most_generated(self) -> int:
        vertices = self.length
        thought = {
            "vanilla": 0,
            "cot": 2 * vertices - 1,
            "retrieval": 37 * vertices - 26,
            "peel": 2 * vertices - 1,
            "walk": 14 * vertices - 10,
        }
        return thought[self.trace] + 1

    @property
    def longest(self) -> int:
        return self.prompt_tokens + self.most_generated - 1

    def shown(self, token: int) -> int | str:
        return self.tokens.shown(token)

    def prompt(self, given: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the prompt of {"edges": [[u, v], ..]}: n - 1 edges between vertices 1 .. n. Raises ValueError with the field's
        name.

        The smaller end is written first, as in the examples. Without a thought loops and repeated edges are allowed.
        """
        if given.get("vertices", self.length) != self.length:
            raise ValueError(f"vertices: expected {self.length}, found {str(given['vertices'])[:80]}")
        edges = graphs.read_edges(given, self.length, simple=self.trace != "vanilla")
        return (self.tokens.begin, *(token for u, v in map(sorted, edges) for token in (u, self.tokens.between, v)))

    def retriever(self) -> LiveRetriever | None:
        """Return the retriever. For walk it searches the prompt; for retrieval the prompt for edges, and everything for
        records.
        """
        tokens = self.tokens
        if isinstance(tokens, RecordTokens):
            return LiveSearch(tokens)
        return LiveWalk(tokens) if isinstance(tokens, WalkTokens) else None

    def solve(self, inputs: tuple[int, ...]) -> int:
        """Return the next token of the chain of thought or the answer. Without a chain of thought, return the answer, also for
        a smaller graph.
        """
        vertices = self.length
        if self.trace == "vanilla":
            vertices = min(vertices, (len(inputs) + 2) // 3)
        prompt = inputs[: 3 * vertices - 2]
        written = inputs[3 * vertices - 2 :]
        if len(prompt) != 3 * vertices - 2 or vertices < 2:
            raise ValueError(f"{self!r}: the question has a prompt of {self.prompt_tokens} tokens, found {len(inputs)}")
        expected = _written(self.trace, self.tokens, prompt)
        is_found = bool(written) and written[-1] == _closes(self.tokens)
        if is_found or len(written) >= len(expected) or written != expected[: len(written)]:
            raise ValueError(f"{self!r}: expected a beginning of the thought after which a model writes, found {written}")
        return expected[len(written)]

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        inputs = np.empty((count, self.longest), dtype=np.int64)
        batch = Batch(inputs, nothing_asked(count, self.longest), np.empty(count, dtype=np.int64))
        fill = partial(self._fill, start=start, seed=seed, use=use_of(evaluate))
        return filled(batch, TOKENS_AT_ONCE // EXAMPLES_AT_ONCE, fill)

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        """Write the examples from start + first on into the inputs, and into targets of nothing asked."""
        tokens = self.tokens
        draw_edges = self._double_stars if self.distribution == "double-star" else self._any_graphs
        edges, is_tree = draw_edges(start=start + first, count=len(batch.lengths), seed=seed, use=use)
        prompt = self.prompt_tokens
        batch.inputs[:, 0] = tokens.begin
        batch.inputs[:, 2:prompt:3] = tokens.between
        batch.inputs[:, 1:prompt:3] = edges[:, :, 0]
        batch.inputs[:, 3:prompt:3] = edges[:, :, 1]
        thoughts = WRITERS[self.trace](tokens, edges, is_tree)
        written = thoughts.tokens[:, : self.most_generated]
        is_written = is_before(thoughts.lengths, self.most_generated)
        is_read = is_before(thoughts.lengths - 1, self.most_generated - 1)
        batch.inputs[:, prompt:] = np.where(is_read, written[:, :-1], 0)
        asked = np.where(is_written, written, NOTHING_ASKED)
        asked[:, 1:][written[:, :-1] == _closes(tokens)] = NOTHING_ASKED
        batch.targets[:, prompt - 1 :] = asked
        np.add(thoughts.lengths, prompt - 1, out=batch.lengths)

    def _double_stars(self, start: int, count: int, seed: int, use: Use) -> tuple[np.ndarray, np.ndarray]:
        vertices = self.length
        example_draws = ExampleDraws((vertices, vertices - 2, 1, vertices - 1), seed=seed, use=use, start=start, count=count)
        labels = order(example_draws.part(0)) + 1
        hubs = (example_draws.part(1) < HALF_OF_DRAWS).astype(np.int64)
        places = 2 + below(example_draws.part(2)[:, 0], vertices - 3)
        edges, is_tree = double_stars(labels, hubs, places)
        return _in_order(edges, order(example_draws.part(3))), is_tree

    def _any_graphs(self, start: int, count: int, seed: int, use: Use) -> tuple[np.ndarray, np.ndarray]:
        vertices = self.length
        pairs = draws_for_distinct(vertices - 1, vertices * (vertices - 1) // 2)
        widths = (1, vertices - 2, vertices - 1, 2 * PAIRS_TRIED + 1, pairs)
        example_draws = ExampleDraws(widths, seed=seed, use=use, start=start, count=count)
        kind = example_draws.part(0)[:, 0] >> np.uint32(30)  # 0 and 1: a tree, 2: a near miss, 3: another graph
        edges = trees(below(example_draws.part(1), vertices) + 1)
        near = np.flatnonzero(kind == 2)
        other = np.flatnonzero(kind == 3)
        edges[near] = near_misses(edges[near], lambda attempt: example_draws.part(3, attempt)[near])
        edges[other] = other_graphs(lambda attempt: example_draws.part(4, attempt)[other], len(other), vertices)
        return _in_order(edges, order(example_draws.part(2))), kind < 2

    def readable(self, inputs: tuple[int, ...], answer: int) -> dict[str, Any]:
        """Return the readable form. Vertices count from 1, the answer is 1 for a tree, and a pointer is "3'"."""
        prompt = inputs[1 : self.prompt_tokens]
        return {
            "edges": [[u, v] for u, v in zip(prompt[::3], prompt[2::3], strict=True)],
            "answer": self.stops.index(answer),
            "thought": [self.shown(token) for token in inputs[self.prompt_tokens :]],
        }

    def answer_bits(self) -> int | None:
        """Return the least state in bits for the answers, with any chain of thought: it is computed from the state after the
        prompt.

        On double stars n - 3 bits (Theorem 4.7's own reduction), on uniform graphs ceil(log2(1 + max_b S(n, b))) over
        3 <= b <= n - 3 (theorem is-tree-state). None with a retriever, which reads the prompt again.
        """
        if isinstance(self.tokens, WalkTokens):
            return None
        return self.length - 3 if self.distribution == "double-star" else simple_graph_bits(self.length)

    def alphabets(self, length: int) -> tuple[range, ...]:
        """Return the alphabets: any list of length - 1 pairs, loops and repetitions too, for up to as many vertices as the task
        has.

        Raises ValueError for more or fewer than 2, and for a task with a thought.
        """
        require(self.trace == "vanilla", self, "the inputs are a product of alphabets only with trace='vanilla'")
        require(2 <= length <= self.length, self, f"inputs have 2 to {self.length} vertices, found {length}")
        begin = self.tokens.begin
        between = self.tokens.between
        vertex = range(1, length + 1)
        return (range(begin, begin + 1), *(vertex, range(between, between + 1), vertex) * (length - 1))


def _in_order(edges: Int64[np.ndarray, "batch edges 2"], places: Int64[np.ndarray, "batch edges"]) -> np.ndarray:
    """Return the edges in this order, the smaller end first."""
    return np.sort(chosen(edges, places), axis=2)


def _closes(tokens: Tokens) -> int | None:
    """Return the token after which a retriever writes, if there is one."""
    return tokens.closes if isinstance(tokens, WalkTokens) else None


@lru_cache(maxsize=1024)
def _written(trace: str, tokens: Tokens, prompt: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chain of thought and the answer after a prompt, from the definition. Raises ValueError for a text that is not
    a prompt of the task.
    """
    edges = list(zip(prompt[1::3], prompt[3::3], strict=True))
    vertices = len(edges) + 1
    marks = (prompt[0], *prompt[2::3])
    if marks != (tokens.begin, *(tokens.between,) * len(edges)):
        raise ValueError(f"is-tree: expected [BOS] and {len(edges)} edges u ~ v, found {prompt}")
    graphs.read_edges({"edges": [list(edge) for edge in edges]}, vertices, simple=trace not in ("vanilla", "peel"))
    if isinstance(tokens, RecordTokens):
        texts, answer = algorithm_two(vertices, edges, "prompt")
        ids = {str(tokens.shown(token)): token for token in range(tokens.count)}
        return (*(ids[text] for text in texts), tokens.answers[bool(answer)])
    if isinstance(tokens, WalkTokens):
        return tuple(walk(tokens, vertices, edges))
    if isinstance(tokens, Pointed):
        return tuple(peel(tokens, vertices, edges))
    if trace == "cot":
        return tuple(printed(tokens, vertices, edges))
    return (tokens.answers[graphs.is_tree(vertices, edges)],)
