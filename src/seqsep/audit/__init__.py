"""Audit: what a trained model carries in its state, and where it fails.

    answer     the public function and what it returns
    questions  what a task asks about a prefix
    reader     a model from prefixes to states, and from states to answers
    codebooks  fixed codebooks for states
    needed     the fewest bits from which the model's own reader still answers
    carried    the bits that the measured accuracy proves
    intervals  confidence limits of a share
    attacks    which inputs to ask, so that a failure is found soon
    asker      puts inputs to a model and keeps the wrong ones
    failures   what a search finds: single wrong answers, shares by attack, the table of both
    exhaustive  every input asked, where they are few: the worst case is then exact
    equal_states  two prefixes with bit-equal states, which prove an error
    sizes      the audits of docs/reference/audit.md
    places     which values a lookup model answers, and which a linear reader finds in its state
    falls      the places of the contenders of `reach` that stay below 99 %
    __main__   python -m seqsep.audit
    language_model  a causal language model of `transformers`, asked about phonebooks
    worst      the worst case: shares wrong by attack, the least counterexample

Three numbers, never one: what is stored, what this reader needs at most, and what is carried at least. The package is callable,
so that `seqsep.audit(...)` is the function whether or not the package has been imported.
"""

import sys
from inspect import signature
from types import ModuleType
from typing import Any

from seqsep.audit.answer import Audit, audit
from seqsep.audit.failures import WorstCase
from seqsep.audit.worst import worst_case
from seqsep.names import docstring


class _Room(ModuleType):
    """The package as a function: both have the name `seqsep.audit`."""

    def __call__(self, *arguments: Any, **options: Any) -> Audit:
        return audit(*arguments, **options)


sys.modules[__name__].__class__ = _Room
__signature__ = signature(audit)
__doc__ = f"{docstring(audit).partition('>>>')[0]}{__doc__ or ''}"

__all__ = ["Audit", "WorstCase", "audit", "worst_case"]
