"""Families whose files describe their layers in ways of their own: as lists of kinds, under the names of other families.

They are Nemotron-NAS (block_configs), PLaMo 2 and Phi-4-mini-flash (SambaY). `transformers` does not contain them, so their
answers are marked "by rule, not verified".
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
    "nemotron-nas": _nemotron_nas,
    "plamo2": _plamo2,
    "phi4flash": _phi4flash,
}
