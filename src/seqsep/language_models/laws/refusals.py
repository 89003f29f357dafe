"""Errors that a library raises on purpose: it refuses what it cannot do, and so gives no wrong result."""

import dis
from collections.abc import Iterator
from contextlib import contextmanager

from seqsep.core.names import text_of
from seqsep.language_models.laws.trial import NotTried

KINDS = (ValueError, RuntimeError, NotImplementedError)
RAISE = dis.opmap["RAISE_VARARGS"]


def is_refusal(error: BaseException) -> bool:
    """Return True if a statement `raise` outside of torch raised the error, and its kind is one of KINDS.

    An error of another kind, or one from inside of torch, such as for shapes that do not fit, is a crash.

    >>> def cut(tokens):
    ...     raise ValueError("this state cannot be cut")
    >>> def add(tokens):
    ...     return tokens + torch.zeros(3)
    >>> import torch
    >>> for function in (cut, add):
    ...     try:
    ...         function(torch.zeros(2))
    ...     except Exception as error:
    ...         is_refusal(error)
    True
    False
    """
    place = error.__traceback__
    if place is None or not isinstance(error, KINDS):
        return False
    while place.tb_next is not None:
        place = place.tb_next
    module = str(place.tb_frame.f_globals.get("__name__", ""))
    raised = place.tb_frame.f_code.co_code[place.tb_lasti] == RAISE
    return raised and module.split(".")[0] != "torch"


@contextmanager
def refusals_not_tried(words: str) -> Iterator[None]:
    """Raise NotTried, which begins with the words, for a refusal inside; other errors pass.

    >>> with refusals_not_tried("its state refuses to be cut"):
    ...     raise ValueError("not supported")
    Traceback (most recent call last):
        ...
    seqsep.language_models.laws.trial.NotTried: its state refuses to be cut: not supported
    """
    try:
        yield
    except KINDS as error:
        if is_refusal(error):
            raise NotTried(f"{words}: {text_of(error)}") from error
        raise
