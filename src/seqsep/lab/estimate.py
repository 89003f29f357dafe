"""The cost of a sweep: its runs, their steps, and the time on this machine from a short measurement.

Seconds of a step are measured on one thread at two short lengths, for one and for two layers of each architecture, width and
batch, and extrapolated linearly in length and in depth. Of a batch of more than 2,048 tokens, as of long thoughts, a part is
measured, and its time without the optimizer's is taken as often as it fits. The time of attention at every position grows
faster than linearly with length, so its hours at hundreds of tokens are too few; a run that converges early takes less than is
said.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import torch

from seqsep.lab.device import CPU, gpus, kind_of_gpu, prepare
from seqsep.lab.engines.engine import STALL_SECONDS
from seqsep.lab.graphed_step import WARM_UP, steps_of
from seqsep.lab.labels import labels
from seqsep.lab.own_timing import NoStep, timed_by_a_worker
from seqsep.lab.progress import duration
from seqsep.lab.run import Run

LENGTHS = (20, 40)
TIMED_TOKENS = 2048
"""Of a batch with more tokens a part is timed."""
TIMED_SECONDS = 0.02
"""Shorter times are measured several times, at most MOST_TIMED: a clock of processor time may stand still for milliseconds."""
MOST_TIMED = 100
FORWARD_SHARE = 1 / 3
"""The share of a training step's time that one evaluation of a batch takes, since it has no backward pass.

On a GPU it is more where a step is a graph, which an evaluation is not.
"""


def show_cost(
    runs: Sequence[Run],
    further: int,
    workers: int,
    pruned: Mapping[Run, float] | None = None,
    device: str = CPU,
    bound: str = "at most",
    say: Callable[[str], None] | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> None:
    """Print one line a run, and their sum with the kind of its bound in words; `further` runs may follow from the results of
    these.

    `pruned`: the steps of a run that competes with others, on average over its bracket. On `device` cuda runs that share a GPU
    are taken to share its time. `say` gets the progress of the timing. A user's own part that makes no progress for
    `stall_seconds` has no estimate. Raises EngineUnavailable if no such GPU exists.
    """
    if device != CPU:
        kind_of_gpu()  # says at once if there is none
        prepare(device)
    if not runs:
        print("0 runs")
        return
    pruned = pruned or {}
    for run, label in labels(runs).items():
        print(f"{run.key()[:12]}  {label}  at most {run.steps} steps")
    whole = sum(run.steps for run in runs)
    steps = round(sum(pruned.get(run, run.steps) for run in runs))
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    print(f"{count}, {bound} {steps:,} steps{f' of {whole:,}, as runs are pruned' if pruned else ''}", flush=True)
    if further:
        print(f"then at most {further} more runs: rates around the best, and other seeds of the best")
    try:
        total = estimate(runs, pruned, device, say, stall_seconds=stall_seconds) * (1 + further / len(runs) * whole / steps)
    except NoStep as failure:
        print(f"no estimate of time: {failure}")
        return
    each = "with pruning" if pruned else "if each run takes all its steps"
    parts = workers if device == CPU else len(gpus())
    shared = f"on {workers} workers here" if device == CPU else f"on {parts} GPUs here, one run at a time on each"
    basis = f"training steps timed now at lengths of {LENGTHS[1]} or less; starting the workers is not in it"
    print(f"estimate: about {duration(total / parts)} {shared}, {each}. Basis: {basis}")


def estimate(
    runs: Iterable[Run],
    pruned: Mapping[Run, float] = MappingProxyType({}),
    device: str = CPU,
    say: Callable[[str], None] | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> float:
    """Return the seconds of all runs to their last step, or to their number of steps in `pruned`, evaluations included.

    They are seconds of one core, or of a GPU on which nothing else runs. Steps of users' own parts are taken by a worker.
    `say` is called after each kind of step with the number of timed ones. Raises NoStep if a user's part does not train, or
    makes no progress for `stall_seconds`.
    """
    runs = list(runs)
    wanted: dict[Run, float] = {}

    def want(run: Run) -> float:
        wanted[shape_of(run)] = 0.0
        return 0.0

    for run in runs:
        step_seconds(run, want)
    own = [shape for shape in wanted if shape.plug_ins()]
    done = 0

    def timed() -> None:
        nonlocal done
        done += 1
        if say is not None:
            say(f"{done} of {len(wanted)} kinds of step timed")

    known: dict[Run, float] = {}
    for shape in wanted:
        if shape not in own:
            known[shape] = measured(shape, device)
            timed()
    known |= timed_by_a_worker(own, device, timed, stall_seconds)
    return sum(
        (pruned.get(run, run.steps) * (1 + evaluations(run)) + work_of_tests(run))
        * step_seconds(run, lambda shorter: known[shape_of(shorter)])
        for run in runs
    )


def shape_of(run: Run) -> Run:
    """Return the run without the fields that do not change the time of a step."""
    return replace(
        run, learning_rate=1e-3, seed=0, steps=1, heads=4 if run.width % 4 == 0 else run.heads, target=1.0, test_lengths=()
    )


def evaluations(run: Run) -> float:
    """Return the work of evaluations as a fraction of that of the steps."""
    return FORWARD_SHARE * run.evaluation / run.batch / run.evaluate_every


def work_of_tests(run: Run) -> float:
    """Return the work of the tests at other lengths, in steps; the work of a token does not depend on the length.

    >>> from seqsep.tasks import ModularCount
    >>> round(work_of_tests(Run(ModularCount(40), ("lstm",), 8, batch=64, evaluation=640, test_lengths=(80, 160))), 3)
    20.0
    """
    longer = sum(length / run.task.length for length in run.test_lengths)
    return FORWARD_SHARE * run.evaluation / run.batch * longer


def step_seconds(run: Run, seconds: Callable[[Run], float]) -> float:
    """Return the seconds of one step, extrapolated from `seconds` at short lengths and few layers."""
    run = replace(run, test_lengths=())
    depths = (len(run.layers),) if len(set(run.layers)) > 1 or len(run.layers) < 3 else (1, 2)
    short, longer = (replace(run.task, length=min(length, run.task.length)) for length in LENGTHS)
    at = {
        (depth, task): seconds(replace(run, task=task, layers=run.layers[:depth]))
        for depth in depths
        for task in (short, longer)
    }

    def in_length(depth: int) -> float:
        if short.length == longer.length:
            return at[depth, short]
        slope = max(0.0, (at[depth, longer] - at[depth, short]) / (longer.length - short.length))
        return at[depth, longer] + slope * (run.task.length - longer.length)

    first, *others = map(in_length, depths)
    return first if not others else first + max(0.0, others[0] - first) * (len(run.layers) - 1)


def measured(run: Run, device: str = CPU) -> float:
    """Return the mean seconds of the run's steps after warm-up: processor time, or on a GPU wall-clock time.

    A batch of more than TIMED_TOKENS tokens is timed in part: what its examples take grows with their number, what the
    optimizer takes does not.
    """
    clock = time.process_time if device == CPU else _clock
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = run.model().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=run.learning_rate, fused=True)
        examples = timed_examples(run)
        batch = run.task.sample(0, examples, 0)
        take_step = steps_of(run, model, optimizer)
        for _ in range(1 if device == CPU else WARM_UP + 1):
            take_step(batch=batch, step=0)
        both = _mean_seconds(lambda: take_step(batch=batch, step=0), clock)
        if examples == run.batch:
            return both
        update = min(both, _mean_seconds(optimizer.step, clock))
        return update + (both - update) * run.batch / examples
    finally:
        torch.set_num_threads(threads)


def _mean_seconds(action: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the mean seconds over as many calls as take TIMED_SECONDS."""
    together = 0.0
    count = 0
    start = clock()
    while together < TIMED_SECONDS and count < MOST_TIMED:
        action()
        together = clock() - start
        count += 1
    return together / count


def timed_examples(run: Run) -> int:
    """Return the number of examples of the run's batch that have at most TIMED_TOKENS tokens; at least one.

    >>> from seqsep.tasks import IsTree
    >>> [timed_examples(Run(IsTree(length, trace="peel"), ("mamba",), 64)) for length in (4, 128)]
    [64, 3]
    """
    tokens = run.task.sample(0, 1, 0).inputs.shape[1]
    return max(1, min(run.batch, TIMED_TOKENS // tokens))


def _clock() -> float:
    """Return the time, in seconds, after the GPU has finished all its work."""
    torch.cuda.synchronize()
    return time.perf_counter()
