"""Trials of a network with a linear recurrence, which also count its state: numbers, bits, and bits by observed ranges."""

from dataclasses import dataclass

from seqsep.maths.networks.executor import Execution
from seqsep.maths.networks.recurrent import StateRange
from seqsep.theorems.base import Number
from seqsep.theorems.trial import Trial


@dataclass
class RecurrentTrial(Trial):
    """A trial that joins the ranges that each remembered number met over all inputs tried."""

    state_ranges: tuple[StateRange, ...] = ()

    def note(self, result: Execution, inputs: int) -> None:
        """Add a result as `Trial.note` does, and the ranges of its remembered numbers."""
        super().note(result, inputs)
        met = zip(self.state_ranges or result.state_ranges, result.state_ranges, strict=True)
        self.state_ranges = tuple(before.joined(now) for before, now in met)

    def remembered(self) -> dict[str, Number]:
        """The count of numbers that the recurrence keeps, and their bits: p for each, and by the range that occurred."""
        return {
            "state_numbers": len(self.state_ranges),
            "state_bits": self.network.state_bits,
            "state_bits_by_range": sum(one.bits for one in self.state_ranges),
        }
