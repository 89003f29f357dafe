"""Sentences of an experiment's page on causes that its rows test; each number is read off the rows."""

from collections.abc import Callable, Sequence

from seqsep.core.names import narrowed
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import Row
from seqsep.report.experiment_table import states_table
from seqsep.report.formatting import count, percent
from seqsep.report.measured import GOAL, RunSummary
from seqsep.report.sized_model import SizedModel
from seqsep.report.used_bits import found_at
from seqsep.tasks import IndexLookup, IsTree

Note = Callable[[Sequence[Row]], list[str]]
FIRST_SYMBOLS = 4
"""Of equal halves, the symbols that a shortcut compares."""
ANSWERED = 0.9
"""If at least this part of the answers is right after the right thought, the answer is not what fails."""


def positions(rows: Sequence[Row]) -> list[str]:
    """Return how many architectures learn the shortest length with learned positions and without."""
    shortest = min(row.run.task.length for row in rows)
    by_size = len({row.run.layers[0] for row in rows}) == 1
    best: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for row in rows:
        if row.run.task.length == shortest and row.finished:
            model = SizedModel.of(row.run)
            name = f"{model.title} {model.size}" if by_size else model.title
            found = best[model.positions == "learned"]
            found[name] = max(found.get(name, 0.0), row.result["accuracy"])
    both = [name for name in best[False] if name in best[True]]
    learned, without = ([best[told][name] for name in both] for told in (True, False))
    passing = [sum(one >= GOAL for one in found) for found in (learned, without)]
    kind = "sizes" if by_size else "architectures"
    return [
        f"Positions: {len(both)} {kind} were trained at N = {shortest} with learned positions and without. "
        f"With learned positions {passing[0]} of them have 99 %, without positions {passing[1]}. "
        f"The best of them without positions has {percent(max(without))} %. "
        f"Learned positions raise the accuracy of {sum(a > b for a, b in zip(learned, without, strict=True))} of {len(both)}."
    ]


READINGS = """Appendix H.1 draws a length k between 10 and N, then "N symbols", then a position up to k.
It can be read in three ways:

* `drawn-length`: training inputs have k symbols, and a uniform position.
* `full-length`: training inputs have N symbols, and a uniform position.
* `drawn-position`: training inputs have N symbols, and a uniform position up to k."""


def readings(rows: Sequence[Row]) -> list[str]:
    """Return how fast attention is under each reading, and which positions are missing if it stays below."""
    longest = max(row.run.task.length for row in rows)
    said = []
    for row in rows:
        task = narrowed(row.run.task, IndexLookup)
        if task.length == longest:
            steps = RunSummary.of(row).steps_to_goal
            when = (
                f"stays below 99 % within {count(row.run.steps)} steps"
                if steps is None
                else f"first has 99 % after {count(steps)} steps"
            )
            said.append(f"* Under `{task.training_inputs}`, attention {when} at N = {longest}.")
    below = [row for row in rows if row.result["accuracy"] < 0.999 and "accuracy_by_tenth" in row.result]
    tenths = [row.result["accuracy_by_tenth"] for row in below]
    last = sum(min(found) == found[-1] for found in tenths)
    return [
        READINGS,
        "\n".join(sorted(said)),
        f"{len(below)} of {len(rows)} runs end below 99.9 %. In {last} of them the last tenth of the positions is the worst.",
        'The paper says that attention is near-perfect at N = 200 "within a few thousand steps". '
        "So the demo and the claims train with `full-length`. "
        "This does not show which reading the authors implemented.",
    ]


def used_bits(rows: Sequence[Row]) -> list[str]:
    """Return the bits of the states that the accuracies prove to be used, and how far heads change parameters."""
    states = states_table(BY_NAME["index-lookup-architectures"], rows)
    shortest = min(row.run.task.length for row in rows)
    same: dict[str, list[int]] = {}
    for row in rows:
        if (row.run.width, row.run.task.length) == (64, shortest) and str(row.run.layers[0]) in (
            "linear-attention",
            "retention",
            "gated-delta",
            "rwkv7",
        ):
            same.setdefault(str(row.run.layers[0]), []).append(row.result["parameters"])
    most = max(max(found) / min(found) for found in same.values()) - 1
    return [
        "The picture shows the bits about the symbols that an accuracy proves to be in the state (Fano's inequality). "
        "A state may hold more than its model reads.",
        "\n".join(f"* {found_at(column)}" for column in states.columns),
        f"Heads change the state and hardly the parameters: at width 64, by at most {percent(most)} %.",
    ]


def shortcut(rows: Sequence[Row]) -> list[str]:
    """Return what a model has that compares the first symbols only, next to the best run at the longest input."""
    longest = max(row.run.task.length for row in rows)
    best = max(row.result["accuracy"] for row in rows if row.run.task.length == longest)
    have = 1 - (2**-FIRST_SYMBOLS - 2 ** -(longest // 2)) / 2
    return [
        f"A model that compares only the first {FIRST_SYMBOLS} of the {longest // 2} symbols has {percent(have)} % "
        f"at N = {longest}. The best run here has {percent(best)} %."
    ]


def answers(rows: Sequence[Row]) -> list[str]:
    """Return for which thoughts the answer is right after the right thought, and not after the model's own."""
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        trace = narrowed(row.run.task, IsTree).trace
        if trace != "vanilla" and row.finished:
            by_trace.setdefault(trace, []).append(row)
    said = []
    for trace, found in by_trace.items():
        right, own = (min(row.result[name] for row in found) for name in ("answer_accuracy", "live_accuracy"))
        if right >= ANSWERED > own:
            said.append(
                f"If the right `{trace}` is given, every model answers at least {percent(right)} % of the graphs correctly. "
                f"After a thought that it writes itself, the lowest of them has {percent(own)} %. "
                "So the models fail at the thought, and not at the answer."
            )
    return said


NOTES: dict[str, Note] = {
    "dyck-architectures-reach": positions,
    "equality-next-reach": positions,
    "equality-random": shortcut,
    "index-lookup-architectures-reach": positions,
    "index-lookup-architectures-readings": readings,
    "index-lookup-architectures-state-bits": used_bits,
    "is-tree": answers,
    "is-tree-length": answers,
    "is-tree-reach": answers,
    "is-tree-state": answers,
    "is-tree-uniform": answers,
    "mamba-width-reach": positions,
}
"""By the name of the page."""
