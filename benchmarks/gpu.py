"""What a GPU gains, and how many runs it takes at once: python benchmarks/gpu.py [steps] [kernels] [together], by default all.

    steps       whole training steps as a CUDA graph (lab/graphed_step.py) and launched one by one, in turns, A B A B: those of
                `together`, and every mixer that is trained, 2 layers of width 256, N = 100, batch 64, float32, every
                position asked; of these one thread of the processor too.
    kernels     the same, launched one by one, with the kernels of flash-linear-attention and without, float32 and bfloat16.
                The first step compiles them and tries block sizes.
    together    the same run 1, 2, 4, 8 and 16 times at once on one GPU, each in a process of its own: steps a second of all of
                them. Four kinds of run: the paper's attention (1 x 64), linear attention and Mamba (6 x 256) at N = 20, and a
                hybrid of IsTree (4 x 64, 157 tokens).

Medians of wall seconds. Processes are set up as a sweep sets up its workers: one thread, products of float32 in float32, and
operations that are deterministic where such are to be had.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

WIDTH, LAYERS, LENGTH = 256, 2, 100
ROUNDS, SECONDS_A_TURN = 5, 0.3
AT_ONCE, SECONDS_TOGETHER = (1, 2, 4, 8, 16), 3.0
HYBRID = "mamba+mamba+mamba+attention is-tree cot N=32 rate 0.003 seed 0"
Step = Callable[[], object]


def set_up(device: str) -> None:
    """This process as a worker of a sweep on that device."""
    from seqsep.lab.device import prepare, variables
    from seqsep.lab.engines.local import WORKER_ENVIRONMENT

    os.environ.update(WORKER_ENVIRONMENT | variables(device, []))
    prepare(device)


def step_of(run: Any, device: str, graphs: bool = False) -> Step:
    """One training step of a run, on one batch that is drawn beforehand."""
    import torch

    from seqsep.lab.graphed_step import GraphedStep
    from seqsep.lab.step import step_once

    model = run.model().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    batch = run.task.sample(0, run.batch, 0)
    if graphs:
        graphed = GraphedStep(run, model, optimizer)
        return lambda: graphed(batch=batch, step=1)
    return lambda: step_once(run, model, optimizer, batch=batch, step=1)


def run_of(mixer: str, dtype: str = "float32") -> Any:
    from seqsep.lab.run import Run
    from seqsep.tasks import Equality

    return Run(Equality(LENGTH // 2, variant="next"), (mixer,) * LAYERS, width=WIDTH, heads=4, batch=64, dtype=dtype)


def turn(step: Step, count: int, wait: Step) -> float:
    wait()
    begun = time.perf_counter()
    for _ in range(count):
        step()
    wait()
    return (time.perf_counter() - begun) / count


def compare(title: str, ways: dict[str, Step]) -> None:
    """Print the median seconds of each way, in turns."""
    import torch

    counts, taken = dict[str, int](), dict[str, list[float]]()
    for name, step in ways.items():
        turn(step, 5, torch.cuda.synchronize)  # what is recorded, compiled or tried comes first
        counts[name] = max(1, round(SECONDS_A_TURN / turn(step, 2, torch.cuda.synchronize)))
    for _ in range(ROUNDS):
        for name, step in ways.items():
            taken.setdefault(name, []).append(turn(step, counts[name], torch.cuda.synchronize))
    medians = {name: statistics.median(each) for name, each in taken.items()}
    first = next(iter(medians.values()))
    found = "   ".join(f"{name} {1e3 * each:.1f} ms ({each / first:.2f})" for name, each in medians.items())
    print(f"    {title}: {found}", flush=True)


def on_the_processor(mixer: str) -> tuple[str, float]:
    set_up("cpu")
    step = step_of(run_of(mixer), "cpu")
    step()
    return mixer, statistics.median(turn(step, 1, lambda: None) for _ in range(3))


def steps() -> None:
    from seqsep.models.mixers import MIXERS, _kernels

    os.environ[_kernels.SWITCH] = "off"
    names = [mixer.name for mixer in MIXERS]
    for name, run in (shared() | {name: run_of(name) for name in names}).items():
        compare(name, {"a graph": step_of(run, "cuda", graphs=True), "one by one": step_of(run, "cuda")})
    with ProcessPoolExecutor(max(1, (os.cpu_count() or 1) // 2), get_context("spawn")) as pool:
        for mixer, seconds in pool.map(on_the_processor, names):
            print(f"    {mixer}, one thread of the processor: {1e3 * seconds:.0f} ms", flush=True)


def kernels() -> None:
    from seqsep.models.mixers import MIXERS, _kernels

    if not _kernels.installed():
        print("    fla-core or triton is not installed", flush=True)
        return
    for mixer in MIXERS:
        ways = dict[str, Step]()
        for dtype in ("float32", "bfloat16"):
            step = step_of(run_of(mixer.name, dtype), "cuda")
            for switch in ("", "off"):

                def side(step: Step = step, switch: str = switch) -> None:
                    os.environ[_kernels.SWITCH] = switch
                    step()

                ways[f"{dtype}, {'with' if switch == '' else 'without'} kernels"] = side
        compare(mixer.name, ways)


def shared() -> dict[str, Any]:
    """The runs that share a GPU."""
    from seqsep.lab.experiments import load_experiment
    from seqsep.lab.run import Run
    from seqsep.tasks import IndexLookup

    [tree] = [run for run in load_experiment("is-tree").runs("length-scaling") if run.label() == HYBRID]
    return {
        "attention, 1 x 64, N = 20": Run(IndexLookup(20), ("attention",), width=64),
        "linear attention, 6 x 256, N = 20": Run(IndexLookup(20), ("linear-attention",) * 6, width=256),
        "mamba, 6 x 256, N = 20": Run(IndexLookup(20), ("mamba",) * 6, width=256),
        "IsTree's hybrid, 4 x 64, cot at n = 32": tree,
    }


def one_of_many(connection: Connection) -> None:
    """Answer each name with a warm step of that run, and then each number of seconds with the steps taken in it."""
    import torch

    set_up("cuda")
    runs = shared()
    while True:
        asked = connection.recv()
        if isinstance(asked, str):
            step = step_of(runs[asked], "cuda", graphs=True)
            connection.send(turn(step, 5, torch.cuda.synchronize))
            continue
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < asked:
            step()
            count += 1
        torch.cuda.synchronize()
        connection.send(count / (time.perf_counter() - begun))


def together() -> None:
    from seqsep.models.mixers import _kernels

    os.environ[_kernels.SWITCH] = "off"
    context, connections = get_context("spawn"), list[Connection]()
    at_once = [count for count in AT_ONCE if count <= (os.cpu_count() or 1)]
    for _ in range(at_once[-1]):
        here, there = context.Pipe()
        context.Process(target=one_of_many, args=(there,), daemon=True).start()
        there.close()  # else a process that dies would be waited for
        connections.append(here)

    def all_of(count: int, asked: str | float) -> list[float]:
        for connection in connections[:count]:
            connection.send(asked)
        return [connection.recv() for connection in connections[:count]]

    for name in shared():
        all_of(at_once[-1], name)
        found = [f"{count}: {sum(all_of(count, SECONDS_TOGETHER)):.0f}" for count in at_once]
        print(f"    {name}; runs at once: steps a second of all: {', '.join(found)}", flush=True)


SECTIONS = {section.__name__: section for section in (steps, kernels, together)}


def main() -> None:
    asked = sys.argv[1:]
    unknown = [name for name in asked if name not in SECTIONS]
    if unknown:
        sys.exit(f"gpu.py {' '.join(asked)}: sections are {', '.join(SECTIONS)}; found {unknown[0]}")
    import torch

    if not torch.cuda.is_available():
        sys.exit(f"gpu.py: expected a GPU that torch can use, found none (torch {torch.__version__})")
    set_up("cuda")
    print(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}", flush=True)
    for name in asked or SECTIONS:
        print(f"{name}:", flush=True)
        SECTIONS[name]()


if __name__ == "__main__":
    main()
