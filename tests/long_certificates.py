"""The long checks of certificates: every flip and cut, 10,000 mutants a type, all files, every mutant of the checker.

`verify()` runs them whole (`make verify`); tests/theorems/certificate/test_certificates.py runs a fixed sample of each.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import seqsep_check
from seqsep.theorems import Claim, Outcome
from support.certificates.checker_mutants import EQUIVALENT, mutants, survivors
from support.certificates.forgeries import FORGERIES
from support.certificates.hostile import HOSTILE, NEAR_THE_BOUND, try_file
from support.certificates.mutants import try_mutants
from support.certificates.samples import TYPES, of_type

MUTANTS = 10_000
PROCESSES = 2
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
    """One outcome a kind of check, on two processes; an error names what is accepted and false, slow, or survives."""
    made = mutants()
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as pool:
        types = [pool.submit(_of_type, kind, count) for kind in reversed(TYPES)]
        parts = [pool.submit(survivors, made[turn :: 4 * PROCESSES]) for turn in range(4 * PROCESSES)]
        outcomes = [one for part in types for one in part.result()]
        left = [name for part in parts for name in part.result()]
    if left:
        raise RuntimeError(f"mutants of the checker that survive: {left}")
    seconds = max(try_file(name).cpu_seconds for name in HOSTILE | NEAR_THE_BOUND)
    if seconds >= 10:
        raise RuntimeError(f"a file takes {seconds} CPU-seconds, 10 or more")
    return [
        *outcomes,
        _done("files of up to 10 MiB", len(HOSTILE | NEAR_THE_BOUND), {"failures": 0}),
        _done(f"mutants of the checker, {len(EQUIVALENT)} equivalent", len(made), {"survivors": 0}),
    ]


def _of_type(kind: str, count: int) -> list[Outcome]:
    """Return the outcomes of one type: flips and cuts, mutants, and forged files, each with the answer that it must get."""
    files = list(of_type(kind).values())
    accepted = sum(accepted_flips(data) + accepted_cuts(data) for data in files)
    counts = try_mutants(kind, 0, count)
    if sum(counts.values()) != count:
        raise RuntimeError(f"{kind}: {counts} are not {count} mutants")
    forged = FORGERIES[kind]()
    wrong = sum(seqsep_check.check(forgery.data())[0] != forgery.status for forgery in forged)
    return [
        _done(f"{kind}, flips and cuts", 9 * sum(map(len, files)), {"accepted": accepted}),
        _done(f"{kind}, mutants {dict(sorted(counts.items()))}", count, {"false": 0}),
        _done(f"{kind}, forgeries", len(forged), {"wrong": wrong}),
    ]


def _done(variant: str, inputs: int, measured: dict[str, int]) -> Outcome:
    bound = dict.fromkeys(measured, 0)
    return CLAIM.lower(
        length=0,
        inputs=inputs,
        exhaustive=True,
        measured=measured,
        bound=bound,
        variant=variant,
        holds=measured == bound,
    )
