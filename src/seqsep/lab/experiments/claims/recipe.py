"""The recipe that every architecture gets alike on index lookup, in the demo and for the claims of the papers.

Training inputs are N symbols and a uniform position, the likely reading of appendix H.1 (`_readings`). From N = 100 on, the
first 2,000 steps have mixed lengths: they shorten the plateau at the start. All have learned positions, Adam, half a cosine
and embeddings of initial deviation 0.3.
"""

from typing import Literal

from seqsep.lab.run import Run
from seqsep.models.mixers.settings import mixer_named
from seqsep.tasks import IndexLookup

READING = "full-length"
MIXED_STEPS = 2000
MIXED_FROM = 100
"""The length from which the curriculum comes first."""
RATE = 1e-3
STEPS = {20: 1500, 50: 3000, 100: 6000, 200: 6000, 400: 8000}
"""By length, the curriculum among them: enough for one layer of attention of width 64."""


def lookup_task(length: int) -> IndexLookup:
    """Return the task at a length, over 64 symbols, under the likely reading."""
    return IndexLookup(length, training_inputs=READING)


def lookup_run(layers: tuple[str, ...], width: int, length: int, *, steps: int, rate: float = RATE, seed: int = 0) -> Run:
    """Return the run of a model on index lookup.

    >>> run = lookup_run(("attention",), 64, 200, steps=STEPS[200])
    >>> run.training_task(1999).training_inputs, run.training_task(2000).training_inputs
    ('drawn-length', 'full-length')
    """
    return Run(
        task=lookup_task(length),
        layers=layers,
        width=width,
        steps=steps,
        learning_rate=rate,
        seed=seed,
        decay="cosine",
        positions=learned_positions(layers[0]),
        embedding_scale=0.3,
        evaluate_every=250,
        target=0.999,
        mixed_steps=MIXED_STEPS if length >= MIXED_FROM else 0,
    )


def learned_positions(mixer: str) -> Literal["default", "learned"]:
    """Return the setting that gives a mixer learned positions: the default of those whose papers have them."""
    return "default" if mixer_named(mixer).block.positions == "learned" else "learned"
