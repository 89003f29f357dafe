"""Runs a network that walks, with a live retriever, on graphs: every query is answered by searching the text so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import Network
from seqsep.tasks.retriever import Region
from seqsep.tasks.trees.walk import WalkTokens, walk
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree._graphs import Graph, Graphs
from seqsep.theorems.is_tree._trials import EVERY_LIST_UP_TO
from seqsep.theorems.trial import Trial, logits_apart

TOKENS_AT_ONCE = 1 << 15


@dataclass
class Walking:
    """Runs a network on graphs and requires the walk of each, with the results of a live retriever, and the right answer.

    The retriever answers each query of the walk by searching the region of the text before it. Its result must be the token
    with which the walk continues (`Retriever.inserted`). Every other token must be the single greatest logit, on the grid and
    in float64. So the network generates the walk with this retriever (`maths.networks.generation`).
    """

    theorem: str
    network: Network
    tokens: WalkTokens
    region: Region
    in_floats: int = 200
    longest_thought: int = 0
    trial: Trial = field(init=False)

    def __post_init__(self) -> None:
        self.trial = Trial(self.theorem, self.network, logits_apart, in_floats=self.in_floats)
        self.retriever = self.tokens.retriever(self.region)

    def put(self, vertices: int, graphs: Graphs) -> None:
        """Run graphs on the vertices 1 .. n'. Raises TheoremFails with the first graph whose walk differs."""
        at_once = max(1, TOKENS_AT_ONCE // (17 * vertices))
        for first in range(0, len(graphs), at_once):
            self._put(vertices, graphs[first : first + at_once])

    def _put(self, vertices: int, graphs: Graphs) -> None:
        readable = partial(_readable, vertices, graphs)
        prompts = self.prompts(graphs)
        walks = [walk(self.tokens, vertices, graph) for graph in graphs.tolist()]
        truths = drawn.trees_among(vertices, graphs).tolist()
        sequences = []
        inserted = []
        for number, (prompt, thought, truth) in enumerate(zip(prompts, walks, truths, strict=True)):
            if thought[-1] != self.tokens.answers[truth]:
                raise TheoremFails(self.theorem, {**readable(number), "is a tree": bool(truth), "thought": thought})
            sequences.append([*prompt, *thought])
            try:
                inserted.append(self.retriever.inserted(sequences[-1], len(prompt)))
            except ValueError as differs:
                raise TheoremFails(self.theorem, {**readable(number), "region": self.region, "retriever": differs}) from None
        self.trial.follow(sequences, [len(prompt) for prompt in prompts], readable, inserted)
        self.longest_thought = max(self.longest_thought, *(len(thought) - 1 for thought in walks))

    def prompts(self, graphs: Graphs) -> list[list[int]]:
        """The prompts [BOS] u ~ v u ~ v .. of graphs."""
        prompts: list[list[int]] = drawn.as_prompts(graphs, self.tokens.begin, self.tokens.between).tolist()
        return prompts

    def answer(self, vertices: int, graph: Graph) -> dict[str, Any]:
        """Return the network's own thought, with the retriever's results, and its answer: None if it writes none.

        The text of the walk is given to the network, and one pass shows whether it writes the same (`generation`). If not, it
        writes token by token.
        """
        [prompt] = self.prompts(graph[None])
        written = walk(self.tokens, vertices, graph.tolist())
        try:
            sequence = [*prompt, *written]
            follow(self.network, [sequence], [len(prompt)], [self.retriever.inserted(sequence, len(prompt))])
        except GenerationDiffers:
            retrieve = self.retriever.behind(len(prompt))
            written = generate(self.network, prompt, self.tokens.answers, most=14 * vertices, retriever=retrieve)
        decided = written[-1] in self.tokens.answers
        thought = written[:-1] if decided else written
        return {
            "answer": self.tokens.answers.index(written[-1]) if decided else None,
            "thought": [self.tokens.shown(token) for token in thought],
        }


def shown(walking: Walking, graphs: int, seed: int) -> Evidence:
    """Return simple lists of n - 1 edges of the n vertices: every list if there are at most `graphs`, else that many hard
    ones.

    The thoughts are those that the network was found to write, with this retriever (`Walking.put`).
    """
    vertices = walking.tokens.vertices
    if vertices <= EVERY_LIST_UP_TO and len(every_simple_list(vertices)) <= graphs:
        chosen = every_simple_list(vertices)
    else:
        chosen = np.unique(drawn.hard_graphs(vertices, graphs, np.random.default_rng(seed)), axis=0)
    walking.put(vertices, chosen)
    thoughts = [walk(walking.tokens, vertices, graph) for graph in chosen.tolist()]
    run = GeneratedRun(walking.network, np.array(walking.prompts(chosen)), thoughts)
    return Evidence("is-tree-queries", {"vertices": vertices}, run)


def every_simple_list(vertices: int) -> Graphs:
    """Every list of n - 1 different edges, in every order, and each edge in both directions.

    >>> [len(every_simple_list(vertices)) for vertices in (2, 3, 4)]
    [2, 24, 960]
    """
    lists = drawn.every_list_of_pairs(vertices, vertices - 1)
    edges = [{frozenset(edge) for edge in graph if edge[0] != edge[1]} for graph in lists.tolist()]
    return lists[[len(different) == vertices - 1 for different in edges]]


def _readable(vertices: int, graphs: Graphs, number: int) -> Mapping[str, Any]:
    return drawn.readable(vertices, graphs[number])
