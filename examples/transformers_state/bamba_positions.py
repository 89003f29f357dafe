"""Bamba: without position_ids the tokens behind a cache are counted from 0, so their rotary embeddings are wrong.

transformers 5.23.0. With position_ids, as `generate` gives them, the difference is 0 up to rounding.
"""

import torch
from transformers import BambaConfig, BambaForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
mamba = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 8, "attn_layer_indices": [1], "num_key_value_heads": 4}
model = BambaForCausalLM(BambaConfig(**sizes, **mamba, initializer_range=0.2)).eval()
tokens = torch.arange(1, 13)[None]
cache = model(tokens[:, :11], use_cache=True).past_key_values
last = model(tokens[:, 11:], past_key_values=cache, use_cache=True).logits
print("bamba", float((last - model(tokens).logits[:, 11:]).abs().max()))
