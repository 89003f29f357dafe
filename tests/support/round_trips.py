"""Files of every model_type of transformers, and what the library makes of each: both are read alike."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from seqsep.language_models.capacity.families import family, model_types, named_inside
from support.tiny_models import tiny_fields
from support.tiny_pairs import pair_fields


def tiny_files() -> dict[str, dict[str, Any]]:
    """A tiny file of each model_type: flat, or with a text model inside; its model_type is left out there, as in old files."""
    flat = {name: tiny_file(name) for name in model_types() if name in CONFIG_MAPPING}
    nested = {
        f"{outer}, nested": {"model_type": outer, "text_config": without_type(tiny_file(inner))}
        for outer, inner in named_inside().items()
        if "text_config" in CONFIG_MAPPING[outer].sub_configs
    }
    typed = {name: {**file, "text_config": tiny_file(named_inside()[file["model_type"]])} for name, file in nested.items()}
    return flat | nested | {f"{name}, with its type": file for name, file in typed.items()}


def tiny_file(name: str) -> dict[str, Any]:
    """The fields of a tiny model, with its model_type."""
    pair = family(name).rule == "decoder"
    return {"model_type": name, **(pair_fields(name) if pair else tiny_fields(name))}


def without_type(file: Mapping[str, Any]) -> dict[str, Any]:
    """The file without its model_type."""
    return {name: value for name, value in file.items() if name != "model_type"}


def through_the_library(file: Mapping[str, Any]) -> dict[str, Any]:
    """The file that the library writes after it has read this one."""
    fields = deepcopy(dict(file))
    kind = CONFIG_MAPPING[fields.pop("model_type")]
    return {**json.loads(json.dumps(kind.from_dict(fields).to_dict(), default=str)), "model_type": file["model_type"]}


def accepted_files() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each tiny file that the library accepts, and the file that it writes; others lack a vision part of the same width."""
    for name, file in tiny_files().items():
        try:
            written = through_the_library(file)
        except Exception:  # the library raises many kinds of errors here
            continue
        yield name, file, written
