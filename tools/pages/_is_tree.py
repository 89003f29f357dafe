"""The section of docs/reproduction.md on the experiment `is-tree`: who learns it, and with which thought."""

from collections.abc import Sequence

from pages._markdown import table
from seqsep.ceilings import ceiling
from seqsep.experiments import Experiment
from seqsep.experiments.is_tree import READINGS
from seqsep.lab.row import Row
from seqsep.report.is_tree_table import (
    GRAPHS,
    WITHOUT_STATE,
    IsTreeCell,
    is_tree_cells,
    table_of_length,
    table_of_paper,
    table_of_speed,
    table_of_trace,
)
from seqsep.report.numerals import counts, listed, percent, percent_at_most
from seqsep.tasks import IsTree


def is_tree_section(experiment: Experiment, preset: str, rows: Sequence[Row]) -> str:
    """Live accuracy at each length, beside parameters, bits of state and the paper's; which thought is learned first."""
    cells = is_tree_cells(rows)
    lengths = sorted({task.length for _, task in cells})
    runs = [row.run for row in rows]
    rates = sorted({run.learning_rate for run in runs})
    tasks = {task for _, task in cells}
    graphs = listed(
        [words for distribution, words in GRAPHS.items() if any(task.distribution == distribution for task in tasks)]
    )
    parts = [
        f"\n## {experiment.name}: the preset {preset}\n\n{experiment.question}\n\nOurs: {len(rows)} of "
        f"{len(experiment.runs(preset))} runs, of at most "
        f"{counts([run.steps for run in runs])} steps of {counts([run.batch for run in runs])} {graphs}; rates "
        f"{listed([f'{rate:g}' for rate in rates])}. The first number is live accuracy in "
        f"percent, over {counts([run.live for run in runs])} graphs: the model writes the thought, a retriever answers its "
        'queries, an answer that never comes ("no answer", in percent where there are such) counts 1/2. "All right": thought '
        'and answer token by token, behind the right tokens (teacher-forced). "Forced": the answer alone, behind the right '
        "thought: what live accuracy would be if no thought went wrong. State bits are counted once the prompt is read.\n",
    ]
    traces = sorted({task.trace for task in tasks})
    if len(traces) == 1 and len(lengths) > 1:
        parts.append(f"\nThe thought of all is `{traces[0]}`.\n\n{table(table_of_trace(cells))}")
    else:
        parts += [f"\n{table(table_of_length(cells, length))}" for length in lengths]
    has_papers = len(traces) > 1 and any(task.distribution == "double-star" for task in tasks)
    of_paper = table_of_paper(lengths) if has_papers else []
    if len(of_paper) > 1:
        parts.append(
            "\nThe paper's smallest models have, read off its bars to within 0.3 points, after "
            "at least a million graphs (five million where one did not converge); parameters and bits of state are those of "
            f"these sizes as they are built here:\n\n{table(of_paper)}"
        )
    parts.append(f"\n{_ceilings(list(cells.values()))}\n")
    if len(traces) > 1:
        question = SOONER if len(set(traces) - {"vanilla"}) > 1 else ""
        parts.append(f"\n{question}{SEEN}\n\n{table(table_of_speed(cells))}")
    if preset in READINGS:
        parts.append(f"\n{READINGS[preset]}")
    return "".join(parts)


SOONER = (
    "Which thought is learned sooner, and is it a local one? Local is `walk` alone: its next token is a function of its last "
    "six and of what the retriever finds, but for the answer, which counts. The next token of `peel` depends on every edge at "
    "the vertex written last, on every climb into it and out of it, and on the last pointer; that of `cot` on the edges at one "
    "vertex in their order, on its parent, and on which of its neighbours have been visited. "
)
SEEN = (
    "How many graphs had been seen at the first evaluation at which 90 % of the thoughts were written without an error, "
    "teacher-forced; each run has its own number of graphs, over which the rate falls to 0:"
)


def _ceilings(cells: Sequence[IsTreeCell]) -> str:
    """What a state explains of these numbers."""
    bounded = [cell for cell in cells if cell.ceiling is not None and cell.ceiling < 1]
    limits = (
        f"The state bounds {len(bounded)} of {len(cells)} cells."
        if bounded
        else "No state here is too small for its graphs: every ceiling is 100 %, and it does not forbid what is missing."
    )
    distributions = {cell.task.distribution for cell in cells}
    parts = []
    if "double-star" in distributions:
        least = percent(WITHOUT_STATE)
        parts.append(
            f"On double stars a state of O(log n) bits is right on {least} % of the graphs, whatever n, and one that is right "
            f"on all has n - 3 bits at least: an accuracy below {least} % says nothing of state."
        )
    if "uniform" in distributions:
        lengths = sorted({cell.task.length for cell in cells if cell.task.distribution == "uniform"})
        parts += [_uniform_ceiling(length) for length in lengths]
    return " ".join([*parts, limits])


def _uniform_ceiling(length: int) -> str:
    """What a state of no bits may have on uniform graphs, and what the exact answer needs."""
    task = IsTree(length, distribution="uniform")
    without = percent_at_most(ceiling(task, state_bits=0))
    return (
        f"On uniform graphs of n = {length} the ceiling without any state is {without} %: by it no accuracy below says "
        f"anything of state. One that is right on all has {task.answer_bits()} bits at least, by counting."
    )
