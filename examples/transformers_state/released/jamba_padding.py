"""Jamba up to transformers 4.44.2: padding on the left, marked in the mask, runs into the state. Right in 4.45.2.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import JambaConfig, JambaForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32}
layers = {"num_hidden_layers": 4, "attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 8, "num_experts": 2}
model = JambaForCausalLM(JambaConfig(**sizes, **layers, use_mamba_kernels=False, initializer_range=0.2)).eval()
tokens = torch.arange(3, 15)[None]
padded = torch.cat([torch.full((1, 5), 9), tokens], 1)
mask = (torch.arange(17) >= 5).long()[None]
with torch.no_grad():
    found = model(padded, attention_mask=mask, use_cache=False).logits[:, 5:]
    apart = float((found - model(tokens, use_cache=False).logits).abs().max())
print("jamba", apart)
sys.exit(apart > 1e-4)
