"""A running server, a browser, and windows of it. Tests that need a missing one are skipped."""

import shutil

import pytest

from support.explore_server import WITHOUT_WEB, start_server

VIOLATIONS = "window.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective))"


@pytest.fixture(scope="module")
def server():
    """Start a server, and stop it as Ctrl-C does."""
    pytest.importorskip("starlette", reason=WITHOUT_WEB)
    pytest.importorskip("uvicorn", reason=WITHOUT_WEB)
    running = start_server()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("the browser is not installed: apt-get install chromium")
    with playwright.sync_playwright() as start:
        opened = start.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser, server):
    """Return a function that opens a window on the server, and the requests of all its windows."""
    windows = []
    requests = []

    def opened(width=1200, **settings):
        window = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        windows.append(window)
        page = window.new_page()
        page.add_init_script(VIOLATIONS)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{server.address}/?token={server.token}")
        return page

    opened.requests = requests
    yield opened
    for window in windows:
        window.close()
