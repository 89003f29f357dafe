"""What is known to reach an accuracy that a model did not: built weights. A ceiling of 100 % alone does not show that any do.

A state with room for all that is asked does not forbid more than was measured. That the architecture has weights that answer
more is shown by weights: a theorem that builds them, for attention. For the recurrent architectures here none are built.
"""

from collections.abc import Iterable

from seqsep.report.formatting import listed
from seqsep.report.sized_model import SizedModel
from seqsep.tasks import BoundedDyck, Equality, IndexLookup, NearestNeighbor, Task
from seqsep.theorems.bounded_dyck import attention as bounded_dyck_attention
from seqsep.theorems.equality import two_layers as equality_two_layers
from seqsep.theorems.nearest_neighbor import two_layers as nearest_neighbor_two_layers
from seqsep.theorems.retrieval import index_lookup_attention


def built_theorem(task: Task, model: SizedModel) -> str | None:
    """The theorem that builds weights of attention layers, no more than the model's, that answer the task; None if none does.

    The built networks have no norm, and their width is their own.

    >>> built_theorem(IndexLookup(50), SizedModel(("attention",), 64))
    'index-lookup-attention'
    >>> built_theorem(Equality(20), SizedModel(("attention",), 64)) is None
    True
    """
    if set(model.layers) != {"attention"}:
        return None
    depth = len(model.layers)
    if isinstance(task, IndexLookup):
        return index_lookup_attention.CLAIM.name
    if isinstance(task, BoundedDyck) and task.depth <= 2:
        return bounded_dyck_attention.CLAIM.name
    if isinstance(task, Equality) and task.variant != "next" and depth >= 2:
        return equality_two_layers.CLAIM.name
    if isinstance(task, NearestNeighbor) and depth >= 2:
        return nearest_neighbor_two_layers.CLAIM.name
    return None


def known_weights(short: Iterable[tuple[str, Task, SizedModel]]) -> str:
    """A sentence on models that stayed below, by name: for which of them weights that answer the task are built, if for any.

    >>> known_weights([("LSTM", IndexLookup(50), SizedModel(("lstm",), 64))])
    'No weights of those below 99 % are shown that answer all.'
    """
    built: dict[str, list[str]] = {}
    others = False
    for name, task, model in short:
        theorem = built_theorem(task, model)
        if theorem is None:
            others = True
        elif name not in built.setdefault(theorem, []):
            built[theorem].append(name)
    if not built:
        return "No weights of those below 99 % are shown that answer all."
    shown = listed([f"{listed(names)} (theorem {theorem})" for theorem, names in built.items()])
    sentence = f"Built weights of attention without a norm answer all: {shown}"
    return f"{sentence}; for the others none are shown." if others else f"{sentence}."
