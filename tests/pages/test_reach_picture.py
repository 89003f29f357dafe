"""docs/reach.svg shows the committed rows of `reach`, beside the paper's numbers."""

import re
from pathlib import Path

from matplotlib.text import Text

from pages._reach_picture import lines_with_positions, what_was_tried
from seqsep.experiments import BY_NAME
from seqsep.experiments.claims.papers import paper_models
from seqsep.lab.row import read_rows
from seqsep.mixers import MIXERS
from seqsep.report.figures.reach_picture import draw_reach
from seqsep.report.numerals import percent

RESULTS = Path(__file__).parents[2] / "results"
EXPERIMENT = BY_NAME["index-lookup-architectures"]
LINES = lines_with_positions(RESULTS)


def test_every_mixer_has_a_line_of_its_best_runs():
    """Of the first seed: others repeat it."""
    rows = [row for row in read_rows(EXPERIMENT.rows_file(RESULTS, "reach")) if row.has_outcome]
    assert {line.model.layers[0] for line in LINES} == {mixer.name for mixer in MIXERS}
    for line in LINES:
        for task, cell in line.cells.items():
            of_cell = [row for row in rows if (row.run.layers[0], row.run.task) == (line.model.layers[0], task)]
            first = [row.result["accuracy"] for row in of_cell if row.run.positions == "learned" and row.run.seed == 0]
            assert cell.best.accuracy == max(first)


def test_texts_are_the_numbers():
    texts = [text.get_text() for text in draw_reach(LINES, "note").findobj(Text)]
    columns = [f"N = {length}" for length in (20, 50, 100)]
    assert set(columns) <= set(texts)
    for line in LINES:
        assert line.name in texts
        assert {percent(cell.best.accuracy) for cell in line.cells.values()} <= set(texts)
    [attention] = [one for one in paper_models(EXPERIMENT.paper_figure) if one.architecture == "attention"]
    assert texts.count(f"paper {percent(attention.accuracy[100])}") >= 1
    reached = {line.model.layers[0]: line.passed for line in LINES}
    assert texts.count("< 20") == list(reached.values()).count(None) > 0
    assert texts.count("50") == list(reached.values()).count(50) > 0


def test_the_note_says_what_was_tried():
    """The most steps at each length, in one number where they are equal, who falls short with fewer, sizes and seeds."""
    note = what_was_tried(LINES)
    best = [(line.name, task.length, cell.best) for line in LINES for task, cell in line.cells.items()]
    most = {length: max(run.steps_allowed for _, other, run in best if other == length) for _, length, _ in best}
    assert note.startswith(f"Steps: at most {max(most.values()):,}")
    for name, length, run in best:
        steps = run.steps_allowed
        (said,) = re.findall(rf"; {steps:,} at N = {length}: ([^;.]*)", note) or [""]
        assert (name in said) == (steps < most[length] and run.accuracy < 0.99)
        assert len(set(most.values())) == 1 or f"{most[length]:,} at N = {length}" in note
    assert "(Layers, width): (1, 64), LSTM (3, 256), DSS (2, 128). " in note
    some = "Attention 2 of 3 seeds, Retention 1 of 3 seeds, Mamba 2 of 3 seeds and RWKV-7 1 of 3 seeds"
    assert f"99 % under some seeds alone: {some}. " in note
