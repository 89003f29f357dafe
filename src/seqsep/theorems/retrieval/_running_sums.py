"""One attention layer in floats, as its last position sees it: positions are read in order into sums of p bits per number.

A head keeps the greatest score M so far, the sum Z of e^(score - M), and the sums of e^(score - M) times value. A greater score
rescales these sums. GPU kernels read keys block by block in this way. Every number, and each result of a step, is a float of p
bits. So a party that has read its positions sends only these H (m + 2) numbers to the other party.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int64

CLASSES = 3
TYPES = {16: np.float16, 32: np.float32, 64: np.float64}
"""Floats by their bits."""


class AttentionSums(NamedTuple):
    """The sums of a layer over the positions read so far, for each input of a batch and each head."""

    maximum: Float[np.ndarray, "batch heads"]
    weight: Float[np.ndarray, "batch heads"]
    values: Float[np.ndarray, "batch heads width"]


@dataclass(frozen=True)
class RunningLayer:
    """For a fixed last token: the score and value of every token at every place, and the read-out of the heads' means.

    >>> layer = random_layer(np.random.default_rng(0), places=3, tokens=2, heads=2, width=4, precision=16)
    >>> layer.values.shape, layer.precision
    ((3, 2, 2, 4), 16)
    """

    scores: Float[np.ndarray, "places tokens heads"]
    values: Float[np.ndarray, "places tokens heads width"]
    readout: Float[np.ndarray, "classes heads width"]

    @property
    def precision(self) -> int:
        """The bits of a number."""
        return 8 * self.values.itemsize

    def nothing(self, batch: int) -> AttentionSums:
        """The sums before any position."""
        heads, width = self.values.shape[2:]
        kind = self.values.dtype
        return AttentionSums(
            np.full((batch, heads), -np.inf, dtype=kind), np.zeros((batch, heads), kind), np.zeros((batch, heads, width), kind)
        )

    def read(self, sums: AttentionSums, tokens: Int64[np.ndarray, "batch part"], first: int) -> AttentionSums:
        """Read the tokens at the places from `first` on, one place after the other."""
        for place, column in enumerate(tokens.T, start=first):
            score = self.scores[place, column]
            greatest = np.maximum(sums.maximum, score)
            kept = np.exp(sums.maximum - greatest)
            added = np.exp(score - greatest)
            sums = AttentionSums(
                greatest,
                sums.weight * kept + added,
                sums.values * kept[..., None] + added[..., None] * self.values[place, column],
            )
        return sums

    def logits(self, sums: AttentionSums) -> Float[np.ndarray, "batch classes"]:
        """The rest of the model: here a read-out of the means."""
        means = sums.values / sums.weight[..., None]
        return (means[:, None] * self.readout).sum(axis=(-2, -1))


def random_layer(
    random: np.random.Generator, *, places: int, tokens: int, heads: int, width: int, precision: int
) -> RunningLayer:
    """Scores and values drawn from a normal distribution, scores thrice as wide."""
    kind = TYPES[precision]
    shape = (places, tokens, heads)
    return RunningLayer(
        scores=(3 * random.normal(size=shape)).astype(kind),
        values=random.normal(size=(*shape, width)).astype(kind),
        readout=random.normal(size=(CLASSES, heads, width)).astype(kind),
    )


def written(sums: AttentionSums) -> bytes:
    """The sums as bytes, number by number."""
    return b"".join(np.ascontiguousarray(part).tobytes() for part in sums)


def heard(layer: RunningLayer, message: bytes, batch: int) -> AttentionSums:
    """The sums from these bytes alone; the receiver knows the layer, and how many inputs there are."""
    empty = layer.nothing(batch)
    numbers = np.frombuffer(message, dtype=layer.values.dtype)
    ends = np.cumsum([part.size for part in empty])[:-1]
    parts = [part.reshape(like.shape).copy() for part, like in zip(np.split(numbers, ends), empty, strict=True)]
    return AttentionSums(*parts)
