"""The file of a language model, checked before the laws are tested: its kind, its windows, and the names of its sizes."""

import inspect
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.declare import Declared, declare
from seqsep.language_models.capacity.families import types
from seqsep.language_models.capacity.spellings import (
    DEPTH,
    DEPTHS,
    HEAD_DIM,
    HEADS,
    KEPT_HEADS,
    SPELLINGS,
    WIDTH,
    WIDTHS,
    is_size,
)
from seqsep.language_models.laws.settings import WINDOWS
from seqsep.language_models.loader.configuration import path_to_text
from seqsep.language_models.loader.places import value_at
from seqsep.language_models.loader.source import ModelSource

SIZES = (DEPTH, WIDTH, HEADS, KEPT_HEADS, HEAD_DIM)
KINDS = (("depth", DEPTH, DEPTHS), ("width", WIDTH, WIDTHS))


def require_model_file(source: ModelSource, given: Collection[str] = ()) -> None:
    """Raise BadInput for a file whose verdicts would say nothing about the model that it describes.

    Such a file is of an encoder-decoder, has a window of no token, or has sizes that `transformers` does not read. `given` are
    fields that the user sets.

    >>> require_model_file(ModelSource("config.json", {"model_type": "llama", "hidden_size": 64}))
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: config.json: expected a depth in the file, such as num_hidden_layers; found none, ...
    """
    whole = source.library_config()
    name = source.config["model_type"]
    if getattr(whole, "is_encoder_decoder", False) and name not in types()["causal"]:
        raise BadInput(f"{source.where}: expected a causal language model, found {name}, an encoder-decoder")
    _require_windows(source, whole)
    declared = _declared(source.where, source.config)
    set_here = {field.rpartition(".")[2] for field in given}
    _require_sizes(source, declared, set_here)
    taken = _declared(source.where, {**json.loads(whole.to_json_string(use_diff=False)), "model_type": name})
    if declared is not None and taken is not None:
        _require_read(declared, taken, [size for size in SIZES if size not in set_here])


def _declared(where: str, config: Mapping[str, Any]) -> Declared | None:
    """Return what `capacity` reads in a configuration; None if it refuses it, which the library may not do."""
    try:
        return declare(where, config)
    except BadInput:
        return None


def _require_windows(source: ModelSource, whole: Any) -> None:
    """Raise BadInput for a window below 1 that the library takes from the file; it may have such a one for none at all."""
    try:
        text = whole.get_text_config()
    except ValueError as error:
        raise BadInput(f"{source.where}: expected one text model, found several") from error
    path = path_to_text(whole)
    values = value_at(source.config, path) or {}
    if getattr(text, "use_sliding_window", None) is False:
        return
    for name in WINDOWS:
        value = values.get(name)
        if name in inspect.signature(type(text)).parameters and isinstance(value, int) and getattr(text, name, None) == value:
            Fields(": ".join([source.where, *path]), values, {}).window(name)


def _require_sizes(source: ModelSource, declared: Declared | None, given: set[str]) -> None:
    """Raise BadInput if depth or width is a default of the library. A list with an entry for each layer has a depth."""
    found = {*_names(source.config), *given}
    defaults = set() if declared is None else declared.taken.keys() - given
    for kind, size, names in KINDS:
        is_named = not found.isdisjoint({*names, *SPELLINGS[size]}) or (size == DEPTH and declared is not None)
        if not is_named or not defaults.isdisjoint(names):
            raise BadInput(f"{source.where}: expected a {kind} in the file, such as {size}; found none, only a default is left")


def _names(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the fields of a configuration, also of those inside."""
    for name, value in config.items():
        yield name
        if isinstance(value, Mapping):
            yield from _names(value)


def _require_read(declared: Declared, taken: Declared, names: Collection[str]) -> None:
    """Raise BadInput if the library takes another size than the file has, under whatever name and in whatever place."""
    sizes = {name: declared.fields.values.get(name) for name in names}
    ignored = [name for name, size in sizes.items() if is_size(size) and taken.fields.get(name) != size]
    if not ignored:
        return
    found = ", ".join(declared.spellings.get(name, name) for name in ignored)
    instead = ", ".join(f"{name} = {taken.fields.get(name)}" for name in ignored)
    expected = ""
    if declared.spellings or declared.fields.where != taken.fields.where:
        place = "" if declared.spellings else " next to model_type"
        expected = f"; expected {', '.join(f'{name} = {sizes[name]}' for name in ignored)}{place}"
    raise BadInput(f"{declared.fields.where}: transformers does not read {found} there, it takes {instead}{expected}")
