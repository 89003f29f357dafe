"""`seqsep claims`: every claim of the papers' experiments with its verdict."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import RESULTS, Command, print_json
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.lab.experiments.claims.claim import Claim
    from seqsep.lab.experiments.claims.known import Found

MOST_HOURS = 20.0
"""Core-hours of a claim's cheapest run that the summary counts as within reach of a laptop."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which claims, which rows decide them beside the committed ones, and the form."""
    parser.add_argument(
        "claim",
        nargs="*",
        metavar="CLAIM",
        help="names of claims or their beginnings, such as figure-2-attention or is-tree-cot; default: all claims",
    )
    parser.add_argument(
        "--rows",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="further rows, as seqsep export writes them; the rows that come with seqsep always count",
    )
    parser.add_argument("--status", metavar="STATUS", help='only claims with this verdict, such as "not reached"')
    parser.add_argument("--json", action="store_true", help="one JSON list: an object for each claim")


def run(options: argparse.Namespace) -> int:
    """Print the claims, their verdicts and what the missing runs cost.

    Raises BadInput for a name or verdict that does not exist, ValueError and FileNotFoundError for a file of rows.
    """
    from seqsep.lab.experiments.claims import CLAIMS, claims_named
    from seqsep.lab.experiments.claims.claim import STATUSES
    from seqsep.lab.experiments.claims.known import Found, committed
    from seqsep.lab.row import read_rows

    try:
        claims = claims_named(options.claim)
    except ValueError as error:
        raise BadInput(str(error)) from None
    if options.status not in (None, *STATUSES):
        raise BadInput(f"--status: expected one of {', '.join(STATUSES)}, found {options.status!r}")
    found = committed(CLAIMS)
    for path in options.rows:
        found = found.and_also(Found.of_rows(read_rows(path), CLAIMS))
    chosen = [claim for claim in claims if options.status in (None, found.verdict(claim).status)]
    if options.json:
        print_json([record(claim, found) for claim in chosen])
    else:
        print("\n".join([*table(chosen, found), *summary(chosen, found)]))
    return DONE


def record(claim: "Claim", found: "Found") -> dict[str, Any]:
    """Return a claim with its verdict as JSON; hours are those of the runs that could still decide it."""
    from seqsep.lab.experiments.claims.known import core_hours, gpu_hours

    verdict = found.verdict(claim)
    return {
        "name": claim.name,
        "source": claim.source,
        "statement": claim.statement,
        "verdict": verdict.status,
        "evidence": verdict.evidence,
        "missing_runs": [
            {"key": run.key(), "core_hours": round(core_hours(run), 2), "gpu_hours": round(gpu_hours(run), 2)}
            for run in found.missing(claim)
        ],
    }


def table(claims: "list[Claim]", found: "Found") -> list[str]:
    """Return a line for each claim: its name, its verdict, what the paper says, what ours show, and the next run's cost."""
    lines = []
    verdicts = [found.verdict(claim) for claim in claims]
    width = max((len(claim.name) for claim in claims), default=0)
    status = max((len(verdict.status) for verdict in verdicts), default=0)
    for claim, verdict in zip(claims, verdicts, strict=True):
        lines.append(
            f"{claim.name:<{width}}  {verdict.status:<{status}}  "
            f"{claim.statement}; ours: {verdict.evidence}{_next(claim, found)}"
        )
    return lines


def _next(claim: "Claim", found: "Found") -> str:
    from seqsep.lab.experiments.claims.known import core_hours, gpu_hours, in_words

    missing = found.missing(claim)
    if not missing:
        return ""
    return f"; next run: {in_words(core_hours(missing[0]), 'core')}, about {in_words(gpu_hours(missing[0]), 'GPU')}"


def summary(claims: "list[Claim]", found: "Found") -> list[str]:
    """Return how many claims have each verdict, and what the cheapest missing runs cost together."""
    from seqsep.lab.experiments.claims.claim import STATUSES
    from seqsep.lab.experiments.claims.known import core_hours

    verdicts = [found.verdict(claim).status for claim in claims]
    counts = ", ".join(f"{verdicts.count(status)} {status}" for status in STATUSES if status in verdicts)
    lines = [
        "",
        f"{len(claims)} claim{'' if len(claims) == 1 else 's'}: {counts}",
        *(f"{status}: {means}" for status, means in STATUSES.items() if status in verdicts),
    ]
    missing = [(core_hours(runs[0]), claim) for claim in claims if (runs := found.missing(claim))]
    if missing:
        cheap = [hours for hours, _ in missing if hours <= MOST_HOURS]
        lines.append(
            f"next runs: {len(cheap)} of at most {MOST_HOURS:g} core-hours, {sum(cheap):,.0f} together; "
            f"{len(missing) - len(cheap)} that take more. seqsep run claims --claim NAME runs them, the cheapest first"
        )
    return lines


COMMAND = Command(
    name="claims",
    purpose="report which claims of the papers' experiments are reproduced",
    example="seqsep claims figure-2-attention",
    group=RESULTS,
    add_flags=add_flags,
    run=run,
    details=(
        "Each line has the name of a claim, its verdict, what the paper says, and what our runs show. Both `(1, 64)` and "
        "`1 x 64` mean one layer of width 64. The last word is the kind of training inputs for index lookup (H.1 reading in "
        "docs/explanation/glossary.md)."
    ),
)
