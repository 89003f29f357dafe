"""Pages open no file that a reader names, and change nothing: an audit hook sees what Python opens."""

import os
import sqlite3
import sys
import sysconfig
from pathlib import Path

import pytest

import seqsep
from seqsep.commands.explore.pages import PAGES
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.visit import Visit

ROOT = Path(seqsep.__file__).parents[2]
ALLOWED = tuple(map(str, (ROOT, Path(sys.prefix), Path(sys.base_prefix), sysconfig.get_path("stdlib"), "/proc/self", "/sys")))
PAYLOADS = ("/etc/passwd", "../../../etc/passwd", "file:///etc/passwd", "/etc/hostname", "~/.ssh/id_rsa", "/dev/zero", "-",
            "/etc/passwd.json", "mine.py:THEOREM", "/tmp/x.py:DFA", "/etc/passwd\x00", "http://evil.example/")  # fmt: skip
FIELDS = (
    "typed",
    "input",
    "length",
    "machine",
    "word",
    "regex",
    "model",
    "second",
    "card",
    "sweep",
    "store",
    "theorem",
    "circuit",
    "text",
    "code",
    "config",
)
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.utime")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
pytestmark = pytest.mark.timeout(300)
OPENED: list[str] = []
CHANGED: list[str] = []
HOOKED: list[bool] = []


def changes(event, arguments):
    """Tell if an event changes a file, or opens one to change it; a database is only read if its address says so."""
    if event == "open":
        return bool({*(arguments[1] or "r")} & set("wax+")) or bool(arguments[2] & WRITING)
    return event in CHANGES or (event == "sqlite3.connect" and not str(arguments[0]).endswith(("mode=ro", "immutable=1")))


def watch(event, arguments):
    if HOOKED and changes(event, arguments):
        CHANGED.append(f"{event} {arguments[0]}")
    if HOOKED and event in ("open", "os.listdir", "os.scandir", "socket.connect", "subprocess.Popen", "import"):
        if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], int):
            return
        if event != "import":
            OPENED.append(f"{event} {arguments[0]}")


sys.addaudithook(watch)


def foreign():
    """Return what was opened outside of the package and of Python."""
    return [one for one in OPENED if not one.split(" ", 1)[1].startswith(ALLOWED)]


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a module that is first imported now is compiled
    for page in ("theorem", "language", "capacity", "certificate", "protocol", "thought", "card", "audit"):  # imports are done
        rendered(Visit(page, "index-lookup-state" if page in ("theorem", "certificate") else ""))
    rendered(Visit("thought", "turing-machine-hybrid"))
    OPENED.clear()
    CHANGED.clear()
    HOOKED.append(True)
    yield
    HOOKED.clear()


@pytest.mark.usefixtures("watched")
def test_a_page_opens_nothing_that_is_named_and_writes_nothing():
    for page in set(PAGES) - {""}:
        for payload in PAYLOADS:
            rendered(Visit(page, payload))
            rendered(Visit(page, query=dict.fromkeys(FIELDS, payload)))
        for field in FIELDS:
            rendered(Visit(page, query={field: PAYLOADS[0]}))
    names = {"theorem": "turing-machine-hybrid", "thought": "turing-machine-hybrid"}
    for page, name in names.items():
        for payload in PAYLOADS:
            rendered(Visit(page, name, {"machine": payload}))
    assert foreign() == []
    assert CHANGED == []


def test_the_hook_sees_a_foreign_file_and_changes(tmp_path, watched):
    (tmp_path / "x").write_text("x")
    (tmp_path / "x").rename(tmp_path / "y")
    sqlite3.connect(tmp_path / "z").close()
    sqlite3.connect(f"file:{tmp_path}/z?mode=ro", uri=True).close()
    assert any(str(tmp_path) in one for one in foreign())
    assert [one.split()[0] for one in CHANGED] == ["open", "os.rename", "sqlite3.connect"]
