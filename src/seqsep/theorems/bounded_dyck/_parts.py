"""Heads and hidden units that the networks of `bounded_dyck_attention` are put together from; the proofs are there."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from seqsep.exact.grid import Grid
from seqsep.exact.integers import digits_of
from seqsep.exact.network import AttentionLayer, Head, whole
from seqsep.theorems.blocks import Rows, Units, average

TOKEN = ("open_kind", "close_kind", "open", "close", "bos", "time", "odd", "one")


class Plan(NamedTuple):
    """What is built: N, n, k, the variant, what is asked, and the scale of the scores (eta) on a grid."""

    name: str
    length: int
    kinds: int
    depth: int
    variant: str
    ask: str
    grid: Grid
    eta: int

    @property
    def base(self) -> int:
        """n of appendix B.2: tokens, [BOS] included, and more than the depth."""
        return max(4, self.length + 1, self.depth + 1)

    @property
    def gate(self) -> int:
        """What a token that a head shall not see scores below the others: e^-gate rounds to 0."""
        return 2 * self.base

    @property
    def kind_digits(self) -> int:
        return digits_of(self.kinds)

    @property
    def depth_digits(self) -> int:
        return self.depth.bit_length()

    @property
    def classed(self) -> bool:
        """Whether layer 1 counts kinds in each class of levels, which two layers need from depth 3 on."""
        return self.variant == "two-layer" and self.depth > 2

    def spaces(self) -> dict[str, slice]:
        b, c, found, at = self.kind_digits, self.depth_digits, {}, 0
        wanted = {name: b if name.endswith("kind") else 1 for name in TOKEN}
        if self.variant != "one-layer":
            wanted |= {"count": 1, "unit": 1}
            if self.ask == "next" or self.variant == "three-layer":
                wanted |= {"depth": c}
        if self.variant in ("two-layer", "three-layer"):
            wanted |= {"level": c} if self.variant == "three-layer" else {}
            wanted |= {"found": b, "wrong": 1, "errors": 1}
        if self.classed:
            wanted |= {"odd_count": b, "even_count": b, "unbalanced": 1, "deep": 1}
        wanted |= {"some": 1} | ({"full": 1, "match": b} if self.ask == "next" else {})
        for name, size in wanted.items():
            found[name], at = slice(at, at + size), at + size
        return found


def head(query: Rows, key: Rows, value: Rows, output: Rows) -> Head:
    return Head(whole(query), whole(key), whole(value), whole(output.T))


def side_by_side(*heads: Head) -> AttentionLayer:
    """Heads of one layer, with rows of zeros where one is narrower than another."""
    keys, values = (max(len(getattr(one, part).integers) for one in heads) for part in ("key", "value"))

    def padded(rows: np.ndarray, count: int) -> np.ndarray:
        return np.pad(rows, ((0, count - len(rows)), (0, 0)))

    def widened(one: Head) -> Head:
        query, key = (padded(part.integers, keys) for part in (one.query, one.key))
        return head(query, key, padded(one.value.integers, values), padded(one.output.integers.T, values))

    return AttentionLayer(tuple(widened(one) for one in heads))


def _last_open(plan: Plan, rows: Mapping[str, Rows]) -> Rows:
    """eta j at open brackets, lower by the gate elsewhere: the key of a head that looks for the last one."""
    return plan.gate * (rows["open"] - rows["one"]) + plan.eta * rows["time"]


def by_parity(plan: Plan, rows: Mapping[str, Rows], same: bool) -> tuple[Rows, Rows]:
    """Query and key of a head that looks for the last open bracket at positions of the same parity, or of the other one."""
    gate, one, odd = plan.gate, rows["one"], rows["odd"]
    at_even, at_odd = (-gate * odd, gate * (odd - one)) if same else (gate * (odd - one), -gate * odd)
    return np.concatenate([one, odd]), np.concatenate([_last_open(plan, rows) + at_even, at_odd - at_even])


def uniform(rows: Mapping[str, Rows]) -> Head:
    """The mean of (opens - closes, [BOS]) over all tokens so far: depth times unit, and unit."""
    value = np.concatenate([rows["open"] - rows["close"], rows["bos"]])
    return average(value, np.concatenate([rows["count"], rows["unit"]]))


def by_class(plan: Plan, rows: Mapping[str, Rows]) -> tuple[Head, Head]:
    """Means over the odd positions ([BOS] with them at even times) and over the even ones: equally many of each."""
    gate, one, odd, bos = plan.gate, rows["one"], rows["odd"], rows["bos"]
    value = np.concatenate([rows["open_kind"], rows["close_kind"], rows["open"] - rows["close"], bos])
    at_odd = np.concatenate([rows["odd_count"], -rows["even_count"], rows["count"], 0 * rows["unit"]])
    at_even = np.concatenate([rows["even_count"], -rows["odd_count"], rows["count"], rows["unit"]])
    query, key = np.concatenate([one, one - odd]), gate * np.concatenate([odd - one, bos])
    return head(query, key, value, at_odd), head(one, -gate * odd, value, at_even)


def same_depth(plan: Plan, rows: Mapping[str, Rows], digits: Rows) -> tuple[Rows, Rows]:
    """Query and key of a head that looks for the last open bracket whose depth is spelled by `digits`."""
    apart, one = plan.base, rows["one"]
    query = np.concatenate([apart * digits, one])
    return query, np.concatenate([rows["depth"], _last_open(plan, rows) - apart * plan.depth_digits * one])


def match(plan: Plan, rows: Mapping[str, Rows]) -> Head:
    return head(*same_depth(plan, rows, rows["depth"]), rows["open_kind"], rows["match"])


def _ramp(inner: Rows, outer: Rows, bias: int = 0) -> Units:
    """min(1, relu(inner x + bias)) times outer."""
    both = np.concatenate([inner, inner])
    return Units(both, np.array([bias, bias - 1]), np.concatenate([outer, -outer]))


def _beyond(plan: Plan, rows: Mapping[str, Rows], depth: int) -> Rows:
    """n (d - depth) unit: at most 0 up to `depth`, and at least 1 beyond."""
    return plan.base * (rows["count"] - depth * rows["unit"])


def at_least(plan: Plan, rows: Mapping[str, Rows], depth: int, outer: Rows) -> Units:
    return _ramp(_beyond(plan, rows, depth - 1), outer)


def _flips(plan: Plan, digits: Rows, depth: int) -> Rows:
    """What to add to the ±1 digits of depth - 1 to get those of `depth`."""
    places = np.arange(plan.depth_digits)
    return (2 * ((depth >> places) & 1) - 2 * ((depth - 1 >> places) & 1))[None] @ digits


def zeroth_digits(rows: Mapping[str, Rows]) -> np.ndarray:
    """The digits of depth 0 and level 0, all -1."""
    return -sum((rows[name].sum(axis=0) for name in ("depth", "level") if name in rows), start=0 * rows["one"][0])


def depths(plan: Plan, rows: Mapping[str, Rows]) -> list[Units]:
    """The digits of the depth after each token; whether it is above 0, and whether it is k."""
    units = []
    for depth in range(1, plan.depth + 1):
        outer = _flips(plan, rows["depth"], depth) if "depth" in rows else 0 * rows["one"]
        outer = outer + rows["some"] * (depth == 1)
        if "full" in rows:
            outer = outer + rows["full"] * (depth == plan.depth)
        if outer.any():
            units.append(at_least(plan, rows, depth, outer))
    return units


def levels(plan: Plan, rows: Mapping[str, Rows]) -> list[Units]:
    """The digits of the level: the depth after an open bracket, before a close one."""
    depths = range(1, plan.depth + 1)
    return [_ramp(_beyond(plan, rows, at - 1) + rows["close"], _flips(plan, rows["level"], at)) for at in depths]


def outside(plan: Plan, rows: Mapping[str, Rows], names: Sequence[str]) -> list[Units]:
    """1 where the depth is below 0 or above k."""
    outer = sum((rows[name] for name in names if name in rows), start=0 * rows["one"])
    return [_ramp(-plan.base * rows["count"], outer), at_least(plan, rows, plan.depth + 1, outer)]


def mismatch(rows: Mapping[str, Rows]) -> list[Units]:
    """Above 1/2 at a close bracket that differs in a digit from the open one found for it, else 0."""
    found, kind, close = rows["found"], rows["close_kind"], rows["close"]
    outer = np.repeat(rows["wrong"], len(found), axis=0)
    bias = np.ones(len(found), dtype=np.int64)
    return [Units(2 * found - 2 * kind + 2 * close, -3 * bias, outer), Units(2 * kind - 2 * found, -bias, outer)]


def unbalanced(rows: Mapping[str, Rows]) -> list[Units]:
    """The absolute counts of a close bracket's class, summed over the digits."""
    units = []
    for name, other_class in (("odd_count", rows["odd"]), ("even_count", rows["one"] - rows["odd"])):
        counts = rows[name]
        outer = np.repeat(rows["unbalanced"], len(counts), axis=0)
        bias = np.full(len(counts), -2)
        units += [Units(sign * counts + 2 * rows["close"] - 2 * other_class, bias, outer) for sign in (1, -1)]
    return units
