"""A running server, a browser, and windows of it. Tests that need a missing one are skipped.

The threats, and the files that test the defences:

1. sockets of other addresses: test_server (the listening sockets of this machine)
2. foreign hosts: test_guard (30 names, none, two, absolute addresses), test_server (3 absolute addresses)
3. forms of other sites: test_guard (14 wrong headers), test_browser (a page of another site); reading changes nothing:
   test_opened_files (13 fields of 8 pages)
4. other methods: test_server (7 methods on 4 pages, forms on 5 pages that take none)
5. forms: test_server (3 tokens; 100 MB with and without a length, a slow body), test_uploads (310 bodies),
   test_bounded (time, memory, two pages at once)
6. headers: test_server (8 statuses), test_guard (303, 403, 500, and the policy), test_browser (violations on 21 pages)
7. traversals: test_server (200 paths on 4 routes), test_opened_files (12 names in 13 fields of 8 pages)
8. injections: test_escaping (60 texts in 17 fields, configs, certificates and names)
9. stores: test_sweeps, test_opened_files (a database is opened to be read only)
10. load: test_server (50 idle connections, 200 requests, 10,000 headers, 40 pages at once; 200 MiB)
11. templates: test_escaping (every template, and every text of the code that is not escaped)
12. requests to others: test_browser (the log of the network on 21 pages)
13. readers: test_browser (labels, contrast, width, dark), test_accessibility (axe in 6 settings, the keyboard on 21 pages)
"""

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
