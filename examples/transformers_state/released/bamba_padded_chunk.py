"""Bamba in transformers 5.13.1: padding in a chunk behind a state runs into the state. Right in 5.23.0.

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
tokens = torch.arange(3, 27).view(2, 12)
padded = torch.cat([torch.full((2, 6), 9), tokens], 1)
mask = (torch.arange(18) >= 6).long().expand(2, 18)
places = (mask.cumsum(1) - 1).clamp(min=0)
with torch.no_grad():
    state = model(padded[:, :3], attention_mask=mask[:, :3], position_ids=places[:, :3], use_cache=True).past_key_values
    rest = model(padded[:, 3:], attention_mask=mask, position_ids=places[:, 3:], past_key_values=state, use_cache=True).logits
    apart = float((rest[:, 3:] - model(tokens, use_cache=False).logits).abs().max())
print("bamba", apart)
sys.exit(apart > 1e-4)
