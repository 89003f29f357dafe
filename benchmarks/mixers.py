"""Training steps of the mixers against peers, in one run: python benchmarks/mixers.py [section ..], all of them by default.

    --json FILE    writes the medians of every comparison, and the processor

    mamba          2 layers, width 256, N = 100, against mambapy and the slow path of transformers' Mamba
    forgetting     mixers alone that forget fast, as trained ones do, against the same as they are drawn
    attention      1 layer, width 64, N = 200 and 400, against transformers' GPT-2: every position asked, and one of them
    linear         linear attention and retention alone, N = 4,096, batch 2, against causal scaled_dot_product_attention
                   between the same projections; and our time for N = 1,024 .. 8,192
    lstm           the mixer alone against torch.nn.LSTM, N = 100
    tracking       the mixers of state tracking alone, N = 1,024, batch 2, against causal attention as above, and against peers:
                   transformers' xLSTM layer for mlstm, xlstm's layer in plain PyTorch for slstm, transformers' layer of OLMo
                   hybrid for gated-delta(negative), transformers' Mamba-2, which has no rotation, for rotation, and fla's
                   recurrences in plain PyTorch, between projections like ours, for kda and gated-delta(steps=2)
    matrices       our product by a weight matrix (mixers/_linear.py) against F.linear and other supported ways
    steps          whole training steps with our products against the same with SEQSEP_PRODUCTS=off: every mixer that is
                   trained, 2 layers of width 256, N = 100, and attention, 1 layer of width 64, N = 200 and 400

A step is forward, the mean square of the output as loss, backward and a fused Adam; float32, batch 64 where nothing is said.
Each side is a process of its own with a heap of its own. The sides take turns, A B A B; printed are medians of CPU and wall
seconds a step, the medians' ratio to ours, and each process's peak memory (imports included, about 0.3 GiB).
All sides run in the environment of a worker of a sweep (one thread, no spinning, a glibc that keeps freed memory): variables
that are set already stay as they are, so OMP_NUM_THREADS=2 gives two threads; --glibc leaves out the MALLOC_ variables.
Peers: pip install transformers flash-linear-attention triton; pip install --no-deps mambapy xlstm. One that cannot be imported
is reported and left out.
"""

import argparse
import importlib
import importlib.util
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Step = Callable[[], object]
SECONDS_A_TURN = 0.3
ROUNDS = 9
MEASURED: dict[str, dict[str, dict[str, float]]] = {}
"""CPU and wall milliseconds of each side, by comparison."""


def clocks(call: Step, count: int) -> tuple[float, float]:
    """CPU and wall seconds of one call, as the mean of several in a row."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(count):
        call()
    return (time.process_time() - cpu) / count, (time.perf_counter() - wall) / count


def serve(connection: Connection, side: str, arguments: dict[str, Any]) -> None:
    """One side's process: build its step, warm it up, then take turns; the last answer is the peak memory in GiB."""
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(0)
    step: Step = getattr(importlib.import_module("_peers"), side)(**arguments)
    step()
    cpu, _ = clocks(step, 1)
    connection.send(torch.get_num_threads())
    while connection.recv():
        connection.send(clocks(step, max(1, round(SECONDS_A_TURN / cpu))))
    connection.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "linux" else 1 << 30))


@dataclass(frozen=True)
class Side:
    """A name to print, the function of _peers.py that builds the step, and the package it needs."""

    name: str
    build: str
    arguments: dict[str, Any]
    package: str = "torch"


def compare(title: str, ours: Side, *peers: Side, rounds: int = ROUNDS) -> float:
    """Print one line a side; returns our CPU seconds."""
    sides = [side for side in (ours, *peers) if importlib.util.find_spec(side.package)]
    context, connections, processes = get_context("spawn"), [], []
    for side in sides:
        here, there = context.Pipe()
        processes.append(context.Process(target=serve, args=(there, side.build, side.arguments), daemon=True))
        processes[-1].start()
        connections.append(here)
        threads = here.recv()
    turns: list[list[tuple[float, float]]] = [[] for _ in sides]
    for _ in range(rounds):
        for connection, found in zip(connections, turns, strict=True):
            connection.send(True)
            found.append(connection.recv())
    print(f"{title} ({threads} thread{'s' * (threads > 1)})", flush=True)
    first = first_wall = 0.0
    for side, connection, process, found in zip(sides, connections, processes, turns, strict=True):
        connection.send(False)
        memory = connection.recv()
        process.join()
        cpu, wall = (statistics.median(turn[clock] for turn in found) for clock in (0, 1))
        first, first_wall = first or cpu, first_wall or wall
        MEASURED.setdefault(title, {})[side.name] = {"CPU ms": round(1e3 * cpu, 3), "wall ms": round(1e3 * wall, 3)}
        ratio = "" if side is ours else f"   ratio {cpu / first:6.2f} (wall {wall / first_wall:.2f})"
        print(f"    {side.name:<34} CPU {1e3 * cpu:9.2f} ms  wall {1e3 * wall:9.2f} ms  {memory:5.2f} GiB{ratio}", flush=True)
    for side in peers:
        if side not in sides:
            print(f"    {side.name:<34} not installed", flush=True)
    return first


def mamba() -> None:
    shape = {"width": 256, "length": 100, "layers": 2}
    compare(
        "mamba: 2 layers, width 256, N = 100, batch 64, every position",
        Side("seqsep", "mamba", shape),
        Side("mambapy", "mambapy_mamba", shape, "mambapy"),
        Side("transformers, slow path", "transformers_mamba", shape, "transformers"),
        rounds=5,
    )


def forgetting() -> None:
    for name in ("Mamba", "Mamba2", "GatedDelta"):
        shape = {"name": name, "width": 64, "length": 100, "batch": 64}
        compare(
            f"{name}: the mixer alone, width 64, N = 100, batch 64",
            Side("as drawn", "mixer", shape),
            Side("rates e^6 as high", "mixer", shape | {"faster": 6.0}),
        )


def attention() -> None:
    for length in (200, 400):
        for one in (False, True):
            shape = {"width": 64, "length": length, "one": one}
            compare(
                f"attention: 1 layer, width 64, 4 heads, N = {length}, batch 64, {'one position' if one else 'every position'}",
                Side("seqsep", "attention", shape),
                Side("transformers' GPT-2", "transformers_gpt2", shape, "transformers"),
            )


def linear() -> None:
    for width in (64, 256):
        for name in ("LinearAttention", "Retention"):
            shape = {"width": width, "length": 4096}
            compare(
                f"{name}: the mixer alone, width {width}, 4 heads, N = 4,096, batch 2",
                Side("seqsep", "mixer", {"name": name, **shape}),
                Side("scaled_dot_product_attention", "causal_attention", shape),
            )
    for name in ("LinearAttention", "Retention"):
        for length in (1024, 2048, 4096, 8192):
            side = Side("seqsep", "mixer", {"name": name, "width": 64, "length": length})
            seconds = compare(f"{name}: the mixer alone, width 64, 4 heads, N = {length:,}, batch 2", side)
            print(f"    {1e6 * seconds / length:.1f} us CPU a position", flush=True)


def lstm() -> None:
    for width in (64, 256):
        shape = {"width": width, "length": 100}
        compare(
            f"lstm: the mixer alone, width {width}, N = 100, batch 64",
            Side("seqsep", "lstm", shape),
            Side("torch.nn.LSTM", "torch_lstm", shape),
        )


def tracking() -> None:
    shape = {"width": 64, "length": 1024}
    peers = {
        "MLSTM": [Side("transformers' xLSTM layer", "transformers_mlstm", shape, "transformers")],
        "SLSTM": [Side("xlstm, plain PyTorch", "xlstm_slstm", shape, "xlstm")],
        "KDA": [Side("fla, plain PyTorch", "fla_kda", shape, "fla")],
        "GatedDelta(negative)": [Side("transformers' OLMo hybrid layer", "transformers_gated_delta", shape, "transformers")],
        "GatedDelta(steps=2, negative)": [Side("fla, plain PyTorch, a loop", "fla_delta_product", shape, "fla")],
        "Rotation": [Side("transformers' Mamba-2 layer", "transformers_mamba2", shape, "transformers")],
    }
    settings = {"GatedDelta(negative)": {"negative": True}, "GatedDelta(steps=2, negative)": {"negative": True, "steps": 2}}
    for name in peers:
        compare(
            f"{name}: the mixer alone, width 64, 4 heads, N = 1,024, batch 2",
            Side("seqsep", "mixer", {"name": name.partition("(")[0], "settings": settings.get(name), **shape}),
            Side("scaled_dot_product_attention", "causal_attention", shape),
            *peers[name],
            rounds=5,
        )


def matrices() -> None:
    for rows, into, out in ((12800, 64, 64), (12800, 64, 256), (6400, 256, 1024), (6400, 512, 256)):
        for backward in (False, True):
            shape = {"rows": rows, "into": into, "out": out, "backward": backward}
            seconds = compare(
                f"matrices: {rows} x {into} by {into} x {out}, {'forward and backward' if backward else 'forward'}",
                Side("seqsep", "linear", shape),
                Side("F.linear", "torch_linear", shape),
                Side("matrix product without the bias", "product", shape),
                *([] if backward else [Side("F.linear of to_mkldnn() (oneDNN)", "to_mkldnn", shape)]),
            )
            print(f"    seqsep: {2 * rows * into * out * (3 if backward else 1) / seconds / 1e9:.0f} GFLOP/s", flush=True)


def steps() -> None:
    from seqsep.models.mixers import MIXERS

    sizes = [(mixer.name, 256, 2, 100) for mixer in MIXERS] + [("attention", 64, 1, 200), ("attention", 64, 1, 400)]
    for mixer, width, layers, length in sizes:
        shape = {"mixer": mixer, "width": width, "layers": layers, "length": length}
        compare(
            f"steps: {mixer}, {layers} x {width}, N = {length}, batch 64, every position",
            Side("seqsep", "model", shape),
            Side("with SEQSEP_PRODUCTS=off", "model", shape | {"products": "off"}),
            rounds=5,
        )


SECTIONS = {section.__name__: section for section in (mamba, forgetting, attention, linear, lstm, tracking, matrices, steps)}


def written(path: Path) -> None:
    """Write what was measured, with what the products here are and how far one of them is from float64's."""
    from seqsep.lab.device import processor
    from seqsep.models.mixers import _linear

    error = _linear._error_of_a_trial()
    found = {**processor(), "threads": int(os.environ["OMP_NUM_THREADS"]), "largest error of a trial product": error}
    path.write_text(json.dumps(found | {"medians": MEASURED}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    from seqsep.lab.engines.local import WORKER_ENVIRONMENT

    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--glibc", action="store_true", help="leave out the MALLOC_ variables of a worker")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the medians to a file")
    options = parser.parse_args()
    for name, value in WORKER_ENVIRONMENT.items():  # read once, when a process starts: by the sides, not by this one
        if not (name.startswith("MALLOC_") and options.glibc):
            os.environ.setdefault(name, value)
    os.environ["HF_HUB_OFFLINE"] = "1"
    print(" ".join(f"{name}={os.environ.get(name, '')}" for name in WORKER_ENVIRONMENT), flush=True)
    for name in options.sections or SECTIONS:
        SECTIONS[name]()
    if options.json is not None:
        written(options.json)


if __name__ == "__main__":
    main()
