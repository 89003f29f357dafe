"""Replies as accuracies over length; and HotpotQA's subset, the questions that every model answers from what they need.

Source of the subset rule: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.2: accuracy at n = 2 is 1 on it by construction.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from seqsep.language_models.text.hotpotqa import ORDERS
from seqsep.language_models.text.hotpotqa import TASK as HOTPOTQA
from seqsep.language_models.text.hotpotqa_file import NEEDED
from seqsep.language_models.text.language_model import Facts
from seqsep.language_models.text.reply import Reply


@dataclass(frozen=True)
class LengthAccuracy:
    """The replies of one model to questions of one length, and in one order of paragraphs; `order` is empty for lookups."""

    model: Facts
    order: str
    length: int
    replies: tuple[Reply, ...]

    @property
    def accuracy(self) -> float:
        """The fraction of right answers."""
        return fmean(reply.right for reply in self.replies)

    @property
    def standard_error(self) -> float:
        """That of the accuracy, from as many independent questions."""
        return (self.accuracy * (1 - self.accuracy) / len(self.replies)) ** 0.5

    @property
    def tokens_right(self) -> float | None:
        """The fraction of the answers' tokens written before the first wrong one; None for free text."""
        tokens = sum(reply.tokens for reply in self.replies)
        return sum(reply.tokens_right for reply in self.replies) / tokens if tokens else None

    @property
    def chance(self) -> float | None:
        """The accuracy of the best guess that does not read the question; None if there is none for free text."""
        known = [reply.chance for reply in self.replies if reply.chance is not None]
        return fmean(known) if len(known) == len(self.replies) else None

    @property
    def prompt_tokens(self) -> int:
        """The tokens of the longest prompt."""
        return max(reply.prompt_tokens for reply in self.replies)

    @property
    def state_bits(self) -> int | None:
        """The most bits that the model kept once a prompt was read; None if they could not be counted."""
        return max((reply.state_bits for reply in self.replies if reply.state_bits is not None), default=None)


def accuracies(replies: Iterable[Reply]) -> list[LengthAccuracy]:
    """Return the accuracies of one task's replies, by model, order and length.

    At n = 2 HotpotQA's orders are one prompt: its replies count under each order that a longer one has, and without longer
    ones as random.
    """
    replies = list(replies)
    longer = [reply for reply in replies if reply.task == HOTPOTQA and reply.length != NEEDED]
    shared = {reply.question["order"] for reply in longer} or {ORDERS[0]}
    groups: dict[tuple[Facts, str, int], list[Reply]] = {}
    for reply in replies:
        for order in _orders(reply, shared):
            groups.setdefault((reply.model, order, reply.length), []).append(reply)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0].name, item[0][0].sha256, item[0][1], item[0][2]))
    return [LengthAccuracy(model, order, length, tuple(group)) for (model, order, length), group in ordered]


def _orders(reply: Reply, shared: Collection[str]) -> Collection[str]:
    if reply.task != HOTPOTQA:
        return ("",)
    return shared if reply.length == NEEDED else (reply.question["order"],)


def subset(replies: Iterable[Reply]) -> set[str]:
    """Return the ids of the questions of HotpotQA that every model among the replies answers from the two needed paragraphs."""
    alone = [reply for reply in replies if reply.length == NEEDED]
    models = {(reply.model.sha256, reply.model.dtype) for reply in alone}
    right: dict[str, set[tuple[str, str]]] = {}
    for reply in alone:
        if reply.right:
            right.setdefault(reply.question["id"], set()).add((reply.model.sha256, reply.model.dtype))
    return {id for id, answered in right.items() if answered == models}


def on_subset(replies: Sequence[Reply]) -> list[Reply]:
    """Return the replies to questions of the subset."""
    chosen = subset(replies)
    return [reply for reply in replies if reply.question["id"] in chosen]
