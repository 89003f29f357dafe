"""Steps of a thought that peels leaves off figure 3: what each takes away of the graph."""

from seqsep.theorems.is_tree.figure_3 import peeled


def test_a_climb_along_no_edge_takes_nothing_away():
    """The graph of figure 3 has 1 - 5 and 3 - 5, and no 1 - 2; before a vertex is begun there is nowhere to climb from."""
    steps, climbs = peeled(("5", "1'", "2", "1'", "5", "3"))
    assert climbs == (frozenset((1, 5)), frozenset((3, 5)))
    assert [step.at for step in steps] == [None, 5, 1, 2, 1, 5]
