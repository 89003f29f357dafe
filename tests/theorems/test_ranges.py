"""The ranges of sizes: what `--help` says of them is what a theorem takes and refuses."""

import pytest

import seqsep
from seqsep.theorems import BY_NAME, THEOREMS
from seqsep.theorems.base import MOST
from seqsep.theorems.ranges import LEAST, LEAST_OF, least
from support.command_line import call

SIZES = [(theorem.name, option) for theorem in THEOREMS for option in theorem.options if option in MOST]
SWITCHES = {("thought", theorem.name) for theorem in THEOREMS if theorem.name != "one-way-protocol"}
OF_A_LAYER = ("width", "heads", "precision")
"""Of a layer that is given, in some theorems: alone they say something else."""
TAKEN_BELOW = {
    ("retrieval-by-pattern", "inputs"),
    ("turing-machine-recurrent", "machines"),
    ("attention-blocks", "sequences"),
}
"""Where the theorem's own code has no refusal: it would try nothing, or end in an error of another kind."""


def test_ranges_are_of_options_that_there_are():
    assert set(LEAST) == set(MOST)
    for name, own in LEAST_OF.items():
        assert set(own) <= set(BY_NAME[name].options)
        assert all(LEAST[option] != value for option, value in own.items())


@pytest.mark.parametrize(("name", "option"), SIZES)
def test_one_below_the_least_is_refused_by_name(name, option):
    """Also by the theorem itself, where that is a fact of the theorem: no range is narrower than what runs."""
    if (option, name) in SWITCHES:
        return
    below = least(name, option) - 1
    with pytest.raises(ValueError, match=rf"^check {name}: {option} is at least {below + 1}, found {below}$"):
        seqsep.check(name, **{option: below})
    if below >= 0 and option not in OF_A_LAYER and (name, option) not in TAKEN_BELOW:
        with pytest.raises(ValueError, match=r"."):
            BY_NAME[name].check(**{option: below})


@pytest.mark.parametrize("name", [name for name, own in LEAST_OF.items() if "length" in own])
def test_the_least_length_runs(name):
    assert all(outcome.holds is not False for outcome in seqsep.check(name, length=least(name, "length")))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check attention-blocks --length -1", "check attention-blocks: length is at least 1, found -1"),
        ("check is-tree-peeling --graphs -3", "check is-tree-peeling: graphs is at least 0, found -3"),
        ("bound is-tree-state --length 1", "bound is-tree-state: length is at least 2, found 1"),
        ("apply turing-machine-hybrid --machine palindromes --length 4 --steps -1", "steps is at least 0, found -1"),
        ("export-network index-lookup-attention --length 0 -o no.npz", "length is at least 1, found 0"),
    ],
)
def test_commands_refuse_in_one_line(capsys, words, said):
    status, out, error = call(capsys, *words.split())
    assert (status, out) == (2, "")
    assert error.startswith("seqsep: ")
    assert said in error
    assert error.count("\n") == 1
