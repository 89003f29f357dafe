"""Five tokens of a step of two stacks say what they were written for; runs that are shown are followed."""

import pytest

from seqsep.maths.networks.generation import GenerationDiffers
from seqsep.theorems.turing_machine import hybrid
from seqsep.theorems.turing_machine._machine import Configuration
from seqsep.theorems.turing_machine._machine_file import machine_of
from seqsep.theorems.turing_machine._shown import shown
from seqsep.theorems.turing_machine._stack_tokens import StackTokens
from seqsep.theorems.turing_machine._stacks import Stacks


@pytest.mark.parametrize(("left", "right"), [(0, 0), (5, 2), (2, 5), (9, 1)])
def test_a_step_is_read_as_it_was_written(left, right):
    tokens = StackTokens(machine_of("busy-beaver-3"))
    configuration = Configuration(tokens.machine.states[2], tokens.machine.symbols[1])
    stacks = Stacks(right=right, left=left, configuration=configuration)
    assert len(tokens.step(stacks)) == 5
    assert tokens.stacks(tokens.step(stacks)) == stacks


def test_runs_that_are_shown_are_followed_from_their_first_token():
    """A run with another first token is refused, though there are more runs than tokens in a prompt."""
    machine = machine_of("binary-increment")
    given = hybrid.certificate_witness().witness
    runs = list(zip(given.prompts.tolist(), given.generated, strict=True))
    assert len(runs) > len(runs[0][0])
    assert shown("turing-machine", machine, given.network, runs, steps=20).witness.generated == given.generated
    runs[0][1][0] = (runs[0][1][0] + 1) % 4
    with pytest.raises(GenerationDiffers):
        shown("turing-machine", machine, given.network, runs, steps=20)
