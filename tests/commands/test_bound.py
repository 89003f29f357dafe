"""`seqsep bound`: the numbers are those that `check` compares with, and nothing is built for them."""

import json

import pytest

from seqsep.commands.bound import SIZE_WORDS
from seqsep.maths.networks.network import Network
from seqsep.theorems import BY_NAME, canary
from support.command_line import call

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each check with shapes checked

SMALL = {
    "index-lookup-state": {"length": 4, "alphabet": 3},
    "associative-recall-state": {"length": 3, "alphabet": 3},
    "recall-state": {"length": 3},
    "counting-state": {"length": 3},
    "recall-oracle-state": {"length": 4},
    "is-tree-state": {"length": 4},
    "equality-state": {"length": 4},
    "nearest-neighbor-two-layers": {"length": 5, "dimension": 2},
    "bounded-dyck-attention": {"length": 4},
    "bounded-dyck-state": {"kinds": 1, "depth": 2},
    "index-lookup-attention": {"length": 5, "alphabet": 3},
    "equality-two-layers": {"length": 4},
    "equality-one-layer": {"length": 4},
    "relabelled-equality-two-layers": {"length": 4},
    "is-tree-walk": {"length": 4},
    "is-tree-hybrid": {"length": 4},
    "is-tree-one-layer": {"length": 4},
    "is-tree-peeling": {"length": 4},
    "is-tree-tour": {"length": 4},
    "no-positions": {"length": 4},
    **{name: {} for name in canary.PLACES},
}


def small(name):
    """Return small options of a theorem: of its length, if it has one."""
    return SMALL.get(name, {"length": 3} if has_length(name) else {})


def has_length(name):
    return "length" in {option.name for option in BY_NAME[name].options_of("bound")}


CHECKED = {name: {"length": 20, "conversations": 1} for name in canary.PLACES}
"""Options of the checks of theorems whose bound has no options."""
BOUNDED = [name for name, theorem in BY_NAME.items() if theorem.bound is not None]


@pytest.mark.parametrize("name", BOUNDED)
def test_the_constants_are_those_of_the_check(name):
    theorem = BY_NAME[name]
    options = small(name)
    constants = theorem.constants(**options)
    assert constants
    outcomes = theorem.check(**CHECKED.get(name, options))
    compared = {item for outcome in outcomes for item in outcome.bound.items()}
    assert constants.items() <= compared, compared


def test_every_size_is_explained():
    sizes = {size for name in BOUNDED for size in BY_NAME[name].constants(**small(name))}
    assert sizes == set(SIZE_WORDS)


LARGEST_LENGTH = {"recall-state": 64, "recall-oracle-state": 64}


@pytest.mark.parametrize("name", sorted(set(BOUNDED) - {"bounded-dyck-state", *canary.PLACES}))
def test_nothing_is_built(capsys, monkeypatch, name):
    """At a length that no network is run for, without one being made."""

    def built(*arguments, **fields):
        raise AssertionError("a network was built")

    monkeypatch.setattr(Network, "__init__", built)
    length = ("--length", str(LARGEST_LENGTH.get(name, 1000))) if has_length(name) else ()
    status, out, err = call(capsys, "bound", name, *length, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["theorem"] == name
    assert json.loads(out)["bound"]


def test_what_is_printed(capsys):
    status, out, _ = call(capsys, "bound", "index_lookup_state", "--length", "20", "--alphabet", "64")
    assert status == 0
    assert out.splitlines()[1:] == ["    state_bits 120  bits of the state"]
    assert out.startswith("index-lookup-state (Bhattamishra et al. 2024, Theorem 3): ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("index-lookup-stat --length 4", "did you mean index-lookup-state"),
        ("index-lookup-state --lenght 4", "did you mean --length?"),
        ("index-lookup-state --length abc", "expected a whole number, found 'abc'"),
        ("index-lookup-attention --code nonsense", "bound: index-lookup-attention: code is one of signs, binary, parabola"),
        (
            "one-way-protocol",
            "bound: one-way-protocol: its sizes depend on more than its options; these theorems have formulas: index",
        ),
    ],
)
def test_bad_input_is_one_line(capsys, words, expected):
    status, out, err = call(capsys, "bound", *words.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert expected in err
