"""Weights changed in every network that a theorem builds: which changes its check finds out. A row of results/verify.

Of each array up to 3 entries are changed, each to 0, its negative, one more, one less and both ends of the grid, and each
changed network is put to the whole check of its size (`support.spoiled_weights`). If none of these is found out, up to 48
entries are changed; a failure is an array of which no change is found out. The row says of each network what share of the
changes of 3 entries an array is found out, and of how many entries not a single one is: those networks pass the whole check of
that size, with the proved margins.
"""

from seqsep.theorems import Claim, Outcome
from support.spoiled_weights import CASES, HARMLESS, Check, defects, first_network, found_out

NAME = "spoiled-weights"
WORDS = "of every array of every built network some changed number is found out"
ENTRIES = 3
MOST_ENTRIES = 48


def verify() -> list[Outcome]:
    """Spoil every network; an outcome each."""
    return [_spoil(case, check) for case, check in CASES.items()]


def _spoil(case: str, check: Check) -> Outcome:
    network = first_network(check)
    changes = noticed = entries = idle = 0
    unnoticed = []
    for name, _ in network.arrays():
        caught = [[found_out(check, defect) is not None for defect in entry] for entry in defects(network, name, ENTRIES)]
        changes += sum(map(len, caught))
        noticed += sum(map(sum, caught))
        entries += len(caught)
        idle += sum(not any(entry) for entry in caught)
        if (case, name) not in HARMLESS and not any(map(any, caught)):
            more = [defect for entry in defects(network, name, MOST_ENTRIES) for defect in entry]
            if not any(found_out(check, defect) for defect in more):
                unnoticed.append(name)
    share = f"{noticed:,} of {changes:,} changes are found out, some change of {entries - idle:,} of {entries:,} entries"
    return Claim(NAME, "tests/long_spoiled.py", WORDS).upper(
        length=0,
        inputs=changes,
        measured={"failures": len(unnoticed)},
        bound={"failures": 0},
        variant=f"{case}: {share}",
        holds=not unnoticed,
    )
