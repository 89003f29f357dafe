"""By which method a config.json says that the weights are quantized, and if `transformers` knows it.

The library skips a method that it does not know in silence, and reads the packed numbers as if they were the weights.
"""

from collections.abc import Mapping
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.declare import INSIDE, MOST_NESTED

FIELD = "quantization_config"
METHODS = frozenset(
    {"aqlm", "auto-round", "awq", "bitnet", "bitsandbytes_4bit", "bitsandbytes_8bit", "compressed-tensors", "eetq"}
    | {"fbgemm_fp8", "fouroversix", "fp8", "fp_quant", "gemma", "gguf", "gptq", "higgs", "hqq", "metal", "mxfp4", "mxfp8"}
    | {"nvfp4", "quanto", "quark", "sinq", "spqr", "torchao", "vptq"}
)
"""The methods of transformers 5.23."""


def quantization(where: str, config: Mapping[str, Any]) -> str | None:
    """Return the method that a configuration or one inside of it names; None if its weights are not quantized.

    Raises BadInput, which names the field, for what is not an object with a method.

    >>> quantization("config.json", {"text_config": {"quantization_config": {"quant_method": "exl3"}}})
    'exl3'
    """
    inner: Any = config
    for _ in range(MOST_NESTED):
        given = inner.get(FIELD)
        if given is not None:
            return _method(f"{where}: {FIELD}", given)
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
