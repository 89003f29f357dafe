"""Every generated page is the committed one, and pages appear whole or not at all."""

from pathlib import Path

import matplotlib
import pytest

from pages import PAGES, write_pages
from pages import write as pages_write

ROOT = Path(__file__).parents[2]


DRAWN_BY_MATPLOTLIB = ("docs/state-bits.svg",)


@pytest.mark.unchecked  # pages of theorems run their checks; tests/theorems has shapes checked
@pytest.mark.parametrize("name", PAGES)
def test_the_committed_page_is_the_generated_one(name):
    if name in DRAWN_BY_MATPLOTLIB and f"matplotlib=={matplotlib.__version__}" not in (ROOT / "constraints.txt").read_text():
        pytest.skip("another version of matplotlib draws other paths")
    assert (ROOT / name).read_text(encoding="utf-8") == PAGES[name](ROOT), "run make pages"


def test_a_page_that_fails_leaves_the_others_as_they_were(tmp_path, monkeypatch):
    def fails(clone):
        raise ValueError("no such row")

    monkeypatch.setattr(pages_write, "PAGES", {"docs/one.md": lambda clone: "new", "docs/two.md": fails})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/one.md").write_text("old")
    with pytest.raises(ValueError, match="no such row"):
        write_pages(tmp_path)
    assert [path.read_text() for path in (tmp_path / "docs").iterdir()] == ["old"]
    monkeypatch.setattr(pages_write, "PAGES", {"docs/one.md": lambda clone: "new\n"})
    assert write_pages(tmp_path) == [tmp_path / "docs/one.md"]
    assert [path.read_bytes() for path in (tmp_path / "docs").iterdir()] == [b"new\n"]
