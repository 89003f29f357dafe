"""The machine-checked proofs agree with the package: names, constants, sizes, and refusals. No test here needs Coq."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import long_proofs
import seqsep_check
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.arithmetic.softmax import exponentials
from seqsep.theorems import BY_NAME
from support import machine_checked

ROOT = long_proofs.ROOT
FIGURES = json.loads(long_proofs.proofs.FIGURES.read_text(encoding="utf-8"))
VALUES = [(name, tuple(arguments), value) for name, rows in FIGURES["constants"].items() for *arguments, value in rows]


@pytest.mark.parametrize("name", list(machine_checked.PYTHON))
def test_constants_are_those_of_the_package(name):
    """The values that Coq computed, committed, next to those of the package now."""
    rows = [(arguments, value) for one, arguments, value in VALUES if one == name]
    assert [arguments for arguments, _ in rows] == machine_checked.ARGUMENTS[name]
    assert [machine_checked.PYTHON[name](*arguments) for arguments, _ in rows] == [value for _, value in rows]


def test_at_least_200_values_are_compared():
    assert len(VALUES) >= 200
    assert len({value for _, _, value in VALUES}) > 80


def test_every_constant_is_compared():
    text = (ROOT / "proofs/Constants.v").read_text(encoding="utf-8")
    defined = set(re.findall(r"^Definition (\w+_bits\w*|ones_\w+|cells_\w+|lists_\w+) ", text, re.MULTILINE)) - {"number_bits"}
    without_function = {"permutation_bits", "disjointness_bits"}
    assert defined == set(machine_checked.PYTHON) | without_function


def test_the_table_has_theorems_of_both():
    table = long_proofs.proofs.named()
    assert set(table) <= set(BY_NAME)
    assert {name for names in table.values() for name in names} <= set(FIGURES["assumptions"])


def test_the_figures_are_those_of_the_files():
    assert FIGURES["theorems"] == len(long_proofs.proofs.stated()) == len(FIGURES["assumptions"])
    assert FIGURES["lines"] == long_proofs.proofs.lines()
    assert FIGURES["files"] == len(long_proofs.proofs.sources())
    assert FIGURES["mutants"] == len(long_proofs.mutants())
    assert not any(FIGURES["assumptions"].values())


def test_files_begin_with_their_theorem_in_words():
    for path in long_proofs.proofs.sources():
        text = path.read_text(encoding="utf-8")
        assert text.startswith("(** "), path.name
        head = text[: text.index("*)")]
        if path.stem not in {"Words", "Constants", "Extraction", "ExtractRules"}:
            assert re.search(r"In words\.", head), path.name
            assert re.search(r"Source:", head), path.name
            assert re.search(r"The hypothes[ei]s, for a real\s+model", head), path.name


def test_every_theorem_has_an_example_of_its_hypotheses():
    """A theorem whose hypotheses nothing meets says nothing. Each is applied by an example that has no hypothesis itself."""
    every = long_proofs.proofs.statements()
    assert [one.name for one in every] == long_proofs.proofs.stated()
    assert sum(one.has_hypotheses for one in every if not one.is_example) > 100
    assert long_proofs.proofs.without_example() == []


@pytest.mark.parametrize(
    ("example", "missing"),
    [
        ("Example e : 1 <= 2. Proof. apply (t 1). Qed.", []),
        ("Example e : 1 <= 2. Proof. apply (other 1). Qed.", ["One.t"]),
        ("Example e : 1 <= 0 -> 1 <= 2. Proof. apply (t 1). Qed.", ["One.t"]),
        ("Example e : (forall i, i < 1 -> i <= 2). Proof. apply (t 1). Qed.", []),
        ("Section S.\nHypothesis h : False.\nExample e : 1 <= 2. Proof. apply (t 1). Qed.\nEnd S.", ["One.t"]),
        ("(* Example e : 1 <= 2. Proof. apply (t 1). Qed. *)", ["One.t"]),
    ],
)
def test_an_example_must_meet_the_hypotheses(tmp_path, monkeypatch, example, missing):
    theorem = "Theorem t : forall n, 1 <= n -> n <= 2.\nProof. auto. Qed.\nTheorem free : 1 = 1.\nProof. auto. Qed.\n"
    (tmp_path / "One.v").write_text(theorem + example, encoding="utf-8")
    monkeypatch.setattr(long_proofs.proofs, "PROOFS", tmp_path)
    assert long_proofs.proofs.without_example() == missing


@pytest.mark.parametrize("index", range(len(long_proofs.mutants())))
def test_a_mutant_changes_one_place(index):
    name, old, new = long_proofs.mutants()[index]
    text = (ROOT / "proofs" / name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    assert old != new


@pytest.mark.parametrize("word", ["Admitted.", "Axiom a : False.", "Parameter a : False.", "admit."])
def test_an_incomplete_proof_is_refused(tmp_path, monkeypatch, word):
    (tmp_path / "One.v").write_text(f"(** Axiom in words. *)\nLemma a : True.\n{word}\n", encoding="utf-8")
    (tmp_path / "theorems.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(long_proofs.proofs, "PROOFS", tmp_path)
    monkeypatch.setattr(long_proofs.proofs, "TABLE", tmp_path / "theorems.json")
    with pytest.raises(long_proofs.proofs.ProofFails, match=re.escape(f"One.v: {word.split()[0].strip('.')}")):
        long_proofs.proofs.require_complete()


def test_a_name_that_no_file_states_is_refused(tmp_path, monkeypatch):
    (tmp_path / "theorems.json").write_text('{"equality-state": ["Equality.nothing"]}', encoding="utf-8")
    monkeypatch.setattr(long_proofs.proofs, "TABLE", tmp_path / "theorems.json")
    with pytest.raises(long_proofs.proofs.ProofFails, match=r"Equality\.nothing"):
        long_proofs.proofs.require_complete()


@pytest.mark.parametrize("assumed", [{}, {"A.b": ["Coq.Logic.Classical_Prop.classic"]}, {"A.b": ["unknown"]}])
def test_an_axiom_is_refused(assumed):
    with pytest.raises(long_proofs.proofs.ProofFails, match=r"A\.b"):
        long_proofs.proofs.require_allowed(assumed, ["A.b"])
    long_proofs.proofs.require_allowed({"A.b": ["functional_extensionality_dep"], "C.d": []}, ["A.b", "C.d"])


def test_without_coq_the_package_is_named(tmp_path):
    """`make proofs` installs nothing."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/proofs.py"), "--build", str(tmp_path)],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == "make proofs: a package is missing; on Debian: apt-get install coq ocaml-nox\n"
    assert not list(tmp_path.iterdir())


def test_the_page_has_the_numbers_of_the_row():
    page = " ".join((ROOT / "docs/explanation/machine-checked.md").read_text(encoding="utf-8").split())
    assert f"have {FIGURES['files']} files, {FIGURES['lines']:,} lines and {FIGURES['theorems']} theorems" in page
    assert "in less than two minutes of CPU time" in page
    assert 0 < FIGURES["cpu_seconds"] < 120
    assert f"compares {len(VALUES)} values of {len(machine_checked.PYTHON)} constants" in page
    assert f"on {FIGURES['layers']:,} inputs" in page
    assert f"next token as seqsep on {FIGURES['networks']:,} beginnings of runs" in page
    assert f"| {FIGURES['mutants']} changed statements" in page


def test_the_page_shows_the_statement_of_the_file():
    page = (ROOT / "docs/explanation/machine-checked.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    text = (ROOT / "proofs/IndexLookup.v").read_text(encoding="utf-8")
    assert " ".join(shown.split()) in " ".join(text.split())


@pytest.mark.parametrize("steps", [5, 16, 81, 10**4, 10**9])
def test_exponentials_meet_the_hypothesis_of_the_parabola(steps):
    """The score of distance d has an exponential of at most L / 7^d steps, for eta = 2; with eta = 1 it has not."""
    grid = Grid(steps)
    distances = range(1, 40)
    for eta, holds in ((2, True), (1, False)):
        scores = np.array([max(-(steps**2), -eta * d * d * steps) for d in distances])
        found = exponentials(grid, Array(scores, grid.step)).tolist()
        assert all(one * 7**d <= steps for one, d in zip(found, distances, strict=True)) is holds


def files_of(theorem):
    """The files of proofs/ that prove a theorem, as the page shows them."""
    names = long_proofs.proofs.named()[theorem]
    return ", ".join(dict.fromkeys(f"`{name.split('.')[0]}.v`" for name in names))


def rows_of_the_page():
    """The table of theorems that the page must have."""
    yield "| theorem | runs | certificate | machine-checked |"
    yield "|---|---|---|---|"
    for name in sorted(long_proofs.proofs.named()):
        theorem = BY_NAME[name]
        certificate = "yes" if theorem.certificate_witness is not None else ""
        runs = ", ".join(theorem.sides)
        yield f"| [{name}](../reference/theorems/{name}.md) | {runs} | {certificate} | {files_of(name)} |"


def test_the_page_has_the_table_of_theorems():
    page = (ROOT / "docs/explanation/machine-checked.md").read_text(encoding="utf-8")
    assert "\n".join(rows_of_the_page()) in page


def test_the_page_has_the_types_of_the_second_checker():
    """The types in the table of check.ml next to those of seqsep_check.py."""
    page = " ".join((ROOT / "docs/explanation/machine-checked.md").read_text(encoding="utf-8").split())
    written = {kind for kind, *_ in seqsep_check.THEOREMS.values()}
    known = set(re.findall(r'\("[\w-]+", \("([\w-]+)", \[', (ROOT / "proofs/check.ml").read_text(encoding="utf-8")))
    assert known - written == {"rank", "one-layer-message"}
    assert f"{len(known & written)} of the {len(written)} types that `seqsep certify` writes" in page
    assert all(f"`{kind}`" in page for kind in written | known)


def test_the_page_has_the_numbers_of_the_second_checker():
    page = " ".join((ROOT / "docs/explanation/machine-checked.md").read_text(encoding="utf-8").split())
    row = json.loads((ROOT / "results/verify/verified-checker.json").read_text(encoding="utf-8"))
    counts = {one["variant"]: one["inputs"] for one in row["outcomes"]}
    assert row["failures"] == 0
    assert (
        f"{counts['certificates that hold']} certificates that hold, {counts['forgeries']} forgeries and "
        f"{counts['mutants']:,} changed certificates"
    ) in page
    assert f"agree on {counts['minors and their inverses']} minors and {counts['messages of one layer']} messages" in page
    assert counts["mutants"] >= 2_000
    assert counts["rules that accept everything, seen"] == 6
