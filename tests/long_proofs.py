"""The machine-checked proofs, whole: compiled, compared with the package, run, and spoiled. A row of results/verify.

It needs Coq and OCaml (`tools/proofs.py` names the packages). Without them the row stays as it is. It writes
results/proofs.json: the sizes, the assumptions of every theorem, and the constants, which tests compare without Coq.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.theorems import Claim, Outcome
from support import machine_checked

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import proofs  # noqa: E402

NAME = "proofs"
WORDS = "proofs compile without axioms, their constants and networks are those of the package, and spoiled ones are refused"
MUTANTS = Path(__file__).parent / "support/proof_mutants.json"
LAYER = ("maths/networks/executor.py", "maths/arithmetic/grid.py", "maths/arithmetic/softmax.py")
PARTIES = ("theorems/protocols/_one_layer_parties.py", "theorems/protocols/one_layer_trials.py")
PEELING = ("theorems/is_tree/peeling.py", "theorems/is_tree/_peeling_layers.py", "tasks/trees/peeling.py")
OWN = ("tools/proofs.py", "tests/long_proofs.py", "tests/support/machine_checked.py", "tests/support/proof_mutants.json")
FILES = tuple(
    path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "proofs").glob("*.*")) if path.suffix in {".v", ".ml", ".json"}
)
SOURCES = (*LAYER, *PARTIES, *PEELING, *(f"../../{name}" for name in (*FILES, *OWN)))


def missing() -> str | None:
    """Why nothing can be compiled here, in words; None if it can."""
    return proofs.missing()


def verify() -> list[Outcome]:
    """Compile, compare constants, run the extracted programs, and refuse the mutants; write results/proofs.json."""
    proofs.require_complete()
    with TemporaryDirectory() as folder:
        build = proofs.Build(Path(folder))
        build.compile()
        figures = measured(build)
        program = build.program()
        unequal = machine_checked.unequal(program, list(machine_checked.cases(machine_checked.LAYERS)))
        peeling = {n: machine_checked.peeling_cases(n, count) for n, count in machine_checked.PEELING_INPUTS.items()}
        unequal_peeling = sum(machine_checked.unequal_peeling(program, n, found) for n, found in peeling.items())
        accepted = [old for name, old, new in mutants() if is_accepted(build, name, old, new)]
    proofs.FIGURES.write_text(written(figures), encoding="utf-8")
    wrong = [
        (name, arguments)
        for name, rows in figures["constants"].items()
        for *arguments, value in rows
        if machine_checked.PYTHON[name](*arguments) != value
    ]
    compared = sum(len(rows) for rows in figures["constants"].values())
    return [
        outcome("theorems without axioms", figures["theorems"], 0),
        outcome("constants equal to the package's", compared, len(wrong)),
        outcome("layers with the logits of the executor", machine_checked.LAYERS, unequal),
        outcome("peeling networks with the logits and the next token of the executor", figures["networks"], unequal_peeling),
        outcome("mutants refused", len(mutants()), len(accepted)),
    ]


def measured(build: proofs.Build) -> dict[str, Any]:
    """The content of results/proofs.json, from a compiled build. Raises ProofFails for an axiom."""
    seconds = build.seconds
    theorems = proofs.stated()
    assumed = build.assumptions(theorems)
    proofs.require_allowed(assumed, theorems)
    constants = {name: build.numbers(name, found) for name, found in machine_checked.ARGUMENTS.items()}
    return {
        "coq": version(),
        "files": len(proofs.sources()),
        "lines": proofs.lines(),
        "theorems": len(theorems),
        "cpu_seconds": round(seconds),
        "mutants": len(mutants()),
        "layers": machine_checked.LAYERS,
        "networks": sum(machine_checked.PEELING_INPUTS.values()),
        "assumptions": assumed,
        "constants": {
            name: [[*arguments, value] for arguments, value in zip(machine_checked.ARGUMENTS[name], values, strict=True)]
            for name, values in constants.items()
        },
    }


def outcome(variant: str, inputs: int, failures: int) -> Outcome:
    """One part of the row."""
    return Claim(NAME, "proofs/", WORDS).lower(
        length=0,
        inputs=inputs,
        measured={"failures": failures},
        bound={"failures": 0},
        variant=variant,
        holds=failures == 0,
    )


def mutants() -> list[tuple[str, str, str]]:
    """Each is a file of proofs, a text in it, and a false or weaker text in its place."""
    found: list[tuple[str, str, str]] = [tuple(one) for one in json.loads(MUTANTS.read_text(encoding="utf-8"))]
    return found


def is_accepted(build: proofs.Build, name: str, old: str, new: str) -> bool:
    """Spoil one file of a compiled build, and return True if Coq still accepts it."""
    text = (proofs.PROOFS / name).read_text(encoding="utf-8")
    assert text.count(old) == 1, (name, old, text.count(old))
    (build.folder / "Mutant.v").write_text(text.replace(old, new), encoding="utf-8")
    message = ""
    try:
        build.check("Mutant.v")
    except proofs.ProofFails as refused:
        message = str(refused)
    assert "Syntax error" not in message, (name, new)
    return not message


def version() -> str:
    """The version of Coq."""
    printed = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\S+)", printed)
    assert found
    return found[1]


def written(figures: dict[str, Any]) -> str:
    """JSON with one line for each list."""
    text = json.dumps(figures, indent=1)
    return re.sub(r"\[\s+([\d,\s]+?)\s+\]", lambda found: "[" + " ".join(found[1].split()) + "]", text) + "\n"
