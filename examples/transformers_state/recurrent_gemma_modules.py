"""RecurrentGemma: the recurrence is kept in the modules; a second sequence in between changes what the first one goes on to.

transformers 5.23.0. The greatest difference of logits should be 0.
"""

import torch
from transformers import DynamicCache, RecurrentGemmaConfig, RecurrentGemmaForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 32}
config = RecurrentGemmaConfig(**sizes, lru_width=64, head_dim=16)
model = RecurrentGemmaForCausalLM(config).eval()
tokens = torch.arange(3, 15)[None]
cache = DynamicCache(config=config)
model(tokens[:, :11], past_key_values=cache, use_cache=True)
model(tokens.flip(1)[:, :11], past_key_values=DynamicCache(config=config), use_cache=True)
place = torch.tensor([[11]])
last = model(tokens[:, 11:], past_key_values=cache, use_cache=True, position_ids=place).logits
print("recurrent_gemma", float((last - model(tokens, use_cache=False).logits[:, 11:]).abs().max()))
