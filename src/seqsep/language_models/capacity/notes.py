"""Notes on how a file was read: defaults, other spellings, rules that were not counted, fields that are not read."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from seqsep.core.names import excerpt, printable
from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.by_rule import OF_A_PATTERN, OF_A_WINDOW, OF_NO_CACHE, configured
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.declare import BY_RULE
from seqsep.language_models.capacity.families import PUBLISHED_CODE, model_types
from seqsep.language_models.capacity.widths import bits_in_words

ALIKE = 0.9


def notes(found: Capacity) -> list[str]:
    """Return the notes, a sentence each.

    >>> from seqsep.language_models.capacity import capacity
    >>> fields = {"n_layers": 2, "hidden_size": 64, "num_attention_heads": 4}
    >>> print("\\n".join(notes(capacity({**fields, "model_type": "unheard-of"}))))
    By rule, not verified: the model_type unheard-of is not known, so keys and values of all heads and all tokens are counted.
    num_hidden_layers is read from n_layers.
    Not in the file, and decided by a default: num_key_value_heads = 4.
    """
    read = [*basis(found), *windows(found), *spellings(found), *wrapper(found), *defaults(found)]
    return [*read, *misspelt(found.fields), *widths(found), *quantized(found)]


def basis(found: Capacity) -> list[str]:
    """Name a model_type that is read by the general rule, or by rules that were never counted in a running model."""
    name = excerpt(printable(found.model_type))
    if found.basis == BY_RULE and found.model_type in model_types():
        return [f"By rule, not verified: no published code and no count confirms what the layers of {name} are taken to keep."]
    if found.basis == BY_RULE:
        kept = "a latent" if any(part.kind == "latent" for part in found.parts) else "keys and values of all heads"
        every = "" if any(part.kind == "window" for part in found.parts) else " and all tokens"
        return [f"By rule, not verified: the model_type {name} is not known, so {kept}{every} are counted."]
    if found.named not in (None, found.model_type):
        return [f"The model_type {excerpt(printable(found.named or ''))} is read by the rules of {name}."]
    if found.basis == PUBLISHED_CODE:
        return [f"The rules of {name} are read from its published code; they were not counted in a running model."]
    return []


def windows(found: Capacity) -> list[str]:
    """Name the windows, and the patterns of layers, in a file of an unknown model_type that the general rule does not apply.

    A window is off if use_sliding_window is false, and layer_types say themselves which layers have that of sliding_window.

    >>> from seqsep.language_models.capacity import capacity
    >>> fields = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "sliding_window": 512}
    >>> print(*windows(capacity({**fields, "model_type": "unheard-of"})))
    sliding_window = 512 is not applied: without layer_types, no field says which layers have it. All tokens are counted.
    """
    if found.basis != BY_RULE or found.model_type in model_types():
        return []
    given = {name: value for name, value in configured(found.fields.values).items() if value is not True and value != -1}
    if found.fields.values.get("use_sliding_window") is False:
        given = {name: value for name, value in given.items() if not re.search("sliding|window_layers", name)}
    sizes = {name: value for name, value in given.items() if OF_A_WINDOW.search(name)}
    if found.fields.has("layer_types"):
        sizes = {name: value for name, value in sizes.items() if name != "sliding_window" and found.window_numbers}
        return [f"{_values(sizes)} is not applied: the layers with a window have that of sliding_window."] if sizes else []
    others = [name for name in given if name not in sizes and not OF_NO_CACHE.search(name)]
    kinds = {name: given[name] for name in others if OF_A_PATTERN.search(name)}
    said = "is not applied: without layer_types, no field says which layers have it. All tokens are counted."
    lines = [f"{_values(sizes)} {said}"] if sizes else []
    return [*lines, f"{_values(kinds)} is not read: all layers are counted alike."] if kinds else lines


def _values(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{excerpt(printable(name))} = {excerpt(printable(str(value)))}" for name, value in fields.items())


def spellings(found: Capacity) -> list[str]:
    """Name the fields that were read under another name."""
    read = ", ".join(f"{name} is read from {other}" for name, other in found.spellings.items())
    return [f"{read}."] if read else []


def wrapper(found: Capacity) -> list[str]:
    """Name the object inside of the file that has the sizes, if it is another one than the text_config of transformers.

    >>> from seqsep.language_models.capacity import capacity
    >>> sizes = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4}
    >>> print(*wrapper(capacity({"model_type": "llama", "model_config": sizes})))
    The sizes are read from model_config.
    """
    inside = found.fields.where.removeprefix(found.where).removeprefix(": ").replace(": ", ".")
    is_usual = not inside or inside.rpartition(".")[2] == "text_config" or found.fields.where == inside
    return [] if is_usual else [f"The sizes are read from {excerpt(printable(inside))}."]


def defaults(found: Capacity) -> list[str]:
    """Name the defaults that decide a number, with their values."""
    taken = ", ".join(f"{name} = {excerpt(printable(str(value)))}" for name, value in sorted(found.defaults.items()))
    return [f"Not in the file, and decided by a default: {taken}."] if taken else []


def widths(found: Capacity) -> list[str]:
    """Name the width of the cache if it is the file's."""
    if found.cache_bits_of_file is None:
        return []
    bits = bits_in_words(found.cache_bits_of_file)
    return [f"The model's files say that the cache is kept in {bits} bits a number; --cache-bits 16 overrides it."]


def misspelt(fields: Fields) -> list[str]:
    """Name fields of the file that are not read, and are nearly the name of one that is read and left out.

    A field such as `_block_types` is read in place of `block_types`, which it is saved for.

    >>> misspelt(Fields("config.json", {"atn_layer_indices": [3]}, {"attn_layer_indices": None}))
    ['atn_layer_indices is not read; attn_layer_indices is left out and taken as None: is it meant?']
    """
    left_out = [name for name in fields.defaults if name not in fields.values]
    strange = [name for name in fields.values if name not in fields.defaults and not name.startswith("_")]
    pairs = [(name, get_close_matches(name, left_out, 1, ALIKE)) for name in strange]
    return [
        f"{name} is not read; {near[0]} is left out and taken as {excerpt(repr(fields.defaults[near[0]]))}: is it meant?"
        for name, near in pairs
        if near
    ]


def quantized(found: Capacity) -> list[str]:
    """Name a method of quantization that the library does not know.

    >>> from seqsep.language_models.capacity import capacity
    >>> fields = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2}
    >>> print(quantized(capacity({**fields, "quantization_config": {"quant_method": "exl3"}}))[0])
    quantization_config: the method exl3 is not one of transformers; the state is counted without it.
    """
    method = found.unknown_quantization
    said = f"quantization_config: the method {method} is not one of transformers; the state is counted without it."
    return [] if method is None else [said]
