"""Bamba in transformers 5.11.0: a chunk of tokens behind a state forgets the state of its Mamba layers. Right in 5.13.1.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import BambaConfig, BambaForCausalLM

torch.manual_seed(0)
mamba = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16, "mamba_chunk_size": 8}
sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32}
model = BambaForCausalLM(
    BambaConfig(**sizes, **mamba, num_hidden_layers=2, attn_layer_indices=[1], initializer_range=0.2)
).eval()
tokens = torch.arange(3, 15)[None]
with torch.no_grad():
    whole = model(tokens, use_cache=False).logits[:, 6:]
    state = model(tokens[:, :6], use_cache=True).past_key_values
    chunk = model(tokens[:, 6:], past_key_values=state, position_ids=torch.arange(6, 12)[None], use_cache=True).logits
apart = float((whole - chunk).abs().max())
print("bamba", apart)
sys.exit(apart > 1e-4)
