"""Layers that forget: the order of tokens, tokens of long ago, or a sign. Linear attention, retention, DSS and RWKV-7."""

import math

import pytest
import torch

from seqsep.models.mixers import DSS, RWKV7, LinearAttention, Retention


def last_state(layer, x):
    return torch.cat([part.flatten() for part in layer.prefill(x, layer.start(1), 0)])


@pytest.mark.unchecked
def test_linear_attention_is_symmetric_in_the_tokens():
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


def transitions(ours, count):
    """diag(w) - kappa (a * kappa)^T of each head, for random inputs."""
    x = torch.randn(count, ours.bonus.shape[0], dtype=torch.float64)
    token = ours._token(x, torch.zeros_like(x))[0]
    outer = token.removed[..., :, None] * token.removal[..., None, :]
    return torch.diag_embed(token.log_decay.exp()) - outer


@pytest.mark.unchecked
def test_eigenvalues_are_real_and_a_negative_one_dies():
    """They are above e^(-e^(-1/2)) - 1 = -0.4548, so the size of a number whose sign changes halves at each token."""
    least = math.exp(-math.exp(-0.5)) - 1
    assert least == pytest.approx(-0.4548, abs=1e-4)
    torch.manual_seed(0)
    ours = RWKV7(8, 4).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        ours.decay_out.bias.fill_(9)
        ours.rate_out.bias.fill_(9)
    found = torch.linalg.eigvals(transitions(ours, 2000))
    assert found.imag.abs().max() < 1e-9
    assert least < found.real.min() < -0.45
    assert 2.0**-24 < abs(least) ** 21 < 2.0**-23
    assert abs(least) ** 22 < 2.0**-24
