"""seqsep writes complete files, over regular files only, and never over a file that the same command reads."""

import ast
import io
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import seqsep
from seqsep.commands.cli import main
from seqsep.core.files import UNLIMITED, new_file_beside, read_bytes, read_lines, read_text, write_file
from seqsep.core.names import BadInput

ROOT = Path(seqsep.__file__).parent
PIPES = {
    "language_models/engines/serve.py",
    "language_models/laws/receiver.py",
    "language_models/text/tokenizer_process.py",
}
OWN_FOLDERS = {"core/files.py", "lab/loggers.py", "lab/engines/ray_worker.py", "commands/users_code.py", *PIPES}
"""The one writer; two that write below a folder of their own, of a row and of a cluster's node; and four that have a pipe."""

READING = {"open", "fdopen", "safe_open", "load_file", "fromfile", "loadtxt", "genfromtxt", "memmap", "open_code", "run_path"}
PACKAGE_DATA = "a file of the package itself"
SYSTEM = "a file of /proc, which the system makes"
READ_DIRECTLY: dict[str, dict[str, str]] = {
    "language_models/canary/over_http.py": {"opener.open": "the answer of a server"},
    "core/files.py": {"os.open": "the reader", "os.fdopen": "the reader"},
    "language_models/capacity/families.py": {"Path(..).read_text": PACKAGE_DATA},
    "language_models/capacity/published.py": {"Path(..).read_text": PACKAGE_DATA},
    "commands/explore/bounded.py": {"Path(..).read_text": SYSTEM},
    "commands/explore/templates.py": {"files(..).read_text": PACKAGE_DATA},
    "commands/demo.py": {"OutcomeCache.open": "reads by the reader"},
    "commands/outcome_cache.py": {"path.read_bytes": PACKAGE_DATA},
    "commands/report.py": {"OutcomeCache.open": "reads by the reader"},
    "commands/streams.py": {"os.open": "/dev/null, in place of a closed stream"},
    "commands/users_code.py": {"os.fdopen": "the standard output"},
    "lab/device.py": {"Path(..).read_text": SYSTEM},
    "lab/engines/marked.py": {"(..).read_bytes": SYSTEM},
    "lab/engines/ray.py": {"self.connection.open": "a connection to Ray"},
    "lab/engines/ray_worker.py": {"path.read_bytes": PACKAGE_DATA},
    "lab/store/checkpoints.py": {"os.open": "a folder, not through a link"},
    "lab/store/driver_lock.py": {"os.open": "the lock, to write to", "LOCKS.read_text": SYSTEM},
    "lab/store/schema.py": {"made.read_bytes": "an empty store that was just made in a folder of its own"},
    "language_models/loader/flash_linear.py": {"Path(..).read_text": "a file of an installed package"},
    "language_models/loader/folder.py": {"safe_open": "the header of a shard, which is known to be regular"},
    "lab/experiments/claims/known.py": {"files(..).read_text": PACKAGE_DATA},
    "lab/experiments/claims/papers.py": {"files(..).read_text": PACKAGE_DATA},
    "language_models/engines/serve.py": {"os.fdopen": "the standard output"},
    "language_models/engines/with_own_model.py": {"torch.load": "bytes of a pipe, as weights only"},
    "language_models/laws/receiver.py": {"os.fdopen": "a pipe of its own"},
    "models/network_file.py": {"np.load": "bytes that the reader read"},
    "models/weights.py": {"safe_open": "the descriptor that the reader opened"},
    "report/bibliography.py": {"files(..).read_text": PACKAGE_DATA},
    "report/page/proofs.py": {"file.read_text": PACKAGE_DATA},
    "report/page/templates.py": {"files(..).read_text": PACKAGE_DATA},
    "language_models/text/tokenizer_process.py": {"os.fdopen": "a pipe of its own"},
}
"""Calls that read without the one reader, and why they may."""


def special(path: Path, kind: str) -> None:
    """Make something that is no regular file; a device would need rights, and a mistake would destroy the machine's."""
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    else:
        path.symlink_to(path.with_name("elsewhere"))
        path.with_name("elsewhere").write_text("kept")


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a socket", "a symbolic link"])
def test_what_is_no_regular_file_is_never_replaced(tmp_path, kind):
    path = tmp_path / "output"
    special(path, kind)
    before = path.lstat()
    with pytest.raises(BadInput, match=f"expected a regular file or a new name to write to, found {kind}"):
        write_file(path, "new")
    after = path.lstat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.parametrize("name", ["same", "linked", "./same"])
def test_a_file_that_is_read_is_never_replaced(tmp_path, name):
    same = tmp_path / "same"
    same.write_text("kept")
    os.link(same, tmp_path / "linked")
    with pytest.raises(BadInput, match="a file that this command reads"):
        write_file(tmp_path / name, "new", read=[tmp_path / "absent", same])
    assert same.read_text() == "kept"


def test_a_write_that_fails_names_the_file_and_leaves_it(tmp_path, monkeypatch):
    path = tmp_path / "output"
    path.write_text("kept")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        write_file(path, "new")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"output": "kept"}


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path):
    """The files of a running process stay, and so do files that only look alike."""
    command = [sys.executable, "-S", "-c", "import time; time.sleep(100)"]
    with subprocess.Popen(command) as running:
        stay = [f".rows.{running.pid}.tmp", ".rows.old.tmp", ".rows..tmp", f".others.{2**40}.tmp", f".rows.{2**40}.tmp.kept"]
        for name in (*stay, f".rows.{2**40}.tmp"):
            (tmp_path / name).touch()
        write_file(tmp_path / "rows", "new")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*stay, "rows"])
        running.kill()
        running.wait()
        write_file(tmp_path / "rows", "newer")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*stay[1:], "rows"])


def test_a_name_below_a_file_is_said_to_be_none(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file/output"):
        write_file(tmp_path / "file" / "output", "new")


@pytest.mark.parametrize("kind", ["a pipe", "a symbolic link"])
def test_certify_and_analyze_leave_what_is_no_file(tmp_path, kind, capsys):
    special(tmp_path / "output", kind)
    output = str(tmp_path / "output")
    for words in (
        ["certify", "bounded-dyck-state", "--depth", "1", "-o", output],
        ["analyze", "(0|1)*1", "--length", "2", "--automata", output],
        ["analyze", "(0|1)*1", "--length", "2", "--certificate", output],
    ):
        assert main(words) == 2
        assert (
            capsys.readouterr().err
            == f"seqsep {words[0]}: {output}: expected a regular file or a new name to write to, found {kind}\n"
        )


def test_one_function_writes_every_output():
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).as_posix() in OWN_FOLDERS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = [one.value for one in (*node.args, *(k.value for k in node.keywords)) if isinstance(one, ast.Constant)]
            writes = name in ("write_text", "write_bytes") or (
                name in ("open", "fdopen") and set("wax") & set("".join(map(str, modes)))
            )
            assert not writes, f"{path}, line {node.lineno}: {name}; outputs are written by seqsep.core.files.write_file"


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a socket"])
def test_only_regular_files_are_read(tmp_path, kind):
    """A pipe that nobody writes to does not hang the reader."""
    path = tmp_path / "input"
    special(path, kind)
    with pytest.raises(BadInput, match=f"input: expected a regular file, found {kind}$"):
        read_bytes(path)


def test_a_device_is_refused_and_a_limit_holds(tmp_path):
    with pytest.raises(BadInput, match=r"^/dev/zero: expected a regular file, found a device$"):
        read_text("/dev/zero")
    (tmp_path / "four").write_bytes(b"four")
    assert read_bytes(tmp_path / "four", most=4) == b"four"
    assert read_bytes(tmp_path / "four", most=1 << 60) == b"four"  # no memory is taken for the limit
    assert read_bytes("/proc/self/status").startswith(b"Name:")  # its size is given as 0
    with pytest.raises(BadInput, match=r"expected at most 3 bytes, found 4$"):
        read_bytes(tmp_path / "four", most=3)


def test_a_huge_file_is_refused_or_read_line_by_line(tmp_path):
    """A file that has no blocks on the disk, and a small one under a limit of memory."""
    path = tmp_path / "huge"
    with path.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(BadInput, match=r"expected at most 1,073,741,824 bytes, found 1,099,511,627,776$"):
        read_text(path)
    with pytest.raises(BadInput, match=r"line 1: expected at most 16,777,216 bytes, found more$"):
        next(read_lines(path, most=UNLIMITED))
    (tmp_path / "small").write_bytes(b"one\r\ntwo\xff")
    assert read_bytes(tmp_path / "small", most=UNLIMITED) == b"one\r\ntwo\xff"
    lines = read_lines(tmp_path / "small")
    assert next(lines) == "one\r"
    with pytest.raises(BadInput, match=r"small, line 2: expected text in UTF-8, found byte 0xff at 3$"):
        next(lines)


def test_a_file_that_grows_meanwhile_is_read_whole(monkeypatch):
    """Those of /proc say that they have no bytes."""
    assert read_bytes("/proc/self/status").startswith(b"Name:")
    with pytest.raises(BadInput, match="expected at most 5 bytes, found more"):
        read_bytes("/proc/self/status", most=5)


@pytest.mark.parametrize("stream", [io.StringIO("a\nb"), io.TextIOWrapper(io.BytesIO(b"a\nb"))])
def test_standard_input_is_read_whole_or_by_lines(stream, monkeypatch):
    monkeypatch.setattr("sys.stdin", stream)
    assert next(read_lines("-")) == "a"
    assert read_text("-") == "b"
    monkeypatch.setattr("sys.stdin", None)
    for read in (read_text, lambda place: next(read_lines(place))):
        with pytest.raises(BadInput, match="standard input: expected data, found a closed stream"):
            read("-")


def test_one_module_reads_every_file():
    """All others ask it, but for files of the package and of the system, and what another comment here says."""
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        found |= {f"{name}: {call}" for call in direct_reads(path)}
    listed = {f"{name}: {call}" for name, calls in READ_DIRECTLY.items() for call in calls}
    assert not listed - found, f"{sorted(listed - found)}: listed, and not there"
    unknown = found - listed
    assert not unknown, (
        f"{sorted(unknown)}: files are read by seqsep.core.files.read_bytes, read_text, read_lines and open_regular"
    )


def direct_reads(path: Path) -> set[str]:
    """The calls in a source file that read a file by its name, as they are written without their arguments."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        modes = [one.value for one in (*node.args, *(k.value for k in node.keywords)) if isinstance(one, ast.Constant)]
        writes = any(isinstance(mode, str) and set(mode) & set("wax") and len(mode) < 4 for mode in modes)
        method = isinstance(node.func, ast.Attribute) and name in ("read_text", "read_bytes")
        if method or (name in READING and not (name == "open" and writes)) or called in ("np.load", "torch.load"):
            found.add(re.sub(r"\(.*\)", "(..)", called))
    return found


def test_a_planted_link_is_not_followed(tmp_path, monkeypatch):
    """Another user of a shared folder who guesses the temporary name gets nothing overwritten."""
    (tmp_path / "secret").write_text("kept")
    monkeypatch.setattr("secrets.token_hex", lambda size: "0" * 2 * size)
    (tmp_path / f".rows.{os.getpid()}.{'0' * 16}.tmp").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="File exists"):
        write_file(tmp_path / "rows", "new")
    assert (tmp_path / "secret").read_text() == "kept"


def test_temporary_names_differ_and_a_mode_is_kept(tmp_path):
    names = set()
    for _ in range(3):
        temporary, descriptor = new_file_beside(tmp_path / "rows")
        os.close(descriptor)
        names.add(temporary.name)
    assert len(names) == 3
    path = tmp_path / "private"
    path.write_text("old")
    path.chmod(0o600)
    write_file(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("owner", ["this user", "another user"])
def test_the_mode_of_a_strangers_file_is_not_taken_over(tmp_path, monkeypatch, owner):
    """Special bits are never kept: the new file belongs to whoever writes it."""
    path = tmp_path / "rows"
    path.write_text("old")
    path.chmod(0o4777)
    before = os.umask(0o077)
    try:
        if owner == "another user":
            monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
        write_file(path, "new")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o7777 == (0o600 if owner == "another user" else 0o777)
