"""Runs a network that thinks before it answers on graphs: every small one, hard large ones, and a user's own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import Network
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems.base import Claim, Number, Outcome, TheoremFails
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree._graphs import Graph, Graphs
from seqsep.theorems.trial import Trial, logits_apart

Think = Callable[[int, Iterable[Sequence[int]]], list[int]]
TOKENS_AT_ONCE = 1 << 15
LOGITS_AT_ONCE = 1 << 25
EVERY_LIST_UP_TO = 4
SMALL = (5, 7, 8, 16, 32)
LARGE = (64, 128, 256)
MARGIN = "the next token's logit above every other"


@dataclass
class ThoughtTrial:
    """Runs a network on graphs and requires the thought and the answer that a plain algorithm writes.

    `think(vertices, edges)` writes them; its answer is compared with the definition of a tree. Every token of the thought and
    the answer must be the single greatest logit, on the grid and in float64. `simple`: the network is for graphs without loops
    and repeated edges only.
    """

    theorem: str
    network: Network
    tokens: Tokens
    think: Think
    simple: bool = False
    in_floats: int = 200
    longest_thought: int = 0
    exhaustive: bool = False
    trial: Trial = field(init=False)

    def __post_init__(self) -> None:
        self.trial = Trial(self.theorem, self.network, logits_apart, in_floats=self.in_floats)

    def put(self, vertices: int, graphs: Graphs) -> None:
        """Run graphs on the vertices 1 .. n'. Raises TheoremFails with the first graph whose thought differs."""
        logits = self.tokens.most_written(vertices) * self.network.readout.integers.shape[0]
        at_once = max(1, min(TOKENS_AT_ONCE // (5 * vertices), LOGITS_AT_ONCE // logits))
        for first in range(0, len(graphs), at_once):
            self._put(vertices, graphs[first : first + at_once])

    def _put(self, vertices: int, graphs: Graphs) -> None:
        readable = partial(_readable, vertices, graphs)
        prompts = self.prompts(graphs)
        thoughts = [self.think(vertices, graph) for graph in graphs.tolist()]
        truths = drawn.trees_among(vertices, graphs).tolist()
        for number, (thought, truth) in enumerate(zip(thoughts, truths, strict=True)):
            if thought[-1] != self.tokens.answers[truth]:
                raise TheoremFails(self.theorem, {**readable(number), "is a tree": bool(truth), "thought": thought})
        sequences = [[*prompt, *thought] for prompt, thought in zip(prompts, thoughts, strict=True)]
        self.trial.follow(sequences, [len(prompt) for prompt in prompts], readable)
        self.longest_thought = max(self.longest_thought, *(len(thought) - 1 for thought in thoughts))

    def outcome(
        self,
        claim: Claim,
        bound: Mapping[str, Number],
        rounding: str,
        *,
        proved: float,
        as_printed: Mapping[str, Number | str] | None = None,
    ) -> Outcome:
        """Return the outcome over all graphs put; its margin is the least lead of a next token over every other logit."""
        return self.trial.outcome(
            claim,
            bound,
            more={"vocabulary": len(self.network.readout.integers), "thought_tokens": self.longest_thought},
            margin_of=MARGIN,
            proved=proved,
            length=self.tokens.vertices,
            exhaustive=self.exhaustive,
            as_printed=as_printed,
            variant=f"rounding {rounding}",
        )

    def prompts(self, graphs: Graphs) -> list[list[int]]:
        """The prompts [BOS] u ~ v u ~ v .. of graphs."""
        prompts: list[list[int]] = drawn.as_prompts(graphs, self.tokens.begin, self.tokens.between).tolist()
        return prompts

    def answer(self, vertices: int, graph: Graph) -> dict[str, Any]:
        """Return the network's own thought and answer: None if it writes no answer within `Tokens.most_written`.

        The text of the plain algorithm is given to the network, and one pass shows whether the network writes the same
        (`generation`). If not, it writes token by token.
        """
        [prompt] = self.prompts(graph[None])
        written = self.think(vertices, graph.tolist())
        try:
            follow(self.network, [[*prompt, *written]], [len(prompt)])
        except GenerationDiffers:
            written = generate(self.network, prompt, self.tokens.answers, most=self.tokens.most_written(vertices))
        decided = written[-1] in self.tokens.answers
        thought = written[:-1] if decided else written
        return {
            "answer": self.tokens.answers.index(written[-1]) if decided else None,
            "thought": [self.tokens.shown(token) for token in thought],
        }


def _readable(vertices: int, graphs: Graphs, number: int) -> Mapping[str, Any]:
    return drawn.readable(vertices, graphs[number])


def predictor(asking: ThoughtTrial) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A user's graph of at most n vertices answered with its thought; `ThoughtTrial.simple` refuses loops and repeated edges.

    The answer raises ValueError with the field's name for any other input.
    """

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        vertices, graph = drawn.read_graph(given, asking.tokens.vertices, asking.simple)
        return asking.answer(vertices, graph)

    return answer


def every_list(length: int) -> Iterator[tuple[int, Graphs]]:
    """Every list of n' - 1 pairs of vertices for each n' from 2 to `length`, loops and repeated edges included."""
    for vertices in range(2, length + 1):
        yield vertices, drawn.every_list_of_pairs(vertices, vertices - 1)


def every_simple_list(length: int) -> Iterator[tuple[int, Graphs]]:
    """Every graph of n' - 1 edges without loops and repetitions, in every order, either end of each edge first, n' up to
    `length`."""
    for vertices in range(2, length + 1):
        graphs = drawn.every_order(vertices, vertices - 1)
        for turned in product((False, True), repeat=vertices - 1):
            yield vertices, np.where(np.array(turned)[:, None], graphs[:, :, ::-1], graphs)


def every_simple_graph(random: np.random.Generator) -> Iterator[tuple[int, Graphs]]:
    """Every graph without loops and repeated edges: up to 5 vertices in every order of its edges, of 6 vertices once.

    Which end of an edge comes first is drawn; of 6 vertices the order too.
    """
    for vertices in range(2, 6):
        graphs = drawn.every_order(vertices, vertices - 1)
        turned = random.integers(0, 2, (*graphs.shape[:2], 1)) == 1
        yield vertices, np.where(turned, graphs[:, :, ::-1], graphs)
    yield 6, drawn.shuffled(drawn.every_graph(6, 5), random)


def hard_series(length: int, count: int, random: np.random.Generator) -> Iterator[tuple[int, Graphs]]:
    """Two stars and `count` hard graphs of the full size, and a quarter as many of each of a few smaller ones."""
    yield length, stars(length)
    yield length, drawn.hard_graphs(length, count, random)
    for vertices in sorted({2, 3, 4, length // 2, length - 1} & set(range(2, length))):
        yield vertices, drawn.hard_graphs(vertices, max(2, count // 4), random)


def tried(asking: ThoughtTrial, count: int, seed: int) -> ThoughtTrial:
    """Run every list up to 4 vertices (of pairs, or `simple`), and beyond `hard_series`, on a network of that size."""
    length = asking.tokens.vertices
    if length <= EVERY_LIST_UP_TO:
        return every_list_put(asking)
    for vertices, graphs in hard_series(length, count, np.random.default_rng(seed)):
        asking.put(vertices, graphs)
    return asking


def every_list_put(asking: ThoughtTrial) -> ThoughtTrial:
    """Run every list (of pairs, or `simple`) of every size that the network is built for."""
    asking.exhaustive = True
    every = every_simple_list if asking.simple else every_list
    for vertices, graphs in every(asking.tokens.vertices):
        asking.put(vertices, graphs)
    return asking


def long_series(
    asking_of: Callable[[int, str], ThoughtTrial], small: int, large: int, seed: int
) -> Iterator[tuple[str, ThoughtTrial]]:
    """Run small graphs on networks of both roundings, and large ones on those of the first; each with its rounding.

    Small are every list up to 5 vertices (up to 4 on the second grid), every simple graph up to 6 (networks built for 6 and
    for 9 vertices), and `small` hard graphs of 5 to 32 vertices; `large` hard graphs have 64 to 256.
    """
    yield ROUNDINGS[0], every_list_put(asking_of(EVERY_LIST_UP_TO + 1, ROUNDINGS[0]))
    yield ROUNDINGS[1], every_list_put(asking_of(EVERY_LIST_UP_TO, ROUNDINGS[1]))
    for rounding in ROUNDINGS:
        for built in (6, 9):
            yield rounding, _every_simple_graph_put(asking_of(built, rounding), seed)
        for length in SMALL:
            yield rounding, tried(asking_of(length, rounding), small // len(SMALL), seed + length)
    for length in LARGE:
        yield ROUNDINGS[0], tried(asking_of(length, ROUNDINGS[0]), large // len(LARGE), seed + length)


def _every_simple_graph_put(asking: ThoughtTrial, seed: int) -> ThoughtTrial:
    for vertices, graphs in every_simple_graph(np.random.default_rng(seed)):
        asking.put(vertices, graphs)
    return asking


def stars(vertices: int) -> Graphs:
    """The star around the last vertex, and the one around the first.

    >>> stars(3).tolist()
    [[[3, 1], [3, 2]], [[2, 1], [3, 1]]]
    """
    others = np.arange(1, vertices)
    around_last = np.stack([np.full(vertices - 1, vertices), others], axis=1)
    around_first = np.stack([others + 1, np.ones(vertices - 1, dtype=np.int64)], axis=1)
    return np.stack([around_last, around_first])
