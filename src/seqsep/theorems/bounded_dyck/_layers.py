"""The networks of `bounded_dyck_attention`, put together from a few heads and feed-forward parts; the proofs are there.

Names of rows of the residual stream, each a coordinate or one a digit: `open_kind`, `close_kind` (the digits of a bracket's
kind, 0 in the other one), `open`, `close`, `bos`; `time`, `odd` (of the position), `one`; and what the layers write.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Int64

from seqsep.exact.network import Head, Layer, Network, whole
from seqsep.theorems.blocks import Rows, Units, doubled_in_place, feed_forward
from seqsep.theorems.bounded_dyck import _parts as parts
from seqsep.theorems.bounded_dyck._parts import Plan


def assemble(plan: Plan) -> Network:
    """The network. Raises ValueError where an entry is not on the grid."""
    spaces = plan.spaces()
    width = max(space.stop for space in spaces.values())
    identity = np.eye(width, dtype=np.int64)
    rows = {name: identity[space] for name, space in spaces.items()}
    layers = {"one-layer": _one, "two-layer-valid": _two_valid, "two-layer": _two, "three-layer": _three}[plan.variant]
    kinds, digits = np.arange(plan.kinds), np.arange(plan.kind_digits)
    spelled = (kinds[:, None] >> digits) & 1
    symbols = np.zeros((2 * plan.kinds + 1, width), dtype=np.int64)
    symbols[0:-1:2], symbols[1:-1:2] = (spelled @ rows[f"{way}_kind"] + rows[way] for way in ("open", "close"))
    symbols[-1] = rows["bos"]
    time = np.arange(plan.length + 1)[:, None]
    positions = time * rows["time"] + time % 2 * rows["odd"] + rows["one"]
    readout, bias = _readout(plan, rows, spelled)
    return Network(
        name=f"{plan.name}-{plan.variant}",
        grid=plan.grid,
        spaces=spaces,
        symbols=whole(symbols),
        positions=whole(positions, by_index=True),
        layers=tuple(layers(plan, rows)),
        readout=whole(readout),
        readout_bias=whole(bias),
    )


def _readout(plan: Plan, rows: Mapping[str, Rows], spelled: Int64[np.ndarray, "kinds b"]) -> tuple[Rows, np.ndarray]:
    """A logit above 0 where it is allowed: each bracket, and the end (the end alone where only membership is asked)."""
    errors = 2 * rows["errors"] if "errors" in rows else 0 * rows["some"]
    end = -2 * rows["some"] - errors
    if plan.ask == "word":
        return end, np.array([1])
    readout = np.repeat(end, 2 * plan.kinds + 1, axis=0)
    bias = np.ones(2 * plan.kinds + 1, dtype=np.int64)
    signs = 2 * spelled - 1
    readout[0:-1:2] = -2 * rows["full"] - errors
    readout[1:-1:2] = signs @ rows["match"] + 2 * rows["some"] - errors
    bias[1:-1:2] = -signs.sum(axis=1) - plan.kind_digits - 1
    return readout, bias


def _one(plan: Plan, rows: Mapping[str, Rows]) -> list[Layer]:
    one, odd, open_ = rows["one"], rows["odd"], rows["open"]
    units = [
        doubled_in_place(rows["match"]),
        Units(open_ - odd, np.array([0]), rows["full"]),
        Units(one - odd - open_, np.array([0]), -rows["some"]),
    ]
    head = parts.head(*parts.by_parity(plan, rows, same=True), rows["open_kind"], rows["match"])
    return [(parts.side_by_side(head), feed_forward(units, rows["some"][0]))]


def _two_valid(plan: Plan, rows: Mapping[str, Rows]) -> list[Layer]:
    depths = feed_forward(parts.depths(plan, rows), parts.zeroth_digits(rows))
    digits = feed_forward([doubled_in_place(rows["match"])], 0 * rows["one"][0])
    return [(parts.side_by_side(parts.uniform(rows)), depths), (parts.side_by_side(parts.match(plan, rows)), digits)]


def _two(plan: Plan, rows: Mapping[str, Rows]) -> list[Layer]:
    gate, one = plan.gate, rows["one"]
    last = parts.head(*parts.by_parity(plan, rows, same=False), rows["open_kind"], rows["found"])
    units = parts.depths(plan, rows) + parts.outside(plan, rows, ("wrong", "unbalanced")) + parts.mismatch(rows)
    if not plan.classed:
        gates = [parts.head(0 * one, 0 * one, rows["wrong"], rows["errors"])]
        first = parts.side_by_side(parts.uniform(rows), last)
    else:
        first = parts.side_by_side(*parts.by_class(plan, rows), last)
        units += [parts.at_least(plan, rows, plan.depth - 2, rows["deep"]), *parts.unbalanced(rows)]
        deep, shallow = rows["deep"] + rows["bos"] - one, -rows["deep"]
        gates = [
            parts.head(one, gate * deep, rows["wrong"], rows["errors"]),
            parts.head(one, gate * shallow, rows["unbalanced"], rows["errors"]),
        ]
    return [(first, feed_forward(units, parts.zeroth_digits(rows))), _last_layer(plan, rows, gates)]


def _three(plan: Plan, rows: Mapping[str, Rows]) -> list[Layer]:
    check = parts.head(*parts.same_depth(plan, rows, rows["level"]), rows["open_kind"], rows["found"])
    units = parts.depths(plan, rows) + parts.outside(plan, rows, ("wrong",)) + parts.levels(plan, rows)
    gates = [parts.head(0 * rows["one"], 0 * rows["one"], rows["wrong"], rows["errors"])]
    return [
        (parts.side_by_side(parts.uniform(rows)), feed_forward(units, parts.zeroth_digits(rows))),
        (parts.side_by_side(check), feed_forward(parts.mismatch(rows), 0 * rows["one"][0])),
        _last_layer(plan, rows, gates),
    ]


def _last_layer(plan: Plan, rows: Mapping[str, Rows], gates: list[Head]) -> Layer:
    """Errors so far, at least 1 where there is one; and the last open bracket of the present depth, if it is asked."""
    errors = rows["errors"]
    units = [Units(plan.grid.steps * errors, np.array([0]), errors)]
    if plan.ask == "next":
        gates, units = [*gates, parts.match(plan, rows)], [*units, doubled_in_place(rows["match"])]
    return parts.side_by_side(*gates), feed_forward(units, 0 * errors[0])
