"""Displays of a sweep: bars on a terminal, lines elsewhere, and where the runs under way stand."""

import io
import re
import sys
from typing import Any

import pytest
from rich.console import Console

from seqsep.lab.pace import Pace
from seqsep.lab.progress import Bars, Display, Lines, display
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

TWO = [Run(IndexLookup(length=5, alphabet=4), (layer,), width=8, steps=60, evaluate_every=10) for layer in ("lstm", "mamba")]


def test_plain_lines_elsewhere_and_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(display(), Bars)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert type(display()) is Lines


def show(shown: Display) -> None:
    """Two runs, one of which loses its worker; one more is in the store."""
    first, second = TWO
    shown.begin(TWO, finished=1)
    shown.update(7, first, 0, None)
    shown.update(7, first, 30, 0.25)
    shown.update(8, first, 20, 0.125)
    shown.update(9, second, 10, 0.5)
    shown.finish(first, {"status": "converged", "steps": 40, "accuracy": 1.0}, 1.25)
    shown.finish(second, {"status": "failed: worker died (signal 9)"}, 2.0)
    shown.close()


def test_one_line_per_finished_run(capsys: pytest.CaptureFixture[str]) -> None:
    show(Lines())
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "1 of 3 runs are in the store",
        f"[2/3] {TWO[0].label()}: converged, accuracy 1.0000 after 40 steps, 1.2 s",
        f"[3/3] {TWO[1].label()}: failed: worker died (signal 9), 2.0 s",
    ]


def test_lines_say_where_runs_stand_and_for_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    """At each tenth of a run, 5 s after the last line or later; at least every 30 s; earlier sweeps' steps set no pace."""
    now = [100.0]
    first, second = TWO
    shown = Lines(clock=lambda: now[0])
    shown.begin([first, second], finished=0)

    def after(seconds: float, run: Run, step: int, accuracy: float | None = None) -> list[str]:
        now[0] += seconds
        shown.update(7, run, step, accuracy)
        return capsys.readouterr().err.splitlines()

    assert after(0.0, first, 0) == []
    assert after(1.0, first, 6) == []  # a tenth, but too soon
    assert after(3.0, second, 30) == []  # it goes on from a checkpoint
    assert after(2.0, first, 12, 0.25) == [
        f"[0/2] 1 steps/s, about 40 s left: {first.label()} at 12/60, accuracy 0.2500; {second.label()} at 30/60"
    ]
    assert after(29.0, first, 17) == []  # no tenth was passed
    assert after(1.0, first, 17, 0.5)[0].startswith(f"[0/2] 0.306 steps/s, about 2 min left: {first.label()} at 17/60, acc")
    shown.finish(first, {"status": "converged", "steps": 17, "accuracy": 1.0}, 36.0)
    assert len(capsys.readouterr().err.splitlines()) == 1
    (line,) = after(30.0, second, 40)
    assert line.startswith(f"[1/2] 0.318 steps/s, about 2 min left: {second.label()} at 40/60")


def test_time_left_weighs_steps_by_what_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    """A step of the second takes 100 times that of the first. A later stage is added, and its display knows the pace."""
    now = [0.0]
    pace = Pace()
    first, second = TWO

    def shown_with(later: dict[Run, float], starts: dict[Run, int]) -> Lines:
        shown = Lines(clock=lambda: now[0], pace=pace)
        shown.later = later
        shown.starts = starts
        shown.begin([first, second], finished=0)
        return shown

    def after(seconds: float, run: Run, step: int) -> str:
        now[0] += seconds
        shown.update(7, run, step, None)
        return capsys.readouterr().err.partition(":")[0]

    shown = shown_with(later={}, starts={})
    assert after(0.0, first, 1) == ""
    assert after(9.0, first, 10) == "[0/2] 1 steps/s, about 2 min left"  # 110 steps of 1 s, as far as is known
    shown.finish(first, {"status": "finished"}, 10.0)
    capsys.readouterr()
    assert after(0.0, second, 1) == ""
    assert after(100.0, second, 2) == "[1/2] 0.0917 steps/s, about 1.6 h left"  # 58 steps of 100 s
    shown = shown_with(later={second: 72.0}, starts={second: 50})
    assert after(0.0, first, 1) == ""
    assert after(9.0, first, 10) == "[0/2] 1 steps/s, about 18 min left of this stage, 2.3 h in total if no run learns"


def test_runs_at_once_share_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    """Two at once take half as long as one after the other, but no less than the longest."""
    now = [0.0]
    first, second = TWO
    shown = Lines(clock=lambda: now[0])
    shown.begin(TWO, finished=0)
    for run in TWO:
        shown.update(7, run, 1, None)
    for seconds, run, step, expected in ((10.0, first, 11, 59 * 1), (10.0, second, 21, 49 * 1)):
        now[0] += seconds
        shown.update(7, run, step, None)
        assert f"about {expected} s left" in capsys.readouterr().err


def test_a_tick_says_a_line_only_after_a_long_silence(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    shown = Lines(clock=lambda: now[0])
    shown.begin(TWO, finished=0)
    for at in (10.0, 29.0, 30.0, 59.0):
        now[0] = at
        shown.tick()
    assert capsys.readouterr().err == "[0/2] no step measured yet: no run under way\n"


def test_bars_say_no_line_at_a_tick() -> None:
    text = io.StringIO()
    bars = Bars(Console(file=text, force_terminal=True, width=200))
    bars.begin(TWO, finished=0)
    bars.said_at -= 1000.0
    bars.tick()
    bars.close()
    assert "no step measured yet" not in text.getvalue()


def test_bars_count_every_step_and_show_runs_under_way() -> None:
    class Kept(Bars):
        def update(self, worker: int, run: Run, step: int, accuracy: float | None) -> None:
            super().update(worker, run, step, accuracy)
            states.append({task.description: (task.completed, task.total, task.fields["note"]) for task in self.bars.tasks})

        def close(self) -> None:
            states.append({task.description: (task.completed, task.total, task.fields["note"]) for task in self.bars.tasks})
            super().close()

    states: list[dict[str, Any]] = []
    text = io.StringIO()
    show(Kept(Console(file=text, force_terminal=True, width=200)))
    lstm, mamba = TWO[0].label(), TWO[1].label()
    assert states[1] == {"all steps": (30, 120, "1 of 3 runs"), lstm: (30, 60, "accuracy 0.250")}
    assert states[3] == {
        "all steps": (30, 120, "1 of 3 runs"),
        lstm: (20, 60, "accuracy 0.125"),
        mamba: (10, 60, "accuracy 0.500"),
    }
    assert states[-1] == {"all steps": (120, 120, "3 of 3 runs")}
    assert "[2/3]" in text.getvalue()


def test_no_text_of_a_run_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A label in lines and in bars, and a note; bars themselves move the cursor."""
    evil = "\x1b]0;title\x07 \x9b31m [link=x]\u202e"
    harmless = "\\u001b]0;title\\u0007 \\u009b31m [link=x]\\u202e"
    terminal = io.StringIO()
    bars = Bars(Console(file=terminal, force_terminal=True, width=200))
    for shown in (Lines(), bars):
        shown.begin(TWO[:1], finished=0)
        shown.labels = {TWO[0]: evil}
        shown.update(7, TWO[0], 10, None)
        if shown is bars:
            bars.bars.refresh()
            assert harmless in terminal.getvalue()
        shown.note(evil)
        shown.finish(TWO[0], {"status": evil}, 1.0)
        shown.close()
    for text in (capsys.readouterr().err, terminal.getvalue()):
        assert text.count(harmless) >= 3
        assert not re.search("\x1b]0|\x07|\x9b|\u202e", text)


def test_without_standard_error_nothing_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor is it printed on standard output, as `print` does for a file of None."""
    monkeypatch.setattr(sys, "stderr", None)
    shown = display()
    show(shown)
    assert type(shown) is Lines
    assert capsys.readouterr().out == ""
