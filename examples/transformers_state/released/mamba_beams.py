"""Mamba in transformers 5.11.0: beam search leaves states in the order of the beams before. Right in 5.13.1.

The greatest difference of scores should be 0; the status is 1 where it is not.
"""

import sys

import torch
from transformers import MambaConfig, MambaForCausalLM

torch.manual_seed(0)
sizes = {"vocab_size": 32, "hidden_size": 32, "num_hidden_layers": 2, "initializer_range": 0.3}
model = MambaForCausalLM(MambaConfig(**sizes, bos_token_id=None, eos_token_id=None, pad_token_id=0)).eval()
tokens = torch.arange(3, 9)[None]
further = {"num_beams": 4, "max_new_tokens": 12, "do_sample": False, "return_dict_in_generate": True, "output_scores": True}
with torch.no_grad():
    kept = model.generate(tokens, use_cache=True, **further)
    afresh = model.generate(tokens, use_cache=False, **further)
apart = float((kept.sequences_scores - afresh.sequences_scores).abs().max())
print("mamba", apart)
sys.exit(apart > 1e-4)
