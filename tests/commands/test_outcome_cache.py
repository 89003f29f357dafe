"""Outcomes of theorems are kept for the demo and the report: under a key of all that determines them, and never for `check`."""

import json
import os
import platform
import shutil
from pathlib import Path

import numpy
import pytest

from seqsep.commands import outcome_cache
from seqsep.commands.check import check_every_theorem
from seqsep.commands.cli import main
from seqsep.commands.outcome_cache import OutcomeCache, digest_of_sources
from seqsep.theorems.retrieval import index_lookup_state
from support import small_theorems
from test_layers import ROWS

RECORD = {"theorem": "x", "side": "upper", "length": 8, "holds": True, "measured": {"bits": 1}, "bound": {"bits": 1}}


@pytest.fixture
def file(monkeypatch, tmp_path):
    """The folder of the outcomes."""
    monkeypatch.setattr(outcome_cache, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache/outcomes.json"


@pytest.fixture
def checks(monkeypatch):
    """Two theorems alone, and the names of those that are checked."""
    checked = []
    theorems = (small_theorems.LOOKUP, small_theorems.DYCK)

    def counting(theorem):
        def check():
            checked.append(theorem.name)
            return theorem.check()

        return type(theorem)(theorem.claim, check)

    monkeypatch.setattr("seqsep.theorems.THEOREMS", tuple(map(counting, theorems)))
    return checked


def test_what_is_kept_is_not_checked_again(file, checks, capsys):
    records, refuted = check_every_theorem(OutcomeCache.open())
    first = capsys.readouterr().out
    assert (len(checks), len(records), refuted) == (2, 6, False)
    again = OutcomeCache.open()
    assert check_every_theorem(again) == (records, False)
    assert len(checks) == 2
    assert capsys.readouterr().out == first
    assert again.said() == [
        f"Outcomes of 2 theorems are those that an earlier demo or report left in {file}; --check-again checks them again."
    ]
    anew = OutcomeCache.open(again=True)
    assert anew.said() == []
    check_every_theorem(anew)
    assert len(checks) == 4


def test_report_takes_them_and_says_so(file, checks, capsys, monkeypatch, tmp_path):
    def write_report(rows, folder, check, **_):
        assert len(check()) == 6
        return folder / "index.html"

    monkeypatch.setattr("seqsep.report.write.write_report", write_report)
    for flags, most in ([], 2), ([], 2), (["--check-again"], 4):
        assert main(["report", "-o", str(tmp_path / "out"), *flags]) == 0
        assert len(checks) == most
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Outcomes of 2 theorems")]
    assert len(said) == 1
    assert str(file) in said[0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"bits": 1', '"bits": 2'),
        lambda text: "[" * 100_000,
        lambda text: '{"key": 3}',
        lambda text: json.dumps(json.loads(text) | {"records": 3}),
        lambda text: json.dumps({"key": json.loads(text)["key"], "records": {"x": [RECORD]}}),
    ],
    ids=["empty", "cut", "changed", "deep", "foreign", "other records", "no digest"],
)
def test_a_damaged_file_is_ignored_and_replaced(file, damage):
    cache = OutcomeCache.open()
    cache.keep("x", [RECORD])
    cache.save()
    assert OutcomeCache.open().records == {"x": [RECORD]}
    file.write_text(damage(file.read_text()))
    other = OutcomeCache.open()
    assert other.records == {}
    other.keep("y", [RECORD])
    other.save()
    assert OutcomeCache.open().records == {"y": [RECORD]}
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_bytes_that_are_no_text_and_a_pipe_are_no_cache(file):
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe")
    assert OutcomeCache.open().records == {}
    file.unlink()
    os.mkfifo(file)
    assert OutcomeCache.open().records == {}


@pytest.mark.parametrize("part", ["sources", "python", "numpy", "torch", "processor"])
def test_all_that_determines_outcomes_is_in_the_key(file, monkeypatch, part):
    cache = OutcomeCache.open()
    cache.keep("x", [RECORD])
    cache.save()
    assert cache.key["python"] == platform.python_version()
    assert cache.key["numpy"] == numpy.__version__
    monkeypatch.setattr(outcome_cache, "key", lambda: {**cache.key, part: "another"})
    assert OutcomeCache.open().records == {}


def test_the_sources_are_those_of_theorems_and_below(tmp_path):
    assert set(outcome_cache.WINGS) == {wing for wing, row in ROWS.items() if row <= ROWS["theorems"]}
    shutil.copytree(outcome_cache.PACKAGE, tmp_path / "seqsep", ignore=shutil.ignore_patterns("__pycache__"))
    assert digest_of_sources(tmp_path / "seqsep") == digest_of_sources()
    changed = tmp_path / "seqsep/maths/codes/codes.py"
    changed.write_text(changed.read_text() + "\n")
    assert digest_of_sources(tmp_path / "seqsep") != digest_of_sources()
    changed.write_text(changed.read_text()[:-1])
    (tmp_path / "seqsep/commands/cli.py").write_text("")
    assert digest_of_sources(tmp_path / "seqsep") == digest_of_sources()


def test_a_theorem_that_fails_is_not_kept(file, capsys, monkeypatch):
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    honest = index_lookup_state.with_fewer_bits
    monkeypatch.setattr(
        index_lookup_state, "with_fewer_bits", lambda length, alphabet, bits: index_lookup_state.build(length, alphabet)
    )
    assert check_every_theorem(OutcomeCache.open()) == ([], True)
    assert not file.exists()
    monkeypatch.setattr(index_lookup_state, "with_fewer_bits", honest)
    assert not check_every_theorem(OutcomeCache.open())[1]
    cache = OutcomeCache.open()
    cache.keep("x", [RECORD | {"holds": False}])
    assert list(cache.records) == ["index-lookup-state"]


def test_a_report_on_a_theorem_that_fails_ends_with_1(file, capsys, monkeypatch):
    """The page is written, and the exit status was 0."""

    def write_report(rows, folder, check, **others):
        check()
        return Path("page.html")

    monkeypatch.setattr("seqsep.report.write.write_report", write_report)
    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP,))
    assert main(["report"]) == 0
    assert "FAILS" not in capsys.readouterr().out
    monkeypatch.setattr(
        index_lookup_state, "with_fewer_bits", lambda length, alphabet, bits: index_lookup_state.build(length, alphabet)
    )
    assert main(["report", "--check-again"]) == 1
    out = capsys.readouterr().out
    assert "FAILS  index-lookup-state" in out
    assert out.endswith("A theorem FAILS: its line above has the counterexample. The page leaves it out.\nopen page.html\n")


def test_check_never_reads_what_is_kept(file, capsys):
    cache = OutcomeCache.open()
    cache.keep("bounded-dyck-state", [RECORD | {"length": 12345}])
    cache.save()
    assert main(["check", "bounded-dyck-state", "--kinds", "1", "--depth", "1", "--length", "4", "--json"]) == 0
    assert "12345" not in capsys.readouterr().out


def test_an_interrupt_keeps_what_was_checked(file, checks, monkeypatch, capsys):
    second = small_theorems.DYCK

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("seqsep.theorems.THEOREMS", (small_theorems.LOOKUP, type(second)(second.claim, interrupted)))
    cache = OutcomeCache.open()
    with pytest.raises(KeyboardInterrupt):
        check_every_theorem(cache)
    assert list(OutcomeCache.open().records) == ["index-lookup-state"]
    assert cache.kept() == f"outcomes of 1 theorem are kept in {file}"


def test_a_folder_that_takes_no_file_is_said_and_no_error(file, capsys):
    file.parent.write_text("a file where the folder belongs")
    cache = OutcomeCache.open()
    cache.keep("x", [RECORD])
    cache.save()
    err = capsys.readouterr().err
    assert err.startswith("seqsep: outcomes are not kept: ")
    assert err.count("\n") == 1


def test_the_folder_is_that_of_the_user(monkeypatch, tmp_path):
    monkeypatch.undo()
    found = Path(outcome_cache.cache_folder())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert outcome_cache.cache_folder() == tmp_path / "seqsep"
    for none in ("", "not/absolute"):
        monkeypatch.setenv("XDG_CACHE_HOME", none)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert outcome_cache.cache_folder() == tmp_path / ".cache/seqsep"
    assert found.name == "seqsep"
