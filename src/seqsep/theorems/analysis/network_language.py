"""The language of a hand-built network in a file: its class and its least state, for words of every length."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from seqsep.core.names import BadInput
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.network import Network
from seqsep.theorems.analysis.classify import Classification, classify, count
from seqsep.theorems.analysis.network_automaton import explored


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
        """Read a file. Raises as `explored` does."""
        return cls(path, *explored(path))

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
