"""From a config.json to what each layer keeps: the family is found, its fields are read, its rules are followed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity import patterns
from seqsep.language_models.capacity.attention import ATTENTION, compressed, cross, index, windowed
from seqsep.language_models.capacity.by_hand import BY_HAND, layers_by_hand
from seqsep.language_models.capacity.by_rule import layers_by_rule
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.families import COUNTED, Family, family
from seqsep.language_models.capacity.flash_linear import DEFAULTS, flash_linear_layers, is_flash_linear
from seqsep.language_models.capacity.named import named
from seqsep.language_models.capacity.own_layers import own_layers
from seqsep.language_models.capacity.part import Part
from seqsep.language_models.capacity.sharing import has_indexer, keeps_nothing, ple_parts, rotates
from seqsep.language_models.capacity.spellings import spelt
from seqsep.language_models.capacity.states import STATES

BY_RULE = "rule"
SOURCE_FIELDS = {"whisper": "max_source_positions"}
"""Encoder-decoders that pad every source to one length, and the field of that length."""
INNER_FIELDS = {"minimax_m3_vl_text": (("index_head_dim", "sparse_attention_config", "sparse_index_dim"),)}
"""Fields that the library reads from an object inside: the field, the object and the key."""
Layer = tuple[Part, ...]
OLDER_SPELLINGS = {"zamba2": ("state_size", "conv_dimension", "expansion_factor")}
"""Fields of files under the same model_type that another version of the library wrote."""
SIZES_OF_A_LAYER = frozenset({"head_dim", "num_attention_heads", "num_key_value_heads", "kv_lora_rank", "qk_rope_head_dim"})
NO_STATE_OF_A_LAYER = frozenset(
    {"intermediate_size", "moe_intermediate_size", "num_experts", "num_experts_per_tok", "num_local_experts", "q_lora_rank"}
    | {"n_routed_experts", "qk_nope_head_dim", "v_head_dim"}
)


@dataclass(frozen=True)
class Declared:
    """The sizes that a config.json declares.

    Fields:
        family: the family whose rules are followed, or the model_type of the file if there is none.
        model_type: the model_type of the file, or the family if the file has none.
        fields: the fields as they are read.
        layers: the parts of each layer.
        basis: "counted", "published code" or "rule": where the rules are from.
        taken: defaults that decide a number, by the name of the field.
        spellings: fields that were read under another name, and that name.
        source: the source tokens of an encoder-decoder whose file fixes them, else None.
    """

    family: str
    model_type: str
    fields: Fields
    layers: tuple[Layer, ...]
    basis: str = COUNTED
    taken: Mapping[str, Any] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    source: int | None = None


def declare(where: str, config: Mapping[str, Any]) -> Declared:
    """Read a configuration. Raises BadInput, one line with file and field, for one that cannot be read.

    >>> declared = declare("config.json", {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4})
    >>> declared.layers[0]
    (Part(kind='conv', fixed=48, spare=16, ...), Part(kind='recurrent', fixed=64, ..., bits=32, ...))
    """
    one = named(where, config)
    where = one.where
    config = one.config
    name = one.family
    if name == BY_HAND:
        fields = Fields(where, config, {})
        return Declared(name, name, fields, layers_by_hand(fields), basis=BY_HAND)
    if name is None:
        fields, layers, spellings = layers_by_rule(where, one.model_type, config)
        name = one.model_type
        return Declared(name, name, fields, layers, basis=BY_RULE, taken=fields.taken, spellings=spellings)
    if is_flash_linear(name, config):
        values, spellings = spelt(where, config, DEFAULTS[name])
        fields, layers = flash_linear_layers(where, name, {**config, **values})
        return Declared(name, name, fields, layers, taken=fields.taken, spellings=spellings)
    known = family(name)
    older = next((field for field in OLDER_SPELLINGS.get(name, ()) if field in config), None)
    if older is not None:
        raise BadInput(f"{where}: {older}: expected the newer spelling of {name}, with mamba_d_state, found an older one")
    values, spellings = spelt(where, config, [name for name, stored in known.aliases.items() if stored in config])
    read = Fields(where, {**config, **values}, known.defaults, stored=spellings)
    fields = fields_of(where, known, {**config, **values, **own_layers(name, read)}, spellings)
    fields.taken.update(read.taken)
    layers = _layers(known, fields)
    if _ignores_a_source(fields, layers):
        fields.refuse("add_cross_attention", f"false, as the cache that {name} keeps of a source is not counted")
    source = fields.optional(SOURCE_FIELDS[name]) if name in SOURCE_FIELDS else None
    taken = {**one.taken, **fields.taken}
    return Declared(name, one.model_type, fields, layers, basis=known.basis, taken=taken, spellings=spellings, source=source)


def fields_of(where: str, known: Family, config: Mapping[str, Any], spellings: Mapping[str, str]) -> Fields:
    """Return the fields by the library's own names. Raises BadInput if two names of one field disagree."""
    values = dict(config)
    names = dict(spellings)
    for name, stored in known.aliases.items():
        if stored not in config:
            continue
        if name in config and config[name] != config[stored] and name in known.defaults:
            raise BadInput(f"{where}: {name} and {stored} are one field: expected the same value, found two")
        values[name] = config[stored]
        names[name] = stored
    for name, inner, key in INNER_FIELDS.get(known.model_type, ()):
        given = config.get(inner)
        if isinstance(given, Mapping) and key in given:
            values[name] = given[key]
    fields = Fields(where, values, known.defaults, stored=names)
    return fields.over({"sliding_window": _window_of(fields, known)}) if known.window != "sliding_window" else fields


def _ignores_a_source(fields: Fields, layers: tuple[Layer, ...]) -> bool:
    """Return True if the file switches on cross-attention that the library builds, and the rules of the family count none."""
    if "add_cross_attention" not in fields.defaults or fields.values.get("add_cross_attention") in (None, False):
        return False
    return not any(part.per_source for layer in layers for part in layer)


def _window_of(fields: Fields, known: Family) -> int | None:
    """Return the size of the window, if the value of sliding_window is not simply that size."""
    if known.window == "where use_sliding_window":
        return fields.window() if fields.flag("use_sliding_window") else None
    window = fields.window(has_switch=False)
    if known.window == "else half of local_attention":
        return window or fields.whole("local_attention") // 2
    if known.window == "one more than sliding_window_size":
        size = fields.optional("sliding_window_size")
        return window if size is None else size + 1
    if known.window == "or sliding_window_size":
        return window or fields.optional("sliding_window_size") or 512
    if known.window == "halved where bidirectional":
        halves = fields.get("use_bidirectional_attention") in (True, "all")
        return window // 2 + 1 if window and halves else window
    return window


def _layers(known: Family, fields: Fields) -> tuple[Layer, ...]:
    kinds = patterns.kinds_of_layers(fields, known.rule, known.kinds)
    overrides = _overrides(fields, len(kinds))
    seen: dict[tuple[Any, ...], Layer] = {}
    layers = []
    for place, kind in enumerate(kinds):
        key = (
            kind,
            has_indexer(fields, known, place, len(kinds)),
            keeps_nothing(fields, place, len(kinds)),
            rotates(fields, known, place),
            tuple(sorted(overrides.get(place, {}).items())),
        )
        if key not in seen:
            seen[key] = _parts(known, _of_layer(fields, known, kind, overrides.get(place)), key)
        layers.append((*seen[key], *ple_parts(fields, known, place)))
    return tuple(layers)


def _of_layer(fields: Fields, known: Family, kind: str, override: Mapping[str, Any] | None) -> Fields:
    """Return the fields of layers of one kind, or those that the file gives for this layer."""
    if override is not None:
        return fields.over(override)
    if fields.has("per_layer_config"):
        return fields
    changed = {}
    for name, (other, default) in known.overlays.get(kind, {}).items():
        if (
            other == "num_global_key_value_heads"
            and not fields.get("attention_k_eq_v")
            and "attention_k_eq_v" in known.defaults
        ):
            continue
        if other.startswith("twice "):
            changed[name] = 2 * fields.whole(other.removeprefix("twice "))
            continue
        value = fields.get(other) if fields.has(other) else default
        if value is not None:
            changed[name] = value
    return fields.over(changed)


def _overrides(fields: Fields, layers: int) -> dict[int, dict[str, Any]]:
    """Return the settings of single layers in a file that `transformers` wrote. Raises BadInput for unknown fields."""
    found = {}
    for place, override in fields.inner("per_layer_config").values.items():
        inner = Fields(f"{fields.where}: per_layer_config: {excerpt(printable(place))}", {"layer": override}, {})
        values = inner.inner("layer").values
        if not place.isdecimal() or not place.isascii() or len(place) > 5 or int(place) >= layers:
            raise BadInput(f"{inner.where}: expected a layer from 0 to {layers - 1}")
        strange = sorted(set(values) - SIZES_OF_A_LAYER - NO_STATE_OF_A_LAYER)
        if strange:
            raise BadInput(f"{inner.where}: expected {', '.join(sorted(SIZES_OF_A_LAYER))}, found {strange[0][:60]!r}")
        sizes = fields.over(values)
        found[int(place)] = {name: sizes.whole(name, least=0) for name in values if name in SIZES_OF_A_LAYER}
    return found


def _parts(known: Family, fields: Fields, key: tuple[Any, ...]) -> Layer:
    kind, is_indexed, is_shared, is_rotated, _ = key
    if is_shared or kind in ("mlp", "moe"):
        return ()
    if known.rule == "deepseek-v4":
        return tuple(compressed(fields, kind))
    state = STATES[known.state](fields) if known.state and kind in (patterns.LINEAR, "conv", "hybrid", "hybrid_sliding") else []
    if kind in (patterns.LINEAR, "conv"):
        return tuple(state)
    kept = ATTENTION[known.attention](fields if is_rotated else fields.over({"qk_rope_head_dim": 0}))
    if kind == patterns.CROSS:
        return tuple(cross(part) for part in kept)
    if kind in (patterns.SLIDING, "hybrid_sliding"):
        kept = windowed(kept, fields.window(has_switch=False) or fields.whole("sliding_window"))
    if kind == patterns.CHUNKED:
        kept = windowed(kept, fields.whole("attention_chunk_size"))
    if kind in (patterns.INDEXED, patterns.SPARSE) and known.index and is_indexed:
        kept = [*kept, index(fields, known.index)]
    return (*kept, *state)
