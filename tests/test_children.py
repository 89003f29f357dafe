"""No process that seqsep starts outlives it, also if it is killed and can end nothing."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import seqsep

ROOT = Path(seqsep.__file__).parent
STARTS = re.compile(r"subprocess\.(Popen|run|check_output|call)\(|ProcessPoolExecutor\(|\.Process\(|os\.fork\(|posix_spawn\(")
ENDS_OTHERWISE = {
    "lab/engines/process.py": "its script, worker.py, watches",
    "language_models/engines/process.py": "the kernel ends it (PR_SET_PDEATHSIG), as it becomes a program of others",
    "language_models/text/tokenizer.py": "its script, tokenizer_process.py, watches",
    "tasks/retriever/pattern.py": "its script asks the kernel, and has a timer",
}
REPORT = """
import sys, time
from pathlib import Path

if __name__ == "__main__":
    from seqsep.report.write import write_report

    write_report(Path(sys.argv[1]), Path(sys.argv[2]), check=lambda: time.sleep(60))
"""
BOUNDED = """
import multiprocessing, threading, time
from seqsep.tasks.retriever import TimeoutCall

bounded = TimeoutCall(time.sleep, 60.0)
threading.Thread(target=bounded, args=(60,)).start()
time.sleep(60)
"""
SEARCH = """
from seqsep.tasks.retriever.pattern import Pattern
Pattern("(x+x+)+y", seconds=60.0).find(["x" * 60])
"""
RECEIVER = """
import os, subprocess, sys, time
command = [sys.executable, "-m", "seqsep.language_models.laws.receiver", str(os.getpid())]
subprocess.Popen(command, stdin=sys.stdin, stdout=subprocess.PIPE)
time.sleep(60)
"""


def test_every_process_ends_with_the_one_that_started_it():
    """A file that starts one watches the parent there, or is in the table."""
    found = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    starting = {name for name, text in found.items() if STARTS.search(text)}
    assert starting >= set(ENDS_OTHERWISE)
    assert not [name for name in starting - set(ENDS_OTHERWISE) if "watch_parent" not in found[name]]


def children(process: int) -> list[int]:
    """The processes that a process and its children have started."""
    found: list[int] = []
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            found += [child, *children(child)]
    return found


def is_running(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return state.exists() and ") Z " not in state.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("code", [REPORT, BOUNDED, SEARCH, RECEIVER], ids=["report", "bounded", "search", "receiver"])
def test_a_killed_program_leaves_no_child(code, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(code)
    rows = ROOT.parents[1] / "results" / "demo.jsonl"
    command = [sys.executable, str(script), str(rows), str(tmp_path / "report")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={"PYTHONPATH": str(ROOT.parent)}) as program:
        try:
            deadline = time.monotonic() + 60
            while not (left := children(program.pid)) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.2)
            left = children(program.pid)
        finally:
            program.kill()
        deadline = time.monotonic() + 40  # a child that was just started first has to import what it needs
        while any(map(is_running, left)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left
        assert not [child for child in left if is_running(child)]


@pytest.mark.slow
def test_a_report_imports_nothing_from_the_current_folder(tmp_path):
    """A stranger's `multiprocessing.py` there is not run by the process that draws."""
    (tmp_path / "multiprocessing.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    (tmp_path / "rows.jsonl").write_text("")
    (tmp_path / "draw.py").write_text(
        "from pathlib import Path\nfrom seqsep.report.write import write_report\n"
        "if __name__ == '__main__':\n    write_report(Path('rows.jsonl'), Path('report'), check=lambda: [])\n"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "draw.py").rename(elsewhere / "draw.py")
    done = subprocess.run(
        [sys.executable, str(elsewhere / "draw.py")], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert not (tmp_path / "ran").exists()
    assert "multiprocessing.py" not in done.stderr
