"""The record of a card, and two cards compared."""

import json

import pytest

from seqsep.core.names import BadInput
from seqsep.lab.card.card import Card, Carried, LawVerdict
from seqsep.lab.card.climb import Climb, Rung
from seqsep.lab.card.comparison import drops, kendall_tau, require_alike
from seqsep.lab.card.limits import StateLimit
from seqsep.lab.card.size import StateSize
from seqsep.lab.card.speed import StepTimes
from seqsep.lab.card.transition import Transition


def card(scores=None, **fields):
    rungs = {name: tuple(Rung(2**at, 1.0 if at < score else 0.2) for at in range(6)) for name, score in (scores or {}).items()}
    climbs = tuple(Climb(name, "recall", "N", steps) for name, steps in rungs.items())
    return Card(**({"label": "mine", "layers": ("lstm",), "budget": "2m", "climbs": climbs} | fields))


def test_a_whole_card_survives_json():
    made = card(
        {"parity": 3},
        laws=(LawVerdict("causal", True),),
        size=StateSize(64, 2, 10, ((1, 2), (64, 2)), fixed=2, per_token=0, cached_from=1),
        transitions=(Transition("lstm", "recurrent", 0.5, 0.1, 0.0, horizon=1),),
        paces=(StepTimes("this layer", 128, 0.1, 0.2, kept_bytes=5),),
        limits=(StateLimit("parity", None, (None, 0.5)),),
        carried=Carried(10, 64, 40, 12.5),
        failures={"speed": "too slow"},
    )
    assert Card.of_text(made.text(), "card.json") == made
    assert made.scores == {"parity": 3}
    assert made.family_scores == {"recall": 0.5}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda given: given.pop("climbs"), "'climbs'"),
        (lambda given: given.update(battery=99), "expected a card of battery 1, found battery 99"),
        (lambda given: given.update(size={"width": 1}), "expected a card that"),
        (lambda given: given.update(surprise=1), "expected a card that"),
        (lambda given: given.update(laws=5), "expected a card that"),
    ],
)
def test_another_text_is_refused_in_one_line(change, said):
    given = json.loads(card({"parity": 1}).text())
    change(given)
    with pytest.raises(BadInput, match=r"^bad\.json: ") as refused:
        Card.of_text(json.dumps(given), "bad.json")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", "[" * 100_000])
def test_no_card_is_refused(text):
    with pytest.raises(BadInput):
        Card.of_text(text, "bad.json")


def test_a_drop_by_more_than_the_noise_is_named():
    baseline = card({"parity": 4, "equality": 3, "brackets": 2, "words of S_3": 6})
    assert drops(card({"parity": 3, "equality": 6, "brackets": 1, "words of S_3": 1}), baseline) == []
    assert drops(card({"parity": 2, "equality": 6, "words of S_3": 0}), baseline) == [
        "parity: 2 of 6 rungs, 4 in the baseline",
        "brackets: 0 of 6 rungs, 2 in the baseline",
        "words of S_3: 0 of 6 rungs, 6 in the baseline",
    ]


def test_cards_of_different_budgets_are_not_compared():
    with pytest.raises(BadInput, match="--budget 2m"):
        require_alike([card(), card(budget="1h")])


def test_tau_counts_pairs_in_the_same_order():
    one = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert kendall_tau(one, one) == 1
    assert kendall_tau(one, {name: -value for name, value in one.items()}) == -1
    assert kendall_tau(one, dict.fromkeys(one, 0)) is None
