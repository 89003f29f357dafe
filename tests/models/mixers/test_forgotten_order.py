"""Layers that forget the order of tokens, or tokens of long ago: linear attention, retention and DSS."""

import math

import pytest
import torch

from seqsep.models.mixers import DSS, LinearAttention, Retention


def last_state(layer, x):
    return torch.cat([part.flatten() for part in layer.prefill(x, layer.start(1), 0)])


@pytest.mark.unchecked
def test_a_state_of_linear_attention_forgets_the_order():
    """So without positions it recognises commutative languages only. The state of retention has the order."""
    torch.manual_seed(0)
    x = torch.randn(1, 50, 8, dtype=torch.float64)
    mixed = x[:, torch.randperm(50)]
    for layer, is_symmetric in ((LinearAttention(8, 2), True), (Retention(8, 2), False)):
        layer.double()
        assert torch.allclose(last_state(layer, x), last_state(layer, mixed), rtol=0, atol=1e-12) is is_symmetric


@pytest.mark.unchecked
@pytest.mark.parametrize("bits", [8, 24])
def test_retention_forgets_after_a_number_of_tokens(bits):
    """A decay g leaves less than 2^-bits of a token after ln(2^bits) / (1 - g) others, in each head."""
    torch.manual_seed(0)
    layer = Retention(8, 2).double()
    first = torch.zeros(1, 1, 8, dtype=torch.float64)
    first[0, 0, 0] = 1
    written = layer.prefill(first, layer.start(1), 0)[0]
    for head, decay in enumerate(layer.decay.tolist()):
        later = math.ceil(bits * math.log(2) / (1 - decay))
        nothing = torch.zeros(1, later, 8, dtype=torch.float64)
        left = layer.prefill(torch.cat([first, nothing], dim=1), layer.start(1), 0)[0][0, head]
        share = float((left.abs().max() / written[0, head].abs().max()).detach())
        assert 0.7 * 2.0**-bits < share <= 2.0**-bits


@pytest.mark.unchecked
def test_dss_forgets_every_token():
    """Each factor of its state is below 1 in size, whatever the tokens are."""
    torch.manual_seed(0)
    layer = DSS(4).double()
    first = torch.randn(1, 1, 4, dtype=torch.float64)
    sizes = []
    for later in (0, 2000, 4000):
        x = torch.cat([first, torch.zeros(1, later, 4, dtype=torch.float64)], dim=1)
        sizes.append(float(last_state(layer, x).detach().abs().max()))
    assert sizes[0] > sizes[1] > sizes[2] > 0
