"""The page of committed cards says what the cards say."""

import re

import pytest

from pages.cards import SEEDS, card_picture, cards_page, committed_places, in_words
from seqsep.commands.card import COMMITTED
from seqsep.commands.shipped import shipped
from seqsep.lab.card.battery import BATTERY
from seqsep.lab.card.card import Card, cards_in
from seqsep.lab.card.climb import Climb, Rung
from seqsep.lab.card.comparison import NOISE_OF, noise_of, spreads


def card(label, scores, **fields):
    climbs = tuple(
        Climb(
            ladder.name,
            ladder.family,
            ladder.unit,
            tuple(Rung(value, float(at < scores.get(ladder.name, 2))) for at, (value, _) in enumerate(ladder.rungs)),
        )
        for ladder in BATTERY
    )
    return Card(label, (label,), **({"budget": "2m", "climbs": climbs} | fields))


def write(folder, name, made):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(made.text())


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "2m", "lstm", card("lstm", {"parity": 6, "equality": 0}))
    write(tmp_path / "2m", "mamba", card("mamba", {"parity": 3, "equality": 1}))
    write(tmp_path / "2m/seeds", "lstm-1", card("lstm", {"parity": 4, "equality": 0}, seed=1))
    write(tmp_path / "10m/parts", "lstm", card("lstm", {"parity": 5, "equality": 4}, budget="10m"))
    write(tmp_path / "10m/parts", "mamba", card("mamba", {"parity": 1, "equality": 2}, budget="10m"))
    return tmp_path


def cells(page, beginning):
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith(f"| {beginning}")
    ]


def test_a_cell_has_the_last_rung(folder):
    page = cards_page(folder)
    state = cells(page, "State tracking")[0]
    parity = state.index("parity (N up to 80)")
    by_family = cells(page, "`lstm`")
    assert by_family[1][parity] == "20 to 80"
    assert by_family[2][-1] == "–"
    assert [row[parity] for row in cells(page, "`mamba`")][1] == "10"


def test_seeds_are_counted(folder):
    page = cards_page(folder)
    assert "`lstm` had 2 seeds." in page
    assert "It is the same under all seeds on 11 of 12 ladders." in page
    assert ["parity", "2"] in cells(page, "parity")


def test_the_order_at_two_budgets_has_tau(folder):
    rows = [row for row in cells(cards_page(folder), "") if len(row) == 3]
    assert ["parity", "2", "1.00"] in rows
    assert ["equality", "2", "-1.00 (unsure)"] in rows
    assert ["brackets", "2", "all layers alike at one budget"] in rows


def test_a_picture_has_the_other_cards(folder):
    drawn = card_picture("2m", "lstm", folder)
    assert "Grey: 1 other layer; a larger dot is several." in " ".join(re.findall(r">([^<]+)</text>", drawn))
    assert in_words(card("lstm", {"parity": 6})) == (
        "With seed 0, the layer passes all rungs of parity, and at least two rungs of each ladder."
    )


def test_a_folder_without_cards_has_no_tables(tmp_path):
    assert "|" not in cards_page(tmp_path)


def test_the_noise_is_that_of_the_committed_seeds():
    for budget in {budget for budget, _ in committed_places()}:
        cards = cards_in(shipped(COMMITTED) / budget) + cards_in(shipped(COMMITTED) / budget / SEEDS)
        for ladder, of_layers in spreads(cards).items():
            assert max(of_layers.values()) <= noise_of(ladder)
            assert ladder not in NOISE_OF or max(of_layers.values()) == NOISE_OF[ladder]


def test_each_committed_card_is_of_a_mixer_and_has_all_ladders():
    for budget, mixer in committed_places():
        made = Card.read(shipped(COMMITTED) / budget / f"{mixer}.json")
        assert (made.label, made.budget, made.seed) == (mixer, budget, 0)
        assert [climb.ladder for climb in made.climbs] == [ladder.name for ladder in BATTERY]
        assert made.paces == ()
        assert not made.failures
