"""Published models at their full size on torch's meta device: shapes without numbers, so a cache is counted in a second."""

import json
from pathlib import Path
from typing import Any

import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from seqsep.language_models.capacity.declare import declare
from seqsep.language_models.capacity.families import model_types
from seqsep.language_models.capacity.part import Part
from seqsep.language_models.capacity.published import Published, published
from seqsep.language_models.loader import weights
from seqsep.language_models.loader.source import ModelSource
from seqsep.language_models.loader.tiny import MOST_PARAMETERS, tiny
from support.tiny_models import built, counted

TOKENS = 64
CUT = {"vocab_size": 128, "vocab_size_per_layer_input": 128, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
EXPERTS = {"num_experts": 2, "num_local_experts": 2, "n_routed_experts": 2, "num_experts_per_tok": 1, "n_group": 1}
EXPERTS |= {"topk_group": 1, "moe_intermediate_size": 32, "intermediate_size": 64, "num_experts_per_token": 1}
HAVE_A_STATE_OF_THAT_WIDTH = ("mamba", "falcon_mamba")


def runs_here() -> list[Published]:
    """The published models whose family transformers has."""
    return [model for model in published() if _text(model)["model_type"] in model_types()]


def _text(model: Published) -> dict[str, Any]:
    return dict(model.config.get("text_config", model.config))


def counted_at_full_size(model: Published) -> int:
    """Numbers in the cache after 64 tokens; experts and vocabulary, which hold no state, are cut."""
    fields = _text(model)
    name = fields.pop("model_type")
    known = CONFIG_MAPPING[name]().to_dict()
    cut = CUT | ({} if name in HAVE_A_STATE_OF_THAT_WIDTH else EXPERTS)
    fields |= {field: size for field, size in cut.items() if field in known or field in fields}
    with torch.device("meta"):
        return counted(built(name, fields).to(torch.bfloat16), TOKENS)[0]


def kinds_are_kept(model: Published) -> bool:
    """Tell if the tiny copy of a model is small and its layers keep the kinds of state that the published ones do."""
    source = ModelSource(model.name, model.config)
    small = tiny(source)
    count = sum(weight.numel() for weight in weights.built(small, torch.float32).parameters())
    kinds = [list(dict.fromkeys(map(_kinds, declare(model.name, one.config).layers))) for one in (source, small)]
    return count <= MOST_PARAMETERS and kinds[0] == kinds[1]


def _kinds(layer: tuple[Part, ...]) -> tuple[str, ...]:
    return tuple(part.kind for part in layer)


def answers() -> dict[str, dict[str, Any]]:
    """The sizes that were computed apart from this code, by the model's name."""
    file = Path(__file__).parents[1] / "capacity/published_answers.json"
    return {answer["name"]: answer for answer in json.loads(file.read_text(encoding="utf-8"))}
