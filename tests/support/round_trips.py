"""Files of every model_type of transformers, and what the library makes of each: both are read alike."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from seqsep.language_models.capacity.families import any_decoder, family, model_types, named_inside
from support.tiny_models import tiny_fields
from support.tiny_pairs import DECODERS, pair_fields

PLACES = ("text_config", "decoder", "decoder_config")
ANY_DECODER = ("bert", "gpt2", "roberta", "mbart", "trocr")


def tiny_files() -> dict[str, dict[str, Any]]:
    """A tiny file of each model_type: flat, or with a text model inside; its model_type is left out there, as in old files."""
    flat = {name: tiny_file(name) for name in model_types() if name in CONFIG_MAPPING}
    nested = {}
    for outer, inner in named_inside().items():
        place = next((place for place in PLACES if place in CONFIG_MAPPING[outer].sub_configs), None)
        if place is not None:
            nested[f"{outer}, nested"] = {"model_type": outer, place: without_type(tiny_file(inner))}
            nested[f"{outer}, nested, with its type"] = {"model_type": outer, place: tiny_file(inner)}
    for outer in any_decoder():
        for inner in ANY_DECODER:
            crossed = {**tiny_file(inner), "is_decoder": True, "add_cross_attention": True}
            nested[f"{outer}, around {inner}"] = {"model_type": outer, "encoder": tiny_file("bert"), "decoder": crossed}
    return flat | nested


def tiny_file(name: str) -> dict[str, Any]:
    """The fields of a tiny model, with its model_type."""
    pair = family(name).rule == "decoder" or name in DECODERS
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
