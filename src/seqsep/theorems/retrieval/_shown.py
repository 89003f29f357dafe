"""The evidence of a network for recall or counting in a certificate: its answers on every input, or on random ones."""

from itertools import product

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.retrieval._counting import CountingEncoding
from seqsep.theorems.retrieval._recall import RecallEncoding

EVERY_WORD_UP_TO = 256
DRAWN = 32
DIFFERENT = 3


def words(alphabet: int, length: int, seed: int) -> Int64[np.ndarray, "words length"]:
    """Every word of `length` symbols 0 .. S - 1, or up to 32 different ones of at most three symbols each.

    >>> words(alphabet=2, length=2, seed=0).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if alphabet**length <= EVERY_WORD_UP_TO:
        return np.array(list(product(range(alphabet), repeat=length)), dtype=np.int64)
    random = np.random.default_rng(seed)
    symbols = random.integers(alphabet, size=(DRAWN, DIFFERENT))
    return np.unique(np.take_along_axis(symbols, random.integers(DIFFERENT, size=(DRAWN, length)), axis=1), axis=0)


def recall_evidence(network: Network, task: RecallEncoding, seed: int) -> Evidence:
    """Show the network's answers on every input if there are at most 256, else on up to 32 drawn ones."""
    drawn = words(task.alphabet, task.length + task.gram - 1, seed)
    inputs = task.inputs(drawn[:, : task.length], drawn[:, task.length :])
    fields = {"alphabet": task.alphabet, "gram": task.gram, "length": task.length}
    return Evidence("ngram", fields, _answered(network, inputs))


def counting_evidence(network: Network, task: CountingEncoding, seed: int) -> Evidence:
    """Show the network's answers on every input if there are at most 256, else on up to 32 drawn ones."""
    drawn = words(task.alphabet, task.length + 2, seed)
    inputs = task.inputs(drawn[:, : task.length], drawn[:, -2], drawn[:, -1])
    return Evidence("counting", {"alphabet": task.alphabet, "length": task.length}, _answered(network, inputs))


def _answered(network: Network, inputs: Int64[np.ndarray, "words tokens"]) -> GeneratedRun:
    return GeneratedRun(network, inputs, run(network, inputs, at=-1).answers.tolist())
