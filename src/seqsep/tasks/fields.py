"""`Values` and `Words`: the earlier names of `Range` and `OneOf`, which work until 0.5."""

from seqsep.core.options import OneOf as Words
from seqsep.core.options import Range as Values

__all__ = ["Values", "Words"]
