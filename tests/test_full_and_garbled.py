"""Text that is no UTF-8 and a disk without space are said of the file, or of the standard output."""

import errno
import io
import os
import re
import sys
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab import loggers
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

GARBLED = b'{"symbols": [3, 1, 2], "position": 2}\n\xff\n'
FULL = Path("/dev/full")


@pytest.mark.parametrize(
    "words",
    [
        "apply index-lookup-state --length 4 --input FILE",
        "apply turing-machine-hybrid --length 4 --machine FILE --input GOOD",
        "analyze FILE.cnf",
        "analyze FILE.py:function",
        "check circuits-attention --circuit FILE",
        "store import NEW FILE",
        "store show FILE",
        "text hotpotqa --data FILE --show",
    ],
)
def test_bytes_that_are_no_text_are_said_of_their_file(words, tmp_path, capsys):
    for name in ("FILE", "FILE.cnf", "FILE.py"):
        (tmp_path / name).write_bytes(GARBLED)
    (tmp_path / "GOOD").write_text("{}\n")
    given = words.replace("FILE", str(tmp_path / "FILE")).replace("NEW", str(tmp_path / "NEW"))
    given = given.replace("GOOD", str(tmp_path / "GOOD"))
    assert main(given.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"seqsep {words.split()[0]}: {tmp_path / 'FILE'}")
    assert said.count("\n") == 1


def test_bytes_on_the_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff" + GARBLED), encoding="utf-8"))
    assert main(["apply", "index-lookup-state", "--length", "4"]) == 2
    assert capsys.readouterr().err == "seqsep apply: standard input, line 1: expected text in UTF-8, found byte 0xff at 0\n"


@pytest.mark.skipif(not FULL.exists(), reason="a device that is always full")
@pytest.mark.parametrize("words", ["list tasks", "sample equality --length 400 --count 400"])
def test_a_full_disk_under_the_standard_output(words, tmp_path, capsys, monkeypatch):
    """Return True if the text fills Python's buffer, or stays in it."""
    with FULL.open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(words.split()) == 3
    assert re.fullmatch("seqsep: standard output.*: No space left on device\n", capsys.readouterr().err)


def test_a_full_disk_under_a_log_of_rows(tmp_path, monkeypatch):
    def full(row, folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setitem(loggers.LOGGERS, "json", full)
    logger = loggers.Logger("json", tmp_path)
    run = Run(IndexLookup(5, 4), ("lstm",), 8)
    row = Row("trial", run.key(), run.configuration(), {"status": "finished", "accuracy": 0.5}, {})
    with pytest.raises(OSError, match=r"No space left on device: .*trial/lstm-index-lookup"):
        logger.write(row)
