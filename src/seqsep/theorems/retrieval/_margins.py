"""The margin of the answers of a built network: the distance between its two greatest logits."""

import numpy as np

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import Execution

LOGITS = "the greatest logit above the next"


def logits_apart(result: Execution) -> Array:
    """The greatest logit less the next one, an entry a question."""
    two = np.partition(result.logits.integers, -2, axis=-1)[..., -2:]
    return Array(two[..., 1] - two[..., 0], result.logits.unit)
