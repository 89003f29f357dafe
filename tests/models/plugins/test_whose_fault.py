"""An error in a user's file names that file, its line and its message, with status 2; a bug is said only of seqsep."""

import os
import subprocess
import sys

import pytest

from seqsep.commands.cli import main
from seqsep.core import interrupts
from support.command_line import call, seqsep

RUNS = "from seqsep.lab.run import Run\ndef runs(preset):\n    "
FUNCTION = "def f(word):\n    "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\ndef runs(preset:\n    pass\n", "SyntaxError: '(' was never closed (mine.py, line 2)"),
        ("x = 1\nimport no_such_module\n", "No module named 'no_such_module' (mine.py, line 2)"),
        ("raise GeneratorExit('no')\n", "GeneratorExit: no (mine.py, line 1)"),
        ("class B(BaseException):\n    pass\nraise B('own')\n", "B: own (mine.py, line 3)"),
        ("raise ValueError('\\ud800')\n", "ValueError: \\ud800 (mine.py, line 1)"),
        ("def __getattr__(name):\n    raise RuntimeError(name)\n", "mine.py: RuntimeError: runs (mine.py, line 2)"),
        (f"{RUNS}raise TypeError('in runs')\n", "TypeError: in runs (mine.py, line 3)"),
        (f"{RUNS}raise GeneratorExit\n", "GeneratorExit: (mine.py, line 3)"),
        (f"{RUNS}yield 1 / 0\n", "ZeroDivisionError: division by zero (mine.py, line 3)"),
        (f"{RUNS}yield 3\n", "mine.py: runs('default'): expected a list of Run, found 3 (mine.py, line 2)"),
        (f"{RUNS}return [3]\n", "mine.py: runs('default'): expected a list of Run, found 3 (mine.py, line 2)"),
    ],
)
def test_a_file_of_runs(tmp_path, capsys, text, expected):
    path = tmp_path / "mine.py"
    path.write_text(text)
    status, out, error = call(capsys, "run", str(path), "--dry-run", "--preset", "default")
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert error.startswith(f"seqsep run: {path}: ")
    assert expected in error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{FUNCTION}return 1 / 0\n", "mine.py: ZeroDivisionError: division by zero (mine.py, line 2)"),
        (f"{FUNCTION}raise GeneratorExit\n", "mine.py: GeneratorExit: (mine.py, line 2)"),
        (f"{FUNCTION}raise KeyError(2)\ndef alphabet(n):\n    raise GeneratorExit\n", "GeneratorExit: (mine.py, line 4)"),
        ("def __getattr__(name):\n    raise RuntimeError(name)\n", "mine.py: RuntimeError: f (mine.py, line 2)"),
    ],
)
def test_a_function(tmp_path, capsys, text, expected):
    path = tmp_path / "mine.py"
    path.write_text(text)
    status, out, error = call(capsys, "analyze", f"{path}:f", "--lengths", "3")
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert expected in error


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "mine.py", "--dry-run", "--preset", "default"), "raise KeyboardInterrupt('no key')\n"),
        (("run", "mine.py", "--dry-run", "--preset", "default"), f"{RUNS}raise KeyboardInterrupt('no key')\n"),
        (("analyze", "mine.py:f", "--lengths", "3"), f"{FUNCTION}raise KeyboardInterrupt('no key')\n"),
    ],
)
def test_a_keyboard_interrupt_of_a_users_code_is_no_ctrl_c(tmp_path, capsys, monkeypatch, arguments, text):
    """Raised by the file, and no signal came: the file's error, as any other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(interrupts, "_listens", True)
    monkeypatch.setattr(interrupts, "_noted", [])
    (tmp_path / "mine.py").write_text(text)
    status, _, said = call(capsys, *arguments)
    assert status == 2, said
    assert f"KeyboardInterrupt: no key (mine.py, line {text.count(chr(10))})" in said
    interrupts._noted.append(2)
    (tmp_path / "mine.py").write_text(text + "\n")  # another file, which has not run yet
    assert call(capsys, *arguments)[0] == 130


def test_the_program_listens(tmp_path):
    """An exception that a file raises is its error; a signal that comes while it runs is an interrupt."""
    (tmp_path / "mine.py").write_text(f"{RUNS}raise KeyboardInterrupt('no key')\n")
    raised = seqsep("run", "mine.py", "--dry-run", cwd=tmp_path)
    (tmp_path / "killed.py").write_text(f"{RUNS}import os; os.kill(os.getpid(), 15)\n")
    sent = seqsep("run", "killed.py", "--dry-run", cwd=tmp_path)
    assert "KeyboardInterrupt: no key (mine.py, line 3)" in raised.communicate(timeout=120)[1]
    assert sent.communicate(timeout=120)[1].startswith("seqsep run: interrupted; ")
    assert (raised.returncode, sent.returncode) == (2, 130)


def test_a_long_message_is_cut_at_500_characters(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("raise RuntimeError('boom ' * 1000)\n")
    status, _, error = call(capsys, "run", str(path), "--dry-run")
    assert status == 2
    assert len(error) <= len("seqsep run: ...\n") + 500
    assert error.endswith("...\n")


@pytest.mark.parametrize("error", [AttributeError("ours"), GeneratorExit("ours"), AttributeError("ours " * 1000)])
def test_a_bug_is_ours_and_says_what_to_report(monkeypatch, capsys, error):
    from seqsep.tasks import IndexLookup

    def fails(*_, **__):
        raise error

    monkeypatch.setattr(IndexLookup, "sample", fails)
    status, _, said = call(capsys, "sample", "index-lookup", "--length", "4")
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith(f"seqsep sample: a bug of seqsep: {type(error).__name__}: ours")
    assert "please report it with this command and what it prints with --debug" in said
    assert len(said) < 700
    with pytest.raises(type(error)):
        main(["sample", "index-lookup", "--length", "4", "--debug"])


def test_a_name_that_is_no_text_is_printed(tmp_path):
    """A file's name of bytes that are not UTF-8 is written out on standard output and standard error."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.py"
    with open(path, "w") as file:  # noqa: PTH123
        file.write("def f(word):\n    return word[0]\n")
    command = [sys.executable, "-m", "seqsep", "analyze", path + b":f", "--lengths", "2"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    run = subprocess.run(command, capture_output=True, env=environment)
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"caf\\udce9.py:f" in run.stdout
