"""The search of a cell: its stages follow from rows, in any order, and end."""

from dataclasses import replace

import pytest

from seqsep.lab.experiments import EXPERIMENTS
from seqsep.lab.experiments._paper import full_grid, printed_sizes
from seqsep.lab.experiments._search import PAPER_RATES, Search, SearchCell, best_run, rates_between
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup

RATES = (1e-3, 1e-2, 1e-1)
WITH_SIZES = [experiment for experiment in EXPERIMENTS if "paper" in experiment.presets]
SEARCHED = [experiment for experiment in WITH_SIZES if experiment.search("paper") is not None]
"""The experiments of the first paper, whose presets are searches; those of `is-tree` are lists."""
HERE = {"torch": "2", "device": "cpu", "threads": 1}


def a_run(name, **fields):
    return Run(task=IndexLookup(5), layers=(name,), width=8, steps=10, **fields)


def row(run, accuracy, steps=10):
    return Row("x", run.key(), run.configuration(), {"status": "finished", "accuracy": accuracy, "steps": steps}, HERE)


def ended(search, outcome):
    """All rows of a search whose runs come out as `outcome(run)` says."""
    rows = {}
    while True:
        named = search.runs(rows.values())
        fresh = [run for run in named if run not in rows]
        if not fresh:
            assert set(named) == set(rows)
            return rows
        rows |= {run: row(run, *outcome(run)) for run in fresh}


def test_stages_in_turn():
    lstm, attention = SearchCell((a_run("lstm"),)), SearchCell((a_run("attention", heads=2), a_run("attention", heads=4)))
    search = Search((lstm, attention), RATES, refine=True, seeds=3)
    assert len(search.runs()) == 3 + 6
    assert search.further == 2 + 2 * 2
    rows = ended(search, lambda run: (0.5 + (run.heads == 2) * 0.2 - abs(run.learning_rate - 0.01), 10))
    assert len(rows) == 9 + 2 + 4
    finer = {run.learning_rate for run in rows if run.layers == ("lstm",)} - set(RATES)
    assert finer == {3.2e-3, 3.2e-2}
    repeated = {(run.layers, run.learning_rate, run.heads) for run in rows if run.seed}
    assert repeated == {(("lstm",), 0.01, 4), (("attention",), 0.01, 2)}
    assert {run.seed for run in rows if run.layers == ("lstm",) and run.learning_rate == 0.01} == {0, 1, 2}
    assert search.runs(reversed(rows.values())) == search.runs(rows.values())


def test_a_stage_waits_for_the_one_before():
    search = Search((SearchCell((a_run("lstm"),)),), RATES, refine=True, seeds=2)
    first = search.runs()
    assert search.runs([row(run, 0.5) for run in first[:2]]) == first
    second = search.runs([row(run, 0.5) for run in first])
    assert len(second) == 5
    assert search.runs([row(run, 0.5) for run in second[:4]]) == second
    assert [run.seed for run in search.runs([row(run, 0.5) for run in second])[5:]] == [1]
    lost = Row("x", first[0].key(), first[0].configuration(), {"status": "failed: worker died"}, HERE)
    assert search.runs([lost, *(row(run, 0.5) for run in first[1:])]) == first


def test_which_run_is_the_best():
    """The most accurate, then the fastest, then the one of the lowest rate; none while a result is missing."""
    runs = [a_run("lstm", learning_rate=rate) for rate in RATES]
    outcomes = {run.key(): {"status": "finished", "accuracy": 0.9, "steps": 10} for run in runs}
    assert best_run(runs, outcomes) == runs[0]
    outcomes[runs[2].key()] = {"status": "finished", "accuracy": 0.9, "steps": 9}
    assert best_run(runs, outcomes) == runs[2]
    outcomes[runs[1].key()] = {"status": "finished", "accuracy": 0.91, "steps": 10}
    assert best_run(runs, outcomes) == runs[1]
    outcomes[runs[1].key()] = {"status": "failed: non-finite", "accuracy": 0.99, "steps": 10}
    assert best_run(runs, outcomes) == runs[2]
    outcomes[runs[2].key()] = {"status": "pruned", "accuracy": 0.99, "steps": 5}
    assert best_run(runs, outcomes) == runs[0]
    assert best_run(runs[2:], outcomes) is None
    del outcomes[runs[0].key()]
    assert best_run(runs, outcomes) is None
    assert best_run([], outcomes) is None


def test_pruned_runs_are_waited_for():
    """They count as tried, and are never refined or repeated."""
    search = Search((SearchCell((a_run("lstm"),)),), RATES, refine=True, seeds=2)
    low, middle, high = search.runs()
    assert search.grids == [[low, middle, high]]

    def pruned(run):
        return Row("x", run.key(), run.configuration(), {"status": "pruned", "accuracy": 0.9, "steps": 5}, HERE)

    grid = [row(low, 0.5), pruned(middle), pruned(high)]
    with_finer = search.runs(grid)
    assert [run.learning_rate for run in with_finer] == [*RATES, 3.2e-4, 3.2e-3]
    with_seeds = search.runs([*grid, *(row(run, 0.4) for run in with_finer[3:])])
    assert [(run.learning_rate, run.seed) for run in with_seeds[5:]] == [(1e-3, 1)]


@pytest.mark.parametrize(("best", "expected"), [(1e-2, [3.2e-3, 3.2e-2]), (1e-3, [3.2e-4, 3.2e-3]), (1e-1, [3.2e-2, 3.2e-1])])
def test_rates_between(best, expected):
    assert rates_between(best, RATES) == expected
    assert rates_between(best, [best]) == []


def test_another_layer_in_every_cell_makes_equal_cells_one():
    search = Search((SearchCell((a_run("lstm"),)), SearchCell((a_run("dss"),))), RATES, seeds=2)

    def becomes(name):
        return lambda run: replace(run, layers=(name,))

    assert search.changed(becomes("mamba")).cells == (SearchCell((a_run("mamba"),)),)
    assert len(search.changed(becomes("mamba"), becomes("attention")).cells) == 2


@pytest.mark.unchecked
def test_the_sizes_of_the_paper():
    """Appendix H's grid is 980 runs for each of 25 lengths; the printed sizes 1,680 runs in all."""
    assert len(full_grid(IndexLookup, (20,)).runs()) == 980
    totals = {preset: sum(len(experiment.runs(preset)) for experiment in SEARCHED) for preset in ("paper", "paper-grid")}
    sizes = {preset: sum(experiment.search(preset).size for experiment in SEARCHED) for preset in totals}
    assert sizes == totals == {"paper": 1680, "paper-grid": 24_500 + 210}
    assert {run.learning_rate for run in EXPERIMENTS[0].runs("paper")} == set(PAPER_RATES)
    runs = printed_sizes(IndexLookup, [("attention", 1, 64), ("lstm", 3, 256)], (20,)).runs()
    assert {(run.layers[0], run.heads) for run in runs} == {("attention", 4), ("attention", 8), ("lstm", 4)}
    assert all((run.steps, run.batch, run.evaluation) == (250_000, 64, 5000) for run in runs)


@pytest.mark.parametrize("experiment", SEARCHED, ids=lambda experiment: experiment.name)
def test_presets_of_every_searched_experiment(experiment):
    assert {"paper", "paper-grid"} <= set(experiment.presets)
    with pytest.raises(ValueError, match=f"{experiment.name}: unknown preset 'papers'"):
        experiment.search("papers")
    for preset in {"quick", "paper"} & set(experiment.presets):
        search = experiment.search(preset)
        assert experiment.runs(preset) == search.runs()
        assert search.seeds == 3
