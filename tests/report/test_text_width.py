"""Lines of a text are as wide as they may be, and no wider."""

from itertools import pairwise

import pytest

from seqsep.report.figures.text_width import text_width, wrapped

CAPTION = "Best of each cell; it would bite from N = 171 on for " + "mamba+MovingAverage@3520c134+attention (4, 16), " * 6


@pytest.mark.parametrize("width", [3.6, 5.0, 9.0])
def test_lines_are_full(width):
    lines = wrapped(CAPTION, width, 9.5)
    assert " ".join(lines) == CAPTION.rstrip()
    assert max(text_width(line, 9.5) for line in lines) <= width
    for line, following in pairwise(lines):
        assert text_width(f"{line} {following.split(' (')[0].split()[0]}", 9.5) > width - text_width(" (4, 16),", 9.5)
    assert not any(line.endswith("(4,") for line in lines)


def test_a_long_word_is_broken_after_a_joint():
    assert wrapped("mamba+MovingAverage@3520c134+attention (4, 16)", 1.2, 9.5) == [
        "mamba+Moving",
        "Average@",
        "3520c134+",
        "attention (4, 16)",
    ]
    assert wrapped("indivisible", 0.1, 9.5) == ["indivisible"]


def test_bold_lines_keep_to_the_width():
    lines = wrapped(CAPTION, 4.0, 15.0, "bold")
    assert max(text_width(line, 15.0, "bold") for line in lines) <= 4.0
    assert len(lines) > len(wrapped(CAPTION, 4.0, 15.0))
