"""Mamba-2 of flash-linear-attention: made in bfloat16, its plain code (without the kernels of mamba-ssm) raises at once.

flash-linear-attention 0.6.0; it prints 1 if the pass raises. Without a GPU, start it with TRITON_INTERPRET=1.
"""

import torch
from fla.models import Mamba2Config
from transformers import AutoModelForCausalLM
from triton.runtime.autotuner import Autotuner

Autotuner._bench = lambda *arguments, **options: [0.0, 0.0, 0.0]  # block sizes are not timed
sizes = {"hidden_size": 16, "num_hidden_layers": 2, "vocab_size": 32, "head_dim": 8, "num_heads": 4, "state_size": 4}
model = AutoModelForCausalLM.from_config(Mamba2Config(**sizes, chunk_size=16), dtype=torch.bfloat16).eval()
try:
    with torch.no_grad():
        model(torch.arange(1, 5)[None])
    print("mamba2", 0)
except RuntimeError as error:
    print(f"mamba2 raises {error}:", 1)
