"""A model_type that is not known, by the general rule: keys and values of grouped heads, or a latent.

The answer is marked "by rule, not verified". A file with a field of a recurrent state, with layers of another kind, or with
heads that share keys by a field that is not read, is refused.
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
OF_SHARED_HEADS = re.compile(
    r"multi_?query|(^|_)(gqa|mqa)|(kv|key_value)_(n_)?heads?|heads?_(kv|key_value)|(query|kv|key_value)_groups?"
)
"""Names of fields, and values, by which heads share keys and values."""
OF_ONE_LAYER = re.compile(r"(head|attention|attn|key|kv|window|rank)\w*_per_layer")
"""Names of lists by which the sizes of layers differ."""
OF_ATTENTION = re.compile(r"attn|attention")
"""Names of inner objects whose fields are those of the layers."""
OF_A_WINDOW = re.compile(
    r"(window|sliding|local_(attn|attention)|(attn|attention)_chunk|chunk(ed)?_(attn|attention))(?!.*(pattern|layers?|types?)$)"
)
OF_A_PATTERN = re.compile(
    r"pattern|layers?_types?|max_window_layers|(attn|attention)_(layers?|types)|every_n_layers|interleav|alternat"
    r"|(global|local|full)_(attn|attention|layers?)"
)
"""Names of fields that say which layers have a window or another kind of attention."""
OF_NO_CACHE = re.compile(r"moe|mlp|ffn|dense|expert|rope|rotary")
"""Names of fields by which layers differ in something else than what they keep."""
OF_EACH_LAYER = "num_key_value_heads_per_layer"
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
    if config.get(OF_EACH_LAYER) not in NOT_CONFIGURED:
        values[KEPT_HEADS] = config[OF_EACH_LAYER]
        names[KEPT_HEADS] = OF_EACH_LAYER
    given = configured(config)
    strange = sorted(field for field in given if OF_OTHER_LAYERS.search(field))
    strange = strange or sorted(field for field in given if OF_ONE_LAYER.search(field) and field != OF_EACH_LAYER)
    strange = strange or ([] if is_latent else _shared_otherwise(values, given))
    if strange:
        field = excerpt(printable(strange[0]))
        raise BadInput(f"{where}: {unknown(name, '')}; the general rule does not hold for a model with {field}")
    fields = Fields(where, values, {}, stored=names)
    return fields, _layers(fields, is_latent), names


def configured(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that switch something on, with those of inner objects of the attention, by their path.

    >>> configured({"dim": 64, "window": None, "attn_config": {"kv_n_heads": 2, "clip_qkv": 0}})
    {'dim': 64, 'attn_config.kv_n_heads': 2}
    """
    found: dict[str, Any] = {}
    for name, value in config.items():
        inner = value if isinstance(value, Mapping) and OF_ATTENTION.search(name) else None
        given = {name: value} if inner is None else {f"{name}.{key}": one for key, one in inner.items()}
        found |= {path: one for path, one in given.items() if one not in NOT_CONFIGURED}
    return found


def _shared_otherwise(values: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Return the fields by which heads share keys in another way than the number of heads that is read."""
    heads = values.get(HEADS)
    kept = values.get(KEPT_HEADS)
    kept = heads if kept is None else kept
    repeats = heads // kept if isinstance(heads, int) and isinstance(kept, int) and is_size(kept) else None
    same: dict[bool, tuple[Any, ...]] = {True: (kept, repeats), False: (kept,)}
    found = [name for name, value in given.items() if isinstance(value, str) and OF_SHARED_HEADS.search(value)]
    found = [name for name in found if OF_ATTENTION.search(name) and kept == heads]
    for name, value in given.items():
        if name in (KEPT_HEADS, OF_EACH_LAYER) or not OF_SHARED_HEADS.search(name):
            continue
        if kept != 1 if value is True else value not in same[name.endswith(("kv_groups", "key_value_groups"))]:
            found.append(name)
    return sorted(found)


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
