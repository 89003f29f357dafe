"""RWKV: a single token behind a state gives logits for batch x batch sequences instead of batch.

transformers 5.23.0. The token shift has shape (batch, width) and is broadcast against (batch, 1, width). Printed is how many
logits too many there are.
"""

import torch
from transformers import RwkvConfig, RwkvForCausalLM

model = RwkvForCausalLM(RwkvConfig(hidden_size=64, num_hidden_layers=2, vocab_size=32)).eval()
tokens = torch.arange(24).reshape(2, 12)
state = model(tokens[:, :11], use_cache=True).state
last = model(tokens[:, 11:], state=state, use_cache=True).logits
print("rwkv", float(last.numel() - model(tokens).logits[:, 11:].numel()))
