"""Two inputs that one layer's protocol does not distinguish, and the inputs that mix them; proof in `one_layer_protocol`.

Let all messages be the same for (x, y) and (x', y'). Then they are also the same for (x, y'): each party says what it says in
one of the two runs. So Bob, who has y', gets the logits of (x', y') at (x, y').
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import required
from seqsep.maths.networks.network import Network
from seqsep.theorems.protocols import one_layer_protocol

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class EqualTranscripts:
    """Two inputs with one transcript, Bob's logits on each in steps of the grid, and how many inputs were run.

    `alice` are her positions, from 0; Bob has the last one.

    >>> pair = EqualTranscripts(alice=(0,), inputs=((0, 1), (2, 3)), logits=((5,), (7,)), tried=2)
    >>> pair.mixed(0, 1), pair.mixed(1, 0)
    ((0, 3), (2, 1))
    """

    alice: tuple[int, ...]
    inputs: tuple[Tokens, Tokens]
    logits: tuple[Tokens, Tokens]
    tried: int

    def mixed(self, of_alice: int, of_bob: int) -> Tokens:
        """Alice's tokens of one input (0 or 1) and Bob's of one; its logits are `logits[of_bob]`."""
        hers = self.inputs[of_alice]
        his = self.inputs[of_bob]
        return tuple(hers[place] if place in self.alice else token for place, token in enumerate(his))


def equal_transcripts(
    network: Network, given: Int64[np.ndarray, "inputs length"], alice: Collection[int]
) -> EqualTranscripts | None:
    """Run the protocol, after which only Bob learns, on one input after the other; None if all transcripts differ.

    Repeated inputs count once. Raises ValueError as `one_layer_protocol.require` does.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> lookup = build(length=2, alphabet=2)
    >>> equal_transcripts(lookup, np.array([[0, 1, 2], [0, 0, 2], [0, 1, 2]]), alice=[0]) is None
    False
    """
    first_with: dict[Tokens, tuple[Tokens, Tokens]] = {}
    for tried, tokens in enumerate(given, start=1):
        _, bob, _ = one_layer_protocol.talk(network, tokens, alice, "one-learns", question="token")
        second = tuple(tokens.tolist())
        found = required(bob.logits, "the logits of the party that learns")
        first, logits = first_with.setdefault(bob.transcript, (second, found))
        if first != second:
            return EqualTranscripts(tuple(alice), (first, second), (logits, found), tried)
    return None
