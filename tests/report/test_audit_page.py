"""The page of an audit: its charts show the audit's numbers, it needs nothing from outside, and its text is escaped."""

import re
from dataclasses import replace

import pytest

import seqsep
from pages.audit import audit_of, audit_picture, audits
from seqsep.lab.audit.sizes import rows
from seqsep.report.page.audit_charts import curve_chart, places_chart
from seqsep.report.page.audit_page import audit_page
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


def test_a_record_gives_its_audit_back(found):
    assert audit_of(found[0].record()) == found[0]


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
