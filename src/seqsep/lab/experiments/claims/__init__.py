"""Every claim of both papers' experiments, with the rule that gives a verdict and the runs that decide it.

`CLAIMS` holds them figure by figure. `Found.of_rows` says what rows show of each, and the verdicts follow from it.

Files:

    papers        the papers' own numbers
    recipe        how every architecture is trained alike on index lookup
    claim         what a claim is, and the rules from rows to verdicts
    separations   section 6 and appendix H of Bhattamishra et al. 2024
    retrieval     section 6 of Wen, Dang and Lyu 2025
    known         what rows show, what the committed rows show, and what the runs of a claim cost
"""

from collections.abc import Sequence

from seqsep.lab.experiments.base import Experiment
from seqsep.lab.experiments.claims.claim import Claim
from seqsep.lab.experiments.claims.known import committed, core_hours
from seqsep.lab.experiments.claims.retrieval import claims_of_retrieval
from seqsep.lab.experiments.claims.separations import claims_of_separations
from seqsep.lab.run import Run

CLAIMS: tuple[Claim, ...] = (*claims_of_separations(), *claims_of_retrieval())


def claims_named(beginnings: Sequence[str]) -> list[Claim]:
    """Return the claims whose names begin with one of these words, all without words. A complete name is that claim only.

    Raises ValueError for a word with which no name begins.

    >>> [claim.name for claim in claims_named(["figure-2-curve"])]
    ['figure-2-curve-200']
    """
    names = [claim.name for claim in CLAIMS]
    for word in beginnings:
        if not any(name.startswith(word) for name in names):
            groups = ", ".join(dict.fromkeys("-".join(name.split("-")[:2]) for name in names))
            raise ValueError(
                f"claim: expected a name or its beginning, such as {groups}, found {word!r}; seqsep claims lists them"
            )
    exact = set(beginnings) & set(names)
    return [
        claim
        for claim in CLAIMS
        if not beginnings or any(claim.name == word if word in exact else claim.name.startswith(word) for word in beginnings)
    ]


def decisive_runs(claims: Sequence[Claim]) -> list[Run]:
    """Return all runs of these claims, each once, the cheapest first."""
    return sorted(dict.fromkeys(run for claim in claims for run in claim.runs), key=core_hours)


def undecided_runs() -> list[Run]:
    """Return the runs that could still decide a claim beside the committed rows, each once, the cheapest first."""
    found = committed(CLAIMS)
    return sorted(dict.fromkeys(run for claim in CLAIMS for run in found.missing(claim)), key=core_hours)


EXPERIMENT = Experiment.of_presets(
    name="claims",
    question="Which claims of the papers' experiments hold? (--claim NAME: one; without a preset: all that are open)",
    lists={"all": lambda: decisive_runs(CLAIMS)},
    searches={},
)
