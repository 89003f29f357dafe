"""The reader's store: its sweeps and their progress, and that no page changes it."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.pages.sweeps import StoredRows, shown_store, tables_of
from seqsep.commands.explore.visit import Visit
from seqsep.lab.store import driver_lock
from seqsep.lab.store.driver_lock import is_driven
from seqsep.lab.store.store import Store
from support.explore_server import WITHOUT_WEB, start_server
from support.explore_stores import NAME, OWN, ended, make_store, runs

CELL = "Mamba, N = 20"
PATHS = (
    "/",
    "/experiments",
    f"/experiments?sweep={NAME}",
    f"/experiments?sweep={NAME}&cell={CELL.replace(' ', '+')}&run=0",
    "/audit",
    "/card",
    "/experiments?sweep=my%2F%3Csweep%3E",
    "/experiments/mamba-width",
    "/experiments?sweep=none",
    "/theorems",
)
WRITER = """
import sys, time
from pathlib import Path
from seqsep.lab.store.store import Store
from support.explore_stores import NAME, ended, runs
with Store(Path(sys.argv[1])) as store, store.driving():
    for accuracy in range(100_000):
        store.record(ended(runs()[4 + accuracy % 10], accuracy=accuracy / 100_000), seconds=1.0, attempts=1)
        print(accuracy, flush=True)
        time.sleep(0.05)
"""


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "runs.sqlite")


def text(query, store):
    page = rendered(Visit("experiments", query=query, store=str(store)))
    assert page.status == 200, page.html.decode()
    return " ".join(page.html.decode().split())


def state_of(folder):
    """Return name, bytes and time of every file of a folder."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns, path.stat().st_ino)
        for path in sorted(folder.iterdir())
    }


@contextmanager
def writing(path):
    """Run another process that writes rows to the store, from its first row to its end."""
    root = Path(__file__).parents[3]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root / "src"), str(root / "tests")])}
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, env=environment, text=True)
    try:
        assert process.stdout.readline() == "0\n"
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_sweep_says_how_many_runs_have_ended(store):
    found = shown_store(StoredRows.read(store))
    [known, own] = found.sweeps
    assert (known.name, own.name) == (NAME, OWN)
    assert known.words == "3 finished, 1 failed"
    [preset] = known.presets
    assert (preset.preset, preset.ended) == ("quick", 3)
    assert preset.total >= len(runs())
    assert [(one.step, one.steps) for one in known.under_way] == [(500, runs()[4].steps)]
    assert own.presets == own.under_way == ()
    assert found.unknown == 1
    assert not found.is_driven


def test_a_run_that_ends_moves_on(store):
    with Store(store) as opened, opened.driving():
        opened.record(ended(runs()[4]), seconds=1.0, attempts=1)
    [known, _] = shown_store(StoredRows.read(store)).sweeps
    assert known.presets[0].ended == 4
    assert known.under_way == ()


def test_the_pages_of_a_store_show_its_sweeps(store):
    page = text({}, store)
    assert '<progress max="20" value="3" aria-label="mamba-width, preset quick">' in page
    assert "my/&lt;sweep&gt;" in page
    assert "1 further run has a checkpoint" in page
    page = text({"sweep": NAME, "cell": CELL, "run": "0"}, store)
    assert "failed: &lt;worker&gt; died" in page
    assert '<td class="n">500</td>' in page
    assert page.count("chosen-cell") == 1
    assert "Copy" not in page
    assert "multi-query-recall" in text({"sweep": OWN}, store)


def test_a_sweep_of_several_tasks_has_a_map_for_each(store):
    rows = [row for row in StoredRows.read(store).rows if row.has_outcome]
    assert [title for title, _ in tables_of(OWN, rows, {})] == ["index-lookup", "multi-query-recall"]
    page = rendered(Visit("experiments", query={"sweep": OWN, "table": "1"}, store=str(store)))
    assert page.status == 400
    assert b"table: expected 0 to 0 on this page, found 1" in page.html


@pytest.mark.parametrize("query", [{"sweep": "none"}, {"sweep": NAME, "cell": "Mamba, N = 7"}, {"sweep": NAME, "cell": "<i>"}])
def test_a_place_that_the_store_does_not_have_is_refused(store, query):
    page = rendered(Visit("experiments", query=query, store=str(store)))
    assert page.status == 400
    assert b"<i>" not in page.html


def test_a_damaged_store_gives_a_page(tmp_path, store):
    (tmp_path / "other").write_text("no store")
    store.write_bytes(store.read_bytes()[:5000])
    for path in (tmp_path / "other", store, tmp_path / "absent", tmp_path):
        for query in ({}, {"sweep": NAME}):
            page = rendered(Visit("experiments", query=query, store=str(path)))
            assert page.status == 400
            assert b"expected a" in page.html
        assert rendered(Visit("audit", store=str(path))).status == 400


def test_a_request_cannot_choose_the_store(store):
    page = rendered(Visit("experiments", query={"store": str(store), "sweep": NAME}))
    assert b"runs.sqlite" not in page.html


def test_kept_runs_have_the_command_that_audits_them(store):
    folder = Path(f"{store}.weights")
    folder.mkdir()
    (folder / f"{runs()[0].key()}.safetensors").write_text("never read")
    page = rendered(Visit("audit", store=str(store))).html.decode()
    assert f"seqsep audit {store} {runs()[0].key()} --json" in page


def test_the_pages_change_nothing_next_to_a_store(store):
    before = state_of(store.parent)
    for query in ({}, {"sweep": NAME}, {"sweep": OWN}, {"sweep": NAME, "cell": CELL, "run": "0"}):
        text(query, store)
    assert state_of(store.parent) == before


def test_a_log_that_a_killed_driver_left_stays_as_it_is(store):
    with writing(store):
        pass
    assert Path(f"{store}-wal").stat().st_size
    before = state_of(store.parent)
    assert "4 finished" in text({"sweep": NAME}, store)
    assert state_of(store.parent) == before


@pytest.mark.timeout(300)
def test_a_server_only_reads_the_store(store):
    """Without a writer all bytes and times stay; with one, its rows are seen, and it never meets a lock."""
    pytest.importorskip("starlette", reason=WITHOUT_WEB)
    pytest.importorskip("uvicorn", reason=WITHOUT_WEB)
    before = state_of(store.parent)
    server = start_server("--store", str(store))
    try:
        for path in PATHS:
            assert server.ask(path).status == (400 if "none" in path else 200), path
        assert state_of(store.parent) == before
        with writing(store) as writer:
            for path in PATHS:
                answer = server.ask(path)
                moved = "cell: expected a model and a task of the table" in answer.text  # new rows give a model a longer name
                assert answer.status == (400 if "none" in path or moved else 200), (path, answer.text)
            assert writer.poll() is None
            assert "A sweep writes to this store now." in server.ask("/experiments").text or not driver_lock.LOCKS.exists()
        sound = StoredRows.read(store)
        assert len(sound.of(NAME)) > 4
    finally:
        assert server.stop() == 0


def test_a_lock_in_the_list_of_linux_is_seen(store, tmp_path, monkeypatch):
    inode = Path(f"{store}.lock").stat().st_ino
    monkeypatch.setattr(driver_lock, "LOCKS", tmp_path / "locks")
    for line, driven in (
        (f"1: FLOCK  ADVISORY  WRITE 1234 08:01:{inode} 0 EOF", True),
        (f"1: POSIX  ADVISORY  WRITE 1234 08:01:{inode} 0 EOF", False),
        (f"1: FLOCK  ADVISORY  WRITE 1234 08:01:1{inode} 0 EOF", False),
        ("", False),
    ):
        (tmp_path / "locks").write_text(f"{line}\n")
        assert is_driven(store) == driven
        assert ("A sweep writes to this store now." in text({}, store)) == driven
        assert ("A sweep writes to this store now." in text({"sweep": NAME}, store)) == driven


@pytest.mark.skipif(not driver_lock.LOCKS.exists(), reason="this system has no /proc/locks")
def test_the_lock_of_a_driver_is_seen_and_not_taken(store):
    assert not is_driven(store)
    assert not is_driven(store.with_name("absent"))
    with Store(store) as opened, opened.driving():
        assert is_driven(store)
    assert not is_driven(store)


def test_a_store_that_does_not_exist_is_refused(tmp_path, store, capsys):
    assert main(["explore", "--store", str(tmp_path / "absent")]) == 2
    assert "--store: expected the file of a store, found none at" in capsys.readouterr().err
    assert main(["explore", "--store", str(store), "--write", str(tmp_path / "copy")]) == 2
    assert "expected --store without --write" in capsys.readouterr().err
    assert not (tmp_path / "copy").exists()


def test_a_copy_is_read_while_the_store_is_written(store):
    """Each reading has every row that was on disk before it, and is sound."""
    with writing(store):
        seen = []
        for _ in range(5):
            seen.append(len(StoredRows.read(store).of(NAME)))
            time.sleep(0.1)
    assert seen == sorted(seen)
    assert seen[-1] > 4
