"""The one-way protocol through a layer with exact weights: Alice sends one number, and Bob answers as the layer does.

Both know the layer, and which positions each of them has. In one head, an input of Alice gives a list of rounded means: one for
each input of Bob. Both parties can compute all lists that occur, and number them in order. Alice sends the numbers of her lists
for all heads, as one number. The part of space that contains her sums determines a list (`one_layer`). So there are at most
`cells`(m, T B) lists, for T thresholds of rounding and B inputs of Bob.
"""

from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from seqsep.core.names import InternalError
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.channel import Channel, meet
from seqsep.maths.communication.one_layer_message import cells, word_bits
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim
from seqsep.theorems.retrieval import _exact_attention as attention
from seqsep.theorems.retrieval.one_layer import Shared, bob_sums, responses

Heard = tuple[tuple[int, ...], ...]
"""The means of one head in steps, for each input of Bob's."""


@dataclass(frozen=True)
class Conversation:
    """The result of the protocol on one layer: bits of a message, bits of the bound, inputs tested, and an error if any."""

    bits: int
    bound: int
    inputs: int
    error: dict[str, object] | None


def converse(claim: Claim, network: Network, shared: Shared) -> Conversation:
    """Run the protocol on every input of both.

    Raises TheoremFails if Bob's answer is not that of the whole layer, or if a head has more lists than the bound allows.
    """
    bobs = bob_sums(network, shared)
    alices = shared.alices()
    by_head = [_lists(network, alice, shared, bobs) for alice in alices]
    books = [sorted(set(column)) for column in zip(*by_head, strict=True)]
    numbers = [{heard: number for number, heard in enumerate(book)} for book in books]
    sizes = [len(book) for book in books]
    width = ceil_log2(prod(sizes))
    allowed = cells(len(books[0][0][0]), 2 * network.grid.steps**2 * len(bobs))
    if max(sizes) > allowed:
        raise claim.fails({"network": network.name, "lists": max(sizes), "parts": allowed})
    error = None
    first_with: dict[int, dict[int, int]] = {}
    for alice, own in zip(alices, by_head, strict=True):
        message = _one_number([book[heard] for book, heard in zip(numbers, own, strict=True)], sizes)
        _, received, _ = meet(partial(_say, message, width), partial(Channel.receive, width=width))
        chosen = [book[number] for book, number in zip(books, _numbers(received, sizes), strict=True)]
        for question in range(len(bobs)):
            tokens = shared.whole(alice, question)
            answer = attention.answer(network, tuple(heard[question] for heard in chosen), shared.last)
            if answer != attention.forward(network, np.array(tokens)):
                raise claim.fails({"network": network.name, "tokens": tokens, "bob": answer})
        other = first_with.setdefault(message, alice)
        if other is not alice and error is None:
            error = error_between(network, shared, other, alice)
    return Conversation(width, word_bits(allowed, len(books)), len(alices) * len(bobs), error)


def _say(message: int, width: int, channel: Channel) -> None:
    channel.send(message, width)


def _one_number(numbers: list[int], sizes: list[int]) -> int:
    """Numbers below these sizes as one below their product."""
    whole = 0
    for number, size in zip(numbers, sizes, strict=True):
        whole = whole * size + number
    return whole


def _numbers(whole: int, sizes: list[int]) -> list[int]:
    """The numbers that it was put together from."""
    found = []
    for size in reversed(sizes):
        whole, number = divmod(whole, size)
        found.append(number)
    return found[::-1]


def _lists(
    network: Network, alice: dict[int, int], shared: Shared, bobs: list[tuple[attention.HeadSums, ...]]
) -> tuple[Heard, ...]:
    """Head by head: the means of the layer with each of Bob's inputs."""
    heard = responses(network, attention.sums(network, alice, shared.last), bobs)
    return tuple(zip(*heard, strict=True))


def error_between(network: Network, shared: Shared, one: dict[int, int], other: dict[int, int]) -> dict[str, object]:
    """An input that a layer answers wrongly: its means are the same for two distinguished inputs of Alice."""
    for question in range(len(shared.bobs)):
        pair = [shared.whole(alice, question) for alice in (one, other)]
        expected = [shared.answers(tokens) for tokens in pair]
        if expected[0] != expected[1]:
            answer = attention.forward(network, np.array(pair[0]))
            wrong = int(answer == expected[0])
            return {"prefixes": pair, "errs_on": list(pair[wrong]), "answer": answer, "expected": expected[wrong]}
    raise InternalError("some input of Bob's tells any two of Alice's apart")
