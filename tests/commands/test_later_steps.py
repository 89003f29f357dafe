"""Later stages may add steps: those of the runs that follow if no run learned, and those that the rungs of a bracket leave."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from seqsep.commands.chosen_runs import ChosenRuns
from seqsep.commands.later_steps import later_steps
from seqsep.lab.experiments import Search
from seqsep.lab.experiments._reach import Contender, Level, Reach
from seqsep.lab.experiments._search import SearchCell
from seqsep.lab.pruning import rungs, siblings
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

RUN = Run(IndexLookup(5), ("lstm",), width=8, steps=1000, evaluate_every=200)
SEARCH = Search(SearchCell.each(RUN), rates=(1e-3, 1e-2), refine=True, seeds=3)
REACH = Reach((Contender(RUN),), (Level(IndexLookup(5), steps=100, longer=400, scales=(0.3,)),))


def learned_nothing(run: Run) -> Row:
    return Row("trial", run.key(), {}, {"status": "finished", "accuracy": 0.0, "steps": run.steps}, {})


@pytest.mark.parametrize(("search", "expected"), [(SEARCH, [4000, 2000, 0]), (REACH, [1000, 800, 0])])
def test_each_stage_leaves_less(search: Search | Reach, expected: Sequence[int]) -> None:
    """Two rates between, then two more seeds; or two outer rates, then two longer runs."""
    chosen = ChosenRuns(search.runs(), search)
    rows: list[Row] = []
    left = []
    for _ in expected:
        left.append(sum(later_steps(chosen, [], rows, {}).values()))
        rows = [learned_nothing(run) for run in chosen.after(rows)]
    assert left == expected


def test_a_list_of_runs_has_no_later_stage() -> None:
    assert later_steps(ChosenRuns([RUN], None), [], [], {}) == {}


def test_after_a_rung_the_better_half_goes_on() -> None:
    """Of five, rungs at 200, 400 and 600: 3 go to 400, 2 to 600, 1 to the end. A run alone has all its steps before it."""
    five = [replace(RUN, learning_rate=rate) for rate in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)]
    alone = replace(RUN, seed=1)
    chosen = ChosenRuns([*five, alone], None)
    competing = siblings(chosen.first)
    assert rungs(RUN) == (200, 400, 600)
    for rung, expected in ((200, 3 * 200 + 2 * 200 + 400), (400, 2 * 200 + 400), (600, 400)):
        left = later_steps(chosen, competing, [], dict.fromkeys(five, rung))
        assert left.pop(alone) == 1000
        assert sum(left.values()) == pytest.approx(expected)


def test_a_run_that_was_pruned_adds_nothing() -> None:
    """The runs of a search that follow from the best of the others still do."""
    chosen = ChosenRuns(SEARCH.runs(), SEARCH)
    pruned, best = chosen.first
    row = Row("trial", pruned.key(), {}, {"status": "pruned", "accuracy": 0.0, "steps": 200}, {})
    assert {pruned, best}.isdisjoint(later_steps(chosen, SEARCH.grids, [row], {}))
    later = later_steps(chosen, SEARCH.grids, [row, learned_nothing(best)], {})
    assert sorted(run.seed for run in later) == [1, 2]
