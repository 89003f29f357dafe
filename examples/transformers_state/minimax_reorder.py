"""MiniMax: `reorder_cache`, which beam search calls, leaves the states of its linear layers in the old order.

transformers 5.23.0. The greatest difference of logits should be 0.
"""

import torch
from transformers import MiniMaxConfig, MiniMaxForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
model = MiniMaxForCausalLM(MiniMaxConfig(**sizes, num_key_value_heads=4, head_dim=16, initializer_range=0.2)).eval()
tokens = torch.stack([torch.arange(1, 13), torch.arange(12, 0, -1)])
cache = model(tokens[:, :11], use_cache=True).past_key_values
cache.reorder_cache(torch.tensor([1, 0]))
last = model(tokens.flip(0)[:, 11:], past_key_values=cache, use_cache=True).logits
print("minimax", float((last - model(tokens.flip(0)).logits[:, 11:]).abs().max()))
