"""sLSTM's loop over time inside one autograd function, with the gradient written by hand.

Autograd records one node at every length. What is kept for backward is the gates and the states, a few numbers for each
coordinate and token. The scale m has no gradient: c and n hold the same factor exp(-m), so that h does not depend on it.
"""

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class ScalarMemory(NamedTuple):
    """The state: h, c and n times exp(-m), and m."""

    hidden: Float[Tensor, "batch width"]
    cell: Float[Tensor, "batch width"]
    normaliser: Float[Tensor, "batch width"]
    scale: Float[Tensor, "batch width"]


class Gates(NamedTuple):
    """The gates of a token: i and f with the scale taken out, z and o, and the derivative of log sigmoid at f's argument."""

    enter: Float[Tensor, "batch width"]
    forget: Float[Tensor, "batch width"]
    candidate: Float[Tensor, "batch width"]
    output: Float[Tensor, "batch width"]
    forget_slope: Float[Tensor, "batch width"]


def advance(raw: Float[Tensor, "batch four_width"], before: ScalarMemory) -> tuple[ScalarMemory, Gates]:
    """Return the state after a token and its gates. `raw`: arguments of i, f, z and o, with what comes from h."""
    enter, forget, candidate, output = raw.chunk(4, dim=-1)
    kept = F.logsigmoid(forget) + before.scale
    scale = torch.where(before.normaliser == 0, enter, torch.maximum(kept, enter)).detach()
    gates = Gates(
        torch.exp(enter - scale),
        torch.exp((kept - scale).clamp(max=0)),  # above 0 only before the first token, when there is nothing to keep
        torch.tanh(candidate),
        torch.sigmoid(output),
        forget_slope=torch.sigmoid(-forget),
    )
    cell = gates.forget * before.cell + gates.enter * gates.candidate
    normaliser = gates.forget * before.normaliser + gates.enter
    return ScalarMemory(gates.output * cell / normaliser, cell, normaliser, scale), gates


def from_hidden(hidden: Float[Tensor, "batch width"], recurrent: Float[Tensor, "heads four part part"]) -> Tensor:
    """Return R h: per head and gate a matrix, gates side by side as in the arguments."""
    by_head = hidden.view(len(hidden), len(recurrent), -1)
    return torch.einsum("hgij,bhj->bghi", recurrent, by_head).flatten(1)


class Scan(torch.autograd.Function):
    """h after every token, and c, n and m after the last one, from arguments of the gates without what comes from h."""

    @staticmethod
    def forward(
        ctx: Any,
        arguments: Float[Tensor, "batch time four_width"],
        recurrent: Float[Tensor, "heads four part part"],
        *first: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        states = [ScalarMemory(*first)]
        gates = []
        for token in arguments.unbind(1):
            state, of_token = advance(token + from_hidden(states[-1].hidden, recurrent), states[-1])
            states.append(state)
            gates.append(of_token)
        kept = [torch.stack(parts) for parts in zip(*states, strict=True)][:3]
        ctx.save_for_backward(recurrent, *kept, *(torch.stack(parts) for parts in zip(*gates, strict=True)))
        last = states[-1]
        ctx.mark_non_differentiable(last.cell, last.normaliser, last.scale)
        return kept[0][1:].transpose(0, 1).contiguous(), last.cell, last.normaliser, last.scale

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, ...]:
        recurrent, hidden, cell, normaliser, *gates = ctx.saved_tensors
        of_outputs = gradients[0]
        of_arguments = [torch.empty(0)] * len(gates[0])
        of_hidden, of_cell, of_normaliser = (torch.zeros_like(hidden[0]) for _ in range(3))
        for t in reversed(range(len(gates[0]))):
            enter, forget, candidate, output, slope = (part[t] for part in gates)
            ratio = cell[t + 1] / normaliser[t + 1]
            of_hidden = of_hidden + of_outputs[:, t]
            through = of_hidden * output / normaliser[t + 1]
            of_cell = of_cell + through
            of_normaliser = of_normaliser - through * ratio
            of_enter = (of_cell * candidate + of_normaliser) * enter
            of_forget = (of_cell * cell[t] + of_normaliser * normaliser[t]) * forget * slope
            of_candidate = of_cell * enter * (1 - candidate.square())
            of_output = of_hidden * ratio * output * (1 - output)
            of_arguments[t] = torch.cat([of_enter, of_forget, of_candidate, of_output], dim=-1)
            of_hidden = _onto_hidden(of_arguments[t], recurrent)
            of_cell = of_cell * forget
            of_normaliser = of_normaliser * forget
        stacked = torch.stack(of_arguments, dim=1)
        by_gate = stacked.view(*stacked.shape[:2], 4, len(recurrent), -1)
        before = hidden[:-1].view(*hidden[:-1].shape[:2], len(recurrent), -1)
        of_recurrent = torch.einsum("btghi,tbhj->hgij", by_gate, before)
        return stacked, of_recurrent, None, None, None, None


def _onto_hidden(of_arguments: Float[Tensor, "batch four_width"], recurrent: Float[Tensor, "heads four part part"]) -> Tensor:
    by_gate = of_arguments.view(len(of_arguments), 4, len(recurrent), -1)
    return torch.einsum("hgij,bghi->bhj", recurrent, by_gate).flatten(1)
