r"""The walk with literal patterns: every query is a regular expression that the model writes token by token.

This is RETRIEVE exactly as in the paper (Definition A.5). The pattern is the tokens between the last marks, joined by spaces.
The text is everything before the opening mark, joined by spaces. The result is `re.search(pattern, text).group(1)`, or FAILED.

    [ (?x) A v M v B ] r                                                    9 tokens, the first neighbour of v
    [ (?x) (?<!\S)(?: v \s~\s y | y \s~\s v )(?!\S).*? A v M v B ] r      18 tokens, the one after y

with A = (?<!\S)(?:(?<=(?<!\S), M = \s~\s)|(?=\d+\s~\s and B = (?!\S)))(\d+)(?!\S). The flag (?x) makes the spaces between
tokens meaningless, and \s is a space of the text. An edge is ~ between two spaces. In a pattern, ~ is between two letters s
only. So no pattern written before reads as an edge, although everything is searched. The one group is after v ~, or before ~
v.

A tree takes 2m queries of 18 tokens and n of 9: 36 (n - 1) + 9 n = 45 n - 36, and then the answer.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

OPENS = "["
CLOSES = "]"
FAILED = "FAILED"


def first_neighbour(vertex: str) -> list[str]:
    """The tokens of the pattern that finds the first neighbour of a vertex."""
    return ["(?x)", *_neighbour(vertex)]


def next_neighbour(vertex: str, last: str) -> list[str]:
    """The tokens of the pattern that finds the neighbour of `vertex` after `last`."""
    edge = [r"(?<!\S)(?:", vertex, r"\s~\s", last, "|", last, r"\s~\s", vertex, r")(?!\S).*?"]
    return ["(?x)", *edge, *_neighbour(vertex)]


def _neighbour(vertex: str) -> list[str]:
    return [r"(?<!\S)(?:(?<=(?<!\S)", vertex, r"\s~\s)|(?=\d+\s~\s", vertex, r"(?!\S)))(\d+)(?!\S)"]


def retrieve(tokens: Sequence[str]) -> str:
    """RETRIEVE of a text that ends with a closed query.

    >>> retrieve(["2", "~", "6", "[", "(?x)", *first_neighbour("6")[1:], "]"])
    '2'
    """
    opened = len(tokens) - 1 - list(reversed(tokens)).index(OPENS)
    found = re.search(" ".join(tokens[opened + 1 : -1]), " ".join(tokens[:opened]))
    return FAILED if found is None else found.group(1)


def walk_by_patterns(edges: Iterable[Sequence[int]]) -> tuple[list[str], bool]:
    """The tokens of the walk after the prompt, without the answer, and whether it says that the edges are a tree.

    >>> thought, is_tree = walk_by_patterns([(2, 6), (1, 5), (3, 5), (4, 6), (2, 3)])
    >>> len(thought) == 45 * 6 - 36, is_tree
    (True, True)
    """
    listed = list(edges)
    prompt = ["<s>", *chain.from_iterable((str(u), "~", str(v)) for u, v in listed)]
    text = list(prompt)

    def ask(pattern: list[str]) -> str:
        text.extend([OPENS, *pattern, CLOSES])
        text.append(retrieve(text))
        return text[-1]

    came_from = "1"
    place = ask(first_neighbour(came_from))
    wraps = 1 if place == FAILED else 0
    while place != FAILED:
        found = ask(next_neighbour(place, came_from))
        if found == FAILED:
            wraps += 1
            if place == "1":
                break
            found = ask(first_neighbour(place))
        came_from = place
        place = found
    return text[len(prompt) :], wraps == len(listed) + 1
