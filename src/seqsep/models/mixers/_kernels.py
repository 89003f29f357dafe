"""Fused kernels of flash-linear-attention (package `fla`), which `forward` of five mixers takes on a GPU if installed.

Each gives what its mixer reads from the state at every token, in the letters of the mixer's docstring, from S_0 = 0:

    linear-attention  S_t^T phi(q_t)                              chunk_simple_gla without decay; z_t and the epsilon are ours
    retention         S_t^T q_t, decay gamma_h                    chunk_simple_gla, g_gamma = log gamma
    mamba2            h_t^T C_t, decay a_t                        chunk_simple_gla, k = B, v = Delta u, q = C, g = log a
    gated-delta       S_t^T q_t                                   chunk_gated_delta_rule, g = log a, beta = b
    rwkv7             S_t r                                       chunk_rwkv7, w = log w, a = -kappa, b = a kappa, k = k~

In all of them a state decays first, then the token is added, then q reads it; `scale` is 1, as ours are scaled before.
q, k and v go in as the narrowest of their types (bfloat16 under autocast), decays and rates as float32.

They are taken for inputs on a CUDA device, but not in float64, nor beyond the limits of the kernels: sizes of a head's keys and
values are even and at least 16, keys at most 256, and rwkv7 in 16 bits only (its kernels warn of float32). `forward_at`, `step`
and `prefill` are the reference everywhere. The environment variable SEQSEP_KERNELS=off keeps the reference: the kernels choose
block sizes by timing, so two processes may differ in rounding, and Triton multiplies float32 as TF32 on GPUs that have it,
unless TRITON_F32_DEFAULT=ieee (the gated delta rule's triangular system is TF32 even then).

Outputs and every gradient agree with the reference in float64, as shares of the greatest value and beyond what the reference
itself loses in that precision, to 1e-5 in float32, 1e-2 if float32 is multiplied as TF32, 2e-2 in float16 and 5e-2 in
bfloat16: measured with Triton's interpreter on a CPU by tests/long_kernels.py (results/verify/kernels-interpreted.json), and
asked of a GPU, if there is one, by tests/models/mixers/test_kernels.py.
"""

import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import torch
from jaxtyping import Float
from torch import Tensor

SWITCH = "SEQSEP_KERNELS"
LEAST_SIZE = 16
MOST_KEYS = 256
HALF = (torch.bfloat16, torch.float16)
TYPES = (torch.float32, *HALF)


@cache
def installed() -> str | None:
    """Return the version of fla's kernels, without importing them; None if they or Triton are not installed."""
    try:
        return version("fla-core") if find_spec("triton") else None
    except PackageNotFoundError:
        return None


def in_use(device: torch.device | str) -> str | None:
    """Return the kernels that mixers on this device use, such as "fla 0.6.0", else None. Results depend on them.

    Raises ValueError for a value of SEQSEP_KERNELS that is not "off" (or empty).

    >>> in_use("cpu") is None
    True
    """
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "off"):
        raise ValueError(f"{SWITCH}={switch}: off, or not set")
    if switch or torch.device(device).type != "cuda" or installed() is None:
        return None
    return f"fla {installed()}"


def usable(key: Float[Tensor, "... key"], value: Float[Tensor, "... value"], types: tuple[torch.dtype, ...] = TYPES) -> bool:
    """Return True if a kernel takes these keys and values, by head."""
    keys = key.shape[-1]
    values = value.shape[-1]
    fits = keys <= MOST_KEYS and all(size >= LEAST_SIZE and size % 2 == 0 for size in (keys, values))
    return fits and value.numel() > 0 and value.dtype in types and in_use(value.device) is not None


def read(
    query: Float[Tensor, "batch time heads key"],
    key: Float[Tensor, "batch time heads key"],
    value: Float[Tensor, "batch time heads value"],
    log_decay: Float[Tensor, "batch time heads"] | Float[Tensor, "heads"] | None = None,
) -> Float[Tensor, "batch time heads value"]:
    """Return S_t^T q_t at every token, S_t = a_t S_{t-1} + k_t v_t^T. The decay may be one for all tokens, or none."""
    from fla.ops.simple_gla import chunk_simple_gla

    name = "g_gamma" if log_decay is not None and log_decay.ndim == 1 else "g"
    decay = {name: None if log_decay is None else log_decay.float()}
    query, key, value = _narrow([query, key, value])
    return chunk_simple_gla(query, key, value, **decay, scale=1.0)[0]


def read_gated_delta(
    query: Float[Tensor, "batch time heads key"],
    key: Float[Tensor, "batch time heads key"],
    value: Float[Tensor, "batch time heads value"],
    log_decay: Float[Tensor, "batch time heads"],
    rate: Float[Tensor, "batch time heads"],
) -> Float[Tensor, "batch time heads value"]:
    """Return S_t^T q_t at every token, S_t = a_t (I - b_t k_t k_t^T) S_{t-1} + b_t k_t v_t^T."""
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    query, key, value = _narrow([query, key, value])
    return chunk_gated_delta_rule(query, key, value, g=log_decay.float(), beta=rate.float(), scale=1.0)[0]


def read_rwkv7(
    query: Float[Tensor, "batch time heads key"],
    log_decay: Float[Tensor, "batch time heads key"],
    removal: Float[Tensor, "batch time heads key"],
    removed: Float[Tensor, "batch time heads key"],
    key: Float[Tensor, "batch time heads key"],
    value: Float[Tensor, "batch time heads key"],
    fastest: float,
) -> Float[Tensor, "batch time heads key"]:
    """Return S_t r at every token, S_t = S_{t-1} (diag(w) - kappa (a * kappa)^T) + v k~^T; `removed` is a * kappa.

    `fastest`: no log w is below -fastest; a small bound lets the kernels use matrix products inside a chunk.
    """
    from fla.ops.rwkv7 import chunk_rwkv7

    query, key, value, removal, removed = _narrow([query, key, value, -removal, removed])
    return chunk_rwkv7(r=query, w=log_decay.float(), k=key, v=value, a=removal, b=removed, scale=1.0, lower_bound=-fastest)[0]


def _narrow(parts: list[Tensor]) -> list[Tensor]:
    """Return all tensors in the narrowest of their types: autocast leaves some of them in float32."""
    narrowest = min((part.dtype for part in parts), key=lambda dtype: dtype.itemsize)
    return [part.to(narrowest) for part in parts]
