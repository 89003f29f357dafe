"""The graph of the paper's figure 3, and the thought about it that the two-layer Transformer writes.

Source: the graph is that of Wen, Dang, Lyu 2025 (arXiv:2402.18510), Figure 3; the thought there is a tour, this one peels
leaves (`peeling`).
"""

from dataclasses import dataclass

import numpy as np

from seqsep.exact.generation import generate
from seqsep.exact.network import Network
from seqsep.tasks.trees.peeling import Pointed
from seqsep.theorems.is_tree._graphs import FIGURE_3, as_prompts
from seqsep.theorems.is_tree.peeling import build

VERTICES = 6


@dataclass(frozen=True)
class Step:
    """A token that is written: the vertex x behind which it stands (or None), the neighbours left at x, and the token."""

    at: int | None
    left: tuple[int, ...]
    token: str


@dataclass(frozen=True)
class Example:
    """The network, its whole run as tokens and as a reader sees them, where the prompt ends, and the steps of the thought.

    The answer is the last step. `climbs` are the edges climbed, in order.
    """

    network: Network
    tokens: tuple[int, ...]
    shown: tuple[str, ...]
    prompt: int
    steps: tuple[Step, ...]
    climbs: tuple[frozenset[int], ...]


def figure_3() -> Example:
    """What the network writes by itself, token by token, with what is left of the graph at each step.

    >>> example = figure_3()
    >>> example.shown[: example.prompt]
    ('[BOS]', '2', '~', '6', '1', '~', '5', '3', '~', '5', '4', '~', '6', '2', '~', '3')
    >>> [step.token for step in example.steps]
    ["1'", '5', '3', '2', '6', '4', "2'", "3'", "4'", "5'", "6'", 'YES']
    """
    names = Pointed(VERTICES)
    network = build(VERTICES)
    prompt = as_prompts(np.array([FIGURE_3]), names.begin, names.between)[0].tolist()
    written = generate(network, prompt, names.answers, most=2 * VERTICES)
    left: dict[int, set[int]] = {vertex: set() for vertex in range(1, VERTICES + 1)}
    for u, v in FIGURE_3:
        left[u].add(v)
        left[v].add(u)
    steps = []
    climbs = []
    at: int | None = None
    for token in written:
        steps.append(Step(at, () if at is None else tuple(sorted(left[at])), str(names.shown(token))))
        if token in names.answers:
            break
        is_climb = token <= VERTICES
        if is_climb:
            assert at is not None
            left[at].remove(token)
            left[token].remove(at)
            climbs.append(frozenset((at, token)))
        at = token if is_climb else token - names.pointer(0)
    tokens = (*prompt, *written)
    shown = tuple(str(names.shown(token)) for token in tokens)
    return Example(network=network, tokens=tokens, shown=shown, prompt=len(prompt), steps=tuple(steps), climbs=tuple(climbs))
