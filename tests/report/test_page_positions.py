"""The page says which positions its models have, and at which embedding scale they start."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.measured import RunSummary
from seqsep.report.page.page import write_page
from seqsep.tasks import BoundedDyck
from support.html_reader import Reader

DYCK = BoundedDyck(30)


def with_positions(runs: Iterable[RunSummary]) -> list[RunSummary]:
    """The runs with the positions and the embedding scale of the demo's: on Dyck each as its own paper has it."""
    told = []
    for run in runs:
        own = "learned" if run.model.architecture in ("attention", "linear-attention") else "none"
        positions, scale = (own, 0.5) if run.task == DYCK else ("learned", 0.3)
        told.append(replace(run, model=replace(run.model, positions=positions), embedding_scale=scale))
    return told


def test_the_headline_and_its_tiles_name_positions(tmp_path: Path, fresh: list[RunSummary]) -> None:
    path = write_page(tmp_path, DemoRuns(tuple(with_positions(fresh))), ())
    text = Reader(path.read_text(encoding="utf-8").replace("\u00a0", " ")).text
    assert "LSTM (1, 64) with no positions to 99 % on Dyck-(2,2), N = 30" in text
    assert "Attention (1, 64) with learned positions at N = 50, 1,000 steps" in text


def test_each_section_says_how_its_models_start(tmp_path: Path, fresh: list[RunSummary]) -> None:
    """The positions and the embedding scale: of index lookup, and of Dyck where that is shown."""
    write_page(tmp_path, DemoRuns(tuple(with_positions(fresh))), ())
    source = (tmp_path / "index.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    sections = {part.partition('"')[0]: part for part in source.split('<section id="')[1:]}
    rows = [" ".join(row.split()) for row in Reader(source).rows]
    assert sum(" none 0.5 " in row for row in rows) == 1, "the LSTM on Dyck"
    assert sum(" learned 0.3 " in row for row in rows) == 2 * len({run.model for run in fresh})
    assert sections["held"].count("<td>learned</td>") == len({run.model for run in fresh})
    assert "<td>learned; none for LSTM on Dyck-(2,2), N = 30</td>" in sections["scale"]
    assert "<td>0.3; 0.5 for all on Dyck-(2,2), N = 30</td>" in sections["scale"]
