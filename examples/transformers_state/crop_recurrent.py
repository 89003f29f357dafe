"""Bamba, Falcon-H1, Qwen3-Next: after `crop` of draft tokens the recurrent state still has them, and no error says so.

transformers 5.23.0. The greatest difference of logits should be 0, or `crop` should raise: `cache.is_croppable` is False.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "num_key_value_heads": 4}
KINDS = {
    "bamba": {**MAMBA, "attn_layer_indices": [1]},
    "falcon_h1": {**MAMBA, "mamba_d_ssm": 128, "head_dim": 16},
    "qwen3_next": {"num_experts": 2, "num_experts_per_tok": 1, "layer_types": ["linear_attention", "full_attention"]},
}
for name, further in KINDS.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further)).eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.2)
    tokens = torch.arange(1, 13)[None]
    cache = model(tokens[:, :8], use_cache=True).past_key_values
    cache.activate_past_recording()
    model(tokens[:, 8:].flip(1), past_key_values=cache)  # four draft tokens, all rejected
    cache.crop(-4)
    last = model(tokens[:, 8:9], past_key_values=cache, position_ids=torch.tensor([[8]])).logits
    print(name, float((last - model(tokens[:, :9], use_cache=False).logits[:, 8:]).abs().max()))
