"""The least values of options, as numbers: a theorem runs there, and one below is refused."""

import pytest

import seqsep
from seqsep.theorems import BY_NAME

CHEAPEST = [
    ("index-lookup-state", "length", 1),
    ("index-lookup-state", "alphabet", 1),
    ("circuits-attention", "circuits", 0),
    ("nearest-neighbor-two-layers", "classes", 1),
    ("nearest-neighbor-two-layers", "dimension", 1),
    ("bounded-dyck-monoid", "depth", 1),
    ("bounded-dyck-monoid", "kinds", 1),
    ("bounded-dyck-monoid", "members", 1),
    ("one-layer-protocol", "embedding", 1),
    ("disjointness-one-layer", "exponent", 1),
    ("disjointness-one-layer", "width", 1),
    ("sparse-threshold-two-layers", "heads", 1),
    ("recall-state", "gram", 2),
    ("is-tree-one-layer", "graphs", 0),
    ("attention-blocks", "keys", 1),
    ("attention-blocks", "sequences", 1),
    ("turing-machine-hybrid", "machines", 0),
    ("turing-machine-hybrid", "length", 0),
    ("turing-machine-retrieval", "steps", 0),
    ("turing-machine-retrieval", "length", 0),
    ("turing-machine-retrieval", "words", 0),
    ("bounded-dyck-one-layer", "precision", 4),
    ("induction-one-layer", "alphabet", 3),
    ("equality-state", "alphabet", 2),
    ("log-space-code", "length", 2),
    ("counting-state", "length", 2),
    ("composition-one-layer", "length", 2),
    ("recall-state", "length", 2),
    ("recall-oracle-state", "length", 2),
    ("equality-two-layers", "length", 2),
    ("relabelled-equality-two-layers", "length", 2),
    ("equality-state", "length", 2),
    ("equality-one-layer", "length", 2),
    ("two-layer-no-short-protocol", "length", 2),
    ("two-layer-total-size", "length", 4),
    ("disjointness-one-layer", "length", 2),
    ("nearest-neighbor-state", "length", 2),
    ("nearest-neighbor-two-layers", "length", 2),
    ("bounded-dyck-state", "length", 2),
    ("bounded-dyck-one-layer", "length", 2),
    ("is-tree-state", "length", 2),
    ("is-tree-peeling", "length", 2),
    ("is-tree-tour", "length", 2),
    ("is-tree-one-layer", "length", 2),
    ("is-tree-hybrid", "length", 2),
    ("is-tree-walk", "length", 2),
]
"""The theorem that is quickest where it is least, for each option that is a number of what there is."""
GREATEST = [
    ("near-orthogonal-vectors", "length", 1 << 12),
    ("log-space-code", "length", 1 << 12),
    ("two-layer-no-short-protocol", "length", 8),
    ("two-layer-total-size", "length", 1 << 11),
    ("disjointness-one-layer", "length", 16),
    ("bounded-dyck-monoid", "members", 5),
]
"""The theorems that report by themselves at which value their check ends."""


@pytest.mark.unchecked
@pytest.mark.parametrize(("name", "option", "least"), CHEAPEST)
def test_a_theorem_runs_at_the_least_and_not_below(name, option, least):
    assert seqsep.check(name, **{option: least})
    with pytest.raises(ValueError, match=f"{option} is "):
        seqsep.check(name, **{option: least - 1})


@pytest.mark.parametrize(("name", "option", "most"), GREATEST)
def test_a_theorem_itself_refuses_what_is_beyond_its_greatest(name, option, most):
    found = next(one for one in BY_NAME[name].options_of("check") if one.name == option)
    assert found.range.most == most
    with pytest.raises(ValueError, match=r"at most|to|1 to 5"):
        BY_NAME[name].check(**{option: most + 2})


@pytest.mark.unchecked
@pytest.mark.parametrize("name", ["is-tree-peeling", "is-tree-tour", "is-tree-one-layer", "is-tree-hybrid", "is-tree-walk"])
def test_a_certificate_of_one_graph_and_of_none(name):
    """The checker wants a tree and a graph that is none."""
    assert seqsep.certify(name, length=4, graphs=4).startswith(b'{"claims":')
    with pytest.raises(ValueError, match="all inputs shown have one answer"):
        seqsep.certify(name, length=4, graphs=1)
    with pytest.raises(ValueError, match="graphs is 1 to "):
        seqsep.certify(name, length=4, graphs=0)


def test_a_block_for_one_key_and_for_none():
    assert seqsep.build("attention-blocks", block="count", length=4, most=1).width > 0
    with pytest.raises(ValueError, match="most is at least 1, found 0"):
        seqsep.build("attention-blocks", block="count", length=4, most=0)
