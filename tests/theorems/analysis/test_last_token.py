"""The least state of models whose output also reads the last token."""

import itertools
import json

import numpy as np
import pytest

from seqsep.theorems.analysis.analyze import analyze
from support.command_line import call


@pytest.mark.parametrize("seed", range(6))
def test_an_output_that_sees_the_last_token_needs_less(seed):
    """The states before the last token are enough for such an output, and prefixes of different classes need different ones."""
    random = np.random.default_rng(seed)
    length = int(random.integers(1, 5))
    table = random.integers(0, 2 + seed, 3**length)

    def function(word):
        return int(table[sum(symbol * 3**place for place, symbol in enumerate(word))])

    [found] = analyze(function, [length], alphabet=3).lengths
    automaton = found.automaton
    for word in itertools.product(range(3), repeat=length):
        state = automaton.start
        for tables, symbol in zip(automaton.tables[:-1], word[:-1], strict=True):
            state = int(tables[state, symbol])
        label = automaton.answers[automaton.tables[-1][state, word[-1]]]
        assert found.answers[label] == function(word)
    prefixes = [list(itertools.product(range(3), repeat=split)) for split in range(length)]
    needed = max(
        len({tuple(function(one + rest) for rest in itertools.product(range(3), repeat=length - len(one))) for one in same})
        for same in prefixes
    )
    assert found.bits_if_output_sees_last_token == (needed - 1).bit_length() <= found.bits[0]


def test_the_line_says_for_which_models_the_state_bits_are(capsys):
    """The last symbol of four needs 2 bits of a state that answers, and none if the output reads the last token."""
    _, out, _ = call(capsys, "analyze", ".*1", "--alphabet", "2", "--lengths", "3..5")
    assert "if the output also reads the last token, N = 5 needs 0 instead of 1" in out
    _, out, _ = call(capsys, "analyze", "majority", "--lengths", "4", "--json")
    assert json.loads(out)["lengths"][0]["state_bits_if_output_sees_last_token"] == json.loads(out)["lengths"][0]["state_bits"]
    _, out, _ = call(capsys, "analyze", "majority", "--lengths", "4")
    assert "reads the last token" not in out
