"""The walk is local: the next token of this thought about IsTree depends on near tokens. The tour and the peeling are not.

Every graph of 4 vertices with its edges in every order, and every graph of 5, in one order each.
"""

from itertools import combinations, pairwise, permutations

import pytest

from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.tasks.trees.tokens import Tokens
from seqsep.tasks.trees.tour import printed
from seqsep.tasks.trees.walk import WalkTokens, walk

ANSWER = "YES or NO"


def graphs():
    """(vertices, edges) in the order of a prompt; of 5 vertices some in rising order, some in falling order."""
    for vertices in (4, 5):
        pairs = list(combinations(range(1, vertices + 1), 2))
        for number, edges in enumerate(combinations(pairs, vertices - 1)):
            if vertices == 4:
                yield from ((vertices, order) for order in permutations(edges))
            else:
                yield vertices, edges[:: 1 if number % 2 else -1]


def prompt_of(tokens, edges):
    return [tokens.begin, *(token for u, v in edges for token in (u, tokens.between, v))]


def is_function(pairs):
    """Return True if equal keys have equal values."""
    known = {}
    return all(known.setdefault(key, value) == value for key, value in pairs)


def steps_of_walks(window):
    """(the last so many tokens, the token that a model writes next), the answer in one word."""
    for vertices, edges in graphs():
        tokens = WalkTokens(5)
        text = [*prompt_of(tokens, edges), *walk(tokens, vertices, edges)]
        for place in range(3 * vertices - 2, len(text)):
            if text[place - 1] != tokens.closes:  # there a retriever writes
                following = ANSWER if text[place] in tokens.answers else text[place]
                yield tuple(text[max(0, place - window) : place]), following


def test_six_tokens_say_what_the_walk_writes():
    assert is_function(steps_of_walks(window=6))
    assert not is_function(steps_of_walks(window=5))


def test_the_answer_after_a_walk_is_not_local():
    """After equal windows there are YES and NO: the answer counts."""
    answers = {}
    for vertices, edges in graphs():
        *thought, answer = walk(WalkTokens(5), vertices, edges)
        answers.setdefault(tuple(thought[-6:]), set()).add(answer)
    assert max(map(len, answers.values())) == 2


def steps_of_peelings(facts):
    """(what is named in `facts`, the next token)."""
    for vertices, edges in graphs():
        tokens = Pointed(vertices)
        number_of = {tokens.pointer(vertex): vertex for vertex in range(1, vertices + 1)}
        written = peel(tokens, vertices, edges)
        for place in range(1, len(written)):
            before = written[:place]
            at = number_of.get(before[-1], before[-1])
            climbs = [(number_of.get(one, one), other) for one, other in pairwise(before) if other not in number_of]
            known = {
                "last six": tuple([*prompt_of(tokens, edges), *before][-6:]),
                "pointer": max(number_of.get(token, 0) for token in before),
                "edges": frozenset(edge for edge in edges if at in edge),
                "climbs": frozenset(climb for climb in climbs if at in climb),
            }
            following = ANSWER if written[place] in tokens.answers else written[place]
            yield (vertices, at, *(known[fact] for fact in facts)), following


def test_what_the_next_token_of_a_peeling_depends_on():
    """Every edge at the vertex written last, every climb into it and out of it, and the last pointer; nothing less."""
    everything = ("pointer", "edges", "climbs")
    assert is_function(steps_of_peelings(everything))
    assert not is_function(steps_of_peelings(("last six",)))
    for less in combinations(everything, 2):
        assert not is_function(steps_of_peelings(less)), less


def steps_of_tours(facts):
    """(what is named in `facts`, the next token), after a vertex and the one before it."""
    for vertices, edges in graphs():
        tokens = Tokens(vertices)
        written = printed(tokens, vertices, edges)
        for place in range(1, len(written)):
            before = written[:place]
            first = before.index(before[-1])
            neighbours = [u + v - before[-1] for u, v in edges if before[-1] in (u, v)]
            known = {
                "last six": tuple([*prompt_of(tokens, edges), *before][-6:]),
                "edges": tuple(neighbours),
                "parent": before[first - 1] if first else 0,
                "visited": frozenset(neighbours) & frozenset(before),
            }
            following = ANSWER if written[place] in tokens.answers else written[place]
            yield (vertices, tuple(before[-2:]), *(known[fact] for fact in facts)), following


def test_what_the_next_token_of_a_tour_depends_on():
    """The edges at one vertex in their order, its parent, and which of its neighbours have been visited; nothing less."""
    everything = ("edges", "parent", "visited")
    assert is_function(steps_of_tours(everything))
    assert not is_function(steps_of_tours(("last six",)))
    for less in combinations(everything, 2):
        assert not is_function(steps_of_tours(less)), less


@pytest.mark.parametrize("vertices", [4, 5])
def test_every_graph_is_there(vertices):
    found = {frozenset(edges) for n, edges in graphs() if n == vertices}
    assert len(found) == {4: 20, 5: 210}[vertices]
