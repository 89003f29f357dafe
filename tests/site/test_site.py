"""The documentation site builds without warnings and without a network, and what it links is there."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from support.page_examples import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # the build takes 40 CPU-seconds
DOCS = ROOT / "docs"
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data", "use": "href"}
NOT_LOADED = {"canonical", "next", "prev", "index", "search", "author", "copyright"}
"""Kinds of <link> that point at a page and load nothing."""
NO_NETWORK = ("unshare", "--user", "--map-root-user", "--net")


class Parsed(HTMLParser):
    """The anchors of a built page, what it links, what it loads, and its equations."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.equations = 0
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        self.equations += tag == "math"
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif LOADED.get(tag) in found and found.get("rel", "") not in NOT_LOADED:
            self.loaded.append(found[LOADED[tag]])


def build(docs: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """Build the site where no network can be reached."""
    if subprocess.run([*NO_NETWORK, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make a network namespace")
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(to / "trees")]
    return subprocess.run([*NO_NETWORK, *words, str(docs), str(to / "site")], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    done = build(DOCS, folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Parsed]:
    """Path -> what is in it, for each page of the built site."""
    return {path: Parsed(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_built(pages: dict[Path, Parsed], site: Path) -> None:
    sources = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    assert sources <= {path.relative_to(site).with_suffix("") for path in pages}


def test_nothing_is_loaded_from_outside(pages: dict[Path, Parsed], site: Path) -> None:
    loaded = [(path.name, place) for path, page in pages.items() for place in page.loaded]
    assert len(loaded) > len(pages)
    assert [(name, place) for name, place in loaded if urlsplit(place).netloc] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert "url(http" not in styles
    assert "@import" not in styles


def test_every_link_leads_somewhere(pages: dict[Path, Parsed]) -> None:
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                broken.append(f"{path.name}: {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{path.name}: {link}: no such heading")
    assert broken == []


def test_equations_are_mathml(pages: dict[Path, Parsed]) -> None:
    [page] = (page for path, page in pages.items() if path.name == "p-bit-arithmetic.html")
    assert page.equations > 0
    assert not any("MathJax" in path.read_text(encoding="utf-8") for path in pages)


def test_the_search_works_without_a_server(site: Path) -> None:
    assert (site / "searchindex.js").stat().st_size > 10_000


def test_marks_of_examples_are_not_shown(pages: dict[Path, Parsed]) -> None:
    text = "".join(page.text for page in pages.values())
    reasons = {reason for path in DOCS.rglob("*.md") for reason in re.findall(r"<!-- not run: (.+?) -->", path.read_text())}
    assert len(reasons) > 2
    assert [reason for reason in reasons if f"not run: {reason}" in text] == []
    assert "<!--" not in text


def test_flags_keep_their_two_dashes(pages: dict[Path, Parsed]) -> None:
    text = "".join(page.text for page in pages.values())
    assert " --help" in text
    assert re.findall(r"\s\N{EN DASH}[a-z-]+", text) == []


def test_folds_are_folds(site: Path) -> None:
    page = (site / "reference/model-laws.html").read_text(encoding="utf-8")
    assert page.count("<details>") == page.count("</details>") == page.count("<summary>") > 3


MISTAKES = ("[a page](missing.md)", "[a heading](#missing)", "$\\nosuchcommand$", "# one\n\n### three")


@pytest.mark.timeout(600)
def test_each_mistake_on_a_page_ends_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name in ("conf.py", "site.css"):
        (docs / name).write_text((DOCS / name).read_text(encoding="utf-8"))
    for number, text in enumerate(MISTAKES):
        (docs / f"page{number}.md").write_text(f"# A page\n\n{text}\n")
    (docs / "index.md").write_text("# Pages\n\n```{toctree}\n:glob:\n\npage*\n```\n")
    done = build(docs, tmp_path)
    assert done.returncode != 0
    assert [number for number in range(len(MISTAKES)) if f"page{number}.md" not in done.stderr] == []
