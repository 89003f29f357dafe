"""The outcomes of the papers' claims from committed rows, and the figures that the claims belong to."""

import json
from functools import cache
from pathlib import Path

from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import Claim
from seqsep.lab.experiments.claims.known import Found
from seqsep.lab.row import read_rows

FIGURES = {
    "figure-2-": "Figure 2, left: index lookup",
    "figure-2-dyck-": "Figure 2, right: Dyck-(2,2)",
    "figure-3-": "Figure 3: width of Mamba",
    "figure-4-": "Figure 4: equality",
    "equality-one-": "Appendix H.2: Eq-one",
    "is-tree-": "Wen et al., figures 2 and 5: IsTree",
    "hotpotqa-": "Wen et al., section 6.2: HotpotQA",
}
"""Beginning of the names of a figure's claims -> its title. A claim belongs to the longest beginning of its name."""


def claims_of_figure(figure: str) -> list[Claim]:
    """Return the claims of a figure, by the beginning of their names.

    >>> [claim.name for claim in claims_of_figure("figure-2-dyck-")][:2]
    ['figure-2-dyck-lstm-100', 'figure-2-dyck-lstm-400']
    """
    return [claim for claim in CLAIMS if max(filter(claim.name.startswith, FIGURES), key=len) == figure]


@cache
def found_in(folder: Path) -> Found:
    """Return what the rows of a folder of results show."""
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in read_rows(path)]
    return Found.of_rows(rows, CLAIMS)


def evidence_file(folder: Path) -> str:
    """Return evidence.json: what the committed rows show of each claim."""
    return json.dumps(found_in(folder).record(), indent=1) + "\n"
