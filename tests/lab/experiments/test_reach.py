"""The search up the lengths: who passes goes on, who does not is tried harder, and its stages follow from rows."""

from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments._reach import CHEAPEST_FIRST, GOAL, LONG_STEPS, RATES, Contender, Level, Reach, contenders
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.models.mixers import BY_NAME as MIXERS
from seqsep.tasks import IndexLookup

SEARCHED = tuple(MIXERS[name] for name in CHEAPEST_FIRST)
SMALL = Run(IndexLookup(5), ("lstm",), width=8)
LEVELS = tuple(
    Level(IndexLookup(length), steps=100 * length, longer=400 * length, scales=scales)
    for length, scales in ((5, (0.3, 0.02)), (10, (0.3, 0.02)), (20, ()))
)
ONE = Reach((Contender(SMALL, replace(SMALL, width=16)),), LEVELS, long_steps=9000)


def row(run, accuracy, status="finished"):
    return Row("x", run.key(), run.configuration(), {"status": status, "accuracy": accuracy, "steps": run.steps}, {})


def ended(reach, accuracy):
    """All runs of a search in the order in which they are named, if they come out as `accuracy(run)` says."""
    rows = {}
    while True:
        fresh = [run for run in reach.runs(rows.values()) if run not in rows]
        if not fresh:
            return list(rows)
        rows |= {run: row(run, accuracy(run)) for run in fresh}


def facts(runs):
    return [(run.task.length, run.width, run.learning_rate, run.embedding_scale, run.steps, run.seed) for run in runs]


def test_who_passes_goes_on_with_its_rate_and_the_one_below():
    best = {5: (1e-3, 0.3), 10: (1e-3, 0.02), 20: (3e-4, 0.02)}
    runs = ended(ONE, lambda run: float((run.learning_rate, run.embedding_scale) == best[run.task.length]))
    assert facts(runs[:6]) == [(5, 8, rate, scale, 500, 0) for scale in (0.3, 0.02) for rate in RATES]
    assert facts(runs[6:10]) == [(5, 8, 1e-4, 0.3, 500, 0), (5, 8, 1e-2, 0.3, 500, 0)] + [
        (5, 8, 1e-3, 0.3, 500, seed) for seed in (1, 2)
    ]
    assert facts(runs[10:14]) == [(10, 8, rate, scale, 1000, 0) for scale in (0.3, 0.02) for rate in (3e-4, 1e-3)]
    assert facts(runs[16:18]) == [(20, 8, rate, 0.02, 2000, 0) for rate in (3e-4, 1e-3)]
    assert facts(runs[18:]) == [(20, 8, 3e-4, 0.02, 2000, seed) for seed in (1, 2)]


def test_who_does_not_pass_is_tried_harder():
    runs = ended(ONE, lambda run: 0.5 + run.learning_rate + run.width / 1000)
    tail = facts(runs[6:])
    assert tail[:2] == [(5, 8, 1e-4, 0.3, 500, 0), (5, 8, 1e-2, 0.3, 500, 0)]
    assert tail[2:4] == [(5, 8, 1e-2, 0.3, 2000, 0), (5, 8, 3e-3, 0.3, 2000, 0)]
    assert tail[4:6] == [(5, 16, 1e-2, 0.3, 500, 0), (5, 16, 3e-3, 0.3, 500, 0)]
    assert tail[6] == (5, 16, 1e-2, 0.3, 2000, 0)
    assert tail[7:9] == [(10, 16, 1e-2, 0.3, 1000, 0), (20, 16, 1e-2, 0.3, 2000, 0)]
    small = (5, 8, 1e-2, 0.3)
    assert tail[9:] == [(*small, 9000, 0), (*small, 500, 1), (*small, 500, 2)]
    assert ONE.if_none_learns()[:6] == runs[:6]
    assert len(ONE.if_none_learns()) == len(runs)


def test_a_larger_model_that_passes_is_repeated_and_tried_beyond():
    runs = ended(ONE, lambda run: float(run.width == 16))
    assert [fact for fact in facts(runs) if fact[1] == 16] == [
        (5, 16, 1e-4, 0.3, 500, 0),
        (5, 16, 1e-4, 0.3, 500, 1),
        (5, 16, 1e-4, 0.3, 500, 2),
        (10, 16, 1e-4, 0.3, 1000, 0),
        (20, 16, 1e-4, 0.3, 2000, 0),
    ]


def test_a_stage_waits_for_all_and_a_killed_sweep_goes_on():
    other = Contender(replace(SMALL, layers=("dss",)))
    reach = replace(ONE, contenders=(*ONE.contenders, other))
    first = reach.runs()
    assert [run.layers for run in first] == [("lstm",)] * 6 + [("dss",)] * 6
    assert reach.runs([row(run, 1.0) for run in first[:-1]]) == first
    named = ended(reach, lambda run: run.learning_rate)
    rows = [row(run, run.learning_rate) for run in named]
    assert reach.runs(reversed(rows)) == named
    lost = Row("x", first[0].key(), first[0].configuration(), {"status": "failed: worker died"}, {})
    assert reach.runs([lost, *rows[1:]]) == first


def test_the_goal_and_diverged_or_pruned_runs():
    """A run that diverged is last; a pruned run never passes, whatever its accuracy."""
    assert sum(run.task.length == 10 for run in ended(ONE, lambda run: GOAL - 1e-4)) == 1
    assert sum(run.task.length == 10 for run in ended(ONE, lambda run: GOAL)) == 2 + 2
    first = ONE.runs()
    for status in ("failed: non-finite", "pruned"):
        rows = [row(first[0], 1.0, status), row(first[1], 0.6), *(row(run, 0.5) for run in first[2:])]
        outer = ONE.runs(rows)[6:]
        assert facts(outer) == [(5, 8, rate, 0.3, 500, 0) for rate in (1e-4, 1e-2)]
        longer = ONE.runs([*rows, *(row(run, 0.1) for run in outer)])[8:]
        assert facts(longer) == [(5, 8, 1e-3, 0.3, 2000, 0), (5, 8, 3e-4, 0.02, 2000, 0)]


def test_only_keeps_the_way_to_what_is_wanted():
    other = Contender(replace(SMALL, layers=("dss",)))
    reach = replace(ONE, contenders=(*ONE.contenders, other))
    part = reach.only(lambda run: run.task.length == 10 and run.layers == ("dss",))
    assert part.contenders == (other,)
    assert part.levels == LEVELS[:2]
    assert replace(reach, levels=LEVELS[:1]).runs() == reach.runs()
    assert {run.layers for run in part.runs()} == {("dss",)}


def test_a_contender_alone_has_the_runs_that_it_has_among_others():
    others = replace(ONE, contenders=(*ONE.contenders, Contender(replace(SMALL, layers=("dss",)))))
    together = ended(others, lambda run: 0.5 + run.learning_rate * (run.layers == ("lstm",)))
    alone = ended(ONE, lambda run: 0.5 + run.learning_rate)
    assert alone == [run for run in together if run.layers == ("lstm",)]


def test_only_takes_some_of_the_scales():
    part = ONE.only(lambda run: run.embedding_scale == 0.02)
    assert [level.scales for level in part.levels] == [(0.02,), (0.02,), ()]
    assert part.contenders == ONE.contenders
    assert {run.embedding_scale for run in ended(part, lambda run: 0.1)} == {0.02}
    assert {run.embedding_scale for run in ONE.choices()} == {0.3, 0.02}
    without = replace(ONE, levels=(replace(LEVELS[0], scales=()),))
    assert without.only(lambda run: run.embedding_scale == SMALL.embedding_scale) == without


def test_another_layer_or_task_in_every_run():
    reach = Reach(contenders(IndexLookup(20)), LEVELS)
    changed = reach.changed(lambda run: replace(run, layers=("dss",) * len(run.layers)))
    assert {run.layers for run in changed.runs()} == {("dss",)}
    shorter = reach.changed(lambda run: replace(run, task=IndexLookup(run.task.length, alphabet=8)))
    assert [level.task for level in shorter.levels] == [IndexLookup(length, alphabet=8) for length in (5, 10, 20)]


def test_every_mixer_runs_under_both_choices_of_positions():
    runs = BY_NAME["index-lookup-architectures"].runs("length-scaling")
    assert {run.layers[0] for run in runs} == {mixer.name for mixer in SEARCHED}
    without = {run.layers[0] for run in runs if run.positions == "default"}
    assert without == {mixer.name for mixer in SEARCHED if mixer.block.positions == "none"}
    assert {run.layers[0] for run in runs if run.positions == "learned"} == set(CHEAPEST_FIRST)
    assert {(run.task.length, run.width, len(run.layers)) for run in runs} == {(20, 64, 1)}
    assert {run.embedding_scale for run in runs} == {0.02, 0.1, 0.3}


LENGTHS = {
    "index-lookup-architectures": [20, 50, 100, 200, 400],
    "dyck-architectures": [100, 200],
    "equality-next": [20, 50, 100],
    "mamba-width": [20, 50, 100],
}


@pytest.mark.parametrize("name", LENGTHS)
def test_who_is_tried_at_which_lengths(name):
    """The ten mixers that are searched, two layers of width 128 where one of 64 stays below, and three of 256 for the LSTM."""
    reach = BY_NAME[name].search("length-scaling")
    assert [level.task.length for level in reach.levels] == LENGTHS[name]
    small = {(run.layers[0], len(run.layers), run.width) for run in (contender.run for contender in reach.contenders)}
    larger = {(one.larger.layers[0], len(one.larger.layers), one.larger.width) for one in reach.contenders if one.larger}
    if name == "mamba-width":
        assert (small, larger) == ({("mamba", 2, width) for width in (32, 64, 128)}, set())
        return
    names = {mixer.name for mixer in SEARCHED}
    assert len(names) == 10
    assert {layer for layer, _, _ in small} == names
    assert larger == {("lstm", 3, 256), *((layer, 2, 128) for layer in names - {"lstm"})}


@pytest.mark.parametrize("name", LENGTHS)
def test_the_first_name_of_a_preset_still_works(name):
    """It is in no list, and gives the same runs and the same file of rows."""
    experiment = BY_NAME[name]
    assert experiment.runs("reach") == experiment.runs("length-scaling")
    assert not any("reach" in preset for preset in experiment.presets)
    assert experiment.rows_file(Path(), "reach") == experiment.rows_file(Path(), "length-scaling")
    with pytest.raises(ValueError, match="unknown preset 'reached'"):
        experiment.runs("reached")


@pytest.mark.parametrize("name", LENGTHS)
def test_sizes_and_steps_of_the_presets(name):
    experiment = BY_NAME[name]
    reach = experiment.search("length-scaling")
    assert {run.positions for run in reach.runs()} == {"learned", "default"}
    runs = reach.if_none_learns()
    assert all(len(run.layers) <= 2 and run.width <= 128 for run in runs if run.layers[0] != "lstm")
    assert max(run.steps for run in runs) < LONG_STEPS
    if "length-scaling-long" in experiment.presets:
        longest = experiment.search("length-scaling-long").if_none_learns()
        assert longest[: len(runs)] == runs
        assert {run.steps for run in longest[len(runs) :] if not run.seed} == {LONG_STEPS}
