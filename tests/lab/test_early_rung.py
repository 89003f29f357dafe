"""The early rung of pruning saves steps; from committed curves only: nothing is trained."""

from pathlib import Path

import pytest

from seqsep.lab.pruning import brackets, rungs
from seqsep.lab.row import rank_of, read_rows
from seqsep.lab.run import Run

COMMITTED = Path(__file__).parents[2] / "results" / "index-lookup-architectures-paper.jsonl"


@pytest.mark.parametrize(("length", "with_early_rung", "without"), [(20, 36_750, 189_250), (50, 67_500, 237_500)])
def test_the_early_rung_saves_steps_and_keeps_the_winner(
    length: int, with_early_rung: int, without: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both cells that are committed at the paper's size, 14 runs each: the same curves, halved with the rung and without."""
    rows = {row.run: row.result for row in read_rows(COMMITTED) if row.run.task.length == length and row.run.seed == 0}
    grid = sorted(rows, key=lambda run: (run.heads, run.learning_rate))
    assert len(grid) == 14

    def spent() -> tuple[int, Run]:
        (bracket,) = brackets([grid])
        steps = 0
        for rung in rungs(grid[0]):
            _, out = bracket.halve(rung, rows)
            steps += rung * len(out)
        ended = bracket.live
        return steps + sum(rows[run]["steps"] for run in ended), max(ended, key=lambda run: rank_of(run, rows[run]))

    early, winner = spent()
    monkeypatch.setattr("seqsep.lab.pruning.EARLY", 10**9)
    late, late_winner = spent()
    assert winner == late_winner
    assert (early, late) == (with_early_rung, without)
