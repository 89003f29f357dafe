"""HotpotQA by the paper's rule: the questions that every model answers from what they need, then among more paragraphs.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seqsep.language_models.text.accuracy import subset
from seqsep.language_models.text.evaluation import Evaluation, OnReply
from seqsep.language_models.text.hotpotqa import Benchmark, Order
from seqsep.language_models.text.hotpotqa_file import NEEDED, HotpotQAExample
from seqsep.language_models.text.question import Question
from seqsep.language_models.text.reply import Reply

Opened = Callable[[str], Evaluation]
"""Gives the evaluation of a model by name; the one given before may be closed then."""

Shown = Callable[[str, int], OnReply]
"""Gives what is called with each new reply, from the model and n in words and how many questions are asked at most."""


@dataclass(frozen=True)
class HotpotRun:
    """Models, what they are asked, and the most questions: `count` in the subset, out of `candidates` tried."""

    benchmark: Benchmark
    models: tuple[str, ...]
    lengths: tuple[int, ...]
    orders: tuple[Order, ...]
    count: int
    candidates: int

    def run(self, opened: Opened, shown: Shown) -> tuple[list[Reply], list[Reply]]:
        """Return the replies with two paragraphs to every question tested, and the replies on the subset at every length.

        A later model is tried on what the ones before it answered; the last one only until the subset has `count` questions.
        Raises what `Evaluation.replies` raises.
        """
        alone: list[Reply] = []
        left: Sequence[HotpotQAExample] = self.benchmark.asked[: self.candidates]
        for place, model in enumerate(self.models):
            is_last = place == len(self.models) - 1
            replies = self._alone(opened(model), left, self.count if is_last else len(left), shown)
            alone += replies
            answered = {reply.question["id"] for reply in replies if reply.right}
            left = [asked for asked in left if asked.id in answered]
        chosen = left[: self.count]
        ids = {asked.id for asked in chosen} & subset(alone)
        replies = [reply for reply in alone if reply.question["id"] in ids and NEEDED in self.lengths]
        for model in reversed(self.models):  # the last one is open
            for length in self.lengths:
                if length > NEEDED:
                    replies += self._among(opened(model), chosen, length, shown)
        return alone, replies

    def _alone(self, evaluation: Evaluation, left: Sequence[HotpotQAExample], wanted: int, shown: Shown) -> list[Reply]:
        """Return replies with two paragraphs, in order, until `wanted` are right."""
        on_reply = shown(f"{evaluation.model.facts.name}, n = {NEEDED}", len(left))
        replies: list[Reply] = []
        for start in range(0, len(left), evaluation.batch):
            if sum(reply.right for reply in replies) >= wanted:
                break
            part = left[start : start + evaluation.batch]
            replies += evaluation.replies([self.benchmark.question(asked, NEEDED, "random") for asked in part], on_reply)
        return replies

    def _among(self, evaluation: Evaluation, chosen: Sequence[HotpotQAExample], length: int, shown: Shown) -> list[Reply]:
        questions: list[Question] = [self.benchmark.question(asked, length, order) for order in self.orders for asked in chosen]
        return evaluation.replies(questions, shown(f"{evaluation.model.facts.name}, n = {length}", len(questions)))
