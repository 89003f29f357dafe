"""The parts of a model from a hand-built network, in float64: `Model.load` puts them together.

A float64 holds every number of a grid of up to 53 bits, so weights are the network's own.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float64
from torch import Tensor, nn

from seqsep.exact.network import Array, AttentionLayer, AutomatonLayer, ElmanLayer, FeedForward, Network
from seqsep.mixers import Attention, Automaton, Block, Elman
from seqsep.mixers.linear import Linear
from seqsep.model.blocks import MLP, Residual


class Parts(NamedTuple):
    """What `Model` is made of, beside its last norm, which no hand-built network has."""

    tokens: nn.Module
    positions: nn.Embedding | None
    blocks: list[Residual]
    readout: Linear


def parts(network: Network) -> Parts:
    """The modules that hold the network's weights."""
    positions = None
    if network.positions is not None:
        positions = nn.Embedding.from_pretrained(_floats(network.positions), freeze=False)
    blocks = [_block(layer, feed_forward, network.width) for layer, feed_forward in network.layers]
    return Parts(_embedding(network), positions, blocks, _linear(_floats(network.readout), _floats(network.readout_bias)))


def _embedding(network: Network) -> nn.Module:
    """A matrix if inputs are vectors, else a table of symbols and then indices."""
    if network.vectors is not None:
        return _linear(_floats(network.vectors).T)
    tables = [table for table in (network.symbols, network.indices) if table is not None]
    return nn.Embedding.from_pretrained(torch.cat([_floats(table) for table in tables]), freeze=False)


def _block(layer: AttentionLayer | AutomatonLayer | ElmanLayer, feed_forward: FeedForward | None, width: int) -> Residual:
    mixer: Attention | Elman | Automaton
    if isinstance(layer, AttentionLayer):
        mixer = _attention(layer, width)
        block = Block(norm="none")
    elif isinstance(layer, ElmanLayer):
        mixer = _elman(layer, width)
        block = mixer.block
    else:
        mixer = Automaton(torch.from_numpy(layer.table.integers.copy()), layer.start)
        block = mixer.block
    return Residual(mixer, block, width, None if feed_forward is None else _mlp(feed_forward, width))


def _attention(layer: AttentionLayer, width: int) -> Attention:
    """Heads side by side: the rows of their queries, keys and values, and the columns of their outputs."""
    heads = layer.heads
    key_width = sum(len(head.key.integers) for head in heads)
    value_width = sum(len(head.value.integers) for head in heads)
    mixer = Attention(width, len(heads), key_width=key_width, value_width=value_width, scale=1.0, causal=layer.causal)
    mixer.query = _linear(torch.cat([_floats(head.query) for head in heads]))
    mixer.key = _linear(torch.cat([_floats(head.key) for head in heads]))
    mixer.value = _linear(torch.cat([_floats(head.value) for head in heads]))
    mixer.output = _linear(torch.cat([_floats(head.output) for head in heads], dim=1))
    return mixer


def _elman(layer: ElmanLayer, width: int) -> Elman:
    mixer = Elman(width, activation=layer.activation)
    mixer.recurrent = _linear(_floats(layer.recurrent), _floats(layer.bias))
    mixer.input = _linear(_floats(layer.input))
    mixer.first = _floats(layer.start)
    return mixer


def _mlp(feed_forward: FeedForward, width: int) -> MLP:
    mlp = MLP(width, feed_forward.inner.integers.shape[0], relu=True)
    mlp.inner = _linear(_floats(feed_forward.inner), _floats(feed_forward.inner_bias))
    mlp.outer = _linear(_floats(feed_forward.outer), _floats(feed_forward.outer_bias))
    return mlp


def _linear(weight: Float64[Tensor, "outputs inputs"], bias: Float64[Tensor, "outputs"] | None = None) -> Linear:
    """The layer with these weights, and the bias 0 unless one is given."""
    layer = Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
    layer.weight.data = weight
    layer.bias.data = bias if bias is not None else weight.new_zeros(weight.shape[0])
    return layer


def _floats(array: Array) -> Float64[Tensor, "*shape"]:
    return torch.from_numpy(np.array(array.floats()))
