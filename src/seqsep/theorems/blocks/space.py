"""Named, disjoint spaces of the residual stream, in which a construction keeps its numbers."""

import numpy as np
from jaxtyping import Int64, Shaped

Rows = Int64[np.ndarray, "_ width"]


class Spaces:
    """Spaces side by side in the order given, each with its number of coordinates.

    A space's basis is a block of rows of the identity: `rows @ x` reads it, `rows.T @ y` writes it.

    >>> spaces = Spaces(symbol=2, mismatch=1, own=3)
    >>> spaces.width, spaces.slices["own"]
    (6, slice(3, 6, None))
    >>> spaces["symbol"].tolist()
    [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    >>> spaces.embed(mismatch=np.array([[7]]), own=np.array([[1, 2, 3]])).tolist()
    [[0, 0, 7, 1, 2, 3]]
    >>> spaces.embed(symbol=np.array([[1, 2, 3]]))
    Traceback (most recent call last):
    ValueError: Spaces.embed(symbol): the space has 2 coordinates, found 3
    """

    def __init__(self, **sizes: int) -> None:
        self.slices: dict[str, slice] = {}
        self.width = 0
        for name, size in sizes.items():
            if size < 0:
                raise ValueError(f"Spaces({name}={size}): a space has 0 coordinates or more")
            self.slices[name] = slice(self.width, self.width + size)
            self.width += size
        self._identity = np.eye(self.width, dtype=np.int64)

    def __contains__(self, name: str) -> bool:
        return name in self.slices

    def __getitem__(self, name: str) -> Rows:
        """The basis of a space: its rows of the identity. Raises ValueError for an unknown name."""
        if name not in self.slices:
            raise ValueError(f"Spaces[{name!r}]: spaces are {', '.join(self.slices)}")
        return self._identity[self.slices[name]]

    def size(self, name: str) -> int:
        """The number of coordinates of a space."""
        return len(self[name])

    def nothing(self, count: int = 1) -> Rows:
        """Rows of zeros: what reads nothing and writes nothing."""
        return np.zeros((count, self.width), dtype=np.int64)

    def embed(self, **blocks: Shaped[np.ndarray, "count _"]) -> Shaped[np.ndarray, "count width"]:
        """Vectors of the residual stream that hold each block in the space of that name, and 0 elsewhere.

        Raises ValueError, with the space's name, for a block of another number of coordinates.
        """
        first = next(iter(blocks.values()))
        vectors = np.zeros((len(first), self.width), dtype=first.dtype)
        for name, block in blocks.items():
            if block.shape[1] != self.size(name):
                raise ValueError(f"Spaces.embed({name}): the space has {self.size(name)} coordinates, found {block.shape[1]}")
            vectors[:, self.slices[name]] = block
        return vectors

    def require_same_size(self, first: str, second: str) -> None:
        """Raise ValueError, with both names, if the two spaces have different numbers of coordinates."""
        if self.size(first) != self.size(second):
            raise ValueError(f"Spaces: {first} has {self.size(first)} coordinates, {second} has {self.size(second)}")
