"""Alice and Bob of Theorem 4's protocol: each knows the network and its own tokens, and hears the rest only from a channel.

Both run the same program, `converse`. It has a step for each kind of message, in which a party writes its own message and then
reads the other's. The proof is in `one_layer_protocol`, the sizes of numbers in `one_layer_ledger`.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Shaped

from seqsep.core.names import narrowed
from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.arithmetic.softmax import exponentials
from seqsep.maths.communication.channel import Channel
from seqsep.maths.networks.network import AttentionLayer, Network
from seqsep.theorems.protocols.one_layer_ledger import NumberBits, Question, Variant

BITS_AT_ONCE = 1 << 15

WholeNumbers = Shaped[np.ndarray, "..."]


class Learned(NamedTuple):
    """The result of a party at the end: the logits in steps of the grid, the class of the greatest one, or neither.

    `bits`: those of each step, in both directions, as this party's end of the channel counts them; `transcript`: all of them.
    """

    logits: tuple[int, ...] | None
    answer: int | None
    bits: dict[str, int]
    transcript: tuple[int, ...]


class Line:
    """One party's end of the channel; it keeps the numbers that it sent and heard, and counts the bits of each step."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.before = channel.bits
        self.numbers: list[int] = []
        self.bits: dict[str, int] = {}

    def end_step(self, step: str) -> None:
        """Count the bits since the last step, in both directions, under this step's name."""
        self.bits[step] = self.channel.bits - self.before - sum(self.bits.values())

    def send(self, number: int, bits: int) -> None:
        """Write a number of this many bits."""
        self.channel.send(number, bits)
        self.numbers.append(number)

    def receive(self, bits: int) -> int:
        """Read a number of this many bits."""
        self.numbers.append(self.channel.receive(bits))
        return self.numbers[-1]

    def exchange(self, numbers: list[int], bits: int, offset: int = 0, sends: bool = True, hears: bool = True) -> list[int]:
        """Send these numbers, plus an offset that makes them >= 0, and return as many of the other party's.

        Without `sends` nothing is sent, and without `hears` nothing is read. Turns have at most BITS_AT_ONCE bits. A pipe
        holds this many, so two parties that both write first do not wait for each other.
        """
        heard = []
        at_once = max(1, BITS_AT_ONCE // max(1, bits))
        for first in range(0, len(numbers), at_once):
            turn = numbers[first : first + at_once]
            if sends:
                for number in turn:
                    self.send(int(number) + offset, bits)
            if hears:
                heard += [self.receive(bits) - offset for _ in turn]
        return heard


class OneLayerParty:
    """A party with its own positions; the asker is the one that has the last. `length` is N, `bits` are those of numbers."""

    def __init__(
        self, network: Network, own: Mapping[int, Any], length: int, line: Line, variant: Variant, question: Question
    ) -> None:
        [(layer, _)] = network.layers
        self.network = network
        self.grid = network.grid
        self.heads = narrowed(layer, AttentionLayer).heads
        self.own = own
        self.length = length
        self.line = line
        self.variant = variant
        self.question = question
        self.bits = NumberBits(network.grid, length)
        self.asks = length - 1 in own
        self.learns = self.asks or variant == "both-exchange"
        places = sorted(own)
        self.mine = embedded(network, [own[place] for place in places], places)

    def last(self) -> Array:
        """Step 1, question: the asker, who has the last position, sends x_N (d numbers of p bits) or its token (ceil(log2 S)
        bits).

        From x_N both parties compute the query of every head.
        """
        if not self.asks:
            return _receive_question(self.network, self.bits, self.line, self.question)
        self._send_question(self.own[self.length - 1])
        return self.mine[-1:]

    def _send_question(self, token: Any) -> None:
        """Send x_N, or the token (or vector) that it is computed from: both know its position and the embeddings."""
        if self.question == "token" and self.network.vectors is None:
            self.line.send(int(token), ceil_log2(vocabulary(self.network)))
            return
        entries = _steps(self.mine[-1], self.grid).tolist() if self.question == "vector" else [int(entry) for entry in token]
        self.line.exchange(entries, self.bits.number, self.bits.most_number, hears=False)

    def scores(self, last: Array) -> list[WholeNumbers]:
        """The scores A_i of the own positions in steps, for each head: each depends only on x_N and x_i."""
        scores = []
        for head in self.heads:
            query = self.grid.product(last, _transposed(head.query), Tally(), "")
            keys = self.grid.product(self.mine, _transposed(head.key), Tally(), "")
            scores.append(_steps(self.grid.product(query, _transposed(keys), Tally(), ""), self.grid)[0])
        return scores

    def maxima(self, scores: list[WholeNumbers]) -> list[int]:
        """Step 2, maxima: each party sends its greatest score for each head, p bits.

        A party without a position sends -L, the least number. The greater of the two is M = max A_i.
        """
        most = self.bits.most_number
        own = [int(row.max(initial=-most)) for row in scores]
        others = self.line.exchange(own, self.bits.number, offset=most)
        return [max(pair) for pair in zip(own, others, strict=True)]

    def shares(self, scores: list[WholeNumbers], maxima: list[int]) -> list[list[int]]:
        """The exponentials e_i = round(L exp(A_i - M)) of the own positions, for each head: whole numbers from 0 to L."""
        below = [row - maximum for row, maximum in zip(scores, maxima, strict=True)]
        return [exponentials(self.grid, Array(row, self.grid.step)).tolist() for row in below]

    def normalisers(self, shares: list[list[int]]) -> list[int]:
        """Step 3, normalisers: each party sends the sum of its e_i for each head, bit_length(N L) bits.

        Here e_i = round(L exp(A_i - M)) is the exponential of a position (`shares`). Z is the sum of both. It is a sum of
        whole numbers, so it does not depend on the order, nor on the partition.
        """
        own = [sum(share) for share in shares]
        others = self.line.exchange(own, self.bits.normaliser)
        return [sum(pair) for pair in zip(own, others, strict=True)]

    def value_sums(self, shares: list[list[int]], normalisers: list[int]) -> list[int] | None:
        """Step 4, value_sums: sums of w_i V(x_i), m numbers for each head, bit_length(2 W L^2) bits each. Return None to a
        party that learns nothing.

        The weight of a position is w_i = round(L e_i / Z). The sums are whole numbers in units of 1/L^2, not rounded yet, of
        magnitude at most W L^2. Here W is at least the sum of all w_i. If weights are rounded down, W = L, since the sum of
        floor(L e_i / Z) is at most L. If they are rounded to the nearest, W = L + floor(N/2).

        The sum over all positions is then rounded once and placed on the grid, as in the forward pass. In `both-exchange` each
        party sends its own sums. Otherwise only the asker hears the other's.
        """
        own: list[int] = []
        for head, share, normaliser in zip(self.heads, shares, normalisers, strict=True):
            weights = [self.grid.nearest_step(Fraction(one * self.grid.steps, normaliser)) for one in share]
            values = _steps(self.grid.product(self.mine, _transposed(head.value), Tally(), ""), self.grid)
            own += (np.array(weights, dtype=np.object_)[:, None] * values).sum(axis=0, initial=0).tolist()
        sends = self.variant == "both-exchange" or not self.asks
        others = self.line.exchange(own, self.bits.value_sum, self.bits.most_value_sum, sends=sends, hears=self.learns)
        return [sum(pair) for pair in zip(own, others, strict=True)] if self.learns else None

    def answer(self, own: int | None) -> int:
        """Step 5, answer: the asker sends the class of its greatest logit, ceil(log2 C) bits."""
        bits = ceil_log2(len(self.network.readout.integers))
        heard = self.line.exchange([own or 0], bits, sends=self.asks, hears=not self.asks)
        return heard[0] if own is None else own


def converse(
    network: Network,
    own: Mapping[int, Any],
    length: int,
    channel: Channel,
    variant: Variant = "both-exchange",
    question: Question = "vector",
) -> Learned:
    """Run the protocol as one party. `own`: its tokens (or vectors, in steps) by position from 0, of `length` in all.

    The party that owns the last position is the asker; if only one learns, it is the asker. The arguments are right if
    `one_layer_protocol.require` accepts them.

    >>> from seqsep.maths.communication.channel import meet
    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> lookup = build(length=2, alphabet=2)
    >>> alice, bob, bits = meet(
    ...     lambda channel: converse(lookup, {0: 1, 2: 2}, 3, channel, question="token"),
    ...     lambda channel: converse(lookup, {1: 0}, 3, channel, question="token"),
    ... )
    >>> alice.answer, bob.answer, alice.bits["question"]  # the token 2 asks for the first symbol
    (1, 1, 2)
    """
    line = Line(channel)
    party = OneLayerParty(network, own, length, line, variant=variant, question=question)
    last = party.last()
    line.end_step("question")
    scores = party.scores(last)
    maxima = party.maxima(scores)
    line.end_step("maxima")
    shares = party.shares(scores, maxima)
    normalisers = party.normalisers(shares)
    line.end_step("normalisers")
    sums = party.value_sums(shares, normalisers)
    line.end_step("value_sums")
    logits = answer = None
    if sums is not None:
        logits = _logits(network, last, np.array(sums, dtype=np.object_), Tally())
        answer = logits.index(max(logits))
    if variant == "one-learns-and-sends":
        answer = party.answer(answer)
        line.end_step("answer")
    return Learned(logits, answer, line.bits, tuple(line.numbers))


def embedded(network: Network, tokens: list[Any], places: list[int]) -> Array:
    """Rows of the residual stream for tokens (or vectors, in steps) at these places, as in the forward pass."""
    grid = network.grid
    if network.vectors is not None:
        vectors = np.array(tokens, dtype=np.int64).reshape(len(tokens), len(network.vectors.integers))
        rows = grid.product(Array(vectors, grid.step), network.vectors, Tally(), "")
    else:
        tables = [_steps(table, grid) for table in (network.symbols, network.indices) if table is not None]
        rows = Array(np.concatenate(tables)[np.array(tokens, dtype=np.int64)], grid.step)
    if network.positions is not None:
        rows = rows.plus(network.positions[places])
    return grid.place(rows, Tally(), "")


def vocabulary(network: Network) -> int:
    """Tokens that a network knows."""
    return sum(len(table.integers) for table in (network.symbols, network.indices) if table is not None)


def _receive_question(network: Network, bits: NumberBits, line: Line, question: Question) -> Array:
    """The row x_N of the other party's last position, as that party sends it."""
    if question == "token" and network.vectors is None:
        return embedded(network, [line.receive(ceil_log2(vocabulary(network)))], [bits.length - 1])
    count = network.width if network.vectors is None or question == "vector" else len(network.vectors.integers)
    entries = [line.receive(bits.number) - bits.most_number for _ in range(count)]
    if question == "token":
        return embedded(network, [entries], [bits.length - 1])
    return Array(np.array([entries], dtype=np.object_), network.grid.step)


def _logits(network: Network, last: Array, sums: Shaped[np.ndarray, "coordinates"], tally: Tally) -> tuple[int, ...]:
    """The rest of the forward pass at the last position, from the whole value sums in units of step^2."""
    [(layer, feed_forward)] = network.layers
    heads = narrowed(layer, AttentionLayer).heads
    grid = network.grid
    mixed = _steps(grid.place(Array(sums[None], grid.step**2), tally, ""), grid)
    ends = np.cumsum([len(head.value.integers) for head in heads])[:-1]
    written = Array(np.zeros((1, network.width), dtype=np.int64))
    for head, part in zip(heads, np.split(mixed, ends, axis=1), strict=True):
        written = written.plus(Array(part @ _transposed(head.output).integers, grid.step * head.output.unit))
    x = grid.place(last.plus(grid.place(written, tally, "")), tally, "")
    if feed_forward is not None:
        inner = grid.product(x, _transposed(feed_forward.inner), tally, "", bias=feed_forward.inner_bias)
        active = Array(np.maximum(inner.integers, 0), inner.unit)
        outer = grid.product(active, _transposed(feed_forward.outer), tally, "", bias=feed_forward.outer_bias)
        x = grid.place(x.plus(outer), tally, "")
    logits = grid.product(x, _transposed(network.readout), tally, "", bias=network.readout_bias)
    return tuple(_steps(logits, grid)[0].tolist())


def _steps(array: Array, grid: Grid) -> WholeNumbers:
    """The numbers of an array in steps, as Python integers, which do not wrap."""
    return array.of_unit(grid.step).integers.astype(np.object_)


def _transposed(weight: Array) -> Array:
    return Array(weight.integers.swapaxes(-1, -2), weight.unit)
