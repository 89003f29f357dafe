"""What the committed rows show of the claims of the papers, and the figures that the claims belong to."""

import json
from functools import cache
from pathlib import Path

from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.known import Found
from seqsep.lab.row import read_rows

FIGURES = {
    "figure-2-": "Figure 2 of Bhattamishra et al.: index lookup and Dyck-(2,2)",
    "figure-3-": "Figure 3: two layers of Mamba on index lookup",
    "figure-4-": "Figure 4: equality",
    "equality-one-": "Appendix H.2: Eq-one",
    "is-tree-": "Figures 2 and 5 of Wen, Dang and Lyu: IsTree",
    "hotpotqa-": "Section 6.2 of Wen, Dang and Lyu: HotpotQA",
}


@cache
def found_in(folder: Path) -> Found:
    """Return what the rows of a folder of results show."""
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in read_rows(path)]
    return Found.of_rows(rows, CLAIMS)


def evidence_file(folder: Path) -> str:
    """Return evidence.json: what the committed rows show of each claim."""
    return json.dumps(found_in(folder).record(), indent=1) + "\n"
