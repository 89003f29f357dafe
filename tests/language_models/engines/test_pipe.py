"""An engine in C, asked with JSON lines: it obeys every law, and a named law catches each of its faults."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.engines.check import ENGINE_LAWS, Inputs, try_engine_laws
from seqsep.language_models.engines.pipe import PipeEngine
from seqsep.language_models.engines.protocol import EngineFails
from seqsep.language_models.laws.check import ModelVerdict

TIME = 12
FAULTS = {
    "stale-prefix": ("causal", "a kept prefix is found by its last token only"),
    "padding-in-state": ("padding on the left", "shorter prompts of a batch are padded, and the recurrence reads the padding"),
    "token-lost": ("in chunks", "a chunk forgets the token before it"),
    "window-lost": ("in chunks", "the first token of a chunk does not see the token before it"),
    "draft-stays": ("rolled back", "only the number of tokens is cut off, not the state"),
    "shared-state": ("nothing kept between calls", "two sequences share one slot"),
    "fork-is-same": ("prefix shared", "a fork is the same slot"),
    "reset-keeps": ("reset", "an emptied slot keeps the state of the sequence before"),
    "saved-as-float": ("state as bytes", "the saved state has fewer bits"),
    "generate-forgets": ("generate", "the loop forgets the last token of the prompt"),
    "decode-behind": ("token by token", "decoding reads the token before"),
    "future": ("causal", "a row of logits is that of a later token"),
    "noise": ("one pass", "logits are drawn"),
    "nan": ("finite numbers", "one logit is NaN"),
    "documents-run-on": ("packed", "a new sequence of a batch begins with the state of its neighbour"),
    "chunk-of-batch": ("padding in chunks", "a chunk in a batch forgets the token before it"),
    "rows-swapped": ("rows reordered", "the states of two rows are exchanged"),
}
"""The law that is named, and what is wrong."""


def tried(words: list[str], *laws: str, seconds: float = 60.0) -> dict[str, ModelVerdict]:
    """Verdicts about these laws, by default all, of a command; a second process loads its states."""
    with PipeEngine(words, seconds) as engine, PipeEngine(words, seconds) as second:
        found = try_engine_laws(engine, laws or list(ENGINE_LAWS), Inputs(TIME, 2, seed=1), other=lambda: second)
        return {verdict.law: verdict for verdict in found}


def processes_of(program: Path) -> list[str]:
    """Processes that run the program, but for zombies."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(program).encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:  # it has ended
            continue
    return found


@contextmanager
def nothing_left(program: Path) -> Iterator[None]:
    """Every process of the program ends within some seconds after the block."""
    yield
    until = time.monotonic() + 20
    while processes_of(program) and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_of(program) == []


def test_an_engine_in_c_obeys_all_laws(c_engine: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """All laws but the one of windows, which it does not have, at the sizes of the command."""
    with nothing_left(c_engine):
        assert main(["check", "--engine", str(c_engine), "--json", "--junit", str(tmp_path / "laws.xml")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {law["law"]: law["holds"] for law in record["laws"]} == {
        name: None if name == "window passed by one" else True for name in ENGINE_LAWS
    }
    assert (record["name"], record["dtype"], record["holds"]) == ("engine.c", "float64", True)
    suite = ElementTree.parse(tmp_path / "laws.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"]) == (str(len(ENGINE_LAWS)), "0", "1")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_named_law_catches_the_fault(fault: str, c_engine: Path) -> None:
    """The verdict is a difference of logits that is far above rounding."""
    law = FAULTS[fault][0]
    verdict = tried([str(c_engine), fault], law)[law]
    assert verdict.holds is False, FAULTS[fault]
    if fault not in ("nan", "noise", "saved-as-float"):
        assert verdict.difference is not None
        assert verdict.allowed is not None
        assert verdict.difference > 1e5 * verdict.allowed


def test_the_command_prints_every_failure(c_engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Chosen laws only, all verdicts, and exit status 1."""
    words = ["--law", "rolled-back", "--law", "reset", "--law", "in chunks", "--length", "12"]
    assert main(["check", "--engine", f"{c_engine} token-lost", *words]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["FAILS  in chunks", "FAILS  rolled back", "holds  reset"]
    assert lines[3] == f"{c_engine} token-lost with 3 inputs of 12 tokens in float64: 2 of 3 laws fail"


def test_a_crash_is_a_verdict_about_its_law(c_engine: Path) -> None:
    """The message says how the process ended and what was sent; the next law has a fresh process."""
    with nothing_left(c_engine):
        verdicts = tried([str(c_engine), "crash"], "in chunks", "state copied")
    assert verdicts["in chunks"].holds is False
    assert "extend: the process ended by signal 6 (Aborted); sent {" in verdicts["in chunks"].where
    assert '"method": "extend", "tokens": [' in verdicts["in chunks"].where
    assert verdicts["state copied"].holds is True


def test_no_answer_in_time_is_a_verdict(c_engine: Path) -> None:
    """After two such calls the engine is not waited for again, and each law says why it is not tested."""
    with nothing_left(c_engine):
        verdicts = tried([str(c_engine), "hang"], "token by token", "state copied", "prefix shared", "generate", seconds=1.0)
    assert verdicts["token by token"].holds is True
    assert "fork: no answer in 1 s, nothing came; sent {" in verdicts["state copied"].where
    assert [verdicts[law].holds for law in ("state copied", "prefix shared", "generate")] == [False, False, None]
    assert verdicts["generate"].where == "the engine did not answer in time 2 times"


def test_a_refused_rollback_is_not_tested(c_engine: Path) -> None:
    verdict = tried([str(c_engine), "crop-refused"], "rolled back")["rolled back"]
    assert (verdict.holds, verdict.where) == (None, "the engine refuses crop: a recurrence cannot be cut")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('loading')", 'expected a JSON object in one line, came \'loading\'; sent {"id": 1, "method": "describe"}'),
        ("import sys; sys.exit('no such model')", "ended with exit status 1; last on stderr: no such model; sent"),
        ("print('[' * 100000)", "expected a JSON object in one line, came '[[[["),
        ("print('{\"id\": 7}')", 'expected an object with "id": 1, came'),
        ("print('{\"id\": 1}')", 'vocabulary: expected a whole number, came {"id": 1}'),
        ('print(\'{"id": 1, "vocabulary": 5}\')', "methods: expected a list"),
        ('print(\'{"id": 1, "vocabulary": 5, "methods": ["prefill"]}\')', "expected decode, found 'prefill'"),
        ('print(\'{"id": 1, "error": "no memory"}\')', "the engine answers with an error: no memory"),
        ("import os; os.write(1, b'\\xff\\xfe\\n')", "came '\ufffd\ufffd'"),
        ("import time; time.sleep(100)", "no answer in 2 s, nothing came"),
    ],
)
def test_a_bad_first_answer_is_bad_input(code: str, words: str) -> None:
    """One line says what was sent and what came."""
    command = [sys.executable, "-S", "-c", f"input(); {code}"]
    with pytest.raises(BadInput) as error:
        PipeEngine(command, 0.4 if "sleep" in code else 60.0)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_program_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--engine", "./no_such_server --jsonl"]) == 2
    assert "--engine ./no_such_server --jsonl: found no program ./no_such_server" in capsys.readouterr().err


def test_a_state_does_not_outlive_its_process(c_engine: Path) -> None:
    """The engine starts again, and knows nothing of the states before."""
    with PipeEngine([str(c_engine), "crash"]) as engine:
        _, state = engine.prefill([1, 2, 3])
        with pytest.raises(EngineFails, match="signal 6"):
            engine.extend([4, 5], state)
        logits, fresh = engine.prefill([1, 2, 3])
        assert len(logits) == 3
        with pytest.raises(EngineFails, match="the state was lost when the engine ended"):
            engine.decode(4, state)
        assert len(engine.decode(4, fresh)[0]) == 1


def test_a_killed_program_leaves_no_engine(c_engine: Path) -> None:
    """Also an engine that hangs ends with the process that asked it, and so does what a shell started."""
    code = (
        "from seqsep.language_models.engines.pipe import PipeEngine\n"
        f"engine = PipeEngine([{str(c_engine)!r}, 'hang'])\n"
        "state = engine.prefill([1, 2])[1]\n"
        "print('ready', flush=True)\n"
        "engine.fork(state)\n"
    )
    with nothing_left(c_engine):
        asks = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert asks.stdout is not None
        assert asks.stdout.readline() == "ready\n"
        assert processes_of(c_engine) != []
        os.kill(asks.pid, signal.SIGKILL)
        asks.wait()
        asks.stdout.close()


def test_children_of_a_shell_are_ended_too(c_engine: Path) -> None:
    """A script that starts the engine and does not end with its input."""
    with nothing_left(c_engine), PipeEngine(["sh", "-c", f"{c_engine}; sleep 600 # {c_engine}"]) as engine:
        assert len(engine.prefill([1, 2])[0]) == 2
