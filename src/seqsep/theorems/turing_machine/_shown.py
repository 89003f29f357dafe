"""The runs of a machine's network, as evidence for a certificate: what greedy decoding writes behind every word.

The file has no machine in it. It proves which tokens the weights write; that these are the machine's run is for the reader to
compare with any simulator.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from seqsep.exact.generation import follow
from seqsep.exact.network import Network
from seqsep.theorems.evidence import Evidence, GeneratedRun, tabulated
from seqsep.theorems.turing_machine._machine import Machine


def words_of(machine: Machine, length: int) -> list[str]:
    """Every word of so many of the machine's symbols but the blank."""
    return ["".join(symbols) for symbols in product(machine.symbols[1:], repeat=length)]


def shown(network: Network, prompts: Sequence[Sequence[int]], runs: Sequence[Sequence[int]]) -> Evidence:
    """The runs, which the network is found to write; the task is the table of their last tokens.

    Raises ValueError for a table of more than 20,000 entries.
    """
    listed = np.array(prompts)
    follow(network, [[*prompt, *run] for prompt, run in zip(prompts, runs, strict=True)], [listed.shape[1]] * len(runs))
    fields = tabulated(listed, [run[-1] for run in runs])
    return Evidence("table", fields, GeneratedRun(network, listed, [list(run) for run in runs]))
