"""Moshi: in one pass every token sees all before it; with a cache it sees those of `sliding_window` only.

transformers 5.23.0. The greatest difference of logits should be 0.
"""

import torch
from transformers import MoshiConfig, MoshiForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 64, "ffn_dim": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
model = MoshiForCausalLM(MoshiConfig(**sizes, sliding_window=4, initializer_range=0.2)).eval()
tokens = torch.arange(1, 13)[None]
cache = model(tokens[:, :11], use_cache=True).past_key_values
last = model(tokens[:, 11:], past_key_values=cache, use_cache=True).logits
print("moshi", float((last - model(tokens, use_cache=False).logits[:, 11:]).abs().max()))
