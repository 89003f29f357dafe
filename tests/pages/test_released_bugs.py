"""Bugs of released versions: what is kept says that each script fails in one release and not in the other."""

import json

import pytest

import long_released_bugs
from pages._released_bugs import RELEASED_BUGS

MEASURED = json.loads(long_released_bugs.KEPT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", list(RELEASED_BUGS))
def test_it_fails_in_one_release_and_not_in_the_other(name):
    assert long_released_bugs._outcome(name, MEASURED[name]).holds


@pytest.mark.parametrize("name", list(RELEASED_BUGS))
def test_the_same_in_both_releases_is_a_failure(name):
    """Return True if the bug is in neither or in both."""
    bug = RELEASED_BUGS[name]
    for same in MEASURED[name]["apart"].values():
        changed = MEASURED[name] | {"apart": {bug.fails_in: same, bug.holds_in: same}}
        assert not long_released_bugs._outcome(name, changed).holds


def test_a_law_that_does_not_see_the_bug_is_a_failure():
    bug = RELEASED_BUGS["bamba_chunk"]
    changed = MEASURED["bamba_chunk"] | {"check": {bug.fails_in: True, bug.holds_in: True}}
    assert not long_released_bugs._outcome("bamba_chunk", changed).holds


def test_every_script_is_registered_and_every_release_pinned():
    scripts = {path.stem for path in (long_released_bugs.ROOT / long_released_bugs.FOLDER).glob("*.py")}
    assert scripts == set(RELEASED_BUGS) == set(MEASURED)
    used = {release for bug in RELEASED_BUGS.values() for release in (bug.fails_in, bug.holds_in)}
    assert used == set(long_released_bugs.RELEASES)
