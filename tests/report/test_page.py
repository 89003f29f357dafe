"""The page: it shows each number, needs nothing from outside, is well formed, and survives missing and hostile input."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seqsep.models.plugins.name import PlugIn
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import percent, percent_at_most
from seqsep.report.index_lookup_ledger import CODES, TOTALS
from seqsep.report.measured import RunSummary
from seqsep.report.page.is_tree_page import write_is_tree_page
from seqsep.report.page.ledger_charts import CODE_WORDS, TOTAL_WORDS
from seqsep.report.page.page import write_page
from seqsep.report.page.tables import rate_tables
from seqsep.report.plain_table import PlainTable, TableRow
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.tasks.ceilings import index_lookup_ceiling
from support.html_reader import Reader

ARCHITECTURES = ("attention", "lstm", "linear-attention", "retention", "dss", "mamba")
LOOKUP = {20: IndexLookup(20), 50: IndexLookup(50)}
DYCK = BoundedDyck(30)
FINDINGS = PlainTable("title", "corner", (), (TableRow("A finding " * 40, "", ()),))


def read(
    folder: Path,
    fresh: Iterable[RunSummary],
    committed: Iterable[RunSummary] = (),
    theorems: Sequence[Mapping[str, Any]] = (),
    **named: Any,
) -> Reader:
    path = write_page(folder, DemoRuns(tuple(fresh), tuple(committed)), theorems, **named)
    assert path == folder / "index.html"
    return Reader(path.read_text(encoding="utf-8").replace("\u00a0", " "))


def test_shows_every_number(
    tmp_path: Path,
    fresh: list[RunSummary],
    committed: list[RunSummary],
    theorems: list[dict[str, Any]],
    cell_accuracy: Any,
) -> None:
    page = read(tmp_path, fresh, committed, theorems)
    rows = [row for row in page.rows if "ceiling" in row]
    assert len(rows) == len(ARCHITECTURES)
    for architecture, row in zip(ARCHITECTURES, rows, strict=True):
        for length in LOOKUP:
            best = cell_accuracy(length, architecture)
            assert f" {percent(best)} " in row
            assert f"{percent(best - 0.0048)}–{percent(best)}" in row
    for paper in ("49.8", "71.6", "78.5", "75.8", "99.3"):
        assert any(paper in row for row in rows)
    for number in ("7,413", "9,017", "976", "6,144, a sample", "65,536, all of them", "1 of 2", "✗ fails", "✓ holds"):
        assert number in page.text
    assert "97.8 97.8" not in page.text
    assert all(f"{width}" in page.text for width in ("mamba-(2,1024)", "34.1"))
    assert "Only the written proof covers all models." in page.text


def test_headline_is_computed(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    page = read(tmp_path, fresh)
    sized = "(1 layer, width 64)"
    after = "after 1,000 steps"
    assert f"Index lookup at N = 50: Attention {sized} 99.1 % {after}, LSTM {sized} 75.7 % {after}." in page.text
    assert "LSTM (1, 64) at N = 50, 1,000 steps" in page.text
    assert "500 stepsLSTM (1, 64) to 99 % on Dyck-(2,2), N = 30" in page.text
    worse = [run for run in fresh if run.model.architecture != "attention"]
    worse += [measured(task, "attention", 0.03) for task in LOOKUP.values()]
    worse += [measured(DYCK, "attention", 0.9, curve=((1000, 0.9, 1.0),))]
    page = read(tmp_path, worse)
    assert f"Attention {sized} 3.0 % {after}, LSTM {sized} 75.7 % {after}." in page.text
    assert "> 1,000 stepsAttention (1, 64) to 99 % on Dyck-(2,2), N = 30" in page.text


def test_the_headline_is_of_the_longest_input_with_both(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    longer = [measured(IndexLookup(100), "attention", 0.9931), measured(IndexLookup(100), "linear-attention", 0.51)]
    page = read(tmp_path, [*fresh, *longer])
    assert re.search(r"at N = 100: Attention \([^)]+\) 99.3 % [^,]+1,000 steps, Linear attention \([^)]+\) 51.0 %", page.text)
    assert "Linear attention (1, 64) at N = 100, 1,000 steps" in page.text


def test_each_accuracy_has_its_size_and_steps(tmp_path: Path, measured: Any) -> None:
    """A cell has the steps of the run that it shows, not those that were allowed; its row has the size."""
    attention = measured(LOOKUP[20], "attention", 0.9956, steps=750)
    deep = measured(LOOKUP[20], "mamba", 0.4, model=SizedModel(("mamba",) * 2, 32))
    page = read(tmp_path, [attention, deep, measured(LOOKUP[50], "attention", 0.9912, steps=2250, steps_allowed=4000)])
    first, second = (" ".join(row.split()) for row in page.rows if "ceiling" in row)
    assert re.search(r"^Attention \(1, 64\).* 99\.6 steps 750 .* 99\.1 steps 2,250 ", first)
    assert re.search(r"^Mamba \(2, 32\).* 40\.0 steps 1,000 .* — steps — ", second)
    assert "Attention (1 layer, width 64) 99.6 % after 750 steps, Mamba (2 layers, width 32) 40.0 % after 1,000" in page.text


def test_a_ceiling_below_100_percent_is_red(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    page = read(tmp_path, fresh)
    assert any("N = 683" in row for row in page.rows)
    assert not any("bites" in (attributes.get("class") or "") for _, attributes in page.seen)
    small = [run for run in fresh if run.model.architecture != "lstm"]
    small += [measured(task, "lstm", 0.3, state_bits=(150, 0)) for task in LOOKUP.values()]
    page = read(tmp_path, small)
    most = percent_at_most(index_lookup_ceiling(50, 64, 150))
    assert any(f"ceiling {most}" in row for row in page.rows)
    assert any("bites" in (attributes.get("class") or "") for _, attributes in page.seen)


def test_nothing_is_fetched(tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]) -> None:
    page = read(tmp_path, fresh, (), theorems)
    tags = {tag for tag, _ in page.seen}
    assert not tags & {"script", "img", "iframe", "object", "embed", "base", "form", "use", "image"}
    proofs = {f"proofs.html#{theorem['theorem']}" for theorem in theorems}
    for tag, attributes in page.seen:
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        reference = attributes.get("href") or attributes.get("xlink:href") or "#"
        known = reference[0] == "#" or reference in ("data:,", "is-tree.html") or reference in proofs
        assert known or (tag == "a" and reference.startswith("https://arxiv.org/"))
        assert "url(" not in (attributes.get("style") or "")
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "@import" not in source
    assert "url(" not in source
    policies = [attributes["content"] for tag, attributes in page.seen if attributes.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def test_is_accessible(tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]) -> None:
    page = read(tmp_path, fresh, (), theorems)
    tags = [tag for tag, _ in page.seen]
    assert tags.count("caption") == tags.count("table")
    assert tags.count("h1") == 1
    assert all(attributes.get("scope") for tag, attributes in page.seen if tag == "th")
    identifiers = {attributes["id"] for _, attributes in page.seen if "id" in attributes}
    charts = [attributes for tag, attributes in page.seen if tag == "svg"]
    assert len(charts) == 4 + 3 + 2 + 2
    for chart in charts:
        assert chart["role"] == "img"
        assert set((chart["aria-labelledby"] or "").split()) <= identifiers
    anchors = {attributes["href"][1:] for tag, attributes in page.seen if tag == "a" and (attributes["href"] or "")[0] == "#"}
    assert anchors <= identifiers
    assert "n = 25,703" in next(row for row in page.rows if "(all weights)" in row)


@pytest.mark.parametrize("kept", [0, 1, 3, 7])
def test_missing_data_is_a_dash(tmp_path: Path, fresh: list[RunSummary], kept: int) -> None:
    page = read(tmp_path, fresh[:kept], fresh[kept : 2 * kept])
    assert "—" in page.text
    assert "nan" not in page.text.lower()


def test_committed_rows_alone_make_the_page(tmp_path: Path, committed: list[RunSummary]) -> None:
    page = read(tmp_path, (), committed)
    assert "Attention (1 layer, width 64) 99.1 % after 1,000 steps" in page.text
    assert "or of the committed run if it is marked c" in page.text
    assert "this run: —; committed: 0, 1, 2" in page.text


def test_numbers_that_are_not_finite(tmp_path: Path, measured: Any) -> None:
    nothing, infinite = float("nan"), float("inf")
    runs = [measured(LOOKUP[50], name, nothing, curve=((250, nothing, infinite),)) for name in ("attention", "lstm")]
    page = read(tmp_path, runs, runs, [{"theorem": "x", "measured": {"a": infinite}, "bound": {"a": 10**5000}}])
    assert "about 2^16609" in page.text
    assert not re.search(r"\b(nan|inf)\b", page.text)


def test_hostile_strings_are_escaped(tmp_path: Path, measured: Any) -> None:
    evil = "</td></table><script>alert(1)</script>\"'<img src=x onerror=alert(2)>"
    run = measured(LOOKUP[50], "lstm", 0.5, model=SizedModel((evil,), 64), environment={"torch": evil, evil: evil})
    record = dict.fromkeys(("theorem", "source", "side", "statement", "inputs", "length"), evil)
    page = read(
        tmp_path,
        [run, measured(LOOKUP[50], "attention", 0.995)],
        [run],
        [record | {"measured": {evil: evil}, "bound": {}, "as_printed": {evil: evil}}],
        commands=((evil, evil),),
    )
    assert not {"script", "img"} & {tag for tag, _ in page.seen}
    assert evil in page.text
    assert all("onerror" not in attributes for _, attributes in page.seen)


def test_same_input_same_bytes(tmp_path: Path, fresh: list[RunSummary], committed: list[RunSummary]) -> None:
    runs = DemoRuns(tuple(fresh), tuple(committed))
    first = write_page(tmp_path / "a" / "b", runs).read_bytes()
    assert first == write_page(tmp_path / "c", runs).read_bytes()


def test_models_of_one_architecture_are_told_apart(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    deep = SizedModel(("attention", "attention"), 64)
    hybrid = SizedModel(("mamba", "attention"), 32)
    own = PlugIn("MyLayer", "0123456789abcdef" * 4)
    assert SizedModel((own,), 32).title == "MyLayer@01234567"
    assert SizedModel(("mamba", own), 32).title == "mamba+MyLayer@01234567"
    runs = [measured(DYCK, "attention", 0.98, model=deep), measured(LOOKUP[20], "mamba", 0.6, model=hybrid)]
    page = read(tmp_path, fresh + runs)
    for name in ("Attention (1, 64)", "Attention (2, 64)", "mamba+attention"):
        assert name in page.text


def test_words_of_the_tables_are_explained_before_them(
    tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]
) -> None:
    """eta, codes and the three totals, where they first stand."""
    eta = theorems[0] | {"measured": {"eta": 18, "core_bits": 7}, "bound": {"eta": 18, "core_bits": 7}, "variant": "code signs"}
    text = read(tmp_path, fresh, (), [eta]).text
    first_table = text.index("index-lookup-attention")
    for word in ("etaThe whole number", "codeA position code", *(f"{total} bits" for total in TOTALS), *CODES):
        assert 0 <= text.index(word) < first_table, word
    assert set(CODE_WORDS) == set(CODES)
    assert set(TOTAL_WORDS) == set(TOTALS)
    before = text[: text.index("etaThe whole number")]
    assert not re.search(r"\b(eta|η|core bits|program bits|tables bits)\b", before)


def test_long_tables_are_folded_unless_something_fails(
    tmp_path: Path, fresh: list[RunSummary], theorems: list[dict[str, Any]]
) -> None:
    page = read(tmp_path, fresh, fresh, theorems)
    opened = [attributes for tag, attributes in page.seen if tag == "details"]
    assert [attributes for attributes in opened if "open" in attributes] == [{"open": None}]
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    refuted = source[source.index("<details open>") :]
    assert "answers wrongly" not in refuted[: refuted.index("</details>")]
    assert refuted[: refuted.index("</summary>")].endswith("1 check, N\u00a0=\u00a08")
    for summary in ("1 check, N = 1,000", "Every rate of every architecture", "Every setting, the paper's and ours"):
        assert summary in page.text
    folded = re.findall(r"<details[^>]*>(.*?)</details>", source, flags=re.DOTALL)
    assert sum(part.count("<table") for part in folded) >= 6


def test_the_tables_of_curves_have_sizes_and_starts(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    deep = measured(LOOKUP[20], "mamba", 0.5, steps_allowed=2000, embedding_scale=0.3)
    deep = replace(deep, model=replace(deep.model, layers=("mamba",) * 3, positions="learned"))
    rows = read(tmp_path, [*fresh, deep]).rows
    [row] = [row for row in rows if "not in 2,000" in row]
    for text in ("Mamba (3, 64)", "learned", "0.3", "0.001"):
        assert text in row


def test_no_best_of_several_seeds_is_compared_with_one_run(tmp_path: Path, fresh: list[RunSummary], measured: Any) -> None:
    """Other seeds of one rate do not change what the table of rates compares."""
    task = LOOKUP[20]
    runs = [measured(task, "lstm", accuracy, learning_rate=rate) for rate, accuracy in ((0.001, 0.61), (0.002, 0.59))]
    more = [measured(task, "lstm", accuracy, learning_rate=0.002, seed=seed) for seed, accuracy in ((1, 0.97), (2, 0.11))]
    (table,) = rate_tables(DemoRuns((), (*runs, *more)))
    assert table.corner == "seed 0"
    first, second = table.rows[0].entries
    assert (first.main, first.second, first.chosen) == ("61.0", "", True)
    assert (second.main, second.second, second.chosen) == ("59.0", "11.0–97.0, 3 seeds", False)
    assert "no best of several seeds is compared with one run" in read(tmp_path, runs, [*runs, *more]).text


@pytest.mark.slow
def test_each_wide_table_scrolls_in_its_own_box(
    tmp_path: Path, fresh: list[RunSummary], committed: list[RunSummary], theorems: list[dict[str, Any]]
) -> None:
    """At 400 pixels a table scrolls and the page does not: each is in `.scroll`, or is the grid, which folds its columns."""
    page = read(tmp_path, fresh, committed, theorems, findings=FINDINGS)
    assert page.unscrolled == []
    write_is_tree_page(tmp_path)
    for name in ("proofs.html", "is-tree.html"):
        assert Reader((tmp_path / name).read_text(encoding="utf-8")).unscrolled == []


def test_order_of_a_narrow_reader(
    tmp_path: Path, fresh: list[RunSummary], committed: list[RunSummary], theorems: list[dict[str, Any]]
) -> None:
    """The first grid follows little open text, the separation is the second section, and a card of a theorem is folded."""
    read(tmp_path, fresh, committed, theorems, findings=FINDINGS)
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([^"]+)"', source)[:3] == ["heatmap", "bits", "held"]
    head = source[source.index("<body>") : source.index('<table class="heat"')]
    opened = re.sub(r"<[^>]+>", " ", re.sub(r"<details>.*?</details>", "", head, flags=re.DOTALL))
    assert len(opened.split()) < 120
    body = source[source.index('<section id="theorems"') :]
    unfolded = re.sub(r"<details>.*?</details>", "", body, flags=re.DOTALL)
    assert 'class="check"' in unfolded
    assert unfolded.count('class="statement"') == len(re.findall("<details open>", unfolded))
