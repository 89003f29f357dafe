"""Mamba, Mamba-2, Falcon-Mamba: `generate` with the cache of an earlier turn reads the earlier text once more, in silence.

transformers 5.23.0. The cache of a model of attention knows how many tokens it has, so only the new ones are read. The greatest
difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache

SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 32, "state_size": 8}
TURN = {"max_new_tokens": 1, "do_sample": False, "return_dict_in_generate": True, "output_logits": True, "pad_token_id": 0}
for name, further in {"mamba": {}, "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 1}, "falcon_mamba": {}}.items():
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further)).eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.1)
    cache = DynamicCache(config=model.config)
    first = model.generate(torch.arange(4, 10)[None], cache_params=cache, **TURN).sequences
    text = torch.cat([first, torch.arange(10, 16)[None]], 1)
    second = model.generate(text, cache_params=cache, **TURN).logits[0]
    print(name, float((second - model(text).logits[:, -1]).abs().max()))
