"""The declared values of fields of tasks, which `seqsep sample TASK --help` prints, are those that are kept."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from seqsep.core.options import options_of
from seqsep.tasks import TASKS, IndexLookup

PAGE = Path(__file__).parents[2] / "docs/reference/python/tasks.md"
FIELDS = [(kind, field.name) for kind in TASKS for field in fields(kind)]
IDS = [f"{kind.name}-{name}" for kind, name in FIELDS]
BESIDE = {
    ("multi-query-recall", "pairs"): {"form": "paper"},
    ("multi-query-recall", "power"): {"form": "zoology", "pairs": 1},
    ("ngram-retrieval", "least_length"): {"gram": 2},
    ("ngram-retrieval", "length"): {"gram": 2},
    ("counting", "length"): {"alphabet": 2},
    ("selective-copying", "length"): {"items": 1},
    ("word-problem", "degree"): {"group": "cyclic"},
}
"""Fields that another one needs at the least of its values."""


def made(kind, name, value):
    """The task with this value of a field."""
    return kind(**{"length": 8} | BESIDE.get((kind.name, name), {}) | {name: value})


def field_meanings(kind):
    return {option.name: f"{option.explained}." for option in options_of(kind)}


def ends(meaning):
    """The least and the greatest value that a docstring gives: "1 to 2^31", "2 to 65,536", "from 1"."""
    found = re.search(r"; (?:from )?(-?[0-9.]+)(?: to ([0-9.]+(?:,[0-9]{3})*)(?:\^(\d+))?( - 1)?)?[,.]", meaning)
    least, most, power, less = found.groups()
    greatest = None if most is None else float(most.replace(",", "")) ** int(power or 1) - (1 if less else 0)
    return float(least), greatest


@pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.name)
def test_every_field_has_a_meaning(kind):
    assert list(field_meanings(kind)) == [field.name for field in fields(kind)]
    assert all(re.search(r"\w.*; .*\.$", meaning) for meaning in field_meanings(kind).values())


@pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.name)
def test_declared_values_are_those_of_the_committed_page(kind):
    """Fields are checked against their own declaration, so the page is what holds a declared number."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {kind.__name__}\n")[2].partition("\n## ")[0]
    cells = {line.split(" | ")[0].strip("| `"): line.rstrip(" |").split(" | ")[-1] for line in section.splitlines()}
    assert {name: cells[name].replace("\\", "") for name in field_meanings(kind)} == field_meanings(kind)


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=IDS)
def test_a_range_is_the_one_that_is_kept(kind, name):
    """The least value is taken, and what is below it or above the greatest is refused; so are words that are not named."""
    meaning = field_meanings(kind)[name]
    if name in ("formula", "pattern"):
        return
    if get_type_hints(kind)[name] is str:
        words = re.findall(r"[a-z-]+", meaning.rpartition("; ")[2].replace(" or ", ", "))
        assert len(words) > 1
        for word in words:
            made(kind, name, word) if word != "zoology" else kind(length=8, form=word, pairs=2)
        with pytest.raises(ValueError, match=name):
            made(kind, name, "nonsense")
        return
    if name == "power":
        assert "above 0 and below 100" in meaning
        for value in (0.0, 100.0):
            with pytest.raises(ValueError, match="power is above 0 and below 100"):
                made(kind, name, value)
        return
    least, greatest = ends(meaning)
    number = get_type_hints(kind)[name]
    made(kind, name, number(least))
    step = 1 if number is int else least / 2
    beyond = [least - step] + ([] if greatest is None else [greatest + step])
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            made(kind, name, number(value))


def test_a_task_is_a_function_at_one_length():
    function = IndexLookup(length=2, alphabet=3).function(2)
    assert [function((2, 1, 3 + position)) for position in range(2)] == [2, 1]
    with pytest.raises(ValueError, match="an input of length 2 has 3 tokens, found 2"):
        function((2, 1))
