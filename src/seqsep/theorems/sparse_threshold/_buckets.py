"""One attention layer that counts ones in buckets of places: it decides whether two sets meet if each bucket is one place.

Two sets meet if they have a common member. The tokens are [BOS], x_1 .. x_h, y_1 .. y_h, and place i is in bucket (i - 1) mod
b. The proof is in `disjointness_one_layer`.
"""

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.theorems.blocks import Spaces, Units, feed_forward, hard_scale, least_grid

TOKENS = 3


def bucket_of(half: int, buckets: int) -> Int64[np.ndarray, "half"]:
    """Return the bucket of each place, from 0.

    >>> bucket_of(half=5, buckets=2).tolist()
    [0, 1, 0, 1, 0]
    """
    return np.arange(half) % buckets


def bucket_model(name: str, half: int, buckets: int) -> Network:
    """Build the layer: class 1 if some bucket has more ones, of both sets, than places.

    >>> from seqsep.maths.networks.executor import run
    >>> counts = bucket_model("counts", half=2, buckets=1)  # {1} and {1}, {1, 2} and {1}: two ones, three ones
    >>> run(counts, np.array([[2, 1, 0, 1, 0], [2, 1, 1, 1, 0]]), at=-1).answers[:, 0]
    array([0, 1])
    """
    tokens = 2 * half + 1
    grid = least_grid(tokens, needed=lambda eta: eta)
    spaces = Spaces(asks=1, zero=1, bos=1, bucket=buckets, count=buckets, unit=1, excess=1)
    symbols = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]])
    places = np.eye(buckets, dtype=np.int64)[bucket_of(half, buckets)]
    of_bos = np.zeros((1, buckets), dtype=np.int64)
    readout = np.concatenate([spaces["unit"], 2 * spaces["excess"]])
    return Network(
        name=name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(asks=symbols[:, :1], zero=symbols[:, 1:2], bos=symbols[:, 2:])),
        positions=whole(spaces.embed(bucket=np.concatenate([of_bos, places, places])), by_index=True),
        layers=((AttentionLayer((_count_ones(spaces, hard_scale(grid.steps)),)), _exceed(spaces, half, buckets)),),
        readout=whole(readout),
        readout_bias=whole(np.zeros(2)),
    )


def _count_ones(spaces: Spaces, eta: int) -> Head:
    """The scores are 0 for ones and [BOS], and -eta for zeros, whose exponentials round to 0. So each one, and [BOS], has
    weight u.
    """
    value = np.concatenate([spaces["bucket"], spaces["bos"]])
    output = np.concatenate([spaces["count"], spaces["unit"]])
    return Head(whole(eta * spaces["asks"]), whole(-spaces["zero"]), value=whole(value), output=whole(output.T))


def _exceed(spaces: Spaces, half: int, buckets: int) -> FeedForward:
    """One hidden unit for each bucket: excess += relu(count - places in it * u)."""
    places = np.bincount(bucket_of(half, buckets), minlength=buckets)
    inner = spaces["count"] - places[:, None] * spaces["unit"]
    units = Units(inner, np.zeros(buckets, dtype=np.int64), np.repeat(spaces["excess"], buckets, axis=0))
    return feed_forward([units], spaces.nothing()[0])
