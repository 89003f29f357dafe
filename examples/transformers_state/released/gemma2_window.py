"""Gemma-2 in transformers 4.51.3: HybridCache drops a token one step too early as its window fills. Right in 4.52.4.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import Gemma2Config, Gemma2ForCausalLM
from transformers.cache_utils import HybridCache

torch.manual_seed(0)
sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32}
config = Gemma2Config(**sizes, head_dim=8, num_hidden_layers=2, sliding_window=8, initializer_range=0.2)
model = Gemma2ForCausalLM._from_config(config, attn_implementation="eager").eval()
tokens = torch.arange(3, 23)[None]
with torch.no_grad():
    whole = model(tokens, use_cache=False).logits
    cache = HybridCache(config, max_batch_size=1, max_cache_len=20, dtype=torch.float32)
    found = [model(tokens[:, :6], past_key_values=cache, cache_position=torch.arange(6), use_cache=True).logits]
    for place in range(6, 20):
        one = torch.tensor([place])
        found.append(model(tokens[:, one], past_key_values=cache, cache_position=one, use_cache=True).logits)
apart = float((torch.cat(found, 1) - whole).abs().max())
print("gemma2", apart)
sys.exit(apart > 1e-4)
