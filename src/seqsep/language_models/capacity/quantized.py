"""By which method a config.json says that the weights are quantized, and if `transformers` knows it.

The library skips a method that it does not know in silence, and reads the packed numbers as if they were the weights.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.named import INSIDE, MOST_NESTED
from seqsep.language_models.capacity.widths import MOST_BITS, Width

FIELD = "quantization_config"
METHODS = frozenset(
    {"aqlm", "auto-round", "awq", "bitnet", "bitsandbytes_4bit", "bitsandbytes_8bit", "compressed-tensors", "eetq"}
    | {"fbgemm_fp8", "fouroversix", "fp8", "fp_quant", "gemma", "gguf", "gptq", "higgs", "hqq", "metal", "mxfp4", "mxfp8"}
    | {"nvfp4", "quanto", "quark", "sinq", "spqr", "torchao", "vptq"}
)
"""The methods of transformers 5.23."""


WIDTHS_OF_A_CACHE: Mapping[str, Width] = {"FP8": 8, "INT8": 8, "NVFP4": Fraction(9, 2), "INT4": 4}
"""Bits of a number of the cache by `kv_cache_quant_algo`, the word of NVIDIA's ModelOpt."""


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

    They are in `kv_cache_scheme`, or in `kv_cache_quant_algo`. Raises BadInput for a scheme without a number of bits.

    >>> cache_width("config.json", {"quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}})
    8
    """
    given = _given(config)
    if not isinstance(given, Mapping):
        return None
    scheme = given.get("kv_cache_scheme")
    algorithm = given.get("kv_cache_quant_algo")
    if scheme is None:
        return WIDTHS_OF_A_CACHE.get(algorithm) if isinstance(algorithm, str) else None
    bits = scheme.get("num_bits") if isinstance(scheme, Mapping) else None
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS:
        found = excerpt(printable(repr(scheme)))
        raise BadInput(
            f"{where}: {FIELD}: kv_cache_scheme: expected an object with num_bits from 1 to {MOST_BITS}, found {found}"
        )
    return bits


def _given(config: Mapping[str, Any]) -> Any:
    """The field of a configuration, or of one inside of it; None if there is none."""
    inner: Any = config
    for _ in range(MOST_NESTED):
        given = inner.get(FIELD)
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
