"""RetNet of flash-linear-attention: padding on the left, read partly in a first chunk, moves the positions of the next one.

flash-linear-attention 0.6.0. The row without padding agrees to 10^-5. Without a GPU, start it with TRITON_INTERPRET=1.
"""

import torch
from fla.models import RetNetConfig, RetNetForCausalLM
from triton.runtime.autotuner import Autotuner

Autotuner._bench = lambda *arguments, **options: [0.0, 0.0, 0.0]  # block sizes are not timed
sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_heads": 2, "vocab_size": 32}
torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = RetNetForCausalLM(RetNetConfig(**sizes, initializer_range=0.5)).eval().to(device)
tokens = torch.randint(32, (2, 8)).to(device)
mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]]).to(device)
with torch.no_grad():
    whole = model(tokens, attention_mask=mask).logits
    cache = model(tokens[:, :1], attention_mask=mask[:, :1], use_cache=True).past_key_values
    rest = model(tokens[:, 1:], attention_mask=mask, past_key_values=cache, use_cache=True).logits
print("retnet", float((whole[1, 3:] - rest[1, 2:]).abs().max()))
