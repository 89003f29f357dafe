"""The least chain of thought in an analysis."""

import pytest

from seqsep.theorems.analysis import analyze
from seqsep.theorems.analysis.record import HEADER


def test_rows_and_records_have_the_least_thought() -> None:
    """Parity needs N steps; tokens and answers of the tree are those of the function."""
    parity = analyze(lambda word: 7 + sum(word) % 2, [2, 3])
    assert [row["thought_steps"] for row in parity.records()] == [2, 3]
    thought = parity.record()["lengths"][0]["thought"]
    assert (thought["steps"], thought["boxes"], thought["branches"]) == (2, 9, 3)
    for word in ([0, 0], [0, 1], [1, 0], [1, 1]):
        node = thought["tree"]
        while "answer" not in node:
            node = node["equal"] if word[node["position"]] == node["token"] else node["other"]
        assert node["answer"] == 7 + sum(word) % 2


def test_no_thought_for_partial_or_many_answers() -> None:
    """The number is for total functions with at most two answers; a large tree is counted, not written."""
    partial = analyze(lambda word: None if sum(word) == 1 else word[0], [3]).lengths[0]
    many = analyze(lambda word: sum(word), [3]).lengths[0]
    assert partial.thought is None
    assert many.record()["thought"] is None
    large = analyze(lambda word: sum(word) % 2, [8]).lengths[0].record()["thought"]
    assert (large["steps"], large["branches"], large["tree"]) == (8, 255, None)


def test_a_line_has_the_least_thought() -> None:
    """The column ends where its title does, and is empty for three answers."""
    column = HEADER.index("least thought") + len("least thought")
    two = analyze(lambda word: sum(word) % 2, [4]).lengths[0].line()
    three = analyze(lambda word: sum(word) % 3, [4]).lengths[0].line()
    assert two[:column].endswith("  4")
    assert len(three) < column


@pytest.mark.parametrize(("target", "steps"), [("majority", (1, 2, 2, 3, 3)), (".*01.*", (1, 2, 2, 2, 2))])
def test_thought_of_a_function_by_its_automaton(target: str, steps: tuple[int, ...]) -> None:
    """Functions that are not enumerated have the numbers of their tables: N/2 for majority, and 2 for `contains 01`."""
    found = [one.thought.steps for one in analyze(target, range(2, 7)).lengths if one.thought is not None]
    assert tuple(found) == steps
    assert analyze(target, [15]).lengths[0].thought is None
