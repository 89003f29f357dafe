"""Ask an engine of the protocol in `engines`: prefill, then decode token by token, with the greatest logit each time."""

from collections.abc import Sequence
from typing import Any

import torch

from seqsep.language_models.engines.protocol import InferenceEngine

NEEDS = {"together": "batch", "turns": "extend"}
"""Scenario -> the method that exercises it."""
NOT_SHOWN = {
    **dict.fromkeys(("again", "twins", "parents"), "a prefix was cached"),
    "crowded": "a request was preempted",
}
"""Scenario -> the event that it needs, and that the protocol of engines does not show."""


class EngineAsked:
    """An engine that is asked through its methods.

    The prompts of a batch are read and decoded together if the engine has `batch`. A prompt that begins with all tokens of the
    last sequence is read after that sequence's state if the engine has `extend`.

    Arguments:
        engine: an engine with at least `prefill` and `decode`.
    """

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine: Any = engine
        self._last: tuple[tuple[int, ...], Any] | None = None
        self._done: set[str] = set()

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each prompt."""
        if len(prompts) > 1 and hasattr(self.engine, "batch"):
            return self._together(prompts, count)
        return [self._alone(prompt, count) for prompt in prompts]

    def not_exercised(self, scenario: str) -> str | None:
        """Return the method that a scenario needs and that was not called since the last call."""
        done, self._done = self._done, set()
        if scenario in NOT_SHOWN:
            return f"the protocol of engines does not show whether {NOT_SHOWN[scenario]}"
        method = NEEDS.get(scenario)
        if method is None or method in done:
            return None
        return f"the engine {'refused' if hasattr(self.engine, method) else 'has no'} {method}"

    def _alone(self, prompt: Sequence[int], count: int) -> list[int]:
        read, state = self._last or ((), None)
        if len(read) < len(prompt) and tuple(prompt[: len(read)]) == read and read and hasattr(self.engine, "extend"):
            logits, state = self.engine.extend(prompt[len(read) :], state)
            self._done.add("extend")
        else:
            logits, state = self.engine.prefill(prompt)
        answers = [_greatest(logits)]
        while len(answers) < count:
            logits, state = self.engine.decode(answers[-1], state)
            answers.append(_greatest(logits))
        self._last = (*prompt, *answers[:-1]), state
        return answers

    def _together(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Read and decode the prompts in one batch; one after the other if the engine refuses such a batch."""
        self._last = None
        try:
            rows, states = self.engine.batch(prompts, [None] * len(prompts))
            answers = [[_greatest(logits)] for logits in rows]
            for _ in range(count - 1):
                rows, states = self.engine.batch([[row[-1]] for row in answers], states)
                for row, logits in zip(answers, rows, strict=True):
                    row.append(_greatest(logits))
        except NotImplementedError:
            return [self._alone(prompt, count) for prompt in prompts]
        self._done.add("batch")
        return answers


def _greatest(logits: Any) -> int:
    """Return the token of the greatest logit in the last row."""
    rows = torch.as_tensor(logits)
    return int(rows.reshape(-1, rows.shape[-1])[-1].argmax())
