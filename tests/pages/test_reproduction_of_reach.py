"""What docs/reproduction.md says of the preset `reach` on index lookup, beside its committed rows."""

from pathlib import Path

from seqsep.ceilings import carried_bits
from seqsep.experiments import BY_NAME
from seqsep.lab.row import Row, read_rows
from seqsep.report.measured import Measured
from seqsep.report.reach import rate_window
from seqsep.tasks import IndexLookup

RESULTS = Path(__file__).parents[2] / "results"


def reach_settings() -> dict[tuple[str, str], list[Row]]:
    """The rows of the first two stages of `reach` on index lookup, by positions and mixer."""
    experiment = BY_NAME["index-lookup-architectures"]
    rows = read_rows(experiment.rows_file(RESULTS, "reach"))
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if (row.run.task, row.run.width, row.run.steps, row.run.seed) == (IndexLookup(20), 64, 4000, 0):
            found.setdefault((row.run.positions, *row.run.layers), []).append(row)
    first = {run.key() for grid in experiment.search("reach").grids for run in grid}
    assert first <= {row.key for row in rows}
    assert {len(settings) for settings in found.values()} == {11}
    return found


def test_what_is_said_of_positions():
    tried = {place: [row.result["accuracy"] for row in settings] for place, settings in reach_settings().items()}
    learned = {name: found for (positions, name), found in tried.items() if positions == "learned"}
    passing = {"attention", "linear-attention", "retention", "mamba", "mamba2", "gated-delta", "rwkv7"}
    assert {name for name, found in learned.items() if max(found) > 0.99} == passing
    rest = {name: round(100 * max(found), 1) for name, found in learned.items() if name not in passing}
    assert rest == {"lstm": 20.9, "dss": 12.5, "sliding-attention": 75.9}
    without = {name: max(found) for (positions, name), found in tried.items() if positions == "default"}
    assert set(without) == {"lstm", "retention", "dss", "mamba", "mamba2", "gated-delta", "rwkv7"}
    assert max(without.values()) < 0.31
    passed = {name: [row for row in reach_settings()["learned", name] if row.result["accuracy"] > 0.99] for name in passing}
    assert [row.result["steps"] for row in passed["mamba"]] == [3250]
    first = {name: min(row.result["steps"] for row in rows) for name, rows in passed.items()}
    assert max(first, key=first.get) == "mamba"


def test_what_is_said_of_more_steps_at_50():
    rows = [row for row in read_rows(BY_NAME["index-lookup-architectures"].rows_file(RESULTS, "reach")) if row.has_outcome]
    found: dict[str, list[float]] = {}
    for row in rows:
        if (row.run.task, row.run.steps) == (IndexLookup(50), 16_000):
            assert row.run.positions == "learned" or row.run.layers == ("linear-attention",)
            found.setdefault(row.run.layers[0], []).append(row.result["accuracy"])
    passing = {"linear-attention", "retention", "mamba2", "gated-delta", "rwkv7"}
    assert {name for name, seen in found.items() if max(seen) > 0.99} == passing
    assert set(found) == passing | {"mamba"}
    assert sorted(round(100 * accuracy, 1) for accuracy in found["mamba"]) == [90.9, 95.2]


def test_what_is_said_of_heads_and_bits_of_state():
    rows = read_rows(BY_NAME["index-lookup-architectures"].rows_file(RESULTS, "state-bits"))
    same = [row for row in rows if row.run.task == IndexLookup(50) and row.run.width == 64]
    parameters = {}
    proved = []
    for name, said in {
        "linear-attention": {1: (133_120, 96.6), 4: (34_816, 89.8), 16: (10_240, 20.7)},
        "retention": {1: (131_072, 88.4), 4: (32_768, 5.2), 16: (8_192, 2.4)},
    }.items():
        of_it = [row for row in same if row.run.layers == (name,)]
        found = {row.run.heads: (row.result["state_bits"][0], round(100 * row.result["accuracy"], 1)) for row in of_it}
        assert found == said
        parameters[name] = {row.result["parameters"] for row in of_it}
        proved += [carried_bits(IndexLookup(50), row.result["accuracy"]) for row in of_it]
        assert IndexLookup(50).answer_bits() == 300 < min(bits for bits, _ in found.values())
    assert all(len(numbers) == 1 for numbers in parameters.values())
    assert round(max(proved)) == 279


def test_what_is_said_of_windows_of_rates():
    windows = {}
    for (positions, name), rows in reach_settings().items():
        if positions == "learned":
            window = rate_window([Measured.of(row) for row in rows])
            windows[name] = (len(window.learned), len(window.tried))
    at_four = dict.fromkeys(("attention", "linear-attention", "rwkv7"), (4, 5))
    at_three = dict.fromkeys(("retention", "mamba2", "gated-delta"), (3, 5))
    at_none = dict.fromkeys(("lstm", "dss", "sliding-attention"), (0, 5))
    assert windows == at_four | at_three | at_none | {"mamba": (1, 5)}
