"""The places of a field in a configuration: next to model_type, or inside of the configuration of the text model."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

from seqsep.core.names import BadInput, nearest
from seqsep.language_models.capacity.named import INSIDE
from seqsep.language_models.loader.configuration import library_config, path_to_text

Place: TypeAlias = tuple[str, ...]
"""The names that lead to a field: ("text_config", "hidden_size")."""
MODEL_TYPE = "model_type"


def read_or_none(where: str, config: Mapping[str, Any]) -> Any:
    """Return the library's object for a configuration; None if the library does not take it."""
    try:
        return library_config(where, config)
    except BadInput:
        return None


def find_places(config: Mapping[str, Any], whole: Any, name: str) -> Iterator[tuple[Place, ...]]:
    """Yield the places at which the library may read a field, the likeliest first; a change goes to all of one choice.

    `whole` is the library's object for `config`, or None. A field that both configurations have is put into both.

    >>> list(find_places({"text_config": {}}, None, "hidden_size"))
    [(('text_config', 'hidden_size'),)]
    """
    path = tuple(name.split("."))
    if len(path) > 1 and (isinstance(config.get(path[0]), Mapping) or path[0] in getattr(whole, "sub_configs", {})):
        yield (path,)
        return
    if len(path) > 1:
        yield ((name,),)
        return
    inside = _path_in(config) if whole is None else path_to_text(whole)
    if not inside or name == MODEL_TYPE or (whole is not None and _reading_part(whole, name) is whole):
        yield ((name,),)
        return
    nested = (*inside, name)
    if isinstance(value_at(config, inside), Mapping):
        yield (nested, (name,)) if name in config else (nested,)
        return
    yield ((name,),)
    yield (nested,)


def put(config: Mapping[str, Any], places: tuple[Place, ...], value: Any) -> dict[str, Any]:
    """Return a copy of a configuration with a value at each of the places.

    >>> put({"model_type": "gemma3"}, (("text_config", "hidden_size"),), 8)
    {'model_type': 'gemma3', 'text_config': {'hidden_size': 8}}
    """
    changed = deepcopy(dict(config))
    for place in places:
        part = changed
        for name in place[:-1]:
            part[name] = part.get(name) or {}
            part = part[name]
        part[place[-1]] = deepcopy(value)
    return changed


def takes(before: Any, after: Any, name: str, value: Any) -> bool:
    """Return True if the library's object has a value after a change, or differs from the one before it."""
    old = _reading_part(before, name)
    new = _reading_part(after, name)
    return _same(_get(new, name.rpartition(".")[2]), value) or _as_dict(new) != _as_dict(old)


def require_read(where: str, config: Mapping[str, Any], name: str) -> None:
    """Raise BadInput if the library does not read a field of this configuration, which has it."""
    path = tuple(name.split("."))
    field = path[-1]
    after = library_config(where, config)
    places = {path, (name,), (*path_to_text(after), name)}
    before = read_or_none(where, _without(config, places))
    if before is None or field == MODEL_TYPE:  # the file needs this field
        return
    parts = [before.get_text_config(), part_of(before, name) if len(path) > 1 else before]
    if any(_is_field(part, field) for part in parts):
        return
    if _without(after.to_dict(), places) == _without(before.to_dict(), places):
        known = [known for part in parts for known in _fields(part)]
        raise BadInput(f"{where}: --set {name}: expected a field of {config[MODEL_TYPE]}{nearest(field, known)}")


def part_of(whole: Any, name: str) -> Any:
    """Return the part of the library's object in which a field with a path before it is; None if it is missing."""
    for step in name.split(".")[:-1]:
        whole = _get(whole, step)
    return whole


def value_at(config: Any, place: Place) -> Any:
    """Return the value at a place of a configuration; None if there is none.

    >>> value_at({"text_config": {"hidden_size": 8}}, ("text_config", "hidden_size"))
    8
    """
    for name in place:
        config = config.get(name) if isinstance(config, Mapping) else None
    return config


def _reading_part(whole: Any, name: str) -> Any:
    """Return the part of the library's object that reads a field: the text model, unless only the one around it has it."""
    if "." in name:
        return part_of(whole, name)
    text = whole.get_text_config()
    return whole if _is_field(whole, name) and not _is_field(text, name) else text


def _as_dict(part: Any) -> Any:
    return part.to_dict() if hasattr(part, "to_dict") else part


def _path_in(config: Mapping[str, Any]) -> Place:
    return next(((name,) for name in INSIDE if isinstance(config.get(name), Mapping)), ())


def _without(config: Mapping[str, Any], places: set[Place]) -> dict[str, Any]:
    changed = deepcopy(dict(config))
    for place in places:
        part = value_at(changed, place[:-1])
        if isinstance(part, dict):
            part.pop(place[-1], None)
    return changed


def _get(part: Any, name: str) -> Any:
    if isinstance(part, Mapping):
        return part.get(name)
    try:
        return getattr(part, name, None)
    except Exception:  # the library raises for a field of which layers have several values, as in Gemma 4
        return None


def _fields(part: Any) -> list[str]:
    if isinstance(part, Mapping):
        return list(part)
    return [] if part is None else [*part.to_dict(), *type(part).attribute_map]


def _is_field(part: Any, name: str) -> bool:
    return name in _fields(part)


def _same(found: Any, value: Any) -> bool:
    """Return True if the library keeps a value: an object may have further fields, a list may be a tuple."""
    if isinstance(value, Mapping) and isinstance(found, Mapping):
        return all(name in found and _same(found[name], part) for name, part in value.items())
    if isinstance(value, list | tuple) and isinstance(found, list | tuple):
        return list(found) == list(value)
    return bool(found == value)
