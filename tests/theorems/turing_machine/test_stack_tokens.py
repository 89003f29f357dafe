"""Five tokens of a step of two stacks say what they were written for."""

import pytest

from seqsep.theorems.turing_machine._machine import Configuration
from seqsep.theorems.turing_machine._machine_file import machine_of
from seqsep.theorems.turing_machine._stack_tokens import StackTokens
from seqsep.theorems.turing_machine._stacks import Stacks


@pytest.mark.parametrize(("left", "right"), [(0, 0), (5, 2), (2, 5), (9, 1)])
def test_a_step_is_read_as_it_was_written(left, right):
    tokens = StackTokens(machine_of("busy-beaver-3"))
    configuration = Configuration(tokens.machine.states[2], tokens.machine.symbols[1])
    stacks = Stacks(right=right, left=left, configuration=configuration)
    assert len(tokens.step(stacks)) == 5
    assert tokens.stacks(tokens.step(stacks)) == stacks
