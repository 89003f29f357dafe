"""The text model inside a configuration: where it is, and of which family."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seqsep.core.names import LEAST_LIKENESS, BadInput, excerpt, nearest, printable
from seqsep.language_models.capacity import state_spaces
from seqsep.language_models.capacity.by_hand import BY_HAND
from seqsep.language_models.capacity.families import any_decoder, model_types, named_inside, other_names, refused
from seqsep.language_models.capacity.flash_linear import FLASH_LINEAR
from seqsep.language_models.capacity.spellings import DEPTH, has_depth

INSIDE = ("text_config", "llm_config", "language_config", "thinker_config", "model_config", "lm_config")
DECODERS = ("decoder", "decoder_config")
"""The fields of the decoder in an encoder-decoder that consists of two configurations."""
MOST_NESTED = 3
DRAFTS = ("gemma4_assistant", "gemma4_unified_assistant")
"""Models of drafts, all of whose layers read the cache of the model that they draft for."""
UNNAMED = "a file without a model_type"


@dataclass(frozen=True)
class Named:
    """The configuration of a text model: its place in error messages, its fields, its model_type and its family.

    `family` is the family whose rules are followed, or None if no rule is known. `taken` are the defaults of an original file.
    """

    where: str
    config: Mapping[str, Any]
    model_type: str
    family: str | None
    taken: Mapping[str, Any] = field(default_factory=dict)


def named(where: str, config: Mapping[str, Any]) -> Named:
    """Find the text model of a configuration, which may be inside another one.

    Raises BadInput if there is a model_type that is not a text, or if more than 3 configurations are inside each other.

    >>> named("config.json", {"model_type": "kimi_k25", "text_config": {"model_type": "kimi_k2"}}).family
    'deepseek_v3'
    """
    outer: str | None = None
    for _ in range(MOST_NESTED):
        if is_original(config):
            taken: dict[str, Any] = {}
            config = state_spaces.as_transformers(where, config, taken)
            return Named(where, config, config["model_type"], config["model_type"], taken=taken)
        name = _type_of(where, config, outer)
        if name in refused():
            raise BadInput(f"{where}: the model_type {name} is not read: {refused()[name]}")
        keys = (*INSIDE, *DECODERS) if name in named_inside() or name in any_decoder() else INSIDE
        inside = next((key for key in keys if isinstance(config.get(key), Mapping)), None)
        if _is_known(name) and (inside is None or has_depth(config) or not has_depth(config[inside])):
            return Named(where, config, name, name)
        if inside is None:
            return Named(where, config, name, named_inside().get(name) or other_names().get(name))
        where = f"{where}: {inside}"
        config = config[inside]
        if name in DRAFTS:
            config = {**config, "num_kv_shared_layers": config.get(DEPTH)}
        outer = name
    raise BadInput(f"{where}: expected a model of text, found more than {MOST_NESTED} configurations inside each other")


def is_original(config: Mapping[str, Any]) -> bool:
    """Return whether a file is one of state-spaces, which have no model_type.

    >>> is_original({"d_model": 768, "n_layer": 24, "ssm_cfg": {}})
    True
    """
    return config.get("model_type") is None and {"d_model", "n_layer", "ssm_cfg"} <= set(config)


def _is_known(name: str) -> bool:
    return name in model_types() or name in FLASH_LINEAR or name == BY_HAND


def _type_of(where: str, config: Mapping[str, Any], outer: str | None) -> str:
    """Return the model_type. An inner configuration without one takes it from the outer one."""
    name = config.get("model_type")
    if name is None and outer is not None:
        return named_inside().get(outer) or next((near for near in (f"{outer}_text", outer) if _is_known(near)), outer)
    if name is None and (has_depth(config) or any(isinstance(config.get(key), Mapping) for key in INSIDE)):
        return UNNAMED
    if not isinstance(name, str):
        raise BadInput(f"{where}: model_type: expected a text, found {type(name).__name__ if name is not None else 'none'}")
    return name


def unknown(name: str, missing: str) -> str:
    """Return the line about a model_type without a rule, and what its file lacks for the general one.

    >>> unknown("mambo", "num_hidden_layers")[:45]
    "unknown model_type 'mambo'; did you mean mamb"
    """
    near = nearest(name, [*model_types(), *FLASH_LINEAR], least=LEAST_LIKENESS)
    hand = '{"model_type": "by-hand", "layers": [{"count": 48, "fixed_numbers": 4096, "numbers_per_token": 1024}]}'
    rule = f"; the general rule needs {missing}" if missing else ""
    return f"unknown model_type {excerpt(printable(name))!r}{near}{rule}; a model can be described by hand: {hand}"
