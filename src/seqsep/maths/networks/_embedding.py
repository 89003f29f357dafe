"""From the inputs of a network to its residual stream on the grid."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import required
from seqsep.maths.arithmetic.grid import Array, Tally
from seqsep.maths.networks.network import Network


class ResidualStream(NamedTuple):
    """Vectors of width d, and the number of the vector at each position; equal tokens at equal times share one.

    >>> stream = ResidualStream(Array(np.array([[1, 0], [0, 1]])), place=np.array([[0, 1, 0]]))
    >>> stream.dense().integers.shape
    (1, 3, 2)
    """

    rows: Array
    place: Int64[np.ndarray, "batch time"]

    def at(self, asked: Int64[np.ndarray, "batch asked"]) -> "ResidualStream":
        """Return the stream at the queried positions of each example only."""
        return ResidualStream(self.rows, np.take_along_axis(self.place, asked, axis=1))

    def dense(self) -> Array:
        """The vectors as one array (batch, time, width)."""
        return Array(self.rows.integers[self.place], self.rows.unit)


def embed(network: Network, inputs: np.ndarray, tally: Tally, first: int = 0) -> ResidualStream:
    """Return the embedded inputs. Each distinct pair of token and time is computed once. The first input is at time `first`."""
    grid = network.grid
    batch, time = inputs.shape[:2]
    place = np.arange(batch * time).reshape(batch, time)
    when = np.arange(batch * time) % time
    if network.vectors is not None:
        x = _embed_vectors(network, inputs, tally)
    else:
        tables = [table for table in (network.symbols, network.indices) if table is not None]
        vocabulary = sum(len(table.integers) for table in tables)
        if inputs.size and not 0 <= int(inputs.min()) <= int(inputs.max()) < vocabulary:
            raise ValueError(f"run({network.name}): tokens are 0 to {vocabulary - 1}, found {inputs.min()} to {inputs.max()}")
        token = inputs.reshape(-1)
        if batch > 1:
            pairs, inverse = np.unique(inputs + vocabulary * np.arange(time), return_inverse=True)
            place = inverse.reshape(batch, time)
            when = pairs // vocabulary
            token = pairs % vocabulary
        x = _rows(tables, token)
    if network.positions is not None:
        if first + time > len(network.positions.integers):
            raise ValueError(f"run({network.name}): {first + time} tokens, positions for {len(network.positions.integers)}")
        x = grid.place(x.plus(network.positions[first + when]), tally, "embedding")
    return ResidualStream(x.lifted(), place)


def _embed_vectors(network: Network, inputs: Int64[np.ndarray, "batch time coordinates"], tally: Tally) -> Array:
    grid = network.grid
    vectors = required(network.vectors, "the embedding of vectors")
    coordinates = inputs.shape[-1]
    given = Array(inputs.reshape(-1, coordinates), grid.step)
    if not grid.holds(given) or coordinates != len(vectors.integers):
        raise ValueError(
            f"run({network.name}): inputs are {len(vectors.integers)} coordinates of magnitude at most "
            f"{grid.steps}, found {coordinates} of at most {float(given.largest):g}"
        )
    return grid.product(given.lifted(), vectors, tally, "embedding")


def _rows(tables: list[Array], token: Int64[np.ndarray, "n"]) -> Array:
    """Rows of one or two tables, numbered through, without joining the tables: one may have millions of rows."""
    count = len(tables[0].integers)
    if len(tables) == 1 or int(token.max(initial=-1)) < count:
        return tables[0][token]
    if int(token.min(initial=count)) >= count:
        return tables[1][token - count]
    in_second = token >= count
    from_first = tables[0].integers[np.where(in_second, 0, token)]
    from_second = tables[1].integers[np.where(in_second, token - count, 0)]
    one = Array(np.where(in_second[:, None], 0, from_first), tables[0].unit)
    return one.plus(Array(np.where(in_second[:, None], from_second, 0), tables[1].unit))
