"""The numbers of docs/how-to/gpu.md are those of results/gpu.json and of the committed rows."""

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


def test_the_losses_of_both_ways() -> None:
    differences = MEASURED["losses of 12 steps, largest difference of the two ways"]
    first, *others = (differences[run] for run in STEPS)
    assert first < 1e-6
    assert set(others) == {0}
    equal = [run.split(",")[0].removesuffix(" attention") for run in STEPS][1:]
    assert equal == ["linear", "retention", "dss"]
    page = " ".join(words("docs/how-to/gpu.md").split())
    assert "We trained each of these runs for 12 steps with one graph, and again kernel by kernel" in page
    said = "For linear attention, retention and dss, the losses are equal. For attention they differ by less than 0.000001."
    assert said in page


def test_the_tests_of_the_kernels_did_not_end() -> None:
    [found] = [each for name, each in MEASURED.items() if name.startswith("tests of kernels")]
    assert found["ended"] == 0
    said = f"stopped them after {found['seconds']} seconds, before any of them ended"
    assert said in " ".join(words("docs/how-to/gpu.md").split())


def test_which_committed_runs_are_of_a_gpu() -> None:
    rows = [row for file in (ROOT / "results").glob("*.jsonl") for row in read_rows(file)]
    [row] = [one for one in rows if one.environment["device"] != "cpu"]
    assert row.environment["device"] == MEASURED["device"]
    assert (row.experiment, row.run.task.trace, row.run.task.length) == ("is-tree", "cot", 32)
    assert set(row.run.layers) == {"attention"}
    said = "one run that was trained on a GPU: attention on [IsTree](../explanation/glossary.md#istree), "
    said += "`cot` at n = 32, on an H200."
    assert said in " ".join(words("docs/how-to/gpu.md").split())


def test_runs_at_once_and_the_device() -> None:
    [(run, each)] = MEASURED["runs at once on one GPU, steps a second of all, one by one"].items()
    *counts, last_count = each
    *rates, last_rate = map(str, each.values())
    page = " ".join(words("docs/how-to/gpu.md").split())
    assert f"| runs at once | {' | '.join(counts)} | {last_count} |" in page
    assert f"| steps a second | {' | '.join(rates)} | {last_rate} |" in page
    kind = MEASURED["device"].split()[-1]
    assert f"({run.replace('attention, ', '')}) made this many steps per second in total" in page
    assert f"On one {kind} with {MEASURED['cores']} cores, without CUDA graphs" in page
    assert f"Milliseconds a step on an {kind} with torch 2.11" in page
    assert MEASURED["torch"].startswith("2.11.")
    assert max(MEASURED["losses of 12 steps, largest difference of the two ways"].values()) < 1e-6
    assert list(MEASURED["losses of 12 steps, largest difference of the two ways"]) == list(STEPS)
