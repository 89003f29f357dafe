"""A function as a table of its answers, and what a wrong function is told."""

import sys

import pytest

from seqsep.maths.automata.enumeration import OUTSIDE, alphabet_ranges, count_inputs, tabulate


def test_tabulate():
    table = tabulate(lambda word: None if word == [1, 2] else word[0] == word[1], alphabet_ranges([2, 3]))
    assert table.answers == (1, 0)
    assert table.labels.tolist() == [0, 1, 1, 1, 0, OUTSIDE]
    assert table.word(5) == [1, 2]
    assert tabulate(lambda word: 10**30 * word[0], alphabet_ranges([2])).answers == (0, 10**30)
    assert tabulate(lambda word: word.pop(), [range(5, 7)]).answers == (5, 6)
    with pytest.raises(ValueError, match=r"mine\(\[1, 0\]\): expected an integer or None, found '0.5'"):
        tabulate(lambda word: 0.5 if word[0] else 1, alphabet_ranges([2, 2]), "mine")
    with pytest.raises(ValueError, match=r"mine\(\[0, 1\]\).* an error: ZeroDivisionError"):
        tabulate(lambda word: 1 // (1 - word[1]), alphabet_ranges([2, 2]), "mine")
    with pytest.raises(ValueError, match=r"mine\(\[0, 0\]\).* an error: SystemExit: 0"):
        tabulate(lambda word: sys.exit(0), alphabet_ranges([2, 2]), "mine")
    with pytest.raises(ValueError, match="33,554,432"):
        tabulate(sum, alphabet_ranges([2] * 25))


def test_one_input_is_enough_and_none_is_not():
    assert count_inputs([range(1), range(1)], "f") == count_inputs([], "f") == 1
    for symbols in ([range(0)], [range(2), range(0)], [range(2)] * 25):
        with pytest.raises(ValueError, match="expected 1 to 16,777,216 inputs"):
            count_inputs(symbols, "f")
    assert count_inputs([range(2)] * 24, "f") == 1 << 24
