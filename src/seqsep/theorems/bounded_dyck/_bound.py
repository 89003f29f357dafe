"""Every size of the networks of `attention` with explicit constants, from N, n, k, the variant and the question alone."""

import math
from typing import NamedTuple

from seqsep.theorems.base import Number
from seqsep.theorems.bounded_dyck._plan import ETA, DyckPlan


class LayerSize(NamedTuple):
    """Heads, the width of a key and of a value, and hidden units."""

    heads: int
    key: int
    value: int
    hidden: int


def bound(plan: DyckPlan) -> dict[str, Number]:
    """Bound every size, from b and c digits, n, R logits and S = 2 kinds + 1 tokens; width d grows like log n + log k only.

    p = bit_length(2 n^4). Each layer has H heads, key width k', value width v' and h hidden units. core = p d sum of
    3 H max(k', v'); program = p (S d + sum of (2 H (k' + v') d + h (2 d + 1) + d) + R (d + 1));
    tables = program + p (N + 1) d.

    >>> bound(DyckPlan(length=10, kinds=2, depth=2, variant="three-layer", ask="word"))["width"]
    18
    """
    width, layers = _SIZES[plan.variant](plan)
    precision = (2 * plan.base**4).bit_length()
    tokens = 2 * plan.kinds + 1
    logits = tokens if plan.gives_sets else 1
    entries = tokens * width + logits * (width + 1)
    for layer in layers:
        entries += 2 * layer.heads * (layer.key + layer.value) * width
        entries += layer.hidden * (2 * width + 1) + width
    return {
        "width": width,
        "heads": max(layer.heads for layer in layers),
        "layers": len(layers),
        "eta": ETA,
        "precision": precision,
        "core_bits": precision * width * sum(3 * layer.heads * max(layer.key, layer.value) for layer in layers),
        "program_bits": precision * entries,
        "tables_bits": precision * (entries + (plan.length + 1) * width),
    }


def _one_layer(plan: DyckPlan) -> tuple[int, list[LayerSize]]:
    """One head finds the match by parity; the FFN reads b digits and writes `full` and `some`."""
    b = plan.kind_digits
    return 3 * b + 8, [LayerSize(heads=1, key=2, value=b, hidden=3 * b + 2)]


def _two_layers_valid(plan: DyckPlan) -> tuple[int, list[LayerSize]]:
    """One layer finds the depth, one the match."""
    b = plan.kind_digits
    c = plan.depth_digits
    depth = LayerSize(heads=1, key=1, value=2, hidden=2 * plan.depth)
    match = LayerSize(heads=1, key=c + 1, value=b, hidden=3 * b)
    return 3 * b + c + 10, [depth, match]


def _two_layers(plan: DyckPlan) -> tuple[int, list[LayerSize]]:
    """One layer finds the last open bracket of each class, and counts kinds; one averages the errors."""
    b = plan.kind_digits
    width = 3 * b + 11
    hidden = 2 * (plan.depth if plan.gives_sets else 1) + 4 + 2 * b
    if plan.gives_sets:
        width += b + 1 + plan.depth_digits
    if not plan.counts_kinds:
        return width, [LayerSize(heads=2, key=2, value=max(2, b), hidden=hidden), _errors(plan, flags=1)]
    counted = LayerSize(heads=3, key=2, value=2 * b + 2, hidden=hidden + 2 + 4 * b)
    return width + 2 * b + 2, [counted, _errors(plan, flags=2)]


def _three_layers(plan: DyckPlan) -> tuple[int, list[LayerSize]]:
    """One layer finds depth and level, one the match of each close; one averages the errors."""
    b = plan.kind_digits
    c = plan.depth_digits
    width = 3 * b + 2 * c + 11
    if plan.gives_sets:
        width += b + 1
    depth = LayerSize(heads=1, key=1, value=2, hidden=4 * plan.depth + 4)
    match = LayerSize(heads=1, key=c + 1, value=b, hidden=2 * b)
    return width, [depth, match, _errors(plan, flags=1)]


def _errors(plan: DyckPlan, flags: int) -> LayerSize:
    """The last layer has one head for each flag, and one for the match if the question needs it."""
    if not plan.gives_sets:
        return LayerSize(heads=flags, key=1, value=1, hidden=1)
    b = plan.kind_digits
    return LayerSize(heads=flags + 1, key=plan.depth_digits + 1, value=b, hidden=1 + 3 * b)


_SIZES = {
    "one-layer": _one_layer,
    "two-layer-valid": _two_layers_valid,
    "two-layer": _two_layers,
    "three-layer": _three_layers,
}


def proved(plan: DyckPlan) -> float:
    """The least distance of a retrieved digit from 1/2 is 1/(1+R) - 1/2 - 1/L (`_parts._last_open`)."""
    n = plan.base
    others = 1 / (math.e**2 - 1) + math.exp(-n - 2) / (1 - 1 / math.e)
    return 1 / (1 + others) - 1 / 2 - 1 / n**2
