"""A model_type that is not known, by the general rule: keys and values of grouped heads, or a latent.

The answer is marked "by rule, not verified". A file with a field of a recurrent state, or with layers of another kind, is
refused.
"""

import re
from collections.abc import Mapping
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.attention import ATTENTION, latent, windowed
from seqsep.language_models.capacity.config import MOST_LAYERS, Fields
from seqsep.language_models.capacity.named import unknown
from seqsep.language_models.capacity.part import Part
from seqsep.language_models.capacity.patterns import FULL, OLDER_NAMES, SLIDING
from seqsep.language_models.capacity.spellings import DEPTH, HEAD_DIM, HEADS, KEPT_HEADS, WIDTH, is_size, spelt

OF_OTHER_LAYERS = re.compile(
    r"mamba|ssm|rwkv|lru|d_conv|conv_kernel|conv1d|linear_(attn|num|key|value)|state_size|attn_type_list|block_types|hybrid"
    r"|full_attention_interval|compress|kv_shared|kv_source|kv_reuse|cross_attention|cross_layer|block_configs|index_head"
    r"|prompt_length|_cycles|looped|encoder_hidden|aligner|cla_share|use_cla|is_encoder_decoder|delta|retention|num_slots"
)
"""Names of fields of layers for which the general rule is wrong."""
NOT_CONFIGURED: tuple[Any, ...] = (None, False, 0, [], {}, "")
Layer = tuple[Part, ...]


def layers_by_rule(where: str, name: str, config: Mapping[str, Any]) -> tuple[Fields, tuple[Layer, ...], dict[str, str]]:
    """Return the fields, the parts of each layer, and the spellings that were read.

    Raises BadInput if depth, heads or widths are missing, and if a field shows layers of another kind.

    >>> layers_by_rule("config.json", "other", {"n_layers": 2, "dim": 64, "n_heads": 4, "n_kv_heads": 2})[1][0][0].per_token
    64
    """
    values, names = spelt(where, config)
    values = {**config, **values}
    missing = [size for size in (DEPTH, HEADS) if not is_size(values.get(size))]
    if not is_size(values.get(WIDTH)) and not is_size(values.get(HEAD_DIM)):
        missing.append(WIDTH)
    is_latent = values.get("kv_lora_rank") not in NOT_CONFIGURED
    missing = [size for size in missing if size == DEPTH] if is_latent else missing
    if missing:
        raise BadInput(f"{where}: {unknown(name, ' and '.join(missing))}")
    strange = sorted(field for field, value in config.items() if value not in NOT_CONFIGURED and OF_OTHER_LAYERS.search(field))
    if strange:
        field = excerpt(printable(strange[0]))
        raise BadInput(f"{where}: {unknown(name, '')}; the general rule does not hold for a model with {field}")
    fields = Fields(where, values, {})
    return fields, _layers(fields, is_latent), names


def _layers(fields: Fields, is_latent: bool) -> tuple[Layer, ...]:
    kinds = [FULL] * fields.layers
    if fields.has("layer_types"):
        kinds = [OLDER_NAMES.get(kind, kind) for kind in fields.words("layer_types", fields.layers) or []]
    if set(kinds) - {FULL, SLIDING}:
        fields.refuse("layer_types", f"{FULL} and {SLIDING} for a model_type that is not known")
    heads = _heads_of_layers(fields)
    found = []
    for kind, kept in zip(kinds, heads, strict=True):
        pairs = ATTENTION["two-widths" if fields.has("v_head_dim") else "grouped"]
        parts = latent(fields) if is_latent else [] if kept == 0 else pairs(fields.over({KEPT_HEADS: kept}))
        found.append(tuple(windowed(parts, fields.whole("sliding_window")) if kind == SLIDING else parts))
    return tuple(found)


def _heads_of_layers(fields: Fields) -> list[int | None]:
    """Return the number of heads with their own keys in each layer: one number for all, or a list."""
    if isinstance(fields.get(KEPT_HEADS), list):
        return list(fields.places(KEPT_HEADS, fields.layers) or [])
    if fields.layers > MOST_LAYERS:
        fields.refuse(DEPTH, f"at most {MOST_LAYERS:,} layers")
    kept = fields.optional(KEPT_HEADS)
    if kept is None and KEPT_HEADS not in fields.values:
        kept = fields.instead(KEPT_HEADS, fields.whole(HEADS)) if fields.has(HEADS) else None
    return [kept] * fields.layers
