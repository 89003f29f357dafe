"""Cards, audits and a store in a real browser: what is sent, and progress that is read again without a new page.

They need Debian's Chromium and the package playwright, and are skipped without them.
"""

import shutil
import time
from pathlib import Path

import pytest

from seqsep.commands.explore.pages.card import shipped_cards
from seqsep.lab.store.store import Store
from support.explore_server import WITHOUT_WEB, start_server
from support.explore_stores import NAME, ended, make_store, runs

pytest.importorskip("starlette", reason=WITHOUT_WEB)
pytest.importorskip("uvicorn", reason=WITHOUT_WEB)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("the browser is not installed: apt-get install chromium", allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAGES = (
    "/card",
    "/card?card=2m%2Flstm&second=2m%2Fseeds%2Flstm-1",
    "/audit",
    "/experiments",
    f"/experiments?sweep={NAME}",
    f"/experiments?sweep={NAME}&cell=Mamba,%20N%20=%2020&run=0",
)
CHECKS = Path(__file__).parents[2].joinpath("support/seen_page.js").read_text(encoding="utf-8")
VIOLATIONS = "window.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective))"
SETTINGS = [{"width": width, "color_scheme": scheme} for width in (1200, 400) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store") / "runs.sqlite")


@pytest.fixture(scope="module")
def server(store):
    running = start_server("--store", str(store))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as start:
        opened = start.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser, server):
    """Return a function that opens a window on the server."""
    windows = []

    def opened(width=1200, **settings):
        window = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        windows.append(window)
        page = window.new_page()
        page.add_init_script(VIOLATIONS)
        page.goto(f"{server.address}/?token={server.token}")
        return page

    yield opened
    for window in windows:
        window.close()


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: "-".join(map(str, one.values())))
def test_pages_of_cards_and_a_store_are_sound(open_page, server, settings):
    """The pages are also those that are asked for, and none says that it took too long."""
    page = open_page(**settings)
    wrong = {}
    for path in PAGES:
        answer = page.goto(f"{server.address}{path}")
        found = page.evaluate(CHECKS) + page.evaluate("window.violations")
        if found or answer.status != 200:
            wrong[path] = [answer.status, *found]
    assert wrong == {}


def test_a_card_is_sent_by_a_form(open_page, server):
    page = open_page()
    page.goto(f"{server.address}/card")
    page.locator("#f-file").set_input_files(shipped_cards()["2m/seeds/lstm-2"])
    page.locator("#f-with").select_option("2m/lstm")
    page.get_by_role("button", name="Show this card").click()
    page.wait_for_load_state()
    assert "lstm, seed 2" in page.locator("#answer").inner_text()
    assert page.evaluate("window.violations") == []


def test_a_file_of_weights_is_refused(open_page, server, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      \x80\x04pickle")
    page = open_page()
    page.goto(f"{server.address}/audit")
    page.locator("#f-file").set_input_files(tmp_path / "model.safetensors")
    page.get_by_role("button", name="Show this audit").click()
    page.wait_for_load_state()
    assert "expected an audit that" in page.locator("[role=alert]").inner_text()


def test_progress_is_read_again_until_the_reader_stops_it(open_page, server, store):
    page = open_page()
    page.goto(f"{server.address}/experiments?sweep={NAME}")
    page.evaluate("window.same = true")
    bar = page.locator("#progress progress").first
    before = int(bar.get_attribute("value"))
    with Store(store) as opened, opened.driving():
        opened.record(ended(runs()[before + 2]), seconds=1.0, attempts=1)
    ends = time.monotonic() + 120
    while int(bar.get_attribute("value")) == before:
        assert time.monotonic() < ends
        time.sleep(0.2)
    assert int(bar.get_attribute("value")) == before + 1
    assert page.evaluate("window.same")
    page.get_by_role("button", name="Stop the updates").click()
    assert page.get_by_role("button", name="Continue the updates").is_visible()


def test_progress_needs_no_script(open_page, server):
    page = open_page(java_script_enabled=False)
    page.goto(f"{server.address}/experiments")
    page.get_by_role("link", name=NAME, exact=True).first.click()
    assert page.locator("#progress progress").first.get_attribute("max") is not None
    page.locator(".map td a").first.click()
    assert page.locator("#cell table").is_visible()
    assert page.get_by_role("button").count() == 0
