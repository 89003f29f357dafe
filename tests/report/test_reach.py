"""The reach of each architecture, from rows: where it falls, at which rates it learns, and what is compared with what."""

import re

import pytest

from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import Row, write_rows
from seqsep.lab.run import Run
from seqsep.report.demo_heatmap import heatmap
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.experiment_table import states_table
from seqsep.report.figures.picture import like_with_like as like_with_like_rows
from seqsep.report.headline import separation
from seqsep.report.measured import RunSummary
from seqsep.report.reach import experiment_reach, is_alike, reach_lines, reach_table
from seqsep.report.sized_model import SizedModel
from seqsep.report.write import reach_findings
from seqsep.tasks import IndexLookup

HERE = {"torch": "2", "device": "cpu", "threads": 1}


def row(name, length, accuracy, *, steps=4000, at_half=None, status="finished", alphabet=64, **fields):
    """A row with three evaluations; `at_half` is the accuracy after half of the steps."""
    fields = {"learning_rate": 1e-3, "embedding_scale": 0.3, "positions": "learned", "width": 64} | fields
    run = Run(IndexLookup(length, alphabet), (name,), steps=steps, **fields)
    half = accuracy if at_half is None else at_half
    result = {
        "status": status,
        "steps": steps,
        "accuracy": accuracy,
        "best_accuracy": accuracy,
        "curve": [[steps // 4, 0.01, 4.0], [steps // 2, half, 2.0], [steps, accuracy, 1.0]],
        "state_bits": [0, 4096] if name == "attention" else [4096, 0],
        "parameters": 10,
    }
    return Row("index-lookup-architectures", run.key(), run.configuration(), result, HERE)


ROWS = [
    row("attention", 20, 1.0),
    row("attention", 50, 0.995),
    row("retention", 20, 0.992),
    row("retention", 20, 0.3, learning_rate=3e-3),
    row("retention", 20, 0.999, learning_rate=3e-4),
    row("retention", 20, 1.0, learning_rate=3e-4, embedding_scale=0.02),
    row("retention", 20, 0.14, positions="default"),
    row("retention", 50, 0.47, steps=16_000, at_half=0.4),
    row("retention", 50, 0.48, steps=16_000, at_half=0.4, status="pruned"),
    row("lstm", 20, 0.09, at_half=0.085),
    row("lstm", 20, 0.05, positions="default"),
]
LINES = {line.name: line for line in reach_lines(map(RunSummary.of, ROWS), "figure2_index_lookup")}


def test_a_line_for_each_architecture_and_choice_of_positions():
    assert list(LINES) == [
        "Attention",
        "LSTM, learned positions",
        "LSTM, no positions",
        "Retention, learned positions",
        "Retention, no positions",
    ]
    assert LINES["Attention"].model.positions == "learned"
    alike = [line.name for line in LINES.values() if is_alike(line.model, "default")]
    assert alike == ["Attention", "LSTM, no positions", "Retention, no positions"]
    assert is_alike(SizedModel(("sliding-attention",), 64, "learned"), "default")
    assert not is_alike(SizedModel(("mamba",), 64, "learned"), "default")


def test_where_it_is_above_99_percent_and_where_it_falls():
    attention, retention, lstm = (
        LINES[name] for name in ("Attention", *[f"{n}, learned positions" for n in ("Retention", "LSTM")])
    )
    assert (attention.passed, attention.fall) == (50, None)
    assert (retention.passed, retention.fall[0].length, retention.fall[1].best.accuracy) == (20, 50, 0.47)
    assert (lstm.passed, lstm.fall[0].length) == (None, 20)


def entries(lines):
    """The texts of each row of the table, by the model's name."""
    return {row.name: [entry.main for entry in row.entries] for row in reach_table(list(lines)).rows}


def test_the_table_has_where_each_falls():
    found = entries(LINES.values())
    assert found["Attention"] == ["100.0", "50", "1 of 1", *["—"] * 5]
    assert found["Retention, learned positions"] == ["100.0", "20", "1 of 1", "50", "47.0", "(1, 64)", "16,000", "78.5"]
    assert found["LSTM, learned positions"] == ["9.0", "—", "—", "20", "9.0", "(1, 64)", "4,000", "100.0"]
    assert found["LSTM, no positions"][:1] == ["5.0"]
    larger = reach_lines(map(RunSummary.of, [*ROWS, row("lstm", 20, 0.6, width=256)]), "figure2_index_lookup")
    assert entries(larger)["LSTM, learned positions"][3:] == ["20", "60.0", "(1, 256)", "4,000", "100.0"]
    some = reach_lines(map(RunSummary.of, [*ROWS, row("attention", 50, 0.4, seed=1)]))
    assert entries(some)["Attention"][:3] == ["100.0", "50", "1 of 2"]
    assert reach_table([]) is None


def test_the_table_has_only_what_the_paper_prints():
    own = reach_lines(map(RunSummary.of, [row("mamba2", 20, 0.5), row("rwkv7", 20, 0.6, steps=8000)]), "figure2_index_lookup")
    assert [texts[-2:] for texts in entries(own).values()] == [["4,000", "—"], ["8,000", "—"]]


def test_the_findings_are_those_of_the_rows_of_reach(tmp_path):
    assert reach_findings(tmp_path) is None
    write_rows(BY_NAME["index-lookup-architectures"].rows_file(tmp_path, "length-scaling"), ROWS)
    assert reach_findings(tmp_path) == reach_table(list(LINES.values()))


def test_widths_of_one_architecture_are_lines_of_their_own():
    rows = [row("mamba", 20, accuracy, width=width) for width, accuracy in ((32, 0.5), (64, 1.0))]
    lines = reach_lines([RunSummary.of(one) for one in rows], "figure3_mamba_width_index_lookup")
    assert [(line.name, line.passed) for line in lines] == [("Mamba (1, 32)", None), ("Mamba (1, 64)", 20)]
    assert lines[0].paper[20] == pytest.approx(0.977)


def test_models_that_differ_in_heads_are_different_models():
    rows = [row("gated-delta", 50, accuracy, heads=heads, width=64) for accuracy, heads in ((0.5, 4), (0.9, 16))]
    names = states_table(BY_NAME["index-lookup-architectures"], rows).models.values()
    assert list(names) == ["Gated delta rule, heads 4", "Gated delta rule, heads 16"]


def test_the_states_differ_and_nothing_else_does():
    search = BY_NAME["index-lookup-architectures"].search("state-bits")
    runs = search.runs()
    assert [run.task.length for run in runs] == sorted(run.task.length for run in runs)
    same = {(run.steps, run.learning_rate, run.embedding_scale, run.positions, len(run.layers), run.seed) for run in runs}
    assert same == {(2000, 1e-3, 0.3, "learned", 1, 0)}
    assert len({(run.layers, run.width, run.heads, run.task) for run in runs}) == len(runs) == search.size
    for family in ("mamba2", "gated-delta"):
        of_it = [run for run in runs if run.layers[0].partition("(")[0] == family and run.task.length == 200]
        states = {run.model().state_bits() for run in of_it if (run.width, run.heads) == (64, 4)}
        assert len(states) == 3
    assert "attention" not in {run.layers[0] for run in runs}


def test_attention_is_compared_with_models_of_its_positions():
    """The best recurrent model without positions is better here; the headline takes the best of those with learned ones."""
    rows = [row("attention", 20, 1.0), row("retention", 20, 0.4), row("mamba", 20, 0.5, positions="default")]
    gap = separation(DemoRuns.of_rows(rows, []))
    assert (gap.recurrent.model.architecture, gap.recurrent.accuracy) == ("retention", 0.4)
    assert re.sub(r" \(.*?\)| after [\d,]+ steps", "", gap.sentence()) == (
        "Index lookup at N = 20: Attention 100.0 %, Retention 40.0 %"
    )
    mixed = separation(DemoRuns.of_rows([rows[0], rows[2]], []))
    assert re.search(r", Mamba \([^)]+\) 50\.0 % after [\d,]+ steps$", mixed.sentence())


def test_the_picture_shows_models_of_one_choice_of_positions():
    rows = [row("attention", 20, 1.0), row("retention", 20, 0.4), row("retention", 20, 0.2, positions="default")]
    of_two = heatmap(DemoRuns.of_rows(rows, []))
    assert like_with_like_rows(of_two) == of_two  # two are too few for a picture of their own
    shown = like_with_like_rows(heatmap(DemoRuns.of_rows([*rows, row("lstm", 20, 0.3)], [])))
    assert {(one.name, one.model.positions) for one in shown.rows} == {
        ("Attention", "learned"),
        ("LSTM", "learned"),
        ("Retention", "learned"),
    }


def test_the_papers_numbers_stand_beside_its_own_task_alone():
    """At another alphabet there is nothing to compare, at N = 20 of index lookup over 64 symbols there is."""
    experiment = BY_NAME["index-lookup-architectures"]
    for alphabet, printed in ((64, {1.0}), (16, {None})):
        rows = [row(name, 20, 0.5, alphabet=alphabet) for name in ("lstm", "dss")]
        assert {line.paper.get(20) for line in experiment_reach(experiment, rows)} == printed
