"""The one model: embed, blocks, read out; filled by training and by theorems alike.

    x_t = token[input_t] + position[t]        (positions where a layer's paper has them, or as `Model.build` is told)
    x   = x + mixer(norm(x));  x = x + W_2 gelu(W_1 norm(x))          (norm, residual and MLP: defaults of the mixer's block)
    logits_t = W norm(x_t)

With `layers=("attention",)` this is GPT-2 (pre-norm, GELU MLP of 4 x width, learned absolute positions, its initialisation)
with a read-out of its own. `Model.load` fills the same class with a hand-built `exact.network.Network`, in float64.
"""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, cast, get_args, runtime_checkable

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.exact.network import Array, AttentionLayer, ElmanLayer, FeedForward, Network
from seqsep.mixers import BY_NAME, Attention, Automaton, Block, Elman, Mixer, State, state_bits
from seqsep.mixers.base import initialise_as_gpt2

ModelState: TypeAlias = tuple[State, ...]
Tokens: TypeAlias = Int64[Tensor, "*shape"]
Vectors: TypeAlias = Float[Tensor, "*shape coordinates"]
Positions: TypeAlias = Literal["default", "learned", "sinusoidal", "rope", "none"]


@runtime_checkable
class Layer(Protocol):
    """What makes the mixer of a block: the class of a built-in mixer, or a user's own layer (`plugins.layer`)."""

    def build(self, width: int, heads: int) -> Mixer:
        """A fresh mixer of these sizes."""


class MLP(nn.Module):
    """W_2 activation(W_1 x): GPT-2's with the tanh form of GELU, or ReLU for hand-built networks."""

    def __init__(self, width: int, hidden: int, relu: bool = False) -> None:
        super().__init__()
        self.inner = nn.Linear(width, hidden)
        self.outer = nn.Linear(hidden, width)
        self.relu = relu

    def forward(self, x: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape width"]:
        inner = self.inner(x)
        return self.outer(F.relu(inner) if self.relu else F.gelu(inner, approximate="tanh"))


class Residual(nn.Module):
    """A mixer with what its block holds around it; every method treats norm, residual and MLP alike."""

    def __init__(self, mixer: Mixer, block: Block, width: int, mlp: MLP | None) -> None:
        super().__init__()
        self.mixer, self.residual, self.mlp = mixer, block.residual, mlp
        self.norm = normalisation(block.norm, width)
        self.mlp_norm = normalisation(block.norm if mlp is not None else "none", width)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        return self._finish(x, self.mixer(self.norm(x)))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        rows = torch.arange(x.shape[0], device=x.device)
        return self._finish(x[rows, at], self.mixer.forward_at(self.norm(x), at))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], State]:
        mixed, state = self.mixer.step(self.norm(x), state, t)
        return self._finish(x, mixed), state

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Float[Tensor, "batch width"]:
        return self._finish(x, self.mixer.step_output(self.norm(x), state, t))

    def _finish(self, x: Float[Tensor, "*shape width"], mixed: Float[Tensor, "*shape width"]) -> Tensor:
        x = x + mixed if self.residual else mixed
        return x if self.mlp is None else x + self.mlp(self.mlp_norm(x))


def normalisation(norm: str, width: int) -> nn.Module:
    """LayerNorm as GPT-2, RMSNorm as Mamba, or none."""
    return {"layer": lambda: nn.LayerNorm(width), "rms": lambda: nn.RMSNorm(width, eps=1e-5), "none": nn.Identity}[norm]()


def sinusoids(times: Tensor, width: int) -> Float[Tensor, "*shape width"]:
    """sin(t / 10000^(2i/width)) at coordinate 2i and the cosine at 2i + 1: Vaswani et al. 2017, section 3.5, in float64."""
    pairs = torch.arange(0, width, 2, dtype=torch.float64, device=times.device)
    angle = times[..., None] * 10000.0 ** (-pairs / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)[..., :width]


class Model(nn.Module):
    """A sequence model over tokens (or vectors, where a hand-built network has them); `Model.build` makes one to train."""

    chosen_positions = "default"
    position_scale: Tensor

    def __init__(
        self,
        tokens: nn.Module,
        positions: nn.Embedding | None,
        blocks: Sequence[Residual],
        norm: nn.Module,
        readout: nn.Linear,
    ) -> None:
        super().__init__()
        self.tokens, self.positions = tokens, positions
        self.blocks = nn.ModuleList(blocks)
        self.norm, self.readout = norm, readout

    @classmethod
    def build(
        cls,
        vocabulary: int,
        classes: int,
        longest: int,
        layers: Sequence[str | Layer],
        width: int,
        heads: int = 4,
        embedding_scale: float = 0.02,
        weight_scale: float = 0.02,
        coordinates: int = 0,
        positions: str = "default",
    ) -> "Model":
        """A model to train; weights come from torch's global generator.

        `layers`: names of mixers, mixer classes, or users' own layers; `longest`: most tokens of an input;
        `embedding_scale`: deviation of the token and position embeddings;
        `weight_scale`: deviation of the other weights that GPT-2's initialisation draws (0.02 there, at width 768);
        `coordinates`: of an input vector, which a matrix embeds, where inputs are no tokens.
        `positions`: "default", learned where the block of some layer has them; "learned", a vector a position, for any layers;
        "sinusoidal", fixed: `sinusoids` times `embedding_scale`, so that tokens and positions are to each other as in
        Vaswani et al., whose tokens have deviation 1; "rope", turned queries and keys in every attention and sliding
        attention; "none".
        Raises ValueError for no layers, an unknown mixer, heads that do not divide the width, or rope without attention.
        """
        unknown = [name for name in layers if isinstance(name, str) and name not in BY_NAME]
        if not layers or unknown:
            raise ValueError(f"Model.build(layers={tuple(layers)!r}): layers are one or more of {', '.join(BY_NAME)}")
        makers: list[Layer] = [BY_NAME[layer] if isinstance(layer, str) else layer for layer in layers]
        call = f"Model.build(layers={tuple(layers)!r}, width={width}, heads={heads}, positions={positions!r})"
        if positions not in get_args(Positions):
            raise ValueError(f"{call}: positions are one of {', '.join(get_args(Positions))}")
        turning = positions == "rope"
        if turning and not any(isinstance(maker, type) and issubclass(maker, Attention) for maker in makers):
            raise ValueError(f"{call}: rope turns queries and keys, so a layer is attention or sliding-attention")
        if turning and width // heads % 2:
            raise ValueError(f"{call}: rope turns pairs of coordinates, so width / heads is even")
        blocks = []
        for maker in makers:
            mixer = maker.build(width, heads)
            mlp = MLP(width, 4 * width) if mixer.block.mlp else None
            mixer.initialise(len(layers), weight_scale)
            if turning and isinstance(mixer, Attention):
                mixer.rope = True
            if mlp is not None:
                initialise_as_gpt2(mlp, mlp.outer, len(layers), weight_scale)
            blocks.append(Residual(mixer, mixer.block, width, mlp))
        learned = positions == "learned"
        if positions == "default":
            learned = any(block.mixer.block.positions == "learned" for block in blocks)
        model = cls(
            nn.Linear(coordinates, width, bias=False) if coordinates else nn.Embedding(vocabulary, width),
            nn.Embedding(longest, width) if learned else None,
            blocks,
            normalisation(blocks[-1].mixer.block.norm, width),
            nn.Linear(width, classes),
        )
        nn.init.normal_(model.readout.weight, std=weight_scale)
        nn.init.zeros_(model.readout.bias)
        for embedding in (model.tokens, model.positions):
            if isinstance(embedding, nn.Embedding | nn.Linear):
                nn.init.normal_(embedding.weight, std=embedding_scale)
        model.chosen_positions = positions
        if positions == "sinusoidal":
            model.register_buffer("position_scale", torch.tensor(embedding_scale))
        return model

    @classmethod
    def load(cls, network: Network) -> "Model":
        """The hand-built network in float64: same weights, same answers as long as no sum exceeds 53 bits."""

        def floats(*arrays: Array) -> Tensor:
            return torch.from_numpy(np.concatenate([array.floats() for array in arrays]))

        def linear(weight: Tensor, bias: Tensor | None = None) -> nn.Linear:
            layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
            layer.weight.data = weight
            layer.bias.data = bias if bias is not None else weight.new_zeros(weight.shape[0])
            return layer

        width, plain, blocks = network.width, Block(norm="none"), []
        for layer, feed_forward in network.layers:
            mixer: Mixer
            if isinstance(layer, AttentionLayer):
                heads = layer.heads
                key_width, value_width = (sum(len(getattr(head, part).integers) for head in heads) for part in ("key", "value"))
                mixer = Attention(width, len(heads), key_width, value_width, scale=1.0, causal=layer.causal)
                mixer.query, mixer.key, mixer.value = (
                    linear(floats(*(getattr(head, part) for head in heads))) for part in ("query", "key", "value")
                )
                mixer.output = linear(torch.cat([floats(head.output) for head in heads], dim=1))
                block = plain
            elif isinstance(layer, ElmanLayer):
                mixer = Elman(width, activation=layer.activation)
                mixer.recurrent, mixer.input = linear(floats(layer.recurrent), floats(layer.bias)), linear(floats(layer.input))
                mixer.first = floats(layer.start)
                block = mixer.block
            else:
                mixer = Automaton(torch.from_numpy(layer.table.integers.copy()), layer.start)
                block = mixer.block
            mlp = None
            if isinstance(feed_forward, FeedForward):
                mlp = MLP(width, feed_forward.inner.integers.shape[0], relu=True)
                mlp.inner = linear(floats(feed_forward.inner), floats(feed_forward.inner_bias))
                mlp.outer = linear(floats(feed_forward.outer), floats(feed_forward.outer_bias))
            blocks.append(Residual(mixer, block, width, mlp))
        inputs: nn.Module
        if network.vectors is not None:
            inputs = linear(floats(network.vectors).T)
        else:
            tables = [table for table in (network.symbols, network.indices) if table is not None]
            inputs = nn.Embedding.from_pretrained(floats(*tables), freeze=False)
        positions = None
        if network.positions is not None:
            positions = nn.Embedding.from_pretrained(floats(network.positions), freeze=False)
        readout = linear(floats(network.readout), floats(network.readout_bias))
        return cls(inputs, positions, blocks, nn.Identity(), readout).double().eval()

    def _embed(self, inputs: Tokens | Vectors, times: Tensor | int) -> Float[Tensor, "*shape width"]:
        x = self.tokens(inputs)
        if self.chosen_positions == "sinusoidal":
            return x + self.position_scale * sinusoids(torch.as_tensor(times, device=x.device), x.shape[-1]).to(x.dtype)
        return x if self.positions is None else x + self.positions.weight[times]

    def forward(
        self, inputs: Tokens | Vectors, at: Int64[Tensor, "batch"] | None = None
    ) -> Float[Tensor, "batch time classes"] | Float[Tensor, "batch classes"]:
        """Logits at every position, or at one position per example: then the last block computes only what that needs."""
        self._require_room(inputs.shape[1])
        x = self._embed(inputs, torch.arange(inputs.shape[1], device=inputs.device))
        blocks = cast(list[Residual], list(self.blocks))
        for block in blocks if at is None else blocks[:-1]:
            x = block(x)
        if at is not None:
            x = blocks[-1].forward_at(x, at)
        return self.readout(self.norm(x))

    def start(self, batch: int) -> ModelState:
        return tuple(cast(Residual, block).mixer.start(batch) for block in self.blocks)

    def step(
        self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int
    ) -> tuple[Float[Tensor, "batch classes"], ModelState]:
        """Logits after the token at time t (from 0), and the state after it."""
        self._require_room(t + 1)
        x, after = self._embed(inputs, t), []
        for block, part in zip(cast(list[Residual], list(self.blocks)), state, strict=True):
            x, new = block.step(x, part, t)
            after.append(new)
        return self.readout(self.norm(x)), tuple(after)

    def prefill(self, inputs: Int64[Tensor, "batch time"], state: ModelState | None = None, t: int = 0) -> ModelState:
        """The state after all tokens, from `state` at time t (by default the start)."""
        self._require_room(t + inputs.shape[1])
        state = self.start(inputs.shape[0]) if state is None else state
        x = self._embed(inputs, torch.arange(t, t + inputs.shape[1], device=inputs.device))
        *earlier, last = zip(cast(list[Residual], list(self.blocks)), state, strict=True)
        after = []
        for block, part in earlier:
            outputs = []
            for offset in range(inputs.shape[1]):
                y, part = block.step(x[:, offset], part, t + offset)
                outputs.append(y)
            after.append(part)
            x = torch.stack(outputs, dim=1) if outputs else x
        block, part = last
        return (*after, block.mixer.prefill(block.norm(x), part, t))

    def step_output(self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int) -> Float[Tensor, "batch classes"]:
        """Logits of `step` for many tokens at time t, each put to the same state (of batch 1); no state is returned."""
        self._require_room(t + 1)
        x = self._embed(inputs, t)
        for block, part in zip(cast(list[Residual], list(self.blocks)), state, strict=True):
            x = block.step_output(x, part, t)
        return self.readout(self.norm(x))

    def _require_room(self, time: int) -> None:
        if self.positions is not None and time > self.positions.num_embeddings:
            raise ValueError(f"Model: {time} tokens, but this model has positions for {self.positions.num_embeddings}")

    def state_bits(self) -> tuple[int, int]:
        """(fixed, per token) bits of one example's state, counted from tensors."""
        fixed = grown = 0
        for block in cast(list[Residual], list(self.blocks)):
            start = block.mixer.start(1)
            if block.mixer.grows:
                x = self.readout.weight.new_zeros(1, self.readout.in_features)
                grown += state_bits(block.mixer.step(x, start, 0)[1]) - state_bits(start)
            else:
                fixed += state_bits(start)
        return fixed, grown
