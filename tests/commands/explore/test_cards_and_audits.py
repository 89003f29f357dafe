"""Cards and audits: those that come with seqsep, those that a form sends, and hostile ones."""

import json
import re

import pytest

from seqsep.commands.card import committed_cards, write_cards
from seqsep.commands.cli import main
from seqsep.commands.explore.pages import audit as audit_page
from seqsep.commands.explore.pages import card as card_page
from seqsep.commands.explore.pages.audit import shipped_audits
from seqsep.commands.explore.pages.card import shipped_cards
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.visit import Visit
from seqsep.lab.card.card import Card
from seqsep.lab.card.comparison import drops
from seqsep.report.page.audit_record import audit_of_record
from support.explore_forms import posted

LSTM = "2m/lstm"
SEED = "2m/seeds/lstm-1"


def text(visit):
    page = rendered(visit)
    assert page.status == 200, page.html.decode()
    return " ".join(page.html.decode().split())


def alert(visit):
    """Return the message of a page for a wrong input."""
    page = rendered(visit)
    assert page.status == 400
    [said] = re.findall(r'role="alert">([^<]+)<', page.html.decode())
    return said


def card_text():
    return shipped_cards()[LSTM].read_text(encoding="utf-8")


def sections(html):
    """Return the part of a page from its pictures on, which two pages share."""
    body = html[html.index('<section id="') :].split("</main>")[0]
    return re.sub(r"\s+|</?div[^>]*>", "", body)


@pytest.mark.parametrize("name", list(shipped_cards()))
def test_a_card_that_comes_with_seqsep_is_shown(name):
    page = text(Visit("card", query={"card": name}))
    made = Card.read(shipped_cards()[name])
    assert f"<h2>{made.label}</h2>" in page
    assert all(f'<th scope="row">{climb.ladder}</th>' in page for climb in made.climbs)
    assert page.count("<svg") == 1


def test_a_card_is_shown_as_the_command_shows_it(tmp_path):
    card = Card.read(shipped_cards()[LSTM])
    others = [one for one in committed_cards(card.budget) if one.layers != card.layers]
    command = write_cards(tmp_path, [card], others, "lstm").read_text(encoding="utf-8")
    assert sections(rendered(Visit("card", query={"card": LSTM})).html.decode()) == sections(command)


def test_two_cards_are_compared():
    page = text(Visit("card", query={"card": LSTM, "second": SEED}))
    assert "<h2>lstm, seed 0</h2>" in page
    assert "<h2>lstm, seed 1</h2>" in page
    one, other = (Card.read(shipped_cards()[name]) for name in (LSTM, SEED))
    found = [*drops(one, other), *drops(other, one)]
    assert all(line in page for line in found)
    assert ("On no ladder do these cards differ" in page) == (not found)


def test_a_card_of_a_form_is_shown_and_compared():
    given = json.loads(card_text())
    mine = json.dumps(given | {"label": "mine", "layers": ["mine"]})
    page = text(posted("card", file=mine))
    assert "<h2>mine</h2>" in page
    assert f"Grey: {len(committed_cards('2m'))} other" in page
    assert "<h2>lstm</h2>" in text(posted("card", file=mine, second=LSTM))
    failed = [{**one, "rungs": [{**rung, "accuracy": 0.0} for rung in one["rungs"]]} for one in given["climbs"]]
    worse = given | {"label": "worse", "climbs": failed}
    both = text(posted("card", file=mine, other=json.dumps(worse)))
    assert "worse, compared with mine" in both


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": 5}, "card.label: expected a text"),
        ({"climbs": [5]}, "card.climbs[0]: expected an object"),
        ({"battery": 2}, "expected a card of battery 1"),
        ({"budget": "9y"}, "card.budget"),
        ({"size": {"width": 1}}, "card.size: expected"),
        ({"paces": [["x"]]}, "card.paces[0]"),
    ],
)
def test_a_hostile_card_is_refused(change, said):
    assert said in alert(posted("card", file=json.dumps(json.loads(card_text()) | change)))


@pytest.mark.parametrize(
    "change",
    [
        {"climbs": [{"ladder": "x", "family": "y", "unit": "N", "rungs": [], "chance": None, "failure": ""}]},
        {"label": "$\\frac{"},
        {"limits": [{"ladder": "parity", "always_right_below": None, "ceilings": []}]},
        {"paces": [{"model": "this layer", "length": 1, "training_seconds": 0, "decoding_seconds": 0, "kept_bytes": 0}] * 2},
        {"transitions": [{"mixer": "", "kind": "", "greatest": None, "least_real": 1, "greatest_turn": None, "horizon": -1}]},
    ],
)
def test_a_card_that_cannot_be_drawn_gives_a_page(change):
    page = rendered(posted("card", file=json.dumps(json.loads(card_text()) | change)))
    assert page.status == 200 or b"expected numbers of a card that can be drawn" in page.html


@pytest.mark.parametrize("page", ["card", "audit"])
@pytest.mark.parametrize(
    "data", ["", "x", "[]", "{}", "[" * 100_000, "\x80\x04\x95pickle", "PK\x03\x04", "1" * (5 << 20), "NaN"]
)
def test_a_file_of_another_kind_is_refused(page, data):
    assert alert(posted(page, file=data))


def test_a_name_that_is_not_in_a_list_is_refused():
    assert "one of the cards of the list" in alert(Visit("card", query={"card": "../../etc/passwd"}))
    assert "one of the cards of the list" in alert(Visit("card", query={"card": LSTM, "second": "/etc/passwd"}))
    assert "one of the models of the list" in alert(Visit("audit", query={"model": "/etc/passwd"}))


@pytest.mark.parametrize("name", list(shipped_audits()))
def test_an_audit_that_comes_with_seqsep_is_shown(name):
    page = text(Visit("audit", query={"model": name}))
    found = audit_of_record(shipped_audits()[name])
    assert found.title() in page
    assert f'<td class="n">{found.stored_bits:,}</td>' in page
    assert page.count("<svg") == 2


def test_an_audit_of_the_command_is_shown_with_its_worst_case(tmp_path, capsys, request):
    """The page of the command and the page of its JSON have the same charts and tables."""
    model = request.config.rootpath / "results/audit/lstm.safetensors"
    written = tmp_path / "audit.html"
    assert main(["audit", str(model), "--questions", "300", "--worst", "60", "--page", str(written), "--json"]) == 0
    page = rendered(posted("audit", file=capsys.readouterr().out))
    assert page.status == 200
    shown = page.html.decode()
    assert "The least counterexample" in shown
    assert sections(shown) == sections(written.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "change",
    [
        {"stored_bits": 0},
        {"stored_bits": -5},
        {"questions": 0, "prefixes": 0},
        {"places": [{"position": -1, "accuracy": 7, "at_least": -1}] * 3},
        {"curve": []},
        {"task": {"name": "index-lookup", "length": 1 << 60, "alphabet": 1 << 60}},
        {
            "worst": {
                "task": {},
                "questions": 1,
                "confidence": 1,
                "attacks": [],
                "worst_prefix": None,
                "worst_prefix_questions": 0,
                "worst_prefix_wrong": 0,
                "least": {"inputs": [1], "answer": 1, "expected": 0, "margin": 0},
                "collision": None,
                "inputs": None,
            }
        },
    ],
)
def test_an_audit_of_impossible_numbers_gives_a_page(change):
    record = shipped_audits()["lstm-64"] | change
    page = rendered(posted("audit", file=json.dumps(record)))
    assert page.status == 200 or b"your audit: expected" in page.html


def test_words_of_a_card_and_an_audit_add_no_element():
    for word in ("<script>alert(1)</script>", "</title><b>", '"><b>', "]]><b>", "{{7*7}}", "\u202e<b>"):
        given = json.loads(card_text())
        card = given | {"label": word, "failures": {word: word}, "laws": [{"law": word, "holds": False, "where": word}]}
        audit = shipped_audits()["lstm-64"] | {"model": word, "codebook": word}
        for page, record in (("card", card), ("audit", audit)):
            shown = rendered(posted(page, file=json.dumps(record))).html.decode()
            harmless = rendered(posted(page, file=json.dumps(record).replace(json.dumps(word)[1:-1], "word"))).html.decode()
            assert re.findall(r"<\w+", shown) == re.findall(r"<\w+", harmless)


def test_without_shipped_files_the_pages_say_how_to_make_one(monkeypatch):
    monkeypatch.setattr(card_page, "shipped_cards", dict)
    monkeypatch.setattr(audit_page, "shipped_audits", dict)
    page = text(Visit("card"))
    assert "seqsep card lstm --budget 2m" in page
    assert "See one of ours" not in page
    assert "seqsep audit MODEL.safetensors --json" in text(Visit("audit"))
