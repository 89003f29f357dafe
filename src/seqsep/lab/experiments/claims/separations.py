"""The claims of section 6 and appendix H of Bhattamishra et al. 2024 (arXiv:2406.09347), and the runs that decide them.

A claim that a model learns is decided by one run of the paper's size, with two more seeds if a run takes minutes. A claim that
a model fails has two runs: a smaller model or a shorter training that could contradict it, and the paper's size with all of its
250,000 steps, which could reproduce it. Learning rate 0.001 with a cosine, learned positions and a target of 99.9 % for all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from seqsep.lab.experiments.claims.claim import NEAR_PERFECT, Accuracy, Claim, RankingClaim, Speed
from seqsep.lab.experiments.claims.papers import PaperModel, paper_models
from seqsep.lab.experiments.claims.recipe import STEPS, learned_positions, lookup_run, lookup_task
from seqsep.lab.run import Run
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, Task

PAPER_STEPS = 250_000
SMALLER_DEPTH = 2
TRIAL_STEPS = 16_000
SEEDS = (0, 1, 2)
FEW_THOUSAND = 10_000
PAIRS = (("lstm", 1, 64), ("mamba", 1, 64), ("attention", 2, 64))
MEMBERS = ("lstm", "linear-attention", "retention", "dss", "mamba", "attention")


@dataclass(frozen=True)
class PaperAccuracy:
    """One accuracy of a figure before it has runs: a model on a task, and the paper's number, None if it has words."""

    name: str
    source: str
    task: Task
    model: PaperModel
    printed: float | None
    learns: bool

    def claim(self) -> Accuracy:
        """Return the claim with the runs that decide it."""
        return Accuracy(
            name=self.name,
            source=self.source,
            task=self.task,
            layers=self._layers(),
            width=self.model.width,
            printed=self.printed,
            learns=self.learns,
            steps=PAPER_STEPS,
            runs=self._runs(),
        )

    def _layers(self) -> tuple[str, ...]:
        return (self.model.architecture,) * self.model.depth

    def _runs(self) -> tuple[Run, ...]:
        if self.learns and self.model.architecture == "attention":
            steps = STEPS.get(self.task.length, TRIAL_STEPS) if isinstance(self.task, IndexLookup) else TRIAL_STEPS
            return tuple(replace(self._run(self._layers(), steps), seed=seed) for seed in SEEDS)
        if self.learns:
            return (self._run(self._layers(), TRIAL_STEPS),)
        smaller = self._run(self._layers()[:SMALLER_DEPTH], TRIAL_STEPS)
        return (smaller, replace(self._run(self._layers(), PAPER_STEPS), evaluate_every=2500))

    def _run(self, layers: tuple[str, ...], steps: int) -> Run:
        """Return a run by the recipe of index lookup, or for another task with initial scales as in the preset `quick`."""
        if isinstance(self.task, IndexLookup):
            return lookup_run(layers, self.model.width, self.task.length, steps=steps)
        return Run(
            task=self.task,
            layers=layers,
            width=self.model.width,
            steps=steps,
            decay="cosine",
            positions=learned_positions(layers[0]),
            embedding_scale=0.3,
            weight_scale=0.09,
            evaluate_every=250,
            target=0.999,
        )


def _cells(figure: str, name: Callable[[PaperModel], str], source: str, task: Callable[[int], Task]) -> Iterator[Accuracy]:
    """Yield a claim for each model and length of a figure, lengths in their order."""
    for model in paper_models(figure):
        for length, printed in model.accuracy.items():
            yield PaperAccuracy(
                name=f"{name(model)}-{length}",
                source=source,
                task=task(length),
                model=model,
                printed=printed,
                learns=printed >= NEAR_PERFECT,
            ).claim()


def figure_2_lookup() -> list[Claim]:
    """Return the claims of figure 2, left and middle."""
    source = "figure 2, left"
    cells = list(_cells("figure2_index_lookup", lambda model: f"figure-2-{model.architecture}", source, lookup_task))
    at = {(claim.layers[0], claim.task.length): claim for claim in cells}
    claims: list[Claim] = [*cells]
    for length in (50, 100, 200, 400):
        others = tuple(at[name, length] for name in MEMBERS if name != "attention" and not at[name, length].learns)
        claims.append(
            RankingClaim(
                name=f"figure-2-order-{length}",
                source=source,
                statement=f"attention (1, 64) is above {', '.join(claim.layers[0] for claim in others)} at N = {length}",
                above=at["attention", length],
                below=others,
            )
        )
    speed = Speed(
        name="figure-2-curve-200",
        source="figure 2, middle",
        statement="attention (1, 64) is near-perfect at N = 200 within a few thousand steps, here 10,000",
        claim=at["attention", 200],
        most_steps=FEW_THOUSAND,
    )
    return [*claims, speed]


def figure_2_dyck() -> list[Claim]:
    """Return the claims of figure 2, right, which has curves and words and no numbers."""
    places = [(name, depth, width, length, True) for name, depth, width in PAIRS for length in (100, 400)]
    places += [("attention", 1, 256, 100, True), ("attention", 1, 256, 400, False)]
    return [
        PaperAccuracy(
            name=f"figure-2-dyck-{'one-layer' if width == 256 else name}-{length}",
            source="figure 2, right",
            task=BoundedDyck(length),
            model=_model(name, depth, width),
            printed=None,
            learns=learns,
        ).claim()
        for name, depth, width, length, learns in places
    ]


def figure_3() -> list[Claim]:
    """Return the claims of figure 3: two layers of Mamba by width, and attention above the widest of them."""
    figure = "figure3_mamba_width_index_lookup"
    cells = list(_cells(figure, lambda model: f"figure-3-width-{model.width}", "figure 3", lookup_task))
    at = {(claim.width, claim.task.length): claim for claim in cells}
    attention = {
        claim.task.length: claim
        for claim in figure_2_lookup()
        if isinstance(claim, Accuracy) and claim.layers[0] == "attention"
    }
    orders = [
        RankingClaim(
            name=f"figure-3-order-{length}",
            source="appendix H.1",
            statement=f"attention (1, 64) is above two layers of Mamba of width 1,024 at N = {length}",
            above=attention[length],
            below=(at[1024, length],),
        )
        for length in (100, 200, 400)
    ]
    return [*cells, *orders]


def figure_4() -> list[Claim]:
    """Return the claims of figure 4 and of Eq-one, which the paper has in words."""
    claims: list[Claim] = []
    figures = {"random": ("figure4_eq_random", "figure 4, left"), "next": ("figure4_eq_ncp", "figure 4, right")}
    for variant, (figure, source) in figures.items():
        claims += _cells(figure, partial(_name_of_equality, variant), source, partial(Equality, variant=variant))
    of_one = [
        PaperAccuracy(
            name=f"equality-one-{name}-400",
            source="appendix H.2",
            task=Equality(400, variant="one"),
            model=_model(name, 2, 256),
            printed=None,
            learns=True,
        ).claim()
        for name in MEMBERS
    ]
    return [*claims, *of_one]


def _model(name: str, depth: int, width: int) -> PaperModel:
    return PaperModel(architecture=name, label=f"{name}-({depth},{width})", depth=depth, width=width, accuracy={})


def _name_of_equality(variant: str, model: PaperModel) -> str:
    return f"figure-4-{variant}-{model.architecture}"


def claims_of_separations() -> list[Claim]:
    """Return all claims, figure by figure."""
    return [*figure_2_lookup(), *figure_2_dyck(), *figure_3(), *figure_4()]
