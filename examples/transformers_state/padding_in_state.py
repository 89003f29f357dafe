"""RecurrentGemma, RWKV, DeepSeek-V4: padding on the left, marked in attention_mask, changes the logits behind it.

transformers 5.23.0. The greatest difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "vocab_size": 32}
DEEPSEEK = {"num_attention_heads": 4, "head_dim": 20, "qk_rope_head_dim": 8, "q_lora_rank": 16, "index_head_dim": 12}
EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48, "compress_ratios": [0, 4, 128]}
KINDS = {
    "recurrent_gemma": {"num_attention_heads": 4, "head_dim": 16, "lru_width": 64},
    "rwkv": {"attention_hidden_size": 64},
    "deepseek_v4": {**DEEPSEEK, **EXPERTS},
}
for name, further in KINDS.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further)).eval()
    tokens = torch.arange(3, 15)[None]
    padded = torch.cat([torch.full((1, 5), 9), tokens], 1)
    mask = (torch.arange(17) >= 5).long()[None]
    places = {} if name == "rwkv" else {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)}
    found = model(padded, attention_mask=mask, use_cache=False, **places).logits[:, 5:]
    print(name, float((found - model(tokens, use_cache=False).logits).abs().max()))
