"""In modules that declare shapes, the first calls of each function are checked in each test that does not say "unchecked".

The types of other modules are mypy's: checking their calls as well takes half of the suite's time, and no shape is seen.

Each test has a cache of outcomes of its own. Ctrl-C is heard here even if who started the tests ignores it, as a shell does for
what it runs in the background: programs under test inherit that, and tests that interrupt them would find them running on.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from jaxtyping import config, install_import_hook

from support import sampled_checks

SOURCES = Path(__file__).parents[1] / "src"


def modules_with_shapes() -> list[str]:
    """Return the names of the modules of seqsep that import types of arrays from jaxtyping."""
    files = [path for path in sorted(SOURCES.rglob("*.py")) if "jaxtyping" in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in files]


sampled_checks.install()
install_import_hook(modules_with_shapes(), "beartype.beartype")  # before any test imports seqsep
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _shapes(request: pytest.FixtureRequest) -> Iterator[None]:
    sampled_checks.CHECKED.clear()
    config.update("jaxtyping_disable", request.node.get_closest_marker("unchecked") is not None)
    yield
    config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True)
def _own_cache(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No test reads outcomes that another has left, and none touches the user's; the folder is made only if it is written."""
    folder = tmp_path_factory.getbasetemp() / "caches" / str(abs(hash(request.node.nodeid)))
    monkeypatch.setattr("seqsep.commands.outcome_cache.cache_folder", lambda: folder)  # imported late: its types are checked


@pytest.fixture
def page_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty folder in which a reader types the commands of a page; it is the current one."""
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
