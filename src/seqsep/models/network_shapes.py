"""The check that the arrays of a hand-built network fit together, each against the width of the residual stream."""

import math
from collections.abc import Mapping

from seqsep.maths.networks.network import AttentionLayer, AutomatonLayer, ElmanLayer, GatedFeedForward, Network

Shapes = Mapping[str, tuple[int, ...]]


def require_shapes(network: Network) -> None:
    """Raise ValueError with the first array whose shape does not fit the width of the residual stream."""
    shapes = {name: array.integers.shape for name, array in network.arrays()}
    classes, width = _axes("readout", shapes)
    expected: dict[str, tuple[int, ...]] = {"readout_bias": (classes,)}
    expected |= {name: (shapes[name][0], width) for name in ("symbols", "indices", "positions", "vectors") if shapes.get(name)}
    for number, (mixer, feed_forward) in enumerate(network.layers):
        prefix = f"layers.{number}"
        if isinstance(mixer, AttentionLayer):
            if not mixer.heads:
                raise ValueError(f"{prefix}: expected a head or more")
            for index in range(len(mixer.heads)):
                expected |= _head_shapes(f"{prefix}.heads.{index}", shapes, width)
        elif isinstance(mixer, AutomatonLayer):
            _require_table(prefix, mixer, width)
        elif isinstance(mixer, ElmanLayer):
            parts = {"recurrent": (width, width), "input": (width, width), "bias": (width,), "start": (width,)}
            expected |= {f"{prefix}.elman.{name}": shape for name, shape in parts.items()}
        else:
            expected[f"{prefix}.linear.input"] = (mixer.remembered, width)
        if feed_forward is not None:
            kind = "gated_feed_forward" if isinstance(feed_forward, GatedFeedForward) else "feed_forward"
            expected |= _feed_forward_shapes(f"{prefix}.{kind}", shapes, width)
    for name, shape in expected.items():
        if shapes[name] != shape:
            raise ValueError(f"{name}: expected shape {shape}, found {shapes[name]}")
    for name, place in network.spaces.items():
        if not 0 <= place.start <= place.stop <= width:
            raise ValueError(f"spaces: {name}: expected coordinates of 0 to {width}, found {place.start} to {place.stop}")


def _axes(name: str, shapes: Shapes) -> tuple[int, int]:
    if len(shapes[name]) != 2:
        raise ValueError(f"{name}: expected a matrix, found shape {shapes[name]}")
    return shapes[name][0], shapes[name][1]


def _head_shapes(prefix: str, shapes: Shapes, width: int) -> dict[str, tuple[int, ...]]:
    keys, _ = _axes(f"{prefix}.key", shapes)
    values, _ = _axes(f"{prefix}.value", shapes)
    parts = {"query": (keys, width), "key": (keys, width), "value": (values, width), "output": (width, values)}
    return {f"{prefix}.{name}": shape for name, shape in parts.items()}


def _feed_forward_shapes(prefix: str, shapes: Shapes, width: int) -> dict[str, tuple[int, ...]]:
    hidden, _ = _axes(f"{prefix}.inner", shapes)
    inner = (hidden, width)
    parts = {"inner": inner, "inner_bias": (hidden,), "outer": (width, hidden), "outer_bias": (width,)}
    if f"{prefix}.gate" in shapes:
        parts |= {"gate": inner, "gate_bias": (hidden,)}
    return {f"{prefix}.{name}": shape for name, shape in parts.items()}


def _require_table(prefix: str, layer: AutomatonLayer, width: int) -> None:
    """Raise ValueError unless the table is times x states x tokens, of states, and the residual stream holds both."""
    shape = layer.table.integers.shape
    if len(shape) != 3 or math.prod(shape) == 0 or shape[1] + shape[2] != width or layer.table.unit != 1:
        raise ValueError(f"{prefix}: expected a table of times x states x tokens, states + tokens = {width}, found {shape}")
    if not 0 <= layer.start < shape[1] or layer.table.integers.min() < 0 or layer.table.integers.max() >= shape[1]:
        raise ValueError(f"{prefix}: expected states from 0 to {shape[1] - 1}")
