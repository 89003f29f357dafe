"""OPT, Falcon, gpt-oss: two documents in one row, whose position_ids begin again at 0, see each other in silence.

transformers 5.23.0. Other models of attention, such as Llama, give position_ids to `create_causal_mask`, which then separates
the documents; these do not. The greatest difference of logits should be 0.
"""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 32}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 64}
KINDS = {
    "opt": {"ffn_dim": 64, "word_embed_proj_dim": 64},
    "falcon": {"alibi": False},
    "gpt_oss": {**EXPERTS, "pad_token_id": 0},
}
for name, further in KINDS.items():
    torch.manual_seed(0)
    config = AutoConfig.for_model(name, **SIZES, **further)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.2)
    first, second = torch.arange(4, 13)[None], torch.arange(12, 23)[None]
    positions = torch.cat([torch.arange(9), torch.arange(11)])[None]
    packed = model(torch.cat([first, second], 1), position_ids=positions, use_cache=False).logits[:, 9:]
    print(name, float((packed - model(second, use_cache=False).logits).abs().max()))
