"""What the program takes before it does anything: python benchmarks/command_line.py [--rounds 20].

CPU seconds of a process of its own, the least of all rounds, and as a ratio to a Python that starts and ends, in turn with it.
Bars: `--help` and `--version` below 0.15 s, every `list` and every mistyped word below 0.7 s.
"""

import argparse
import resource
import subprocess
import sys

PYTHON = ("-c", "pass")
COMMANDS = (
    "--help",
    "--version",
    "list tasks",
    "list mixers",
    "list theorems",
    "list experiments",
    "check indx-lookup-attention",
    "check index-lookup-attention --nonsense 3",
    "apply index-lookup-attention --lenght 3",
    "run mamba-width --mixer lstn",
)


def cpu_seconds(arguments: tuple[str, ...]) -> float:
    """Of all cores, for one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    for words in COMMANDS:
        program = ("-m", "seqsep", *words.split())
        both = [(cpu_seconds(PYTHON), cpu_seconds(program)) for _ in range(rounds)]
        python, ours = (min(side) for side in zip(*both, strict=True))
        print(f"seqsep {words}: {ours:.3f} CPU-s, {ours / python:.1f} times as much as Python alone ({python:.3f})", flush=True)


if __name__ == "__main__":
    main()
