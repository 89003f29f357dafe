"""A layer of flash-linear-attention as a layer of seqsep: its GatedDeltaNet (arXiv:2412.06464) without the short convolution.

    pip install flash-linear-attention
    seqsep check --mixer examples/flash_linear_attention_layer.py:GatedDelta

The package hands a state over in a cache object that it changes in place; here such an object lives for one call, and the state
goes in and out as a tensor of heads x value x key numbers, which is what seqsep counts. Its kernels need a GPU; elsewhere the
package's own reference in plain PyTorch computes the same from the same weights. Both are float32: so are the laws.
"""

import torch
import torch.nn.functional as F
from fla.layers import GatedDeltaNet
from fla.ops.gated_delta_rule.naive import naive_recurrent_gated_delta_rule
from torch import nn


class Cache(dict):
    """What the package asks of a cache: a layer's entry by its index, and `update`."""

    def update(self, layer_idx, recurrent_state, **rest):
        self[layer_idx] = {"recurrent_state": recurrent_state}


class GatedDelta(nn.Module):
    """Built with the width and, since the signature names them, the heads."""

    checked_in = "float32"

    def __init__(self, width, heads=4):
        super().__init__()
        sizes = {"hidden_size": width, "head_dim": width // heads, "num_heads": heads, "expand_v": 1}
        self.layer = GatedDeltaNet(**sizes, use_short_conv=False, layer_idx=0)

    def forward(self, x):
        return self.layer(x)[0] if x.is_cuda else self.reference(x, self.start(len(x)))[0]

    def start(self, batch):
        part = self.layer.head_dim
        return self.layer.A_log.new_zeros(batch, self.layer.num_heads, part, part)

    def step(self, x, state, t):
        if not x.is_cuda:
            y, state = self.reference(x[:, None], state)
            return y[:, 0], state
        cache = Cache({0: {"recurrent_state": state}})
        y = self.layer(x[:, None], past_key_values=cache, use_cache=True)[0]
        return y[:, 0], cache[0]["recurrent_state"]

    def reference(self, x, state):
        """The layer without its kernels, from `state`."""
        net, heads = self.layer, self.layer.num_heads
        query, key, value = (F.silu(part(x)).unflatten(-1, (heads, -1)) for part in (net.q_proj, net.k_proj, net.v_proj))
        query, key = (part * torch.rsqrt(part.square().sum(-1, keepdim=True) + 1e-6) for part in (query, key))
        decay = -net.A_log.exp() * F.softplus(net.a_proj(x) + net.dt_bias)
        rate = net.b_proj(x).sigmoid()
        y, state = naive_recurrent_gated_delta_rule(
            query, key, value, rate, decay, initial_state=state.mT, output_final_state=True
        )
        y = F.rms_norm(y, y.shape[-1:], net.o_norm.weight, net.o_norm.eps)
        return net.o_proj((y * F.silu(net.g_proj(x)).unflatten(-1, (heads, -1))).flatten(2)), state.mT
