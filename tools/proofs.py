"""Compile the machine-checked proofs and print the assumptions of every theorem: python tools/proofs.py (make proofs).

It needs Coq (Rocq) and OCaml, and nothing else: not seqsep, and no Python package. It installs nothing. The exit status is
1 if a proof does not compile, is not complete, or assumes an axiom that is not in `ALLOWED`; it is 3 if a package is missing.
"""

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "proofs"
TABLE = PROOFS / "theorems.json"
FIGURES = ROOT / "results/proofs.json"
ALLOWED = {"functional_extensionality_dep"}
PACKAGES = {"coqc": "coq", "coqdep": "coq", "ocamlopt": "ocaml-nox"}
"""Program -> the package of Debian that has it."""
OPTIONS = ("-Q", ".", "Seqsep")
CHECKER = "seqsep-check-verified"
CLOSED = "Closed under the global context"
STATED = re.compile(r"^\s*(?:Theorem|Corollary|Example) (\w+)", re.MULTILINE)
PARTS = re.compile(
    r"^\s*(?:(?P<section>(?:Section \w+|Module \w+ <: \w+)\.)|(?P<end>End \w+\.)|(?P<hypothesis>Hypothes[ei]s )"
    r"|(?P<kind>Theorem|Corollary|Example) (?P<name>\w+)(?P<text>.*?)\bProof\b(?P<proof>.*?)\b(?:Qed|Defined)\.)",
    re.MULTILINE | re.DOTALL,
)
INCOMPLETE = re.compile(r"\b(Admitted|admit|give_up|Axiom|Axioms|Conjecture|Parameter|Parameters|Abort)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
SECONDS = 600


class ProofFails(Exception):
    """A proof that does not compile, is not complete, or assumes too much; the message says which."""


@dataclass
class Build:
    """A copy of the proofs in a folder of its own, where they are compiled.

    Fields:
        folder: the folder of the copy.
        seconds: CPU-seconds of Coq so far.
    """

    folder: Path
    seconds: float = 0.0
    names: list[str] = field(default_factory=list)

    def compile(self) -> None:
        """Copy the proofs and compile them in the order of their imports. Raises ProofFails at the first that fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in sources():
            shutil.copyfile(path, self.folder / path.name)
        found = self._run(["coqdep", "-sort", *OPTIONS, *(path.name for path in sources())]).stdout
        self.names = [Path(name).stem for name in found.split()]
        for name in self.names:
            self.check(f"{name}.v")

    def check(self, name: str) -> str:
        """Compile one file of the folder and return what it prints. Raises ProofFails with Coq's message."""
        done = self._run(["coqc", *OPTIONS, name])
        if done.returncode:
            raise ProofFails(f"{name}: {' '.join(done.stderr.split())}")
        return done.stdout

    def program(self) -> Path:
        """Compile the program of Extraction.v and its driver, and return its path."""
        return self._linked("layer", "driver", "driver")

    def checker(self, text: str | None = None) -> Path:
        """Compile the second checker of certificates and return its path. The text replaces that of check.ml."""
        return self._linked("rules", "check", CHECKER, text)

    def _linked(self, extracted: str, driver: str, program: str, text: str | None = None) -> Path:
        source = (PROOFS / f"{driver}.ml").read_text(encoding="utf-8") if text is None else text
        (self.folder / f"{driver}.ml").write_text(source, encoding="utf-8")
        files = [f"{extracted}.mli", f"{extracted}.ml", f"{driver}.ml"]
        done = self._run(["ocamlopt", "-w", "-a", "-alert", "-all", "-I", ".", *files, "-o", program])
        if done.returncode:
            raise ProofFails(f"{driver}.ml: {' '.join(done.stderr.split())}")
        return self.folder / program

    def ask(self, commands: Sequence[str], requires: Sequence[str] = ()) -> str:
        """Return what Coq prints for these commands after all proofs, or only those of `requires`, are loaded."""
        loaded = f"From Seqsep Require {' '.join(requires or self.names)}.\n"
        (self.folder / "Question.v").write_text(loaded + "\n".join(commands) + "\n", encoding="utf-8")
        return self.check("Question.v")

    def assumptions(self, theorems: Sequence[str]) -> dict[str, list[str]]:
        """Return the axioms of each theorem, such as `IndexLookup.index_lookup_state`.

        Coq first looks at the tuple of all theorems, which takes the time of one. If it has an axiom, each is looked at.
        """
        everything = ", ".join(f"@Seqsep.{name}" for name in theorems)
        if CLOSED in self.ask([f"Definition everything := ({everything}).", "Print Assumptions everything."]):
            return {name: [] for name in theorems}
        commands = [f'Goal True. idtac "@{name}". exact I. Qed. Print Assumptions Seqsep.{name}.' for name in theorems]
        parts = self.ask(commands).split("@")[1:]
        found = {}
        for part in parts:
            name, _, printed = part.partition("\n")
            axioms = re.findall(r"^(\S+) :", printed, re.MULTILINE)
            found[name.strip()] = [] if CLOSED in printed else axioms or ["unknown"]
        return found

    def numbers(self, name: str, arguments: Sequence[Sequence[int]]) -> list[int]:
        """Compute a function of Constants.v at each list of arguments."""
        asked = [f"Eval vm_compute in (Constants.{name} {' '.join(f'{value}%N' for value in one)})." for one in arguments]
        printed = self.ask(["From Coq Require Import NArith.", *asked], ["Constants"])
        values = [int(value) for value in re.findall(r"^\s*= (\d+)", printed, re.MULTILINE)]
        if len(values) != len(arguments):
            raise ProofFails(f"Constants.{name}: {len(arguments)} values were asked for, and {len(values)} were printed")
        return values

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        start = _seconds_of_children()
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=SECONDS)
        self.seconds += _seconds_of_children() - start
        return done


def sources() -> list[Path]:
    """Return the files of the proofs."""
    return sorted(PROOFS.glob("*.v"))


def lines() -> int:
    """Count the lines of all proofs, comments included and empty lines not."""
    return sum(bool(line.strip()) for path in sources() for line in path.read_text(encoding="utf-8").splitlines())


def missing() -> str | None:
    """Return a sentence that names the missing package, or None if everything is there."""
    absent = sorted({PACKAGES[program] for program in PACKAGES if shutil.which(program) is None})
    return f"a package is missing; on Debian: apt-get install {' '.join(absent)}" if absent else None


def stated() -> list[str]:
    """Return all theorems, corollaries and examples of the files, as `File.name`."""
    return [f"{path.stem}.{name}" for path in sources() for name in STATED.findall(_without_comments(path))]


@dataclass(frozen=True)
class Stated:
    """A theorem, corollary or example of a file.

    Fields:
        name: `File.name`.
        is_example: True for an example.
        text: what is stated.
        proof: the proof.
        assumed: number of hypotheses of the sections around it.
    """

    name: str
    is_example: bool
    text: str
    proof: str
    assumed: int

    @property
    def has_hypotheses(self) -> bool:
        """Return True if something must hold before the statement does."""
        return self.assumed > 0 or "->" in self.text

    @property
    def is_met(self) -> bool:
        """Return True for an example outside of sections with hypotheses, and without an implication as its statement."""
        text = self.text
        while (less := re.sub(r"\([^()]*\)", "", text)) != text:
            text = less
        return self.is_example and self.assumed == 0 and "->" not in text


def statements() -> list[Stated]:
    """Return all theorems, corollaries and examples with their proofs, in the order of the files."""
    found = []
    for path in sources():
        sections: list[int] = []
        for one in PARTS.finditer(_without_comments(path)):
            if one["section"]:
                sections.append(0)
            elif one["hypothesis"]:
                sections[-1] += 1
            elif one["end"]:
                sections.pop()
            elif one["name"]:
                name = f"{path.stem}.{one['name']}"
                found.append(Stated(name, one["kind"] == "Example", one["text"], one["proof"], sum(sections)))
    return found


def without_example() -> list[str]:
    """Return the theorems with hypotheses that no example applies, so that nothing shows that they can be met."""
    every = statements()
    applied = {word for one in every if one.is_met for word in re.findall(r"\w+", one.text + one.proof)}
    return [one.name for one in every if not one.is_example and one.has_hypotheses and one.name.split(".")[1] not in applied]


def named() -> dict[str, list[str]]:
    """Return the table: a theorem of seqsep -> the theorems of the proofs that are its statement."""
    table: dict[str, list[str]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def require_complete() -> None:
    """Raise ProofFails for a file with an unproved statement, or for a name in the table that no file has."""
    for path in sources():
        if found := INCOMPLETE.search(_without_comments(path)):
            raise ProofFails(f"{path.name}: {found[0]}")
    absent = {name for names in named().values() for name in names} - set(stated())
    if absent:
        raise ProofFails(f"{TABLE.name}: no file of proofs states {', '.join(sorted(absent))}")


def require_allowed(assumed: dict[str, list[str]], theorems: Sequence[str]) -> None:
    """Raise ProofFails for a theorem without an answer, or one with an axiom that is not allowed."""
    for name in theorems:
        if name not in assumed:
            raise ProofFails(f"{name}: Coq printed no assumptions")
        if more := [axiom for axiom in assumed[name] if axiom.rsplit(".", 1)[-1] not in ALLOWED]:
            raise ProofFails(f"{name} assumes {', '.join(more)}")


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _without_comments(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def main() -> int:
    """Compile, print a line for each theorem, and return the exit status."""
    parser = argparse.ArgumentParser(description="Compile the proofs and print the assumptions of every theorem.")
    parser.add_argument("--build", type=Path, default=ROOT / "build/proofs", help="Folder for the compiled files.")
    arguments = parser.parse_args()
    if reason := missing():
        print(f"make proofs: {reason}", file=sys.stderr)
        return 3
    try:
        require_complete()
        build = Build(arguments.build)
        build.compile()
        build.program()
        checker = build.checker()
        theorems = stated()
        assumed = build.assumptions(theorems)
        require_allowed(assumed, theorems)
    except ProofFails as wrong:
        print(f"make proofs: {wrong}", file=sys.stderr)
        return 1
    for name in theorems:
        print(f"{name}: {', '.join(assumed[name]) or 'no axioms'}")
    print(f"{len(theorems)} theorems, {lines():,} lines, {build.seconds:.0f} CPU-s")
    print(f"second checker of certificates: {checker}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
