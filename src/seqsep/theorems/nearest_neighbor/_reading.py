"""Reading and checking of a user's question to the nearest-neighbour network: a fault is a ValueError with the field's name."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.base import field_of, whole_number, whole_numbers
from seqsep.theorems.nearest_neighbor._settings import Settings, measured, on_grid, symbol_points

NORM_SQUARED = Fraction(5, 4)
ROUNDING = 1e-6
"""The most by which the norm of a vector that was normalised in float32 exceeds 1."""

MOST_POINTS = 1 << 18  # of all questions of a line, which are asked at once


class UserQuestion(NamedTuple):
    """Points and questions as real vectors, or as symbols (`recall`), with labels; `name` is the field of the questions."""

    recall: bool
    points: np.ndarray
    labels: list[int]
    questions: np.ndarray
    name: str

    def settings(self, alphabet: int, grid: Grid) -> Settings:
        """One setting for each question, on the grid. Raises ValueError for a vector that is too long once it is rounded."""
        if self.recall:
            points = symbol_points(self.points, alphabet, grid)
            questions = symbol_points(self.questions, alphabet, grid)
        else:
            points = _rounded(self.points, "points", grid)
            questions = _rounded(self.questions, self.name, grid)
        count = len(questions)
        return Settings(
            np.concatenate([np.repeat(points[None], count, axis=0), questions[:, None]], axis=1),
            np.repeat(np.array([[*self.labels, 0]]), count, axis=0),
        )


def read(given: Mapping[str, Any], length: int, classes: int, alphabet: int) -> UserQuestion:
    """Read either form of input, with at most `length` points in all. Raises ValueError with the field's name."""
    recall = "pairs" in given
    name = "queries" if "queries" in given else "query"
    if name not in given:
        raise ValueError(f"query: missing; found {', '.join(given) or 'no fields'}")
    held = given.get("pairs" if recall else "points")
    if name == "queries" and isinstance(given[name], list) and isinstance(held, list):
        most = MOST_POINTS // (len(held) + 1)
        if len(given[name]) > most:
            raise ValueError(
                f"queries: expected at most {most:,} of them next to {len(held):,} {'pairs' if recall else 'points'}, "
                f"found {len(given[name]):,}"
            )
    asked = _recall(given, name, classes, alphabet) if recall else _points(given, name, classes)
    if not 1 <= len(asked.labels) <= length - 1:
        raise ValueError(f"{'pairs' if recall else 'points'}: expected 1 to {length - 1} of them, found {len(asked.labels)}")
    return asked


def _recall(given: Mapping[str, Any], name: str, classes: int, alphabet: int) -> UserQuestion:
    pairs = given["pairs"]
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        raise ValueError(f"pairs: expected a list of [key, value] of whole numbers, found {str(pairs)[:80]}")
    values: dict[int, int] = {}
    for key, value in pairs:
        if not 0 <= key < alphabet:
            raise ValueError(f"pairs: expected keys 0 to {alphabet - 1}, found {key}")
        if values.setdefault(key, value) != value:
            raise ValueError(f"pairs: key {key} has the values {values[key]} and {value}")
    labels = [value for _, value in pairs]
    _require_classes(labels, classes, "pairs: expected values")
    questions = whole_numbers(given, name) if name == "queries" else [whole_number(given, name)]
    if not questions:
        raise ValueError(f"{name}: expected at least one key, found none")
    for question in questions:
        if question not in values:
            raise ValueError(f"{name}: {question} is not the key of any pair")
    return UserQuestion(
        recall=True,
        points=np.array([key for key, _ in pairs], dtype=np.int64),
        labels=labels,
        questions=np.array(questions, dtype=np.int64),
        name=name,
    )


def _is_pair(value: Any) -> bool:
    """Return True for a list of two whole numbers."""
    return isinstance(value, list) and len(value) == 2 and all(type(entry) is int for entry in value)


def _points(given: Mapping[str, Any], name: str, classes: int) -> UserQuestion:
    labels = whole_numbers(given, "labels")
    _require_classes(labels, classes, "labels: expected")
    points = _vectors(field_of(given, "points"), "points", None)
    if len(points) != len(labels):
        raise ValueError(f"labels: expected {len(points)}, one a point, found {len(labels)}")
    asked = [given[name]] if name == "query" else given[name]
    questions = _vectors(asked, name, points.shape[1])
    return UserQuestion(recall=False, points=points, labels=labels, questions=questions, name=name)


def _require_classes(labels: Sequence[int], classes: int, what: str) -> None:
    if labels and not 0 <= min(labels) <= max(labels) < classes:
        raise ValueError(f"{what} 0 to {classes - 1}, found {min(labels)} to {max(labels)}")


def _vectors(value: Any, name: str, dimension: int | None) -> np.ndarray:
    if not isinstance(value, list) or not value or not all(_is_vector(row) for row in value):
        raise ValueError(f"{name}: expected vectors of finite numbers, found {str(value)[:80]}")
    wanted = len(value[0]) if dimension is None else dimension
    for row in value:
        if len(row) != wanted:
            raise ValueError(f"{name}: expected {wanted} coordinates, found {len(row)}")
    vectors = np.array(value, dtype=np.float64)
    longest = float(np.linalg.norm(vectors, axis=1).max())
    if longest > 1 + ROUNDING:
        raise ValueError(f"{name}: expected vectors of norm at most 1, found a norm of {longest:.9g}")
    return vectors


def _is_vector(value: Any) -> bool:
    """Return True for a list of at least one number, all finite."""
    return isinstance(value, list) and bool(value) and all(_is_number(entry) for entry in value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _rounded(vectors: np.ndarray, name: str, grid: Grid) -> np.ndarray:
    """Vectors in steps of the grid. Raises ValueError for a squared norm above 5/4."""
    rounded = on_grid(vectors, grid)
    longest = max(sum(int(entry) ** 2 for entry in row) for row in rounded)
    if longest > NORM_SQUARED * grid.steps**2:
        raise ValueError(f"{name}: a squared norm of {longest / grid.steps**2:.4g} after rounding to 1/{grid.steps}, above 5/4")
    return rounded


def require_margin(settings: Settings, gamma: Fraction, name: str, grid: Grid) -> None:
    """Raise ValueError for a question whose margin on the grid is below gamma."""
    last = np.full((len(settings.points), 1), settings.points.shape[1] - 1)
    _, margins = measured(settings, last, grid)
    for place, margin in enumerate(margins[:, 0]):
        if int(margin) < gamma * grid.steps**2:
            which = "the question" if name == "query" else f"question {place + 1}"
            raise ValueError(
                f"{name}: {which} has a margin of {int(margin) / grid.steps**2:.6g} between the nearest point and those of "
                f"other labels, on the grid of step 1/{grid.steps}; gamma is {float(gamma):.6g}"
            )
