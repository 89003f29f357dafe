"""Every theorem's check fails once its weights are spoiled: in each array of each network, some one number of it.

`tests/long_spoiled.py` changes many entries of each array (`make verify`), and reports the share that is found out.
"""

import pytest

from seqsep.theorems import THEOREMS, canary, positions, state_tracking
from support.spoiled_weights import CASES, HARMLESS, defects, first_network, found_out

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

ENTRIES = 24


def test_every_theorem_that_builds_a_network_is_spoiled():
    """A theorem with a predictor is in `CASES`, or its own tests spoil its recurrence, its code or its stock class."""
    recurrences = {"index-lookup-state", "counting-state", "recall-state", "associative-recall-state", "equality-state"}
    built = {theorem.name for theorem in THEOREMS if theorem.predictor is not None} - recurrences - {
        "is-tree-state",
        "recall-oracle-state",
    } - {*canary.PLACES, *positions.PLACES, *state_tracking.PLACES} | {"modular-count-attention"}
    assert {name.split()[0] for name in CASES} == built


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_changed_number_in_each_array_is_found_out(case):
    check = CASES[case]
    network = first_network(check)
    unnoticed = []
    for name, _ in network.arrays():
        changes = (defect for entry in defects(network, name, ENTRIES) for defect in entry)
        if (case, name) not in HARMLESS and not any(found_out(check, change) for change in changes):
            unnoticed.append(name)
    assert not unnoticed
