"""Sections of docs/reproduction.md from the presets `reach` and `state-bits`, which say how far their sweep came; and the
picture of the second, docs/state-bits.svg."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pages._markdown import markdown, table
from seqsep.experiments import BY_NAME, Experiment, Reach
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.names import narrowed
from seqsep.report.experiment_table import states_table
from seqsep.report.figures.picture_file import svg_text
from seqsep.report.figures.used_bits import draw_used_bits
from seqsep.report.measured import GOAL, chance
from seqsep.report.numerals import DASH, count, counts, listed, percent
from seqsep.report.reach import (
    PAPER_SETTINGS,
    ReachLine,
    experiment_reach,
    headline,
    positions_sentence,
    seeds_of,
    with_learned_positions,
)
from seqsep.report.result_table import Cell, ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.report.used_bits import found_at, model_words, part_of_states, settings_sentence, used_bits, used_bits_caption
from seqsep.tasks import Task

PICTURED = (
    "Bits of its state that each model's accuracy proves to be used, over the bits of its state, a panel a length, beside "
    "curves of all of a state, 10 %, 1 % and 0.1 % of it"
)
"""What docs/state-bits.svg shows."""


def reach_section(experiment: Experiment, rows: Sequence[Row]) -> str:
    """How far each architecture reaches under both choices of positions, its window of rates, and why it falls."""
    lines = experiment_reach(experiment, rows)
    parts = [
        f"\n### {experiment.name}: how far each architecture reaches\n\n{part_of_reach(experiment, rows)}\n",
        *(f"\n{sentence}.\n" for sentence in (headline(lines), positions_sentence(lines)) if sentence),
        "\nRates that learn: how many of those tried reach 99 % at the shortest length, within the steps of the first runs "
        "there, at the embedding scale where most do; rates beyond the first ones are tried at one scale alone.\n",
    ]
    without = [line for line in lines if line.model.positions == "none"]
    as_in_papers = "Without positions, those that have none in their papers"
    for title, alike in (("All with learned positions", with_learned_positions(lines)), (as_in_papers, without)):
        if alike:
            steps = counts([run.steps_allowed for line in alike for run in line.runs])
            theirs = f"; the paper's: {PAPER_SETTINGS}" if any(line.paper for line in alike) else ""
            parts += [f"\n{title}; at most {steps} steps{theirs}:\n\n", _reaches(alike), "\n", _reach_cells(alike)]
    reasons = [f"* {line.why}.\n" for line in lines if line.why]
    if reasons:
        parts += ["\nWhere each falls, as measured:\n\n", *reasons]
    return "".join(parts)


def part_of_reach(experiment: Experiment, rows: Sequence[Row]) -> str:
    """How far the sweep came: its rows and its cells."""
    search = narrowed(experiment.search("reach"), Reach)
    made = {(*_kind(row.run), row.run.task) for row in rows}
    shown = [
        (contender, level)
        for contender, level in search.cells
        if any((*_kind(run), level.task) in made for run in (contender.run, contender.larger or contender.run))
    ]
    is_one = len({contender.run.layers for contender in search.contenders}) == 1
    done = {row.key for row in rows if row.has_outcome}
    is_whole = all(run.key() in done for run in search.runs(rows))
    demo = {run.key() for run in experiment.runs("reach-demo")} & done if "reach-demo" in experiment.presets else ()
    of_demo = f" ({len(demo)} of `reach-demo`)" if demo else ""
    rates = [row.run.learning_rate for row in rows]
    scales = [row.run.embedding_scale for row in rows]
    runs = f"{len(rows)} runs{', which are all' if is_whole else ' so far'}{of_demo}"
    one = "a size" if is_one else "an architecture"
    return (
        f"Ours of the preset `reach`: {runs}, in {len(shown)} of its {len(search.cells)} cells, each {one} with its positions "
        f"at one length. Rates tried: {_each(rates)}; embedding scales tried: {_each(scales)}; not every pair everywhere. "
        f"{_guessing([level.task for level in search.levels])}"
    )


def _kind(run: Run) -> tuple[Any, ...]:
    """What tells a contender's model from others: layers, width and positions."""
    return run.layers, run.width, run.positions_told()


def _each(numbers: Iterable[float]) -> str:
    return listed([f"{number:g}" for number in sorted(set(numbers))])


def _guessing(tasks: Sequence[Task]) -> str:
    """What an answer has that does not depend on the input, at the lengths of a search."""
    found = dict.fromkeys(percent(chance(task)) for task in tasks)
    return f"Guessing has {' to '.join(found)} %."


def states_section(experiment: Experiment, rows: Sequence[Row]) -> str:
    """The picture of the bits that are used, what it shows at each length, and its numbers as a table."""
    states = states_table(experiment, rows)
    guessing = percent(chance(states.tasks[0]))
    found = "".join(f" {found_at(column)}" for column in states.columns)
    return (
        f"\n### {experiment.name}: how many bits of its state are used\n\nOurs {part_of_states(experiment, len(rows))}. "
        f"{settings_sentence(states)}This is what is learned at one setting in so many steps, not what a state of this size "
        f"can be trained to hold: `reach` has that.\n\n![{PICTURED}](state-bits.svg)\n\n"
        "A mark is a model: across the bits of its state, up those about the symbols that its accuracy proves to be in it "
        "(Fano); a curve is a share of the state, and the strip at the bottom has those that prove less than one bit. A state "
        f"may hold more than its model reads.{found}\n\nA cell has the accuracy and the bits that it proves; guessing has "
        f"{guessing} %. Parameters are those at the first length.\n\n{table(_states_lines(states))}"
    )


def states_picture(folder: Path = Path("results")) -> str:
    """docs/state-bits.svg as text; its words are paths, as matplotlib of constraints.txt draws them."""
    experiment = BY_NAME["index-lookup-architectures"]
    rows = read_rows(experiment.rows_file(folder, "state-bits"))
    states = states_table(experiment, rows)
    return svg_text(draw_used_bits(states, used_bits_caption(states, part_of_states(experiment, len(rows)))))


def _states_lines(states: ResultTable) -> list[list[str]]:
    """A row a model, the smallest state of its architecture first."""
    asked = [f"N = {task.length}: %, bits of {task.answer_bits()}" for task in states.tasks]
    lines = [["", "State, bits", "Parameters", *asked]]
    for model in sorted(states.models, key=lambda model: (model.rank[0], _first(states, model).state_bits)):
        first = _first(states, model)
        cells = [_carried(states.cells.get((model, task))) for task in states.tasks]
        lines.append([model_words(model), count(first.state_bits), count(first.best.parameters), *cells])
    return lines


def _first(states: ResultTable, model: SizedModel) -> Cell:
    """The cell of a model at its shortest length."""
    return next(states.cells[model, task] for task in states.tasks if (model, task) in states.cells)


def _carried(cell: Cell | None) -> str:
    """The accuracy in percent, and the bits that it proves to be carried."""
    if cell is None:
        return "not run"
    return f"{percent(cell.best.accuracy)}, {used_bits(cell):.0f}"


def _reaches(lines: Sequence[ReachLine]) -> str:
    """A row a line: up to which length it has 99 %, with its seeds, where it falls, its window of rates, and the paper's.

    The columns of the paper are there if it prints a number for one of the lines.
    """
    are_printed = any(line.paper for line in lines)
    theirs = ["the paper: 99 % up to", "the paper: falls to"] if are_printed else []
    rows = [["", "at least 99 % up to", "falls to", "rates that learn", *theirs]]
    for line in lines:
        passed = "none of the lengths tried"
        if line.passed is not None:
            (cell,) = [cell for task, cell in line.cells.items() if task.length == line.passed]
            passed = f"N = {line.passed} ({line.passing}: {cell.spread})"
        falls = f"no longer input tried than N = {line.passed}"
        if line.fall is not None:
            task, cell = line.fall
            falls = f"{percent(cell.best.accuracy)} at N = {task.length} ({count(cell.best.steps)} steps)"
        rows.append([line.name, passed, falls, line.window.words, *(_papers(line) if are_printed else [])])
    return table(rows)


def _papers(line: ReachLine) -> list[str]:
    """Up to which of the paper's lengths it has 99 %, and what it has at the first where it has less."""
    if not line.paper:
        return ["not in the paper", DASH]
    lost = next(((length, seen) for length, seen in sorted(line.paper.items()) if seen < GOAL), None)
    passed = "no length printed" if line.paper_passed is None else f"N = {line.paper_passed}"
    return [passed, f"not up to N = {max(line.paper)}" if lost is None else f"{percent(lost[1])} at N = {lost[0]}"]


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
    found = f"rate {best.learning_rate:g}, scale {best.embedding_scale:g}, {best.model.size}"
    return f"{percent(best.accuracy)} ({cell.spread}; {seeds_of(cell)}; {count(best.steps)} steps; {found})"
