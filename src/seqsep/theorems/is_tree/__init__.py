"""IsTree: whether a list of edges is a tree, by Transformers, hybrids and recurrent models that think before they answer.

Files:

    state             IsTree needs ceil(log2(1 + max_b b S(n, b))) state bits, n log n up to a factor (Theorem 4.7, lower bound)
    peeling           two attention layers, and a thought that peels leaves (Theorem 4.7, upper bound)
    tour              three attention layers, and the thought of the paper: Algorithm 1's tour (Theorem 4.7, upper bound)
    one_layer         one attention layer, if every pair of vertices is a token (compare Theorem 4.7)
    hybrid            eight remembered numbers and one attention layer, the same thought (Theorem 5.7)
    walk              a linear recurrence and a retriever, and a thought that walks (Theorems 5.2 and 5.3)
    many_vertices     the least state of IsTree on many vertices, between two close bounds
    figure_3          the paper's worked graph, and the thought that peels its leaves
    eight_numbers     O(log n) bits decide two thirds of the paper's double stars
    _graphs           lists of edges: the definition, every small one, random and hard ones, as tokens and as a user's input
    _partitions       partitions into components: their count, and a number for each
    _beginnings       beginnings of an input: their classes, a number for each, and their tokens
    _continuations    the continuation that distinguishes two classes of beginnings
    _collision        two beginnings that leave a model in one state, and an input that it answers wrongly
    _construction     a network that thinks, for all sizes, and the functions that its theorem has
    _trials           runs a network that thinks before it answers on graphs
    _shown            graphs with the thoughts that a network writes, as evidence for a certificate
    _peeling_layers   the layers that two networks that peel leaves share
    _walk_patterns    the walk with literal regular expressions, which the model writes token by token
    _walk_trials      runs a network that walks, with a live retriever, on graphs
    _pair_thought     the thought of one layer: edges copied as tokens, then climbs
    _doubling_search  the search in the paper's hybrid for a vertex's next edge
    _tour_layers      the three layers that write the tour
    _printed          the reduction in the paper: two stars and one edge

The definition, the tokens and the thoughts are those of the task (`tasks.trees`).
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "is-tree-state": "seqsep.theorems.is_tree.state:THEOREM",
    "is-tree-peeling": "seqsep.theorems.is_tree.peeling:THEOREM",
    "is-tree-tour": "seqsep.theorems.is_tree.tour:THEOREM",
    "is-tree-one-layer": "seqsep.theorems.is_tree.one_layer:THEOREM",
    "is-tree-hybrid": "seqsep.theorems.is_tree.hybrid:THEOREM",
    "is-tree-walk": "seqsep.theorems.is_tree.walk:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
