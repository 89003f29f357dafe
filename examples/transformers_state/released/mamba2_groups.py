"""Mamba-2 with two groups in transformers 4.51.3: a token behind a state gets other logits than in one pass. Right in 4.52.4.

The greatest difference of logits should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import Mamba2Config, Mamba2ForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 32, "num_heads": 4, "head_dim": 16, "state_size": 16, "n_groups": 2, "chunk_size": 8}
model = Mamba2ForCausalLM(Mamba2Config(**sizes, vocab_size=32, num_hidden_layers=2, initializer_range=0.3)).eval()
tokens = torch.arange(3, 15)[None]
with torch.no_grad():
    whole = model(tokens, use_cache=False).logits[:, -1]
    state = model(tokens[:, :11], use_cache=True).cache_params
    last = model(tokens[:, 11:], cache_params=state, cache_position=torch.tensor([11]), use_cache=True).logits[:, -1]
apart = float((whole - last).abs().max())
print("mamba2", apart)
sys.exit(apart > 1e-4)
