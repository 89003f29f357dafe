"""Tests that several mixers share: chunks change no number, and autograd keeps a certain memory of a forward pass."""

from collections.abc import Sequence

import torch

from seqsep.models.mixers import Mixer


def with_spread_parameters(mixer: Mixer, equal: Sequence[torch.nn.Parameter]) -> Mixer:
    """Parameters that begin equal made unequal, and decays slow enough for a chunk to matter to those after it."""
    with torch.no_grad():
        for parameter in equal:
            parameter.add_(0.5 * torch.randn_like(parameter))
        mixer.step_bias.copy_(torch.randn_like(mixer.step_bias))
        mixer.log_rate.copy_(torch.randn_like(mixer.log_rate) - 2)
    return mixer


def results_by_chunk(mixer: Mixer, time: int, chunks: Sequence[int]) -> list[tuple[torch.Tensor, ...]]:
    """Outputs and gradients of the input and every parameter, in float64, for each size of chunk."""
    mixer = mixer.double()
    x = torch.randn(2, time, 8, dtype=torch.float64, requires_grad=True)
    results = []
    for mixer.chunk in chunks:
        y = mixer(x)
        loss = (y * torch.arange(y.numel()).cos().reshape(y.shape)).sum()
        results.append((y, *torch.autograd.grad(loss, (x, *mixer.parameters()))))
    return results


def assert_chunks_change_nothing(mixer: Mixer, time: int) -> None:
    """A chunk of 100 is the whole input, for which no state is carried; shorter ones give the same to 1e-10."""
    whole, *parts = results_by_chunk(mixer, time, (100, 8, 3, 1))
    for part in parts:
        for actual, expected in zip(part, whole, strict=True):
            assert torch.allclose(actual, expected, rtol=1e-10, atol=1e-10)


def assert_forgetting_at_once_is_finite(mixer: Mixer, tolerance: float) -> None:
    """exp of the sum of decays underflows, and its inverse would overflow; nothing is NaN, and float32 is as float64."""
    with torch.no_grad():
        mixer.log_rate.copy_(torch.tensor([8.0, -8.0]))
    x = 3 * torch.randn(2, 30, 8)
    y = mixer(x)
    y.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in mixer.parameters())
    assert torch.allclose(y, mixer.double()(x.double()).float(), rtol=0, atol=tolerance)


def saved(mixer: Mixer, time: int) -> tuple[int, int]:
    """Bytes that a forward pass over inputs of width 8 keeps for backward, and the nodes that autograd records."""
    tensors: dict[int, torch.Tensor] = {}
    with torch.autograd.graph.saved_tensors_hooks(
        lambda part: tensors.setdefault(part.untyped_storage().data_ptr(), part), lambda part: part
    ):
        y = mixer(torch.randn(1, time, 8)).sum()
    seen = set()
    stack = [y.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack += [parent for parent, _ in node.next_functions]
    return sum(part.untyped_storage().nbytes() for part in tensors.values()), len(seen)


def assert_memory_is_linear_and_no_step_is_recorded(mixer: Mixer) -> None:
    """Twice the tokens keep up to twice the bytes, in as many nodes."""
    half, nodes = saved(mixer, 256)
    whole, same = saved(mixer, 512)
    assert nodes == same
    assert 1.8 < whole / half <= 2
