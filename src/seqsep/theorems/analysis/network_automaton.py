"""The exact automaton of a hand-built network in a file: causal attention without positions, as `save_network` writes it.

All tokens except the last one of the vocabulary are letters, and the last one is the end token. A word is accepted if the
network answers 1 at an end token after the word (`maths.networks.word_automaton`).
"""

from typing import NamedTuple

from seqsep.core.names import BadInput
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.word_automaton import word_automaton
from seqsep.models.network_file import load_network


class ExploredNetwork(NamedTuple):
    """A network with its automaton."""

    network: Network
    automaton: DFA


def explored(path: str) -> ExploredNetwork:
    """Read a file, and explore its network.

    Raises BadInput for another file, for a network with positions or other layers, and for more than 20,000 states.
    """
    network = load_network(path)
    try:
        return ExploredNetwork(network, word_automaton(network))
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error
