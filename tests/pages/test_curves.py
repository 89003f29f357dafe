"""The validation curves of docs/reproduction.md are those of the committed rows."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pages._curves import _some, curves_section
from seqsep.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.experiment_table import experiment_table

RESULTS = Path(__file__).parents[2] / "results"
WITH_CURVES = ("index-lookup-architectures", "dyck-architectures")


def number(cell: str) -> int:
    return int(re.sub(r"\D", "", cell))


def rows_of(name):
    files = {preset: BY_NAME[name].rows_file(RESULTS, preset) for preset in ("quick", "paper")}
    return {preset: read_rows(path) for preset, path in files.items() if path.is_file()}


def tables(page: str) -> list[list[list[str]]]:
    """Each table of the page: its lines, cell by cell."""
    found = []
    for part in page.split("\n\n"):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| ")]
        found += [lines] if lines else []
    return found


@pytest.mark.parametrize("name", WITH_CURVES)
def test_the_numbers_are_those_of_the_best_runs(name):
    """Every cell, looked up again in the row of the run that the tables of accuracies call the best."""
    rows = rows_of(name)
    shown = tables(curves_section(BY_NAME[name], rows))
    assert len(shown) == len(rows)
    for (header, *lines), preset in zip(shown, rows, strict=True):
        found = experiment_table(BY_NAME[name], rows[preset])
        longest = max(task.length for task in found.tasks)
        best = [cell.best for (_, task), cell in found.cells.items() if task.length == longest]
        assert len(lines) == len(best) > 0
        names = {label: model for model, label in found.models.items()}
        for label, *cells, arrival in lines:
            [run] = [one for one in best if one.model == names[label]]
            for step, cell in zip(map(number, header[1:-1]), cells, strict=True):
                before = [accuracy for at, accuracy, _ in run.curve if at <= step]
                expected = f"{100 * before[-1]:.1f}" if before and step <= run.steps else "—"
                assert cell == expected, (label, step)
            above = [at for at, accuracy, _ in run.curve if accuracy > 0.99]
            assert arrival == (f"step {above[0]:,}" if above else "—")


def test_what_is_printed_of_the_papers_curves_is_said():
    """No point of theirs is a number here; the heatmap's accuracies at N = 200 are."""
    lookup = curves_section(BY_NAME["index-lookup-architectures"], {})
    dyck = curves_section(BY_NAME["dyck-architectures"], {})
    for page in (lookup, dyck):
        assert "No number of their points is printed, and none is here" in page
        assert not tables(page)
    assert "mamba-(6,256) 28.9 and attention-(1,64) 100.0" in lookup
    assert "attention-(1,256) is near-perfect up to length 100 only" in dyck
    assert curves_section(BY_NAME["mamba-width"], {}) == ""


def test_a_run_that_stopped_has_no_number_behind_its_last_step():
    name = "dyck-architectures"
    rows = rows_of(name)["quick"]
    cut = [replace(row, result={**row.result, "steps": 150, "curve": row.result["curve"][:1]}) for row in rows]
    [(header, *lines)] = tables(curves_section(BY_NAME[name], {"quick": cut}))
    assert header[1:-1] == ["step 150"]
    longer = [*cut[1:], rows[0]]
    [(header, *lines)] = tables(curves_section(BY_NAME[name], {"quick": longer}))
    assert any(line[2:-1] == ["—"] * (len(header) - 3) for line in lines)


def test_columns_are_first_last_and_some_between():
    assert _some([5]) == [5]
    assert _some([1, 2, 3]) == [1, 2, 3]
    assert _some(list(range(0, 101, 10))) == [0, 20, 40, 60, 80, 100]
