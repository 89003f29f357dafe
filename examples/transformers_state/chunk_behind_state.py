"""Mamba, Falcon-Mamba, Jamba, Zamba: a chunk of several tokens behind a state is not read as in one pass.

transformers 5.23.0. Single tokens behind a state are read right. The greatest difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 8, "vocab_size": 32, "state_size": 8}
HYBRID = {"num_attention_heads": 4, "num_key_value_heads": 4, "mamba_dt_rank": 4, "pad_token_id": 0}
for name, further in {"mamba": {}, "falcon_mamba": {}, "jamba": HYBRID, "zamba": HYBRID}.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further)).eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.1)
    tokens = torch.arange(1, 13)[None]
    first = model(tokens[:, :6], use_cache=True)
    state = "cache_params" if "cache_params" in first else "past_key_values"
    second = model(tokens[:, 6:], use_cache=True, **{state: first[state]})
    print(name, float((second.logits - model(tokens).logits[:, 6:]).abs().max()))
