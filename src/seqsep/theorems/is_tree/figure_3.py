"""The graph of the paper's figure 3, and the thoughts about it that the built networks write by themselves.

Source: the graph is that of Wen, Dang, Lyu 2025 (arXiv:2402.18510), Figure 3. The thought there is a tour, which `tour` writes;
other networks peel leaves (`peeling`, `one_layer`, `hybrid`), or walk with a retriever (`walk`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import Network
from seqsep.tasks.retriever import Retriever
from seqsep.tasks.trees.peeling import Pointed
from seqsep.tasks.trees.tokens import Tokens
from seqsep.tasks.trees.walk import WalkTokens
from seqsep.theorems.base import Claim
from seqsep.theorems.is_tree import hybrid, one_layer, peeling, tour, walk
from seqsep.theorems.is_tree._graphs import FIGURE_3, as_prompts
from seqsep.theorems.is_tree._pair_thought import Paired

VERTICES = 6
EDGES: tuple[tuple[int, int], ...] = FIGURE_3
MOST_WALKED = 14 * VERTICES - 9


@dataclass(frozen=True)
class Writer:
    """A construction that answers IsTree: its claim, its network's builder, its tokens, and its retriever, if it has one."""

    claim: Claim
    build: Callable[[int], Network]
    tokens: Tokens
    retriever: Retriever | None = None

    @property
    def name(self) -> str:
        """The theorem's name."""
        return self.claim.name


_WALKS = WalkTokens(VERTICES)
PEELING = Writer(peeling.CLAIM, peeling.build, Pointed(VERTICES))
TOUR = Writer(tour.CLAIM, tour.build, Tokens(VERTICES))
ONE_LAYER = Writer(one_layer.CLAIM, one_layer.build, Paired(VERTICES))
HYBRID = Writer(hybrid.CLAIM, hybrid.build, Pointed(VERTICES))
WALK = Writer(walk.CLAIM, walk.build, _WALKS, _WALKS.retriever("prompt"))
WRITERS = (PEELING, TOUR, ONE_LAYER, HYBRID, WALK)


@dataclass(frozen=True)
class NetworkOutput:
    """The output of a network: all tokens, as numbers and as a reader sees them, the prompt's end, and the inserted tokens.

    inserted[t] says that the retriever put the token at place t. The last token is the answer, unless the network wrote none.
    """

    network: Network
    tokens: tuple[int, ...]
    shown: tuple[str, ...]
    prompt: int
    inserted: tuple[bool, ...]

    @property
    def written(self) -> tuple[str, ...]:
        """The tokens after the prompt."""
        return self.shown[self.prompt :]


@dataclass(frozen=True)
class Step:
    """A token that is written: the vertex x after which it is written (or None), the neighbours left at x, and the token."""

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


def run_on_figure_3(writer: Writer, network: Network | None = None) -> NetworkOutput:
    """Run a network on the graph, token by token on its grid: `network`, or else the one that is built.

    A network that writes no answer is stopped after as many tokens as its thought may have. Raises ValueError if two logits
    are greatest at some place.

    >>> print(*run_on_figure_3(TOUR).written)
    1 5 3 2 6 4 6 2 3 5 1 YES
    >>> print(*run_on_figure_3(WALK).written[:10])
    [ 1 ] 5 [ 5 1 ] 3 [
    """
    built = writer.build(VERTICES) if network is None else network
    names = writer.tokens
    prompt = as_prompts(np.array([FIGURE_3]), names.begin, names.between)[0].tolist()
    retriever = writer.retriever
    retrieve = None if retriever is None else retriever.behind(len(prompt))
    most = names.most_written(VERTICES) if retriever is None else MOST_WALKED
    tokens = [*prompt, *generate(built, prompt, names.answers, most=most, retriever=retrieve)]
    inserted = [False] * len(tokens) if retriever is None else retriever.inserted(tokens, len(prompt))
    shown = tuple(str(names.shown(token)) for token in tokens)
    return NetworkOutput(network=built, tokens=tuple(tokens), shown=shown, prompt=len(prompt), inserted=tuple(inserted))


def figure_3() -> Example:
    """Run the network of `peeling`, token by token, with the edges that are left at each step.

    >>> example = figure_3()
    >>> example.shown[: example.prompt]
    ('[BOS]', '2', '~', '6', '1', '~', '5', '3', '~', '5', '4', '~', '6', '2', '~', '3')
    >>> [step.token for step in example.steps]
    ["1'", '5', '3', '2', '6', '4', "2'", "3'", "4'", "5'", "6'", 'YES']
    """
    run = run_on_figure_3(PEELING)
    steps, climbs = peeled(run.written)
    return Example(run.network, run.tokens, run.shown, prompt=run.prompt, steps=steps, climbs=climbs)


def peeled(written: tuple[str, ...]) -> tuple[tuple[Step, ...], tuple[frozenset[int], ...]]:
    """The steps of a thought that peels leaves, and the edges that it takes away, in order.

    A climb is written as the vertex climbed to, "5", or as a pair, "1 -> 5". A climb along no edge takes nothing away, and the
    copy of an edge, "1 ~ 5", neither.

    >>> steps, climbs = peeled(("1'", "5", "3"))
    >>> steps[2]
    Step(at=5, left=(3,), token='3')
    >>> [sorted(edge) for edge in climbs]
    [[1, 5], [3, 5]]
    """
    left: dict[int, set[int]] = {vertex: set() for vertex in range(1, VERTICES + 1)}
    for u, v in FIGURE_3:
        left[u].add(v)
        left[v].add(u)
    steps = []
    climbs = []
    at: int | None = None
    for token in written:
        steps.append(Step(at, () if at is None else tuple(sorted(left[at])), token))
        if token.endswith("'"):
            at = int(token[:-1])
        climbed_to = token.split(" -> ")[-1]
        if climbed_to.isdecimal():
            here = int(climbed_to)
            if at is not None and here in left[at]:
                left[at].remove(here)
                left[here].discard(at)
                climbs.append(frozenset((at, here)))
            at = here
    return tuple(steps), tuple(climbs)
