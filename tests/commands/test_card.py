"""`seqsep card`, with runs of a few steps."""

import json
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.card import battery
from seqsep.lab.card.card import Card

LAYER = Path(__file__).parents[2] / "examples/own_layer.py"


@pytest.fixture(autouse=True)
def _short(monkeypatch, tmp_path):
    monkeypatch.setitem(battery.STEPS, "2m", 20)
    monkeypatch.chdir(tmp_path)


def card(*words):
    return main(["card", *words, "--budget", "2m", "--workers", "1"])


def test_a_card_of_one_family_is_written_and_continued(capsys):
    assert card("lstm", "--only", "equality,parity") == 0
    first = capsys.readouterr()
    assert "equality" in first.out
    assert "runs are in the store" not in first.err
    made = Card.read(Path("card/lstm.json"))
    assert [climb.ladder for climb in made.climbs] == ["parity", "equality"]
    assert made.size.fixed == 256
    assert made.paces == ()
    assert all(Path(f"card/lstm.{kind}").stat().st_size for kind in ("html", "svg", "png", "pdf"))
    assert card("lstm", "--only", "equality,parity") == 0
    assert Card.read(Path("card/lstm.json")).scores == made.scores
    assert "steps/s" not in capsys.readouterr().err
    assert main(["card", "--compare", "card/lstm.json", "-o", "both"]) == 0
    assert Path("both/compared.html").exists()


def test_a_layer_that_breaks_a_law_gets_a_card_without_a_battery(capsys, tmp_path):
    Path("broken.py").write_text(LAYER.read_text().replace("keep * state + (1 - keep)", "keep * state + (2 - keep)"))
    assert card("broken.py:MovingAverage", "--only", "parity") == 1
    made = Card.read(next(Path("card").glob("*.json")))
    assert made.climbs == ()
    assert not all(law.holds for law in made.laws)
    assert "FAILS" in capsys.readouterr().out


def test_a_drop_ends_with_status_1(capsys):
    assert card("lstm", "--only", "equality") == 0
    path = Path("card/lstm.json")
    given = json.loads(path.read_text())
    for rung in given["climbs"][0]["rungs"]:
        rung["accuracy"] = 1.0
    Path("baseline.json").write_text(json.dumps(given))
    capsys.readouterr()
    assert card("lstm", "--only", "equality", "--check", "baseline.json") == 1
    assert "dropped  equality" in capsys.readouterr().out
    assert card("lstm", "--only", "equality", "--check", "card/lstm.json") == 0


def test_a_published_model_has_a_page_of_its_own(capsys):
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 256}
    Path("config.json").write_text(json.dumps({"model_type": "llama", **sizes}))
    assert main(["card", "config.json"]) == 0
    said = capsys.readouterr().out
    assert "random weights of a tiny copy" in said
    assert "no audit: config.json has no weights in safetensors" in said
    page = Path("card/config-json.html").read_text()
    assert "attention" in page
    assert "causal" in page


def test_layers_and_models_are_not_mixed(capsys):
    Path("config.json").write_text("{}")
    assert main(["card", "lstm", "config.json"]) == 2
    assert "expected models only, or layers only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected layers such as mamba"),
        (["mamba", "--compare", "a.json"], "found both"),
        (["manba"], "did you mean mamba"),
        (["mamba", "--only", "recal"], "recal"),
        (["model:own.py:Model"], "own.py"),
        (["mamba", "--check", "none.json"], "none.json"),
    ],
)
def test_wrong_words_are_refused_in_one_line(words, said, capsys):
    assert card(*words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
