"""Kimi delta attention chunk by chunk: what is read from the state at every token, or the last state alone.

This is `_gated_delta_chunks` with a decay for each coordinate of the keys. With S the state before a chunk and l the sum of log
a up to a token of it, what token i writes solves

    w_i + b_i sum over j < i of ((exp(l_i - l_j) * k_i) . k_j) w_j = b_i (v_i - S^T (exp(l_i) * k_i)).

Decays may be as fast as they like, so exp(-l_j) may overflow. Therefore the exponentials are of differences, a number for each
pair of tokens of a chunk and each coordinate, and chunks are short: memory is the length of a chunk times that of the keys.
Source: Zhang et al. 2025 (arXiv:2510.26692), with states transposed.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._chunks import into_chunks
from seqsep.models.mixers._decay import remaining
from seqsep.models.mixers._gated_delta_chunks import Chunks


def read(
    q: Float[Tensor, "batch time heads key"],
    k: Float[Tensor, "batch time heads key"],
    v: Float[Tensor, "batch time heads value"],
    *,
    log_decay: Float[Tensor, "batch time heads key"],
    b: Float[Tensor, "batch time heads"],
    most: int,
) -> Float[Tensor, "batch time heads value"]:
    """Return S_t^T q_t at every token, in chunks of at most `most` tokens."""
    time = q.shape[1]
    q, k, v, log_decay, b = (_by_chunk(part, most) for part in (q, k, v, log_decay, b))
    total = log_decay.cumsum(-2)
    decay = _decay_between_tokens(total)
    chunks = _solved(k, v, b=b, total=total, decay=decay)
    before = chunks.states_before()
    written = chunks.values - chunks.erased @ before
    result = _products(q, k, decay).tril() @ written + (q * remaining(total)) @ before
    return result.transpose(2, 3).flatten(1, 2)[:, :time]


def last_state(
    k: Float[Tensor, "batch time heads key"],
    v: Float[Tensor, "batch time heads value"],
    *,
    log_decay: Float[Tensor, "batch time heads key"],
    b: Float[Tensor, "batch time heads"],
    most: int,
    first: Float[Tensor, "batch heads key value"] | None = None,
) -> Float[Tensor, "batch heads key value"]:
    """Return S after the last token, from `first` or 0. A token whose log decay and rate are 0 leaves S as it is."""
    k, v, log_decay, b = (_by_chunk(part, most) for part in (k, v, log_decay, b))
    total = log_decay.cumsum(-2)
    chunks = _solved(k, v, b=b, total=total, decay=_decay_between_tokens(total))
    return chunks.arrived[:, -1] + chunks.kept[:, -1] @ chunks.states_before(first)[:, -1]


def _by_chunk(u: Float[Tensor, "batch time heads *part"], most: int) -> Float[Tensor, "batch chunks heads size *part"]:
    return into_chunks(u, most).transpose(2, 3).contiguous()


def _decay_between_tokens(
    total: Float[Tensor, "batch chunks heads size key"],
) -> Float[Tensor, "batch chunks heads size size key"]:
    """Return exp(l_i - l_j) of each coordinate for a token j <= i. For a later token, whose product is dropped, it is 1."""
    size = total.shape[-2]
    is_later = torch.ones(size, size, dtype=torch.bool, device=total.device).triu(1)[..., None]
    return remaining((total[..., :, None, :] - total[..., None, :, :]).masked_fill(is_later, 0))


def _products(
    u: Float[Tensor, "batch chunks heads size key"],
    k: Float[Tensor, "batch chunks heads size key"],
    decay: Float[Tensor, "batch chunks heads size size key"],
) -> Float[Tensor, "batch chunks heads size size"]:
    """Return (decay_ij * u_i) . k_j of each pair of tokens."""
    return (decay * k[..., None, :, :] @ u[..., :, None])[..., 0]


def _solved(
    k: Float[Tensor, "batch chunks heads size key"],
    v: Float[Tensor, "batch chunks heads size value"],
    *,
    b: Float[Tensor, "batch chunks heads size"],
    total: Float[Tensor, "batch chunks heads size key"],
    decay: Float[Tensor, "batch chunks heads size size key"],
) -> Chunks:
    """Return the effect of each chunk, before the state in front of it is known; `total` is l and `decay` exp(l_i - l_j)."""
    b = b[..., None]
    system = (b * _products(k, k, decay)).to(total.dtype)  # the solver reads what is below the diagonal
    right = torch.cat([b * v, b * remaining(total) * k], dim=-1)
    solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    values, erased = solved.split([v.shape[-1], k.shape[-1]], dim=-1)
    whole = total[..., -1:, :]
    keys_at_end = (k * remaining(whole - total)).mT
    kept = torch.diag_embed(remaining(whole[..., 0, :])) - keys_at_end @ erased
    arrived = (keys_at_end @ values).to(total.dtype)  # under autocast the product is 16 bits, the state is not
    return Chunks(values, erased, kept, arrived)
