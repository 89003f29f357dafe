"""Array operations in which every row has its own places: masks, choices and copies for a block of examples at once."""

import numpy as np
from jaxtyping import Bool, Int64, Shaped, UInt32
from numpy.lib.stride_tricks import as_strided


def is_before(ends: Int64[np.ndarray, "batch"], length: int) -> Bool[np.ndarray, "batch length"]:
    """Return the places, of `length`, that are before each row's end; in 32 bits, which takes a third of the time of 64.

    >>> is_before(np.array([0, 2]), 3).astype(int).tolist()
    [[0, 0, 0], [1, 1, 0]]
    """
    return np.arange(length, dtype=np.int32) < ends.astype(np.int32)[:, None]


def below_into(uniform: UInt32[np.ndarray, "batch count"], bound: int, out: Int64[np.ndarray, "batch count"]) -> None:
    """Write `stream.below` to `out`, in half its time."""
    product = out.view(np.uint64)
    np.multiply(uniform, np.uint64(bound), out=product)
    product >>= np.uint64(32)


def chosen(
    table: Shaped[np.ndarray, "batch count *each"], columns: Int64[np.ndarray, "batch asked"]
) -> Shaped[np.ndarray, "batch asked *each"]:
    """Return table[row, columns[row]] for every row. All columns must be in the table.

    >>> chosen(np.array([[1, 2], [3, 4]]), np.array([[1, 1, 0], [0, 1, 0]])).tolist()
    [[2, 2, 1], [3, 4, 3]]
    """
    starts = np.arange(len(table)) * table.shape[1]
    rows_behind_each_other = table.reshape(-1, *table.shape[2:])
    return rows_behind_each_other.take(columns + starts[:, None], axis=0, mode="clip")  # half the time: no check of bounds


def write_from(
    starts: Int64[np.ndarray, "batch"],
    values: Shaped[np.ndarray, "batch some *each"],
    out: Shaped[np.ndarray, "batch length *each"],
) -> None:
    """Write values[row] to out[row, starts[row] : starts[row] + some] for every row, as one copy a row.

    Raises ValueError if they do not fit, or if the rows of `out` do not follow each other without a gap.
    """
    some, *each = values.shape[1:]
    rows, length = out.shape[:2]
    has_gaps = out.strides[0] != length * out.strides[1]
    if has_gaps or not 0 <= starts.min(initial=0) <= starts.max(initial=0) <= length - some:
        raise ValueError(f"write_from(..): {some} places from every start lie in rows of {length}, which have no gaps")
    windows = as_strided(out, (rows * length - some + 1, some, *each), (out.strides[1], *out.strides[1:]))
    windows[starts + np.arange(rows) * length] = values
