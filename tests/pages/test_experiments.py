"""The page, picture and CSV file of each experiment show what its committed rows have."""

import csv
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pages._claims import found_in
from pages._experiment_rows import COLUMNS, claims_of, csv_text, hours, result_table
from pages.experiments import (
    EXPERIMENT_PAGES,
    LANGUAGE_CLASSES,
    PLACES,
    SHOWN,
    experiment_page,
    list_of_pages,
    rows_of,
    table_of,
)
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.claims import CLAIMS, claims_named
from seqsep.lab.experiments.claims.claim import Accuracy
from seqsep.lab.experiments.claims.known import shape
from seqsep.lab.row import Row, read_rows
from seqsep.tasks import IsTree

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
FOLDER = ROOT / "docs/reproduction"
MOST_LINES = 150
EACH = pytest.mark.parametrize("name", SHOWN)


@cache
def page_of(name: str) -> str:
    return experiment_page(name, RESULTS)


def table(page: str, beginning: str) -> list[list[str]]:
    """Return the cells of the table whose header begins with these words."""
    lines = page[page.index(f"| {beginning}") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---")]


def accuracy_of(row: Row) -> float:
    return row.result["live_accuracy"] if isinstance(row.run.task, IsTree) else row.result["accuracy"]


def best_by_hand(rows: list[Row]) -> list[float]:
    """Return the accuracies of all seeds of the best setting: the most accurate with the first seed, then the fastest."""
    ended = [row for row in rows if row.finished]
    first = min(row.run.seed for row in ended)
    best = max(
        (row for row in ended if row.run.seed == first),
        key=lambda row: (accuracy_of(row), -row.result["steps"], -row.run.learning_rate),
    )
    return [accuracy_of(row) for row in ended if replace(row.run, seed=0) == replace(best.run, seed=0)]


def test_every_file_of_rows_is_on_one_page():
    shown = [LANGUAGE_CLASSES, *(stem for page in SHOWN.values() for stem in page.stems)]
    assert sorted(shown) == sorted(path.stem for path in RESULTS.glob("*.jsonl"))


def test_every_page_is_in_the_index_with_its_files():
    listed = list_of_pages()
    for name in (*SHOWN, PLACES, LANGUAGE_CLASSES):
        assert f"]({name}.md)\n" in listed
        picture = SHOWN[name].picture if name in SHOWN else ""
        kinds = {"md", "csv"} | (set() if picture else {"svg"})
        assert {Path(path).suffix[1:] for path in EXPERIMENT_PAGES if Path(path).stem == name} == kinds
    assert {path.name for path in FOLDER.iterdir()} == {"index.md", *(Path(path).name for path in EXPERIMENT_PAGES)}


@EACH
def test_a_page_has_its_parts_in_order(name):
    page = page_of(name)
    assert page.count("\n") <= MOST_LINES
    parts = [f"# {SHOWN[name].title}\n\n{SHOWN[name].question}\n\n| Set-up", "## Result", "| Accuracy, %", "![", "## Repeat it"]
    parts += [f"[{name}.csv]({name}.csv)", "```console\n$ seqsep run ", "## Claims"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert page.count("\n| Accuracy, %") == page.count("\n![") == 1
    assert SHOWN[name].question.endswith("?")
    settings = {line[0]: line[1] for line in table(page, "Set-up")}
    assert settings["Runs"].startswith(str(len(rows_of(name, RESULTS))))


@EACH
def test_the_table_has_the_best_setting_of_each_cell(name):
    """Each cell is found again in the rows, without the code of the report."""
    header, *lines = table(page_of(name), "Accuracy, %")
    lengths = [int(title.removeprefix("N = ")) for title in header if title.startswith("N = ")]
    found = table_of(name, RESULTS)
    cells: dict[tuple[object, ...], list[Row]] = {}
    for row in rows_of(name, RESULTS):
        heads = row.run.heads if SHOWN[name].states else 0
        cells.setdefault((row.run.layers, row.run.width, row.run.positions_told(), heads, row.run.task), []).append(row)
    cells = {place: rows for place, rows in cells.items() if any(row.finished for row in rows)}
    shown = sorted(cell for line in lines for cell in line[-len(lengths) :] if cell != "not run")
    assert len(shown) == len(cells) == len(found.cells)
    expected = []
    for rows in cells.values():
        seeds = best_by_hand(rows)
        ends = [rounded(seed) for seed in (min(seeds), max(seeds))]
        expected.append(ends[0] if ends[0] == ends[1] else "–".join(ends))
    assert shown == sorted(expected)


def rounded(share: float) -> str:
    """Return a share in percent that hides neither that it is below 99 nor that it is below 100."""
    for decimals in (1, 2, 3):
        text = f"{100 * share:.{decimals}f}"
        if not any(share < bar <= float(text) / 100 for bar in (0.99, 1)):
            return text
    raise AssertionError(share)


@EACH
def test_the_csv_file_has_every_row(name):
    lines = list(csv.DictReader(csv_text(rows_of(name, RESULTS)).splitlines()))
    assert list(lines[0]) == list(COLUMNS)
    by_key = {line["key"]: line for line in lines}
    rows = rows_of(name, RESULTS)
    assert len(by_key) == len(lines) == len(rows)
    for row in rows:
        line = by_key[row.key]
        assert (float(line["accuracy"]), int(line["seed"]), int(line["steps"]), int(line["length"])) == (
            row.result["accuracy"],
            row.run.seed,
            row.result["steps"],
            row.run.task.length,
        )
        assert float(line["learning_rate"]) == row.run.learning_rate
        first = next((step for step, accuracy, _ in row.result["curve"] if accuracy >= 0.99), None)
        assert line["first_steps_99"] == ("" if first is None else str(first))


@pytest.mark.parametrize("path", [path for path in EXPERIMENT_PAGES if path.endswith(".svg")])
def test_a_picture_draws_in_every_viewer(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert not re.search(r"var\(|nan|inf\b", text)
    assert {one.tag.rpartition("}")[2] for one in root.iter()} == {"svg", "title", "desc", "path", "text"}
    assert [one for one in root.iter() if one.get("fill") == "none" and one.get("stroke", "").startswith("#")]


@EACH
def test_the_cost_is_that_of_the_steps_taken(name):
    seconds = json.loads((RESULTS / "step-seconds.json").read_text())["core seconds a step"]
    total = 0.0
    for row in rows_of(name, RESULTS):
        evaluations = row.run.evaluation / row.run.batch / row.run.evaluate_every / 3
        total += seconds[shape(row.run)] * row.result["steps"] * (1 + evaluations) / 3600
    said = hours([(row.run, row.result["steps"]) for row in rows_of(name, RESULTS)], RESULTS)
    assert f"Training takes about {said}. " in page_of(name)
    number = float(said.split()[0].replace(",", ""))
    assert number == pytest.approx(60 * total if "minute" in said else total, rel=0.06, abs=0.6)


def test_every_claim_with_a_row_is_on_a_page():
    """The page that a claim is on has the row that decides it."""
    found = found_in(RESULTS)
    decided = {claim.name for claim in CLAIMS if isinstance(claim, Accuracy) and found.evidence[claim.name].best}
    on_pages: dict[str, str] = {}
    for name in SHOWN:
        page = page_of(name).split("## Claims")[1]
        keys = {row.key for row in rows_of(name, RESULTS)}
        for by_verdict in claims_of(rows_of(name, RESULTS), RESULTS).values():
            for verdict, names in by_verdict.items():
                for claim in names:
                    assert found.evidence[claim].best.key in keys
                    assert f"**{verdict}**" in page
                    assert f"`{claim}`" in page
                    on_pages[claim] = verdict
    assert set(on_pages) == decided
    assert all(found.verdict(claim).status == on_pages[claim.name] for claim in CLAIMS if claim.name in on_pages)


@EACH
def test_the_commands_name_presets_and_claims_that_exist(name):
    commands = re.findall(r"^\$ seqsep run (\S+) --(preset|claim) (\S+)$", page_of(name), re.MULTILINE)
    assert len(commands) == page_of(name).count("\n$ ")
    for experiment, kind, word in commands:
        if kind == "preset":
            assert word in BY_NAME[experiment].presets
        else:
            assert [claim.name for claim in claims_named([word])] == [word]
    runs = {run.key() for experiment, kind, word in commands if kind == "preset" for run in runs_of(experiment, word, name)}
    extra = {"length-scaling-demo", "length-scaling-long", "demo"}
    known = runs | {run.key() for one, _, _ in commands for preset in extra for run in runs_if_any(one, preset, name)}
    if name != "claims-all":
        assert {row.key for row in rows_of(name, RESULTS)} <= known


def runs_of(experiment: str, preset: str, name: str):
    search = BY_NAME[experiment].search(preset)
    rows = rows_of(name, RESULTS)
    if search is None:
        return BY_NAME[experiment].runs(preset)
    if not hasattr(search, "contenders"):
        return search.runs(rows)
    return [run for one in search.contenders for run in replace(search, contenders=(one,)).runs(rows)]


def runs_if_any(experiment: str, preset: str, name: str):
    return runs_of(experiment, preset, name) if preset in BY_NAME[experiment].presets else []


def test_a_page_without_rows_of_pruned_runs_says_nothing_of_them():
    pruned = [name for name in SHOWN if " pruned after " in page_of(name)]
    assert pruned == ["index-lookup-architectures-paper"]


def test_models_that_differ_in_heads_have_rows_of_their_own():
    rows = read_rows(RESULTS / "is-tree-state.jsonl")
    assert len(result_table(rows, by_heads=True).models) == len(rows) > len(result_table(rows).models)
