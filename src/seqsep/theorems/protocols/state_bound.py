"""A lower bound on state, run on models that are too small for a task: each answers an input of it wrongly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.base import Claim, Number, Outcome
from seqsep.theorems.protocols.collision import ListTask, search
from seqsep.theorems.protocols.machine import BitMachine
from seqsep.theorems.protocols.small_models import SmallModel


@dataclass(frozen=True, kw_only=True)
class StateBound:
    """The pigeonhole principle for one task: of a model with fewer than `needed` state bits, two prefixes share a state.

    Fields:
        claim: the claim of the theorem.
        statement: the statement of the lower bound.
        task: lists of values, some of which a model must distinguish.
        needed: the bound, in bits.
        solve: the function from a complete prompt to its right answer, by the definition of the task.
        reduced: the function from a number of bits to the exact model cut down to them.
        most_bits: the most bits that the exact model is cut down to.
        as_printed: the bound of the paper.
        prefix: text before the name of a model in the variant.

    >>> from seqsep.theorems.retrieval.index_lookup_state import state_bound
    >>> [outcome.measured["state_bits"] for outcome in state_bound(length=4, alphabet=2).outcomes(SmallModel())]
    [3, 2]
    """

    claim: Claim
    statement: str
    task: ListTask
    needed: int
    solve: Callable[[tuple[int, ...]], int]
    reduced: Callable[[int], Recurrence]
    most_bits: int
    as_printed: Mapping[str, Number | str] | None = None
    prefix: str = ""

    def outcomes(self, small: SmallModel) -> list[Outcome]:
        """Return an input that each small model answers wrongly. Raises ValueError for a model with `needed` bits or more."""
        models = small.models(self.task, self.needed, reduced=self.reduced, most_bits=self.most_bits)
        return [self.outcome(name, model, small.seed) for name, model in models]

    def outcome(self, name: str, model: BitMachine, seed: int) -> Outcome:
        """Return two prefixes with one state of a model, and the input that it then answers wrongly.

        Raises TheoremFails if no two prefixes collide, or if the model answers rightly; ValueError if the search ends before.
        """
        collision = search(model, self.task, seed)
        variant = f"{self.prefix}{name}"
        if collision is None or collision.answer == self.solve(collision.errs_on):
            length = self.task.length
            raise self.claim.fails({"model": variant, "state bits": model.bits, "length": length, "collision": collision})
        return self.claim.lower(
            statement=self.statement,
            length=self.task.length,
            inputs=collision.prefixes_tried,
            measured={"state_bits": model.bits},
            bound={"state_bits": self.needed},
            as_printed=self.as_printed,
            variant=variant,
            witness=collision.record(),
        )
