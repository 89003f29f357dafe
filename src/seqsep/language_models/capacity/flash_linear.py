"""Families of flash-linear-attention 0.6.0: their fixed states, and the attention layers of their hybrids.

Short convolutions of K taps read K - 1 past columns and K are allocated; recurrences are float32, except HGRN's. A window of W
tokens keeps W.
mamba, mamba2 and bitnet, which `transformers` has under the same names, are this library's if the file has one of the fields
that only it writes (`WRITTEN`); else they are read with the defaults of `transformers`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.part import WIDE, Part
from seqsep.language_models.capacity.states import STATES

Layer = tuple[Part, ...]
SHARED_DEFAULTS = {"hidden_size": 2048, "num_hidden_layers": 24, "conv_size": 4, "use_short_conv": False}
WIDE_HEADS = {"expand_v": 2.0, "head_dim": 256, "num_heads": 6, "num_hidden_layers": 21, "use_short_conv": True}
SLOTS = {"num_heads": 4, "num_slots": 64, "expand_k": 1, "expand_v": 1}
DEFAULTS: dict[str, dict[str, Any]] = {
    "gla": {"expand_k": 0.5, "expand_v": 1.0, "num_heads": 4},
    "retnet": {"expand_k": 1.0, "expand_v": 2.0, "num_heads": 8},
    "linear_attn": {"expand_k": 1.0, "expand_v": 1.0, "num_heads": 4},
    "delta_net": {"expand_k": 1.0, "expand_v": 1.0, "num_heads": 16, "use_short_conv": True},
    "gated_deltanet": WIDE_HEADS,
    "gated_deltaproduct": WIDE_HEADS,
    "comba": WIDE_HEADS,
    "kda": {"expand_v": 1.0, "head_dim": 128, "num_heads": 16, "use_short_conv": True},
    "mesa_net": {"num_heads": 16, "head_dim": 128, "use_short_conv": True},
    "hgrn": {"expand_ratio": 1},
    "hgrn2": {"expand_ratio": 128},
    "gsa": SLOTS,
    "abc": {**SLOTS, "expand_k": 0.5},
    "raven": SLOTS,
    "rwkv6": {"expand_k": 0.5, "expand_v": 1.0, "num_heads": 4},
    "rwkv7": {"head_dim": 64},
    "mamba": {"state_size": 16, "num_hidden_layers": 48, "expand": 2, "conv_kernel": 4},
    "mamba2": {"head_dim": 64, "state_size": 128, "num_hidden_layers": 48, "expand": 2, "conv_kernel": 4, "n_groups": 1},
    "bitnet": {"num_heads": 32},
}
WRITTEN = ("fuse_norm", "fuse_swiglu", "fuse_cross_entropy", "fuse_linear_cross_entropy")


def _width(fields: Fields, factor: str) -> int:
    return int(fields.ratio(factor) * fields.whole("hidden_size"))


def _convolution(fields: Fields, columns: int) -> list[Part]:
    if not fields.flag("use_short_conv"):
        return []
    return [Part("conv", fixed=columns * (fields.whole("conv_size") - 1), spare=columns)]


def _recurrence(numbers: int) -> Part:
    return Part("recurrent", fixed=numbers, bits=WIDE)


def _outer_products(fields: Fields) -> list[Part]:
    """Return a matrix a head: the sum of outer products of keys and values."""
    keys = _width(fields, "expand_k")
    values = _width(fields, "expand_v")
    heads = fields.whole("num_heads")
    if fields.has("num_kv_heads") and fields.whole("num_kv_heads") != heads:
        fields.refuse("num_kv_heads", f"as many as num_heads, {heads}, or null")
    if keys % heads or values % heads:
        raise BadInput(
            f"{fields.where}: num_heads: expected a divisor of key and value width, {keys} and {values}, found {heads}"
        )
    return [_recurrence(keys * values // heads), *_convolution(fields, 2 * keys + values)]


def _wide_heads(fields: Fields) -> list[Part]:
    """Return heads of their own width, whatever the model's."""
    heads = fields.whole("num_heads")
    value_heads = fields.optional("num_v_heads") or heads
    key = fields.whole("head_dim")
    value = int(fields.ratio("expand_v") * key)
    return [_recurrence(value_heads * key * value), *_convolution(fields, 2 * heads * key + value_heads * value)]


def _mesa(fields: Fields) -> list[Part]:
    heads = fields.whole("num_heads")
    key = fields.whole("head_dim")
    return [_recurrence(2 * heads * key * key), *_convolution(fields, 2 * heads * key)]


def _gated(fields: Fields) -> list[Part]:
    """Return the parts of HGRN-2."""
    _without_convolution(fields)
    return [_recurrence(fields.whole("hidden_size") * fields.whole("expand_ratio"))]


def _gated_vector(fields: Fields) -> list[Part]:
    """Return the parts of HGRN. Its recurrent kernel, which reads passes of at most 64 tokens, gives the last state the type of
    the inputs.
    """
    _without_convolution(fields)
    return [Part("recurrent", fixed=fields.whole("hidden_size") * fields.whole("expand_ratio"))]


def _slots(fields: Fields) -> list[Part]:
    """Return the parts of ABC and its successors: slots, each with a key and a value."""
    _without_convolution(fields)
    return [_recurrence(fields.whole("num_slots") * (_width(fields, "expand_k") + _width(fields, "expand_v")))]


def _without_convolution(fields: Fields) -> None:
    if fields.flag("use_short_conv"):
        fields.refuse("use_short_conv", "false: convolutions of this family have not been counted")


def _rwkv6(fields: Fields) -> list[Part]:
    return [*_outer_products(fields.over({"use_short_conv": False})), Part("shift", fixed=2 * fields.whole("hidden_size"))]


def _rwkv7(fields: Fields) -> list[Part]:
    """Return the parts of RWKV-7. The number of heads follows from their width; num_heads is not read."""
    width = fields.whole("hidden_size")
    values = fields.get("value_dim")
    if values is not None and values not in (width, [width] * fields.layers):
        fields.refuse("value_dim", f"the width, {width}, on every layer")
    return [_recurrence(width * fields.whole("head_dim")), Part("shift", fixed=2 * width)]


def _mamba2(fields: Fields) -> list[Part]:
    """Return the parts of Mamba-2. The heads follow from their width; another number in the file is refused, as in the
    library.
    """
    inner = int(fields.ratio("expand") * fields.whole("hidden_size"))
    width = fields.whole("head_dim")
    if inner % width:
        fields.refuse("head_dim", f"a divisor of expand times the width, {inner}")
    if fields.has("num_heads") and fields.whole("num_heads") != inner // width:
        fields.refuse("num_heads", f"expand times the width over head_dim, {inner // width}")
    return STATES["mamba2"](fields.over({"num_heads": inner // width}))


def _bitnet(fields: Fields) -> list[Part]:
    return list(_attention(fields, fields))


def is_flash_linear(name: str, config: Mapping[str, Any]) -> bool:
    """Return True if a file with this model_type is read as flash-linear-attention's.

    >>> is_flash_linear("gla", {}), is_flash_linear("mamba", {}), is_flash_linear("mamba", {"fuse_norm": True})
    (True, False, True)
    """
    return name in FLASH_LINEAR or (name in SHARED_NAMES and any(field in config for field in WRITTEN))


FLASH_LINEAR: dict[str, Callable[[Fields], list[Part]]] = {
    "gla": _outer_products,
    "retnet": _outer_products,
    "linear_attn": _outer_products,
    "delta_net": _outer_products,
    "gated_deltanet": _wide_heads,
    "gated_deltaproduct": _wide_heads,
    "comba": _wide_heads,
    "kda": _wide_heads,
    "mesa_net": _mesa,
    "hgrn": _gated_vector,
    "hgrn2": _gated,
    "gsa": _slots,
    "abc": _slots,
    "raven": _slots,
    "rwkv6": _rwkv6,
    "rwkv7": _rwkv7,
}
SHARED_NAMES: dict[str, Callable[[Fields], list[Part]]] = {"mamba": STATES["mamba"], "mamba2": _mamba2, "bitnet": _bitnet}


def flash_linear_layers(where: str, name: str, config: Mapping[str, Any]) -> tuple[Fields, tuple[Layer, ...]]:
    """Return the fields that are read, and the parts of each layer. Layers in `attn` attend."""
    fields = Fields(where, config, {**SHARED_DEFAULTS, **DEFAULTS[name]})
    attention = fields.inner("attn")
    chosen = set(attention.places("layers") or [])
    if any(place >= fields.layers for place in chosen):
        attention.refuse("layers", f"layers from 0 to {fields.layers - 1}")
    state = tuple({**FLASH_LINEAR, **SHARED_NAMES}[name](fields))
    attends = _attention(fields, attention) if chosen else ()
    return fields, tuple(attends if layer in chosen else state for layer in range(fields.layers))


def _attention(fields: Fields, attention: Fields) -> Layer:
    heads = attention.whole("num_heads")
    kept = attention.optional("num_kv_heads") or heads
    width = fields.whole("hidden_size")
    if width % heads:
        attention.refuse("num_heads", f"a divisor of the width, {width}")
    window = attention.optional("window_size")
    return (Part("window" if window else "attention", per_token=2 * kept * (width // heads), tokens=window),)
