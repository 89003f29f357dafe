"""What README.md and docs/how-to/gpu.md say of a GPU is what results/gpu.json has."""

import json
from pathlib import Path

from seqsep.lab.row import read_rows

ROOT = Path(__file__).parents[1]
MEASURED = json.loads((ROOT / "results/gpu.json").read_text(encoding="utf-8"))
STEPS = MEASURED["milliseconds a step"]


def words(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_table_of_steps() -> None:
    rows = [f"| {run} | {each['one graph']:.2f} ms | {each['one by one']:.2f} ms |" for run, each in STEPS.items()]
    text = words("docs/how-to/gpu.md")
    assert text.count(" ms |\n") == len(rows)
    assert "\n".join(rows) in text


def test_the_range_in_the_readme() -> None:
    sixes = [each for run, each in STEPS.items() if "6 x 256" in run]
    graphs, others = ([each[way] for each in sixes] for way in ("one graph", "one by one"))
    said = (
        f"{min(graphs):.1f} to {max(graphs):.1f} ms a step in place of {min(others):.0f} to {max(others):.0f}, and the losses"
    )
    assert f"linear attention, retention and DSS take {said} of 12 steps are equal" in words("README.md")
    differences = MEASURED["losses of 12 steps, largest difference of the two ways"]
    assert {differences[run] for run in STEPS if "6 x 256" in run} == {0}


def test_the_kernels_take_long_at_first() -> None:
    [found] = [each for name, each in MEASURED.items() if name.startswith("tests of kernels")]
    assert found["ended"] == 0
    assert f"none of their tests had ended after {found['seconds']} s" in words("README.md")


def test_which_committed_runs_are_of_a_gpu() -> None:
    rows = [row for file in (ROOT / "results").glob("*.jsonl") for row in read_rows(file)]
    [row] = [one for one in rows if one.environment["device"] != "cpu"]
    assert row.environment["device"] == MEASURED["device"]
    assert (row.experiment, row.run.task.trace, row.run.task.length) == ("is-tree", "cot", 32)
    assert set(row.run.layers) == {"attention"}
    assert "one was trained on a GPU (IsTree, `cot` at n = 32, attention; an H200)" in words("README.md")


def test_runs_at_once_and_the_device() -> None:
    [(run, each)] = MEASURED["runs at once on one GPU, steps a second of all, one by one"].items()
    *counts, last_count = each
    *rates, last_rate = map(str, each.values())
    page = " ".join(words("docs/how-to/gpu.md").split())
    assert f"| runs at once | {' | '.join(counts)} | {last_count} |" in page
    assert f"| steps a second | {' | '.join(rates)} | {last_rate} |" in page
    kind = MEASURED["device"].split()[-1]
    assert f"({run.replace('attention, ', '')}) on one {kind} made" in page
    assert f"Milliseconds a step on an {kind} with torch 2.11" in page
    assert f"kernel by kernel, with {MEASURED['cores']} cores" in page
    [found] = [each for name, each in MEASURED.items() if name.startswith("tests of kernels")]
    assert f"their tests had not ended after {found['seconds']} seconds" in page
    assert MEASURED["torch"].startswith("2.11.")
    assert max(MEASURED["losses of 12 steps, largest difference of the two ways"].values()) < 1e-6
    assert list(MEASURED["losses of 12 steps, largest difference of the two ways"]) == list(STEPS)
