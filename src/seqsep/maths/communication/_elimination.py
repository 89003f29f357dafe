"""Gaussian elimination modulo a prime and over GF(2): independent rows and columns of a matrix of whole numbers."""

import math
from functools import lru_cache

import numpy as np
from jaxtyping import Int64

Matrix = Int64[np.ndarray, "rows columns"]
Numbers = Int64[np.ndarray, "_size"]


def is_prime(number: int) -> bool:
    """Return True if a number up to 2^31 is prime, by trial division."""
    divisors = np.arange(2, math.isqrt(max(number, 0)) + 1)
    return number > 1 and bool((number % divisors).all())


@lru_cache(maxsize=256)
def greatest_prime_below(bound: int) -> int:
    """The greatest prime below a bound up to 2^31. Raises ValueError if there is none."""
    for number in range(bound - 1, 1, -1):
        if is_prime(number):
            return number
    raise ValueError(f"greatest_prime_below({bound}): there is none")


def most_modulus(size: int) -> int:
    """The greatest p such that sums of `size` + 1 products below p^2 are exact in float64; at most 2^26."""
    return math.isqrt((1 << 53) // (size + 1))


def independent_modulo(matrix: Matrix, prime: int) -> tuple[Numbers, Numbers]:
    """The rows and columns of a largest minor that is nonsingular modulo a prime below 2^31. Products fit int64."""
    left = matrix % prime
    order = np.arange(len(left))
    columns: list[int] = []
    for column in range(left.shape[1]):
        done = len(columns)
        pivots = np.flatnonzero(left[done:, column])
        if not len(pivots):
            continue
        pivot = done + int(pivots[0])
        left[[done, pivot]] = left[[pivot, done]]
        order[[done, pivot]] = order[[pivot, done]]
        factors = left[done + 1 :, column] * pow(int(left[done, column]), -1, prime) % prime
        below = np.flatnonzero(factors)
        left[done + 1 + below] = (left[done + 1 + below] - factors[below, None] * left[done] % prime) % prime
        columns.append(column)
        if len(columns) == len(left):
            break
    return order[: len(columns)].copy(), np.array(columns, dtype=np.int64)


def independent_in_floats(matrix: Matrix, prime: int) -> tuple[Numbers, Numbers]:
    """The same as `independent_modulo` for a prime up to `most_modulus` of the shorter side, about ten times as fast.

    It is Crout's elimination: a column is reduced by all pivots so far only when its turn comes, as one float64 product whose
    sums stay below 2^53. Raises ValueError for a greater prime.
    """
    if prime > most_modulus(min(matrix.shape)):
        raise ValueError(
            f"independent_in_floats({matrix.shape[0]} x {matrix.shape[1]} matrix, prime={prime}): sums would be rounded"
        )
    left = (matrix % prime).astype(np.float64)
    size = min(left.shape)
    lower = np.zeros((len(left), size))
    upper = np.zeros((size, left.shape[1]))
    rows: list[int] = []
    columns: list[int] = []
    for column in range(left.shape[1]):
        done = len(rows)
        if done == size:
            break
        rest = (left[:, column] - lower[:, :done] @ upper[:done, column]) % prime
        pivot = int(rest.argmax())
        if not rest[pivot]:
            continue
        inverse = pow(int(rest[pivot]), -1, prime)
        upper[done] = (left[pivot] - lower[pivot, :done] @ upper[:done]) % prime
        lower[:, done] = rest * inverse % prime
        rows.append(pivot)
        columns.append(column)
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


def nonsingular_modulo(square: Int64[np.ndarray, "size size"], prime: int) -> bool:
    """Return True if a matrix of whole numbers has an inverse modulo a prime below 2^31, by Gauss-Jordan elimination."""
    left = square % prime
    for step in range(len(left)):
        pivots = np.flatnonzero(left[step:, step])
        if not len(pivots):
            return False
        left[[step, step + int(pivots[-1])]] = left[[step + int(pivots[-1]), step]]
        left[step] = left[step] * pow(int(left[step, step]), prime - 2, prime) % prime
        rest = np.arange(len(left)) != step
        left[rest] = (left[rest] - left[rest, step, None] * left[step]) % prime
    return True


def nonsingular_gf2(square: Int64[np.ndarray, "size size"]) -> bool:
    """Return True if a matrix of whole numbers has an inverse over GF(2): no row is a sum of rows before it.

    A row is one integer with a bit a column; it is reduced by the rows before it from its lowest bit on.
    """
    by_lowest: dict[int, int] = {}
    for data in np.packbits(square % 2 == 1, axis=1):
        row = int.from_bytes(data.tobytes(), "big")
        while row and (lowest := (row & -row).bit_length()) in by_lowest:
            row ^= by_lowest[lowest]
        if not row:
            return False
        by_lowest[lowest] = row
    return True


def independent_gf2(matrix: Matrix) -> tuple[Numbers, Numbers]:
    """The rows and columns of a largest minor that is nonsingular over GF(2). A row is one integer with a bit a column."""
    packed = np.packbits(matrix % 2 == 1, axis=1, bitorder="little")
    basis: dict[int, int] = {}
    rows = []
    for number, data in enumerate(packed):
        row = int.from_bytes(data.tobytes(), "little")
        while row and (highest := row.bit_length() - 1) in basis:
            row ^= basis[highest]
        if row:
            basis[row.bit_length() - 1] = row
            rows.append(number)
    return np.array(rows, dtype=np.int64), np.array(sorted(basis), dtype=np.int64)
