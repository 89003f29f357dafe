"""Compare K small runs of one shape as one stacked model with K separate ones: python benchmarks/stacked.py [cuda] [K ...]

The stacked model has the weights of K models along a new first axis (`torch.func.vmap`), one state of Adam, and a seed and a
learning rate for each of the K. Its step is compared with K separate steps one after another, A B A B: medians of wall seconds
and CPU seconds, and the ratio, above 1 if stacking gains. Before, both take 5 steps of equal batches, and the largest relative
difference of their losses is printed. One layer of attention, width 64, index lookup, N = 50 and 200, batch 64.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

import torch
from torch import Tensor
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

from seqsep.lab.device import prepare
from seqsep.lab.experiments.claims.recipe import lookup_run
from seqsep.lab.run import Run
from seqsep.lab.step import QueriedBatch, questions_of, total_loss, update
from seqsep.models.model import Model

COUNTS = (1, 4, 16, 64)
LENGTHS = (50, 200)
ROUNDS = 3
COMPARED_STEPS = 5
BETAS = (0.9, 0.999)
EPSILON = 1e-8
Step = Callable[[Sequence[QueriedBatch]], Sequence[float]]


def separate(runs: Sequence[Run], models: Sequence[Model]) -> Step:
    """Return a function that takes a step of each run, one after another."""
    optimizers = [torch.optim.Adam(model.parameters(), fused=True) for model in models]

    def step(batches: Sequence[QueriedBatch]) -> list[float]:
        parts = zip(runs, models, optimizers, batches, strict=True)
        return [update(run, model, optimizer, questions=batch, step=1) for run, model, optimizer, batch in parts]

    return step


def stacked(runs: Sequence[Run], models: Sequence[Model], device: str) -> Step:
    """Return a function that takes a step of all runs at once."""
    weights, buffers = stack_module_state(list(models))
    weights = {name: weight.detach() for name, weight in weights.items()}
    rates = torch.tensor([run.rate_at(1) for run in runs], device=device)
    means = {name: torch.zeros_like(weight) for name, weight in weights.items()}
    squares = {name: torch.zeros_like(weight) for name, weight in weights.items()}
    done = 0

    def loss(weights: dict[str, Tensor], buffers: dict[str, Tensor], inputs: Tensor, at: Tensor, answers: Tensor) -> Tensor:
        logits = functional_call(models[0], (weights, buffers), (inputs, at))
        return total_loss(runs[0].task, logits, answers) / len(answers)

    @torch.no_grad()
    def step(batches: Sequence[QueriedBatch]) -> list[float]:
        nonlocal done
        done += 1
        parts = [torch.stack([getattr(batch, name) for batch in batches]).to(device) for name in ("inputs", "at", "answers")]
        gradients, losses = vmap(grad_and_value(loss))(weights, buffers, *parts)
        for name, gradient in gradients.items():
            means[name].lerp_(gradient, 1 - BETAS[0])
            squares[name].mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
            scale = (squares[name] / (1 - BETAS[1] ** done)).sqrt_().add_(EPSILON)
            rate = rates.view(-1, *[1] * (gradient.dim() - 1)) / (1 - BETAS[0] ** done)
            weights[name] -= rate * means[name] / scale
        return losses.tolist()

    return step


def taken(step: Step, batches: Sequence[QueriedBatch], device: str) -> tuple[float, float]:
    """Return wall and CPU seconds of one step."""
    wall = time.perf_counter()
    processor = time.process_time()
    step(batches)
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - wall, time.process_time() - processor


def compare(count: int, length: int, device: str) -> None:
    """Print the difference of losses and the ratio of times."""
    base = lookup_run(("attention",), 64, length, steps=3000)
    runs = [replace(base, seed=seed, learning_rate=1e-3 / (1 + seed % 3)) for seed in range(count)]
    models = [run.model().to(device) for run in runs]
    ways = {"stacked": stacked(runs, deepcopy(models), device), "separate": separate(runs, models)}
    difference = 0.0
    batches = []
    for place in range(COMPARED_STEPS):
        batches = [questions_of(run.task.sample(place * run.batch, run.batch, run.seed)) for run in runs]
        losses = [way(batches) for way in ways.values()]
        difference = max(difference, *(abs(one - two) / one for one, two in zip(*losses, strict=True)))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    repeats = max(1, 64 // count)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name] += [taken(way, batches, device) for _ in range(repeats)]
    wall, cpu = ([statistics.median(one[kind] for one in times[name]) for name in ways] for kind in (0, 1))
    times_in_words = f"stacked {1e3 * wall[0]:.1f} ms, separate {1e3 * wall[1]:.1f} ms"
    ratio = f"ratio {wall[1] / wall[0]:.2f} (CPU {cpu[1] / cpu[0]:.2f})"
    print(f"N = {length}, K = {count}: {times_in_words}, {ratio}; losses within {difference:.0e}", flush=True)


def main(words: Sequence[str]) -> None:
    """Compare each K at each length."""
    device = "cuda" if "cuda" in words else "cpu"
    prepare(device)
    torch.set_num_threads(1)
    counts = [int(word) for word in words if word.isdecimal()] or COUNTS
    for length in LENGTHS:
        for count in counts:
            compare(count, length, device)


if __name__ == "__main__":
    main(sys.argv[1:])
