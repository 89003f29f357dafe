"""Puts inputs to a model, and keeps those that it answers wrong."""

from collections.abc import Sequence

import torch

from seqsep.lab.audit.failures import Wrong
from seqsep.lab.audit.questions import Tokens
from seqsep.lab.audit.reader import margins
from seqsep.models.model import Model
from seqsep.tasks import Task


class Asker:
    """Puts inputs to the model, and keeps those that it answers wrong."""

    def __init__(self, model: Model, task: Task) -> None:
        self.model = model
        self.task = task
        self.questions = 0
        self.wrong: dict[Tokens, Wrong] = {}

    @torch.no_grad()
    def margins(self, inputs: Sequence[Tokens]) -> list[float]:
        """Return the margin of the right answer to each input. An answer of margin below 0 is wrong."""
        tokens = torch.tensor(inputs, device=self.model.device)
        logits = self.model(tokens, torch.full((len(inputs),), tokens.shape[1] - 1, device=tokens.device))
        expected = [self.task.solve(given) for given in inputs]
        found = margins(logits, torch.tensor(expected, device=tokens.device)).tolist()
        answers = logits.argmax(-1).tolist()
        self.questions += len(inputs)
        for given, answer, right, margin in zip(inputs, answers, expected, found, strict=True):
            if answer != right:
                self.wrong[given] = Wrong(given, answer, right, margin)
        return found

    @torch.no_grad()
    def alone(self, given: Tokens) -> bool:
        """Return True if the model is wrong on this input by itself, read at once and token by token."""
        self.margins([given])
        state = self.model.start(1)
        for t, token in enumerate(given):
            logits, state = self.model.step(torch.tensor([token], device=self.model.device), state, t)
        return given in self.wrong and int(logits.argmax()) != self.task.solve(given)
