"""A model as a reader of states: from prefixes to states, as one row of numbers each, and from such rows to answers.

The row holds every tensor of the state, complex numbers as two; what is read back from it is what the model itself would have
gone on with. The time is not in it: both sides know it.
"""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.core.names import BadInput
from seqsep.lab.audit.questions import PrefixQuestions
from seqsep.models.mixers import state_bits
from seqsep.models.model import Model
from seqsep.tasks import Task
from seqsep.theorems.protocols.tensor_machine import as_real, tensors_of, with_tensors

PREFIXES_AT_ONCE = 500
NUMBERS_AT_ONCE = 1 << 23
MOST_INPUTS_AT_ONCE = 2048

Rows = Float[Tensor, "prefixes numbers"]
Restored = Callable[[Tensor], Tensor]


class StateReader:
    """A model, and the state that it has after prefixes of `time` tokens.

    `numbers` of the state are real ones; `bits` are those of its tensors, after such a prefix.

    >>> torch.manual_seed(0) is not None
    True
    >>> model = Model.build(vocabulary=4, classes=2, longest=3, layers=("lstm",), width=8)
    >>> reader = StateReader(model, time=2)
    >>> reader.bits, reader.numbers, reader.states(np.array([[0, 1], [1, 1]])).shape
    (512, 16, torch.Size([2, 16]))
    """

    @torch.no_grad()
    def __init__(self, model: Model, time: int) -> None:
        self.model = model
        self.time = time
        self.like = model.prefill(torch.zeros(1, time, dtype=torch.long, device=model.device))
        for part in tensors_of(self.like):
            if not part.is_complex() and not part.is_floating_point():
                raise ValueError(f"audit: expected a state of real or complex numbers, found one of {part.dtype} in it")
        self.bits = state_bits(tuple(tensors_of(self.like)))
        self.numbers = sum(as_real(part)[0].numel() for part in tensors_of(self.like))
        if not self.numbers:
            raise BadInput("audit: expected a model that keeps a state, found one that stores, needs and carries 0 bits")

    @torch.no_grad()
    def states(self, prefixes: Int64[np.ndarray, "prefixes time"]) -> Rows:
        """Return the states after prefixes, a row of numbers each."""
        rows = []
        for first in range(0, len(prefixes), PREFIXES_AT_ONCE):
            tokens = torch.from_numpy(prefixes[first : first + PREFIXES_AT_ONCE].copy()).to(self.model.device)
            parts = tensors_of(self.model.prefill(tokens))
            rows.append(torch.cat([as_real(part).flatten(1) for part in parts], dim=1))
        return torch.cat(rows)

    def state_of(self, rows: Rows) -> tuple:
        """Return the state whose tensors the rows of numbers represent."""
        parts = []
        first = 0
        for part in tensors_of(self.like):
            real = as_real(part)
            size = real[0].numel()
            numbers = rows[:, first : first + size].reshape(len(rows), *real.shape[1:]).to(real.dtype)
            parts.append(torch.view_as_complex(numbers.contiguous()) if part.is_complex() else numbers)
            first += size
        return with_tensors(self.like, iter(parts))

    def logits(self, rows: Rows, continuations: Int64[Tensor, "prefixes more"]) -> Float[Tensor, "prefixes classes"]:
        """Return the model's answers after a state and a continuation each."""
        state = self.state_of(rows)
        for offset in range(continuations.shape[1]):
            logits, state = self.model.step(continuations[:, offset], state, self.time + offset)
        return logits

    @torch.no_grad()
    def right(self, rows: Rows, questions: PrefixQuestions) -> np.ndarray:
        """Return a mask, prefixes by questions: which questions the model answers right from these states."""
        places = questions.answers.shape[1]
        at_once = max(1, min(NUMBERS_AT_ONCE // (places * self.numbers), MOST_INPUTS_AT_ONCE // places))
        right = []
        for first in range(0, len(rows), at_once):
            part = rows[first : first + at_once].repeat_interleave(places, dim=0)
            asked = torch.from_numpy(questions.continuations[first : first + at_once].copy()).flatten(0, 1).to(rows.device)
            logits = self.logits(part, asked)
            if bool(logits.isnan().any()):
                raise BadInput("audit: expected numbers from the model, found NaN in its weights or its state")
            answers = logits.argmax(-1).view(-1, places).cpu().numpy()
            right.append(answers == questions.answers[first : first + at_once])
        return np.concatenate(right)

    def gradients(self, rows: Rows, questions: PrefixQuestions) -> Rows:
        """Return the gradient of each answer's margin by the numbers of the state, for one question a prefix.

        The margin is the logit of the right answer less the greatest other one. Question i of the prefixes is asked after
        prefix i, modulo the number of questions.
        """
        places = questions.answers.shape[1]
        chosen = np.arange(len(rows)) % places
        own = np.arange(len(rows))
        found = []
        at_once = max(1, min(NUMBERS_AT_ONCE // self.numbers, MOST_INPUTS_AT_ONCE))
        for first in range(0, len(rows), at_once):
            part = slice(first, first + at_once)
            state = rows[part].detach().clone().requires_grad_()
            asked = torch.from_numpy(questions.continuations[own[part], chosen[part]]).to(rows.device)
            right = torch.from_numpy(questions.answers[own[part], chosen[part]]).to(rows.device)
            with torch.enable_grad():
                total = margins(self.logits(state, asked), right).sum()
                found.append(torch.autograd.grad(total, state)[0])
        return torch.cat(found)


def require_readable(model: Model, task: Task, tokens: int, where: str) -> None:
    """Require that the model has positions, embeddings and answers for inputs of a task with so many tokens.

    >>> from seqsep.tasks import IndexLookup
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("attention",), width=4)
    >>> require_readable(model, IndexLookup(length=3, alphabet=3), 4, "audit")
    Traceback (most recent call last):
    seqsep.core.names.BadInput: audit: expected a model with positions for 4 tokens, as index-lookup of N = 3 needs, found 3
    """
    embedded = getattr(model, "tokens", None)
    readout = getattr(model, "readout", None)
    there = {
        "positions for {} tokens": (tokens, None if model.positions is None else model.positions.num_embeddings),
        "embeddings of {} tokens": (task.vocabulary, embedded.num_embeddings if isinstance(embedded, nn.Embedding) else None),
        "{} answers": (task.classes, readout.out_features if isinstance(readout, nn.Linear) else None),
    }
    for what, (needed, found) in there.items():
        if found is not None and found < needed:
            needs = f"as {task.label()} of N = {task.length} needs, found {found}"
            raise BadInput(f"{where}: expected a model with {what.format(needed)}, {needs}")


def margins(logits: Float[Tensor, "inputs classes"], right: Int64[Tensor, "inputs"]) -> Float[Tensor, "inputs"]:
    """Return the logit of the right class less the greatest other one. If it is below 0, the answer is wrong.

    >>> margins(torch.tensor([[2.0, 0.5, 1.0]]), torch.tensor([2]))
    tensor([-1.])
    """
    own = logits.gather(1, right[:, None])[:, 0]
    others = logits.scatter(1, right[:, None], float("-inf")).max(dim=1).values
    return own - others
