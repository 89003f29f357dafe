"""Hand-built networks in files, exactly: safetensors, NumPy's npz or JSON.

A file holds every array under its name (`Network.arrays`) as whole numbers, and a header, a JSON object under `network`:
    format      "seqsep network 1"
    name, code_bits, spaces (name -> [first, after the last] coordinate of the residual stream)
    grid        steps L to a unit, precision p = bit_length(2 L^2) bits, rounding, softmax (`maths.arithmetic.grid`)
    layers      for each layer its mixer, as {"kind": "attention", "heads": 2, "causal": true}, and its feed_forward:
                null, "relu" or "gated"
    arrays      name -> {"unit": "1/64", "by_index": false}: the numbers are the integers times the unit; "shape" and
                "integers" are there too, as texts, if they are beyond 64 bits, and always in JSON

Nothing is unpickled, and a file that is read is held against every shape before a network is made of it.
"""

import io
import json
import re
import reprlib
import struct
import zipfile
import zlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from seqsep.core.files import read_bytes, write_file
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import (
    AttentionLayer,
    AutomatonLayer,
    ElmanLayer,
    FeedForward,
    GatedFeedForward,
    Head,
    Layer,
    LinearLayer,
    MixingLayer,
    Network,
)
from seqsep.models.network_shapes import require_shapes
from seqsep.models.tabular_network import TabularNetwork

UNFIT = (
    SafetensorError,
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    LookupError,
    TypeError,
    RecursionError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    EOFError,
    struct.error,
    NotImplementedError,
)
"""The exceptions of reading a file of another kind."""
FORMAT = "seqsep network 1"
SUFFIXES = (".safetensors", ".npz", ".json")
HEADER = "network"
UNIT = re.compile(r"[1-9][0-9]*(/[1-9][0-9]*)?")
"""A text with an exponent, which `Fraction` reads as well, would fill the memory with digits."""
MOST_LAYERS = 1 << 12
MOST_BYTES = 1 << 30
"""Of the file, and of what an npz holds unpacked."""
MOST_JSON_BYTES = 1 << 28
"""Of a JSON file, whose numbers need more memory."""
MOST_BITS = 1 << 13
"""Of the grid's steps, and of a unit's denominator."""


def save_network(path: Path | str, network: Network) -> None:
    """Write a network to a file, exactly; the suffix chooses the format.

    Arguments:
        path: the file to write: NAME.json, NAME.npz or NAME.safetensors.
        network: a network, as `seqsep.build` returns it.

    Raises BadInput for another suffix. Raises OSError if the file cannot be written.

    >>> import tempfile
    >>> from seqsep.theorems import build
    >>> path = Path(tempfile.mkdtemp()) / "lookup.npz"
    >>> save_network(path, build("index-lookup-attention", length=8, alphabet=4))
    >>> load_network(path).grid
    Grid(steps=81, rounding='floor', softmax='stepwise')
    """
    path = Path(path)
    suffix = _suffix(path)
    is_json = suffix == ".json"
    header = _header(network, written_out=is_json)
    arrays = {name: array.integers for name, array in network.arrays() if array.integers.dtype == np.int64}
    if is_json:
        write_file(path, json.dumps(header, indent=1) + "\n")
    elif suffix == ".npz":
        file = io.BytesIO()
        np.savez(file, **{**arrays, HEADER: np.array(json.dumps(header))})  # type: ignore[arg-type]  # its flag is not among them
        write_file(path, file.getvalue())
    else:
        whole = {name: np.ascontiguousarray(integers) for name, integers in arrays.items()}
        write_file(path, safetensors.numpy.save(whole, metadata={HEADER: json.dumps(header)}))


def load_network(path: Path | str) -> TabularNetwork:
    """Return the network of a file that `save_network` wrote; it prints as a table of its arrays.

    `seqsep.Model.load(network)` is the same network as a `torch.nn.Module` in float64.

    Arguments:
        path: the file, with the suffix that `save_network` was given.

    Raises FileNotFoundError if the file does not exist. Raises BadInput with the path for a file of another kind, or one whose
    parts do not fit.

    >>> load_network("/no/such/file.json")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file.json'
    """
    path = Path(path)
    suffix = _suffix(path)
    data = read_bytes(path, most=MOST_JSON_BYTES if suffix == ".json" else MOST_BYTES)
    try:
        header, arrays = _parts(data, suffix)
        return TabularNetwork.of(_network(header, arrays))
    except UNFIT as error:
        missing = "a field or an array is missing: " if isinstance(error, KeyError) else ""
        raise BadInput(f"{path}: expected a network of seqsep export-network: {missing}{text_of(error)}") from None


def _suffix(path: Path) -> str:
    if path.suffix not in SUFFIXES:
        raise BadInput(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}")
    return path.suffix


def _header(network: Network, written_out: bool) -> dict[str, Any]:
    """Return the header; `written_out` with the integers of every array."""
    grid = network.grid
    arrays = {}
    for name, array in network.arrays():
        arrays[name] = {"unit": str(array.unit), "by_index": array.by_index}
        if written_out or array.integers.dtype != np.int64:
            flat = array.integers.reshape(-1).tolist()
            shown = flat if array.integers.dtype == np.int64 else list(map(str, flat))
            arrays[name] |= {"shape": list(array.integers.shape), "integers": shown}
    return {
        "format": FORMAT,
        "name": network.name,
        "code_bits": network.code_bits,
        "spaces": {name: [place.start, place.stop] for name, place in network.spaces.items()},
        "grid": {"steps": grid.steps, "precision": grid.precision, "rounding": grid.rounding, "softmax": grid.softmax},
        "layers": [
            {"mixer": _mixer_header(mixer), "feed_forward": _feed_forward_kind(feed_forward)}
            for mixer, feed_forward in network.layers
        ],
        "arrays": arrays,
    }


def _mixer_header(mixer: MixingLayer) -> dict[str, Any]:
    if isinstance(mixer, AttentionLayer):
        return {"kind": "attention", "heads": len(mixer.heads), "causal": mixer.causal}
    if isinstance(mixer, AutomatonLayer):
        return {"kind": "automaton", "start": mixer.start}
    if isinstance(mixer, ElmanLayer):
        return {"kind": "elman", "activation": mixer.activation}
    return {"kind": "linear"}


def _feed_forward_kind(feed_forward: FeedForward | GatedFeedForward | None) -> str | None:
    if feed_forward is None:
        return None
    return "gated" if isinstance(feed_forward, GatedFeedForward) else "relu"


def _parts(data: bytes, suffix: str) -> tuple[Any, Mapping[str, np.ndarray]]:
    """Return the header and the arrays of 64 bits. Raises what the format's reader raises."""
    if suffix == ".json":
        return json.loads(data), {}
    if suffix == ".npz":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > MOST_BYTES:
            raise ValueError(f"{size:,} bytes unpacked, at most {MOST_BYTES:,}")
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return json.loads(str(arrays.pop(HEADER))), arrays
    arrays = safetensors.numpy.load(data)
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    return json.loads(metadata[HEADER]), arrays


def _network(header: Any, stored: Mapping[str, np.ndarray]) -> Network:
    """Return the network of a header and its arrays. Raises ValueError, KeyError or TypeError for parts that do not fit."""
    if header["format"] != FORMAT:
        raise ValueError(f"format: expected {FORMAT!r}, found {header['format']!r:.60}")
    arrays = {name: _array(name, entry, stored) for name, entry in header["arrays"].items()}
    if len(header["layers"]) > MOST_LAYERS:
        raise ValueError(f"layers: expected at most {MOST_LAYERS}, found {len(header['layers'])}")
    layers = tuple(_layer(number, layer, arrays) for number, layer in enumerate(header["layers"]))
    network = Network(
        name=str(header["name"]),
        grid=_grid(header["grid"]),
        spaces={str(name): slice(int(first), int(behind)) for name, (first, behind) in header["spaces"].items()},
        symbols=arrays.get("symbols"),
        layers=layers,
        readout=arrays["readout"],
        readout_bias=arrays["readout_bias"],
        indices=arrays.get("indices"),
        positions=arrays.get("positions"),
        vectors=arrays.get("vectors"),
        code_bits=int(header["code_bits"]),
    )
    unused = arrays.keys() - {name for name, _ in network.arrays()}
    if unused:
        raise ValueError(f"arrays: {min(unused)} belongs to no layer")
    require_shapes(network)
    return network


def _array(name: str, entry: Mapping[str, Any], stored: Mapping[str, np.ndarray]) -> Array:
    unit = _fraction(entry["unit"])
    if "integers" in entry:
        integers = [int(integer) for integer in entry["integers"]]
        kind = np.int64 if all(-(1 << 63) <= integer < 1 << 63 for integer in integers) else np.object_
        return Array(np.array(integers, dtype=kind).reshape(entry["shape"]), unit, bool(entry["by_index"]))
    return Array(np.array(stored[name]), unit, bool(entry["by_index"]))


def _fraction(text: object) -> Fraction:
    if not isinstance(text, str) or len(text) > MOST_BITS or not UNIT.fullmatch(text):
        raise ValueError(f"unit: expected a fraction above 0 as 1/64, found {excerpt(reprlib.repr(text))}")
    return Fraction(text)


def _grid(entry: Mapping[str, Any]) -> Grid:
    steps = entry["steps"]
    if not isinstance(steps, int) or not steps >= 2 or steps.bit_length() > MOST_BITS:
        raise ValueError(f"grid: steps: expected a whole number from 2 of at most {MOST_BITS} bits, found {steps!r:.60}")
    for name, known in {"rounding": ("floor", "nearest"), "softmax": ("stepwise", "once")}.items():
        if entry[name] not in known:
            raise ValueError(f"grid: {name}: expected {' or '.join(known)}, found {entry[name]!r:.60}")
    grid = Grid(steps, entry["rounding"], entry["softmax"])
    if entry["precision"] != grid.precision:
        raise ValueError(f"grid: precision: expected {grid.precision} bits for these steps, found {entry['precision']!r:.60}")
    return grid


def _layer(number: int, entry: Mapping[str, Any], arrays: Mapping[str, Array]) -> Layer:
    mixer = entry["mixer"]
    feed_forward = entry["feed_forward"]
    prefix = f"layers.{number}"

    def part(kind: Any, name: str, **more: Any) -> Any:
        chosen = {field: arrays[f"{prefix}.{name}.{field}"] for field in kind.__annotations__ if field not in more}
        return kind(**chosen, **more)

    made: MixingLayer
    match mixer["kind"]:
        case "attention":
            heads = tuple(part(Head, f"heads.{index}") for index in range(min(int(mixer["heads"]), len(arrays))))
            made = AttentionLayer(heads, bool(mixer["causal"]))
        case "automaton":
            made = AutomatonLayer(arrays[f"{prefix}.AutomatonLayer.table"], int(mixer["start"]))
        case "elman":
            made = part(ElmanLayer, "elman", activation=_one_of(("relu", "sigmoid"), mixer["activation"]))
        case "linear":
            made = part(LinearLayer, "linear")
        case other:
            raise ValueError(f"{prefix}: mixer: expected attention, automaton, elman or linear, found {other!r:.60}")
    if feed_forward is None:
        return made, None
    kind = {"relu": FeedForward, "gated": GatedFeedForward}[_one_of(("relu", "gated"), feed_forward)]
    return made, part(kind, "gated_feed_forward" if feed_forward == "gated" else "feed_forward")


def _one_of(known: tuple[str, ...], found: object) -> str:
    if found not in known:
        raise ValueError(f"expected {' or '.join(known)}, found {found!r:.60}")
    return str(found)
