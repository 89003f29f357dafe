"""The page of an audit: its charts show the audit's numbers, it needs nothing from outside, and its text is escaped."""

import dataclasses
import json
import re
from dataclasses import replace

import pytest

import seqsep
from pages.audit import audit_picture, audits
from seqsep.core.names import BadInput
from seqsep.lab.audit.sizes import rows
from seqsep.language_models.audit.answer import LanguageModelAudit
from seqsep.report.page.audit_charts import curve_chart, places_chart
from seqsep.report.page.audit_page import audit_page
from seqsep.report.page.audit_record import audit_of_text
from seqsep.tasks import IndexLookup
from support.html_reader import Reader
from support.planted_memories import planted

TASK = IndexLookup(length=6, alphabet=4)


@pytest.fixture(scope="module")
def found():
    model = planted(TASK, kept=4)
    return seqsep.audit(model, TASK, questions=1500), seqsep.worst_case(model, TASK, questions=300)


@pytest.mark.unchecked
def test_the_page_has_the_numbers_and_needs_nothing(found):
    audited, worst = found
    page = Reader(audit_page(audited, worst))
    stored = next(row for row in page.rows if row.split()[0] == "stored")
    assert f"{audited.stored_bits:,}" in stored
    assert [row.split()[0] for row in page.rows[-6:]] == [one.attack for one in worst.attacks]
    assert worst.least_in_words() in page.text
    assert sum(tag == "svg" for tag, _ in page.seen) == 2
    assert not [tag for tag, _ in page.seen if tag in ("script", "img", "iframe", "form")]
    assert all(attributes.get("href", "data:").startswith("data:") for tag, attributes in page.seen if tag == "link")
    assert "style" not in {name for _, attributes in page.seen for name in attributes}
    assert "counterexample" not in Reader(audit_page(audited)).text
    without = Reader(audit_page(audited, replace(worst, worst_prefix=None)))
    assert "worst prefix" in page.text
    assert worst.least_in_words() in without.text
    assert "worst prefix" not in without.text


@pytest.mark.unchecked
def test_the_charts_are_of_the_audit(found):
    audited, _ = found
    values = {line.name: line.value for line in curve_chart(audited).lines}
    assert values["needs at most"] == str(audited.needs_at_most_bits)
    assert values["carries at least"] == f"{audited.carries_at_least_bits:.1f}"
    assert values["stored"] == f"{audited.stored_bits:,}"
    lowest = min(place.accuracy for place in audited.places)
    assert f"{lowest:.1%}" in places_chart(audited).summary


def test_the_picture_has_the_length_of_each_model(request):
    """N changes with the width, so each tick has both."""
    results = request.config.rootpath / "results"
    text = audit_picture(results)
    for row, found in audits(results):
        assert f">{row['run']['width']}, N = {found.task.length}<" in text
    assert "the width: each tick has both." in " ".join(re.findall(r">([^<>]+)</text>", text))


@pytest.mark.unchecked
def test_what_a_model_is_called_is_escaped(found):
    page = audit_page(replace(found[0], model="<script>x</script>"))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_its_json_gives_an_audit_back(found):
    audited, worst = found
    record = audited.record() | {"worst": worst.record()}
    read, cases = audit_of_text(json.dumps(record).encode(), "audit.json")
    assert read == audited
    assert json.dumps(cases.record()) == json.dumps(worst.record())
    assert audit_of_text(json.dumps(audited.record() | {"worst": None}).encode(), "audit.json") == (audited, None)


def test_the_json_of_a_phonebook_gives_its_audit_back(found):
    task = IndexLookup(length=6, alphabet=10)
    fields = {field.name: getattr(found[0], field.name) for field in dataclasses.fields(found[0])}
    audited = LanguageModelAudit(**fields | {"task": task}, form="in words", digits=1, not_tried="")
    assert audit_of_text(json.dumps(audited.record()).encode(), "audit.json") == (audited, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": {"name": "Own@" + "0" * 64}}, "a task of seqsep, found your own"),
        ({"task": {"name": "index-lookup", "length": -1}}, "task: "),
        ({"task": {"name": ["x"]}}, "task: "),
        ({"task": 5}, "found another text"),
        ({"accuracy": "high"}, "audit.accuracy: expected a finite number, found 'high'"),
        ({"places": [1]}, "audit.places[0]: expected an object, found 1"),
        ({"surprise": 1}, "also found 'surprise'"),
        ({"worst": {}}, "worst: expected task"),
    ],
)
def test_json_of_another_form_is_refused(found, change, said):
    with pytest.raises(BadInput, match=r"^audit\.json: expected a") as refused:
        audit_of_text(json.dumps(found[0].record() | change).encode(), "audit.json")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_committed_rows_are_all_there_and_bounded(request):
    """Six mixers at three widths: carried <= all right <= needed <= stored, the lower limits below every ceiling."""
    results = request.config.rootpath / "results"
    assert len(rows(results)) == 18
    for row, found in audits(results):
        assert row["audit_seconds"] <= 80
        assert found.carries_at_least_bits <= found.all_right_bits <= found.needs_at_most_bits <= found.stored_bits
        for one in found.curve:
            assert one.accuracy_at_least <= one.ceiling
            assert one.carries_at_least <= one.bits
