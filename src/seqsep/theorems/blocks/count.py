"""A head that counts: uniform attention over the keys that match and a sink, whose weight gives their number."""

import numpy as np

from seqsep.maths.networks.network import Head
from seqsep.theorems.blocks.head import Scores, head
from seqsep.theorems.blocks.space import Rows


def count(scores: Scores, sink: Rows, unit: Rows, values: Rows | None = None, totals: Rows | None = None) -> Head:
    """Add to `unit` the sink's weight w, and to `totals` the sums S w of what `values` reads at the keys of greatest score.

    `sink` reads 1 in one key, always among those of greatest score, and 0 in all others. If M keys tie there and the others
    score eta less, all M weights are the same number w (`hard_maximum`). So w determines M, and S w is exact for a whole S: no
    number is divided. Tests like S = 1 are S w - w = 0, and `number.peaks` reads S out.

    >>> spaces = np.eye(4, dtype=np.int64)
    >>> count(Scores(spaces[:1], spaces[:1]), spaces[1:2], unit=spaces[3:]).value.integers.tolist()
    [[0, 1, 0, 0]]
    """
    if values is None or totals is None:
        return head(scores, sink, unit)
    return head(scores, np.concatenate([values, sink]), np.concatenate([totals, unit]))
