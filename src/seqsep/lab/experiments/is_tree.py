"""IsTree by architecture and chain of thought. Section 6.1 and figures 2 and 5 of Wen, Dang, Lyu 2025 (arXiv:2402.18510).

A model reads the edges of a double star with one edge more, writes a thought, and then YES or NO (`tasks.is_tree`). The traces
are the paper's vanilla, cot and retrieval, and two of ours, peel and walk. Walk is local: its next token is a function of its
last six and of what the retriever finds, except the answer, which counts. The next token of peel depends on every edge at the
vertex written last, on every climb into it and out of it, and on the last pointer; that of cot on the edges at one vertex in
their order, on its parent, and on which of its neighbours have been visited. Architectures are the paper's: a Transformer
(RMSNorm, RoPE, SwiGLU), Mamba, and Mamba with one block of that Transformer on top; embeddings are fixed and tied to the
read-out. Accuracy is live: the model writes, a retriever answers its queries, an answer that never comes counts 1/2.

Presets: `paper` is the paper's three sizes at n = 16 to 128 with its three traces, as it and its code state the training; peel
and walk are not the paper's, so it lacks them.
`quick` is the question on two cores, in 30 minutes: n = 8 and 16, models of QUICK_MODELS, all five traces. Each run to its last
step it takes about 25 minutes there, by `--dry-run` with two workers.
`length-scaling` continues from there, in 12 hours of one core: four layers and more steps for the thoughts that two layers have
not learned at n = 16, longer inputs for the one that they have.
`uniform` is the part of `quick` without a thought and with walk, on uniform graphs: trees, near misses and others.
`length` is the sweep over lengths at a fixed state, `state` that over states at a fixed length: every recurrent mixer and the
hybrid, with the thought peel.
All but `uniform` are on double stars.

On double stars a state of O(log n) bits is right on 2/3 of the graphs, whatever n (`tasks.ceilings`): no accuracy below that
says anything of a state. With a retriever the prompt is read again, so no state is a bound.
Not stated in the paper, and ours: the deviation of the first weights in `quick` and what follows it, and the place of the
hybrid's last norm, which is after the attention block, not before it.
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeAlias

from seqsep.lab.experiments._reach import CHEAPEST_FIRST
from seqsep.lab.experiments.base import Experiment
from seqsep.lab.run import Run
from seqsep.models.mixers import MIXERS
from seqsep.tasks import IsTree

Layers: TypeAlias = tuple[str, ...]
PaperSize: TypeAlias = Literal["0.5M", "1M", "2M"]

TRACES = ("vanilla", "cot", "peel", "walk", "retrieval")
PAPER_TRACES = ("vanilla", "cot", "retrieval")
PAPER_LENGTHS = (16, 32, 64, 128)
PAPER_STEPS = 78_125
PAPER_WARM_UP = 156
"""10,000 examples in batches of 64."""


@dataclass(frozen=True)
class Size:
    """A model of the paper: its layers, their width, and what the paper calls its number of parameters."""

    model: str
    size: PaperSize
    layers: Layers
    width: int


PAPER_SIZES = (
    Size("transformer", "0.5M", ("attention",) * 8, 64),
    Size("transformer", "1M", ("attention",) * 16, 64),
    Size("transformer", "2M", ("attention",) * 12, 128),
    Size("mamba", "0.5M", ("mamba",) * 16, 64),
    Size("mamba", "1M", ("mamba",) * 10, 128),
    Size("mamba", "2M", ("mamba",) * 18, 128),
    Size("hybrid", "0.5M", ("mamba",) * 12 + ("attention",), 64),
    Size("hybrid", "1M", ("mamba",) * 7 + ("attention",), 128),
    Size("hybrid", "2M", ("mamba",) * 14 + ("attention",), 128),
)


def make(layers: Layers, width: int, length: int, trace: str, steps: int = PAPER_STEPS) -> Run:
    """Return a run with the paper's parts and optimiser: Adam, a short warm-up, half a cosine down to 0, batches of 64.

    >>> run = make(("mamba", "attention"), 64, length=16, trace="cot")
    >>> run.positions, run.learning_rate, run.rate_at(PAPER_STEPS) == 0
    ('rope', 0.0003, True)
    """
    has_attention = "attention" in layers
    return Run(
        task=IsTree(length, trace=trace),
        layers=layers,
        width=width,
        steps=steps,
        learning_rate=1e-3 if set(layers) == {"attention"} else 3e-4,
        decay="cosine",
        warm_up=PAPER_WARM_UP,
        positions="rope" if has_attention else "default",
        norm="rms",
        feed_forward="swiglu",
        hidden=256,
        biases=False,
        embeddings="tied-sinusoids",
        live=5000,
    )


def paper() -> list[Run]:
    """Return the paper's sizes, short inputs first."""
    return [
        make(size.layers, size.width, length, trace)
        for length, trace, size in product(PAPER_LENGTHS, PAPER_TRACES, PAPER_SIZES)
    ]


QUICK_MODELS: tuple[Layers, ...] = (("attention",) * 2, ("mamba",) * 2, ("mamba", "attention"))
QUICK_RATE = 3e-3
WEIGHT_SCALE = 0.1
"""Deviation of the first weights, 0.02 in the paper's code; trials at width 64 changed it together with the rate."""


@dataclass(frozen=True)
class Effort:
    """A number of steps and of examples a step: fewer examples if a chain of thought has many tokens."""

    steps: int
    batch: int


QUICK_EFFORT: dict[str, Effort] = {
    "vanilla": Effort(steps=600, batch=64),
    "cot": Effort(steps=5000, batch=32),
    "peel": Effort(steps=5000, batch=32),
    "walk": Effort(steps=800, batch=16),
    "retrieval": Effort(steps=800, batch=8),
}


def small(layers: Layers, width: int, length: int, trace: str, *, effort: Effort) -> Run:
    """Return the run of a model for two cores: larger first weights, one higher rate, a stop once 99.5 % of the chains of
    thought are right.
    """
    return replace(
        make(layers, width, length, trace, steps=effort.steps),
        batch=effort.batch,
        learning_rate=QUICK_RATE,
        warm_up=100,
        weight_scale=WEIGHT_SCALE,
        evaluate_every=100,
        evaluation=500,
        live=500,
        target=0.995,
    )


QUICK_EFFORT_AT_16 = QUICK_EFFORT | dict.fromkeys(("cot", "peel"), Effort(steps=1200, batch=32))


def quick() -> list[Run]:
    """Return every trace at n = 8 and 16, the cheap traces first."""
    efforts = {8: QUICK_EFFORT, 16: QUICK_EFFORT_AT_16}
    return [
        small(layers, 64, length, trace, effort=efforts[length][trace])
        for length, trace, layers in product(efforts, TRACES, QUICK_MODELS)
    ]


UNIFORM_TRACES = ("vanilla", "walk")


def uniform() -> list[Run]:
    """Return the runs of `quick` without a chain of thought and with `walk`, on uniform graphs instead of double stars."""
    return [
        replace(run, task=replace(run.task, distribution="uniform"))
        for run in quick()
        if isinstance(run.task, IsTree) and run.task.trace in UNIFORM_TRACES
    ]


DEEPER_MODELS: tuple[Layers, ...] = (("attention",) * 4, ("mamba",) * 4, ("mamba",) * 3 + ("attention",))


@dataclass(frozen=True)
class ScalingCase:
    """A length and a trace of `length-scaling`, with the models that are tried there and their effort."""

    length: int
    trace: str
    models: tuple[Layers, ...]
    effort: Effort


REACH = (
    ScalingCase(16, "peel", DEEPER_MODELS, Effort(steps=6000, batch=64)),
    ScalingCase(16, "cot", DEEPER_MODELS, Effort(steps=6000, batch=64)),
    ScalingCase(32, "walk", QUICK_MODELS, Effort(steps=800, batch=16)),
    ScalingCase(64, "walk", QUICK_MODELS, Effort(steps=800, batch=16)),
    ScalingCase(16, "retrieval", QUICK_MODELS, Effort(steps=3000, batch=8)),
    ScalingCase(32, "retrieval", QUICK_MODELS, Effort(steps=2000, batch=8)),
    ScalingCase(32, "peel", DEEPER_MODELS, Effort(steps=6000, batch=64)),
    ScalingCase(32, "cot", DEEPER_MODELS, Effort(steps=6000, batch=64)),
)
"""Four layers where two of `quick` have not learned a trace, two where they have, at longer inputs or with more steps."""


def reach() -> list[Run]:
    """Return the runs of twelve hours of one core: each trace from the length where `quick` left it."""
    return [small(layers, 64, place.length, place.trace, effort=place.effort) for place in REACH for layers in place.models]


SWEEP_TRACE = "peel"
SWEEP_EFFORT = Effort(steps=2000, batch=32)
SWEEP_LENGTHS = (6, 8, 12, 16, 24, 32)
SWEEP_LENGTH = 8
"""At this length the models of the sweep over lengths differ within its steps; at n = 12 none of its four learns the task."""
SWEEP_MODELS: tuple[Layers, ...] = (("mamba",) * 2, ("lstm",) * 2, ("gated-delta",) * 2, ("mamba", "attention"))
SWEEP_WIDTHS = (64, 128, 32, 16)
"""The widths that learn come first."""
SWEEP_HEADS = (1, 2, 4, 8, 16)
STATE_BY_HEADS = ("linear-attention", "retention", "gated-delta", "rwkv7")
"""Mixers whose state depends on the number of heads, and whose parameters hardly do."""


def lengths() -> list[Run]:
    """Return the runs over lengths at a fixed state: one model, trained at each length."""
    return [
        small(layers, 64, length, SWEEP_TRACE, effort=SWEEP_EFFORT) for length, layers in product(SWEEP_LENGTHS, SWEEP_MODELS)
    ]


def states() -> list[Run]:
    """State at a fixed length: widths of every recurrent mixer, and heads at one width, which leave the parameters alone."""
    by_width = [
        small((mixer.name,) * 2, width, SWEEP_LENGTH, SWEEP_TRACE, effort=SWEEP_EFFORT)
        for width, mixer in product(SWEEP_WIDTHS, MIXERS)
        if not mixer.grows and mixer.name in CHEAPEST_FIRST
    ]
    by_heads = [
        replace(small((name,) * 2, 64, SWEEP_LENGTH, SWEEP_TRACE, effort=SWEEP_EFFORT), heads=heads)
        for name, heads in product(STATE_BY_HEADS, SWEEP_HEADS)
    ]
    return list(dict.fromkeys(by_width + by_heads))


EXPERIMENT = Experiment.of_presets(
    name="is-tree",
    question="Which architecture learns to decide IsTree, and with which chain of thought?",
    searches={},
    lists={"quick": quick, "paper": paper, "length-scaling": reach, "length": lengths, "state": states, "uniform": uniform},
)
