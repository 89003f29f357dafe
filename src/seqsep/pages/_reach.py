"""Sections of docs/reproduction.md from the presets `reach` and `state-bits`: both say how far their sweep came."""

from collections.abc import Sequence

from seqsep.ceilings import carried_bits
from seqsep.experiments import Experiment
from seqsep.lab.row import Row
from seqsep.mixers.settings import has_heads
from seqsep.pages._markdown import markdown
from seqsep.report.experiment_table import states_table
from seqsep.report.measured import GOAL, Measured
from seqsep.report.numerals import DASH, count, counts, percent
from seqsep.report.reach import ReachLine, headline, like_with_like, positions_sentence, reach_lines
from seqsep.report.result_table import Cell
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IndexLookup


def reach_section(experiment: Experiment, rows: Sequence[Row]) -> str:
    """How far each architecture reaches under both choices of positions, its window of rates, and why it falls."""
    lines = reach_lines([Measured.of(row) for row in rows if row.has_outcome], experiment.paper_figure)
    steps = counts([row.run.steps for row in rows])
    parts = [
        f"\n### {experiment.name}: how far each architecture reaches\n\n{part_of_reach(experiment, rows)}\n",
        *(f"\n{sentence}.\n" for sentence in (headline(lines), positions_sentence(lines)) if sentence),
        "\nRates that learn: of those tried at the shortest length, at the embedding scale where most learn, within the steps "
        "of the first runs.\n",
    ]
    for title, positions in (("All with learned positions", "learned"), ("Positions as in each paper", "default")):
        alike = like_with_like(lines, positions)
        if alike:
            parts += [f"\n{title}; at most {steps} steps:\n\n", _reaches(alike), "\n", _reach_cells(alike)]
    reasons = [f"* {line.why}.\n" for line in lines if line.why]
    if reasons:
        parts += ["\nWhere each falls, as measured:\n\n", *reasons]
    return "".join(parts)


def part_of_reach(experiment: Experiment, rows: Sequence[Row]) -> str:
    """How far the sweep came: its rows, its cells, and the run that it would train next."""
    search = experiment.search("reach")
    assert search is not None
    done = {row.key for row in rows if row.has_outcome}
    left = [run for run in search.runs(rows) if run.key() not in done]
    cells = {(SizedModel.of(row.run), row.run.task) for row in rows}
    shown = {(model.architecture, model.positions, task) for model, task in cells}
    next_run = f"the next run is {left[0].label()}, positions {left[0].positions}" if left else "nothing of it is left to train"
    return (
        f"Ours of the preset `reach`: {len(rows)} runs, which have {len(shown)} of the cells of every architecture under both "
        f"choices of positions at every length; {next_run}."
    )


def states_section(experiment: Experiment, rows: Sequence[Row]) -> str:
    """How many bits of its state each architecture uses: at each length the state that carries most, and its share."""
    table = states_table(experiment, rows)
    search = experiment.search("state-bits")
    assert search is not None
    lines = []
    for name in dict.fromkeys(model.family for model in table.models):
        models = [model for model in table.models if model.family == name]
        cells = [[table.cells[model, task] for model in models if (model, task) in table.cells] for task in table.tasks]
        lines.append((models[0].style.title, [_most_bits(same) for same in cells]))
    cells_used = markdown((task.length for task in table.tasks), lines, corner="Bits carried, at least")
    return (
        f"\n### {experiment.name}: how many bits of its state are used\n\nOurs of the preset `state-bits`: {len(rows)} of its "
        f"{search.size} runs, one layer, learned positions, scale 0.3, rate 0.001, {counts([row.run.steps for row in rows])} "
        "steps. A cell is the state of the architecture that carries most: the bits about the symbols that its accuracy proves "
        f"(Fano), of the bits that it has.\n\n{cells_used}"
    )


def _most_bits(cells: Sequence[Cell]) -> str:
    """The cell whose accuracy proves most bits, with its state and the share of it."""
    proved = [
        (carried_bits(cell.best.task, cell.best.shown_accuracy), cell)
        for cell in cells
        if isinstance(cell.best.task, IndexLookup)
    ]
    if not proved:
        return "not run"
    bits, cell = max(proved, key=lambda pair: pair[0])
    best = cell.best
    carried = f"{bits:.0f} of {count(cell.state_bits)} ({100 * bits / cell.state_bits:.2g} %)"
    if bits < 1:
        carried = f"under 1 of {count(cell.state_bits)}"
    sizes = [f"width {best.model.width}"]
    if has_heads(best.model.layers):
        sizes.append(f"heads {best.heads}")
    settings = best.model.architecture.removeprefix(best.model.family).strip("()")
    if settings:
        sizes.append(settings.replace("=", " "))
    return f"{carried} at accuracy {percent(best.accuracy)}, {', '.join(sizes)}"


def _reaches(lines: Sequence[ReachLine]) -> str:
    """A row a line: how far it stays above 99 %, where it falls, the paper's, and the window of rates."""
    head = ("", "above 99 % up to", "falls to", "rates that learn", "the paper above 99 % up to", "the paper falls to")
    rows = [head, ("---",) * len(head)]
    for line in lines:
        falls = "not seen"
        if line.fall is not None:
            task, cell = line.fall
            falls = f"{percent(cell.best.accuracy)} at N = {task.length} ({count(cell.best.steps)} steps)"
        lost = next(((length, seen) for length, seen in sorted(line.paper.items()) if seen < GOAL), None)
        paper_falls = DASH if lost is None else f"{percent(lost[1])} at N = {lost[0]}"
        passed = "no length tried" if line.passed is None else f"N = {line.passed}"
        paper_passed = DASH if line.paper_passed is None else f"N = {line.paper_passed}"
        rows.append((line.name, passed, falls, line.window.words, paper_passed, paper_falls))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _reach_cells(lines: Sequence[ReachLine]) -> str:
    """The best cell of each line at each length, with what it was found with."""
    tasks = sorted({task for line in lines for task in line.cells}, key=lambda task: task.length)
    return markdown(
        (task.length for task in tasks),
        [(line.name, [_found_with(line.cells.get(task)) for task in tasks]) for line in lines],
    )


def _found_with(cell: Cell | None) -> str:
    if cell is None:
        return "not run"
    best = cell.best
    seeds = f"{len(cell.seeds)} seed{'s' * (len(cell.seeds) > 1)}"
    found = f"rate {best.learning_rate:g}, scale {best.embedding_scale:g}, {best.model.size}"
    return f"{percent(best.accuracy)} ({cell.spread}; {seeds}; {count(best.steps)} steps; {found})"
