"""Without positions: the grids and dtypes on which 1/t numbers the tokens."""

import pytest

from seqsep.theorems import TheoremFails, check
from seqsep.theorems.positions import no_positions
from seqsep.theorems.positions.no_positions import enough_steps, is_separating, least_steps, separated

pytestmark = pytest.mark.unchecked


@pytest.mark.parametrize(("rounding", "steps"), [("floor", 30), ("nearest", 33)])
def test_the_least_grid_for_eight_tokens(rounding, steps):
    upper, lower, *dtypes = check("no-positions", length=8, rounding=rounding)
    assert upper.measured == lower.measured == {"steps": steps}
    assert (lower.bound, upper.bound) == ({"steps": 27}, {"steps": 56})
    assert lower.witness == {"steps": steps - 1, "token": 6, "other token": 7}
    assert [one.measured["tokens"] for one in dtypes] == [190, 1464]


def test_the_least_steps_by_whole_numbers():
    found = {}
    for length in range(4, 40):
        for offset in (0, 1):  # floor, nearest
            first = next(
                steps
                for steps in range(2, enough_steps(length) + 1)
                if len({(2 * steps + offset * t) // (2 * t) for t in range(1, length + 1)}) == length
            )
            found[length, offset] = first
            assert least_steps(length) <= first <= enough_steps(length)
    assert [found[length, 0] for length in (8, 16, 32)] == [30, 156, 702]
    assert [found[length, 1] for length in (8, 16, 32)] == [33, 150, 716]
    assert is_separating(64, 3192, "floor")
    assert not is_separating(64, 3191, "floor")
    assert is_separating(64, 3164, "nearest")


def test_a_dtype_that_merges_two_tokens():
    assert separated("bfloat16") == 190
    assert separated("float16") == 1464


@pytest.mark.parametrize(("name", "wrong"), [("least_steps", 31), ("enough_steps", 48)])
def test_a_wrong_number_of_steps_is_found_out(name, wrong, monkeypatch):
    monkeypatch.setattr(no_positions, name, lambda length: wrong)
    with pytest.raises(TheoremFails, match="steps = "):
        check("no-positions", length=8)


def test_a_wrong_number_of_tokens_is_found_out(monkeypatch):
    monkeypatch.setitem(no_positions.SEPARATED, "float16", 1463)
    with pytest.raises(TheoremFails, match="separated = 1464"):
        check("no-positions", length=4)
