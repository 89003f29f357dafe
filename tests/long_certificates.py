"""The long checks of certificates: every flip and cut, 10,000 mutants a type, all files, every mutant of the checker.

`verify()` runs them whole (`make verify`); tests/theorems/certificate/test_certificates.py runs a fixed sample of each.
"""

import seqsep_check
from seqsep.theorems import Claim, Outcome
from support.certificates.checker_mutants import EQUIVALENT, mutants, survivors
from support.certificates.forgeries import FORGERIES
from support.certificates.hostile import HOSTILE, NEAR_THE_BOUND, try_file
from support.certificates.mutants import try_mutants
from support.certificates.samples import TYPES, of_type

MUTANTS = 10_000
CLAIM = Claim("certificates", "docs/reference/certificates.md", "No false certificate is accepted")


def accepted_flips(data: bytes, step: int = 1) -> int:
    """Of all single-bit flips (or every `step`-th), how many the checker accepts."""
    accepted = 0
    for place in range(0, 8 * len(data), step):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        accepted += seqsep_check.check(bytes(changed))[0] == 0
    return accepted


def accepted_cuts(data: bytes) -> int:
    """Of all proper beginnings, how many the checker accepts."""
    return sum(seqsep_check.check(data[:end])[0] == 0 for end in range(len(data)))


def verify(count: int = MUTANTS) -> list[Outcome]:
    """One outcome a kind of check; an AssertionError names what is accepted and false, slow, or survives."""
    outcomes = []

    def done(variant: str, inputs: int, measured: dict[str, int], bound: dict[str, int]) -> None:
        outcomes.append(
            CLAIM.lower(
                length=0,
                inputs=inputs,
                exhaustive=True,
                measured=measured,
                bound=bound,
                variant=variant,
                holds=measured == bound,
            )
        )

    for kind in TYPES:
        tried = 0
        accepted = 0
        for data in of_type(kind).values():
            accepted += accepted_flips(data) + accepted_cuts(data)
            tried += 9 * len(data)
        done(f"{kind}, flips and cuts", tried, {"accepted": accepted}, {"accepted": 0})
        counts = try_mutants(kind, 0, count)
        assert sum(counts.values()) == count
        done(f"{kind}, mutants {dict(sorted(counts.items()))}", count, {"false": 0}, {"false": 0})
        forged = FORGERIES[kind]()
        accepted = sum(seqsep_check.check(forgery.data())[0] == 0 for forgery in forged)
        done(f"{kind}, forgeries", len(forged), {"accepted": accepted}, {"accepted": 0})
    seconds = max(try_file(name).cpu_seconds for name in HOSTILE | NEAR_THE_BOUND)
    assert seconds < 10
    done("files of up to 10 MiB", len(HOSTILE | NEAR_THE_BOUND), {"failures": 0}, {"failures": 0})
    made = mutants()
    left = survivors(made)
    assert not left, left
    done(f"mutants of the checker, {len(EQUIVALENT)} equivalent", len(made), {"survivors": 0}, {"survivors": 0})
    return outcomes
