"""Random small layers of exact weights on which the one-way protocol is run, and the outcome of several runs."""

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Outcome
from seqsep.theorems.protocols.one_layer_trials import LayerSizes, random_network
from seqsep.theorems.retrieval._numbered_parts import Conversation, converse
from seqsep.theorems.retrieval.one_layer import Shared


def small_layer(random: np.random.Generator, places: int) -> Network:
    """A layer of one or two heads and coordinates, on a grid of 2 to 8 steps a unit."""
    sizes = LayerSizes(places, int(random.integers(1, 3)), 3, int(random.integers(1, 3)))
    return random_network(random, sizes, Grid(int(random.integers(2, 9))), harsh=False)


def conversations(claim: Claim, random: np.random.Generator, shares: list[Shared], variant: str) -> Outcome:
    """Run the protocol on a layer for each, on all inputs; the outcome has the longest message, and the first error met."""
    found: list[Conversation] = []
    for shared in shares:
        found.append(converse(claim, small_layer(random, shared.last[0] + 1), shared))
    longest = max(found, key=lambda one: one.bits)
    return claim.lower(
        length=shares[0].last[0] + 1,
        inputs=sum(one.inputs for one in found),
        measured={"message_bits": longest.bits},
        bound={"message_bits": longest.bound},
        variant=variant,
        witness=next((one.error for one in found if one.error is not None), None),
    )
