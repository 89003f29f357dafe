"""The tool of the long check of mutants: what it changes, whom it calls dead, and that each listed survivor is still there."""

import json

import pytest

import long_mutants
import verify
from support.mutants import changes
from support.mutants.nearest import nearest
from support.mutants.survivors import SURVIVORS

SMALL = '''"""Two words."""

MOST = 2


def f(a: int, b: int = 3) -> bool:
    """Whether."""
    if not a < b and True:
        raise ValueError(f"a is {a + 1}")
    return len(list(zip([a], [b], strict=True))) == MOST % a
'''
EXPECTED = {
    "MOST = 2 | 2 -> 3 at 7",
    "MOST = 2 | 2 -> 1 at 7",
    "if not a < b and True: | And -> Or at 3",
    "if not a < b and True: | not dropped at 3",
    "if not a < b and True: | comparison 0 Lt -> LtE at 7",
    "if not a < b and True: | comparison 0 Lt -> Gt at 7",
    "if not a < b and True: | True -> False at 17",
    "return len(list(zip([a], [b], strict=True))) == MOST % a | returns None at 0",
    "return len(list(zip([a], [b], strict=True))) == MOST % a | comparison 0 Eq -> NotEq at 7",
    "return len(list(zip([a], [b], strict=True))) == MOST % a | Mod -> Mult at 48",
}


def test_what_is_changed_and_what_is_left(tmp_path, monkeypatch):
    """Words, defaults, what is raised and `strict` stay; every text differs from the file's and from the others'."""
    (tmp_path / "small.py").write_text(SMALL)
    monkeypatch.setattr(changes, "SOURCE", tmp_path)
    made = changes.mutants("small.py")
    assert {mutant.name.removeprefix("small.py: ") for mutant in made} == EXPECTED
    assert len({mutant.text() for mutant in made}) == len(EXPECTED)
    assert changes.sample("small.py", 0.3) == changes.sample("small.py", 0.3)
    assert len(changes.sample("small.py", 0.3)) == 3
    assert len(changes.sample("small.py", 0.001)) == 1


@pytest.mark.slow
def test_the_sample_has_300_mutants_from_all_packages():
    sampled = {
        path: changes.sample(path, changes.SHARES[package]) for package, some in changes.files().items() for path in some
    }
    assert sum(map(len, sampled.values())) >= 300
    assert set(sampled) == {path for paths in long_mutants.SOURCES.values() for path in paths}
    assert all(nearest(path) for path in sampled)
    assert sum(map(bool, sampled.values())) > 0.9 * sum(bool(changes.mutants(path)) for path in sampled)


def test_a_file_is_tried_again_if_it_changed_or_is_open():
    paths = ("maths/automata/growth.py", "maths/arithmetic/grid.py", "maths/codes/codes.py")
    words = ("4 of 4 killed", "3 of 4 killed", "3 of 4 killed, 1 of the others not listed")
    outcomes = [{"variant": f"{path}: {text}"} for path, text in zip(paths, words, strict=True)]
    row = {"outcomes": outcomes, "sources": {path: verify.digest(path) for path in paths}}
    assert long_mutants.unchanged(row) == {"maths/automata/growth.py": (4, 4), "maths/arithmetic/grid.py": (3, 4)}
    row["sources"]["maths/automata/growth.py"] = "of another text"
    assert long_mutants.unchanged(row) == {"maths/arithmetic/grid.py": (3, 4)}


def test_a_file_is_tried_again_if_a_survivor_is_not_listed(monkeypatch):
    some = changes.sample("maths/arithmetic/grid.py", 1.0)
    monkeypatch.setattr(long_mutants, "SURVIVORS", {some[0].name: "a reason"})
    tried = len(some)
    assert long_mutants.is_settled((tried - 1, tried), some)
    assert not long_mutants.is_settled((tried - 2, tried), some)
    assert not long_mutants.is_settled((tried, tried + 1), some)


def test_a_namesake_is_near_and_short_files_are_first():
    assert "tests/maths/automata/test_growth.py" in nearest("maths/automata/growth.py")
    assert "tests/lab/test_train.py" in nearest("lab/train.py")
    assert nearest("theorems/sparse_threshold/_slots.py")[0] == "tests/theorems/sparse_threshold/test_scales.py"
    assert "tests/tasks/test_golden_digests.py" in nearest("tasks/_thresholds.py")


@pytest.mark.parametrize("path", sorted({name.partition(": ")[0] for name in SURVIVORS}))
def test_a_listed_survivor_is_still_a_mutant(path):
    listed = {name for name in SURVIVORS if name.startswith(f"{path}: ")}
    assert listed <= {mutant.name for mutant in changes.mutants(path)}


def test_a_mutant_is_killed_by_what_fails_for_it_alone(monkeypatch):
    """A changed constant fails a test; the same text does not; what fails on the code as it is is told apart."""
    monkeypatch.setattr(long_mutants, "nearest", lambda path: ("tests/maths/automata/test_growth.py",))
    text = "FEWEST = 3 | 3 -> 2"
    (mutant,) = [one for one in changes.mutants("maths/automata/growth.py") if text in one.name]
    with long_mutants.trier_in_a_copy() as process:
        assert process.first_failure(mutant, []) == "tests/maths/automata/test_growth.py::test_growth"
        without = process.first_failure(mutant, ["tests/maths/automata/test_growth.py::test_growth"])
        assert without != "tests/maths/automata/test_growth.py::test_growth"
        names = [
            "examples of maths/automata/growth.py",
            "examples of maths/nothing.py",
            "tests/maths/automata/test_growth.py::test_growth",
        ]
        assert process.failing(names) == ["examples of maths/nothing.py"]
        assert process.failing([]) == []


def test_nine_in_ten_of_300_mutants_are_killed():
    """By the committed rows; the others are listed, each with the reason."""
    rows = [json.loads((verify.ROWS / f"{name}.json").read_text(encoding="utf-8")) for name in long_mutants.SOURCES]
    counts = [count for row in rows for count in long_mutants.killed_by_file(row).values()]
    killed, tried = map(sum, zip(*counts, strict=True))
    assert tried >= 300
    assert killed >= 0.9 * tried
