"""One training step of each side that mixers.py compares: every function builds its model and returns the step.

Loss, optimizer, inputs and shapes are the same on all sides of a comparison; the sides share no weights. Nothing here runs
in the process that prints; a peer is imported inside its function.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BATCH, HEADS, CLASSES = 64, 4, 64


def trained(module: nn.Module, forward: Callable[[], Tensor]) -> Callable[[], object]:
    """Forward, backward and Adam."""
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        loss = forward().square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


def blocks_alone(module: nn.Module, width: int, length: int, batch: int = BATCH) -> Callable[[], object]:
    """A step on fixed vectors; their gradient is computed too, as below an embedding."""
    x = torch.randn(batch, length, width, requires_grad=True)

    def forward() -> Tensor:
        x.grad = None
        return module(x)

    return trained(module, forward)


def mamba(width: int, length: int, layers: int) -> Callable[[], object]:
    from seqsep.models.model import Model

    model = Model.build(2, 2, length, ("mamba",) * layers, width)
    return blocks_alone(nn.Sequential(*model.blocks), width, length)


def mambapy_mamba(width: int, length: int, layers: int) -> Callable[[], object]:
    from mambapy.mamba import Mamba, MambaConfig

    return blocks_alone(Mamba(MambaConfig(d_model=width, n_layers=layers)), width, length)


def transformers_mamba(width: int, length: int, layers: int) -> Callable[[], object]:
    from transformers import MambaConfig, MambaModel

    model = MambaModel(MambaConfig(vocab_size=2, hidden_size=width, num_hidden_layers=layers, use_cache=False)).train()

    class Blocks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = model.layers

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

    return blocks_alone(Blocks(), width, length)


def _questions(length: int) -> tuple[int, Tensor, Tensor]:
    """A vocabulary of 64 symbols and `length` positions, a batch of tokens, and one position of each example."""
    vocabulary = CLASSES + length
    return vocabulary, torch.randint(vocabulary, (BATCH, length)), torch.randint(length, (BATCH,))


def attention(width: int, length: int, one: bool) -> Callable[[], object]:
    from seqsep.models.model import Model

    vocabulary, tokens, at = _questions(length)
    model = Model.build(vocabulary, CLASSES, length, ("attention",), width, HEADS)
    return trained(model, lambda: model(tokens, at if one else None))


def model(mixer: str, width: int, layers: int, length: int, products: str = "") -> Callable[[], object]:
    """A model of that mixer, every position asked; `products` is the value of SEQSEP_PRODUCTS."""
    from seqsep.models.model import Model

    os.environ["SEQSEP_PRODUCTS"] = products
    vocabulary, tokens, _ = _questions(length)
    model = Model.build(vocabulary, CLASSES, length, (mixer,) * layers, width, HEADS)
    return trained(model, lambda: model(tokens))


def transformers_gpt2(width: int, length: int, one: bool) -> Callable[[], object]:
    from transformers import GPT2Config, GPT2Model

    vocabulary, tokens, at = _questions(length)
    configuration = GPT2Config(
        vocab_size=vocabulary,
        n_positions=length,
        n_embd=width,
        n_layer=1,
        n_head=HEADS,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="sdpa",
    )
    body, readout, rows = GPT2Model(configuration).train(), nn.Linear(width, CLASSES), torch.arange(BATCH)

    def forward() -> Tensor:
        hidden = body(tokens).last_hidden_state
        return readout(hidden[rows, at] if one else hidden)

    return trained(nn.ModuleList([body, readout]), forward)


def mixer(
    name: str, width: int, length: int, batch: int = 2, faster: float = 0.0, settings: dict[str, Any] | None = None
) -> Callable[[], object]:
    """`faster`: how much is added to the logarithm of every rate of decay. `settings`: settings of the mixer."""
    import seqsep.models.mixers

    layer = getattr(seqsep.models.mixers, name)(width, HEADS, **(settings or {}))
    with torch.no_grad():
        for rate in ("log_decay", "log_rate"):
            if faster:
                getattr(layer, rate, torch.zeros(())).add_(faster)
    return blocks_alone(layer, width, length, batch)


class CausalAttention(nn.Module):
    """Four projections around scaled_dot_product_attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        return self.output(F.scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2).flatten(2))


def causal_attention(width: int, length: int) -> Callable[[], object]:
    return blocks_alone(CausalAttention(width), width, length, batch=2)


def lstm(width: int, length: int) -> Callable[[], object]:
    from seqsep.models.mixers import LSTM

    ours, reference = LSTM(width), nn.LSTM(width, width, batch_first=True)
    ours.cells.load_state_dict(reference.state_dict())
    x = torch.randn(BATCH, length, width)
    assert torch.equal(ours(x), reference(x)[0]), "our LSTM differs from torch.nn.LSTM"
    return blocks_alone(ours, width, length)


def torch_lstm(width: int, length: int) -> Callable[[], object]:
    class Outputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells = nn.LSTM(width, width, batch_first=True)

        def forward(self, x: Tensor) -> Tensor:
            return self.cells(x)[0]

    return blocks_alone(Outputs(), width, length)


def transformers_mlstm(width: int, length: int) -> Callable[[], object]:
    sys.modules["xlstm"] = None  # type: ignore[assignment]  # with it, transformers has no layer of its own
    from transformers import xLSTMConfig
    from transformers.models.xlstm.modeling_xlstm import xLSTMLayer

    sizes = {"hidden_size": width, "num_heads": HEADS, "num_blocks": 1, "num_hidden_layers": 1, "vocab_size": 2}
    layer = xLSTMLayer(xLSTMConfig(**sizes, qk_dim_factor=1.0, v_dim_factor=1.0, chunk_size=64, use_bias=False))

    class Outputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(x)[0]

    return blocks_alone(Outputs(), width, length, batch=2)


def xlstm_slstm(width: int, length: int) -> Callable[[], object]:
    from xlstm.blocks.slstm.layer import sLSTMLayer, sLSTMLayerConfig

    sizes = sLSTMLayerConfig(embedding_dim=width, num_heads=HEADS, backend="vanilla", conv1d_kernel_size=0)
    return blocks_alone(sLSTMLayer(sizes), width, length, batch=2)


class NaiveKDA(nn.Module):
    """Projections like those of our KDA around fla's chunked recurrence in plain PyTorch."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.decay, self.rate = nn.Linear(width, width), nn.Linear(width, HEADS)

    def forward(self, x: Tensor) -> Tensor:
        from fla.ops.kda.naive import naive_chunk_kda

        query, key, value, decay = (
            part(x).unflatten(-1, (HEADS, -1)) for part in (self.query, self.key, self.value, self.decay)
        )
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        found, _ = naive_chunk_kda(query, key, value, -F.softplus(decay), self.rate(x).sigmoid())
        return self.output(found.flatten(2))


def fla_kda(width: int, length: int) -> Callable[[], object]:
    return blocks_alone(NaiveKDA(width), width, length, batch=2)


def transformers_gated_delta(width: int, length: int) -> Callable[[], object]:
    """The layer of OLMo hybrid, whose rates are in (0, 2), in plain PyTorch."""
    sys.modules["fla"] = None  # type: ignore[assignment]  # with it, transformers takes its kernels, which need a GPU
    from transformers import OlmoHybridConfig
    from transformers.models.olmo_hybrid.modeling_olmo_hybrid import OlmoHybridGatedDeltaNet

    sizes = {"hidden_size": width, "linear_num_key_heads": HEADS, "linear_num_value_heads": HEADS}
    sizes |= {"linear_key_head_dim": width // HEADS, "linear_value_head_dim": 2 * width // HEADS, "linear_conv_kernel_dim": 4}
    kinds = ["linear_attention", "full_attention"]
    config = OlmoHybridConfig(**sizes, linear_allow_neg_eigval=True, num_hidden_layers=2, layer_types=kinds)
    return blocks_alone(OlmoHybridGatedDeltaNet(config, 0), width, length, batch=2)


def transformers_mamba2(width: int, length: int) -> Callable[[], object]:
    """The layer of Mamba-2, which is ours without the rotation, in plain PyTorch."""
    from transformers import Mamba2Config
    from transformers.models.mamba2.modeling_mamba2 import Mamba2Mixer

    sizes = {"hidden_size": width, "num_heads": HEADS, "head_dim": 2 * width // HEADS, "state_size": 64, "n_groups": 1}
    return blocks_alone(Mamba2Mixer(Mamba2Config(**sizes, expand=2, chunk_size=64, num_hidden_layers=1), 0), width, length, 2)


class NaiveDeltaProduct(nn.Module):
    """Projections around fla's recurrence of two delta rules a token, in plain PyTorch, with one step for each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.output = (nn.Linear(size, width, bias=False) for size in (width, 2 * width))
        self.key, self.value = (nn.Linear(width, size * width, bias=False) for size in (2, 4))
        self.decay, self.rate = nn.Linear(width, HEADS), nn.Linear(width, 2 * HEADS)

    def forward(self, x: Tensor) -> Tensor:
        from fla.ops.gated_delta_product.naive import naive_recurrent_gated_delta_product

        query = F.normalize(self.query(x).unflatten(-1, (HEADS, -1)), dim=-1)
        key, value = (part(x).unflatten(-1, (2, HEADS, -1)).flatten(1, 2) for part in (self.key, self.value))
        rate = 2 * self.rate(x).unflatten(-1, (2, HEADS)).flatten(1, 2).sigmoid()
        parts = (query, F.normalize(key, dim=-1), value, -F.softplus(self.decay(x)), rate)
        found, _ = naive_recurrent_gated_delta_product(*parts, scale=1.0, num_householder=2)
        return self.output(found.flatten(2))


def fla_delta_product(width: int, length: int) -> Callable[[], object]:
    return blocks_alone(NaiveDeltaProduct(width), width, length, batch=2)


def _multiply(rows: int, into: int, out: int, backward: bool, product: Callable[..., Tensor]) -> Callable[[], object]:
    """One product of 64 sequences of vectors by a weight matrix, with its gradients where wanted."""
    x = torch.randn(BATCH, rows // BATCH, into, requires_grad=backward)
    weight, bias = torch.randn(out, into, requires_grad=backward), torch.randn(out, requires_grad=backward)
    gradient = torch.randn(BATCH, rows // BATCH, out)

    def step() -> None:
        x.grad = weight.grad = bias.grad = None
        y = product(x, weight, bias)
        if backward:
            y.backward(gradient)

    return step


def linear(**shape: Any) -> Callable[[], object]:
    from seqsep.models.mixers import linear as ours

    return _multiply(**shape, product=ours)


def torch_linear(**shape: Any) -> Callable[[], object]:
    return _multiply(**shape, product=F.linear)


def product(**shape: Any) -> Callable[[], object]:
    return _multiply(**shape, product=lambda x, weight, bias: x @ weight.T)


def to_mkldnn(rows: int, into: int, out: int, backward: bool) -> Callable[[], object]:
    """Inference only: tensors in oneDNN's own layout, converted beforehand."""
    x, weight = (torch.randn(*shape).to_mkldnn() for shape in ((rows, into), (out, into)))
    bias = torch.randn(out)
    return lambda: F.linear(x, weight, bias)
