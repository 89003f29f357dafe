"""The parts around the mixers: the second paper's Transformer, Mamba and hybrid, their sizes, files and runs."""

import math

import pytest
import torch
from safetensors.torch import save_file

from seqsep.lab.run import Run
from seqsep.models.blocks import GatedMLP
from seqsep.models.design import LLAMA, Design
from seqsep.models.model import Model, sinusoids
from seqsep.models.weights import describe, load_model
from seqsep.tasks import BoundedDyck

HYBRID = ("mamba", "attention")
FIELDS = {"norm": "rms", "feed_forward": "swiglu", "hidden": 256, "biases": False, "embeddings": "tied-sinusoids"}


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def build(*layers, design=LLAMA, width=8, **changes):
    shape = {"vocabulary": 11, "classes": 11, "longest": 20, "heads": 2, "positions": "rope", "weight_scale": 0.3} | changes
    if "attention" not in layers:
        shape["positions"] = "default"
    return Model.build(layers=layers, width=width, design=design, **shape).double().eval()


def tokens(batch=3, time=12):
    return torch.randint(0, 11, (batch, time))


def trained(model):
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)


@pytest.mark.parametrize(
    ("layers", "width", "millions"),
    [
        (("attention",) * 8, 64, 0.53),
        (("attention",) * 16, 64, 1.05),
        (("attention",) * 12, 128, 1.97),
        (("mamba",) * 16, 64, 0.52),
        (("mamba",) * 10, 128, 1.17),
        (("mamba",) * 18, 128, 2.10),
        (("mamba",) * 12 + ("attention",), 64, 0.46),
        (("mamba",) * 7 + ("attention",), 128, 0.98),
        (("mamba",) * 14 + ("attention",), 128, 1.80),
    ],
)
def test_parameters_are_those_of_the_papers_sizes(layers, width, millions):
    """Trained ones: embeddings and read-out, which are fixed, are not counted."""
    assert round(trained(build(*layers, width=width)) / 1e6, 2) == millions


def test_the_transformer_is_llama_of_transformers():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=11,
        hidden_size=16,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
    )
    reference = LlamaForCausalLM(config).double().eval()
    ours = build("attention", "attention", width=16)
    paired = torch.arange(16).view(2, 2, 4).mT.flatten()  # theirs turns (i, i + 4) of a head of 8, ours (2i, 2i + 1)
    with torch.no_grad():
        for weight in reference.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
        reference.model.embed_tokens.weight.copy_(ours.tokens.weight)
        ours.norm.weight.copy_(reference.model.norm.weight)
        for block, layer in zip(ours.blocks, reference.model.layers, strict=True):
            block.norm.weight.copy_(layer.input_layernorm.weight)
            block.mlp_norm.weight.copy_(layer.post_attention_layernorm.weight)
            block.mixer.query.weight.copy_(layer.self_attn.q_proj.weight[paired])
            block.mixer.key.weight.copy_(layer.self_attn.k_proj.weight[paired])
            block.mixer.value.weight.copy_(layer.self_attn.v_proj.weight)
            block.mixer.output.weight.copy_(layer.self_attn.o_proj.weight)
            block.mlp.gate.weight.copy_(layer.mlp.gate_proj.weight)
            block.mlp.inner.weight.copy_(layer.mlp.up_proj.weight)
            block.mlp.outer.weight.copy_(layer.mlp.down_proj.weight)
    inputs = tokens()
    assert torch.allclose(ours(inputs), reference(inputs).logits, atol=1e-5)


@pytest.mark.parametrize("layers", [("attention",), ("mamba",), HYBRID, ("lstm", "attention"), ("retention", "rwkv7")])
def test_every_way_to_run_agrees(layers):
    model, inputs = build(*layers), tokens()
    with torch.no_grad():
        full, state = model(inputs), model.start(3)
        for t in range(12):
            logits, state = model.step(inputs[:, t], state, t)
            assert torch.allclose(logits, full[:, t], atol=1e-9)
        at = torch.tensor([11, 0, 5])
        assert torch.allclose(model(inputs, at), full[torch.arange(3), at], atol=1e-9)


def test_each_choice_changes_what_it_names():
    plain = build("attention", design=Design())
    assert isinstance(build("attention", design=Design(norm="rms")).blocks[0].mlp_norm, torch.nn.RMSNorm)
    assert isinstance(build("mamba", design=Design(norm="layer")).norm, torch.nn.LayerNorm)
    assert isinstance(build("lstm", design=Design(norm="rms")).norm, torch.nn.Identity)
    assert isinstance(build("attention", design=Design(feed_forward="swiglu")).blocks[0].mlp, GatedMLP)
    assert build("mamba", design=LLAMA).blocks[0].mlp is None
    assert build("attention", design=Design(hidden=5)).blocks[0].mlp.inner.out_features == 5
    names = {name for name, _ in build("attention", design=Design(biases=False)).blocks.named_parameters()}
    assert {name for name, _ in plain.blocks.named_parameters()} - names == {
        *(f"0.mixer.{part}.bias" for part in ("query", "key", "value", "output")),
        *(f"0.mlp.{part}.bias" for part in ("inner", "outer")),
    }


def test_tied_embeddings_are_fixed_through_training():
    model = build(*HYBRID).float()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, fused=True)
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    torch.nn.functional.cross_entropy(model(tokens()).flatten(0, 1), tokens().flatten()).backward()
    optimizer.step()
    same = {name for name, weight in model.named_parameters() if torch.equal(weight, before[name])}
    assert same == {"tokens.weight", "readout.weight"}
    codes = sinusoids(torch.arange(11), 8).float()
    assert torch.equal(model.tokens.weight, codes)
    assert torch.equal(model.readout.weight, codes)
    assert model.readout.bias is None


def test_a_model_comes_back_from_its_file_with_its_design(tmp_path):
    model = Model.build(11, 11, 20, HYBRID, 8, 2, positions="rope", design=LLAMA)
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, tmp_path / "a", describe(model))
    back = load_model(tmp_path / "a")
    inputs = tokens()
    assert torch.equal(back(inputs), model(inputs))
    assert back.design == LLAMA
    spoiled = describe(model) | {"feed_forward": "relu"}
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, tmp_path / "b", spoiled)
    with pytest.raises(ValueError, match=r"b: .*feed_forward: one of gelu, swiglu, found 'relu'"):
        load_model(tmp_path / "b")


def test_only_choices_that_are_no_defaults_enter_the_key():
    plain = Run(BoundedDyck(6), HYBRID, width=8, heads=2)
    assert not set(plain.configuration()) & {*FIELDS, "warm_up"}
    changed = [plain, *(Run(BoundedDyck(6), HYBRID, width=8, heads=2, **{name: value}) for name, value in FIELDS.items())]
    assert len({run.key() for run in changed}) == len(changed)
    for run in changed:
        assert Run.from_configuration(run.configuration()) == run


def test_the_rate_warms_up_and_falls_to_zero():
    run = Run(BoundedDyck(6), ("lstm",), width=8, steps=100, warm_up=10, decay="cosine", learning_rate=0.5)
    rates = [run.rate_at(step) for step in range(100)]
    assert rates[:10] == pytest.approx([0.05 * (step + 1) for step in range(10)])
    assert rates[10] == 0.5
    assert rates[55] == pytest.approx(0.25)
    assert rates[99] == pytest.approx(0.25 * (1 - math.cos(math.pi / 90)))
    linear = Run(BoundedDyck(6), ("lstm",), width=8, steps=8, decay="linear", learning_rate=0.3)
    assert [linear.rate_at(step) for step in range(8)] == [0.3 * (1 - step / 8) for step in range(8)]
    assert Run(BoundedDyck(6), ("lstm",), width=8, learning_rate=0.3).rate_at(9) == 0.3


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Design(norm="batch"), "norm: one of default, layer, rms, found 'batch'"),
        (lambda: Design(hidden=-1), "hidden is a whole number from 0, found -1"),
        (lambda: build("attention", classes=7), "tied embeddings need classes that are tokens, found 7 and 11 tokens"),
        (lambda: Run(BoundedDyck(6), HYBRID, width=8, embeddings="sinusoidal"), "embeddings is one of learned, tied-sinusoids"),
        (lambda: Run(BoundedDyck(6), HYBRID, width=8, warm_up=-1), "warm_up is at least 0, found -1"),
        (lambda: Run(BoundedDyck(6), HYBRID, width=8, decay="step"), "decay is one of constant, linear, cosine, found 'step'"),
    ],
)
def test_bad_choices_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
