"""The section of docs/reproduction.md on the experiment `is-tree`: who learns it, and with which thought."""

from collections.abc import Sequence

from seqsep.experiments import Experiment
from seqsep.experiments.is_tree import READINGS
from seqsep.lab.row import Row
from seqsep.pages._markdown import table
from seqsep.report.is_tree_table import (
    WITHOUT_STATE,
    IsTreeCell,
    is_tree_cells,
    table_of_length,
    table_of_paper,
    table_of_speed,
    table_of_trace,
)
from seqsep.report.numerals import counts, listed, percent


def is_tree_section(experiment: Experiment, preset: str, rows: Sequence[Row]) -> str:
    """Live accuracy at each length, beside parameters, bits of state and the paper's; which thought is learned first."""
    cells = is_tree_cells(rows)
    lengths = sorted({task.length for _, task in cells})
    runs = [row.run for row in rows]
    rates = sorted({run.learning_rate for run in runs})
    parts = [
        f"\n## {experiment.name}: the preset {preset}\n\n{experiment.question}\n\nOurs: {len(rows)} of "
        f"{len(experiment.runs(preset))} runs, of at most "
        f"{counts([run.steps for run in runs])} steps of {counts([run.batch for run in runs])} double stars; rates "
        f"{listed([f'{rate:g}' for rate in rates])}. The first number is live accuracy in "
        f"percent, over {counts([run.live for run in runs])} graphs: the model writes the thought, a retriever answers its "
        'queries, an answer that never comes ("no answer", in percent where there are such) counts 1/2. "All right": thought '
        "and answer token by token, behind the right tokens (teacher-forced). State bits are counted once the prompt is "
        "read.\n",
    ]
    traces = sorted({task.trace for _, task in cells})
    if len(traces) == 1 and len(lengths) > 1:
        parts.append(f"\nThe thought of all is `{traces[0]}`.\n\n{table(table_of_trace(cells))}")
    else:
        parts += [f"\n{table(table_of_length(cells, length))}" for length in lengths]
    of_paper = table_of_paper(lengths) if len(traces) > 1 else []
    if len(of_paper) > 1:
        parts.append(f"\nThe paper's smallest models have, after five million graphs:\n\n{table(of_paper)}")
    parts.append(f"\n{_ceilings(list(cells.values()))}\n")
    if len(traces) > 1:
        parts.append(
            "\nIs a local thought learned sooner? How many graphs had been seen at the first evaluation at which 90 % of the "
            "thoughts were written without an error, teacher-forced; each run has its own number of graphs, over which the "
            f"rate falls to 0:\n\n{table(table_of_speed(cells))}"
        )
    if preset in READINGS:
        parts.append(f"\n{READINGS[preset]}")
    return "".join(parts)


def _ceilings(cells: Sequence[IsTreeCell]) -> str:
    """What a state explains of these numbers."""
    bounded = [cell for cell in cells if cell.ceiling is not None and cell.ceiling < 1]
    limits = (
        f"The state bounds {len(bounded)} of {len(cells)} cells."
        if bounded
        else "No state here is too small for its graphs: every ceiling is 100 %, and it does not forbid what is missing."
    )
    least = percent(WITHOUT_STATE)
    return (
        f"On double stars a state of O(log n) bits is right on {least} % of the graphs, whatever n, and one that is right on "
        f"all has n - 3 bits at least: an accuracy below {least} % says nothing of state. {limits}"
    )
