"""The thoughts about the graphs of a block of examples, all at once; `trees` has each for one graph, from the definition."""

from collections.abc import Callable
from itertools import islice

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.tasks._incidences import Incidences, peeled, tour_steps
from seqsep.tasks.trees.algorithm_two import RecordTokens
from seqsep.tasks.trees.peeling import Pointed
from seqsep.tasks.trees.tokens import Tokens
from seqsep.tasks.trees.walk import WalkTokens

Edges = Int64[np.ndarray, "batch edges 2"]
Answers = Bool[np.ndarray, "batch"]
Column = Int64[np.ndarray, "batch"] | int


class Thoughts:
    """Tokens written for every example, each after its own last one.

    >>> thoughts = Thoughts(count=2, most=3)
    >>> thoughts.write([np.array([7, 8]), 9], np.array([True, False]))
    >>> thoughts.write([5], np.array([True, True]))
    >>> thoughts.lengths.tolist(), thoughts.tokens[0, :3].tolist(), thoughts.tokens[1, :1].tolist()
    ([3, 1], [7, 9, 5], [5])
    """

    MOST_AT_ONCE = 8

    def __init__(self, count: int, most: int) -> None:
        self.tokens = np.zeros((count, most + self.MOST_AT_ONCE), dtype=np.int64)
        self.lengths = np.zeros(count, dtype=np.int64)
        self.starts = np.arange(count) * self.tokens.shape[1]

    def write(self, tokens: list[Column], applies: Bool[np.ndarray, "batch"]) -> None:
        """Append the tokens to each thought to which this applies. In the others, the next tokens overwrite them."""
        flat = self.tokens.reshape(-1)
        places = self.starts + self.lengths
        for offset, token in enumerate(tokens):
            flat[places + offset] = token
        self.lengths += len(tokens) * applies


def answers_alone(tokens: Tokens, edges: Edges, is_tree: Answers) -> Thoughts:
    """Return thoughts without tokens: the answer follows at once."""
    return _answered(tokens, Thoughts(len(edges), most=1), is_tree)


def tours(tokens: Tokens, edges: Edges, is_tree: Answers) -> Thoughts:
    """Return Algorithm 1 of the paper (`trees.tour.printed`)."""
    graph = Incidences.of(edges)
    most = 2 * edges.shape[1] + 1
    thoughts = Thoughts(len(edges), most + 1)
    for number, step in enumerate(islice(tour_steps(graph), most)):
        thoughts.tokens[:, number] = step.here
    vertices = thoughts.tokens[:, :most]
    vertices -= graph.zero[:, None]
    thoughts.lengths[:] = np.count_nonzero(vertices, axis=1)
    return _answered(tokens, thoughts, is_tree)


def peelings(tokens: Pointed, edges: Edges, is_tree: Answers) -> Thoughts:
    """Return the thoughts of leaf peeling (`trees.peeling.peel`)."""
    written = peeled(edges).written
    most = written.shape[1]
    thoughts = Thoughts(len(edges), most + 1)
    np.copyto(thoughts.tokens[:, :most], np.where(written < 0, tokens.pointer(0) - written, written))
    thoughts.lengths[:] = np.count_nonzero(written, axis=1)
    return _answered(tokens, thoughts, is_tree)


def walks(tokens: WalkTokens, edges: Edges, is_tree: Answers) -> Thoughts:
    """Return the thoughts of the walk (`trees.walk.walk`): a query [ v y ], or [ v ] if y is 0, a step."""
    graph = Incidences.of(edges)
    vertices = edges.shape[1] + 1
    thoughts = Thoughts(len(edges), 14 * vertices - 9)
    here = graph.zero + 1
    came = graph.zero
    at = graph.begin.take(here)
    while (goes_on := here > graph.zero).any():
        is_found = at < graph.end.take(here)
        at = np.where(is_found, at, graph.rest)
        following = graph.other.take(at)
        asked = here - graph.zero
        found = np.where(is_found, following - graph.zero, tokens.failed)
        is_first = came == graph.zero
        thoughts.write([tokens.opens, asked, tokens.closes, found], goes_on & is_first)
        thoughts.write([tokens.opens, asked, came - graph.zero, tokens.closes, found], goes_on & ~is_first)
        ends = ~is_found & (asked == 1)
        came = np.where(is_found, here, graph.zero)
        here = np.where(is_found, following, np.where(ends, graph.zero, here))
        at = np.where(is_found, graph.twin.take(at) + 1, graph.begin.take(here))
    return _answered(tokens, thoughts, is_tree)


def searches(tokens: RecordTokens, edges: Edges, is_tree: Answers) -> Thoughts:
    """Return the thoughts of Algorithm 2 in the shortened format (`trees.algorithm_two`)."""
    graph = Incidences.of(edges)
    vertices = edges.shape[1] + 1
    thoughts = Thoughts(len(edges), 37 * vertices - 25)

    def vertex_at(places: Int64[np.ndarray, "batch"], exists: Bool[np.ndarray, "batch"]) -> Int64[np.ndarray, "batch"]:
        """Return the vertex to which an edge leads, if there is one, else FAILED."""
        vertex = graph.other.take(np.where(exists, places, graph.rest)) - graph.zero
        return np.where(vertex > 0, vertex, tokens.failed)

    always = np.ones(len(edges), dtype=np.bool_)
    for step in islice(tour_steps(graph), 2 * vertices - 1):
        goes_on = step.here > graph.zero
        here = step.here - graph.zero
        end = graph.end.take(step.here)
        parent = vertex_at(step.up, always)
        seen = vertex_at(step.at, step.at < end)
        is_first = step.at == graph.begin.take(step.here)
        child = vertex_at(step.at - 1, ~is_first)
        thoughts.write([here, tokens.opens, here, tokens.record, tokens.closes, parent], goes_on)
        thoughts.write([tokens.opens, here, tokens.between, tokens.closes, seen], goes_on & is_first)
        thoughts.write([tokens.opens, here, tokens.between, child, tokens.closes, seen], goes_on & ~is_first)
        found = vertex_at(step.chosen, ~step.goes_back)
        is_parent = goes_on & (step.chosen > step.at)
        thoughts.write([tokens.opens, here, tokens.between, seen, tokens.closes, found], is_parent)
        goes_down = goes_on & ~step.goes_back
        is_known = goes_down & step.meets_cycle
        its_parent = vertex_at(step.known, is_known)
        thoughts.write([tokens.opens, found, tokens.record, tokens.closes, its_parent], goes_down)
        thoughts.write([here, tokens.record, found], goes_down & ~is_known)
    return _answered(tokens, thoughts, is_tree)


def _answered(tokens: Tokens, thoughts: Thoughts, is_tree: Answers) -> Thoughts:
    """Return the thoughts with their answers."""
    no, yes = tokens.answers
    thoughts.write([np.where(is_tree, yes, no)], np.ones(len(is_tree), dtype=np.bool_))
    return thoughts


WRITERS: dict[str, Callable[..., Thoughts]] = {
    "vanilla": answers_alone,
    "cot": tours,
    "retrieval": searches,
    "peel": peelings,
    "walk": walks,
}
