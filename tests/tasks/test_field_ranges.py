"""The ends of the values that `seqsep sample TASK --help` prints for a field are accepted, and nothing beyond is."""

import re
from dataclasses import fields
from typing import get_type_hints

import pytest

from seqsep.commands.members import members
from seqsep.core.options import options_of
from seqsep.tasks import TASKS

NUMBER = r"-?[\d.,]+(?:\^\d+(?: - 1)?)?"
NUMBERS = [(task, field.name) for task in TASKS for field in fields(task) if get_type_hints(task)[field.name] is not str]
CHOSEN = [(record["name"], field, words) for record in members("tasks") for field, words in record["choices"].items()]
SMALL = {"length": 8}
BESIDE = {
    ("associative-recall", "keys"): {"least_length": 1},
    ("counting", "length"): {"alphabet": 4},
    ("multi-query-recall", "power"): {"form": "zoology", "pairs": 1},
    ("multi-query-recall", "fillers"): {"form": "zoology", "pairs": 1},
    ("ngram-retrieval", "length"): {"gram": 2, "least_length": 2},
    ("ngram-retrieval", "gram"): {"length": 64, "least_length": 64},
    ("ngram-retrieval", "least_length"): {"gram": 2},
    ("nearest-neighbor", "margin"): {"dimension": 64},
    ("selective-copying", "length"): {"items": 1},
    ("word-problem", "degree"): {"group": "cyclic"},
}
"""The fields that another field needs at its ends."""
OTHERS = {("multi-query-recall", "pairs"), ("selective-copying", "items"), ("sparse-threshold", "bound")}
"""Fields whose greatest value is that of another field."""
DRAWN = {("sparse-threshold", "length"), ("sparse-threshold", "features")}
"""Fields at whose greatest value a function is drawn for seconds or minutes: there only what is beyond is tried."""


def value(text):
    """2^20, 2^63 - 1, 0.05, 65536."""
    base, _, rest = text.replace(",", "").partition("^")
    power, _, less = rest.partition(" - ")
    return int(base) ** int(power) - int(less or 0) if rest else (float(base) if "." in base else int(base))


def ends(task, field):
    """Values at the ends that are taken, and next to them some that are not."""
    [said] = [f"{option.explained}.".rpartition("; ")[2] for option in options_of(task) if option.name == field]
    opened = re.match(rf"above ({NUMBER}) and below ({NUMBER})\.?$", said)
    if opened:
        return [value(opened[1]) + 1e-6, value(opened[2]) - 1e-6], [float(value(opened[1])), float(value(opened[2]))]
    found = re.match(rf"(?:from )?({NUMBER}?)(?: to ({NUMBER}?))?(?:\.$|, and )", said)
    assert found, said
    least = value(found[1])
    step = 1e-6 if isinstance(least, float) else 1
    if found[2] is None:
        return [least, *([] if (task.name, field) in OTHERS else [least + (1 << 30)])], [least - step]
    return [least, *([] if (task.name, field) in DRAWN else [value(found[2])])], [least - step, value(found[2]) + step]


@pytest.mark.parametrize(("task", "field"), NUMBERS, ids=lambda one: one if isinstance(one, str) else one.name)
def test_the_ends_of_a_field_are_accepted_and_nothing_beyond(task, field):
    right, wrong = ends(task, field)
    beside = SMALL | BESIDE.get((task.name, field), {})
    for number in right:
        task(**beside | {field: number})
    for number in wrong:
        with pytest.raises(ValueError, match="found ") as refused:
            task(**beside | {field: number})
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "field", "words"), CHOSEN, ids=str)
def test_the_choices_of_a_field_are_those_it_takes(name, field, words):
    task = next(task for task in TASKS if task.name == name)
    beside = SMALL | BESIDE.get((name, field), {})
    assert len(words) > 1
    for word in words:
        task(**beside | ({"pairs": 1} if word == "zoology" else {}) | {field: word})
    with pytest.raises(ValueError, match=r"found '?no-such-word'?") as refused:
        task(**beside | {field: "no-such-word"})
    assert all(word in str(refused.value) for word in words)
