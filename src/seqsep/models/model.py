"""The one model: embed, blocks, read out; filled by training and by theorems alike.

    x_t = token[input_t] + position[t]        (positions if a layer's paper has them, or as `Model.build` is asked)
    x   = x + mixer(norm(x));  x = x + W_2 gelu(W_1 norm(x))   (norm, residual, MLP: defaults of the mixer's block, or `Design`)
    logits_t = W norm(x_t)

With `layers=("attention",)` this is GPT-2 (pre-norm, GELU MLP of 4 x width, learned absolute positions, its initialisation)
with a read-out of its own. `Model.load` fills the same class with a hand-built `maths.networks.network.Network`, in float64.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Literal, Protocol, TypeAlias, cast, get_args, runtime_checkable

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.core.names import BadInput, whole_arguments
from seqsep.maths.networks.network import Network
from seqsep.models import built
from seqsep.models.blocks import Residual, feed_forward, normalisation
from seqsep.models.design import DEFAULT, Design
from seqsep.models.mixers import Attention, Block, Linear, Mixer, State, state_bits
from seqsep.models.mixers.base import initialise_as_gpt2
from seqsep.models.mixers.settings import mixer_named

ModelState: TypeAlias = tuple[State, ...]
BlockStep: TypeAlias = Callable[[Float[Tensor, "batch width"], State, int], tuple[Float[Tensor, "batch width"], State]]
Tokens: TypeAlias = Int64[Tensor, "*shape"]
Vectors: TypeAlias = Float[Tensor, "*shape coordinates"]
Positions: TypeAlias = Literal["default", "learned", "sinusoidal", "rope", "none"]


@runtime_checkable
class MixerMaker(Protocol):
    """The maker of a block's mixer: the class of a built-in mixer, or a user's own layer (`models.plugins.layer`)."""

    def build(self, width: int, heads: int) -> Mixer:
        """Return a fresh mixer of these sizes."""


class Model(nn.Module):
    """A sequence model over tokens, or over vectors if a matrix embeds its inputs.

    `Model.build` makes a model to train, `Model.load` one from a network of a theorem. `forward` takes tokens of the shape
    (batch, time) and returns logits of the shape (batch, time, classes). `prefill` returns the state after these tokens, and
    `step` takes one token of each example (batch) and the state.

    Fields:
        tokens: embedding of tokens, or the matrix that embeds vectors.
        positions: embedding of positions, or None.
        blocks: mixers with their norms, residual connections and feed-forward parts.
        norm: norm before the read-out.
        readout: linear layer from the width to the classes.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=11, classes=7, longest=20, layers=("mamba", "attention"), width=16)
    >>> tokens = torch.randint(11, (3, 12))
    >>> logits = model(tokens)
    >>> state = model.prefill(tokens[:, :11])
    >>> torch.allclose(model.step(tokens[:, 11], state, t=11)[0], logits[:, 11], atol=1e-5)
    True
    """

    chosen_positions = "default"
    design = DEFAULT
    position_scale: Tensor

    def __init__(
        self,
        tokens: nn.Module,
        positions: nn.Embedding | None,
        blocks: Sequence[Residual],
        norm: nn.Module,
        readout: Linear,
    ) -> None:
        super().__init__()
        self.tokens = tokens
        self.positions = positions
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm
        self.readout = readout

    def forward(
        self, inputs: Tokens | Vectors, at: Int64[Tensor, "batch"] | None = None
    ) -> Float[Tensor, "batch time classes"] | Float[Tensor, "batch classes"]:
        """Return logits at every position, or at one position per example: then the last block computes only what that
        needs.
        """
        self._require_positions(inputs.shape[1])
        x = self._embed(inputs, torch.arange(inputs.shape[1], device=inputs.device))
        blocks = self.residuals()
        for block in blocks if at is None else blocks[:-1]:
            x = block(x)
        if at is not None:
            x = blocks[-1].forward_at(x, at)
        return self.readout(self.norm(x))

    def start(self, batch: int) -> ModelState:
        """Return the state of every block before the first token."""
        return tuple(block.mixer.start(batch) for block in self.residuals())

    def step(
        self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int
    ) -> tuple[Float[Tensor, "batch classes"], ModelState]:
        """Return the logits after the token at time t (from 0), and the state after it."""
        return self._one_token(inputs, state, t, [block.step for block in self.residuals()])

    def advance(
        self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int
    ) -> tuple[Float[Tensor, "batch classes"], ModelState]:
        """Return what `step` returns, for a caller that drops `state`: its memory may be overwritten."""
        return self._one_token(inputs, state, t, [block.advance for block in self.residuals()])

    def _one_token(
        self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int, steps: Sequence[BlockStep]
    ) -> tuple[Float[Tensor, "batch classes"], ModelState]:
        """Embed, one step of every block, read out."""
        self._require_positions(t + 1)
        x = self._embed(inputs, t)
        after = []
        for step, before in zip(steps, state, strict=True):
            x, block_after = step(x, before, t)
            after.append(block_after)
        return self.readout(self.norm(x)), tuple(after)

    def step_output(self, inputs: Int64[Tensor, "batch"], state: ModelState, t: int) -> Float[Tensor, "batch classes"]:
        """Return the logits of `step` for many tokens at time t, each from the same state (of batch 1). No state is
        returned.
        """
        self._require_positions(t + 1)
        x = self._embed(inputs, t)
        for block, before in zip(self.residuals(), state, strict=True):
            x = block.step_output(x, before, t)
        return self.readout(self.norm(x))

    def prefill(self, inputs: Int64[Tensor, "batch time"], state: ModelState | None = None, t: int = 0) -> ModelState:
        """Return the state after all tokens, from `state` at time t (by default the start), without logits.

        From the start the outputs of a block are made in parallel, by `forward`, and after a state by `step`.
        """
        self._require_positions(t + inputs.shape[1])
        is_start = state is None
        state = self.start(inputs.shape[0]) if state is None else state
        x = self._embed(inputs, torch.arange(t, t + inputs.shape[1], device=inputs.device))
        *earlier, (last, last_before) = zip(self.residuals(), state, strict=True)
        after = []
        for block, block_state in earlier:
            if is_start and inputs.shape[1]:
                after.append(block.mixer.prefill(block.norm(x), block_state, t))
                x = block(x)
                continue
            outputs = []
            for offset in range(inputs.shape[1]):
                y, block_state = block.step(x[:, offset], block_state, t + offset)
                outputs.append(y)
            after.append(block_state)
            x = torch.stack(outputs, dim=1) if outputs else x
        return (*after, last.mixer.prefill(last.norm(x), last_before, t))

    def state_bits(self) -> tuple[int, int]:
        """Return (fixed, per token) bits of one example's state, counted from tensors."""
        fixed = 0
        per_token = 0
        for block in self.residuals():
            start = block.mixer.start(1)
            fixed += state_bits(start)
            if block.mixer.grows:
                x = self.readout.weight.new_zeros(1, self.readout.in_features)
                per_token += state_bits(block.mixer.step(x, start, 0)[1]) - state_bits(start)
        return fixed, per_token

    def fix_embeddings(self) -> None:
        """Put `sinusoids` in the place of token embeddings and of the read-out, and leave both out of training."""
        for part in (cast(nn.Embedding, self.tokens), self.readout):
            codes = sinusoids(torch.arange(part.weight.shape[0], device=part.weight.device), part.weight.shape[1])
            part.weight = nn.Parameter(codes.to(part.weight.dtype), requires_grad=False)

    def residuals(self) -> list[Residual]:
        """Return the blocks, with their type."""
        return cast(list[Residual], list(self.blocks))

    @property
    def device(self) -> torch.device:
        """The device of the weights; the processor if there are none."""
        return next((weight.device for weight in self.parameters()), torch.device("cpu"))

    def _embed(self, inputs: Tokens | Vectors, times: Tensor | int) -> Float[Tensor, "*shape width"]:
        """Return x_t before the first block."""
        x = self.tokens(inputs)
        if self.chosen_positions == "sinusoidal":
            return x + self.position_scale * sinusoids(torch.as_tensor(times, device=x.device), x.shape[-1]).to(x.dtype)
        return x if self.positions is None else x + self.positions.weight[times]

    def _require_positions(self, time: int) -> None:
        """Raise ValueError if the model has positions, but fewer than `time`."""
        if self.positions is not None and time > self.positions.num_embeddings:
            raise ValueError(f"Model: {time} tokens, but this model has positions for {self.positions.num_embeddings}")

    @classmethod
    @whole_arguments
    def build(
        cls,
        vocabulary: int,
        classes: int,
        longest: int,
        layers: Sequence[str | MixerMaker],
        width: int,
        heads: int = 4,
        embedding_scale: float = 0.02,
        weight_scale: float = 0.02,
        coordinates: int = 0,
        positions: str = "default",
        design: Design = DEFAULT,
    ) -> "Model":
        """Build a model to train; weights come from torch's global generator.

        Arguments:
            vocabulary: number of different tokens.
            classes: number of answers, the last axis of the logits.
            longest: greatest number of tokens of an input.
            layers: names of mixers with their settings, mixer classes, or your own layers.
            width: coordinates of the residual stream.
            heads: attention heads of a layer; they divide the width.
            embedding_scale: standard deviation of the token and position embeddings.
            weight_scale: standard deviation of the read-out, and of the linear layers that are initialised as in GPT-2, which
                has 0.02 at width 768.
            coordinates: coordinates of an input vector; 0 if inputs are tokens.
            positions: positional encoding: default, learned, sinusoidal, rope or none.
            design: norm, feed-forward part, biases and embeddings; by default those of `Design()`. Fixed embeddings are not
                scaled.

        With the positional encoding "default", positions are learned if the block of any layer needs them. With "sinusoidal",
        the sinusoids are multiplied by `embedding_scale`. So tokens and positions have the same proportion as in Vaswani et
        al., whose tokens have standard deviation 1. With "rope", all layers of attention and sliding attention rotate their
        queries and keys.

        Raises ValueError for no layers, an unknown mixer, heads that do not divide the width, rope without attention, or tied
        embeddings if classes are not tokens.

        >>> model = Model.build(vocabulary=11, classes=7, longest=20, layers=("lstm",), width=16)
        >>> model(torch.zeros(3, 12, dtype=torch.int64)).shape
        torch.Size([3, 12, 7])
        """
        makers = _makers(layers, width, heads, positions)
        is_tied = design.embeddings == "tied-sinusoids"
        if is_tied and (coordinates or classes != vocabulary):
            tokens = f"{coordinates} coordinates" if coordinates else f"{vocabulary} tokens"
            raise ValueError(
                f"Model.build({design}): tied embeddings need classes that are tokens, found {classes} and {tokens}"
            )
        blocks = []
        for maker in makers:
            mixer = maker.build(width, heads)
            if not design.biases and isinstance(mixer, Attention):
                mixer.drop_biases()
            mlp = feed_forward(design, width) if mixer.block.mlp else None
            mixer.initialise(len(layers), weight_scale)
            if positions == "rope" and isinstance(mixer, Attention):
                mixer.rope = True
            if mlp is not None:
                initialise_as_gpt2(mlp, mlp.outer, len(layers), weight_scale)
            blocks.append(Residual(mixer, _designed(mixer.block, design), width, mlp))
        if positions == "default":
            has_table = any(block.mixer.block.positions == "learned" for block in blocks)
        else:
            has_table = positions == "learned"
        model = cls(
            tokens=Linear(coordinates, width, bias=False) if coordinates else nn.Embedding(vocabulary, width),
            positions=nn.Embedding(longest, width) if has_table else None,
            blocks=blocks,
            norm=normalisation(_designed(blocks[-1].mixer.block, design).norm, width),
            readout=Linear(width, classes, bias=not is_tied),
        )
        nn.init.normal_(model.readout.weight, std=weight_scale)
        if not is_tied:
            nn.init.zeros_(model.readout.bias)
        for embedding in (model.tokens, model.positions):
            if isinstance(embedding, nn.Embedding | nn.Linear):
                nn.init.normal_(embedding.weight, std=embedding_scale)
        if is_tied:
            model.fix_embeddings()
        model.chosen_positions = positions
        model.design = design
        if positions == "sinusoidal":
            model.register_buffer("position_scale", torch.tensor(embedding_scale))
        return model

    @classmethod
    def load(cls, network: Network) -> "Model":
        """Return a hand-built network as a model in float64; answers are the same as long as no sum needs more than 53 bits.

        Arguments:
            network: a network, as `seqsep.build` or `seqsep.load_network` returns it.

        Raises TypeError for anything except a network.

        >>> import numpy as np
        >>> parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
        >>> Model.load(parity)(torch.tensor([[1, 0, 1, 1]])).argmax(-1)
        tensor([[1, 1, 0, 1]])
        """
        if not isinstance(network, Network):
            file = "; of a file: seqsep.load_network(FILE), or seqsep.load(FILE) for what was trained"
            said = file if isinstance(network, str | PathLike) else ""
            raise TypeError(f"Model.load({type(network).__name__}): expected a network, as seqsep.build returns it{said}")
        parts = built.parts(network)
        model = cls(parts.tokens, parts.positions, parts.blocks, norm=nn.Identity(), readout=parts.readout)
        return model.double().eval()


def _designed(block: Block, design: Design) -> Block:
    """Return the block with the norm of the design, if it has any norm."""
    return (
        block
        if block.norm == "none" or design.norm == "default"
        else replace(block, norm=cast(Literal["layer", "rms"], design.norm))
    )


def _makers(layers: Sequence[str | MixerMaker], width: int, heads: int, positions: str) -> list[MixerMaker]:
    """Return the constructor of each layer's mixer. Raises ValueError as `Model.build` says, except for a mixer's own sizes."""
    if not layers:
        raise ValueError("Model.build(layers=()): expected one layer or more")
    try:
        makers: list[MixerMaker] = [mixer_named(layer) if isinstance(layer, str) else layer for layer in layers]
    except BadInput as error:
        raise ValueError(f"Model.build(layers={tuple(layers)!r}): {error}") from None
    call = f"Model.build(layers={tuple(layers)!r}, width={width}, heads={heads}, positions={positions!r})"
    if positions not in get_args(Positions):
        raise ValueError(f"{call}: positions are one of {', '.join(get_args(Positions))}")
    has_attention = any(isinstance(maker, type) and issubclass(maker, Attention) for maker in makers)
    if positions == "rope" and not has_attention:
        raise ValueError(f"{call}: rope turns queries and keys, so a layer is attention or sliding-attention")
    if positions == "rope" and width // heads % 2:
        raise ValueError(f"{call}: rope turns pairs of coordinates, so width / heads is even")
    return makers


def sinusoids(times: Tensor, width: int) -> Float[Tensor, "*shape width"]:
    """Return sin(t / 10000^(2i/width)) at coordinate 2i and the cosine at 2i + 1: Vaswani et al. 2017, section 3.5, in
    float64.
    """
    pairs = torch.arange(0, width, 2, dtype=torch.float64, device=times.device)
    angle = times[..., None] * 10000.0 ** (-pairs / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)[..., :width]
