"""The live retriever reads closed queries, and patterns of the user's cannot hang."""

import dataclasses
import itertools
import json
import re
import signal
import subprocess
import sys
import time

import pytest

from seqsep.tasks.retriever import Pattern, Query, Retriever, SearchTooLong
from seqsep.tasks.retriever.pattern import SEARCH

WORDS = ("<s>", "~", "[", "]", "FAILED", "YES", "NO", *(str(number) for number in range(1, 10)))


def edge_query(texts):
    return Query("first-edge" if len(texts) == 1 else "next-edge", tuple(texts))


WALK = Retriever(vocabulary=WORDS, read=edge_query, region="prompt")


def tokens_of(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split()]


def walk(edges, vertices: int, retriever: Retriever) -> list[int]:
    """IsTree by findings 3.1: at v from y, the neighbour after y; after the last one the first, which is a wrap of v.

    From the root to its first neighbour, until the root wraps; a tree if there are as many wraps as vertices.
    """
    tokens = tokens_of("<s> " + " ".join(f"{u} ~ {v}" for u, v in edges))
    retrieve = retriever.behind(len(tokens))

    def ask(query: str) -> str:
        tokens.extend(tokens_of(f"[ {query} ]"))
        found = retrieve(tokens)
        assert found is not None
        tokens.extend(found)
        return WORDS[tokens[-1]]

    wraps = 0
    last, here = "1", ask("1")
    while here != "FAILED":
        following = ask(f"{here} {last}")
        if following == "FAILED":
            wraps += 1
            if here == "1":
                break
            following = ask(here)
        last, here = here, following
    tokens.extend(tokens_of("YES" if wraps == vertices else "NO"))
    return tokens


def is_tree(edges, vertices: int) -> bool:
    part = {v: v for v in range(1, vertices + 1)}
    for u, v in edges:
        if part[u] == part[v]:
            return False
        merged = part[v]
        part = {w: part[u] if label == merged else label for w, label in part.items()}
    return len(set(part.values())) == 1


@pytest.mark.parametrize("region", ["prompt", "everything"])
@pytest.mark.parametrize("vertices", [2, 3, 4])
def test_the_walk_decides_trees(vertices, region):
    """Every simple graph with n - 1 edges, in every order; no query looks like an edge, so both regions do."""
    retriever = dataclasses.replace(WALK, region=region)
    for edges in itertools.permutations(itertools.combinations(range(1, vertices + 1), 2), vertices - 1):
        tokens = walk(edges, vertices, retriever)
        assert WORDS[tokens[-1]] == ("YES" if is_tree(edges, vertices) else "NO"), edges


def test_what_was_inserted_is_marked_and_checked():
    tokens = walk([(1, 2), (2, 3)], 3, WALK)
    prompt = 7
    marks = WALK.inserted(tokens, prompt)
    closing = [place for place in range(prompt, len(tokens)) if WORDS[tokens[place]] == "]"]
    assert [place for place, mark in enumerate(marks) if mark] == [place + 1 for place in closing]
    assert WALK.inserted(tokens[: closing[0] + 1], prompt) == [False] * (closing[0] + 1)
    for place in closing:
        wrong = list(tokens)
        wrong[place + 1] = WORDS.index("9")
        with pytest.raises(ValueError, match=f"place {place + 1}: expected {WORDS[tokens[place + 1]]}, found 9"):
            WALK.inserted(wrong, prompt)


def test_the_region_is_what_is_searched():
    text = "<s> 1 ~ 2 3 ~ 4 [ 3"
    prompt = 4  # <s> 1 ~ 2; the edge 3 ~ 4 was generated
    assert WALK.behind(prompt)(tokens_of(f"{text} ]")) == tokens_of("FAILED")
    everywhere = dataclasses.replace(WALK, region="everything")
    assert everywhere.behind(prompt)(tokens_of(f"{text} ]")) == tokens_of("4")
    assert everywhere.behind(prompt)(tokens_of(text)) is None


@pytest.mark.parametrize("query", ["", "1 2 3", "YES", "~"])
def test_what_is_no_query_fails(query):
    assert WALK.behind(4)(tokens_of(f"<s> 1 ~ 2 [ {query} ]")) == tokens_of("FAILED")


def test_a_mark_that_opens_nothing_is_no_query():
    assert WALK.behind(4)(tokens_of("<s> 1 ~ 2 3 ]")) is None


def test_a_pattern_finds_texts_of_the_vocabulary_only():
    """Its group may hold several tokens, or a part of one, which is no token or another one."""
    words = ("[", "]", "FAILED", "4", "12", "1", "(?x)", r"4\s(\S+\s\S+)", r"4\s\S(\S)", r"4(x?)", r"(4\s\S)2")
    data = [words.index(word) for word in ("4", "12", "1")]

    def found(pattern: str) -> list[str]:
        asked = [words.index(word) for word in ("[", "(?x)", pattern, "]")]
        paper = Retriever(vocabulary=words, read=Pattern.of, region="everything")
        return [words[token] for token in paper.behind(len(data))([*data, *asked])]

    assert found(r"4\s(\S+\s\S+)") == ["12", "1"]
    assert found(r"4\s\S(\S)") == ["FAILED"]
    assert found(r"4(x?)") == ["FAILED"]
    words = tuple(word for word in words if word != "1")
    data = [words.index(word) for word in ("4", "12")]
    assert found(r"(4\s\S)2") == ["FAILED"]  # "4 1", of which 4 is a token and 1 is none


def test_a_pattern_that_would_hang_is_stopped():
    before = time.monotonic()
    with pytest.raises(SearchTooLong, match=r"stopped after 0\.5 seconds"):
        Pattern("(x+x+)+y", seconds=0.5).find(["x" * 60])
    assert time.monotonic() - before < 10


def test_a_search_that_nobody_waits_for_ends():
    """Whoever asked may be killed; the search then ends by its own timer."""
    asked = json.dumps(["(x+x+)+y", "x" * 60, 0.3])
    done = subprocess.run([sys.executable, "-c", SEARCH], input=asked, text=True, timeout=20, check=False)
    assert done.returncode == -signal.SIGALRM


@pytest.mark.parametrize(("expression", "why"), [("(", "missing"), ("a", "no such group"), ("(a){9999999999}", "too large")])
def test_what_is_no_pattern_is_refused(expression, why):
    with pytest.raises(ValueError, match=why):
        Pattern(expression).find(["a"])


def test_a_pattern_agrees_with_re():
    tokens = ["<s>", "4", "12", "7", "12", "9"]
    for expression in [r"(?<!\S)12\s(\S+)", r"(z)", r"(z)?", Query("follower", ("12",)).pattern]:
        found = re.search(expression, " ".join(tokens))
        assert Pattern(expression).find(tokens) == (found and found.group(1))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"vocabulary": ("[", "]", "FAILED", "a b")}, "without white space"),
        ({"vocabulary": ("[", "]", "FAILED", "[")}, "different texts"),
        ({"opens": "<StartSearch>"}, "<StartSearch> is not in the vocabulary"),
    ],
)
def test_vocabularies_that_cannot_be_read_are_refused(change, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        dataclasses.replace(WALK, **change)
