"""The claims of section 6 and appendix H of Bhattamishra et al. 2024 (arXiv:2406.09347), and the runs that decide them.

A claim that a model learns is decided by one run of the paper's size, with two more seeds if a run takes minutes. A claim that
a model fails has two runs: a smaller model or a shorter training that could contradict it, and the paper's size with all of its
250,000 steps, which could reproduce it. Learning rate 0.001 with a cosine, learned positions and a target of 99.9 % for all.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from seqsep.experiments.claims.claim import NEAR_PERFECT, Accuracy, Claim, Order, Speed
from seqsep.experiments.papers import PaperModel, paper_models
from seqsep.experiments.recipe import STEPS, learned_positions, lookup_run, lookup_task
from seqsep.lab.run import Run
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, Task

PAPER_STEPS = 250_000
SMALLER_DEPTH = 2
TRIAL_STEPS = 16_000
SEEDS = (0, 1, 2)
FEW_THOUSAND = 10_000
PAIRS = (("lstm", 1, 64), ("mamba", 1, 64), ("attention", 2, 64))
MEMBERS = ("lstm", "linear-attention", "retention", "dss", "mamba", "attention")


def _lookup(layers: tuple[str, ...], width: int, task: Task, steps: int, seed: int = 0) -> Run:
    return lookup_run(layers, width, task.length, steps=steps, seed=seed)


def decision_run(layers: tuple[str, ...], width: int, task: Task, steps: int, seed: int = 0) -> Run:
    """Return a run of a task that asks at every position or once at the end; initial scales as in the preset `quick`."""
    return Run(
        task=task,
        layers=layers,
        width=width,
        steps=steps,
        seed=seed,
        decay="cosine",
        positions=learned_positions(layers[0]),
        embedding_scale=0.3,
        weight_scale=0.09,
        evaluate_every=250,
        target=0.999,
    )


def _accuracy(
    name: str, source: str, task: Task, size: PaperModel, printed: float | None, make: Callable[..., Run]
) -> Accuracy:
    """Return the claim of one cell, near-perfect or not, with its runs."""
    layers = (size.architecture,) * size.depth
    learns = printed is None or printed >= NEAR_PERFECT
    if learns and size.architecture == "attention":
        steps = STEPS.get(task.length, TRIAL_STEPS) if isinstance(task, IndexLookup) else TRIAL_STEPS
        runs = tuple(make(layers, size.width, task, steps, seed) for seed in SEEDS)
    elif learns:
        runs = (make(layers, size.width, task, TRIAL_STEPS),)
    else:
        smaller = make(layers[:SMALLER_DEPTH], size.width, task, TRIAL_STEPS)
        runs = (smaller, replace(make(layers, size.width, task, PAPER_STEPS), evaluate_every=2500))
    return Accuracy(name, source, task, layers, size.width, printed, learns, PAPER_STEPS, runs)


def _cells(figure: str, name: Callable[[PaperModel], str], source: str, task: Callable[[int], Task]) -> Iterator[Accuracy]:
    """Yield a claim for each model and length of a figure, lengths in their order."""
    make = _lookup if figure in ("figure2_index_lookup", "figure3_mamba_width_index_lookup") else decision_run
    for model in paper_models(figure):
        for length, printed in model.accuracy.items():
            yield _accuracy(f"{name(model)}-{length}", source, task(length), model, printed, make)


def figure_2_lookup() -> list[Claim]:
    """Return the claims of figure 2, left and middle."""
    cells = list(
        _cells(
            "figure2_index_lookup",
            lambda model: f"figure-2-{model.architecture}",
            "figure 2, left",
            lookup_task,
        )
    )
    at = {(claim.layers[0], claim.task.length): claim for claim in cells}
    claims: list[Claim] = [*cells]
    for length in (50, 100, 200, 400):
        others = tuple(at[name, length] for name in MEMBERS if name != "attention" and _falls(at[name, length]))
        statement = f"attention (1, 64) is above {', '.join(claim.layers[0] for claim in others)} at N = {length}"
        claims.append(Order(f"figure-2-order-{length}", "figure 2, left", statement, at["attention", length], others))
    statement = "attention (1, 64) is near-perfect at N = 200 within a few thousand steps, here 10,000"
    claims.append(Speed("figure-2-curve-200", "figure 2, middle", statement, at["attention", 200], FEW_THOUSAND))
    return claims


def _falls(claim: Accuracy) -> bool:
    return not claim.learns


def figure_2_dyck() -> list[Claim]:
    """Return the claims of figure 2, right, which has curves and words and no numbers."""
    claims: list[Claim] = []
    for name, depth, width in PAIRS:
        size = PaperModel(name, f"{name}-({depth},{width})", depth, width, {})
        for length in (100, 400):
            claims.append(
                _accuracy(f"figure-2-dyck-{name}-{length}", "figure 2, right", BoundedDyck(length), size, None, decision_run)
            )
    wide = PaperModel("attention", "attention-(1,256)", 1, 256, {})
    learned = _accuracy("figure-2-dyck-one-layer-100", "section 6", BoundedDyck(100), wide, None, decision_run)
    failed = _accuracy("figure-2-dyck-one-layer-400", "figure 2, right", BoundedDyck(400), wide, 0.0, decision_run)
    return [*claims, learned, replace(failed, printed=None)]


def figure_3() -> list[Claim]:
    """Return the claims of figure 3: two layers of Mamba by width, and attention above the widest of them."""
    cells = list(
        _cells(
            "figure3_mamba_width_index_lookup",
            lambda model: f"figure-3-width-{model.width}",
            "figure 3",
            lookup_task,
        )
    )
    at = {(claim.width, claim.task.length): claim for claim in cells}
    attention = {
        claim.task.length: claim
        for claim in figure_2_lookup()
        if isinstance(claim, Accuracy) and claim.layers[0] == "attention"
    }
    orders = [
        Order(
            f"figure-3-order-{length}",
            "appendix H.1",
            f"attention (1, 64) is above two layers of Mamba of width 1,024 at N = {length}",
            attention[length],
            (at[1024, length],),
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
    for name in MEMBERS:
        size = PaperModel(name, f"{name}-(2,256)", 2, 256, {})
        claims.append(
            _accuracy(f"equality-one-{name}-400", "appendix H.2", Equality(400, variant="one"), size, None, decision_run)
        )
    return claims


def _name_of_equality(variant: str, model: PaperModel) -> str:
    return f"figure-4-{variant}-{model.architecture}"


def claims_of_separations() -> list[Claim]:
    """Return all claims, figure by figure."""
    return [*figure_2_lookup(), *figure_2_dyck(), *figure_3(), *figure_4()]
