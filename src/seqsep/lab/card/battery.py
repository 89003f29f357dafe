"""The battery of a layer's card: twelve ladders of tasks in four families, and the recipe by which every layer is trained.

A ladder has rungs of rising difficulty. The first is easy for every layer that trains at all. A rung is passed with 90 % of the
answers right; the score of a ladder is the number of rungs passed from the first one without a gap.

There are two kinds of ladders. In a ladder of *sizes*, a model is trained at each rung and tested there. In a ladder of
*lengths*, one model is trained on inputs of at most `TRAINED_TO` tokens, and tested at the length of each rung. The first
rungs are shorter than that. The model has never seen the lengths of the higher rungs.

The recipe is alike for all layers: two layers of width 64 with 4 heads (a stack of several mixers as it is given), batches of
32 examples, and Adam with a warm-up over 5 % of the steps and then a cosine. The better one of two learning rates counts. The
budget fixes the number of steps, and not the time, so that a slow machine gives the same card.

Models of ladders of sizes have learned positions, so that index lookup is possible for all. Learned positions do not exist
beyond the lengths of training, so models of ladders of lengths have none, and sinusoidal ones if a layer is attention. With
rotary positions only, attention would answer `1` and `1 1` alike, and no weights could count.

`VERSION` changes whenever a number of a card could change. Cards of different versions are not compared.
"""

from dataclasses import dataclass
from typing import Literal

from seqsep.lab.run import Run
from seqsep.models.mixers import Attention
from seqsep.models.mixers.settings import mixer_named
from seqsep.models.model import Positions
from seqsep.models.plugins.layer import UserLayer
from seqsep.tasks import (
    BoundedDyck,
    Equality,
    FlipFlop,
    IndexLookup,
    InductionHeads,
    ModularCount,
    MultiQueryRecall,
    NearestNeighbor,
    SelectiveCopying,
    Task,
    WordProblem,
)

VERSION = 1
PASSED = 0.9
"""The share of right answers from which a rung is passed."""
WIDTH = 64
HEADS = 4
DEPTH = 2
"""Layers of a model, if one mixer is given."""
RATES = (3e-3, 1e-3)
BATCH = 32
EVALUATION = 250
EVALUATIONS = 6
"""Evaluations of a run, evenly spaced. A run that is right ends early, so several of them save time."""
TARGET = 0.995
STEPS = {"2m": 300, "10m": 1500, "1h": 9000}
"""Training steps of a run, by budget. The budget is about the time of a cheap layer on two cores."""
FAMILIES = ("recall", "state", "structure", "search")
TRAINED_TO = 20
"""The greatest length of training inputs in a ladder of lengths."""
LENGTHS = (2, 5, 10, 20, 40, 80)

Layer = str | UserLayer
Budget = Literal["2m", "10m", "1h"]


@dataclass(frozen=True)
class Ladder:
    """Tasks of rising difficulty.

    Fields:
        name: the ability, as a card prints it.
        family: one of `FAMILIES`.
        unit: the quantity that grows from rung to rung.
        rungs: each rung's difficulty with its task.
        is_of_lengths: one model, trained at the rung of length `TRAINED_TO`, is tested at all rungs.
    """

    name: str
    family: str
    unit: str
    rungs: tuple[tuple[int, Task], ...]
    is_of_lengths: bool = False

    def run(self, layers: tuple[Layer, ...], rung: int, rate: float, *, budget: Budget, seed: int = 0) -> Run:
        """Return the training run of a rung, counted from 0, by the recipe of the battery."""
        steps = STEPS[budget]
        rungs = dict(self.rungs)
        trained = TRAINED_TO if self.is_of_lengths else self.rungs[rung][0]
        return Run(
            task=rungs[trained],
            layers=layers if len(layers) > 1 else layers * DEPTH,
            width=WIDTH,
            heads=HEADS,
            steps=steps,
            batch=BATCH,
            learning_rate=rate,
            seed=seed,
            decay="cosine",
            warm_up=steps // 20,
            weight_scale=0.09,
            embedding_scale=0.3,
            evaluate_every=steps // EVALUATIONS,
            evaluation=EVALUATION,
            target=TARGET,
            positions=self._positions(layers),
            test_lengths=tuple(length for length in rungs if length != trained) if self.is_of_lengths else (),
        )

    def _positions(self, layers: tuple[Layer, ...]) -> Positions:
        if not self.is_of_lengths:
            return "learned"
        has_attention = any(isinstance(layer, str) and issubclass(mixer_named(layer), Attention) for layer in layers)
        return "sinusoidal" if has_attention else "none"


def _of_lengths(name: str, family: str, task: Task, lengths: tuple[int, ...] = LENGTHS) -> Ladder:
    """Return the ladder whose rungs are the lengths of one task."""
    from seqsep.lab.lengths import at_length

    return Ladder(name, family, "N", tuple((length, at_length(task, length)) for length in lengths), is_of_lengths=True)


BATTERY = (
    Ladder(
        "index lookup",
        "recall",
        "N",
        tuple((n, IndexLookup(n, alphabet=16, training_inputs="full-length")) for n in (1, 2, 4, 8, 16, 32)),
    ),
    Ladder(
        "multi-query recall",
        "recall",
        "pairs",
        tuple((pairs, MultiQueryRecall(2 * pairs, values=16, least_length=2 * pairs)) for pairs in (1, 2, 4, 8, 16, 32)),
    ),
    Ladder(
        "selective copying",
        "recall",
        "items",
        tuple((k, SelectiveCopying(4 * k, items=k, alphabet=8, least_length=4 * k)) for k in (1, 2, 4, 8, 16, 32)),
    ),
    _of_lengths("induction", "recall", InductionHeads(TRAINED_TO, alphabet=16, least_length=2)),
    _of_lengths("parity", "state", ModularCount(TRAINED_TO, modulus=2, least_length=1)),
    _of_lengths("counting modulo 3", "state", ModularCount(TRAINED_TO, modulus=3, least_length=1)),
    _of_lengths("words of S_3", "state", WordProblem(TRAINED_TO, degree=3, least_length=1)),
    _of_lengths("words of S_5", "state", WordProblem(TRAINED_TO, degree=5, letters="generators", least_length=1)),
    _of_lengths("flip-flop", "state", FlipFlop(TRAINED_TO, least_length=2)),
    Ladder(
        "brackets",
        "structure",
        "N",
        tuple((n, BoundedDyck(n, kinds=2, depth=3)) for n in (2, 4, 8, 16, 32, 64)),
    ),
    Ladder(
        "equality",
        "structure",
        "N",
        tuple((n, Equality(n, variant="one", alphabet=4, least_length=n)) for n in (2, 4, 8, 16, 32, 64)),
    ),
    Ladder(
        "nearest neighbour",
        "search",
        "N",
        tuple((n, NearestNeighbor(n, dimension=8, least_length=n)) for n in (2, 4, 8, 16, 32, 64)),
    ),
)
"""The twelve ladders, by family."""
BY_NAME = {ladder.name: ladder for ladder in BATTERY}


def ladders_of(names: tuple[str, ...]) -> tuple[Ladder, ...]:
    """Return the ladders of these families or names, in the order of the battery; all for no name.

    Raises ValueError for a name that is neither.

    >>> [ladder.name for ladder in ladders_of(("search", "parity"))]
    ['parity', 'nearest neighbour']
    """
    known = (*FAMILIES, *BY_NAME)
    for name in names:
        if name not in known:
            raise ValueError(f"battery: expected one of {', '.join(known)}, found {name!r}")
    return tuple(one for one in BATTERY if not names or one.family in names or one.name in names)
