"""The command line as tests use it: a call here, or a process of its own; and a user's file of runs."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

from seqsep.commands.cli import main

TWO_SHORT_RUNS = """
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup


def runs(preset):
    steps = {"tiny": 20, "long": 200_000}[preset]
    task = IndexLookup(5, alphabet=4)
    return [Run(task, ("lstm",), width=8, steps=steps, evaluate_every=10, evaluation=50, seed=seed) for seed in (0, 1)]
"""

OWN_LAYER = """
import torch


class Own(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.mix(x)

    def start(self, batch):
        return torch.zeros(batch, 1)

    def step(self, x, state, t):
        return self.mix(x), state
"""


def call(capsys, *arguments):
    """Run a command here; return its exit status, and what it prints on standard output and on standard error."""
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def json_lines(text):
    """The value of each line."""
    return [json.loads(line) for line in text.splitlines()]


@contextmanager
def pipe_without_reader():
    """The writing end of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def seqsep(*arguments, **options):
    """Start the program as a process of its own."""
    command = [sys.executable, "-c", "from seqsep.commands.cli import script; script()", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, **options)
