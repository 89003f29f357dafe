"""The outcome of the pigeonhole principle, run on one model whose state is too small."""

from collections.abc import Callable, Mapping

from seqsep.theorems.base import Claim, Number, Outcome
from seqsep.theorems.protocols.collision import Prefixes, search
from seqsep.theorems.protocols.machine import Machine


def collision_outcome(
    claim: Claim,
    *,
    statement: str,
    task: Prefixes,
    needed: int,
    solve: Callable[[tuple[int, ...]], int],
    model: Machine,
    variant: str,
    seed: int,
    as_printed: Mapping[str, Number | str] | None = None,
) -> Outcome:
    """Two prefixes with one state, and the input that the model then answers wrongly, compared with the `needed` bits.

    `solve` gives the right answer from the definition of the task. Raises TheoremFails if no two prefixes collide, or if the
    model answers rightly; ValueError if the search ends before.
    """
    collision = search(model, task, seed)
    if collision is None or collision.answer == solve(collision.errs_on):
        raise claim.fails({"model": variant, "state bits": model.bits, "length": task.length, "collision": collision})
    return claim.lower(
        statement=statement,
        length=task.length,
        inputs=collision.prefixes_tried,
        measured={"state_bits": model.bits},
        bound={"state_bits": needed},
        as_printed=as_printed,
        variant=variant,
        witness=collision.record(),
    )
