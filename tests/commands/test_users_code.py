"""A user's file under a command: an exit of its code is an error that names it, and what it prints goes to stderr."""

import os
import signal
import subprocess
import sys

import pytest

import seqsep as library
from seqsep.core import interrupts
from seqsep.lab.run import Run
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import own_task
from seqsep.tasks import IndexLookup, IsTree
from support.command_line import call, json_lines, seqsep

PARTS = """
import os
import subprocess
import sys

import numpy as np
import torch


def act():
    {act}


{at_import}


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        {in_init}
        self.mix = torch.nn.Linear(width, width)

    def forward(self, x):
        {in_forward}
        return torch.cumsum(self.mix(x), 1)

    def start(self, batch):
        {in_start}
        return torch.zeros(batch, self.mix.in_features, dtype=self.mix.weight.dtype)

    def step(self, x, state, t):
        {in_step}
        return state + self.mix(x), state + self.mix(x)


class Task:
    vocabulary, classes, longest = 2, 2, 9

    def __init__(self, length):
        {in_init}
        self.length = length

    def sample(self, start, count, seed, evaluate):
        {in_sample}
        inputs = np.arange(start, start + count)[:, None] >> np.arange(self.length) & 1
        targets = np.full_like(inputs, -100)
        targets[:, -1] = inputs[:, 0]
        return inputs, targets, np.full(count, self.length)

    def solve(self, tokens):
        {in_solve}
        return tokens[0]


def find(tokens, prompt):
    {in_body}


def f(word):
    {in_body}
    return word[0] if word else 0


def alphabet(length):
    {in_alphabet}
    return 2


def runs(preset):
    {in_body}
    from seqsep import IndexLookup, Run

    return [Run(IndexLookup(5, alphabet=4), ("lstm",), width=8, steps=2)]
"""
PLACES = ("at_import", "in_init", "in_forward", "in_start", "in_step", "in_sample", "in_solve", "in_body", "in_alphabet")
SMALL = {"steps": 2, "evaluate_every": 2, "evaluation": 10}
TREE = '{"edges": [[1, 2], [2, 3], [1, 4]]}'
COMMANDS = {
    "ask layer": ("ask layer.model --part own.py --input asked.jsonl --json", ("at_import", "in_init", "in_forward")),
    "ask task": ("ask task.model --part own.py --input bits.jsonl --json", ("at_import", "in_init", "in_solve")),
    "audit": ("audit layer.model --part own.py --questions 20 --json", ("at_import", "in_init", "in_start", "in_step")),
    "generate": ("generate tree.model --part own.py --most 3 --json --prompt", ("at_import", "in_init", "in_start", "in_step")),
    "retriever": ("generate own.model --most 3 --retriever own.py:find --json --prompt", ("at_import", "in_body")),
    "analyze": ("analyze own.py:f --lengths 2 --json", ("at_import", "in_body", "in_alphabet")),
    "classify": ("classify own.py:f --length 3 --json", ("at_import", "in_body", "in_alphabet")),
    "sample": ("sample own.py:Task --length 5 --json", ("at_import", "in_init", "in_sample")),
    "run": ("run own.py --dry-run", ("at_import", "in_body")),
}
CELLS = [(command, place, "sys.exit(0)") for command, (_, places) in COMMANDS.items() for place in places]
CELLS += [(command, places[-1], "raise KeyboardInterrupt('mine')") for command, (_, places) in COMMANDS.items()]
CELLS += [("ask layer", "in_forward", act) for act in ("raise RuntimeError('mine')", "open('/absent/file')", "exit()")]


def words_in(folder, command, monkeypatch, act, places):
    """The words of a command, in a folder with a file of parts that act at these places, and the model that it needs.

    The files have one digest whether they act or not, so that the models can be built before.
    """
    lines = {place: f'"{place}" in sys.modules.get("acts", ()) and act()' for place in PLACES}
    (folder / "own.py").write_text(PARTS.format(act=act, **lines) + f"\n# {folder}\n")
    monkeypatch.chdir(folder)
    words = COMMANDS[command][0].split() + ([TREE] if COMMANDS[command][0].endswith("--prompt") else [])
    name = words[1]
    layers = ("lstm",) if name in ("task.model", "own.model") else (UserLayer.parse("own.py:Layer"),)
    if name.endswith(".model"):
        tasks = {
            "layer.model": lambda: IndexLookup(5, alphabet=4),
            "task.model": lambda: own_task(PlugIn.parse("own.py:Task"), {"length": 5}),
        }
        run = Run(tasks.get(name, lambda: IsTree(4, trace="walk"))(), layers, width=8, **SMALL)
        model = run.model()
        for part in model.parameters():
            part.data.zero_()  # token 0 is the answer, and no end of a thought
        library.save(name, model, run)
    (folder / "asked.jsonl").write_text('{"inputs": [0, 1, 4]}\n')
    (folder / "bits.jsonl").write_text('{"inputs": [0, 1, 0, 1, 1]}\n')
    for loaded in [module for module in sys.modules if module.startswith("seqsep plug-in")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "acts", places)
    return words


@pytest.mark.parametrize(("command", "place", "act"), CELLS)
def test_an_exit_is_an_error_of_the_file(tmp_path, capsys, monkeypatch, command, place, act):
    """So is whatever else its code raises, a KeyboardInterrupt included if no signal came."""
    monkeypatch.setattr(interrupts, "_listens", True)
    monkeypatch.setattr(interrupts, "_noted", [])
    words = words_in(tmp_path, command, monkeypatch, act, (place,))
    status, out, error = call(capsys, *words)
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert "own.py" in error
    assert error.endswith(f"line {PARTS.split(chr(10)).index('    {act}') + 1})\n")


def test_a_lack_of_memory_is_no_error_of_the_file(tmp_path, capsys, monkeypatch):
    words = words_in(tmp_path, "ask layer", monkeypatch, "raise MemoryError", ("in_forward",))
    assert call(capsys, *words)[0] == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_prints_go_to_stderr(tmp_path, capsys, monkeypatch, command):
    """Standard output has the lines of a file that prints nothing."""
    act = "print('noise', flush=True), sys.stdout.write('noise')"
    quiet = call(capsys, *words_in(tmp_path, command, monkeypatch, act, ()))
    status, out, error = call(capsys, *words_in(tmp_path, command, monkeypatch, act, PLACES))
    assert (status, quiet[0]) == (0, 0), error
    assert "noise" in error
    assert "noise" not in out
    assert out.splitlines()[0] == quiet[1].splitlines()[0]
    assert "--json" not in COMMANDS[command][0] or json_lines(out)


@pytest.mark.parametrize("place", ["at_import", "in_body"])
def test_outputs_are_written_where_they_were_checked(tmp_path, capsys, monkeypatch, place):
    """A user's code that changes the folder does not change where a relative name is."""
    other = tmp_path / "other"
    other.mkdir()
    precious = {other / name: "precious" for name in ("out.json", "c.json", "p.svg")}
    for path, text in precious.items():
        path.write_text(text)
    act = f"os.chdir({str(other)!r})"
    words = words_in(tmp_path, "analyze", monkeypatch, act, (place,))
    flags = ("--automata", "out.json", "--certificate", "c.json", "-o", "p.svg")
    status, _, error = call(capsys, *words[:-1], *flags)
    assert status == 0, error
    assert {path.name for path in tmp_path.iterdir()} >= {path.name for path in precious}
    assert all(path.read_text() == text for path, text in precious.items())


def test_prints_past_python_go_to_stderr(tmp_path):
    """Other programs, the descriptor itself, a handler at the end of Python: standard output is JSON alone."""
    acts = (
        "os.write(1, b'noise')",
        "subprocess.run(['echo', 'noise'])",
        "subprocess.run(['echo', 'noise'], stdout=sys.stdout)",
        "sys.stdout.buffer.write(b'noise')",
        "print('noise', file=sys.__stdout__)",
        "__import__('atexit').register(lambda: print('noise'))",
    )
    (tmp_path / "own.py").write_text(f"import os, subprocess, sys\ndef f(word):\n    {'; '.join(acts)}\n    return word[0]\n")
    process = seqsep("analyze", "own.py:f", "--lengths", "1", "--json", cwd=tmp_path)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert len(json_lines(out)) == 1
    assert error.count("noise") >= len(acts)


@pytest.mark.slow
def test_an_exit_under_the_program_is_an_error(tmp_path):
    """The exit that no handler of Python sees."""
    (tmp_path / "own.py").write_text("import os\ndef f(word):\n    os._exit(0)\n")
    process = seqsep("analyze", "own.py:f", "--lengths", "1", "--json", cwd=tmp_path)
    out, error = process.communicate(timeout=120)
    expected = "seqsep analyze: own.py:f: expected code that returns, found that its process ended (exit status 0)\n"
    assert (process.returncode, out, error) == (2, "", expected)


PROGRAM = """
import atexit, ctypes, os, sys, time
from seqsep.core import interrupts
from seqsep.commands.users_code import supervised

def say(message, status):
    print(message, file=sys.stderr)
    return status

def main():
    {body}

interrupts.listen()
sys.exit(supervised(main, say))
"""


def program(body, *words, **options):
    """Start a program whose work is `body`, which imports nothing slow."""
    command = [sys.executable, "-c", PROGRAM.format(body=body.replace("\n", "\n    ")), *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, text=True, env=environment, **pipes, **options)


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(0)", "exit status 0"),
        ("os._exit(7)", "exit status 7"),
        ("ctypes.CDLL(None)._exit(0)", "exit status 0"),
        ("ctypes.CDLL(None).exit(0)", "exit status 0"),
        ("os.execv('/bin/sh', ['sh', '-c', 'exit 0'])", "exit status 0"),
        ("os.abort()", "signal 6: Aborted"),
        ("os.kill(os.getpid(), 9)", "signal 9: Killed"),
        ("ctypes.string_at(0)", "signal 11: Segmentation fault"),
    ],
)
def test_an_end_of_the_process_is_an_error(body, how):
    process = program(body, "ask", "model", "--part=mine", "--input", "lines.jsonl")
    out, error = process.communicate(timeout=60)
    expected = f"mine: expected code that returns, found that its process ended ({how})\n"
    assert (process.returncode, out, error) == (2, "", expected)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return 0", 0),
        ("return 1", 1),
        ("raise SystemExit(2)", 2),
        ("raise SystemExit", 0),
        ("raise ValueError", 1),
        ("atexit.register(os._exit, 0)\nreturn 1", 1),
        ("atexit.register(os._exit, 3)\nreturn 0", 3),
    ],
)
def test_the_status_is_that_of_the_work(body, status):
    process = program(f"print(sys.stdin.read(), flush=True)\n{body}", "analyze", "own.py:f")
    out, error = process.communicate("typed", timeout=60)
    assert (process.returncode, out) == (status, "typed\n")
    assert ("Traceback" in error) == ("ValueError" in body)


def test_only_a_users_file_needs_a_second_process():
    for words, is_second in ((["ask", "model"], False), (["ask", "model", "--part", "mine.py"], True)):
        process = program("print(os.getpid())\nreturn 0", *words)
        assert (int(process.communicate(timeout=60)[0]) != process.pid) == is_second


@pytest.mark.parametrize(("number", "to_group"), [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)])
def test_a_signal_interrupts_the_work_once(number, to_group):
    """A terminal sends Ctrl-C to both processes, and `kill` to one."""
    body = """
        count = 0
        try:
            print("ready", flush=True)
            for _ in range(1200):
                time.sleep(0.05)  # a signal just before a long sleep would wait for its end
        except KeyboardInterrupt as interrupt:
            count = interrupts.is_interrupt(interrupt)
        try:
            time.sleep(0.3)
        except KeyboardInterrupt:
            count += 1
        return 100 + count"""
    process = program(body.replace("\n        ", "\n").strip(), "run", "own.py", start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    (os.killpg if to_group else os.kill)(process.pid, number)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (101, "")


def test_the_work_ends_with_a_program_that_is_killed():
    """Its pipes are closed, so it holds no store either."""
    process = program("print('ready', flush=True)\ntime.sleep(600)", "run", "own.py")
    assert process.stdout.readline() == "ready\n"
    process.kill()
    assert process.communicate(timeout=60) == ("", "")


@pytest.mark.slow
def test_a_fork_of_a_users_code_prints_no_second_answer(tmp_path):
    """A file that forks once and lets both go on: the answer is printed once."""
    (tmp_path / "own.py").write_text("import os\nos.fork()\ndef f(word):\n    return word[0]\n")
    process = seqsep("analyze", "own.py:f", "--lengths", "1", "--json", cwd=tmp_path)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert len(json_lines(out)) == 1
