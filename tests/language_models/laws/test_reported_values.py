"""The differences that people reported, with their seed, sizes and inputs: seqsep's reader measures the same ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import CONFIG_MAPPING, AutoModelForCausalLM

from seqsep.language_models.laws.reader import ModelReader
from seqsep.language_models.loader.source import find_source

TIMES = 3
"""Rounding and versions of the library move a reported value by less than this factor."""
EXACT = 1e-13
BASE: dict[str, Any] = {
    "hidden_size": 32,
    "vocab_size": 64,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8, "mamba_expand": 2}
LINEAR = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_conv_kernel_dim": 4}
EXPERTS = {"moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "num_experts": 4, "num_experts_per_tok": 2}
NARROW = {"linear_key_head_dim": 8, "linear_value_head_dim": 8, "head_dim": 16}
WIDE = {"hidden_size": 64, "intermediate_size": 64, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "head_dim": 32}
NEMOTRON = {"mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1, "ssm_state_size": 8, "hybrid_override_pattern": "M-*-"}
REPORTED = {
    "llama": {"num_hidden_layers": 2},
    "mistral": {"num_hidden_layers": 2, "head_dim": 16, "sliding_window": 8},
    "lfm2": {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"], "conv_L_cache": 3},
    "qwen3_next": {**LINEAR, **EXPERTS, **NARROW, "num_hidden_layers": 4},
    "qwen3_5_text": {**LINEAR, **WIDE, "vocab_size": 128, "num_hidden_layers": 4},
    "bamba": {**MAMBA, "num_hidden_layers": 4, "attn_layer_indices": [1]},
    "falcon_h1": {**MAMBA, "num_hidden_layers": 4, "mamba_d_ssm": 64, "head_dim": 16},
    "nemotron_h": {**NEMOTRON, "num_hidden_layers": 4, "head_dim": 16},
}


def after_crop(reader: ModelReader) -> Tensor:
    """The error of a token's logits after four draft tokens were read and cut off; no positions are given."""
    tokens = torch.randint(3, 64, (1, 20))
    state = reader.read(tokens[:, :16], counted=False)[1]
    reader.record_past(state)
    state = reader.read(tokens[:, 16:].flip(1), state, counted=False)[1]
    found = reader.read(tokens[:, 16:17], reader.roll_back(state, 4), counted=False)[0]
    return found[:, 0] - reader.whole(tokens[:, :17])[:, 16]


def after_a_document(reader: ModelReader) -> Tensor:
    """The error of a document's logits if another document is before it in the same row."""
    first = torch.randint(3, 64, (1, 9))
    second = torch.randint(3, 64, (1, 11))
    positions = torch.cat([torch.arange(9), torch.arange(11)])[None]
    return reader.whole(torch.cat([first, second], 1), position_ids=positions)[:, 9:] - reader.whole(second)


@pytest.mark.parametrize(
    ("measure", "name", "reported"),
    [
        (after_crop, "llama", 0),
        (after_crop, "mistral", 0),
        (after_crop, "lfm2", 0),
        (after_crop, "qwen3_next", 3.1e-3),
        (after_crop, "qwen3_5_text", 4.4e-3),
        (after_crop, "bamba", 5e-4),
        (after_crop, "falcon_h1", 5e-9),
        (after_a_document, "llama", 0),
        (after_a_document, "nemotron_h", 1.2e-1),
        (after_a_document, "bamba", 1.5e-1),
        (after_a_document, "falcon_h1", 3e-4),
    ],
)
def test_the_reported_difference_is_measured(
    measure: Callable[[ModelReader], Tensor], name: str, reported: float, tmp_path: Path
) -> None:
    """The weights are those that the library draws after the seed, and the tokens those that it draws next."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[name](**BASE | REPORTED[name]))
        drawn = torch.get_rng_state()
        model.double().save_pretrained(tmp_path)
        reader = ModelReader(find_source(tmp_path, {}))
        torch.set_rng_state(drawn)
        found = float(measure(reader).abs().max())
    assert found < EXACT if reported == 0 else reported / TIMES < found < TIMES * reported
