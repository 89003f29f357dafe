"""BioGPT, gpt-oss, Nemotron-H: a field of the configuration that names a function or a number is read by nobody.

transformers 5.23.0. Printed is 1 where another value changes no logit.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2, "num_key_value_heads": 2, "head_dim": 16}
MAMBA = {"mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 1, "layers_block_type": ["mamba", "attention"]}
KINDS = {
    "biogpt": ({}, "layer_norm_eps", 0.5),
    "gpt_oss": ({**EXPERTS, "pad_token_id": 0}, "hidden_act", "relu"),
    "nemotron_h": ({**MAMBA, "pad_token_id": 0, "num_key_value_heads": 4}, "time_step_limit", [0.5, 0.6]),
}
for name, (further, field, value) in KINDS.items():
    logits = []
    for change in ({}, {field: value}):
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **SIZES, **further, **change)).eval()
        logits.append(model(torch.arange(1, 13)[None]).logits)
    print(name, field, float(torch.equal(*logits)))
