"""RWKV-7's recurrence chunk by chunk: what is read from the state at every token, or the last state alone.

A chunk has at most 32 tokens. With c_t the sum of log w up to t, S_t = Z_t diag(exp(c_t)) turns the recurrence of `rwkv7`
within a chunk into

    Z_t = Z_{t-1} - u_t (e^(-c_t) a kappa)^T + v_t (e^(-c_t) k~)^T,    u_t = Z_{t-1} e^(c_{t-1}) kappa,

and the u_t solve a unit triangular system. So every chunk is one affine map of the state, and these maps are chained one by
one. Since log w > -0.607, exp(-c_t) stays below 3e8, and taking the decays out costs no digits. States are written transposed,
as key x value.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._chunks import StatesBefore, into_chunks

CHUNK = 32


class Token(NamedTuple):
    """The part of a token in the recurrence; a token of zeros leaves the state as it is."""

    log_decay: Float[Tensor, "*shape heads key"]
    removal: Float[Tensor, "*shape heads key"]
    removed: Float[Tensor, "*shape heads key"]
    key: Float[Tensor, "*shape heads key"]
    value: Float[Tensor, "*shape heads key"]


class UndecayedChunks(NamedTuple):
    """Chunks of tokens without their decays: rows of `onto` are a kappa, then k~, each with its exp(-c_t).

    `unknowns` are [P | R], where u_t = P_t S + R_t with S the state before the chunk; a chunk maps S to maps S + arrived.
    """

    onto: Float[Tensor, "batch chunks heads both key"]
    value: Float[Tensor, "batch chunks heads size key"]
    total: Float[Tensor, "batch chunks heads size key"]
    unknowns: Float[Tensor, "batch chunks heads size answers"]
    maps: Float[Tensor, "batch chunks heads key key"]
    arrived: Float[Tensor, "batch chunks heads key key"]


def read(
    token: Token, first: Float[Tensor, "batch heads key key"], query: Float[Tensor, "batch time heads key"]
) -> Float[Tensor, "batch time heads key"]:
    """Return S_t r at every token, from the state `first`."""
    with torch.autocast(first.device.type, enabled=False):
        chunks = _chunks(token, first)
        before = StatesBefore.apply(first, chunks.maps, chunks.arrived, True)
        into = _by_chunk(query, first) * chunks.total.exp()
        size, part = into.shape[-2:]
        by_removed, by_key = _products(into, chunks.onto, diagonal=0).split(size, dim=-1)
        by_state, inside = (by_removed @ chunks.unknowns).split(part, dim=-1)
        result = (into - by_state) @ before - inside + by_key @ chunks.value
        return result.transpose(2, 3).flatten(1, 2)[:, : query.shape[1]]


def last_state(token: Token, first: Float[Tensor, "batch heads key key"]) -> Float[Tensor, "batch heads key key"]:
    """Return the state after the last token, from the state `first`."""
    with torch.autocast(first.device.type, enabled=False):
        chunks = _chunks(token, first)
        before = StatesBefore.apply(first, chunks.maps, chunks.arrived, True)
        return chunks.maps[:, -1] @ before[:, -1] + chunks.arrived[:, -1]


def _chunks(token: Token, like: Tensor) -> UndecayedChunks:
    """Return each chunk's unknowns and its map of the state, which do not depend on the state before it."""
    log_decay, removal, removed, key, value = (_by_chunk(part, like) for part in token)
    total = log_decay.cumsum(-2)
    size, part = total.shape[-2:]
    into = removal * (total - log_decay).exp()
    onto = torch.cat([removed, key], dim=-2) * (-total).exp().repeat((1, 1, 1, 2, 1))
    products = _products(into, onto, diagonal=-1)
    right = torch.cat([into, products[..., size:] @ value], dim=-1)
    unknowns = torch.linalg.solve_triangular(products[..., :size], right, upper=False, unitriangular=True)
    decay = total[..., -1:, :].exp()
    from_removed, from_keys = (onto * decay).mT.split(size, dim=-1)
    lost, missed = (from_removed @ unknowns).split(part, dim=-1)
    maps = torch.diag_embed(decay[..., 0, :]) - lost
    return UndecayedChunks(onto, value, total, unknowns=unknowns, maps=maps, arrived=from_keys @ value - missed)


def _by_chunk(part: Float[Tensor, "batch time heads key"], like: Tensor) -> Float[Tensor, "batch chunks heads size key"]:
    return into_chunks(part.to(like.dtype), CHUNK).transpose(2, 3).contiguous()


def _products(
    into: Float[Tensor, "*shape size key"], onto: Float[Tensor, "*shape both key"], diagonal: int
) -> Float[Tensor, "*shape size both"]:
    """Return the products of each row with the rows before it (diagonal -1), or up to it (0)."""
    size = into.shape[-2]
    is_before = torch.ones(size, size, dtype=into.dtype, device=into.device).tril(diagonal).repeat(1, 2)
    return into @ onto.mT * is_before
