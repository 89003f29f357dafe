"""A training step on a GPU whose forward and backward passes are one CUDA graph.

The step of a small model is hundreds of short kernels, and launching one from Python takes longer than running it. A graph is
recorded once and launched at once: the same kernels on the same numbers. Its inputs are tensors that stay where they are, into
which each batch is copied; the optimiser's update, a few kernels, stays outside, since where a number is not finite none is
made.

A graph has one shape: its numbers of examples, tokens and questions. If batches differ only in the number of questions, as
IsTree's do, questions that count for nothing are put after them, up to a multiple of the tokens / PARTS, also in steps without
a graph: so a run that resumes from a checkpoint computes what it would have. The first WARM_UP batches of a shape are launched
kernel by kernel, the next one is recorded, and at most MOST_GRAPHS shapes are; they share their memory. Layers of a user are
not recorded: a graph would keep what their Python decided meanwhile. The environment variable SEQSEP_GRAPHS=off leaves graphs
out everywhere, and the padding with them.
"""

import math
import os
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import torch
from torch import Tensor

from seqsep.lab.run import Run
from seqsep.lab.step import QueriedBatch, are_finite, loss_of, questions_of, step_once, update
from seqsep.models.model import Model
from seqsep.tasks import Batch

SWITCH = "SEQSEP_GRAPHS"
WARM_UP = 2
MOST_GRAPHS = 4
PARTS = 8

Computed: TypeAlias = tuple[Tensor, list[Tensor | None]]
"""The loss and, after it, 1 if all numbers are finite; the gradient of each weight."""


def in_use(run: Run, device: torch.device | str) -> bool:
    """Return True if steps of this run on this device become graphs. Raises ValueError for an unknown SEQSEP_GRAPHS.

    >>> from seqsep.tasks import IndexLookup
    >>> in_use(Run(IndexLookup(5), ("lstm",), width=8), "cpu")
    False
    """
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "off"):
        raise ValueError(f"{SWITCH}={switch}: off, or not set")
    return not switch and torch.device(device).type == "cuda" and not run.plug_ins()


def steps_of(run: Run, model: Model, optimizer: torch.optim.Optimizer) -> Callable[..., float]:
    """Return the function that updates on the `batch` and `step` given; it returns the loss, or NaN as `step_once` does."""
    if in_use(run, model.device):
        return GraphedStep(run, model, optimizer)
    return partial(step_once, run, model, optimizer)


@dataclass(frozen=True)
class Graph:
    """A recorded computation, the questions that it reads, and what it writes."""

    replay: Callable[[], None]
    reads: QueriedBatch
    writes: Computed


def record(compute: Callable[[], Computed], reads: QueriedBatch, pool: Any) -> Graph:
    """Record what `compute` launches, in the memory of `pool`; nothing is computed yet.

    Raises RuntimeError for what cannot be recorded. PyTorch ends a recording that failed by another error, and on its stream.
    """
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.current_stream()
    try:
        with torch.cuda.graph(graph, pool=pool):
            writes = compute()
    except RuntimeError as failure:
        torch.cuda.set_stream(stream)
        cause = failure.__context__ or failure
        raise RuntimeError(str(cause).partition("\n")[0]) from failure
    return Graph(graph.replay, reads, writes)


class GraphedStep:
    """`step_once` of a run, as graphs.

    After a recording that failed this process makes no further one: PyTorch's memory may treat it as one that is still going.
    """

    is_recording: ClassVar[bool] = True

    def __init__(self, run: Run, model: Model, optimizer: torch.optim.Optimizer) -> None:
        self.run = run
        self.model = model
        self.optimizer = optimizer
        self.weights: list[Tensor] = optimizer.param_groups[0]["params"]
        self.seen = Counter[tuple[object, ...]]()
        self.graphs = dict[tuple[object, ...], Graph]()
        self.stream = torch.cuda.Stream()
        self.pool = torch.cuda.graph_pool_handle()

    def __call__(self, batch: Batch, step: int) -> float:
        """Make one update; returns the loss. If a number is not finite, it makes none and returns NaN."""
        questions = self._padded(questions_of(batch))
        shape = questions.shape
        self.seen[shape] += 1
        is_new = shape not in self.graphs and self.is_recording and len(self.graphs) < MOST_GRAPHS
        if is_new and self.seen[shape] > WARM_UP:
            self._record(shape, questions)
        if shape in self.graphs:
            return self._replayed(self.graphs[shape], questions, step)
        return self._one_by_one(questions, step)

    def _padded(self, questions: QueriedBatch) -> QueriedBatch:
        if questions.once:
            return questions
        return questions.padded(max(1, math.prod(questions.inputs.shape[:2]) // PARTS))

    def _one_by_one(self, questions: QueriedBatch, step: int) -> float:
        """Return the loss of a step without a graph, on its own stream: PyTorch requires this of computations that are recorded
        later.
        """
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            loss = update(self.run, self.model, self.optimizer, questions=questions, step=step)
        torch.cuda.current_stream().wait_stream(self.stream)
        return loss

    def _record(self, shape: tuple[object, ...], questions: QueriedBatch) -> None:
        """Record this shape's graph, or say why not, and record no more."""
        reads = questions.to(self.model.device)
        self.optimizer.zero_grad(set_to_none=True)
        try:
            self.graphs[shape] = record(lambda: self._compute(reads), reads, self.pool)
        except RuntimeError as failure:
            GraphedStep.is_recording = False
            warnings.warn(f"{self.run.label()}: no CUDA graph of its steps, which take longer so: {failure}", stacklevel=2)

    def _compute(self, questions: QueriedBatch) -> Computed:
        loss = loss_of(self.run, self.model, questions)
        loss.backward()
        gradients = [weight.grad for weight in self.weights]
        numbers = [loss.detach(), *self.weights, *(gradient for gradient in gradients if gradient is not None)]
        return torch.stack([loss.detach(), are_finite(numbers).to(loss.dtype)]), gradients

    def _replayed(self, graph: Graph, questions: QueriedBatch, step: int) -> float:
        graph.reads.take(questions)
        graph.replay()
        found, gradients = graph.writes
        loss, is_finite = found.tolist()
        if not is_finite:
            return math.nan
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight.grad = gradient
        self.optimizer.param_groups[0]["lr"] = self.run.rate_at(step)
        self.optimizer.step()
        return loss
