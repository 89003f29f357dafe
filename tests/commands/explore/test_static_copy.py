"""The static copy: every link leads to a page of it, and no page has a form, a script of its own, or another host."""

import re

import pytest

from seqsep.commands.cli import main
from seqsep.commands.explore import static_copy
from seqsep.commands.explore.pages import MENU
from seqsep.commands.explore.visit import Visit

SHOWN = (
    Visit(is_static=True),
    *(Visit(page, is_static=True) for page, _ in MENU),
    Visit("theorem", "index-lookup-attention", is_static=True),
    Visit("theorem", "index-lookup-state", is_static=True),
    Visit("protocol", "index-lookup", is_static=True),
    Visit("certificate", "index-lookup-state", is_static=True),
    Visit("experiments", "mamba-width", is_static=True),
    Visit("card", query={"card": "2m/lstm"}, is_static=True),
    Visit("audit", query={"model": "lstm-64"}, is_static=True),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy") / "gallery"
    patch = pytest.MonkeyPatch()
    patch.setattr(static_copy, "visits", lambda: iter(SHOWN))
    static_copy.write_pages(folder)
    static_copy.write_pages(folder)  # over an earlier copy
    patch.undo()
    return folder


def test_every_link_leads_to_a_file(copy):
    pages = sorted(copy.glob("*.html"))
    assert len(pages) == len({static_copy.name_of(visit) for visit in SHOWN})
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#]*)(?:#[\w-]*)?"', text):
            assert target in ("", "data:,") or (copy / target).is_file(), (page.name, target)
        for target in re.findall(r'href="#([\w-]+)"', text):
            assert f'id="{target}"' in text


def test_a_copy_has_no_form_and_no_inline_code(copy):
    for page in copy.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<form" not in text
        assert not re.search(r"<script(?! src=)|<style|\sstyle=|\son\w+=", text)
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


def test_a_theorem_of_a_copy_has_its_check(copy):
    text = (copy / "theorem-index-lookup-state.html").read_text(encoding="utf-8")
    assert "✓ holds" in text


def test_a_folder_with_other_files_is_refused(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["explore", "--write", str(tmp_path)]) == 2
    assert "expected an empty folder or an earlier copy, found other files" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_complete_copy_is_written(tmp_path, capsys):
    assert main(["explore", "--write", str(tmp_path / "gallery")]) == 0
    assert re.match(r"2\d\d pages are in ", capsys.readouterr().out)
    names = {path.name for path in (tmp_path / "gallery").glob("*.html")}
    assert names == {static_copy.name_of(visit) for visit in static_copy.visits()}
