"""A user's own layers, models and tasks on the command line."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from seqsep.commands.cli import main
from seqsep.commands.own_parts import FORMER_LAWS
from seqsep.lab.own_timing import NoStep, timed_by_a_worker
from seqsep.language_models.engines.check import ENGINE_LAWS
from seqsep.models.laws.mixer import MIXER_LAWS
from seqsep.models.laws.task import TASK_LAWS
from seqsep.models.plugins.model import UserModel
from support.plug_ins import BAD, GOOD


@pytest.fixture(autouse=True)
def no_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates take a second a step: a worker is not started for each dry run."""
    monkeypatch.setattr("seqsep.lab.estimate.timed_by_a_worker", lambda shapes, *others: dict.fromkeys(shapes, 1.0))


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The runs that a dry run prints."""
    found = [line for line in capsys.readouterr().out.splitlines() if "  at most " in line]
    assert found
    return found


def test_own_parts_stand_in_the_place_of_the_experiments(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "index-lookup-architectures", "--dry-run"]
    assert main([*command, "--mixer", f"{GOOD}:Sum", "--mixer", "lstm", "--model", f"{GOOD}:Recurrent"]) == 0
    lines = listed(capsys)
    assert {line.split()[1] for line in lines} == {"good.py:Sum", "lstm", "good.py:Recurrent"}
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert main([*command, "--task", f"{GOOD}:Parity", "--length", "7", "--alphabet", "3"]) == 0
    assert all("good.py:Parity N=7" in line for line in listed(capsys))
    assert main([*command, "--task", "bounded-dyck", "--length", "8"]) == 0
    assert all("bounded-dyck N=8" in line for line in listed(capsys))
    assert main([*command, "--task", "equality", "--variant", "next"]) == 0
    assert all("equality N=" in line for line in listed(capsys))
    assert main([*command, "--task", "nearest-neighbor", "--margin", "1/8"]) == 2
    assert "nearest-neighbor: --margin: expected a number, found '1/8'" in capsys.readouterr().err
    assert main([*command, "--task", "equality", "--alphabet", "two"]) == 2
    assert "equality: --alphabet: expected a whole number, found 'two'" in capsys.readouterr().err
    assert main([*command, "--task", f"{GOOD}:Parity", "--length", "x"]) == 2
    assert "--length: expected a whole number, found 'x'" in capsys.readouterr().err
    assert main([*command, "--lenght", "7"]) == 2
    assert "unknown argument --lenght" in capsys.readouterr().err
    assert main([*command, "--kinds", "2"]) == 2
    assert (
        "index-lookup: expected length, alphabet, least_length, training_inputs as flags, found --kinds"
        in capsys.readouterr().err
    )
    assert main([*command, "--task", "bounded-dyck", "--alphabet", "8"]) == 2
    assert "expected length, kinds" in capsys.readouterr().err


def test_a_dry_run_waits_for_own_parts_as_long_as_a_run(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """An estimate gave up after 60 s whatever --stall-seconds said."""
    waited: list[float] = []

    def stalled(workers: int, stall_seconds: float, device: str) -> None:
        waited.append(stall_seconds)
        raise NoStep(f"no progress for {stall_seconds:g} s")

    monkeypatch.setattr("seqsep.lab.estimate.timed_by_a_worker", timed_by_a_worker)
    monkeypatch.setattr("seqsep.lab.own_timing.Supervisor", stalled)
    command = ["train", "index-lookup", "--length", "5", "--width", "8", "--layers", f"{GOOD}:Sum", "--dry-run"]
    for words, seconds in (([], 600), (["--stall-seconds", "7"], 7)):
        assert main([*command, *words]) == 0
        assert waited.pop() == seconds
        assert f"no estimate of time: no progress for {seconds} s" in capsys.readouterr().out


def test_check_prints_a_line_for_each_law(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", f"{BAD}:LooksAhead", "--mixer", f"{GOOD}:Sum", "--width", "4", "--json"]) == 1
    out, err = capfd.readouterr()
    first, second = json.loads(out)
    assert (first["holds"], second["holds"], second["sizes"]) == (False, True, {"width": 4, "heads": 2})
    [failed] = [law for law in first["laws"] if not law["holds"] and law["law"] == "causal"]
    assert failed["where"].startswith("it looks ahead: outputs change with the input at time 2, first at time 0")
    assert "Sum is built" in err


def test_check_says_what_took_the_process_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", f"{BAD}:Segfaults"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == ["holds  loads", "holds  builds"]
    assert out[2] == "FAILS  runs to the end: worker died (signal 11: Segmentation fault), shapes and types"
    assert out[3].endswith("1 of 3 laws fail; 15 more laws are not tested until this one holds")


COMPLETE = """
import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self, vocabulary, classes, longest, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.readout = nn.Linear(width, classes)

    def forward(self, tokens):
        state = self.start(len(tokens))
        found = []
        for t in range(tokens.shape[1]):
            logits, state = self.step(tokens[:, t], state, t)
            found.append(logits)
        return torch.stack(found, 1)

    def start(self, batch):
        return torch.zeros(batch, self.readout.in_features)

    def step(self, tokens, state, t):
        state = torch.tanh(0.9 * state + self.embedding(tokens))
        return self.readout(state), state


class Counts(Steps):
    def step(self, tokens, state, t):
        logits, after = super().step(tokens, state, t)
        if t < 20:
            return logits, after
        return logits + self.seen(tokens), after

    def seen(self, tokens):
        self.count = getattr(self, "count", 0) + 1
        return self.count


class Unbuilt(Steps):
    def __init__(self, vocabulary, classes, longest, width):
        raise ValueError("not built")
"""
PREFILLS = """

class Prefills(Steps):
    def prefill(self, tokens, state, t):
        for column in tokens.T:
            state = self.step(column, state, t)[1]
        return state


class Skips(Steps):
    def prefill(self, tokens, state, t):
        return state


class Raises(Steps):
    def prefill(self, tokens, state, t):
        raise RuntimeError("prefill was called")
"""


@pytest.mark.slow
def test_a_complete_model_gets_the_laws_of_engines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After the laws of layers; if one of those fails, they are not tested."""
    (tmp_path / "mine.py").write_text(COMPLETE)
    assert main(["check", "--model", f"{tmp_path}/mine.py:Steps", "--model", f"{tmp_path}/mine.py:Counts", "--json"]) == 1
    right, wrong = json.loads(capsys.readouterr().out)
    further = ["one pass", "token by token", "in chunks", "state copied", "prefix shared", "any batch", "rows reordered"]
    tested = [law["law"] for law in right["laws"] if law["holds"]]
    assert tested[-7:] == further
    assert {law["law"] for law in right["laws"]} >= set(ENGINE_LAWS)
    assert all(law["where"] for law in right["laws"] if law["holds"] is None)
    assert set(further) <= set(wrong["untried"])
    assert right["holds"]
    assert "forward equals step" in [law["law"] for law in wrong["laws"] if not law["holds"]]
    assert set(further).isdisjoint(law["law"] for law in wrong["laws"])


@pytest.mark.slow
def test_own_parts_take_laws_and_write_junit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the chosen laws are in the verdict; a law that leaves a chosen one untested is too, and that one is skipped."""
    report = tmp_path / "laws.xml"
    parts = ["--mixer", f"{BAD}:LooksAhead", "--mixer", f"{BAD}:Segfaults"]
    assert main(["check", *parts, "--law", "state-as-bytes", "--law", "causal", "--junit", str(report)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["FAILS  causal", "holds  state as bytes"]
    assert lines[2].endswith("LooksAhead with width 8, heads 2: 1 of 2 laws fail")
    assert lines[3].startswith("FAILS  runs to the end: worker died")
    assert lines[4].endswith("1 of 1 laws fail; 2 more laws are not tested until this one holds")
    first, second = ElementTree.parse(report).getroot()
    assert first.attrib == {"name": f"{BAD}:LooksAhead", "tests": "2", "failures": "1", "skipped": "0"}
    assert [(case.attrib["name"], [part.tag for part in case]) for case in second] == [
        ("runs to the end", ["failure"]),
        ("causal", ["skipped"]),
        ("state as bytes", ["skipped"]),
    ]
    [[_], [skipped], _] = second
    assert skipped.attrib == {"message": "not tested: runs to the end fails"}


NO_VOCABULARY = """
class NoVocabulary:
    def prefill(self, tokens):
        return [], None

    decode = prefill


class Unmade(NoVocabulary):
    def __init__(self):
        raise ValueError("not made")
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["NoVocabulary", "Unmade"])
def test_an_engine_that_does_not_start_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the words of the user, not by the command that serves it."""
    (tmp_path / "mine.py").write_text(NO_VOCABULARY)
    assert main(["check", "--engine", f"{tmp_path}/mine.py:{name}"]) == 2
    said = capsys.readouterr().err
    assert f"--engine {tmp_path}/mine.py:{name}: describe: the " in said
    assert "seqsep.language_models.engines.serve" not in said


@pytest.mark.slow
def test_laws_of_engines_are_chosen_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(COMPLETE)
    words = ["check", "--model", f"{tmp_path}/mine.py:Steps", "--law"]
    assert main([*words, "in chunks", "--law", "rolled back"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["holds  in chunks", "not tried  rolled back: the engine has no crop"]
    assert lines[2].endswith(": all 1 laws that were tested hold")
    assert main([*words, "joined"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first == "not tried  joined: the engine refuses batch: sequences of different lengths in one batch"
    assert last.endswith(": no law was tested")
    words[2] = f"{tmp_path}/mine.py:Unbuilt"
    assert main([*words, "in chunks"]) == 1
    assert capsys.readouterr().out.startswith("FAILS  builds: mine.py:Unbuilt(11, 7, 24, 8): expected a module, found ")
    assert main([*words, "sample"]) == 2
    assert "unknown law 'sample'" in capsys.readouterr().err
    assert main(["check", "--task", f"{GOOD}:Parity", "--law", "sample", "--junit", str(GOOD)]) == 2
    assert f"{GOOD}" in capsys.readouterr().err


def test_the_earlier_name_of_a_law_chooses_it_until_0_5(capsys: pytest.CaptureFixture[str]) -> None:
    """As people wrote it in scripts, with spaces or dashes; verdicts have the present name."""
    assert not {*FORMER_LAWS} & {*MIXER_LAWS, *TASK_LAWS}
    assert {*FORMER_LAWS.values()} <= {*MIXER_LAWS, *TASK_LAWS}
    assert main(["check", "--task", f"{GOOD}:Parity", "--law", "streams apart", "--law", "seeds-apart"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["holds  different streams", "holds  different seeds"]


@pytest.mark.slow
def test_a_wrong_prefill_of_a_model_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The law about optional methods calls it, as generation and audits do; a right one is listed."""
    (tmp_path / "mine.py").write_text(COMPLETE + PREFILLS)
    models = [word for name in ("Skips", "Raises", "Prefills") for word in ("--model", f"{tmp_path}/mine.py:{name}")]
    assert main(["check", "--law", "optional methods", *models]) == 1
    skips, _, raises, _, right, _ = capsys.readouterr().out.splitlines()
    assert skips.startswith("FAILS  optional methods: prefill of 19 tokens after 0 differs from step")
    assert raises.startswith("FAILS  optional methods: it raises RuntimeError: prefill was called")
    assert right == "holds  optional methods: prefill called"
    model = UserModel.parse(models[1]).build(11, 7, 24, width=8, heads=2)
    [[state]] = model.prefill(torch.ones(1, 3, dtype=torch.long))
    assert not state.any()
