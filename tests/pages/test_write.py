"""Every generated page is the committed one, and pages appear whole or not at all."""

import json
import re
from pathlib import Path

import matplotlib
import pytest

from pages import PAGES, theorem_page, write_pages
from pages import write as pages_write
from pages._outputs import NOT_RUN

ROOT = Path(__file__).parents[2]


DRAWN_BY_MATPLOTLIB = ("docs/state-bits.svg",)
OF_THEOREMS = [name for name in PAGES if name.startswith("docs/reference/theorems/") and not name.endswith("/index.md")]
OTHERWISE = ("docs/reference/commands/", *OF_THEOREMS)
"""The pages that other tests compare, since their examples take minutes: test_commands.py, and those below."""


def committed(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.unchecked
@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith(OTHERWISE)])
def test_the_committed_page_is_the_generated_one(name):
    if name in DRAWN_BY_MATPLOTLIB and f"matplotlib=={matplotlib.__version__}" not in (ROOT / "constraints.txt").read_text():
        pytest.skip("another version of matplotlib draws other paths")
    assert committed(name) == PAGES[name](ROOT), "run make pages"


@pytest.mark.unchecked
@pytest.mark.parametrize("name", OF_THEOREMS)
def test_a_theorems_page_is_the_generated_one_but_for_outputs(name, monkeypatch):
    """The outputs are those of the committed page; the row `theorem-pages` of results/verify compares them with a run."""
    page = committed(name)
    shown = {
        block.split("$ seqsep ")[1].split("\n")[0]: block for block in re.findall(rf"{NOT_RUN}\n.*?\n```\n", page, re.DOTALL)
    }
    kinds = re.findall(r"^\| certificate \| type `([\w-]+)`", page, re.MULTILINE)
    monkeypatch.setattr(theorem_page, "console", lambda words, claims: shown[" ".join(words)])
    monkeypatch.setattr(theorem_page, "certify", lambda name: json.dumps({"type": kinds[0]}))
    assert page == PAGES[name](ROOT), "run make pages"


@pytest.mark.long
@pytest.mark.unchecked  # tests/theorems has shapes checked
@pytest.mark.parametrize("name", OF_THEOREMS)
def test_a_theorems_page_shows_what_its_commands_print(name):
    assert committed(name) == PAGES[name](ROOT), "run make pages"


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


def test_only_the_pages_with_given_beginnings_are_written(tmp_path, monkeypatch):
    pages = {name: lambda clone: "new" for name in ("docs/a/one.md", "docs/a/two.md", "docs/b.md")}
    monkeypatch.setattr(pages_write, "PAGES", pages)
    (tmp_path / "docs/a").mkdir(parents=True)
    assert write_pages(tmp_path, ["docs/a/"]) == [tmp_path / "docs/a/one.md", tmp_path / "docs/a/two.md"]
    assert not (tmp_path / "docs/b.md").exists()
    assert write_pages(tmp_path, ["docs/b.md", "docs/a/t"]) == [tmp_path / "docs/a/two.md", tmp_path / "docs/b.md"]


def test_a_beginning_of_no_page_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="docs/c: expected a generated page or the beginning of one"):
        write_pages(tmp_path, ["docs/reference/tasks.md", "docs/c"])
    assert not list(tmp_path.iterdir())
