"""A user's own layers, models and tasks on the command line."""

import json

import pytest

from seqsep.commands.cli import main
from support.plug_ins import BAD, GOOD


@pytest.fixture(autouse=True)
def no_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates take a second a step: a worker is not started for each dry run."""
    monkeypatch.setattr("seqsep.lab.estimate.timed_by_a_worker", lambda shapes, device, timed: dict.fromkeys(shapes, 1.0))


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
    assert out[3].endswith("1 of 3 laws fail; 14 more laws are not tested until this one holds")
