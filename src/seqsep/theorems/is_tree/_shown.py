"""Graphs with the thoughts that a network writes about them, as evidence for a certificate."""

import numpy as np

from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree._trials import ThoughtTrial


def shown(asking: ThoughtTrial, graphs: int, seed: int) -> Evidence:
    """Return lists of n - 1 pairs of the n vertices: every list if there are at most `graphs`, else that many hard ones at
    most.

    All lists are different. A network for simple graphs is shown hard ones only. What is shown is what the network was found
    to write (`ThoughtTrial.put`).
    """
    vertices = asking.tokens.vertices
    if vertices ** (2 * vertices - 2) <= graphs and not asking.simple:
        chosen = drawn.every_list_of_pairs(vertices, vertices - 1)
    else:
        chosen = np.unique(drawn.hard_graphs(vertices, graphs, np.random.default_rng(seed)), axis=0)
    asking.put(vertices, chosen)
    thoughts = [asking.think(vertices, graph) for graph in chosen.tolist()]
    return Evidence("is-tree", {"vertices": vertices}, GeneratedRun(asking.network, np.array(asking.prompts(chosen)), thoughts))
