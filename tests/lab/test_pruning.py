"""Pruning: who goes on is decided from accuracies at fixed steps, and from nothing else."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seqsep.lab.device import environment
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.pruning import Bracket, rungs, siblings, steps_at_most, successive_halving
from seqsep.lab.row import Row, read_rows
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import NO_PAUSES, Sweep
from seqsep.lab.train import AT_THE_END
from seqsep.tasks import IndexLookup

RUN = Run(IndexLookup(5, alphabet=4), ("lstm",), width=8, steps=80, batch=8, evaluate_every=5, evaluation=50)
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
FIVE = [replace(RUN, learning_rate=rate) for rate in RATES]
OTHERS = [replace(run, layers=("dss",)) for run in FIVE[:3]]


def result_of(run: Run, *accuracies: float, status: str = "") -> dict[str, Any]:
    """A run evaluated every 10 steps with these accuracies; at its end, or at its pause."""
    curve = [[10 * (place + 1), accuracy, 1.0] for place, accuracy in enumerate(accuracies)]
    steps = curve[-1][0] if curve else 0
    status = status or ("finished" if steps == run.steps else "paused")
    return {
        "status": status,
        "steps": steps,
        "accuracy": accuracies[-1] if accuracies else 0.0,
        "best_accuracy": max(accuracies, default=0.0),
        "curve": curve,
        "state_bits": [1, 0],
        "parameters": 2,
    }


class Stub(Sweep):
    """A sweep without training: a run's whole result is given, and cut at its pause; what has ended is recorded."""

    def __init__(self, store: Store, whole: Mapping[Run, dict[str, Any]]) -> None:
        super().__init__(store, "trial", Supervisor(1))
        self.whole = whole
        self.trained: list[tuple[Run, int]] = []
        self.lines: list[str] = []

    def train(self, runs: Iterable[Run], pauses: Mapping[Run, int] = NO_PAUSES) -> list[Row]:
        rows = []
        for run in runs:
            stored = [row for row in self.store.get(run.key()) if row.finished]
            if stored:
                rows.append(stored[0])
                continue
            self.trained.append((run, pauses.get(run, run.steps)))
            whole = self.whole[run]
            if "steps" in whole and whole["steps"] > pauses.get(run, run.steps):
                whole = result_of(run, *[accuracy for step, accuracy, _ in whole["curve"] if step <= pauses[run]])
            rows.append(row_of(run, whole))
            if whole["status"] != "paused":
                self.store.record(rows[-1], 0.0, 1)
        return rows

    def sweep(self, groups: Sequence[Sequence[Run]]) -> list[Row]:
        """With pruning, to the end; the rows of the store."""
        with self:
            survival = successive_halving(groups, self, self.lines.append)
            self.train([run for group in groups for run in group if survival.goes_on(run)])
        return self.store.rows()


def row_of(run: Run, result: dict[str, Any]) -> Row:
    return Row("trial", run.key(), run.configuration(), result, environment())


def whole_of(runs: Sequence[Run], seed: int = 0) -> dict[Run, dict[str, Any]]:
    """Random curves of eight evaluations."""
    drawn = random.Random(seed)
    return {run: result_of(run, *[drawn.randrange(100) / 100 for _ in range(8)]) for run in runs}


def statuses(rows: Sequence[Row], runs: Sequence[Run]) -> list[tuple[str, int]]:
    by_key = {row.key: (row.status, row.result.get("steps", 0)) for row in rows}
    return [by_key.get(run.key(), ("", 0)) for run in runs]


@pytest.mark.parametrize(
    ("steps", "every", "expected"),
    [
        (250_000, 250, (4000, 31_250, 62_500, 125_000)),
        (16_000, 250, (250, 2000, 4000, 8000)),
        (16_000, 500, (500, 2000, 4000, 8000)),
        (15_999, 500, (2000, 4000, 8000)),
        (2000, 200, (400, 600, 1000)),
        (1000, 400, (400, 800)),
        (1000, 700, (700,)),
        (1000, 1000, ()),
        (7, 1, (1, 2, 4)),
    ],
)
def test_rungs_are_evaluations(steps: int, every: int, expected: tuple[int, ...]) -> None:
    """Rungs are evaluations at or after their part of the steps."""
    run = replace(RUN, steps=steps, evaluate_every=every)
    assert rungs(run) == expected
    assert all(step % every == 0 for step in expected)


def test_siblings_differ_in_learning_rate_and_heads_only() -> None:
    heads = replace(FIVE[0], heads=8)
    seed = replace(FIVE[0], seed=1)
    assert siblings([*FIVE, seed, *OTHERS, heads]) == [[*FIVE, heads], [seed], OTHERS]


def test_the_better_half_goes_on() -> None:
    """The better half goes on; of equal runs those that a search ranks higher."""
    bracket = Bracket(list(FIVE))
    results = {run: result_of(run, accuracy) for run, accuracy in zip(FIVE, (0.5, 0.2, 0.5, 0.5, 0.1), strict=True)}
    assert bracket.halve(10, results) == ([FIVE[0], FIVE[2], FIVE[3]], [FIVE[1], FIVE[4]])
    assert bracket.live == [FIVE[0], FIVE[2], FIVE[3]]
    bracket = Bracket(list(FIVE[::-1]))  # the lower rate of equal ones, in whatever order they stand
    results = {run: result_of(run, 0.5) for run in FIVE}
    assert bracket.halve(10, results) == (FIVE[:3], FIVE[3:])


def test_converged_runs_take_a_place_and_diverged_ones_none() -> None:
    """A run that has converged is never pruned and takes a place; one that has diverged takes none."""
    converged = {run: result_of(run, 0.99, status="converged") for run in FIVE[:4]}
    assert Bracket(list(FIVE)).halve(10, converged | {FIVE[4]: result_of(FIVE[4], 0.999)}) == (FIVE[:4], FIVE[4:])
    one = {FIVE[0]: result_of(FIVE[0], 0.1, status="converged")}
    others = {run: result_of(run, 0.5) for run in FIVE[1:]}
    assert Bracket(list(FIVE)).halve(10, one | others) == (FIVE[:3], FIVE[3:])
    diverged = {run: result_of(run, status="failed: non-finite") for run in FIVE[:2]}
    bracket = Bracket(list(FIVE))
    assert bracket.halve(10, others | diverged) == (FIVE[2:4], FIVE[4:])
    assert bracket.live == FIVE[2:4]


def test_what_comes_after_a_rung_does_not_count_there() -> None:
    """Of finished rows, the accuracy at the rung; a run that converges or diverges later is neither there."""
    results = {
        FIVE[0]: result_of(FIVE[0], 0.1, 1.0, status="converged"),
        FIVE[1]: result_of(FIVE[1], 0.3, 0.9, status="failed: non-finite"),
        FIVE[2]: result_of(FIVE[2], 0.2, *[0.9] * 7),
    }
    assert Bracket(FIVE[:3]).halve(10, results) == ([FIVE[1], FIVE[2]], [FIVE[0]])


def test_rows_lines_and_steps_of_a_sweep(tmp_path: Path) -> None:
    accuracies = dict(zip(FIVE, (0.1, 0.5, 0.4, 0.3, 0.2), strict=True))
    whole = {run: result_of(run, *[accuracy] * 8) for run, accuracy in accuracies.items()}
    with Store(tmp_path / "store.db") as store:
        stub = Stub(store, whole)
        rows = stub.sweep([FIVE])
        store.export(tmp_path / "rows.jsonl")
    assert statuses(rows, FIVE) == [("pruned", 10), ("finished", 80), ("pruned", 40), ("pruned", 20), ("pruned", 10)]
    assert read_rows(tmp_path / "rows.jsonl") == rows
    pruned = {row.key: row for row in rows}[FIVE[3].key()]
    assert pruned.result == result_of(FIVE[3], 0.3, 0.3) | {"status": "pruned"}
    assert (pruned.has_outcome, pruned.finished) == (True, False)
    assert stub.lines == [
        "step 10, lstm index-lookup N=5: 3 of 5 continue; pruned: rate 0.01 (accuracy 0.2000), rate 0.0001 (accuracy 0.1000)",
        "step 20, lstm index-lookup N=5: 2 of 3 continue; pruned: rate 0.003 (accuracy 0.3000)",
        "step 40, lstm index-lookup N=5: 1 of 2 continue; pruned: rate 0.001 (accuracy 0.4000)",
    ]
    assert sum(steps_at_most([FIVE]).values()) == pytest.approx(10 + 80 + 40 + 20 + 10)
    assert steps_at_most([FIVE[:1]]) == {}


@pytest.mark.parametrize("seed", range(3))
def test_order_and_interruptions_change_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the runs, interruptions, and what others have trained change nothing."""
    whole = whole_of(FIVE + OTHERS, seed)
    with Store(tmp_path / "peace.db") as store:
        expected = Stub(store, whole).sweep([FIVE, OTHERS])
    with Store(tmp_path / "turned.db") as store:
        assert Stub(store, whole).sweep([OTHERS[::-1], FIVE[::-1]]) == expected

    class Killed(Exception):
        pass

    real, left = Store.record, 0

    def record(self: Store, row: Row, seconds: float, attempts: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        real(self, row, seconds, attempts)

    monkeypatch.setattr(Store, "record", record)
    with Store(tmp_path / "killed.db") as store:
        for writes in (0, 1, 2, 1, 3):
            left = writes
            with pytest.raises(Killed):
                Stub(store, whole).sweep([FIVE, OTHERS])
        left = 100
        assert Stub(store, whole).sweep([FIVE, OTHERS]) == expected
        again, left = Stub(store, whole), 0
        assert again.sweep([FIVE, OTHERS]) == expected
        assert again.trained == []


def test_rows_of_a_sweep_without_pruning_are_used_as_they_are(tmp_path: Path) -> None:
    """The others are pruned as if they were not there; one with a pruned row of another bracket goes on if it is live here."""
    whole = whole_of(FIVE)
    with Store(tmp_path / "peace.db") as store:
        expected = {row.key: row for row in Stub(store, whole).sweep([FIVE])}
    lost = next(run for run in FIVE if expected[run.key()].result["steps"] == 10)
    kept = next(run for run in FIVE if expected[run.key()].finished)
    with Store(tmp_path / "store.db") as store:
        with store.driving():
            store.record(row_of(lost, whole[lost]), 0.0, 1)
            early = result_of(kept, *[accuracy for _, accuracy, _ in whole[kept]["curve"][:1]]) | {"status": "pruned"}
            store.record(row_of(kept, early), 0.0, 1)
        stub = Stub(store, whole)
        rows = {row.key: row for row in stub.sweep([FIVE])}
    assert rows == expected | {lost.key(): row_of(lost, whole[lost])}
    assert lost not in [run for run, _ in stub.trained]
    assert [step for run, step in stub.trained if run == kept] == [20, 40, 80]


def test_a_row_that_another_experiment_finished_is_used(tmp_path: Path) -> None:
    """A row that another experiment finished is used even if this one had pruned the run."""
    whole = {run: result_of(run, *[accuracy] * 8) for run, accuracy in zip(FIVE, (0.5, 0.4, 0.3, 0.2, 0.1), strict=True)}
    last = FIVE[4]
    with Store(tmp_path / "store.db") as store:
        Stub(store, whole).sweep([FIVE])
        with store.driving():
            store.record(replace(row_of(last, whole[last]), experiment="with the whole"), 0.0, 1)
        stub = Stub(store, whole)
        with stub:
            survival = successive_halving([FIVE], stub, stub.lines.append)
    assert stub.trained == []
    assert survival.goes_on(last)
    assert [survival.goes_on(run) for run in FIVE] == [True, False, False, False, True]


def test_a_bracket_waits_for_a_run_without_outcome(tmp_path: Path) -> None:
    """A bracket waits for a run that failed without an outcome."""
    whole = whole_of(FIVE + OTHERS)
    with Store(tmp_path / "peace.db") as store:
        expected = Stub(store, whole).sweep([FIVE, OTHERS])
    with Store(tmp_path / "store.db") as store:
        stub = Stub(store, whole | {FIVE[1]: {"status": "failed: worker died (signal 9)"}})
        rows = stub.sweep([FIVE, OTHERS])
        nothing = [("", 0)] * 3
        assert statuses(rows, FIVE) == [("", 0), ("failed: worker died (signal 9)", 0), *nothing]
        assert statuses(rows, OTHERS) == statuses(expected, OTHERS)
        assert {step for run, step in stub.trained if run in FIVE} == {10}
        assert stub.lines[0] == (
            "step 10, lstm index-lookup N=5: nothing is decided without rate 0.0003; start again, or without --prune"
        )
        assert Stub(store, whole).sweep([FIVE, OTHERS]) == expected


def test_a_run_in_two_brackets_is_pruned_if_it_lost_both(tmp_path: Path) -> None:
    """A run in two brackets is pruned only if it has lost in both."""
    whole = {run: result_of(run, *[accuracy] * 8) for run, accuracy in zip(FIVE, (0.1, 0.2, 0.3, 0.4, 0.0), strict=True)}
    with Store(tmp_path / "store.db") as store:
        rows = Stub(store, whole).sweep([[FIVE[0], FIVE[1]], [FIVE[1], FIVE[2]], [FIVE[1], FIVE[4]]])
    assert statuses(rows, FIVE) == [("pruned", 10), ("finished", 80), ("finished", 80), ("", 0), ("pruned", 10)]


@pytest.mark.slow
def test_survivors_are_those_of_a_sweep_without_pruning(tmp_path: Path) -> None:
    """With real training: survivors are bit for bit those of a sweep without pruning."""
    runs = [replace(RUN, learning_rate=rate, layers=("attention",)) for rate in (1e-3, 3e-2, 1e-2)]
    processes: list[list[int]] = []
    engine = Supervisor(1)

    class Watched(Sweep):
        def train(self, runs: Iterable[Run], pauses: Mapping[Run, int] = NO_PAUSES) -> list[Row]:
            rows = super().train(runs, pauses)
            assert "paused" not in {row.status for row in self.store.rows()}
            processes.append([worker.process.pid for worker in engine.workers])
            return rows

    with Store(tmp_path / "whole.db") as store, Watched(store, "trial", engine) as sweep:
        expected = {row.key: row for row in sweep.train(runs)}
    with Store(tmp_path / "pruned.db") as store, Watched(store, "trial", engine) as sweep:
        survival = successive_halving([runs], sweep, lambda line: None)
        survivors = sweep.train([run for run in runs if survival.goes_on(run)])
        assert list(store.checkpoints.iterdir()) == []
        assert sweep.train(runs) == [expected[run.key()] for run in runs]  # without pruning, all of them to their end
    assert processes[1:] == [processes[1]] * 4
    assert len(processes[1]) == 1
    assert len(survivors) == 1
    assert survivors[0] == expected[survivors[0].key]
    assert sorted(row.result["steps"] for row in survival.pruned.values()) == [10, 20]
    for row in survival.pruned.values():
        whole = {name: value for name, value in expected[row.key].result.items() if name not in AT_THE_END}
        curve = [point for point in whole["curve"] if point[0] <= row.result["steps"]]
        assert row.result == whole | {
            "status": "pruned",
            "steps": curve[-1][0],
            "accuracy": curve[-1][1],
            "best_accuracy": max(point[1] for point in curve),
            "curve": curve,
        }
