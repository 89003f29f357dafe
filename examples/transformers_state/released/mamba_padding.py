"""Mamba up to transformers 4.44.2: padding on the left, marked in the mask, runs into the state. Right in 4.45.2.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import MambaConfig, MambaForCausalLM

torch.manual_seed(0)
model = MambaForCausalLM(MambaConfig(vocab_size=32, hidden_size=32, num_hidden_layers=2)).eval()
tokens = torch.arange(3, 15)[None]
padded = torch.cat([torch.full((1, 5), 9), tokens], 1)
mask = (torch.arange(17) >= 5).long()[None]
with torch.no_grad():
    found = model(padded, attention_mask=mask, use_cache=False).logits[:, 5:]
    apart = float((found - model(tokens, use_cache=False).logits).abs().max())
print("mamba", apart)
sys.exit(apart > 1e-4)
