"""Spoiled networks: one entry of one array changed, which a check must find out if the function changes."""

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network


def with_array(network: Network, name: str, array: Array) -> Network:
    """The network with one array replaced, by its name in `arrays()`; ValueError if the grid does not hold it."""
    if "." not in name:
        return dataclasses.replace(network, **{name: array})
    _, number, part, *rest = name.split(".")
    layers = list(network.layers)
    mixer, feed_forward = layers[int(number)]
    if part in ("feed_forward", "gated_feed_forward"):
        feed_forward = dataclasses.replace(feed_forward, **{rest[0]: array})
    elif part == "heads":
        index, entry = int(rest[0]), rest[1]
        heads = list(mixer.heads)
        heads[index] = dataclasses.replace(heads[index], **{entry: array})
        mixer = dataclasses.replace(mixer, heads=tuple(heads))
    else:
        mixer = dataclasses.replace(mixer, **{rest[0]: array})
    layers[int(number)] = mixer, feed_forward
    return dataclasses.replace(network, layers=tuple(layers))


def spoiled(network: Network, seed: int) -> tuple[str, Network]:
    """One entry of one array changed by 1, 2 or its negative, and the array's name; arrays take turns with the seeds."""
    random = np.random.default_rng(seed)
    arrays = list(network.arrays())
    name, array = arrays[seed % len(arrays)]
    integers = array.integers.copy()
    place = tuple(random.integers(side) for side in integers.shape)
    moved = integers[place] + random.choice([-2, -1, 1, 2])
    integers[place] = -integers[place] if integers[place] and random.integers(2) else moved
    return name, with_array(network, name, Array(integers, array.unit, array.by_index))


def defects_that_change(honest: Network, function: Callable[[Network], object], count: int) -> Iterator[tuple[str, Network]]:
    """Spoiled networks in this number, whose function is another one, each with the name of the array that has the change."""
    right = function(honest)
    seed = 0
    while count:
        seed += 1
        try:
            name, network = spoiled(honest, seed)
        except ValueError:
            continue
        if function(network) != right:
            count -= 1
            yield name, network


def follows(sequences: list[list[int]], asked: list[list[int]]) -> Callable[[Network], bool]:
    """Return True if a network surely answers every sequence with its own tokens at the queried places."""

    def one_by_one(network: Network) -> bool:
        for sequence, places in zip(sequences, asked, strict=True):
            result = run(network, np.array([sequence[:-1]]), np.array([places]) - 1)
            if not (result.unique_argmax.all() and np.array_equal(result.answers[0], np.array(sequence)[places])):
                return False
        return True

    return one_by_one
