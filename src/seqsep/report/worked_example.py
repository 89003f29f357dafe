"""The worked example as data: what five networks write about figure 3's graph, and what each head attends to at each token.

Every number is that of the network's exact run on its grid; only the words of `worked_networks` are written by hand.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float64

from seqsep.maths.networks.executor import run as execute
from seqsep.maths.networks.network import AttentionLayer, Network
from seqsep.report.attention_weights import attention_weights
from seqsep.report.worked_networks import HeadInWords, NetworkInWords
from seqsep.theorems.is_tree.figure_3 import EDGES, TOUR, VERTICES, NetworkOutput, peeled, run_on_figure_3

SEEN = 0.005
"""Weights below are not shown; those of the built networks are 0 or at least 1/27."""

Edge = frozenset[int]


@dataclass(frozen=True)
class AttentionLook:
    """The tokens that a head attends to from one place: (token, place), in order, and their weights."""

    tokens: tuple[tuple[str, int], ...]
    weights: tuple[float, ...]

    @property
    def shares(self) -> str:
        """The shares of the weight: "" for one token with all of it, "1/3 each" if all weigh the same, else in percent."""
        if len(self.weights) == 1 and self.weights[0] > 1 - SEEN:
            return ""
        share = 1 / max(1, len(self.weights))
        if len(set(self.weights)) == 1 and abs(self.weights[0] - share) < SEEN:
            return f"1/{len(self.weights)} each"
        return ", ".join(f"{100 * weight:.0f} %" for weight in self.weights)


@dataclass(frozen=True)
class AttendingHead:
    """A head: its number, as 2.1 for the first one of layer 2, what it is in words, and its weights at all places."""

    number: str
    words: HeadInWords
    weights: Float64[np.ndarray, "time time"]


@dataclass(frozen=True)
class WrittenToken:
    """A token of the chain of thought, or a query with what is found: its number, its place, and the token that it follows.

    `why` says it in words; `looks` has what each head attends to from the place before, `remembered` the numbers that the
    recurrence has there; `along` is the edge of the graph that the thought goes along.
    """

    number: int
    behind: tuple[str, int]
    token: str
    why: str
    looks: tuple[AttentionLook, ...]
    remembered: tuple[int, ...]
    along: Edge | None = None
    found: str = ""


@dataclass(frozen=True)
class WorkedExample:
    """A network's run on the graph, with its heads and what it writes."""

    words: NetworkInWords
    run: NetworkOutput
    heads: tuple[AttendingHead, ...]
    written: tuple[WrittenToken, ...]

    @property
    def heads_by_layer(self) -> tuple[int, ...]:
        """The heads of each layer of attention, and 0 for a recurrence."""
        mixers = [mixer for mixer, _ in self.run.network.layers]
        return tuple(len(mixer.heads) if isinstance(mixer, AttentionLayer) else 0 for mixer in mixers)

    def goes_along(self, edge: Edge) -> tuple[int, ...]:
        """Return the numbers of the written tokens that go along an edge."""
        return tuple(one.number for one in self.written if one.along == edge)


def worked_example(words: NetworkInWords, network: Network | None = None) -> WorkedExample:
    """Return the tokens that a network writes about figure 3's graph, with reasons. The network is `network`, or else our
    construction.

    >>> from seqsep.report.worked_networks import NETWORKS
    >>> example = worked_example(NETWORKS[0])
    >>> third = example.written[2]
    >>> third.behind, third.token, third.why
    (('5', 17), '3', 'at 5: 3 left')
    >>> third.looks[4].tokens, third.looks[4].shares
    ((('[BOS]', 0), ('5', 6), ('5', 9), ('5', 17)), '1/4 each')
    """
    run = run_on_figure_3(words.writer, network)
    tokens = np.array(run.tokens[:-1])
    numbered = [number for number, (mixer, _) in enumerate(run.network.layers, 1) if isinstance(mixer, AttentionLayer)]
    weights = attention_weights(run.network, tokens)
    numbers = [f"{layer}.{head}" for layer, heads in zip(numbered, weights, strict=True) for head in range(1, len(heads) + 1)]
    flat = [one for heads in weights for one in heads]
    heads = tuple(AttendingHead(*one) for one in zip(numbers, words.heads, flat, strict=True))
    remembered = _remembered(words, run)
    written = []
    for number, told in enumerate(_told(words, run), 1):
        place = told.place
        written.append(
            WrittenToken(
                number=number,
                behind=(run.shown[place], place),
                token=told.token,
                why=told.why,
                looks=tuple(_look(run, head.weights[place]) for head in heads),
                remembered=tuple(remembered[place if told.chosen_at is None else told.chosen_at].tolist()),
                along=told.along,
                found=told.found,
            )
        )
    return WorkedExample(words, run, heads, tuple(written))


def _look(run: NetworkOutput, weights: Float64[np.ndarray, "time"]) -> AttentionLook:
    places = np.flatnonzero(weights > SEEN).tolist()
    return AttentionLook(tuple((run.shown[place], place) for place in places), tuple(float(weights[place]) for place in places))


def _remembered(words: NetworkInWords, run: NetworkOutput) -> np.ndarray:
    """Return the remembered numbers, (time, numbers), from the residual stream after layer 1. All are whole."""
    tokens = np.array(run.tokens[:-1])
    if not words.remembered:
        return np.zeros((len(tokens), 0), dtype=np.int64)
    stream = execute(run.network, tokens[None]).attended[0].floats()[0]
    spaces = run.network.spaces
    columns = [spaces[one.space].start + one.coordinate for one in words.remembered]
    return np.asarray(np.rint(stream[:, columns]).astype(np.int64))


@dataclass(frozen=True)
class _Told:
    """A written token with the place before it, and why it is written; a query's vertex is chosen one place later."""

    place: int
    token: str
    why: str
    along: Edge | None = None
    found: str = ""
    chosen_at: int | None = None


def _told(words: NetworkInWords, run: NetworkOutput) -> list[_Told]:
    if words.writer.retriever is not None:
        return _tell_queries(run)
    return _tell_tour(run) if words.writer is TOUR else _tell_peeling(run)


def _tell_peeling(run: NetworkOutput) -> list[_Told]:
    steps, climbs = peeled(run.written)
    copies = sum(" ~ " in token for token in run.written)
    taken = 0
    told = []
    for number, step in enumerate(steps):
        along = None
        if step.at is None:
            behind_all = f"all {copies} edges are copied" if copies else "the prompt is read"
            why = f"edge {number + 1} is copied" if " ~ " in step.token else behind_all
        else:
            why = f"at {step.at}: {', '.join(map(str, step.left)) or 'no edge'} left"
        ends = step.token.split(" -> ")[-1]
        if step.at is not None and ends.isdecimal() and int(ends) in step.left:
            along = climbs[taken]
            taken += 1
        if step.token in ("NO", "YES"):
            why = f"{why}; {taken} of {len(EDGES)} edges climbed"
        told.append(_Told(run.prompt + number - 1, step.token, why, along))
    return told


def _tell_tour(run: NetworkOutput) -> list[_Told]:
    told = [_Told(run.prompt - 1, run.written[0], "the prompt is read")]
    seen = {run.written[0]}
    moves = 0
    for number, (here, following) in enumerate(pairwise(run.written), 1):
        place = run.prompt + number - 1
        if not following.isdecimal():
            told.append(_Told(place, following, f"at {here}: no vertex is next; {moves} of {2 * len(EDGES)} moves"))
            continue
        along = frozenset((int(here), int(following)))
        moves += 1
        why = f"at {here}: back to {following}" if following in seen else f"at {here}: on to {following}, which is new"
        seen.add(following)
        told.append(_Told(place, following, why, along))
    return told


def _tell_queries(run: NetworkOutput) -> list[_Told]:
    """Return the queries with what is found, and the answer. The v of a query is chosen at its opening mark."""
    told = []
    opened = None
    failed = 0
    for place in range(run.prompt, len(run.shown)):
        token = run.shown[place]
        if token == "[":
            opened = place
        if run.inserted[place] and opened is not None:
            asked = run.shown[opened + 1 : place - 1]
            what = f"{asked[0]}'s neighbour after {asked[-1]}" if len(asked) > 1 else f"{asked[0]}'s first neighbour"
            failed += token == "FAILED"
            along = frozenset((int(asked[0]), int(token))) if token.isdecimal() else None
            query = " ".join(run.shown[opened:place])
            told.append(_Told(opened - 1, query, what, along, found=token, chosen_at=opened))
        if token in ("NO", "YES"):
            told.append(_Told(place - 1, token, f"{failed} of {VERTICES} vertices failed"))
    return told
