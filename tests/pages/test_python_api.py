"""Every public function and class is on a page of the Python API, with parameters, errors and an example."""

import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import seqsep
from pages import PAGES
from pages._members import Member
from pages.python_api import FOLDER, PYTHON_PAGES, anchor, python_index, section, signature
from seqsep.tasks import TASKS, Task

ROOT = Path(__file__).parents[2]
MEMBERS = [member for page in PYTHON_PAGES for member in page.members]
READERS = [ROOT / "README.md", *(ROOT / "docs/tutorials").glob("*.md"), *(ROOT / "docs/how-to").glob("*.md")]
ELSEWHERE = {
    ("seqsep.theorems.retrieval", "index_lookup_state"): "a module whose function `check` an example shows",
    ("seqsep.theorems.protocols.one_way_protocol", "alice"): "a function of one theorem, on the page of that theorem",
    ("seqsep.theorems.protocols.one_way_protocol", "bob"): "a function of one theorem, on the page of that theorem",
    ("seqsep.maths.arithmetic.grid", "Array"): "an array of whole numbers with a unit, which networks hold",
}
"""The names that a reader's page imports and that have no section, each with the reason."""
ids = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: f"{member.module}.{member.name}")


@ids
def test_every_parameter_is_described(member: Member) -> None:
    names = [one.name for one in member.parameters]
    assert sorted(member.meanings) == sorted(names), "the lines after `Arguments:` or `Fields:` in its docstring"
    assert all(len(meaning) > 3 and meaning.endswith(".") for meaning in member.meanings.values())
    assert all(one.kind for one in member.parameters), "a parameter without a type"


@ids
def test_what_it_raises_is_said(member: Member) -> None:
    said = " ".join(member.errors)
    assert not member.raises_directly or re.search("ValueError|BadInput", said), "Raises ValueError for .."


@ids
def test_it_has_an_example_that_begins_with_its_imports(member: Member) -> None:
    assert member.example.startswith((">>> from ", ">>> import ", ">>> _ = ")), member.name


@ids
def test_it_has_a_first_sentence(member: Member) -> None:
    assert re.match(r"[A-Z`].*[.]$", member.text.split("\n\n")[0].replace("\n", " ")), member.text[:80]


def test_every_public_name_of_seqsep_has_one_section() -> None:
    counts = Counter(member.name for member in MEMBERS if member.module == "seqsep")
    assert {name for name in counts if "." not in name} == set(seqsep.__all__)
    assert set(counts.values()) == {1}


def test_what_pages_import_has_a_section() -> None:
    known = {(member.module, member.name) for member in MEMBERS}
    values = {member.value for member in MEMBERS}
    for path in READERS:
        for module, names in re.findall(r"^>>> from (seqsep[\w.]*) import ([\w, ]+)$", path.read_text(), re.MULTILINE):
            for name in names.split(", "):
                is_known = (module, name) in known or Member(module, name).value in values
                assert is_known or (module, name) in ELSEWHERE, f"{path.name}: {module}.{name}"


def test_the_index_links_each_section() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / FOLDER).iterdir()} == {
        name for name in PAGES if name.startswith(FOLDER)
    }
    index = python_index(ROOT)
    for page in PYTHON_PAGES:
        text = (ROOT / FOLDER / f"{page.file}.md").read_text(encoding="utf-8")
        for member in page.members:
            assert f"({page.file}.md#{anchor(member)})" in index
            assert f"\n## {member.name}\n" in text
            assert section(member) in text, "run python -m pages docs/reference/python"


def function_without_words(count: int, *, often: bool = False, **options: str) -> int:
    """Count.

    Arguments:
        count: a number that
            continues; from 1.

    Raises ValueError for 0.0 and 0.

    >>> function_without_words(1)
    1
    """
    if not count:
        raise ValueError("count")
    return count


def test_what_a_docstring_lacks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    member = Member(__name__, "function_without_words")
    monkeypatch.setitem(vars(member), "value", function_without_words)
    assert [one.name for one in member.parameters] == ["count", "often", "options"]
    assert member.meanings == {"count": "a number that continues; from 1."}
    assert member.errors == ["Raises ValueError for 0.0 and 0."]
    assert (member.raises_directly, member.text, member.returns) == (True, "Count.", "int")
    assert (member.keyword_only, member.options) == ("often", "options")
    with pytest.raises(AssertionError):
        test_every_parameter_is_described(member)


MOST = 7


def function_with_broken_lines(count: int = MOST) -> int:
    """Count.

    Arguments:
        count: a number.

    Raises OSError if a file cannot be read, and Raises
    ValueError for 0. Raises
    BadInput for 1.
    """
    return count


def test_an_error_is_said_once_wherever_its_line_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    member = Member(__name__, "function_with_broken_lines")
    monkeypatch.setitem(vars(member), "value", function_with_broken_lines)
    assert member.errors[-1] == "Raises BadInput for 1."
    assert member.text == "Count."


@ids
def test_no_error_is_left_in_the_text(member: Member) -> None:
    assert "Raises" not in member.text


def test_a_signature_has_the_values_of_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    member = Member(__name__, "function_with_broken_lines")
    monkeypatch.setitem(vars(member), "value", function_with_broken_lines)
    assert member.parameters[0].default == "7"
    assert "questions: int = 20000" in signature(Member("seqsep", "audit"))


def test_a_list_takes_its_items() -> None:
    assert signature(Member("seqsep", "Rows")).endswith("\nRows(iterable: Iterable[Row] = ())")
    assert signature(Member("seqsep.theorems", "Outcomes")).endswith("\nOutcomes(iterable: Iterable[Outcome] = ())")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_links_its_examples_and_source(task: type[Task]) -> None:
    found = section(Member("seqsep", task.__name__))
    assert f"[{task.name}](../tasks.md#{task.name})" in found
    assert f"\n## {task.name}\n" in (ROOT / "docs/reference/tasks.md").read_text(encoding="utf-8")


def test_fields_given_by_name_follow_a_star() -> None:
    assert "Outcome(\n    *,\n    theorem: str,\n" in signature(Member("seqsep.theorems", "Outcome"))
    assert "    *,\n    form: str,\n" in signature(Member("seqsep.language_models.audit.answer", "LanguageModelAudit"))


@pytest.mark.parametrize(
    "package", ["seqsep.tasks.ceilings", "seqsep.theorems.analysis", "seqsep.lab.audit", "seqsep.theorems"]
)
def test_what_a_package_hands_on_has_a_section(package: str) -> None:
    values = [member.value for member in MEMBERS]
    for name in import_module(package).__all__:
        value = getattr(import_module(package), name)
        assert not callable(value) or inspect.unwrap(value) in values, f"{package}.{name}"
