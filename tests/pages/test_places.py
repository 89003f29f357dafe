"""The page on symbols that a state holds shows what results/audit/reach-places.jsonl has."""

from pathlib import Path

from pages._places import CAUSES, cells, named_lines, places_csv, places_page, places_svg, ranges, title_of

RESULTS = Path(__file__).parents[2] / "results"
LINES = {title_of(model): line for model, line in named_lines(RESULTS).items()}
ALL = list(range(1, 21))


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
    page = places_page(RESULTS)
    assert page.notes[0] == CAUSES
    every = [name for name, of in LINES.items() if len(cells(of)[1][0]) == len(of["right"])]
    assert f"The states of {' and '.join(every)} hold every place" in CAUSES
    more = sum(sum(of["in_state"]) > sum(of["right"]) for of in LINES.values())
    assert f"In {more} of {len(LINES)} models, on average over places," in page.notes[0]
    for name, of in LINES.items():
        (answered, _), (held, _) = cells(of)
        assert f"| {name} | {100 * of['accuracy']:.1f} | {ranges(answered)} | " in page.cells
        assert f" | {ranges(held)} | " in page.cells


def test_the_rows_and_the_picture_have_every_place():
    lines = places_csv(RESULTS).splitlines()
    assert len(lines) == 1 + sum(len(of["right"]) for of in LINES.values())
    first, of = next(iter(LINES.items()))
    assert lines[1] == f"{first},1,{of['right'][0]},{of['in_state'][0]}"
    assert places_svg(RESULTS).count("held in the state") >= 2


def test_ranges_of_places():
    assert ranges([1, 3, 4, 5, 9]) == "1, 3–5 and 9"
