"""MiniMax: `reset` of its cache leaves the states of its linear layers as they are.

transformers 5.23.0. The greatest difference of logits should be 0.
"""

import torch
from transformers import MiniMaxConfig, MiniMaxForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
model = MiniMaxForCausalLM(MiniMaxConfig(**sizes, num_key_value_heads=4, head_dim=16, initializer_range=0.2)).eval()
tokens = torch.arange(1, 13)[None]
cache = model(tokens.flip(1), use_cache=True).past_key_values
cache.reset()
found = model(tokens, past_key_values=cache, use_cache=True).logits
print("minimax", float((found - model(tokens).logits).abs().max()))
