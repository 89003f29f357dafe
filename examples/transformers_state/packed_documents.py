"""Bamba, Qwen3-Next, LFM2: two documents in one row, whose position_ids begin again at 0, see each other in silence.

transformers 5.23.0. Layers of attention separate such documents; convolutions and recurrences do not, and no error says so.
The greatest difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "num_key_value_heads": 4}
KINDS = {
    "bamba": {**MAMBA, "attn_layer_indices": [1]},
    "qwen3_next": {"num_experts": 2, "num_experts_per_tok": 1, "layer_types": ["linear_attention", "full_attention"]},
    "lfm2": {"num_key_value_heads": 2, "layer_types": ["conv", "full_attention"]},
}
for name, further in KINDS.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further)).eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.1)
    first, second = torch.arange(1, 10)[None], torch.arange(12, 23)[None]
    positions = torch.cat([torch.arange(9), torch.arange(11)])[None]
    packed = model(torch.cat([first, second], 1), position_ids=positions, use_cache=False).logits[:, 9:]
    print(name, float((packed - model(second, use_cache=False).logits).abs().max()))
