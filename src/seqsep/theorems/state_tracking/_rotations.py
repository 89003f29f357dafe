"""Groups of rotations, each element as two reflections: the keys are computed from sums, products, quotients and square
roots."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

Matrix = Float64[np.ndarray, "size size"]
Vector = Float64[np.ndarray, "size"]
NAMES = ("dyadic", "pentagon", "cube", "icosahedron")


class Rotations(NamedTuple):
    """A group of rotations.

    Fields:
        elements: the matrices; the first one is the identity.
        keys: the two unit vectors of each element, the first one applied first.
        products: the product of row a and column b is b first and then a.
    """

    elements: Float64[np.ndarray, "elements size size"]
    keys: Float64[np.ndarray, "elements two size"]
    products: Int64[np.ndarray, "elements elements"]

    @property
    def least_distance(self) -> float:
        """The least distance of two elements, in the Frobenius norm."""
        return float(np.sqrt(((self.elements[1:] - self.elements[0]) ** 2).sum(axis=(1, 2)).min()))


def rotations(name: str) -> Rotations:
    """Return a group: Z_3 by dyadic keys, the rotations of a pentagon (Z_5), of the cube, or of the icosahedron.

    >>> [len(rotations(name).elements) for name in NAMES]
    [3, 5, 24, 60]
    """
    elements = np.array(_closure(_generators(name)))
    keys = _dyadic_keys() if name == "dyadic" else np.array([_keys(element) for element in elements])
    return Rotations(elements, keys, np.array([[_nearest(elements, one @ other) for other in elements] for one in elements]))


def reflection(key: Vector) -> Matrix:
    """Return I - 2 k k^T."""
    return np.eye(len(key)) - 2 * np.outer(key, key)


def _generators(name: str) -> list[Matrix]:
    root = np.sqrt(5)
    golden = (1 + root) / 2
    cycle = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    if name == "dyadic":
        first, second = _dyadic_keys()[1]
        return [reflection(second) @ reflection(first)]
    if name == "pentagon":
        cosine = (root - 1) / 4
        sine = np.sqrt(10 + 2 * root) / 4
        return [np.array([[cosine, -sine], [sine, cosine]])]
    if name == "cube":
        return [np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), cycle]
    return [cycle, np.array([[1, -golden, 1 / golden], [golden, 1 / golden, -1], [1 / golden, 1, golden]]) / 2]


def _dyadic_keys() -> Float64[np.ndarray, "elements two size"]:
    """Return the keys of 1, r and r^2 in Z_3: unit vectors with entries 0, 1/2 and 1, at angles of 0 and 60 degrees."""
    axis = np.array([1.0, 0, 0, 0])
    diagonal = np.full(4, 0.5)
    return np.array([[axis, axis], [axis, diagonal], [diagonal, axis]])


def _closure(generators: list[Matrix]) -> list[Matrix]:
    elements = [np.eye(len(generators[0]))]
    for element in elements:
        for generator in generators:
            product = generator @ element
            if not any(np.allclose(product, known) for known in elements):
                elements.append(product)
    return elements


def _nearest(elements: Float64[np.ndarray, "elements size size"], matrix: Matrix) -> int:
    return int(((elements - matrix) ** 2).sum(axis=(1, 2)).argmin())


def _keys(rotation: Matrix) -> tuple[Vector, Vector]:
    """Return n perpendicular to the axis, and the unit vector that halves the angle between n and its image."""
    size = len(rotation)
    if np.allclose(rotation, np.eye(size)):
        return np.eye(size)[0], np.eye(size)[0]
    if size == 2:
        first, across = np.eye(2)
    else:
        around = rotation + rotation.T + (1 - np.trace(rotation)) * np.eye(3)  # a multiple of axis axis^T
        axis = _unit(around[:, np.abs(np.diag(around)).argmax()])
        first = _unit(np.cross(axis, np.eye(3)[np.abs(axis).argmin()]))
        across = np.cross(axis, first)
    half = first + rotation @ first
    return first, across if np.allclose(half, 0) else _unit(half)


def _unit(vector: Vector) -> Vector:
    scaled: Vector = vector / np.sqrt(sum(entry * entry for entry in vector))
    return scaled
