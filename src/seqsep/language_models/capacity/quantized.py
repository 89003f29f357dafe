"""By which method a config.json says that the weights are quantized, and if `transformers` knows it.

The library skips a method that it does not know in silence, and reads the packed numbers as if they were the weights.
"""

from collections.abc import Mapping
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.named import INSIDE, MOST_NESTED
from seqsep.language_models.capacity.widths import FORMATS, MOST_BITS, Width

FIELD = "quantization_config"
METHODS = frozenset(
    {"aqlm", "auto-round", "awq", "bitnet", "bitsandbytes_4bit", "bitsandbytes_8bit", "compressed-tensors", "eetq"}
    | {"fbgemm_fp8", "fouroversix", "fp8", "fp_quant", "gemma", "gguf", "gptq", "higgs", "hqq", "metal", "mxfp4", "mxfp8"}
    | {"nvfp4", "quanto", "quark", "sinq", "spqr", "torchao", "vptq"}
)
"""The methods of transformers 5.23."""

CACHE_PLACES = (FIELD, "compression_config", "hf_quant_config")
"""Objects that may say how wide a cache is, the first one first.

`compression_config` is the older name of `quantization_config` in files of compressed-tensors. The content of
hf_quant_config.json, the file of NVIDIA's ModelOpt, is added to a config.json beside it by `read_model`.
"""
SCHEME = "kv_cache_scheme"
ALGORITHM = "kv_cache_quant_algo"
OF_QUARK = "kv_cache_quant_config"
OVERRIDE = "--cache-bits (in Python: cache_bits) sets the bits"


def quantization(where: str, config: Mapping[str, Any]) -> str | None:
    """Return the method that a configuration or one inside of it names; None if its weights are not quantized.

    Raises BadInput, which names the field, for what is not an object with a method.

    >>> quantization("config.json", {"text_config": {"quantization_config": {"quant_method": "exl3"}}})
    'exl3'
    """
    given = _given(config)
    return None if given is None else _method(f"{where}: {FIELD}", given)


def cache_width(where: str, config: Mapping[str, Any]) -> Width | None:
    """Return the bits of a number of the cache that a quantized file says; None if it says nothing.

    They are in `kv_cache_scheme` of compressed-tensors, in `kv_cache_quant_algo` of ModelOpt, also inside `quantization`, or in
    `kv_cache_quant_config` of Quark. Raises BadInput, which names the field, for a width that is not known.

    >>> cache_width("config.json", {"quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}})
    8
    """
    for place in CACHE_PLACES:
        given = _given(config, place)
        found = _width_in(f"{where}: {place}", given) if isinstance(given, Mapping) else None
        if found is not None:
            return found
    return None


def _width_in(where: str, given: Mapping[str, Any]) -> Width | None:
    inside = given.get("quantization")
    algorithm = given.get(ALGORITHM) or _at(inside, ALGORITHM)
    if given.get(SCHEME) is not None:
        return _of_scheme(f"{where}: {SCHEME}", given[SCHEME])
    if algorithm:
        return _of_format(f"{where}: {ALGORITHM}", algorithm)
    return _of_quark(f"{where}: {OF_QUARK}", given[OF_QUARK]) if given.get(OF_QUARK) else None


def _of_scheme(where: str, scheme: Any) -> Width:
    bits = scheme.get("num_bits") if isinstance(scheme, Mapping) else None
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS:
        expected = f"expected an object with num_bits from 1 to {MOST_BITS}"
        raise BadInput(f"{where}: {expected}, found {excerpt(printable(repr(scheme)))}; {OVERRIDE}")
    return bits


def _of_format(where: str, name: Any) -> Width:
    known = FORMATS.get(name.lower()) if isinstance(name, str) else None
    if known is None:
        raise BadInput(f"{where}: expected a format such as FP8 or NVFP4, found {excerpt(printable(repr(name)))}; {OVERRIDE}")
    return known


def _of_quark(where: str, layers: Any) -> Width:
    """Return the width of the outputs of the layers that make keys and values, if there is one for all of them."""
    outputs = [_at(_at(layers, name), "output_tensors") for name in layers] if isinstance(layers, Mapping) else [None]
    widths = {_of_format(where, _at(output, "dtype")) for output in outputs}
    if len(widths) > 1 or any(_at(output, "group_size") for output in outputs):
        raise BadInput(f"{where}: expected one format without groups for keys and values, found others; {OVERRIDE}")
    return widths.pop()


def _at(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _given(config: Mapping[str, Any], field: str = FIELD) -> Any:
    """A field of a configuration, or of one inside of it; None if there is none."""
    inner: Any = config
    for _ in range(MOST_NESTED):
        given = inner.get(field)
        if given is not None:
            return given
        inner = next((inner[name] for name in INSIDE if isinstance(inner.get(name), Mapping)), {})
    return None


def _method(where: str, given: Any) -> str:
    if not isinstance(given, Mapping):
        raise BadInput(f"{where}: expected an object with quant_method, found {excerpt(printable(repr(given)))}")
    for flag, method in (("load_in_4bit", "bitsandbytes_4bit"), ("load_in_8bit", "bitsandbytes_8bit")):
        if given.get(flag):
            return method
    named = given.get("quant_method")
    if not isinstance(named, str):
        raise BadInput(f"{where}: quant_method: expected a text, found {excerpt(printable(repr(named)))}")
    return named


def unknown_method(where: str, config: Mapping[str, Any]) -> str | None:
    """Return the method of a configuration if `transformers` does not know it. Raises BadInput as `quantization` does.

    >>> unknown_method("config.json", {"quantization_config": {"quant_method": "gptq"}}) is None
    True
    """
    method = quantization(where, config)
    return None if method is None or method in METHODS else excerpt(printable(method))
