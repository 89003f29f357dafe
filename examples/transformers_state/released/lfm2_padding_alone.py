"""LFM2 in transformers 5.13.1: padding on the left of a single sequence runs into the convolutions. Right in 5.23.0.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import Lfm2Config, Lfm2ForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32}
kinds = ["conv", "full_attention", "conv"]
model = Lfm2ForCausalLM(Lfm2Config(**sizes, num_hidden_layers=3, layer_types=kinds, initializer_range=0.2)).eval()
tokens = torch.arange(3, 15)[None]
padded = torch.cat([torch.full((1, 5), 9), tokens], 1)
mask = (torch.arange(17) >= 5).long()[None]
with torch.no_grad():
    found = model(padded, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0), use_cache=False).logits[:, 5:]
    apart = float((found - model(tokens, use_cache=False).logits).abs().max())
print("lfm2", apart)
sys.exit(apart > 1e-4)
