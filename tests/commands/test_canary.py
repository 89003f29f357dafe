"""`seqsep canary`: the folder, the prompts as JSON lines, and the check of a right, a wrong and a failing server."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from seqsep.commands.cli import main
from seqsep.language_models.canary import diagnosis
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.vocabulary import ABSENT
from support.canary_server import right, served

pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("canary") / "llama"
    assert main(["canary", "write", "llama", "-o", str(path)]) == 0
    return path


def check(folder: Path, *words: str) -> int:
    return main(["canary", "check", str(folder), *words])


def forgets(prompt: Sequence[int], count: int) -> list[int]:
    """It finds no key in prompts of more than 80 tokens."""
    answers = right(prompt, count)
    return [ABSENT if len(prompt) > 80 else answers[0], *answers[1:]]


def test_the_help_names_all_canaries(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["canary", "write", "--help"])
    assert f"one of {', '.join(CANARIES)}" in " ".join(capsys.readouterr().out.split()).replace("- ", "-")


def test_ask_prints_prompts_with_right_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["canary", "ask", str(folder), "--scenario", "absent", "--seed", "3"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["scenario"] for line in lines} == {"absent"}
    assert all(right(line["prompt"], len(line["answers"])) == line["answers"] for line in lines)
    assert lines[0]["words"].startswith("<bos> ")


def test_ask_has_the_words_of_the_canary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The canary checksum has more words than the others."""
    assert main(["canary", "write", "checksum", "-o", str(tmp_path / "checksum")]) == 0
    capsys.readouterr()
    assert main(["canary", "ask", str(tmp_path / "checksum"), "--scenario", "absent"]) == 0
    line = json.loads(capsys.readouterr().out.splitlines()[0])
    assert " sum" in line["words"]
    assert line["answered"].startswith("e")


def test_a_right_server(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with served(counts=False) as server:
        words = ["--url", server.url, "--scenario", "absent", "--scenario", "one", "--junit", str(tmp_path / "laws.xml")]
        assert check(folder, *words, "--requests", "30") == 0
        assert len(server.prompts) == 30
    out = capsys.readouterr().out
    assert "one            20      480              0  right\n" in out
    assert "absent         10      240              0  not exercised\n" in out
    assert "absent: not exercised: the 30 prompts of --requests are used up\n" in out
    assert out.endswith("llama with seed 0: all answers to 30 prompts are right; 1 of 2 scenarios exercised\n")
    suites = ElementTree.parse(tmp_path / "laws.xml").getroot()
    assert suites.attrib == {"tests": "2", "failures": "0", "skipped": "1"}


def test_a_wrong_server(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "FAULTS", {"wrong-base": diagnosis.FAULTS["wrong-base"]})
    with served(forgets) as server:
        assert check(folder, "--url", server.url, "--scenario", "one", "--requests", "2") == 1
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[1].endswith("WRONG")
    assert any(line.startswith("first wrong: one: answer 1 to a prompt of ") for line in lines)
    [small] = [line for line in lines if line.startswith("made small: <bos> ")]
    assert small.endswith("found absent")
    assert " x (" in small
    assert captured.err.endswith("no injected fault gives these answers\n")


def test_the_verdicts_are_printed_before_the_diagnosis(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever stops the diagnosis, which takes minutes, keeps the table, the small prompt and the JUnit file."""

    def stopped(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(diagnosis, "diagnose", stopped)
    with served(forgets) as server:
        words = ["--url", server.url, "--scenario", "one", "--requests", "2", "--junit", str(tmp_path / "laws.xml")]
        assert check(folder, *words) == 130
    out = capsys.readouterr().out
    assert out.splitlines()[1].endswith("WRONG")
    assert "made small: <bos> " in out
    suites = ElementTree.parse(tmp_path / "laws.xml").getroot()
    assert suites.attrib == {"tests": "1", "failures": "1", "skipped": "0"}
    [failure] = suites.iter("failure")
    assert failure.attrib["message"].startswith("answer 1 to a prompt of ")


def test_a_server_that_answers_nothing_is_not_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served(status=500) as server:
        assert check(folder, "--url", server.url, "--scenario", "one") == 1
    assert "no prompt was answered" in capsys.readouterr().out


def test_json_of_a_failing_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served(status=500) as server:
        assert check(folder, "--url", server.url, "--scenario", "one", "--json") == 1
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert not found["holds"]
    assert found["small"] is None
    [scenario] = found["scenarios"]
    assert "status 500" in scenario["failed"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "one of the arguments --transformers --vllm --url --engine is required"),
        (["--url", "http://192.0.2.1/v1"], "192.0.2.1 is not this machine; --allow-host 192.0.2.1 asks it all the same"),
        (["--url", "http://127.0.0.1:1/v1"], "no answer"),
        (["--transformers", "--scenario", "twin"], "unknown scenario 'twin'; did you mean twins?"),
        (["--transformers", "--requests", "0"], "expected a whole number from 1"),
    ],
)
def test_wrong_flags(folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(folder, *words) == 2
    assert said in capsys.readouterr().err


def test_a_folder_of_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert check(tmp_path, "--transformers") == 2
    assert "expected a folder that `seqsep canary write` made, found no seqsep_canary" in capsys.readouterr().err


def test_a_type_without_a_proved_lead_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for dtype in ("bfloat16", "float16"):
        assert main(["canary", "write", "walk-llama", "-o", str(tmp_path / "walk"), "--dtype", dtype]) == 2
        assert f"--dtype {dtype}: the answers of walk-llama are proved in float32 only" in capsys.readouterr().err
    assert not (tmp_path / "walk").exists()
