"""seqsep: what a sequence model of a given size can represent, with numbers.

    >>> import seqsep
    >>> task = seqsep.IndexLookup(length=20, alphabet=64)
    >>> task.answer_bits()  # 20 symbols of 6 bits
    120
    >>> [outcome.holds for outcome in seqsep.check("index-lookup-attention", length=8, alphabet=3, code="parabola")]
    [True]

Glossary
    length       N, how many tokens of data an input has; a question or a separator may come on top (tokens)
    alphabet     S, how many symbols a token of data may be
    width        coordinates of the residual stream (d or m in the papers)
    heads        attention heads of a layer (H)
    precision    p, bits of a number on the grid: multiples of 1/L from -L to L, rounded after every operation
    state        all that a layer keeps from the tokens before; a key-value cache grows with the length, other states do not
    state bits   bits of one example's state, counted from its tensors
    prefill      reading many tokens at once into a state
    step         one token in, one output and the next state out
    mixer        the part of a block that moves information between positions: attention, a recurrence, a convolution
    block        a mixer with its norm, residual connection and MLP
    position code  for each index a key and a query, such that a query has its largest product with the key of its own index
    gap          the least difference between the product of a query with its own key and with any other
    eta          the factor of the queries: it scales every score, so that the softmax comes close to a maximum
    leakage      the attention weight of all positions but the one asked for, relative to its own
    margin       the distance of a number from the threshold that decides an answer
    upper bound  weights are written down and compute the function: so much is enough
    lower bound  a reduction or witness is run on given models; that it holds for every model is the written proof
    one-way protocol  Alice sends one message, Bob answers: a state is such a message
    fooling set, distinct rows  matrices' certificates that a protocol needs at least N bits
    ceiling      an upper limit of accuracy, for every model with a state of B bits
    capacity     what a published model keeps between tokens: numbers of its fixed state, of its windows, and a token
    crossing     the tokens from which a cache is as large as the fixed state
    stored, needs at most, carries at least  bits of a trained model's state: those of its tensors; the fewest of a codebook
                 from which its own reader still answers; those that its accuracy proves
    certificate  a file from which `seqsep_check.py` checks a claim without seqsep
    run, row     one training with all its settings; what it came to, as it is kept
    preset       a named choice of an experiment's runs

Axes of arrays: batch (examples), time (tokens, from 0), width, heads, key and value (coordinates of a head), states (of a
state-space channel or an automaton), classes (answers).
Units: lengths in tokens, widths in coordinates, states and messages in bits, losses in nats, accuracies as fractions.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqsep.commands.certify import certify
    from seqsep.lab.audit.answer import audit
    from seqsep.lab.audit.worst import worst_case
    from seqsep.lab.in_process import train
    from seqsep.lab.kept import load, save
    from seqsep.lab.row import Row, Rows
    from seqsep.lab.rows_of import read_rows
    from seqsep.lab.run import Run
    from seqsep.language_models.audit.answer import audit_language_model
    from seqsep.language_models.capacity.answer import capacity
    from seqsep.language_models.check import check_language_model
    from seqsep.language_models.engines.check import check_engine
    from seqsep.models.model import Model
    from seqsep.models.network_file import load_network, save_network
    from seqsep.tasks import (
        AssociativeRecall,
        BoundedDyck,
        Counting,
        Disjointness,
        Equality,
        FlipFlop,
        IndexLookup,
        InductionHeads,
        IsTree,
        ModularCount,
        MultiQueryRecall,
        NearestNeighbor,
        NgramRetrieval,
        ParityConditionedRecall,
        PermutationTrace,
        RegularLanguage,
        SelectiveCopying,
        SparseThreshold,
        StateBasedRecall,
        WordProblem,
    )
    from seqsep.tasks.ceilings import ceiling, first_bitten_length, least_state_bits, longest
    from seqsep.theorems import apply, bound, build, check
    from seqsep.theorems.analysis.analyze import analyze
    from seqsep.theorems.analysis.classify import classify

__version__ = "0.3.0"

_HOMES = {
    "AssociativeRecall": "seqsep.tasks",
    "BoundedDyck": "seqsep.tasks",
    "Counting": "seqsep.tasks",
    "Disjointness": "seqsep.tasks",
    "Equality": "seqsep.tasks",
    "FlipFlop": "seqsep.tasks",
    "IndexLookup": "seqsep.tasks",
    "InductionHeads": "seqsep.tasks",
    "IsTree": "seqsep.tasks",
    "Model": "seqsep.models.model",
    "ModularCount": "seqsep.tasks",
    "MultiQueryRecall": "seqsep.tasks",
    "NearestNeighbor": "seqsep.tasks",
    "NgramRetrieval": "seqsep.tasks",
    "ParityConditionedRecall": "seqsep.tasks",
    "PermutationTrace": "seqsep.tasks",
    "Row": "seqsep.lab.row",
    "Rows": "seqsep.lab.row",
    "Run": "seqsep.lab.run",
    "RegularLanguage": "seqsep.tasks",
    "SelectiveCopying": "seqsep.tasks",
    "SparseThreshold": "seqsep.tasks",
    "StateBasedRecall": "seqsep.tasks",
    "WordProblem": "seqsep.tasks",
    "analyze": "seqsep.theorems.analysis.analyze",
    "apply": "seqsep.theorems",
    "audit": "seqsep.lab.audit.answer",
    "audit_language_model": "seqsep.language_models.audit.answer",
    "bound": "seqsep.theorems",
    "build": "seqsep.theorems",
    "capacity": "seqsep.language_models.capacity.answer",
    "ceiling": "seqsep.tasks.ceilings",
    "certify": "seqsep.commands.certify",
    "check": "seqsep.theorems",
    "check_engine": "seqsep.language_models.engines.check",
    "check_language_model": "seqsep.language_models.check",
    "classify": "seqsep.theorems.analysis.classify",
    "first_bitten_length": "seqsep.tasks.ceilings",
    "least_state_bits": "seqsep.tasks.ceilings",
    "load": "seqsep.lab.kept",
    "load_network": "seqsep.models.network_file",
    "longest": "seqsep.tasks.ceilings",
    "read_rows": "seqsep.lab.rows_of",
    "save": "seqsep.lab.kept",
    "save_network": "seqsep.models.network_file",
    "train": "seqsep.lab.in_process",
    "worst_case": "seqsep.lab.audit.worst",
}
__all__ = [
    "AssociativeRecall",
    "BoundedDyck",
    "Counting",
    "Disjointness",
    "Equality",
    "FlipFlop",
    "IndexLookup",
    "InductionHeads",
    "IsTree",
    "Model",
    "ModularCount",
    "MultiQueryRecall",
    "NearestNeighbor",
    "NgramRetrieval",
    "ParityConditionedRecall",
    "PermutationTrace",
    "RegularLanguage",
    "Row",
    "Rows",
    "Run",
    "SelectiveCopying",
    "SparseThreshold",
    "StateBasedRecall",
    "WordProblem",
    "analyze",
    "apply",
    "audit",
    "audit_language_model",
    "bound",
    "build",
    "capacity",
    "ceiling",
    "certify",
    "check",
    "check_engine",
    "check_language_model",
    "classify",
    "first_bitten_length",
    "least_state_bits",
    "load",
    "load_network",
    "longest",
    "read_rows",
    "save",
    "save_network",
    "train",
    "worst_case",
]

if not TYPE_CHECKING:  # type checkers see the imports above, and find a misspelt name

    def __getattr__(name: str) -> Any:
        """Return a public name, imported when it is first used: tasks work without waiting for torch."""
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        found = f"module 'seqsep' of {__file__.removesuffix('__init__.py')} has no attribute {name!r}"
        raise AttributeError(f"{found}; it has {', '.join(__all__)}")

    def __dir__() -> list[str]:
        """Return the public names, loaded or not, the loaded packages, and the names that every module has."""
        shown = (name for name, value in globals().items() if isinstance(value, ModuleType) or name.startswith("__"))
        return sorted({*shown, *__all__})
