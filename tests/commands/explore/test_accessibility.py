"""Axe, a public checker of web pages, finds nothing wrong on any page, and a keyboard is enough to use each of them."""

from pathlib import Path

import pytest

from support.explore_server import PAGES, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FOCUSABLE = """() => {
  const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
  window.focusable = [...document.querySelectorAll(kinds)].filter(shown);
  return focusable.map((one) => `${one.tagName} ${one.id || one.textContent.trim().slice(0, 30)}`);
}"""
FOCUSED = """() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  const isMarked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 && box.width > 1 && box.height > 1;
  return [focusable.indexOf(one), isMarked];
}"""
MOST_TABS = 400


@pytest.fixture(scope="module")
def axe():
    """The text of axe, as the package axe-playwright-python has it."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "colours", [{}, {"color_scheme": "dark"}, {"forced_colors": "active"}], ids=["light", "dark", "forced"]
)
@pytest.mark.parametrize("width", [1200, 400])
def test_axe_finds_nothing(open_page, server, axe, width, colours):
    page = open_page(width, **colours)
    wrong = {}
    for path in PAGES:
        page.goto(f"{server.address}{path}")
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        assert len(found["passes"]) > 5
        for one in found["violations"]:
            wrong.setdefault(one["id"], []).append((path, [node["html"][:200] for node in one["nodes"]]))
    assert wrong == {}


def test_axe_sees_a_field_without_a_label(open_page, server, axe):
    page = open_page()
    page.goto(f"{server.address}/language")
    page.evaluate("document.querySelectorAll('label').forEach((one) => one.remove())")
    page.evaluate(axe)
    assert "label" in [one["id"] for one in page.evaluate("axe.run()")["violations"]]


def test_the_tab_key_reaches_every_control(open_page, server):
    """Every link, button, field and scrolled part, in the order of the page, each with a visible outline."""
    page = open_page()
    for path in PAGES:
        page.goto(f"{server.address}{path}")
        names = page.evaluate(FOCUSABLE)
        reached = []
        for _ in range(MOST_TABS):
            page.keyboard.press("Tab")
            place, is_marked = page.evaluate(FOCUSED)
            if place < 0 or place in reached:
                break
            assert is_marked, (path, names[place])
            reached.append(place)
        assert [names[place] for place in reached] == names, path


def tab_to(page, name):
    """Press Tab until the control of an id, or with these words, is focused."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("[document.activeElement.id, document.activeElement.textContent.trim()]").count(name):
            return
    pytest.fail(f"Tab does not reach {name}")


def test_a_theorem_is_checked_by_keyboard_only(open_page, server):
    page = open_page()
    page.goto(f"{server.address}/")
    tab_to(page, "Theorems")
    page.keyboard.press("Enter")
    page.wait_for_url("**/theorems")
    tab_to(page, "index-lookup-state")
    page.keyboard.press("Enter")
    page.wait_for_url("**/theorem/index-lookup-state")
    tab_to(page, "f-length")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    tab_to(page, "Show, and check on more inputs")
    page.keyboard.press("Enter")
    wait_until(page, "!!document.querySelector('#check .verdict.yes')")
    assert "length=3" in page.url
    assert "check=yes" in page.url


def test_a_config_is_pasted_by_keyboard_only(open_page, server):
    page = open_page()
    page.goto(f"{server.address}/capacity")
    tab_to(page, "Paste a config.json")
    page.keyboard.press("Enter")
    tab_to(page, "f-config")
    page.keyboard.insert_text('{"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}')
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "224 fixed numbers" in page.locator("#answer").inner_text()


def test_a_model_is_chosen_by_keyboard_only(open_page, server):
    page = open_page()
    page.goto(f"{server.address}/capacity")
    tab_to(page, "f-second")
    page.keyboard.type("meta")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelectorAll('#answer .strip').length === 2")
