"""Ctrl-C says what was kept of what ran, and it is kept."""

import signal
import time

import pytest

from seqsep.commands import check as check_command
from seqsep.commands import sample as sample_command
from seqsep.commands.cli import main
from seqsep.commands.kept import saying_what_is_kept
from seqsep.lab.store.store import Store
from support.command_line import TWO_SHORT_RUNS, call, seqsep


def interrupt(*arguments, **options):
    raise KeyboardInterrupt


def test_what_an_inner_part_kept_is_printed_after():
    outer, empty, inner = (saying_what_is_kept(lambda words=words: words) for words in ("two", "", "one"))
    with pytest.raises(KeyboardInterrupt) as interrupted, outer, empty, inner:
        raise KeyboardInterrupt
    assert str(interrupted.value) == "two; one"


def test_a_command_that_keeps_nothing_says_so(capsys, monkeypatch):
    monkeypatch.setattr(sample_command, "print_json", interrupt)
    status, _, err = call(capsys, "sample", "equality", "--length", "4", "--json")
    assert (status, err) == (130, "seqsep sample: interrupted; what was printed is complete, and nothing else is kept\n")


def test_check_says_how_many_were_checked(capsys, monkeypatch):
    theorem_lines = iter(range(2))

    def brief(records):
        return "line" if next(theorem_lines, None) == 0 else interrupt()

    monkeypatch.setattr(check_command, "brief", brief)
    monkeypatch.setattr("seqsep.commands.members.names", lambda registry: ["bounded-dyck-state", "index-lookup-state", "x"][:2])
    status, out, err = call(capsys, "check", "--length=4")
    assert (status, out) == (130, "line\n")
    assert err == "seqsep check: interrupted; 2 of 2 theorems were checked; no outcome is kept\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_sweep_says_how_many_runs_are_kept(tmp_path, capsys):
    """A run that has ended is in the store, and one that has not goes on from its checkpoint."""
    file, path = tmp_path / "mine.py", tmp_path / "s.sqlite"
    file.write_text(TWO_SHORT_RUNS.replace("steps=steps,", "steps=steps if seed else 20,"))
    words = ["run", file, "--preset", "long", "--store", path, "--workers", 2]
    process = seqsep(*words)
    deadline = time.monotonic() + 180
    while not (ended(path) and waiting(path)):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert err.splitlines()[-1] == (
        f"seqsep run: interrupted; 1 finished run is kept in {path}; 1 unfinished run has a checkpoint; "
        "the same command continues from there"
    )
    assert ended(path) == 1


def ended(path):
    """The number of runs of the store that have ended."""
    if not path.exists():
        return 0
    with Store(path) as store:
        return len(store.finished())


def waiting(path):
    """The number of runs of the store that resume from a checkpoint that the store has on record."""
    with Store(path) as store:
        return len(store.steps())


def test_runs_of_earlier_sweeps_are_counted_apart(tmp_path, capsys, monkeypatch):
    file, path = tmp_path / "mine.py", tmp_path / "s.sqlite"
    file.write_text(TWO_SHORT_RUNS)
    words = ["run", str(file), "--preset", "tiny", "--store", str(path), "--workers", "1"]
    assert main(words) == 0
    capsys.readouterr()
    monkeypatch.setattr("seqsep.lab.sweep.Sweep.train", interrupt)
    status, _, err = call(capsys, *words)
    assert status == 130
    assert err == (
        f"seqsep run: interrupted; 0 finished runs are kept in {path}, besides 2 of earlier sweeps; "
        "the same command continues from there\n"
    )


def test_an_import_says_how_many_rows_are_in(tmp_path, capsys, monkeypatch):
    path = tmp_path / "s.sqlite"
    record = Store.record
    left = iter(range(3))

    def interrupted(store, row, seconds, attempts):
        if next(left, None) is None:
            interrupt()
        record(store, row, seconds, attempts)

    monkeypatch.setattr(Store, "record", interrupted)
    status, _, err = call(capsys, "store", "import", str(path), "results/demo.jsonl")
    assert (status, err) == (130, f"seqsep store: interrupted; 3 of the rows are in {path}, each complete; import them again\n")
    assert ended(path) == 3


def test_a_report_says_that_its_page_is_as_it_was(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("seqsep.report.write.write_report", interrupt)
    status, _, err = call(capsys, "report", "-o", str(tmp_path / "out"))
    assert (status, err) == (130, f"seqsep report: interrupted; the page in {tmp_path / 'out'} is as it was\n")
