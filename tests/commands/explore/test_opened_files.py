"""Pages open no file that a reader names: an audit hook sees every file that Python opens."""

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
OPENED: list[str] = []
HOOKED: list[bool] = []


def watch(event, arguments):
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
def watched():
    for page in ("theorem", "language", "capacity", "certificate", "protocol", "thought", "card", "audit"):  # imports are done
        rendered(Visit(page, "index-lookup-state" if page in ("theorem", "certificate") else ""))
    rendered(Visit("thought", "turing-machine-hybrid"))
    OPENED.clear()
    HOOKED.append(True)
    yield
    HOOKED.clear()


@pytest.mark.usefixtures("watched")
def test_a_page_opens_nothing_that_a_reader_names():
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


@pytest.mark.usefixtures("watched")
def test_the_hook_sees_a_foreign_file(tmp_path):
    (tmp_path / "x").write_text("x")
    assert any(str(tmp_path) in one for one in foreign())
