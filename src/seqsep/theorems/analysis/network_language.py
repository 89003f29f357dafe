"""The language of a hand-built network in a file: its exact automaton at every length, its class and its least state.

The network is one of causal attention without positions (`maths.networks.word_automaton`), as `save_network` writes it. Its
words are all tokens except the last one of the vocabulary, which is the end token. A word is in the language if the network
answers 1 at an end token after the word.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from seqsep.core.names import BadInput
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.word_automaton import word_automaton
from seqsep.models.network_file import load_network
from seqsep.theorems.analysis.classify import Classification, classify, count


def network_automaton(path: str) -> DFA:
    """Return the exact automaton of the network in a file.

    Raises BadInput for another file, for a network with positions or other layers, and for more than 20,000 states.
    """
    return _explored(path, load_network(path))


def _explored(path: str, network: Network) -> DFA:
    try:
        return word_automaton(network)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error


@dataclass(frozen=True)
class NetworkAnalysis:
    """The exact automaton of a network in a file, and the classes of its language.

    Fields:
        path: the file.
        network: the network.
        automaton: its automaton, with the states that were explored.
    """

    path: str
    network: Network
    automaton: DFA

    @classmethod
    def of(cls, path: str) -> "NetworkAnalysis":
        """Read a file. Raises as `network_automaton` does."""
        network = load_network(path)
        return cls(path, network, _explored(path, network))

    @cached_property
    def classification(self) -> Classification:
        """The classes of the language. Raises BadInput if its monoid is too large."""
        try:
            found = classify(self.automaton)
        except ValueError as error:
            raise BadInput(f"{self.path}: {error}") from error
        return replace(found, language=replace(found.language, name=self.path, kind="network"))

    def automaton_record(self) -> dict[str, Any]:
        """Return the least automaton for JSON, in the form that `seqsep classify FILE.json` reads."""
        least = self.classification.language.automaton
        accepting = np.flatnonzero(least.accepting).tolist()
        return {"table": least.table.tolist(), "start": least.start, "accepting": accepting}

    def record(self) -> dict[str, Any]:
        """Return everything for JSON."""
        grid = self.network.grid
        return {
            "network": self.network.name,
            "grid": {"steps": grid.steps, "rounding": grid.rounding, "softmax": grid.softmax},
            "layers": len(self.network.layers),
            "explored_states": len(self.automaton.table),
        } | self.classification.record()

    def lines(self) -> list[str]:
        """Return the analysis for a person."""
        grid = self.network.grid
        layers = count(len(self.network.layers), "layer")
        head = f"{self.path}: {layers} of attention on a grid of L = {grid.steps} ({grid.rounding}, {grid.softmax}), "
        head += f"explored to {count(len(self.automaton.table), 'state')}"
        return [head, *self.classification.lines()]
