"""Mixers by the kernels of flash-linear-attention beside their reference, interpreted on a CPU. A row of results/verify.

Triton's interpreter runs the package's own kernels, block by block, in NumPy: conventions, masks, padding and gradients are
theirs; what a GPU's compiler and its order of summing do is not seen here. `tf32` and `bfloat16` round the factors of every
product inside the kernels as tensor cores read them, cut to 10 bits and rounded to 7; `float16` is the layer under autocast,
since the interpreter has no bfloat16 numbers.

Three layers of state tracking are there too. For `gated-delta(negative)` the kernel is that of `gated-delta`. For
`gated-delta(steps=2, negative)` it is `chunk_gated_delta_product`, which refuses float32, and for `kda` it is `chunk_kda`. Our
layers do not take these two, so they replace the reference between the same projections.
"""

import copy
import itertools
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from seqsep.models.mixers import KDA, RWKV7, GatedDelta, LinearAttention, Mamba2, Mixer, Retention, _kda_chunks, _kernels
from seqsep.theorems import Claim, Outcome

NAME = "kernels-interpreted"
WORDS = "outputs and gradients by the kernels beside the reference in float64, shares of the greatest value"
MEMBERS = ("gated_delta", "kda", "linear_attention", "mamba2", "retention", "rwkv7")
PARTS = ("_chunks", "_decay", "_gated_delta_chunks", "_kda_chunks", "_kernels", "_rwkv7_chunks", "_short_convolution")
SOURCES = tuple(f"models/mixers/{name}.py" for name in sorted(MEMBERS + PARTS))
# By precision: shares of the greatest value, beyond what the reference itself loses in it. The kernels of rwkv7 solve a
# system in float16 whatever they are given.
TOLERANCES = {"float32": 1e-5, "tf32": 1e-2, "float16": 2e-2, "bfloat16": 5e-2}
RWKV7_FLOAT32 = 2e-3
FACTORS = {"tf32": (10, 0), "bfloat16": (7, 1)}
MIXERS: tuple[type[Mixer], ...] = (LinearAttention, Retention, Mamba2, GatedDelta, RWKV7)
TRACKING: dict[str, tuple[str, Callable[[int, int], Mixer]]] = {
    "gated-delta(negative)": ("float32", partial(GatedDelta, negative=True)),
    "gated-delta(steps=2, negative)": ("float16", partial(GatedDelta, steps=2, negative=True)),
    "kda": ("float32", KDA),
}
"""Layers of state tracking, and the precision of their cases."""
SIZES = ((16, 1), (32, 2), (48, 2))  # width and heads: heads of 16 coordinates, and of 24, which no block divides
LENGTHS = (1, 17, 70, 130)  # a token, less than a chunk of 64, more than one and more than two
READS = ("read", "read_gated_delta", "read_rwkv7")


def missing() -> str | None:
    """Why nothing can be interpreted here, in words; None where it can."""
    absent = [name for name in ("triton", "fla") if find_spec(name) is None]
    return f"{' and '.join(absent)} not installed (pip install flash-linear-attention triton)" if absent else None


def layer(kind: Callable[[int, int], Mixer], width: int, heads: int) -> Mixer:
    """With parameters moved off the values, such as 0 and 1, that would hide their part, and decays that outlive a chunk."""
    torch.manual_seed(0)
    made = kind(width, heads)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
            if name == "log_rate":
                parameter.copy_(torch.randn_like(parameter) - 1)
        if isinstance(made, Retention):  # q . k kept off 0, by which its norm divides; so small that the norm shows scales
            made.key.weight.copy_(made.query.weight + 0.3 * made.key.weight)
            made.value.weight.mul_(0.03)
    return made


def gradients(made: Mixer, x: Tensor, autocast: torch.dtype | None = None) -> dict[str, Tensor]:
    """Outputs, and what one weighing of them sends back to the input and to every parameter, all in float64."""
    made.zero_grad()
    x = x.detach().requires_grad_()
    with torch.autocast(x.device.type, autocast, enabled=autocast is not None):
        y = made(x)
    weigh = torch.randn(y.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    (y.double() * weigh.to(y.device)).sum().backward()
    parts = {"output": y, "input": x.grad} | {name: part.grad for name, part in made.named_parameters()}
    assert all(part is not None for part in parts.values())
    return {name: part.detach().double() for name, part in parts.items()}


def differences(made: Mixer, time: int, autocast: torch.dtype | None = None, device: str = "cpu") -> dict[str, float]:
    """Of float32 or autocast from float64, which never takes a kernel, as shares of the greatest value of each part.

    A gradient that all but vanishes, as that of a decay at the first token, counts as a share of a tenth of the greatest one.
    """
    torch.manual_seed(time)
    x = torch.randn(2, time, made.output.out_features)
    on_gpu = gradients(copy.deepcopy(made).to(device), x.to(device), autocast)
    wanted = gradients(copy.deepcopy(made).double(), x.double())
    least = 0.1 * max(float(part.abs().max()) for name, part in wanted.items() if name != "output")
    return {
        name: float((on_gpu[name].cpu() - part).abs().max()) / max(least * (name != "output"), float(part.abs().max()))
        for name, part in wanted.items()
    }


def interpret() -> list[str]:
    """Make the kernels run here, and the mixers take them. Returns a list that gets the name of every kernel call."""
    import fla.ops.gated_delta_product
    import fla.ops.gated_delta_rule
    import fla.ops.kda
    import fla.ops.rwkv7
    import fla.ops.simple_gla  # noqa: F401

    from seqsep.language_models.loader.flash_linear import interpret_kernels

    interpret_kernels()
    _kernels.in_use = lambda device: "fla"
    _kernels.HALF = _kernels.TYPES
    return count_calls(setattr)


def count_calls(replace: Callable[[Any, str, Any], None]) -> list[str]:
    """A list that from now on gets the name of every kernel call."""
    calls: list[str] = []

    def counted(name: str, inner: Callable[..., Tensor]) -> Callable[..., Tensor]:
        return lambda *parts, **options: (calls.append(name), inner(*parts, **options))[1]

    for name in READS:
        replace(_kernels, name, counted(name, getattr(_kernels, name)))
    return calls


def round_factors(bits: int, up: int) -> None:
    """Factors of float32 products keep this many bits of their fractions; `up` = 1 rounds to the nearest, 0 cuts."""
    from triton.runtime import interpreter

    whole, lost = interpreter.InterpreterBuilder.create_dot, 23 - bits

    def kept(data: np.ndarray) -> np.ndarray:
        if data.dtype != np.float32:
            return data
        words = np.ascontiguousarray(data).view(np.uint32) + np.uint32(up << (lost - 1))
        return (words >> np.uint32(lost) << np.uint32(lost)).view(np.float32)

    def create_dot(self: Any, a: Any, b: Any, d: Any, precision: Any, most: Any) -> Any:
        a, b = (interpreter.TensorHandle(kept(part.data), part.dtype) for part in (a, b))
        return whole(self, a, b, d, precision, most)

    interpreter.InterpreterBuilder.create_dot = create_dot


def measure(precision: str, sizes: list[tuple[int, int]], lengths: list[int]) -> Iterator[dict[str, Any]]:
    """The greatest difference of every case, and that of the reference itself in the same precision."""
    calls = interpret()
    if precision in FACTORS:
        round_factors(*FACTORS[precision])
    autocast = torch.float16 if precision == "float16" else None
    usable = _kernels.usable
    kinds: dict[str, Callable[[int, int], Mixer]] = {kind.name: kind for kind in MIXERS}
    kinds |= {name: kind for name, (only, kind) in TRACKING.items() if only == precision}
    for (name, kind), (width, heads), time in itertools.product(kinds.items(), sizes, lengths):
        calls.clear()
        made = layer(kind, width, heads)
        with other_kernels(name, calls):
            shares = differences(made, time, autocast)
        assert len(calls) == 1, (name, calls)
        _kernels.usable = lambda *parts: False
        own = differences(made, time, autocast)
        _kernels.usable = usable
        worst = max(shares, key=lambda name: shares[name])
        case = {"mixer": name, "precision": precision, "width": width, "heads": heads, "length": time}
        yield case | {
            "of": worst,
            "difference": shares[worst],
            "own": max(own.values()),
            "tolerance": tolerance(name, precision),
        }


@contextmanager
def other_kernels(name: str, calls: list[str]) -> Iterator[None]:
    """Put fla's kernels of DeltaProduct and KDA, which no layer of ours takes, in place of the reference in float32."""
    from fla.ops.gated_delta_product import chunk_gated_delta_product
    from fla.ops.kda import chunk_kda

    reference = _kda_chunks.read

    def kda(q: Tensor, k: Tensor, v: Tensor, *, log_decay: Tensor, b: Tensor, most: int) -> Tensor:
        if q.dtype == torch.float64:
            return reference(q, k, v, log_decay=log_decay, b=b, most=most)
        calls.append("chunk_kda")
        return chunk_kda(q, k, v, g=log_decay, beta=b, scale=1.0)[0]

    def product(q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, rate: Tensor) -> Tensor:
        calls.append("chunk_gated_delta_product")
        options = {"g": log_decay[:, ::2], "beta": rate, "num_householder": 2, "scale": 1.0}
        return chunk_gated_delta_product(q[:, 1::2], k, v, **options)[0].repeat_interleave(2, dim=1)

    with ExitStack() as stack:
        if name == "kda":
            stack.enter_context(patch.object(_kda_chunks, "read", kda))
        if "steps=2" in name:
            stack.enter_context(patch.object(_kernels, "read_gated_delta", product))
        yield


def tolerance(name: str, precision: str) -> float:
    return RWKV7_FLOAT32 if name == RWKV7.name and precision == "float32" else TOLERANCES[precision]


def interpreted(precision: str, sizes: tuple[tuple[int, int], ...], lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    """`measure` in a process of its own, since Triton decides at its import whether it interprets."""
    command = [sys.executable, __file__, json.dumps([precision, sizes, lengths])]
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{NAME}: {done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def verify() -> list[Outcome]:
    """Float32 in every size at every length; other precisions in one size at one length. An outcome for each mixer in each."""
    cases = interpreted("float32", SIZES, LENGTHS)
    for precision in ("tf32", "float16", "bfloat16"):
        cases += interpreted(precision, SIZES[1:2], LENGTHS[2:3])
    packages = ", ".join(f"{name} {version(name)}" for name in ("fla-core", "triton", "torch"))
    outcomes = []
    for (precision, name), group in itertools.groupby(cases, key=lambda case: (case["precision"], case["mixer"])):
        same = list(group)
        most = max(same, key=lambda case: case["difference"])
        words = (
            f"{name}, {precision}: {WORDS}; greatest difference {most['difference']:.1e} (of {most['of']}), that of the "
            f"reference itself {max(case['own'] for case in same):.1e}, tolerance {most['tolerance']:.0e}; {packages}"
        )
        over = sum(case["difference"] > case["tolerance"] + case["own"] for case in same)
        longest = max(case["length"] for case in same)
        measured, holds = {"failures": over}, not over
        outcomes.append(
            Claim(NAME, "tests/long_kernels.py", words).lower(
                length=longest,
                inputs=len(same),
                measured=measured,
                bound={"failures": 0},
                variant=words,
                holds=holds,
            )
        )
    return outcomes


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for row in measure(*json.loads(sys.argv[1])):
        print(json.dumps(row), flush=True)
