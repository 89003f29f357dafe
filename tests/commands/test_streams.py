"""Standard streams that are closed, full or piped to a reader that leaves; and texts from outside that act on a terminal."""

import io
import json
import os
import re
import subprocess
import sys

import pytest

from seqsep.commands.cli import main
from seqsep.commands.streams import Stream, guarded_streams
from seqsep.core.names import UNSEEN, printable
from seqsep.lab.row import Row
from seqsep.lab.store.store import Store
from support.command_line import TWO_SHORT_RUNS, call, pipe_without_reader

PROGRAM = "from seqsep.commands.cli import script; script()"
MAMBA = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}
PRINTING = [
    "--help",
    "--version",
    "list --help",
    "list mixers",
    "sample equality --length 400 --count 30",
    "capacity config.json",
    "check equality-state --length 4",
    "store show s.sqlite",
]
FAILING = "sample nothing"
PIPE = "a pipe without a reader"
NO_SPACE = "seqsep: standard output: No space left on device\n"
EVIL = "demo\x07\x1b[2J\x9b31m\u202egnp.\u2066\u200f\u2028\x7f\rtrue"
HARMLESS = "demo\\u0007\\u001b[2J\\u009b31m\\u202egnp.\\u2066\\u200f\\u2028\\u007f\\u000dtrue"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a config.json and an empty store."""
    place = tmp_path_factory.mktemp("streams")
    (place / "config.json").write_text(json.dumps(MAMBA))
    with Store(place / "s.sqlite"):
        pass
    return place


def ends(folder, words, redirection, timeout=60):
    """Run the program in a shell; return its exit status, and what is left of standard output and standard error."""
    status = folder / "status"
    script = f'{{ "$@"; echo $? >"{status}"; }} {redirection.replace(PIPE, "")}'
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["sh", "-c", script, "sh", sys.executable, "-c", PROGRAM, *words.split()]
    with pipe_without_reader() as pipe:
        output = pipe if redirection == PIPE else subprocess.PIPE
        errors = subprocess.PIPE
        given = {"stdout": output, "stderr": errors, "text": True, "cwd": folder, "env": environment, "timeout": timeout}
        ended = subprocess.run(command, **given)
    return int(status.read_text()), ended.stdout or "", ended.stderr


@pytest.mark.parametrize("words", PRINTING)
def test_a_closed_stream_takes_nothing_from_the_work(folder, words):
    """As with /dev/null, the status is that of the work, and no stream is written to in place of another."""
    assert ends(folder, words, ">&- 2>&- <&-") == (0, "", "")


@pytest.mark.parametrize("words", PRINTING)
def test_a_full_output_is_an_error(folder, words):
    """On a busy machine, lines of progress come before the error."""
    status, out, err = ends(folder, words, ">/dev/full")
    assert (status, out) == (3, "")
    assert err.endswith(NO_SPACE)
    assert all(": being checked for " in line for line in err.removesuffix(NO_SPACE).splitlines())


@pytest.mark.parametrize("words", ["--help", "sample equality --length 400 --count 400"])
@pytest.mark.parametrize(("redirection", "status"), [(">/dev/full 2>&1", 3), (PIPE, 141)])
def test_an_output_that_fails_in_silence(folder, words, redirection, status):
    assert ends(folder, words, redirection) == (status, "", "")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">/dev/full", "2>/dev/full", PIPE])
def test_bad_input_keeps_its_status(folder, redirection):
    status, out, err = ends(folder, FAILING, redirection)
    assert (status, out) == (2, "")
    assert err.startswith("seqsep sample: unknown task" if "2>" not in redirection else "")
    assert ("2>" in redirection) is (err == "")


@pytest.mark.parametrize("words", ["apply index-lookup-attention --length 4", "generate MODEL --input -"])
def test_a_closed_input_is_bad_input(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    expected = f"seqsep {words.split()[0]}: standard input: expected data, found a closed stream\n"
    assert call(capsys, *words.split()) == (2, "", expected)


@pytest.mark.slow
@pytest.mark.parametrize("redirection", [">&- 2>&- <&-", "2>/dev/full"])
def test_a_sweep_trains_without_its_streams(redirection, tmp_path):
    """The store is not opened as descriptor 1 or 2, and every row is in it."""
    (tmp_path / "mine.py").write_text(TWO_SHORT_RUNS)
    words = "run mine.py --preset tiny --store s.sqlite --workers 1"
    status, out, err = ends(tmp_path, words, redirection, timeout=120)
    assert (status, err) == (0, "")
    assert (out == "") if ">&-" in redirection else out.startswith("2 runs in s.sqlite, 0 failed\nexperiment ")
    with Store(tmp_path / "s.sqlite", create=False) as store:
        assert [row.has_outcome for row in store.rows()] == [True, True]


def test_without_streams_in_python(monkeypatch, capfd):
    """As in a program without a terminal: an error on a missing standard error does not go to the standard output."""
    monkeypatch.setattr(sys, "stderr", None)
    assert main(FAILING.split()) == 2
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["list", "mixers"]) == 0
    assert capfd.readouterr() == ("", "")


class Full(io.StringIO):
    """A stream that takes nothing."""

    def write(self, text):
        raise OSError(28, "No space left on device")


def test_an_error_that_is_caught_is_noticed(monkeypatch):
    """As argparse catches it when it prints a help text."""
    stream = Stream(Full())
    for _ in range(2):
        with pytest.raises(OSError, match="standard output"):
            print("text", file=stream)
    assert stream.failure is not None
    print("text", file=Stream(Full(), ends_command=False))
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["--help"]) == 3


def test_streams_are_put_back_and_stay_open():
    before = sys.stdout, sys.stderr
    with guarded_streams():
        sys.stdout.close()
        print("", end="")
    assert (sys.stdout, sys.stderr) == before
    assert not sys.stdout.closed


def test_what_acts_on_a_terminal_is_escaped():
    assert printable(EVIL) == HARMLESS
    assert printable("a\n\tb") == "a\n\tb"
    assert printable("a\n\tb", kept="") == "a\\u000a\\u0009b"
    assert json.loads(printable(json.dumps(EVIL, ensure_ascii=False))) == EVIL


def acts(text):
    """Tell if something in the text, besides the ends of lines, acts on a terminal."""
    return bool(UNSEEN.search(text.replace("\n", "")))


def test_names_in_a_store_do_not_act(capsys, tmp_path):
    """An experiment's name, in words, as JSON and in an error; a new line in it begins none."""
    path = tmp_path / "s.sqlite"
    name = f"{EVIL}\nforged"
    with Store(path) as store, store.driving():
        store.record(Row(name, "0" * 64, {}, {"status": "failed: died"}, {}), seconds=1.0, attempts=1)
    status, out, err = call(capsys, "store", "show", str(path))
    assert (status, err) == (0, "")
    assert f"{HARMLESS}\\u000aforged: " in out
    assert not acts(out)
    status, out, _ = call(capsys, "store", "show", str(path), "--json")
    assert list(json.loads(out)["experiments"]) == [name]
    assert not acts(out)
    status, out, err = call(capsys, "export", "--store", str(path), "--experiment", "other", "-o", str(tmp_path / "r.csv"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "demo\\u0007\\u001b[2J" in err
    assert not acts(err)


@pytest.mark.parametrize("flags", [[], ["--json"], ["--compare"], ["--compare", "--csv"], ["--compare", "--latex"]])
def test_names_of_files_do_not_act(capsys, tmp_path, monkeypatch, flags):
    monkeypatch.chdir(tmp_path)
    name = f"{EVIL}.json"
    (tmp_path / name).write_text(json.dumps(MAMBA))
    status, out, err = call(capsys, "capacity", name, *flags)
    assert (status, err) == (0, "")
    assert not acts(out)
    if "--latex" in flags:
        assert not re.search(r"\\u\d", out)


def test_words_of_the_command_line_do_not_act(capsys):
    status, out, err = call(capsys, "list", EVIL)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not acts(err)


def test_a_traceback_does_not_act(folder):
    status, _, err = ends(folder, f"list x{EVIL.replace(chr(13), '').replace(chr(0x2028), '')} --debug", "")
    assert status == 1
    assert err.startswith("Traceback")
    assert not acts(err)
