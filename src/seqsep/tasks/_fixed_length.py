"""Tasks with a yes or no at the last of exactly `length` tokens: bounded Dyck and sparse threshold."""

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.tasks._blocks import nothing_asked
from seqsep.tasks.base import Batch, Task


class FixedLengthDecision(Task):
    """Label 0 or 1, asked at the last token; all examples have `length` tokens, in training and evaluation."""

    @property
    def classes(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return self.length

    def _batch(
        self, inputs: Int64[np.ndarray, "batch time"], labels: Int64[np.ndarray, "batch"] | Bool[np.ndarray, "batch"]
    ) -> Batch:
        """Return the examples with these labels."""
        targets = nothing_asked(len(inputs), self.length)
        targets[:, -1] = labels
        return Batch(inputs, targets, np.full(len(inputs), self.length, dtype=np.int64))
