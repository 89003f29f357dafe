"""The papers' numbers, the choice of runs, number formats, and labels that keep apart."""

import math
from itertools import pairwise
from typing import Any

import pytest

from seqsep.lab.experiments.claims.papers import figure2_dyck, figure2_index_lookup, figure3_mamba_width
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import counts, listed, number, percent, percent_at_most
from seqsep.report.measured import RunSummary
from seqsep.report.page.tables import scaled_down
from seqsep.report.page.theorem_table import statement_tables
from seqsep.report.sized_model import SizedModel
from seqsep.report.ticks import round_ticks, spread_apart
from seqsep.tasks import BoundedDyck, IndexLookup, Task

LOOKUP = {20: IndexLookup(20), 50: IndexLookup(50)}
DYCK = BoundedDyck(30)


def test_papers() -> None:
    figure = figure2_index_lookup()
    assert list(figure) == ["lstm", "linear-attention", "retention", "dss", "mamba", "attention"]
    assert figure["mamba"].label == "mamba-(6,256)"
    assert (figure["retention"].label, figure["retention"].depth, figure["retention"].width) == ("retnet-(6,256)", 6, 256)
    assert figure["lstm"].accuracy == pytest.approx({20: 1.0, 50: 0.498, 100: 0.182, 200: 0.094, 400: 0.058})
    assert figure3_mamba_width()[1024].accuracy[400] == pytest.approx(0.126)
    assert "attention-(2,64)" in figure2_dyck()


def test_one_run_stands_for_a_model(fresh: list[RunSummary], committed: list[RunSummary], measured: Any) -> None:
    task, lstm = LOOKUP[50], measured(LOOKUP[50], "lstm", 0.5).model
    both, rebuilt = DemoRuns(tuple(fresh), tuple(committed)), DemoRuns((), tuple(committed))
    best = both.best(task, lstm)
    assert best in fresh
    assert best is not None
    assert best.learning_rate == 0.001
    chosen = rebuilt.best(task, lstm)
    assert chosen is not None
    assert (chosen.seed, chosen.learning_rate) == (0, 0.001)
    assert [run.seed for run in both.each_seed(task, lstm)] == [0, 1, 2]
    assert both.best(DYCK, measured(DYCK, "dss", 0.5).model) is None


def test_fastest_is_not_always_best(measured: Any) -> None:
    slow = measured(DYCK, "lstm", 0.999, curve=((500, 0.5, 1.0), (1000, 0.999, 0.1)))
    quick = measured(DYCK, "lstm", 0.992, curve=((250, 0.992, 0.2),), learning_rate=0.003)
    runs = DemoRuns((slow, quick), ())
    assert runs.best(DYCK, slow.model) is slow
    assert runs.fastest(DYCK, slow.model) is quick


def test_from_a_row() -> None:
    trained = Run(LOOKUP[20], ("dss",), width=64, heads=8, steps=750, seed=1, weight_scale=0.09)
    result = {
        "status": "finished",
        "steps": 750,
        "accuracy": 0.1,
        "best_accuracy": 0.2,
        "curve": [[250, 0.2, 3.5], [750, 0.1, 3.6]],
        "state_bits": [262144, 0],
        "parameters": 9,
    }
    run = RunSummary.of(Row("x", trained.key(), trained.configuration(), result, {"torch": "2.13.0"}))
    assert (run.accuracy, run.steps_allowed, run.recurrent, run.bits_before_the_question) == (0.1, 750, True, 262144)
    assert (run.model.size, run.weight_scale, run.heads) == ("(1, 64)", 0.09, 8)


def setting(name: str, runs: list[RunSummary]) -> str:
    """The text of this place in the table of settings."""
    ((_, _, text),) = (row for row in scaled_down(DemoRuns(tuple(runs), ())) if row[0] == name)
    return text


def test_settings_name_positions_and_embedding_scale(measured: Any) -> None:
    def of(task: Task, name: str, positions: str, scale: float) -> RunSummary:
        return measured(task, name, 0.5, model=SizedModel((name,), 64, positions), embedding_scale=scale)

    lookup = [of(task, name, "learned", 0.3) for task in LOOKUP.values() for name in ("attention", "lstm", "mamba")]
    dyck = [of(DYCK, "attention", "learned", 0.5), *(of(DYCK, name, "none", 0.5) for name in ("mamba", "lstm"))]
    assert setting("Positions", lookup) == "learned"
    assert setting("Positions", lookup + dyck) == "learned; none for LSTM and Mamba on Dyck-(2,2), N = 30"
    assert setting("Deviation of embeddings at the start", lookup + dyck) == "0.3; 0.5 for all on Dyck-(2,2), N = 30"
    assert setting("Positions", [measured(DYCK, "lstm", 0.5)]) == "—"


def test_weights_drawn_otherwise_are_named(measured: Any) -> None:
    usual = [measured(DYCK, "lstm", 0.5), measured(LOOKUP[20], "attention", 0.5), measured(DYCK, "attention", 0.5, seed=1)]
    others = [measured(DYCK, name, 0.5, weight_scale=scale) for name, scale in (("dss", 0.09), ("attention", 0.18))]

    def here(runs: list[RunSummary]) -> str:
        return setting("Deviation of read-out and linear layers at the start", runs)

    assert here(usual) == "0.02"
    assert here(usual + others) == "0.02; 0.09 for DSS on Dyck-(2,2), N = 30; 0.18 for Attention on Dyck-(2,2), N = 30"
    assert here([]) == "—"


def test_numbers_never_round_to_a_claim() -> None:
    assert [percent(x) for x in (1.0, 0.9998, 0.99999, 0.9999999, 0.0156, math.nan, None)] == [
        "100.0",
        "99.98",
        "99.999",
        "<100",
        "1.6",
        "—",
        "—",
    ]
    assert [percent_at_most(x) for x in (1.0, 0.99999, 0.5641, None)] == ["100", "<100", "56.5", "—"]
    assert number(1e300) == "1e+300"
    assert [number(x) for x in (True, 12, 0.5, math.inf, "text", None, [1, 2], {"a": 1})] == [
        "yes",
        "12",
        "0.5",
        "—",
        "text",
        "—",
        "1, 2",
        "a: 1",
    ]
    assert counts([3, 1, 3]) == "1, 3"
    assert counts(list(range(9))) == "0 to 8"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([]) == ""


def test_labels_keep_apart_and_in_order() -> None:
    wished = [10.0, 11.0, 12.0, 100.0, 299.0, 300.0]
    placed = spread_apart(wished, 16.0, 16.0, 276.0)
    assert all(later - earlier >= 16 - 1e-9 for earlier, later in pairwise(placed))
    assert placed[0] >= 16
    assert placed[-1] <= 276
    assert placed[3] == 100
    assert spread_apart([], 16.0, 0.0, 1.0) == []


def test_round_ticks() -> None:
    assert round_ticks(2000.0, 4) == (0, 500, 1000, 1500, 2000)
    assert round_ticks(3500.0, 4)[-1] == 3000


def test_what_no_model_ran_for_is_computed_and_does_not_hold() -> None:
    record = {"theorem": "x", "holds": True, "computed": True, "inputs": 3, "measured": {"bits": 1}, "bound": {"bits": 1}}
    assert [table.verdict for table in statement_tables([record])] == ["✓ computed"]
    assert [table.verdict for table in statement_tables([{**record, "computed": False}])] == ["✓ holds"]
    assert [table.verdict for table in statement_tables([record, {**record, "computed": False}])] == ["✓ holds"]
    assert [table.verdict for table in statement_tables([record, {**record, "holds": False}])] == ["✗ fails"]
