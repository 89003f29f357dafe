"""The second checker of certificates, built and compared with seqsep_check.py. A row of results/verify.

Its rules are proved sound in proofs/Certificates.v. Both checkers are asked about every certificate that the tests have of its
types, forgeries, and 2,000 mutants. Then each rule is replaced by one that accepts everything, which must be seen. Without Coq
and OCaml the row stays as it is.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import long_proofs
from long_proofs import proofs
from seqsep.theorems import Claim, Outcome
from support.certificates import two_checkers
from support.certificates.two_checkers import Asked

NAME = "verified-checker"
WORDS = "both checkers of certificates agree, and a rule that accepts everything is seen"
MUTANTS = 2_000
OTHERS = 400
WRITERS = ("_record.py", "write.py", "__init__.py")
SUPPORT = ("two_checkers", "mutants", "samples", "forged_tables", "forged_fooling_sets", "forgery")
PROOFS = (
    "Words",
    "OneWay",
    "Protocols",
    "Rank",
    "OneLayer",
    "OneLayerBounds",
    "Counting",
    "LinearAttention",
    "IsTree",
    "Means",
)
PROOFS += ("Constants", "Certificates", "ExtractRules")
SOURCES = (
    "../seqsep_check.py",
    "maths/communication/witnesses.py",
    "theorems/protocols/one_layer_ledger.py",
    *(f"theorems/certificate/{name}" for name in WRITERS),
    *(f"../../proofs/{name}.v" for name in PROOFS),
    "../../proofs/check.ml",
    "../../tools/proofs.py",
    "../../tests/long_verified_checker.py",
    "../../tests/support/machine_checked.py",
    *(f"../../tests/support/certificates/{name}.py" for name in SUPPORT),
)
SPOILED = {
    "fooling_rule": "(fun _ _ _ _ _ -> true)",
    "complete_rule": "(fun _ _ _ _ _ _ -> true)",
    "distinguishing_rule": "(fun _ _ _ _ _ -> true)",
    "least_state_rule": "(fun _ _ _ _ _ _ -> true)",
    "rank_rule": "(fun _ _ _ _ _ _ _ -> true)",
    "one_layer_rule": "(fun _ _ _ _ _ _ _ -> true)",
}
"""Rule -> a rule that accepts everything."""


def verify() -> list[Outcome]:
    """Build the checker, compare it with the package on all files, and spoil each of its rules."""
    asked = files(MUTANTS, OTHERS)
    with TemporaryDirectory() as folder:
        build = proofs.Build(Path(folder) / "proofs")
        build.compile()
        program = build.checker()
        wrong = {part: two_checkers.disagreements(program, Path(folder), some) for part, some in asked.items()}
        unseen = [rule for rule in SPOILED if not is_seen(build, Path(folder), rule, asked)]
    parts = [outcome(part, len(asked[part]), len(names)) for part, names in wrong.items()]
    return [*parts, outcome("rules that accept everything, seen", len(SPOILED), len(unseen))]


def files(mutants: int, others: int) -> dict[str, list[Asked]]:
    """The files that both checkers are asked about, by part."""
    return {
        "certificates that hold": two_checkers.certificates(),
        "forgeries": two_checkers.forged(),
        "mutants": list(two_checkers.mutants(mutants)),
        "minors and their inverses": list(two_checkers.ranks(others)),
        "messages of one layer": list(two_checkers.layers(others)),
    }


def is_seen(build: proofs.Build, folder: Path, rule: str, asked: dict[str, list[Asked]]) -> bool:
    """Compile the checker with a rule that accepts everything, and return True if some answer is wrong then."""
    text = (proofs.PROOFS / "check.ml").read_text(encoding="utf-8")
    assert f"Rules.{rule} " in text
    program = build.checker(text.replace(f"Rules.{rule} ", f"{SPOILED[rule]} "))
    return any(two_checkers.disagreements(program, folder, some) for some in asked.values())


def outcome(variant: str, inputs: int, failures: int) -> Outcome:
    """One part of the row."""
    return Claim(NAME, "proofs/Certificates.v", WORDS).lower(
        length=0,
        inputs=inputs,
        measured={"failures": failures},
        bound={"failures": 0},
        variant=variant,
        holds=failures == 0,
    )


missing = long_proofs.missing
