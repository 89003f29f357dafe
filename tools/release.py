"""Build the wheel and the sdist, and check that they are complete: python tools/release.py --to dist (make release).

The checks, in this order. What is missing is printed, and the exit status is 1.

    contents    the wheel holds the package, the shipped files and nothing else; the sdist holds the repository
    metadata    `twine check --strict`, and no relative link in the description
    installed   the wheel in an empty environment and an empty folder runs the commands of README.md, each of `COMMANDS`,
                and with --demo `seqsep demo`; once for each --python
    sdist       `TESTS`, a sample of the tests, pass in the unpacked sdist
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path
from shutil import copyfile

from seqsep.commands.shipped import shipped_files

ROOT = Path(__file__).parents[1]
NOT_RELEASED = {".ci/run", ".gitignore"}
MADE_IN_SDIST = {"PKG-INFO", "setup.cfg"}
NOT_COPIED = {".git", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", "__pycache__", "build", "dist"}
SECONDS = 1800
"""The time limit of one command."""
COMMANDS = (
    "seqsep --version",
    "seqsep --help",
    "python -m seqsep list theorems",
    "seqsep examples .",
    "seqsep check --mixer examples/own_layer.py:MovingAverage",
    "seqsep check --task examples/own_task.py:Greatest --length 8",
    "seqsep run examples/own_runs.py --preset quick --dry-run",
    "seqsep train index-lookup --length 10 --layers lstm --steps 20 --store runs/store.sqlite --compare",
    "seqsep capacity examples/falcon-mamba-7b.json",
    "seqsep audit results/audit/lstm.safetensors --questions 250",
    "seqsep certify bounded-dyck-state -o dyck.json",
    "seqsep-check dyck.json",
    "seqsep report -o report --bibtex",
)
"""Each needs files that a wheel could lack. They run before the commands of README.md, which read the same files."""
OF_README = re.compile(r"^(?:\$ )?((?:\.venv/bin/)?(?:seqsep|seqsep-check|python3?|echo) .*)$")
OF_TABLE = re.compile(r"^\| [^|]*\?[^|]* \| `(seqsep [^`]*)` \|", re.MULTILINE)
"""A row of the table of questions: a question and its command."""
PLACEHOLDER = "FOLDER"
"""A word for a file of the reader's own: a command with it is not complete."""
TESTS = (
    "tests/commands/test_examples_command.py",
    "tests/commands/test_list.py",
    "tests/core/test_files.py",
    "tests/lab/experiments/test_committed.py",
    "tests/lab/store/test_store.py",
    "tests/language_models/capacity/test_published.py",
    "tests/language_models/loader/test_folder.py",
    "tests/maths/arithmetic/test_grid.py",
    "tests/maths/codes/test_codes.py",
    "tests/models/test_network_file.py",
    "tests/pages/test_errata.py",
    "tests/release/test_release.py",
    "tests/report/test_table_files.py",
    "tests/tasks/test_golden_digests.py",
    "tests/theorems/certificate/test_checker_text.py",
    "tests/theorems/retrieval/test_one_layer.py",
    "tests/test_layers.py",
    "tests/test_registries.py",
    "tests/test_unchanged.py",
)
"""A sample of the tests, at least one of each wing. They need src/, tools/, results/, docs/, examples/ and the files there."""


@dataclass(frozen=True)
class Built:
    """The two files of a release."""

    wheel: Path
    sdist: Path

    def wheel_names(self) -> set[str]:
        """Return the names of the wheel's files."""
        with zipfile.ZipFile(self.wheel) as file:
            return {name for name in file.namelist() if not name.endswith("/")}

    def sdist_names(self) -> set[str]:
        """Return the names of the sdist's files, without its top folder."""
        with tarfile.open(self.sdist) as file:
            return {member.name.partition("/")[2] for member in file if member.isfile()}

    def metadata(self) -> Message:
        """Return the wheel's METADATA."""
        with zipfile.ZipFile(self.wheel) as file:
            [name] = [name for name in file.namelist() if name.endswith(".dist-info/METADATA")]
            return Parser().parsestr(file.read(name).decode("utf-8"))


def repository_files(root: Path) -> list[str]:
    """Return the files of the repository: those that git tracks, or in an unpacked sdist all that are not made by a command."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
        return sorted(name for name in listed.split("\0") if name and (root / name).is_file())
    return sorted({path.relative_to(root).as_posix() for path in _files_below(root)} - MADE_IN_SDIST)


def _files_below(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in NOT_COPIED or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from _files_below(path)
        else:
            yield path


def build(to: Path, root: Path = ROOT) -> Built:
    """Build both files from a copy of the repository: the sdist from the copy, and the wheel from the sdist."""
    with tempfile.TemporaryDirectory() as folder:
        for name in repository_files(root):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            copyfile(root / name, Path(folder) / name)
        to.mkdir(parents=True, exist_ok=True)
        done = run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(to.resolve()), folder], Path(folder))
    if done.returncode:
        raise SystemExit(f"the build failed:\n{done.stdout[-3000:]}")
    names = re.search(r"Successfully built (\S+\.tar\.gz) and (\S+\.whl)", re.sub(r"\x1b\[\d*m", "", done.stdout))
    if names is None:
        raise SystemExit(f"expected a line `Successfully built SDIST and WHEEL`, found:\n{done.stdout[-3000:]}")
    return Built(wheel=to / names[2], sdist=to / names[1])


def run(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; its output and its errors are one text."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def wheel_problems(names: Iterable[str], files: Iterable[str], shipped: Iterable[str]) -> list[str]:
    """Return what the wheel lacks and what it should not have; `files` are the repository's, `shipped` those of seqsep/data.

    >>> wheel_problems(["seqsep/a.py", "tests/b.py"], ["src/seqsep/a.py", "src/seqsep_check.py", "tests/b.py"], [])
    ['the wheel lacks seqsep_check.py', 'the wheel should not have tests/b.py']
    """
    expected = {name.removeprefix("src/") for name in files if name.startswith("src/")}
    expected |= {f"seqsep/data/{name}" for name in shipped}
    found = {name for name in names if ".dist-info/" not in name}
    lacks = [f"the wheel lacks {name}" for name in sorted(expected - found)]
    return lacks + [f"the wheel should not have {name}" for name in sorted(found - expected)]


def sdist_problems(names: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return what the sdist lacks and what it should not have."""
    expected = set(files) - NOT_RELEASED
    found = {name for name in names if ".egg-info/" not in name} - MADE_IN_SDIST
    lacks = [f"the sdist lacks {name}" for name in sorted(expected - found)]
    return lacks + [f"the sdist should not have {name}" for name in sorted(found - expected)]


def metadata_problems(built: Built) -> list[str]:
    """Return what the metadata lack."""
    metadata = built.metadata()
    needed = ("Summary", "Author", "License-Expression", "Keywords", "Classifier", "Project-URL", "Requires-Python")
    problems = [f"the metadata lack {name}" for name in needed if not metadata.get(name)]
    relative = re.findall(r"\]\((?!https?://|#)([^)]*)\)", str(metadata.get_payload()))
    problems += [f"the description has the relative link {link}" for link in relative]
    checked = run([sys.executable, "-m", "twine", "check", "--strict", str(built.wheel), str(built.sdist)], ROOT)
    return problems + ([f"twine check --strict: {checked.stdout}"] if checked.returncode else [])


def readme_commands(text: str) -> list[str]:
    r"""Return the commands of README.md as an installed seqsep runs them: those in code blocks, then those in the table.

    Training is a dry run. A command of the table that needs a file of the reader's own is left out.

    >>> readme_commands("```\n.venv/bin/seqsep run mine\nmake demo\n```\n```console\n$ seqsep-check a\n```\n")
    ['seqsep run mine --dry-run', 'seqsep-check a']
    >>> readme_commands("| Is it so? | `seqsep check a` | [guide](a.md) |\n| Is it? | `seqsep check --model FOLDER` | b |\n")
    ['seqsep check a']
    """
    found = []
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        lines = block.replace("\\\n", " ").splitlines() if language in ("", "console", "bash", "sh") else []
        for command in (match[1] for line in lines if (match := OF_README.match(line))):
            command = command.replace(".venv/bin/", "")
            command = re.sub(r"python3? -I -S \S*seqsep_check.py", "seqsep-check", command)
            if not command.startswith("seqsep demo"):
                found.append(command)
    found += [command for command in OF_TABLE.findall(text) if PLACEHOLDER not in command]
    return [f"{line} --dry-run" if re.match(r"seqsep (?:run|train) (?!.*--dry-run)", line) else line for line in found]


def installed_problems(wheel: Path, python: str, *, demo: bool) -> Iterator[str]:
    """Install the wheel in an empty environment; yield each command that fails there."""
    with tempfile.TemporaryDirectory() as name:
        environment = Path(name, "environment")
        variables = {"PATH": f"{environment}/bin:/usr/bin:/bin", "HOME": name, "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
        network = {
            key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_")) or "proxy" in key.lower()
        }
        constraints = ROOT / "constraints.txt"
        installing = variables | network | {"PIP_CONSTRAINT": str(constraints)}
        [torch] = re.findall(r"^torch==\S+$", constraints.read_text(encoding="utf-8"), flags=re.MULTILINE)
        index = ["--extra-index-url", os.environ["TORCH_INDEX"]] if os.environ.get("TORCH_INDEX") else []
        pip = [f"{environment}/bin/python", "-m", "pip", "install", "--quiet"]
        for command in ([python, "-m", "venv", str(environment)], [*pip, *index, torch], [*pip, str(wheel.resolve())]):
            done = run(command, ROOT, installing)
            if done.returncode:
                yield f"{python}: {' '.join(command)}: {done.stdout[-2000:]}"
                return
        folder = Path(name, "empty")
        folder.mkdir()
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
        for number, block in enumerate(blocks):
            suffix = "txt" if ">>> " in block else "py"
            Path(name, f"block{number}.{suffix}").write_text(block, encoding="utf-8")
        doctests = "python -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE"
        python_blocks = [
            f"{doctests if '>>> ' in block else 'python'} ../block{number}.*" for number, block in enumerate(blocks)
        ]
        for line in (*COMMANDS, *readme_commands(readme), *python_blocks, *(["seqsep demo"] if demo else [])):
            if "README.md" in line:
                copyfile(ROOT / "README.md", folder / "README.md")
            done = run(["bash", "-o", "pipefail", "-c", line], folder, variables)
            print(f"  {python}: {line}: {'failed' if done.returncode else 'runs'}", flush=True)
            if done.returncode:
                yield f"{python}: {line}: exit status {done.returncode}: {done.stdout[-2000:]}"


def unpacked_problems(sdist: Path) -> list[str]:
    """Run TESTS in the unpacked sdist with the Python of this process; return their output if one fails."""
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(sdist) as file:
            file.extractall(name, filter="data")
        [folder] = Path(name).iterdir()
        variables = os.environ | {"PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1"}
        done = run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *TESTS], folder, variables)
        print(f"  sdist: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else 'no output'}", flush=True)
        return [f"tests of the sdist: {done.stdout[-3000:]}"] if done.returncode else []


def problems_of(built: Built, root: Path = ROOT) -> list[str]:
    """Return what is wrong with the two files, without installing them."""
    files = repository_files(root)
    shipped = [path.as_posix() for path in shipped_files(root) if path.as_posix() in set(files)]
    found = wheel_problems(built.wheel_names(), files, shipped) + sdist_problems(built.sdist_names(), files)
    return found + metadata_problems(built)


def main(words: Sequence[str] | None = None) -> int:
    """Build and check; return 1 if anything is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=Path("dist"), help="folder of the wheel and the sdist")
    parser.add_argument("--python", action="append", help="an interpreter of the installed run; may be given several times")
    parser.add_argument("--demo", action="store_true", help="run `seqsep demo` too, which trains for minutes")
    options = parser.parse_args(words)
    built = build(options.to)
    problems = problems_of(built)
    for python in options.python or [sys.executable]:
        problems += installed_problems(built.wheel, python, demo=options.demo)
    problems += unpacked_problems(built.sdist)
    print("\n".join([*problems, f"{built.wheel}, {built.sdist}: {len(problems)} problems"]))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
