"""What docs/reproduction.md says of why contenders stay below 99 % is what results/audit/reach-places.jsonl has."""

from pathlib import Path

import pytest

from pages._places import cells, named_lines, places_part, ranges, reading

RESULTS = Path(__file__).parents[2] / "results"
LINES = named_lines(RESULTS)
ALL = list(range(1, 21))


def line(right, in_state):
    return {"right": right, "in_state": in_state}


def test_who_is_asked():
    """Every contender whose best run stays below 99 % at N = 20: three with learned positions, seven without."""
    learned = [name for name in LINES if name.endswith(" with learned positions")]
    assert learned == [f"{name} with learned positions" for name in ("LSTM", "DSS", "Sliding attention")]
    without = [name.removesuffix(" with no positions") for name in LINES if name not in learned]
    assert without == ["LSTM", "Retention", "DSS", "Mamba", "Mamba-2", "Gated delta rule", "RWKV-7"]


def test_what_they_hold():
    held = {name: cells(of)[1][0] for name, of in LINES.items()}
    assert held["DSS with learned positions"] == ALL
    assert held["Sliding attention with learned positions"] == ALL[4:]  # its windows have 16 tokens
    for name in ("Mamba-2", "Gated delta rule"):
        assert held[f"{name} with no positions"] == [1, 2, 3, 18, 19, 20]
    assert held["LSTM with learned positions"] == held["LSTM with no positions"] == []


def test_the_page_has_the_reading():
    page = (RESULTS.parent / "docs/reproduction.md").read_text(encoding="utf-8")
    assert places_part(RESULTS) in page
    assert reading(LINES) in page


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (line([0.2, 0.3, 0.9], [1.0, 1.0, 0.96]), "The state of X holds every place"),
        (line([0.2, 0.0, 0.9], [1.0, 0.1, 0.96]), "The state of X holds the beginning and the end"),
        (line([0.1, 0.1, 0.1], [0.2, 0.3, 0.4]), "The state of X holds more than is answered, by 20.0 points"),
        (line([0.1, 0.1, 0.1], [0.1, 0.1, 0.14]), "Of X a linear reader finds no more than is answered"),
    ],
)
def test_a_reading_follows_the_shares(of, said):
    assert reading({"X": of}).startswith(said)


def test_ranges_of_places():
    assert ranges([1, 3, 4, 5, 9]) == "1, 3–5 and 9"
