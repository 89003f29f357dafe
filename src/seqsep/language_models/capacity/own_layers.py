"""Families whose files describe their layers in ways of their own: as lists of kinds, under the names of other families.

They are Hymba, Nemotron-NAS (block_configs), PLaMo 2 and Phi-4-mini-flash (SambaY). `transformers` does not contain them, so
no count confirms their answers. The rules of Hymba are read from its published code. The answers of the others are marked "by
rule, not verified".
"""

from collections.abc import Callable, Mapping
from typing import Any

from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.patterns import FULL, LINEAR, SLIDING

NOT_READ = ("window_length", "sparsify", "num_sink_tokens", "unshifted_sink", "use_prefill_window_in_sink_attention")


def own_layers(name: str, fields: Fields) -> dict[str, Any]:
    """Return the kinds of the layers, and what differs between them; nothing for other families.

    Raises BadInput for layers of attention with windows or sinks that are not read.

    >>> blocks = [{"attention": {"n_heads_in_group": 4}}, {"attention": {"no_op": True}}]
    >>> values = {"num_attention_heads": 8, "num_hidden_layers": 2, "block_configs": blocks}
    >>> own_layers("nemotron-nas", Fields("config.json", values, {}))
    {'layer_types': ['full_attention', 'mlp'], 'per_layer_config': {'0': {'num_key_value_heads': 2}}}
    """
    return OWN_LAYERS[name](fields) if name in OWN_LAYERS else {}


def _hymba(fields: Fields) -> dict[str, Any]:
    """Return the changed fields: every layer has a fixed state and attention, and some attend to what an earlier layer keeps.

    Raises BadInput for heads of a width that the published code cannot run, and for memory tokens between the tokens.
    """
    width = fields.whole("hidden_size")
    for name, derived in (("attn_hidden_size", width), ("kq_head_dim", fields.divided("hidden_size", "num_attention_heads"))):
        if fields.has(name) and fields.whole(name, least=-1) not in (-1, 0, derived):
            fields.refuse(name, f"-1 or {derived}, which follows from hidden_size")
    if fields.get("memory_tokens_interspersed_every") not in (None, 0):
        fields.refuse("memory_tokens_interspersed_every", "0: memory tokens between the tokens are not counted")
    full = set(range(fields.layers))
    if fields.window() is not None:
        full = set(fields.places("global_attn_idx") or [])
        if not fields.has("global_attn_idx"):
            fields.refuse("global_attn_idx", "a list of the layers without a window, as sliding_window is not null")
    kinds = ["hybrid" if layer in full else "hybrid_sliding" for layer in range(fields.layers)]
    consumers = _consumers(fields)
    return {"layer_types": [LINEAR if layer in consumers else kind for layer, kind in enumerate(kinds)]}


def _consumers(fields: Fields) -> set[int]:
    """Return the layers that keep no keys and values: all except the first of each group, or of each period."""
    groups = fields.get("kv_reuse_group")
    if groups is None:
        period = fields.whole("kv_reuse_every_i_layer", least=-1)
        return {layer for layer in range(fields.layers) if period > 0 and layer % period}
    if not isinstance(groups, list) or not all(map(_is_group, groups)):
        fields.refuse("kv_reuse_group", "a list of lists of layers, each of which begins with its lowest layer")
    return {layer for group in groups for layer in group[1:]}


def _is_group(group: Any) -> bool:
    places = group if isinstance(group, list) else []
    are_whole = all(isinstance(layer, int) and not isinstance(layer, bool) for layer in places)
    return bool(places) and are_whole and places[0] >= 0 and all(places[0] < layer for layer in places[1:])


def _nemotron_nas(fields: Fields) -> dict[str, Any]:
    """Return the changed fields: each entry of block_configs has the heads of a group, or says that the layer has no
    attention.
    """
    where = fields.where
    blocks = fields.get("block_configs")
    if not isinstance(blocks, list) or len(blocks) != fields.layers:
        fields.refuse("block_configs", f"a list of {fields.layers} objects (one a layer)")
    kinds = []
    heads: dict[str, dict[str, int]] = {}
    for place, block in enumerate(blocks):
        name = f"block_configs {place}"
        attention = Fields(where, {name: block}, {}).inner(name).inner("attention")
        strange = next((field for field in NOT_READ if attention.get(field)), None)
        if strange is not None:
            attention.refuse(strange, "null: windows and sinks of this family are not read")
        if attention.flag("no_op") or attention.flag("replace_with_linear"):
            kinds.append("mlp")
            continue
        group = attention.whole("n_heads_in_group")
        if fields.whole("num_attention_heads") % group:
            attention.refuse("n_heads_in_group", f"a divisor of num_attention_heads, {fields.whole('num_attention_heads')}")
        kinds.append(FULL)
        heads[str(place)] = {"num_key_value_heads": fields.whole("num_attention_heads") // group}
    return {"layer_types": kinds, "per_layer_config": heads}


def _plamo2(fields: Fields) -> dict[str, Any]:
    """Return the changed fields: one layer of each mamba_step attends, to a window unless it is in full_attention_idx."""
    step = fields.whole("mamba_step", least=2)
    full = set(fields.places("full_attention_idx") or [])
    kinds = [FULL if layer in full else SLIDING for layer in range(fields.layers)]
    if fields.get("mamba_enabled") is False:
        return {"layer_types": kinds}
    attends = {fields.layers - 1} if fields.layers <= step // 2 else set(range(step // 2, fields.layers, step))
    return {"layer_types": [kind if layer in attends else LINEAR for layer, kind in enumerate(kinds)]}


def _phi4flash(fields: Fields) -> dict[str, Any]:
    """Return the changed fields. The first half alternates Mamba and windows; two layers later the rest reads what layer N/2 +
    1 keeps of all tokens.
    """
    if fields.whole("mb_per_layer") != 2:
        fields.refuse("mb_per_layer", "2, as in the published model")
    middle = fields.layers // 2
    kinds = [LINEAR if layer % 2 == 0 else SLIDING for layer in range(middle)]
    kinds += [LINEAR if layer % 2 == 0 else FULL for layer in range(middle, min(middle + 2, fields.layers))]
    window = fields.get("sliding_window")
    if isinstance(window, list):
        window = next((size for size in window if size is not None), None)
    return {"layer_types": kinds + ["mlp"] * (fields.layers - len(kinds)), "sliding_window": window}


OWN_LAYERS: Mapping[str, Callable[[Fields], dict[str, Any]]] = {
    "hymba": _hymba,
    "nemotron-nas": _nemotron_nas,
    "plamo2": _plamo2,
    "phi4flash": _phi4flash,
}
