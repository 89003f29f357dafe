"""One layer of published models: its sizes as their authors state them, and lengths as a hand computation gives them."""

import sys
from fractions import Fraction
from math import log2

import pytest

from pages._one_layer import first_paper, one_layer_section
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.one_layer import (
    OneLayer,
    one_layer,
    power_of_ten_below,
    recurrent_numbers,
    state_composition,
    state_never_below,
)
from seqsep.language_models.capacity.published import published
from seqsep.theorems.bounded_dyck import one_layer as bounded_dyck
from seqsep.theorems.sparse_threshold import disjointness_one_layer

MODELS = {model.name: model for model in published()}
LAYERS = {
    "meta-llama/Llama-3.1-8B": OneLayer(32, 128),
    "mistralai/Mistral-7B-v0.1": OneLayer(32, 128, window=4096),
    "google/recurrentgemma-2b": OneLayer(10, 256, window=2048),
    "deepseek-ai/DeepSeek-V3": OneLayer(128, 512),
    "google/gemma-4-31B-it (layers only)": OneLayer(32, 512),
    "google/gemma-3-4b-it": OneLayer(8, 256),
    "Zyphra/Zamba2-2.7B": OneLayer(32, 160),
    "Zyphra/Zamba-7B-v1": OneLayer(16, 464),
    "openai/gpt-oss-120b": OneLayer(64, 64),
    "Qwen/Qwen3-Next-80B-A3B-Instruct": OneLayer(16, 256),
    "state-spaces/mamba-2.8b-hf": None,
    "RWKV/RWKV7-Goose-Pile-168M-HF": None,
}


@pytest.mark.parametrize("name", LAYERS)
def test_heads_and_widths(name):
    assert one_layer(MODELS[name].capacity()) == LAYERS[name]


KNOWN = [model.name for model in published()]


def rows():
    """Model -> layer, three lengths of composition, three of the tasks of the second table, and the model's own length."""
    first, second = (
        {cells[0]: cells[1:] for cells in map(split, part.splitlines()) if len(cells) > 1 and not cells[0].startswith("---")}
        for part in one_layer_section().split("| model |")[1:]
    )
    return {model: [*cells[:4], *second.get(model, [""] * 3), cells[4]] for model, cells in first.items() if model in KNOWN}


def split(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def number(cell):
    return int(cell.replace(",", ""))


def test_the_table_has_every_model_and_numbers_by_hand():
    table = rows()
    assert list(table) == [model.name for model in published()]
    llama = table["meta-llama/Llama-3.1-8B"]
    assert llama[0] == "H = 32, m = 128"
    for cell, bits in ((llama[1], 32 * 130 * 16), (llama[2], 32 * 130 * 32)):
        n = number(cell)
        assert (n - 1) * log2(n - 1) <= bits < n * log2(n)
    # 32 layers of 2 x 8 x 128 numbers of 16 bits a token: 2^(1,048,576) is more than 10^315,621.
    assert llama[-1] == "above&nbsp;10^315,652"
    assert 315_621 * log2(10) <= 1_048_576
    mamba = table["state-spaces/mamba-2.8b-hf"]
    # 5,120 channels of 16 numbers and 3 columns of a convolution, in 64 layers.
    assert mamba[0] == "recurrent, 97,280 numbers"
    for cell, bits in ((mamba[1], 97_280 * 16), (mamba[2], 97_280 * 32), (mamba[-1], 64 * 97_280 * 16)):
        n = number(cell)
        assert (n - 1) * log2(n - 1) <= bits < n * log2(n)
    assert mamba[3:7] == [""] * 4
    # 32 windows of 4,095 tokens before the last one: where n is 65,521, f(0) is 131,042 tokens back.
    assert table["mistralai/Mistral-7B-v0.1"][-1] == "65,521"
    mistral = table["mistralai/Mistral-7B-v0.1"]
    assert mistral[:7] == ["H = 32, m = 128, window 4,096", "2,048", "2,048", "2,048", "4,097", "4,098", "4,098"]


def test_the_first_papers_columns_are_its_theorems():
    """At that N the protocol's bits are too few, and at the even N before they are enough."""
    grid = bounded_dyck.grids(precision=16)(0)
    assert grid.steps == 181
    for layer in (OneLayer(1, 2), OneLayer(32, 128)):
        disjoint, dyck = first_paper(layer)
        for last, more in ((disjoint, 0), (disjoint - 2, 2)):
            bits = disjointness_one_layer.cost(last, layer.width, layer.heads, grid)
            assert (bits < last // 2) == (more == 0)
        assert bounded_dyck.cost(dyck, layer.width, layer.heads, grid) < dyck - 1
        assert bounded_dyck.cost(dyck - 2, layer.width, layer.heads, grid) >= dyck - 3


def test_a_wider_layer_bites_later_and_a_window_earlier():
    narrow = OneLayer(4, 8)
    wide = OneLayer(4, 9)
    windowed = OneLayer(4, 9, window=7)
    assert narrow.composition(16) < wide.composition(16) < wide.composition(32)
    assert narrow.composition_exact(16) < wide.composition_exact(16)
    assert narrow.induction(16, 64) < wide.induction(16, 64)
    assert windowed.composition(16) == windowed.composition_exact(16) == 4  # of 9 tokens it sees 7, and of 7 all
    assert windowed.induction(16, 64) == 8  # of 9 tokens it sees all but the first two
    assert first_paper(windowed) == (8, 8)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "deepseek_v4"},
        {"model_type": "glm_moe_dsa"},
        {"model_type": "by-hand", "layers": [{"numbers_per_token": 4}]},
        {"model_type": "gla"},
    ],
)
def test_layers_of_another_form_are_left_out(config):
    assert one_layer(capacity(config, defaults=True)) is None


def test_other_rules_of_widths():
    shared = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    assert one_layer(capacity({"model_type": "gpt_neox", **shared, "head_dim": 99})) == OneLayer(4, 16)
    assert one_layer(capacity({"model_type": "mimo_v2_flash", **shared, "head_dim": 24, "v_head_dim": 8})).width == 8
    latent = {"model_type": "deepseek_v3", **shared, "kv_lora_rank": 24, "qk_rope_head_dim": 8}
    assert one_layer(capacity({**latent, "v_head_dim": 16})).width == 24
    assert one_layer(capacity({**latent, "v_head_dim": 32})).width == 32
    assert (
        one_layer(capacity({"model_type": "zamba", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4})).width
        == 32
    )


def test_a_state_s_bits_and_a_cache_that_grows():
    fixed = capacity({"model_type": "by-hand", "layers": [{"count": 3, "fixed_numbers": 64}, {"fixed_numbers": 100}]})
    assert recurrent_numbers(fixed) == 100
    n = state_composition(fixed)
    assert (n - 1) * log2(n - 1) <= 292 * 16 < n * log2(n)
    growing = capacity({"model_type": "by-hand", "layers": [{"numbers_per_token": 16}]})
    assert state_composition(growing) is None
    assert state_never_below(growing) == 77  # 2^256 has 78 digits
    assert 10**77 <= 2**256 < 10**78


@pytest.mark.parametrize("bits", [0, 1, 3, 4, 93, 94, 1024, 13_301, 131_072])
def test_the_power_of_ten_below_a_power_of_two(bits):
    """By integers: the digits of 2^b, which log10 2 = 0.301 misses from some thousand bits on."""
    sys.set_int_max_str_digits(50_000)
    power = power_of_ten_below(Fraction(bits))
    assert 10**power <= 1 << bits < 10 ** (power + 1)


def test_the_powers_of_ten_of_published_models():
    """Llama-3.1-8B keeps 1,048,576 bits a token and Jamba 131,072; with log10 2 = 0.301 they were 31 and 4 too small."""
    powers = [power_of_ten_below(Fraction(bits)) for bits in (1_048_576, 131_072)]
    assert powers == [315_652, 39_456]
    assert power_of_ten_below(Fraction(19, 2)) == 2
