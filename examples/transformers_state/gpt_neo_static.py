"""GPT-Neo: in a static cache its local attention takes the mask of the last places, which are empty.

transformers 5.23.0. The slice of the mask follows from the number of keys, which in a static cache is that of all places. The
greatest difference of logits should be 0.
"""

import torch
from transformers import GPTNeoConfig, GPTNeoForCausalLM, StaticCache

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 32, "window_size": 4}
kinds = {"attention_types": [[["global", "local"], 1]], "max_position_embeddings": 32}
model = GPTNeoForCausalLM(GPTNeoConfig(**sizes, **kinds, initializer_range=0.2)).eval()
tokens = torch.arange(1, 13)[None]
cache = StaticCache(config=model.config, max_cache_len=16)
found = model(tokens, past_key_values=cache, use_cache=True).logits
print("gpt_neo", float((found - model(tokens, use_cache=False).logits).abs().max()))
