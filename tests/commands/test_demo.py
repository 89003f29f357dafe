"""The main job at toy sizes: it prints a line a theorem, trains, writes the page, and continues where it was interrupted."""

from dataclasses import replace

import pytest

from seqsep.commands import demo as main_job
from seqsep.lab.row import write_rows
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.report.experiment_table import DEMO_EXPERIMENTS
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems.retrieval import index_lookup_state
from support import small_theorems


def tiny(task):
    shape = {"width": 8, "heads": 2, "steps": 20, "evaluate_every": 10, "evaluation": 50}
    return [Run(task, (name,), **shape) for name in ("attention", "lstm")]


def pages_asked_for(monkeypatch):
    """The folders that a page is asked for in, in place of the page: it takes seconds, and the first demo writes one."""
    asked = []

    def write_demo(folder, *rows, **rest):
        asked.append(folder)
        return folder / "index.html"

    monkeypatch.setattr("seqsep.report.write.write_demo", write_demo)
    return asked


def less_accurate(row):
    """The row as a run of the same processor cannot have left it."""
    return replace(row, result=row.result | {"accuracy": row.result["accuracy"] - 0.125})


@pytest.fixture
def toy(monkeypatch):
    runs = {IndexLookup: tiny(IndexLookup(6, alphabet=4)), BoundedDyck: tiny(BoundedDyck(6))}
    toys = {kind: replace(one, runs=lambda preset, kind=kind: runs[kind]) for kind, one in DEMO_EXPERIMENTS.items()}
    monkeypatch.setattr("seqsep.report.experiment_table.DEMO_EXPERIMENTS", toys)


@pytest.mark.slow
@pytest.mark.unchecked  # tests of the rooms below check the same calls
@pytest.mark.usefixtures("toy")
def test_demo_and_its_second_start(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    done = main_job.demo(tmp_path / "s.sqlite", tmp_path / "report", workers=1, committed=tmp_path / "none")
    out = capsys.readouterr().out
    assert not done.failed
    began = out.splitlines()[1:]
    assert out.startswith("seqsep demo checks theorems, trains small models and writes a page. It first measures")
    assert began[0].startswith("This takes about ")
    assert began[1].startswith("  1. check 1 of 1 theorems: ")
    assert began[2].startswith("  2. train 4 of 4 small models, one at a time, about ")
    assert began[3].startswith(f"  3. write {tmp_path / 'report' / 'index.html'}: ")
    assert "Ctrl-C" in began[4]
    assert f"Open {done.page} in a browser" in out
    assert f"seqsep store show {tmp_path / 's.sqlite'}" in out
    assert out.splitlines()[-1].startswith("Next: ")
    (line,) = [line for line in out.splitlines() if line.startswith("holds ")]
    assert "index-lookup-state" in line
    assert "measured / bound" in out
    assert done.page.read_text().count("index-lookup-state") >= 3
    assert "no run has a committed row to compare with" in out
    assert "no run has a committed row to compare with" in done.page.read_text()
    assert (tmp_path / "report" / "picture.png").exists()
    with Store(tmp_path / "s.sqlite") as store:
        rows = store.finished("demo")
    assert len(rows) == 4

    def never(*arguments):
        raise AssertionError("a finished run was trained again")

    monkeypatch.setattr("seqsep.lab.engines.local.Supervisor.run", lambda self, jobs: never() if jobs else iter(()))
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.DYCK,))
    for slow in ("write_is_tree_page", "draw_picture"):  # the first demo writes both
        monkeypatch.setattr(f"seqsep.report.write.{slow}", lambda *arguments: None)
    write_rows(tmp_path / "demo.jsonl", [less_accurate(rows[0]), *rows[1:]])
    again = main_job.demo(tmp_path / "s.sqlite", tmp_path / "report", workers=1, committed=tmp_path / "demo.jsonl")
    assert not again.failed
    out = capsys.readouterr().out
    page = again.page.read_text().replace("\u00a0", " ")
    for text in (out, page):
        assert "3 of 4 runs equal their committed rows number for number" in text
    assert "12.5" in page.partition("3 of 4 runs equal")[2]
    assert f"  2. train 0 of 4 small models, one at a time, about 0 s; 4 more are kept finished in {tmp_path}" in out
    assert "Outcomes of 1 theorems are those" in out


@pytest.mark.unchecked  # tests of the rooms below check the same calls
@pytest.mark.usefixtures("toy")
def test_a_theorem_that_fails_is_a_failed_demo(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    monkeypatch.setattr(
        index_lookup_state, "with_fewer_bits", lambda length, alphabet, bits: index_lookup_state.build(length, alphabet)
    )
    asked = pages_asked_for(monkeypatch)
    done = main_job.demo(tmp_path / "s.sqlite", tmp_path / "report", workers=1, committed=tmp_path / "none")
    assert done.failed
    assert asked == [tmp_path / "report"] * 2, "a first page and the last one"
    out = capsys.readouterr().out
    assert "FAILS  index-lookup-state" in out
    assert "A theorem FAILS: its line above has the counterexample." in out


@pytest.mark.unchecked
@pytest.mark.usefixtures("toy")
def test_attention_is_trained_first_and_has_a_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    pages = []

    def write_demo(folder, rows, *rest, **named):
        pages.append([row.run.layers for row in rows])
        return folder / "index.html"

    monkeypatch.setattr("seqsep.report.write.write_demo", write_demo)
    main_job.demo(tmp_path / "s.sqlite", tmp_path / "report", workers=1, committed=tmp_path / "none")
    assert pages == [[("attention",)] * 2, [("attention",), ("lstm",)] * 2]
    out = capsys.readouterr().out
    assert f"A first page is ready: {tmp_path / 'report' / 'index.html'}\n" in out
    assert "It has the rows of attention. 2 models are left to train." in out


@pytest.mark.unchecked
@pytest.mark.usefixtures("toy")
def test_a_second_start_writes_no_first_page(tmp_path, capsys, monkeypatch):
    """If attention is trained already, the next page is the last one."""
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    asked = pages_asked_for(monkeypatch)
    for pages in (2, 3):
        main_job.demo(tmp_path / "s.sqlite", tmp_path / "report", workers=1, committed=tmp_path / "none")
        assert len(asked) == pages
    assert capsys.readouterr().out.count("A first page is ready") == 1
