"""Tables of an experiment: the numbers of its figure, nothing lost in CSV, and LaTeX that no name can break."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from statistics import mean

import pytest

from seqsep.core.tables import as_csv
from seqsep.lab.answers import limits
from seqsep.models.mixers import BY_NAME
from seqsep.models.mixers.settings import has_heads
from seqsep.models.model import Model
from seqsep.report.captions import HEATMAP
from seqsep.report.figures.results import draw_results
from seqsep.report.formatting import percent
from seqsep.report.result_table import ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.report.table_files import ROWS_OF_A_PAGE, as_latex, escaped, records, write_tables
from seqsep.tasks import IndexLookup

DOCUMENT = (
    "\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\nText \\input{{{0}}} text.\n\\end{{document}}\n"
)


def paper(one, task):
    return 0.902 if one.architecture == "mamba" else None


@pytest.fixture
def table(measured):
    """Two lengths. The LSTM has three seeds of the better of two rates at N = 20, and too small a state at N = 2,000."""
    lookup = [
        measured(IndexLookup(20), "lstm", accuracy, learning_rate=rate, seed=seed, steps=700, state_bits=(4096, 0))
        for accuracy, rate, seed in ((0.2, 1e-3, 0), (0.5123, 3e-3, 0), (0.9, 3e-3, 1), (0.4, 3e-3, 2))
    ]
    lookup.append(measured(IndexLookup(2000), "lstm", 0.3, state_bits=(4096, 0)))
    attention = measured(IndexLookup(20, alphabet=16), "attention", 0.99996, heads=8, state_bits=(128, 4096))
    return ResultTable.of("Some & title\nof 100 %", [*lookup, attention, measured(IndexLookup(20), "mamba", 0.25)], paper)


def read_back(table):
    return list(csv.DictReader(io.StringIO(as_csv(records(table)))))


def test_a_row_has_the_numbers_of_its_cell(table):
    rows = {(row["architecture"], row["task"], int(row["length"])): row for row in read_back(table)}
    assert len(rows) == 4
    lstm = rows["lstm", "index-lookup", 20]
    assert lstm == {
        "task": "index-lookup",
        "length": "20",
        "architecture": "lstm",
        "depth": "1",
        "width": "64",
        "heads": "",
        "positions": "",
        "learning_rate": "0.003",
        "embedding_scale": "0.02",
        "accuracy_best": "0.5123",
        "accuracy_least": "0.4",
        "accuracy_median": "0.5123",
        "accuracy_greatest": "0.9",
        "accuracy_mean": repr(mean((0.5123, 0.9, 0.4))),
        "accuracy_low": repr(limits(0.5123, 5000)[0]),
        "accuracy_high": repr(limits(0.5123, 5000)[1]),
        "accuracy_per_answer": "",
        "chance": "",
        "loss_nats": "2.0",
        "seeds": "3",
        "runs": "2",
        "steps": "700",
        "steps_allowed": "1000",
        "paper_accuracy": "",
        "ceiling": "1.0",
        "state_bits": "4096",
        "parameters": "44736",
        "batch": "64",
        "weight_scale": "0.02",
        "settings": "",
    }
    attention = rows["attention", "index-lookup alphabet=16", 20]
    assert (attention["heads"], attention["state_bits"]) == ("8", str(128 + 20 * 4096))
    assert rows["mamba", "index-lookup", 20]["paper_accuracy"] == "0.902"
    small = rows["lstm", "index-lookup", 2000]
    [shown] = [shown for (_, task), shown in table.cells.items() if task.length == 2000]
    assert float(small["ceiling"]) == shown.ceiling < 1


def test_the_numbers_are_those_of_the_figure(table):
    """Every accuracy, range over seeds, paper's number and ceiling that the figure prints is in the table, in its words."""
    words = [text.get_text() for text in draw_results(table, HEATMAP).axes[0].texts]
    latex = as_latex(table)
    for shown in table.cells.values():
        assert percent(shown.best.accuracy) in words
        assert f" & {percent(shown.best.accuracy)} & {percent(min(shown.seeds))} & {percent(mean(shown.seeds))} & " in latex
        assert set(shown.lines) <= set(words)
    assert "3 seeds 40.0–90.0" in words
    assert " & 51.2 & 40.0 & 60.4 & 90.0 & 3 & 2 & 700 & --- & --- & --- & 100 & 2 & 4,096 & 44,736 \\\\" in latex
    assert "paper 90.2" in words
    assert " & 90.2 & 100 & " in latex
    assert "99.996" in latex


def test_a_run_that_diverged_is_not_the_best(measured):
    runs = [measured(IndexLookup(20), "lstm", 0.9, learning_rate=1e-2, failed=True), measured(IndexLookup(20), "lstm", 0.6)]
    [row] = read_back(ResultTable.of("title", runs, paper))
    assert (row["accuracy_best"], row["learning_rate"], row["runs"]) == ("0.6", "0.001", "2")


@pytest.mark.parametrize("name", [name for name in BY_NAME if not has_heads([name])])
def test_heads_change_nothing_where_none_are_shown(name):
    def shapes(heads):
        model = Model.build(8, 4, 6, [name], 8, heads)
        return [(key, value.shape) for key, value in model.state_dict().items()], model.state_bits()

    assert shapes(1) == shapes(4)


def test_heads_are_shown_of_mixers_that_have_heads():
    """Those that ask that the number of heads divides their width."""
    picky = set()
    for name in BY_NAME:
        try:
            Model.build(8, 4, 6, [name], 8, 3)
        except ValueError:
            picky.add(name)
    assert picky == {name for name in BY_NAME if has_heads([name])}


def test_every_row_of_a_tabular_has_all_its_columns(table):
    lines = as_latex(table).splitlines()
    [columns] = [line.count("l") + line.count("r") for line in re.findall(r"begin{tabular}{(\w+)}", as_latex(table))]
    body = [line for line in lines if line.endswith(r"\\") and not line.startswith(r"\multicolumn")]
    spans = [sum(int(width) - 1 for width in re.findall(r"\\multicolumn{(\d+)}", line)) for line in body]
    assert {line.count(" & ") + 1 + more for line, more in zip(body, spans, strict=True)} == {columns}
    assert len(body) == 2 + 4
    assert lines[0] == "% Some & title of 100 %: a row for each cell of the figure. Needs booktabs."


def test_a_long_table_is_cut_into_pages(measured):
    runs = [measured(IndexLookup(20), "mamba", 0.5, model=SizedModel(("mamba",), 1 + width)) for width in range(95)]
    latex = as_latex(ResultTable.of("title", runs, paper))
    pages = latex.split(r"\medskip")
    assert [page.count("Mamba (1,") + page.count("\nMamba &") for page in pages] == [ROWS_OF_A_PAGE, ROWS_OF_A_PAGE, 15]
    assert all(page.count(part) == 1 for page in pages for part in (r"\toprule", r"\bottomrule", r"\endgroup"))


def test_nothing_in_a_name_is_a_command():
    for letter in '\\{}$&%#_~^<>|[]"–—\n\t\x00é层':
        found = escaped(f"a{letter}b")
        assert found.isascii()
        assert found.isprintable()
        assert found != f"a{letter}b"
    assert escaped("a_b & 100 %") == r"a\_b \& 100 \%"
    assert escaped("\\") == r"\textbackslash{}"


def test_equal_rows_give_equal_files(table, tmp_path):
    first = [path.read_bytes() for path in write_tables(table, tmp_path / "a", "x")]
    assert first == [path.read_bytes() for path in write_tables(table, tmp_path / "b", "x")]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["x.csv", "x.tex"]
    assert not any(b"\r" in text for text in first)
    nothing = ResultTable.of("title", [], paper)
    assert as_csv(records(nothing)) == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles_it(measured, table, tmp_path):
    evil = SizedModel((r"A_{$&%#~^\x}[<|>]" + '"é层',), 8)
    runs = [run for shown in table.cells.values() for run in shown.runs]
    rows = [*runs, replace(runs[0], model=evil), replace(runs[0], task=IndexLookup(20, alphabet=3))]
    write_tables(ResultTable.of(r"\title %", rows, paper), tmp_path, "x_y")
    (tmp_path / "all.tex").write_text(DOCUMENT.format("x_y.tex"))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
