"""Dataclasses from JSON of a stranger: every wrong value is refused with its place."""

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from seqsep.core.names import BadInput
from seqsep.core.records import MOST_ITEMS, MOST_LETTERS, MOST_NUMBER, restored


@dataclass(frozen=True)
class Inner:
    share: float


@dataclass(frozen=True)
class Outer:
    name: str
    size: Literal["small", "large"]
    count: int | None
    pairs: tuple[tuple[int, float], ...]
    inner: tuple[Inner, ...]
    said: dict[str, str]
    anything: dict[str, Any] = field(default_factory=dict)
    is_kept: bool = False


SOUND = {
    "name": "a",
    "size": "small",
    "count": None,
    "pairs": [[1, 2], [3, 0.5]],
    "inner": [{"share": 1}],
    "said": {"x": "y"},
    "anything": {"deep": [{}]},
    "is_kept": True,
}


def test_a_sound_record_is_restored():
    found = restored(Outer, SOUND, "row")
    assert found == Outer("a", "small", None, ((1, 2.0), (3, 0.5)), (Inner(1.0),), {"x": "y"}, {"deep": [{}]}, True)
    assert type(found.inner[0].share) is float


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": 1}, "row.name: expected a text"),
        ({"name": "x" * (MOST_LETTERS + 1)}, "row.name: expected a text"),
        ({"size": "middle"}, "row.size: expected one of its words"),
        ({"size": []}, "row.size: expected one of its words"),
        ({"count": True}, "row.count: expected a whole number, found True"),
        ({"count": 1.0}, "row.count: expected a whole number"),
        ({"count": MOST_NUMBER}, "row.count: expected a whole number"),
        ({"pairs": [[1]]}, "row.pairs[0]: expected 2 items, found 1"),
        ({"pairs": [[1, 1]] * (MOST_ITEMS + 1)}, "row.pairs: expected fewer items"),
        ({"pairs": {}}, "row.pairs: expected a list"),
        ({"inner": [{"share": float("nan")}]}, "row.inner[0].share: expected a finite number"),
        ({"inner": [{"share": float("inf")}]}, "row.inner[0].share: expected a finite number"),
        ({"inner": [{}]}, "row.inner[0]: expected share, found no 'share'"),
        ({"inner": [None]}, "row.inner[0]: expected an object"),
        ({"said": {"x": 1}}, "row.said.x: expected a text"),
        ({"is_kept": 1}, "row.is_kept: expected true or false"),
        ({"other": 1}, "also found 'other'"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(change, said):
    with pytest.raises(BadInput) as refused:
        restored(Outer, SOUND | change, "row")
    assert said in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_missing_field_is_refused_even_with_a_default():
    with pytest.raises(BadInput, match="found no 'is_kept'"):
        restored(Outer, {name: value for name, value in SOUND.items() if name != "is_kept"}, "row")
