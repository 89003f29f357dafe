"""Examples per CPU second of every task's generator in one process, and of multi-query recall against zoology's.

python benchmarks/tasks.py [name ..] makes training examples at N = 512, 4,096 at once as the training loop does, and prints the
best and the median of several rounds, tasks taking turns; then IsTree's graphs of 64 vertices with each thought. --json FILE
writes these rates: results/generation.json is that of `is-tree`. The last line, of multi-query-recall, compares one setting of
zoology (64 pairs, 512 tokens, a vocabulary of 8,192) with its own generator, A B A B, where `zoology`
can be imported (github.com/HazyResearch/zoology; it is on no registry). Elsewhere the peer is the least that its algorithm
needs: three numpy.random.choice(.., replace=False) an example, of the keys, the values and, weighted, the slots. Nothing else
of its work is counted, so the true ratio is higher.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from seqsep.lab.device import processor
from seqsep.tasks import TASKS, IsTree, Task
from seqsep.tasks.is_tree import DISTRIBUTIONS, TRACES
from seqsep.tasks.multi_query_recall import MultiQueryRecall

LENGTH, AT_ONCE, ROUNDS = 512, 4096, 5
VERTICES = 64
PAIRS, TOKENS, VOCABULARY, POWER = 64, 512, 8192, 0.01
PEER_EXAMPLES = 400


def rate(count: int, call: Callable[[], object]) -> float:
    """Examples per CPU second of this process."""
    start = time.process_time()
    call()
    return count / (time.process_time() - start)


def every_task(names: list[str]) -> dict[str, dict[str, int]]:
    chosen = [task for task in TASKS if not names or task.name in names]
    rates = print_rates({f"{task.name}, N = {LENGTH}": task(length=LENGTH) for task in chosen})
    if IsTree in chosen:
        thoughts = product(TRACES, DISTRIBUTIONS)
        graphs = {f"is-tree, n = {VERTICES}, {trace}, {kind}": IsTree(VERTICES, trace, kind) for trace, kind in thoughts}
        rates |= print_rates(graphs)
    return rates


def print_rates(tasks: dict[str, Task]) -> dict[str, dict[str, int]]:
    """Print and return the best and the median rate of each task."""
    rates: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task.sample(0, AT_ONCE, 0)
    for start in range(AT_ONCE, (ROUNDS + 1) * AT_ONCE, AT_ONCE):
        for name, task in tasks.items():
            rates[name].append(rate(AT_ONCE, partial(task.sample, start, AT_ONCE, 0)))
    found = {name: {"best": round(max(one)), "median": round(statistics.median(one))} for name, one in rates.items()}
    for name, each in found.items():
        print(f"{name}: best {each['best']:,} examples/s, median {each['median']:,}", flush=True)
    return found


def peer() -> tuple[str, Callable[[], object]]:
    """Name and call of the other side, for PEER_EXAMPLES examples."""
    try:
        from zoology.data.multiquery_ar import multiquery_ar
    except ImportError:
        slots = (TOKENS - 2 * PAIRS) // 2
        weights = np.arange(1, slots + 1) ** (POWER - 1)
        sides = ((VOCABULARY // 2 - 1, None), (VOCABULARY // 2, None), (slots, weights / weights.sum()))

        def draws() -> None:
            for _ in range(PEER_EXAMPLES):
                for bound, law in sides:
                    np.random.choice(bound, PAIRS, replace=False, p=law)

        return "zoology's draws alone (its generator is not installed)", draws
    return "zoology", lambda: multiquery_ar(
        vocab_size=VOCABULARY, num_examples=PEER_EXAMPLES, input_seq_len=TOKENS, seed=0, power_a=POWER, num_kv_pairs=PAIRS
    )


def against_zoology() -> None:
    task, (name, theirs) = MultiQueryRecall.zoology(TOKENS, PAIRS, VOCABULARY, POWER), peer()
    task.sample(0, AT_ONCE, 0)
    pairs = [
        (rate(AT_ONCE, partial(task.sample, start, AT_ONCE, 0)), rate(PEER_EXAMPLES, theirs))
        for start in range(AT_ONCE, (ROUNDS + 1) * AT_ONCE, AT_ONCE)
    ]
    ours, other = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    print(f"{PAIRS} pairs, {TOKENS} tokens, vocabulary {VOCABULARY:,}: {ours:,.0f} examples/s, {name} {other:,.0f}, "
          f"ratio {statistics.median(a / b for a, b in pairs):.1f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="name", help="of tasks, by default all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rates there")
    options = parser.parse_args()
    unknown = set(options.names) - {task.name for task in TASKS}
    if unknown:
        parser.error(f"expected names of tasks (seqsep list tasks), found {min(unknown)}")
    rates = every_task(options.names)
    if options.json is not None:
        about = {**processor(), "at once": AT_ONCE, "rounds": ROUNDS, "examples a CPU second": rates}
        options.json.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    if not options.names or MultiQueryRecall.name in options.names:
        against_zoology()


if __name__ == "__main__":
    main()
