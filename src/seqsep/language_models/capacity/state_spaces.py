"""Original files of state-spaces, which have no model_type: `d_model`, `n_layer` and `ssm_cfg` with the name of its layer."""

from collections.abc import Mapping
from typing import Any

from seqsep.language_models.capacity.config import Fields

DEFAULTS = {
    "Mamba1": {"d_state": 16, "d_conv": 4, "expand": 2},
    "Mamba2": {"d_state": 128, "d_conv": 4, "expand": 2, "headdim": 64, "ngroups": 1},
}


def as_transformers(where: str, config: Mapping[str, Any], taken: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the same model under the names of transformers; defaults that are read are put into `taken`.

    Raises BadInput for layers of attention, which are not read.

    >>> as_transformers("config.json", {"d_model": 768, "n_layer": 24, "ssm_cfg": {"layer": "Mamba2"}})["num_heads"]
    24
    """
    fields = Fields(where, config, {})
    layer = fields.inner("ssm_cfg").get("layer") or "Mamba1"
    if layer not in DEFAULTS or not isinstance(layer, str):
        fields.inner("ssm_cfg").refuse("layer", " or ".join(DEFAULTS))
    if fields.get("attn_layer_idx"):
        fields.refuse("attn_layer_idx", "no layers of attention; describe such a model by hand")
    inner = Fields(f"{where}: ssm_cfg", fields.inner("ssm_cfg").values, DEFAULTS[layer], taken)
    found: dict[str, Any] = {
        "hidden_size": fields.whole("d_model"),
        "num_hidden_layers": fields.get("n_layer"),
        "vocab_size": fields.get("vocab_size"),
        "state_size": inner.whole("d_state"),
        "conv_kernel": inner.whole("d_conv"),
    }
    width = int(inner.ratio("expand") * fields.whole("d_model"))
    if layer == "Mamba1":
        return {"model_type": "mamba", **found, "intermediate_size": width}
    head = inner.whole("headdim")
    if width % head:
        inner.refuse("headdim", f"a divisor of {width}")
    return {"model_type": "mamba2", **found, "head_dim": head, "num_heads": width // head, "n_groups": inner.whole("ngroups")}
