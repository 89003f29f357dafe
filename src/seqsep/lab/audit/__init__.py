"""Audit: what a trained model carries in its state, and where it fails.

    answer     the public function and what it returns
    questions  what a task asks about a prefix
    own_questions  those of multi-query recall, and of your own task that says what it asks
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
    accuracy_by  the accuracy by position, or by a field of the task
    places     which values a lookup model answers, and which a linear reader finds in its state
    falls      the places of the contenders of `length-scaling` that stay below 99 %
    __main__   python -m seqsep.lab.audit
    worst      the worst case: shares wrong by attack, the least counterexample

Three numbers, never one: what is stored, what this reader needs at most, and what is carried at least.
"""

from seqsep.lab.audit.accuracy_by import AccuracyBy, accuracy_by
from seqsep.lab.audit.answer import Audit, audit
from seqsep.lab.audit.failures import WorstCase
from seqsep.lab.audit.worst import worst_case

__all__ = ["AccuracyBy", "Audit", "WorstCase", "accuracy_by", "audit", "worst_case"]
