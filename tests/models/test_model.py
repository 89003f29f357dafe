"""The model is GPT-2, a stack of LSTMs and Mamba at equal weights; read, ask and step agree; hand-built weights load."""

import pytest
import torch
from torch import nn

from seqsep.models.mixers import BY_NAME
from seqsep.models.model import Model


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def tokens(batch=3, time=12, vocabulary=11):
    return torch.randint(0, vocabulary, (batch, time))


def build(*layers, **changes):
    shape = {"vocabulary": 11, "classes": 7, "longest": 20, "width": 16, "heads": 2} | changes
    return Model.build(layers=layers, **shape).double().eval()


def test_gpt2_of_transformers():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=11, n_positions=20, n_embd=16, n_layer=2, n_head=4, attn_pdrop=0, embd_pdrop=0, resid_pdrop=0
    )
    reference = GPT2LMHeadModel(config).double().eval()
    ours = build("attention", "attention", classes=11, heads=4)
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        ours.tokens.weight.copy_(reference.transformer.wte.weight)
        ours.positions.weight.copy_(reference.transformer.wpe.weight)
        ours.readout.weight.copy_(reference.lm_head.weight)
        ours.norm.load_state_dict(reference.transformer.ln_f.state_dict())
        for block, layer in zip(ours.blocks, reference.transformer.h, strict=True):
            block.norm.load_state_dict(layer.ln_1.state_dict())
            block.mlp_norm.load_state_dict(layer.ln_2.state_dict())
            parts = (block.mixer.query, block.mixer.key, block.mixer.value)
            weights, biases = layer.attn.c_attn.weight.T.chunk(3), layer.attn.c_attn.bias.chunk(3)
            pairs = [*zip(parts, weights, biases, strict=True)]
            for part, theirs in zip(
                (block.mixer.output, block.mlp.inner, block.mlp.outer),
                (layer.attn.c_proj, layer.mlp.c_fc, layer.mlp.c_proj),
                strict=True,
            ):
                pairs.append((part, theirs.weight.T, theirs.bias))
            for part, weight, bias in pairs:
                part.weight.copy_(weight)
                part.bias.copy_(bias)
    inputs = tokens()
    assert torch.allclose(ours(inputs), reference(inputs).logits, atol=1e-10)


def test_mamba_of_transformers():
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(
        vocab_size=11,
        hidden_size=16,
        num_hidden_layers=2,
        state_size=16,
        expand=2,
        conv_kernel=4,
        time_step_rank=1,
        layer_norm_epsilon=1e-5,
        residual_in_fp32=False,
        use_cache=False,
    )
    reference = MambaForCausalLM(config).double().eval()
    ours = build("mamba", "mamba", classes=11)
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        ours.tokens.weight.copy_(reference.backbone.embeddings.weight)
        ours.readout.weight.copy_(reference.lm_head.weight)
        ours.norm.weight.copy_(reference.backbone.norm_f.weight)
        for block, layer in zip(ours.blocks, reference.backbone.layers, strict=True):
            mixer, theirs = block.mixer, layer.mixer
            block.norm.weight.copy_(layer.norm.weight)
            for name, part in (
                ("input", "in_proj"),
                ("convolution", "conv1d"),
                ("select", "x_proj"),
                ("step_size", "dt_proj"),
                ("output", "out_proj"),
            ):
                getattr(mixer, name).load_state_dict(getattr(theirs, part).state_dict())
            mixer.log_decay.copy_(theirs.A_log)
            mixer.skip.copy_(theirs.D)
    inputs = tokens()
    logits, expected = ours(inputs), reference(inputs).logits.double()
    assert torch.allclose(logits, expected, atol=1e-5), float((logits - expected).detach().abs().max())


def test_a_stack_of_lstm_blocks_is_torchs_lstm():
    ours = build("lstm", "lstm")
    reference = nn.LSTM(16, 16, num_layers=2, batch_first=True).double()
    with torch.no_grad():
        for layer, block in enumerate(ours.blocks):
            for name, parameter in block.mixer.cells.named_parameters():
                getattr(reference, name.replace("l0", f"l{layer}")).copy_(parameter)
    inputs = tokens()
    assert torch.allclose(ours(inputs), ours.readout(reference(ours.tokens(inputs))[0]), atol=1e-12)


@pytest.mark.parametrize("layers", [(name,) for name in BY_NAME] + [("mamba", "attention"), ("attention", "lstm", "dss")])
def test_every_way_to_run_agrees(layers):
    model, inputs = build(*layers), tokens()
    with torch.no_grad():
        full, state = model(inputs), model.start(3)
        for t in range(12):
            logits, state = model.step(inputs[:, t], state, t)
            assert torch.allclose(logits, full[:, t], atol=1e-9)
        at = torch.tensor([11, 0, 5])
        assert torch.allclose(model(inputs, at), full[torch.arange(3), at], atol=1e-9)
        state = model.prefill(inputs[:1, :6])
        state = model.prefill(inputs[:1, 6:11], state, 6)
        asked = model.step_output(torch.arange(11), state, 11)
        assert torch.allclose(asked[inputs[0, 11]], full[0, 11], atol=1e-9)
        assert asked.shape == (11, 7)


def test_state_bits_of_a_hybrid_are_fixed_and_per_token():
    model = Model.build(11, 7, 20, ("lstm", "attention"), 16, 2)
    assert model.state_bits() == (2 * 16 * 32, 2 * 16 * 32)
    state = model.prefill(tokens(1, 5))
    assert sum(8 * part.numel() * part.element_size() for block in state for part in block) == 2 * 16 * 32 * 6


@pytest.mark.parametrize("weight_scale", [0.02, 0.09])
def test_initialisation_is_gpt2s_and_the_scales_are_kept(weight_scale):
    model = Model.build(2000, 7, 500, ("attention", "attention"), 64, 4, embedding_scale=0.5, weight_scale=weight_scale)
    block = model.blocks[0]
    for part, expected in (
        (model.tokens, 0.5),
        (model.positions, 0.5),
        (block.mixer.query, weight_scale),
        (block.mlp.inner, weight_scale),
        (block.mixer.output, weight_scale / 2),
        (block.mlp.outer, weight_scale / 2),
        (model.readout, weight_scale),
    ):
        assert abs(float(part.weight.detach().std()) / expected - 1) < 0.1
    assert not block.mlp.inner.bias.any()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: build(), "layers"),
        (lambda: build("atention"), "attention"),
        (lambda: build("attention", heads=3), "heads"),
        (lambda: build("attention")(tokens(1, 21)), "positions for 20"),
        (lambda: build("attention").step(tokens(1, 1)[0], build("attention").start(1), 20), "positions for 20"),
    ],
)
def test_bad_calls_are_named(call, expected):
    with pytest.raises(ValueError, match=expected):
        call()
