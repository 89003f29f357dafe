"""What a sweep gains over its runs one after another, and what the loop costs: python benchmarks/sweep.py [sweep] [loop].

    sweep    8 runs on 2 cores (width 64, index lookup, 4 of N = 20 and 4 of N = 100) by the engine `local`, against the
             same runs one after another in one process with 2 threads; A B A B. Wall seconds, CPU seconds of all processes
             of a side, and the ratios of the sides. The seconds in which each side's processes start are part of it.
    loop     of one run (attention, width 64, N = 50): what the training loop costs beside forward, backward and optimiser, as a
             part of a step. The parts are timed apart, by CPU seconds, and the loop's own cost is the step less those three.

GOMP_SPINCOUNT=0 on every side: a thread that waits does not spin. Where others use the cores at the same time, wall seconds are
theirs too, and CPU seconds are what to compare; but they count both threads of a step, so a ratio of CPU seconds says how much
work is saved, and only one of wall seconds, on idle cores, how much time. The load when a side began is printed beside it.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS, ROUNDS, LENGTHS = 300, 2, (100, 20)
WARM, MEASURED, LOOP_ROUNDS = 50, 300, 5


def side(name: str) -> None:
    """All runs of one side, in this process or below it; nothing is printed."""
    from seqsep.lab.run import Run
    from seqsep.tasks import IndexLookup

    runs = [
        Run(IndexLookup(length=length), ("attention",), width=64, steps=STEPS, evaluate_every=STEPS, evaluation=1000, seed=seed)
        for length in LENGTHS
        for seed in range(4)
    ]
    if name == "sweep":
        from seqsep.lab.store.store import Store
        from seqsep.lab.sweep import sweep

        with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite") as store:
            rows = sweep(runs, store, "benchmark", workers=2)
        assert all(row.finished for row in rows)
    else:
        import torch

        from seqsep.lab.train import train

        torch.set_num_threads(2)
        for run in runs:
            train(run)


def timed(name: str) -> tuple[float, float]:
    """Wall and CPU seconds of one side in a process of its own, and of what that starts."""
    from seqsep.lab.engines.local import WORKER_ENVIRONMENT

    chosen = WORKER_ENVIRONMENT | {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, __file__, "--side", name], env={**os.environ, **chosen}, check=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare_sweep() -> None:
    found: dict[str, list[tuple[float, float]]] = {"sweep": [], "one after another": []}
    for _ in range(ROUNDS):
        for name, times in found.items():
            load = os.getloadavg()[0]
            times.append(timed(name))
            wall, cpu = times[-1]
            print(f"{name}: {wall:.1f} s wall, {cpu:.1f} s CPU (load {load:.1f})", flush=True)
    for at, clock in enumerate(("wall", "CPU")):
        ours, theirs = (statistics.median(times[at] for times in found[name]) for name in found)
        print(f"{clock}: {ours / theirs:.2f} of one after another with 2 threads")


def loop() -> None:
    """CPU seconds of the loop's steps, and of the same steps' three parts alone, in turns."""
    import torch

    from seqsep.lab.run import Run
    from seqsep.lab.step import asked, total_loss
    from seqsep.lab.train import train, training_batches
    from seqsep.tasks import IndexLookup

    torch.set_num_threads(1)
    steps = WARM + MEASURED
    run = Run(IndexLookup(length=50), ("attention",), width=64, steps=steps, evaluate_every=10**6, evaluation=1)
    batches = list(training_batches(run, 0))

    def whole() -> list[float]:
        """Seconds of each step as `train` does them, from one report of progress to the next."""
        ticks = []
        train(run, on_progress=lambda progress: ticks.append(time.thread_time()))
        return [after - before for before, after in zip(ticks[WARM:-2], ticks[WARM + 1 : -1], strict=True)]

    def parts() -> list[float]:
        """Seconds of forward with the loss, backward and the optimiser, on batches that are there already."""
        torch.manual_seed(run.seed)
        model = run.model()
        optimizer = torch.optim.Adam(model.parameters(), lr=run.learning_rate, fused=True)
        found = []
        for batch in batches:
            optimizer.zero_grad(set_to_none=True)
            begun = time.thread_time()
            logits, targets = asked(model, batch)
            loss = total_loss(run.task, logits, targets) / len(targets)
            loss.backward()
            optimizer.step()
            found.append(time.thread_time() - begun)
        return found[WARM:]

    shares = []
    for _ in range(LOOP_ROUNDS):
        # Means, as a block of examples is made once in many steps; of two halves each, as the clocks of a shared core wander.
        three = statistics.fmean(parts())
        step = statistics.fmean(whole())
        again = statistics.fmean(parts())
        three = (three + again) / 2
        shares.append(1 - three / step)
        print(
            f"step {step * 1e3:.2f} ms CPU, forward + backward + optimiser {three * 1e3:.2f} ms: {shares[-1]:.1%}", flush=True
        )
    print(f"the loop's own cost: median {statistics.median(shares):.1%} of a step")


SECTIONS = {"sweep": compare_sweep, "loop": loop}


def main() -> None:
    if sys.argv[1:2] == ["--side"]:
        side(sys.argv[2])
        return
    unknown = [name for name in sys.argv[1:] if name not in SECTIONS]
    if unknown:
        sys.exit(f"sweep.py {' '.join(sys.argv[1:])}: sections are {', '.join(SECTIONS)}; found {unknown[0]}")
    os.environ["GOMP_SPINCOUNT"] = "0"
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()


if __name__ == "__main__":
    main()
