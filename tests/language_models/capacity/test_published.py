"""Published models: the answers that were computed apart from this code."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from seqsep.language_models.capacity.limits import INDEX_LOOKUP, PHONEBOOK, longest
from seqsep.language_models.capacity.published import published

ANSWERS = {
    one["name"]: one for one in json.loads(Path(__file__).with_name("published_answers.json").read_text(encoding="utf-8"))
}
STATUSES = {
    "verified",
    "verified for the fine-tune",
    "partly verified",
    "unverified",
    "from the library's defaults, config.json not seen",
}


def test_each_has_an_answer_and_a_status():
    assert [model.name for model in published()] == list(ANSWERS)
    assert len(ANSWERS) == 31
    assert {model.status for model in published()} == STATUSES
    assert all(model.source for model in published())


@pytest.mark.parametrize("model", published(), ids=lambda model: model.name)
def test_sizes(model):
    found = model.capacity()
    answer = ANSWERS[model.name]
    assert found.fixed_numbers == answer["fixed_numbers"]
    assert found.window_numbers == answer["window_numbers"]
    assert found.numbers_per_token == answer["numbers_per_token"]
    assert found.layers_by_kind == answer["layers_by_kind"]
    assert found.bits() == answer["fixed_bits_16"]
    assert found.bits(as_stored=True) == answer["fixed_bits_as_transformers_keeps_them"]
    assert found.horizon_tokens == answer.get("horizon_tokens")


@pytest.mark.parametrize(
    "model", [one for one in published() if "crossing_tokens_16" in ANSWERS[one.name]], ids=lambda m: m.name
)
def test_crossings_of_what_attends(model):
    found = model.capacity()
    assert found.twin == "its own attention layers"
    assert found.crossing() == ANSWERS[model.name]["crossing_tokens_16"]
    assert found.crossing(as_stored=True) == ANSWERS[model.name]["crossing_tokens_reference"]
    assert all(limit.beyond is None for limit in found.limits)


FIXED = [one for one in published() if "no_exact_lookup_beyond" in ANSWERS[one.name]]


@pytest.mark.parametrize("model", FIXED, ids=lambda model: model.name)
def test_limits_of_fixed_states(model):
    found = model.capacity()
    answer = ANSWERS[model.name]
    none = Fraction(0)
    for values, beyond in answer["no_exact_lookup_beyond"].items():
        assert longest(int(values), None, found.bits(), none) == beyond
    for words, beyond in answer["no_lookup_beyond"].items():
        values, accuracy = words.removeprefix("S=").split(", accuracy ")
        assert longest(int(values), Fraction(accuracy), found.bits(), none) == beyond
    assert [one.beyond for one in found.limits if one.task == PHONEBOOK] == [answer["phonebook_10_digits_beyond"]]
    shown = {(limit.alphabet, limit.accuracy): limit.beyond for limit in found.limits if limit.task == INDEX_LOOKUP}
    assert shown[64, None] == answer["no_exact_lookup_beyond"]["64"]
