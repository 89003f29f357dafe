"""Mamba-2, Zamba2, Nemotron-H: one pass cuts time steps to their limits, a single token behind a state does not.

transformers 5.23.0. The limits are `time_step_limit` of Mamba-2, (time_step_min, infinity) of the others. The greatest
difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 4, "vocab_size": 32, "initializer_range": 0.3}
ATTENTION = {"num_attention_heads": 4, "num_key_value_heads": 4, "time_step_min": 0.1, "pad_token_id": 0}
KINDS = {
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 1, "time_step_limit": [0.1, 10.0]},
    "zamba2": {**ATTENTION, "n_mamba_heads": 8, "mamba_ngroups": 1, "layers_block_type": ["mamba", "hybrid"] * 2},
    "nemotron_h": {
        **ATTENTION,
        "mamba_num_heads": 8,
        "mamba_head_dim": 16,
        "n_groups": 1,
        "layers_block_type": ["mamba", "attention"] * 2,
    },
}
for name, further in KINDS.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **{**SIZES, **further})).eval()
    for weight in (weight for part, weight in model.named_parameters() if part.endswith("dt_bias")):
        weight.data.sub_(3)
    tokens = torch.arange(1, 13)[None]
    first = model(tokens[:, :11], use_cache=True)
    state = "cache_params" if "cache_params" in first else "past_key_values"
    last = model(tokens[:, 11:], use_cache=True, **{state: first[state]}).logits
    print(name, float((last - model(tokens).logits[:, 11:]).abs().max()))
