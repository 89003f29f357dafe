"""The library's object for a configuration, and the bounds that are checked before the library sees it."""

from collections.abc import Mapping
from copy import deepcopy
from importlib import import_module
from typing import Any

from seqsep.core.names import BadInput, excerpt, nearest, printable, text_of
from seqsep.language_models.capacity.flash_linear import is_flash_linear
from seqsep.language_models.loader.flash_linear import import_models
from seqsep.language_models.loader.folder import without_code
from seqsep.language_models.loader.library import transformers

MOST_LAYERS = 1_000
"""To build a layer takes milliseconds, so a million of them would take an hour."""
MOST_LABELS = 100_000
"""The library gives each label of a classifier a name."""
FLOAT = "__float__"
NO_NUMBERS = ("NaN", "Infinity", "-Infinity")


def library_config(where: str, config: Mapping[str, Any]) -> Any:
    """Return the library's object for a configuration. Raises BadInput, one line, for what the library does not take."""
    require_few_layers(where, config)
    transformers()
    known = import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    name = config["model_type"]
    if is_flash_linear(name, config):
        import_models(where, name)
    if name not in known:
        raise BadInput(f"{where}: model_type {excerpt(printable(name))!r} is not one of transformers{nearest(name, known)}")
    given = {key: _as_float(value) for key, value in without_code(config).items() if key != "model_type"}
    try:
        return known[name].from_dict(deepcopy(given))
    except Exception as error:
        raise BadInput(f"{where}: transformers does not take it: {text_of(error)}") from error


def path_to_text(whole: Any) -> tuple[str, ...]:
    """Return the names of the fields that lead from the library's object to that of its text model; none if it is flat."""
    try:
        text = whole.get_text_config()
    except ValueError:  # it has several
        return ()
    paths: list[tuple[tuple[str, ...], Any]] = [((), whole)]
    for path, config in paths:
        if config is text:
            return path
        paths += [((*path, name), getattr(config, name)) for name in config.sub_configs if getattr(config, name, None)]
    return ()


def require_model_type(where: str, config: Mapping[str, Any]) -> None:
    """Raise BadInput unless a configuration names its model_type."""
    if not isinstance(config.get("model_type"), str):
        found = "none" if "model_type" not in config else "another kind"
        raise BadInput(f"{where}: model_type: expected a text, found {found}")


def require_few_layers(where: str, config: Mapping[str, Any]) -> None:
    """Raise BadInput for a configuration of more than MOST_LAYERS layers, whatever the field is called.

    >>> require_few_layers("config.json", {"text_config": {"n_layer": 1_000_000}})
    Traceback (most recent call last):
    seqsep.core.names.BadInput: config.json: n_layer: expected at most 1,000 layers to build, found 1,000,000
    >>> require_few_layers("config.json", {"attention_types": [[["global"], 900_000_000]]})
    Traceback (most recent call last):
    seqsep.core.names.BadInput: config.json: attention_types: expected at most 1,000 layers to build, found 900,000,000
    """
    for key, value in config.items():
        name = str(key)
        if isinstance(value, Mapping):
            require_few_layers(where, value)
        if name == "num_labels" and isinstance(value, int) and value > MOST_LABELS:
            raise BadInput(f"{where}: num_labels: expected at most {MOST_LABELS:,}, found {excerpt(f'{value:,}')}")
        count = 0
        if isinstance(value, int) and name.endswith(("layer", "layers", "blocks")):
            count = value
        elif isinstance(value, list | str) and any(part in name for part in ("layer", "block", "pattern")):
            count = len(value)
        elif isinstance(value, list):
            count = sum(pair[1] for pair in value if _repeats(pair))
        if count > MOST_LAYERS:
            expected = f"expected at most {MOST_LAYERS:,} layers to build"
            raise BadInput(f"{where}: {excerpt(printable(name))}: {expected}, found {excerpt(f'{count:,}')}")


def _repeats(pair: Any) -> bool:
    """Return True for kinds of layers with the number of their repetitions, as in attention_types of GPT-Neo.

    >>> _repeats([["global", "local"], 12]), _repeats([1, 2])
    (True, False)
    """
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list) and type(pair[1]) is int


def _as_float(value: Any) -> Any:
    """Return the value with what the library writes for NaN and Infinity, as {"__float__": "Infinity"}, as these floats."""
    if isinstance(value, dict):
        only = value.get(FLOAT) if len(value) == 1 else None
        return float(only) if only in NO_NUMBERS else {name: _as_float(part) for name, part in value.items()}
    return [_as_float(part) for part in value] if isinstance(value, list) else value
