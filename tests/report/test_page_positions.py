"""The page says which positions its models have, and at which embedding scale they start."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.headline import dyck_sentence
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
    said = "On Dyck-(2,2), N = 30, the LSTM (1, 64) reaches 99 % after 500 steps, attention (1, 64) after 1,000 steps"
    assert f"{said} (the LSTM with no positions, attention with learned positions)." in text
    assert "LSTM (1, 64) with no positions to 99 % on Dyck-(2,2), N = 30" in text
    assert "Attention (1, 64) with learned positions at N = 50, 1,000 steps" in text
    alike = [replace(run, model=replace(run.model, positions="learned")) for run in fresh]
    assert dyck_sentence(DemoRuns(tuple(alike)), DYCK) == f"{said} (both with learned positions)"
    slow = [replace(run, accuracy=0.6, curve=((1000, 0.6, 1.0),)) if run.task == DYCK else run for run in with_positions(fresh)]
    assert dyck_sentence(DemoRuns(tuple(slow)), DYCK).endswith(
        "neither reaches 99 %: the LSTM (1, 64) 60.0 %, attention (1, 64) 60.0 % (the LSTM with no positions, attention with "
        "learned positions)"
    )


def test_each_section_says_how_its_models_start(tmp_path: Path, fresh: list[RunSummary]) -> None:
    """The positions and the embedding scale: of index lookup, and of Dyck where that is shown."""
    write_page(tmp_path, DemoRuns(tuple(with_positions(fresh))), ())
    source = (tmp_path / "index.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    lookup = "All have learned positions. Embeddings start with deviation 0.3."
    dyck = "Learned positions: Attention; no positions: LSTM. Embeddings start with deviation 0.5."
    sections = {part.partition('"')[0]: part for part in source.split('<section id="')[1:]}
    for name, of_lookup, of_dyck in (("heatmap", 1, 0), ("held", 1, 0), ("curves", 2, 1), ("rates", 2, 1), ("paper", 2, 0)):
        assert (sections[name].count(lookup), sections[name].count(dyck)) == (of_lookup, of_dyck), name
    assert "<td>learned; none for LSTM on Dyck-(2,2), N = 30</td>" in sections["scale"]
    assert "<td>0.3; 0.5 for all on Dyck-(2,2), N = 30</td>" in sections["scale"]
