"""The soak in sittings: its lines are whole, none has a loss, and docs/reference/faults.md says what they come to."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.faults import page
from support.faults.forked_sweep import session_members
from support.faults.long_driver import MOST_GROWTH_KIB, growth_kib
from support.faults.sitting import SECONDS_OF_A_PART, digest_of_sources

TESTS = Path(__file__).parents[1]
LINE = {
    "CPU-hours": float,
    "seed": int,
    "part": int,
    "sweeps": int,
    "lives": int,
    "clock readings": int,
    "clock steps": int,
    "disks filled": int,
    "drivers killed": int,
    "pauses": int,
    "workers killed": int,
    "lost": int,
    "repeated": int,
    "failures": list,
    "sweeps of one driver": int,
    "KiB at first": int,
    "KiB at last": int,
    "KiB it grew by": int,
    "python": str,
    "torch": str,
    "sources": str,
}
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")


def test_every_line_of_the_soak_is_whole_and_without_a_loss():
    lines = page.lines_of()
    assert lines
    for line in lines:
        assert {name: type(value) for name, value in line.items()} == LINE
        assert (line["lost"], line["repeated"], line["failures"]) == (0, 0, []), line["seed"]
        assert line["KiB it grew by"] <= MOST_GROWTH_KIB
        assert 0 < line["CPU-hours"] < 2 * SECONDS_OF_A_PART / 3600
        assert line["sweeps"] > 0


def test_no_part_of_a_sitting_is_left_out_or_counted_twice():
    parts: dict[int, list[int]] = {}
    for line in page.lines_of():
        parts.setdefault(line["seed"], []).append(line["part"])
    assert all(found == list(range(len(found))) for found in parts.values())


def test_the_page_says_what_the_rows_and_lines_come_to():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "python -m support.faults.page, in tests/"


def test_hours_count_for_the_sources_that_they_ran_under():
    lines = [{"CPU-hours": 0.25, "sources": digest_of_sources()}, {"CPU-hours": 0.5, "sources": "0" * 64}]
    assert page.hours(lines) == 0.75
    assert page.hours(lines, digest_of_sources()) == 0.25


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (
            0.0,
            "All of them ran before the last change of the lab, its stores or its engines. `make soak` adds hours "
            "under today's",
        ),
        (0.25, "0.25 of them ran under today's code of the lab"),
    ],
)
def test_the_page_says_under_which_code_the_hours_ran(hours, said):
    line = {name: kind() for name, kind in LINE.items()}
    lines = [line | {"CPU-hours": 0.5}, line | {"CPU-hours": hours, "sources": digest_of_sources()}]
    words = page.soak_in_words(lines)
    assert said in words
    assert "0.00" not in words


def test_memory_that_grows_is_seen():
    assert growth_kib([100, 1000, 1000, 1010, 1000, 1005, 1003, 1001]) == 3
    assert growth_kib([100, 1000, 1010, 1000]) == 10
    assert growth_kib([100, *range(1000, 9000, 100)]) > 5000


@pytest.mark.slow
@needs_proc
def test_a_sitting_that_is_ended_keeps_what_it_did(tmp_path):
    """SIGTERM to all of its processes, as when a machine is shut down."""
    command = [sys.executable, "-m", "support.faults.sitting", "--hours", "1", "--seed", "3", "--lines", "lines.jsonl"]
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    with subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, start_new_session=True, stdout=subprocess.DEVNULL
    ) as sitting:
        drivers = wait_for_drivers(sitting.pid)
        for pid in (sitting.pid, *drivers):
            os.kill(pid, signal.SIGTERM)
        assert sitting.wait(timeout=100) == 0
    (line,) = [json.loads(text) for text in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert {name: type(value) for name, value in line.items()} == LINE
    assert (line["seed"], line["lost"], line["repeated"], line["failures"]) == (3, 0, 0, [])
    assert not [pid for driver in drivers for pid in session_members(driver)]


def wait_for_drivers(parent: int) -> list[int]:
    """The children of a sitting that have sessions of their own, once there is the long driver and one beside it."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        drivers = [int(pid) for pid in children if os.getsid(int(pid)) == int(pid)]
        if len(drivers) == 2:
            return drivers
        time.sleep(0.05)
    raise AssertionError("no drivers")
