"""The program: bad input is one line and exit status 2; it stops at once and starts fast."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from seqsep import __version__ as version
from seqsep.commands import COMMANDS
from seqsep.commands.cli import main
from support.command_line import TWO_SHORT_RUNS, call, json_lines, seqsep


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("sample index-lookup --length 0", "length is 1 to 2^20 symbols, found 0"),
        ("sample bounded-dyck --length 7", "even"),
        ("sample indx-lookup --length 4", "did you mean index-lookup"),
        ("sample index-lookup", "--length"),
        ("sample index-lookup --length ten", "expected a whole number, found 'ten' (try seqsep sample index-lookup --help)"),
        ("sample index-lookup --length 4 --kinds 2", "--kinds"),
        ("sample index-lookup --length 4 --seed -1", "2^64"),
        ("sample index-lookup --length 4 --count 0", "from 1, found 0"),
        ("check index-lookup-atention", "did you mean index-lookup-attention"),
        ("check one-way-protocol --mixer lstmm", "lstm, linear-attention"),
        ("check bounded-dyck-state --code binary", "--code is not an option"),
        ("check index-lookup-attention --length 0", "found 0"),
        ("check index-lookup-attention --code walsh", "signs, binary, parabola"),
        ("check index-lookup-attention --text no/such/file", "no/such/file: No such file"),
        ("check index-lookup-attention --text {folder}", "expected a regular file, found a folder"),
        ("check index-lookup-attention --text {text} --positions 999", "positions is 1 to 5"),
        ("check index-lookup-attention --positions many", "expected a whole number, found 'many'"),
        ("apply index-lookup-attention --length 4 --input no/such/file", "no/such/file: No such file"),
        ("apply index-lookup-attention --input {text}", "required: --length"),
        (
            "apply turing-machine-hybrid --length 4 --machine no/such/file --input {text}",
            "expected a file, a line such as 1RB1LB_1LA1RZ, or one of binary-increment",
        ),
        ("apply index-lookup-attention --length 4 --input {text}", "{text}, line 1: not JSON"),
        ("apply index-lookup-attention --length 4 --code walsh --input {text}", "code is one of signs, binary, parabola"),
        (
            "apply index-lookup-attention --length 4 --gamma 2 --input {text}",
            "--gamma is not an option of index-lookup-attention",
        ),
        ("apply one-way-protocol --length 4 --input {text}", "seqsep apply: one-way-protocol: a protocol between two parties"),
        ("check --mixer mamba2", "--mixer mamba2: expected your own layer as FILE.py:CLASS, or a theorem before --mixer"),
        (
            "check --width 8",
            "seqsep check: --width 8: expected a theorem, or your own layer as --mixer FILE.py:CLASS; found neither",
        ),
        (
            "check --heads=2",
            "seqsep check: --heads=2: expected a theorem, or your own layer as --mixer FILE.py:CLASS; found neither",
        ),
        ("check --lenght 8", "--lenght is not an option of any theorem; did you mean --length? (try seqsep check --help)"),
        ("check linear-attention-state --width 0", "width is 1 to 4,096, found 0"),
        ("check index-lookup-state --mixer lstm --width 0", "width is 1 to 4,096, found 0"),
        ("certify one-way-protocol", "one-way-protocol: no certificate: it is a protocol for any model"),
        ("certify one-way-protocol", "these have one: index-lookup-attention, "),
        (
            "certify index-lookup-state",
            "index-lookup-state: expected -o FILE, the file to write the certificate to; found none",
        ),
        ("list words", "expected tasks, mixers, theorems, experiments, found 'words'"),
        ("list theroems", "did you mean theorems?"),
        ("run index-lookup-architecture --dry-run", "did you mean index-lookup-architectures"),
        ("run index-lookup-architectures --preset papr", "demo-rates"),
        ("run no_such_file.py", "no_such_file.py: No such file"),
        ("run mamba-width --foo 3", "unknown argument --foo"),
        ("run mamba-width --mixer nope", "unknown mixer 'nope'; seqsep list mixers has them"),
        ("export --store no/such/store -o rows.jsonl", "no such store"),
        ("export --store no/such/store -o rows.txt", "-o rows.txt: expected a name that ends in .jsonl or .csv"),
        ("export --store {text} -o rows.jsonl", "{text}"),
        ("report --rows no/such/rows", "no/such/rows"),
        ("report --rows {text}", "{text}"),
        ("frobnicate", "expected demo, list"),
        ("cheque", "did you mean check?"),
        ("export --stroe s -o rows.jsonl", "unknown argument --stroe; did you mean --store? (try seqsep export --help)"),
        ("store show --jsno", "did you mean --json? (try seqsep store show --help)"),
        ("sample index-lookup --lenght 4", "unknown argument --lenght; did you mean --length? (try seqsep sample index-lookup"),
        ("check index-lookup-state --lenght=4", "--lenght is not an option of index-lookup-state; did you mean --length?"),
        ("apply index-lookup-attention --lenght 4", "did you mean --length?"),
        ("run mamba-width --task index-lookup --length abc", "number, found 'abc' (try seqsep sample index-lookup --help)"),
        (
            "run --mixer x.py:C --task index-lookup --length 20",
            "EXPERIMENT is missing in front of --length: name of an experiment, or a Python file with a function runs(preset)",
        ),
        ("run mamba-width quick", "unknown argument quick (try seqsep run --help)"),
        ("run mamba-widht --help", "did you mean mamba-width?"),
        ("run mamba-width --preste quick", "unknown argument --preste; did you mean --preset? (try seqsep run --help)"),
    ],
)
def test_bad_input_is_one_line_and_exit_status_2(capsys, tmp_path, arguments, expected):
    text = tmp_path / "five.txt"
    text.write_text("hello")
    fill = {"folder": tmp_path, "text": text}
    status, out, err = call(capsys, *arguments.format(**fill).split())
    assert status == 2, err
    assert out == ""
    assert err.count("\n") == 1
    assert expected.format(**fill) in err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_interrupt_stops_within_2_seconds_and_the_store_opens(capsys, tmp_path):
    """The best of three counts: other tests run on the same cores."""
    seconds = []
    while len(seconds) < 3 and not (seconds and min(seconds) < 2):
        folder = tmp_path / str(len(seconds))
        folder.mkdir()
        seconds.append(_seconds_to_stop(folder))
        assert main(["export", "--store", str(folder / "s.sqlite"), "-o", str(folder / "rows.jsonl")]) == 0
        assert (folder / "rows.jsonl").read_text() == ""
        capsys.readouterr()
    assert min(seconds) < 2


def _seconds_to_stop(folder):
    """From the signal to the end of a sweep that has written a checkpoint, in seconds of a core that nothing else keeps busy.

    On an idle machine they are those of a clock. On a busy one this process waits as the sweep does: it computes in the
    meantime, and counts the seconds that it got.
    """
    file = folder / "mine.py"
    file.write_text(TWO_SHORT_RUNS)
    process = seqsep("run", file, "--preset", "long", "--store", folder / "s.sqlite", "--workers", 2)
    checkpoints = folder / "s.sqlite.checkpoints"
    deadline = time.monotonic() + 180
    while not (checkpoints.exists() and any(checkpoints.glob("*.safetensors"))):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    deadline = time.monotonic() + 120
    asked = time.process_time()
    process.send_signal(signal.SIGINT)
    while process.poll() is None:
        assert time.monotonic() < deadline
    took = time.process_time() - asked
    assert process.returncode == 130
    assert "Traceback" not in process.stderr.read()
    return took


def test_a_closed_pipe_ends_the_command_in_silence(tmp_path):
    """The status is not 0: more than what was read would have followed."""
    process = seqsep("sample", "index-lookup", "--length", 50, "--count", 20000)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == ""


HEAVY = {"torch", "matplotlib", "rich", "jinja2", "seqsep.lab.run"}


def modules_after(code):
    """The modules that a fresh interpreter has loaded after some code."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules, file=sys.stderr)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return set(done.stderr.splitlines()[-1].split())


def test_tasks_need_no_torch_and_no_trainer():
    assert not HEAVY & modules_after("from seqsep.tasks import IndexLookup; IndexLookup(9).sample(0, 4, 0)")


NEEDS_NO_TORCH = [
    "sample equality --length 4",
    "run --engine none",
    "run mamba-widht",
    "run mamba-width --mixer lstn",
    "run mamba-width --preste quick",
    "check index-lookup-stat",
    "apply index-lookup-stat",
    "certify index-lookup-stat -o c.json",
    "check index-lookup-attention --nonsense 3",
    "check --nonsense 3",
    "check --width 8",
    "apply index-lookup-attention --nonsense 3",
    "certify index-lookup-attention --nonsense 3 -o c.json",
    "bound index-lookup-attention --nonsense 3",
]
EACH_COMMAND = """
import contextlib, io, json, sys
from seqsep.commands.cli import main
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, sorted(sys.modules)]))
"""


def after_each(commands):
    """The status of each command, and the modules that one fresh interpreter has loaded after it and those before it."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", EACH_COMMAND, json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return [(status, set(loaded)) for status, loaded in json_lines(done.stdout)]


def test_what_needs_no_torch_does_not_wait_for_it():
    for words, (_, loaded) in zip(NEEDS_NO_TORCH, after_each([words.split() for words in NEEDS_NO_TORCH]), strict=True):
        assert not HEAVY & loaded, words


MISTYPED = [
    ["check", "index-lookup-attention", "--nonsense", "3"],
    ["check", "--nonsense", "3"],
    ["check", "indx-lookup-attention"],
    ["apply", "index-lookup-attention", "--lenght", "3"],
    ["run", "mamba-width", "--mixer", "lstn"],
]
LISTS = [["list", what] for what in ("tasks", "theorems")]
AT_ONCE = [*((words, 0) for words in (["--help"], ["--version"], *LISTS)), *((words, 2) for words in MISTYPED)]
LIGHT = {"seqsep", "numpy", "jaxtyping", "cython_runtime", "__mp_main__"}


def test_what_needs_no_mathematics_comes_at_once():
    """Python's own library, ours and NumPy's are loaded, which is enough to import theorems and tasks, but not torch."""
    found = after_each([words for words, _ in AT_ONCE])
    at_first = modules_after("pass")
    for (words, expected), (status, loaded) in zip(AT_ONCE, found, strict=True):
        foreign = {name.split(".")[0] for name in loaded - at_first} - sys.stdlib_module_names - LIGHT
        assert not {name for name in foreign if not name.startswith("_cython")}, words
        assert status == expected, words


@pytest.mark.slow
def test_output_without_a_character_shows_its_number(monkeypatch):
    """An ASCII terminal ends no command: what it lacks is written out, and JSON stays JSON."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    words = ["check", "nearest-neighbor-two-layers", "--length", "4", "--dimension", "2"]
    process = seqsep(*words)
    out, _ = process.communicate()  # a slow machine has a line of progress on stderr
    assert process.returncode == 0
    assert "a retrieved digit (\\xb11) from 0" in out
    process = seqsep(*words, "--json")
    out, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(out)[0]["margin"]["of"] == "a retrieved digit (±1) from 0"


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"seqsep {version}\n"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help_with_an_example(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "2000")
    with pytest.raises(SystemExit) as end:
        main([command.name, "--help"])
    assert end.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{command.purpose[0].upper()}{command.purpose[1:]}." in lines
    assert " ".join(command.details.split()) in " ".join(" ".join(lines).split())
    assert f"Example: {command.example}" in lines


@pytest.mark.parametrize("module", ["seqsep", "seqsep.commands.cli"])
def test_a_module_run_by_python_is_the_command_line(module):
    """`python -m seqsep` and `python -m seqsep.commands.cli` print what `seqsep` prints, and end with its status."""
    run = subprocess.run([sys.executable, "-m", module, "list", "mixers"], capture_output=True, text=True, check=True)
    assert "attention" in run.stdout
    wrong = subprocess.run([sys.executable, "-m", module, "sample", "no-such-task"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("seqsep sample: ")


PROGRAM = """
import atexit, gc, sys
from seqsep.commands.cli import script
{before}
sys.argv = ["seqsep", "list", "mixers"]
at_first = gc.get_freeze_count()
atexit.register(lambda: print(gc.get_freeze_count() - at_first))
script()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("before", "is_collected"), [("", False), ("sys.modules['triton'] = sys", True)])
def test_what_triton_left_in_cycles_is_collected(before, is_collected):
    """It writes pages on standard error of objects that are left at the end; without it a last search costs time alone."""
    program = PROGRAM.format(before=before)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (int(run.stdout.split()[-1]) == 0) is is_collected
