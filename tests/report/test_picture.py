"""The picture is a PNG of the size asked for, not empty, and the same for the same runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from seqsep.report.demo_heatmap import heatmap
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.picture import draw_picture, footnote, who_has_positions
from seqsep.report.measured import RunSummary
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import IndexLookup

LOOKUP = {20: IndexLookup(20), 50: IndexLookup(50)}


def test_size_and_content(tmp_path: Path, fresh: list[RunSummary], committed: list[RunSummary]) -> None:
    runs = DemoRuns(tuple(fresh), tuple(committed))
    path = draw_picture(tmp_path / "folder" / "picture.png", runs)
    pixels = imread(path)
    assert pixels.shape[:2] == (900, 1600)
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    left, right = pixels[:, :800, :3], pixels[:, 800:, :3]
    for half in (left, right):
        assert 0.02 < np.mean(np.any(half < 0.97, axis=-1)) < 0.9
    assert np.all(pixels[:, -8:, :3] == 1)
    again = draw_picture(tmp_path / "again.png", runs)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_missing_data(tmp_path: Path, fresh: list[RunSummary], kept: int) -> None:
    assert imread(draw_picture(tmp_path / "p.png", DemoRuns(tuple(fresh[:kept])), width=800, height=450)).shape[:2] == (
        450,
        800,
    )


def test_footnote_changes_when_a_ceiling_bites(fresh: list[RunSummary], measured: Any) -> None:
    roomy = heatmap(DemoRuns(tuple(fresh), ()))
    small = heatmap(DemoRuns((measured(LOOKUP[50], "lstm", 0.1, state_bits=(99, 0)),), ()))
    assert "so they do not explain accuracies below 100 %" in footnote(roomy)
    assert "too small" in footnote(small)


def test_the_footnote_says_who_has_positions(measured: Any) -> None:
    chosen = {name: SizedModel((name,), 64, positions) for name, positions in (("lstm", "none"), ("attention", "learned"))}
    both = DemoRuns(tuple(measured(LOOKUP[50], name, 0.1, model=model) for name, model in chosen.items()), ())
    assert footnote(heatmap(both)).endswith("\nLearned positions: Attention; none: the others.")
    assert "ositions" not in footnote(heatmap(DemoRuns(both.fresh[:1], ())))


def test_curves_say_who_has_positions_too() -> None:
    """In the demo those of Dyck have each paper's."""
    models = {SizedModel((name,), 64, positions): name for name, positions in (("dss", "none"), ("attention", "learned"))}
    assert who_has_positions(models, "Dyck") == "\nDyck: learned positions: attention; none: the others."
    assert who_has_positions(dict.fromkeys([SizedModel(("dss",), 64)], "DSS")) == ""
