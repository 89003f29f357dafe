"""The parts of a model from a hand-built network, in float64: `Model.load` puts them together.

A float64 holds every number of a grid of up to 53 bits, so weights are the network's own.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float64
from torch import Tensor, nn

from seqsep.maths.networks.network import (
    Array,
    AttentionLayer,
    ElmanLayer,
    FeedForward,
    GatedFeedForward,
    LinearLayer,
    MixingLayer,
    Network,
)
from seqsep.models.blocks import MLP, GatedMLP, Residual
from seqsep.models.mixers import Attention, Automaton, Block, Elman, Linear, LinearRecurrence


class Parts(NamedTuple):
    """The parts of a `Model`, without its last norm, which no hand-built network has."""

    tokens: nn.Module
    positions: nn.Embedding | None
    blocks: list[Residual]
    readout: Linear


def parts(network: Network) -> Parts:
    """Return the modules that hold the network's weights."""
    positions = None
    if network.positions is not None:
        positions = nn.Embedding.from_pretrained(_floats(network.positions), freeze=False)
    blocks = [_block(layer, feed_forward, network.width) for layer, feed_forward in network.layers]
    return Parts(_embedding(network), positions, blocks, _linear(_floats(network.readout), _floats(network.readout_bias)))


def _embedding(network: Network) -> nn.Module:
    """Return a matrix if inputs are vectors, else a table of symbols and then indices."""
    if network.vectors is not None:
        return _linear(_floats(network.vectors).T)
    tables = [table for table in (network.symbols, network.indices) if table is not None]
    return nn.Embedding.from_pretrained(torch.cat([_floats(table) for table in tables]), freeze=False)


def _block(layer: MixingLayer, feed_forward: FeedForward | GatedFeedForward | None, width: int) -> Residual:
    mixer = _mixer(layer, width)
    block = Block(norm="none") if isinstance(mixer, Attention) else mixer.block
    return Residual(mixer, block, width, _mlp(feed_forward, width))


def _mixer(layer: MixingLayer, width: int) -> Attention | Automaton | Elman | LinearRecurrence:
    if isinstance(layer, AttentionLayer):
        return _attention(layer, width)
    if isinstance(layer, ElmanLayer):
        return _elman(layer, width)
    if isinstance(layer, LinearLayer):
        return _linear_recurrence(layer, width)
    return Automaton(torch.from_numpy(layer.table.integers.copy()), layer.start)


def _attention(layer: AttentionLayer, width: int) -> Attention:
    """Return attention with the heads side by side: the rows of their queries, keys and values, and the columns of their
    outputs.
    """
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


def _linear_recurrence(layer: LinearLayer, width: int) -> LinearRecurrence:
    mixer = LinearRecurrence(width, remembered=layer.remembered)
    mixer.recurrent.weight.data = _floats(layer.recurrent)
    mixer.input.weight.data = _floats(layer.input)
    mixer.output.weight.data = _floats(layer.output)
    return mixer


def _mlp(feed_forward: FeedForward | GatedFeedForward | None, width: int) -> MLP | GatedMLP | None:
    if feed_forward is None:
        return None
    hidden = len(feed_forward.inner.integers)
    mlp: MLP | GatedMLP
    if isinstance(feed_forward, GatedFeedForward):
        mlp = GatedMLP(width, hidden)
        mlp.gate = _linear(_floats(feed_forward.gate), _floats(feed_forward.gate_bias))
    else:
        mlp = MLP(width, hidden, relu=True)
    mlp.inner = _linear(_floats(feed_forward.inner), _floats(feed_forward.inner_bias))
    mlp.outer = _linear(_floats(feed_forward.outer), _floats(feed_forward.outer_bias))
    return mlp


def _linear(weight: Float64[Tensor, "outputs inputs"], bias: Float64[Tensor, "outputs"] | None = None) -> Linear:
    """Return the layer with these weights, and the bias 0 unless one is given."""
    layer = Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
    layer.weight.data = weight
    layer.bias.data = bias if bias is not None else weight.new_zeros(weight.shape[0])
    return layer


def _floats(array: Array) -> Float64[Tensor, "*shape"]:
    return torch.from_numpy(np.array(array.floats()))
