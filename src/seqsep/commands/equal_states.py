"""`--state-bits` of `seqsep train`: for each model, the greatest width whose state and cache have at most this many bits."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import torch

from seqsep.core.names import BadInput
from seqsep.lab.run import Run
from seqsep.models.mixers.settings import fault_of_sizes, has_heads
from seqsep.models.plugins.name import shown

MOST_WIDTH = 1 << 14


def with_state_bits(runs: Sequence[Run], bits: int) -> list[Run]:
    """Return each run with the greatest width at which state and cache have at most `bits` bits after `length` tokens.

    A width is a multiple of the heads, if a layer has heads. Raises BadInput for a run whose least width has more bits, and
    PlugInFails for a layer of the reader that does not build.

    >>> from seqsep.tasks import IndexLookup
    >>> [run.width for run in with_state_bits([Run(IndexLookup(16), (name,), 64) for name in ("lstm", "attention")], 8192)]
    [128, 8]
    """
    return [replace(run, width=_width(replace(run, width=1, seed=0, learning_rate=1e-3), bits)) for run in runs]


@cache
def _width(run: Run, bits: int) -> int:
    step = run.heads * (2 if run.positions == "rope" else 1) if has_heads(run.layers) else 1
    widths = [step]
    while _fits(run, widths[-1], bits) and widths[-1] < MOST_WIDTH:
        widths.append(2 * widths[-1])
    if len(widths) == 1:
        least = state_bits(run, step)
        what = f"{'+'.join(map(shown, run.layers))} at N = {run.task.length}"
        fewer = f"; choose more bits, or fewer than {run.heads} --heads" if step > 1 else "; choose more bits"
        raise BadInput(
            f"--state-bits {bits}: {what}: the least width, {step}, has a state and a cache of {least:,} bits{fewer}"
        )
    low = widths[-2] // step
    high = widths[-1] // step
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(run, middle * step, bits):
            low = middle
        else:
            high = middle
    return low * step


def _fits(run: Run, width: int, bits: int) -> bool:
    if any(isinstance(layer, str) and fault_of_sizes(layer, width, run.heads) for layer in run.layers):
        return True  # a larger width may be possible; the sizes are checked before the runs begin
    return state_bits(run, width) <= bits


def state_bits(run: Run, width: int) -> int:
    """Return the bits of a run's state and cache at another width, after `length` tokens.

    >>> from seqsep.tasks import IndexLookup
    >>> state_bits(Run(IndexLookup(16), ("attention",), 8), width=8)
    8192
    """
    with torch.random.fork_rng(devices=[]):
        fixed, per_token = replace(run, width=width).model().state_bits()
    return fixed + per_token * run.task.length


def in_words(runs: Sequence[Run], bits: int) -> list[str]:
    """Return a line for each model and length: the width that was chosen, and the bits of its state and cache."""
    lines = {}
    for run in runs:
        name = f"{'+'.join(map(shown, run.layers))} {run.task.label()} N={run.task.length}"
        one = replace(run, seed=0, learning_rate=1e-3)
        lines[name, run.width] = f"{name}: width {run.width}, state and cache {state_bits(one, run.width):,} of {bits:,} bits"
    return list(lines.values())
