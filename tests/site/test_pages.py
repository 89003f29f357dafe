"""Every page of docs/ shows what its examples print, and the runner of examples notices when it does not."""

from functools import cache
from pathlib import Path

import pytest
from sybil.example import SybilFailure

from support.page_examples import ONLY_LONG, ROOT, Page, has_mark, matches, read_console

DOCS = ROOT / "docs"


@cache
def pages(mark: str = "") -> tuple[str, ...]:
    """The pages with Python or console blocks; with a mark, those that have it."""
    found = sorted(DOCS.rglob("*.md"))
    tested = [path for path in found if any(f"```{kind}" in path.read_text(encoding="utf-8") for kind in ("python", "console"))]
    names = [(path, path.relative_to(DOCS).as_posix()) for path in tested]
    return tuple(name for path, name in names if (name in ONLY_LONG or has_mark(path, mark) if mark else name not in ONLY_LONG))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", pages())
def test_a_page_shows_what_its_examples_print(name: str, page_folder: Path) -> None:
    Page(DOCS / name, page_folder).run()


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", pages("long"))
def test_a_page_with_long_examples(name: str, page_folder: Path) -> None:
    Page(DOCS / name, page_folder, long=True).run()


def run(text: str, folder: Path, long: bool = False) -> int:
    path = folder.with_name("example.md")
    path.write_text(text, encoding="utf-8")
    return Page(path, folder, long).run()


def test_right_outputs_pass(page_folder: Path) -> None:
    text = """# A page
<!-- file: own.py -->
```python
NUMBER = 3
```

```console
$ echo one \\
  two
one two
$ python -c "import own; print('time', own.NUMBER); print(1); print(2)"
time ...
...
2
$ ls
own.py
...
```

```python
>>> import pathlib
>>> pathlib.Path("own.py").read_text()
'NUMBER = ...'
```
"""
    assert run(text, page_folder) == 4


@pytest.mark.parametrize(
    "block",
    [
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ echo one\n```\n",
        "```console\n$ true\nsomething\n```\n",
        "```console\n$ false\n```\n",
        "<!-- status: 2 -->\n```console\n$ false\n```\n",
        "```console\n$ echo a; echo b\na ... b\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
    ],
)
def test_a_wrong_output_fails(block: str, page_folder: Path) -> None:
    with pytest.raises(SybilFailure):
        run(block, page_folder)


def test_marks(page_folder: Path) -> None:
    assert run("<!-- not run: needs a GPU -->\n```console\n$ false\n```\n", page_folder) == 0
    assert run("<!-- long -->\n```console\n$ true\n```\n", page_folder) == 0
    assert run("<!-- long -->\n```console\n$ true\n```\n", page_folder, long=True) == 1
    assert run("<!-- status: 1 -->\n```console\n$ true\n$ false\n```\n", page_folder) == 1
    assert run("```python\nraise ValueError\n```\n", page_folder) == 0
    with pytest.raises(SybilFailure):
        run("<!-- long -->\n```console\n$ false\n```\n", page_folder, long=True)


@pytest.mark.parametrize("mark", ["not run", "not run:", "lnog", "file", "long: hours"])
def test_an_unknown_mark_or_one_without_its_reason_is_an_error(mark: str, page_folder: Path) -> None:
    with pytest.raises(ValueError, match="a comment before a block"):
        run(f"<!-- {mark} -->\n```console\n$ true\n```\n", page_folder)


def test_the_programs_are_on_the_path(page_folder: Path) -> None:
    text = "```console\n$ seqsep --version\n...\n$ seqsep-check --help\nusage: ...\n...\n$ python --version\nPython 3...\n```\n"
    assert run(text, page_folder) == 1


def test_a_console_block_begins_with_a_command() -> None:
    with pytest.raises(ValueError, match="begins with"):
        read_console("output\n")
    assert matches("...", "")
    assert not matches("a.c", "abc")


def test_no_line_is_a_comment_by_accident() -> None:
    """MyST leaves out a line that begins with a percent sign."""
    lines = [(path.name, line) for path in DOCS.rglob("*.md") for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(name, line) for name, line in lines if line.startswith("%")] == []
