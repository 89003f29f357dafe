"""Lower bound tool: a recurrent model with B state bits gives a one-way protocol of B bits, at every split.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 2.

Proof, as code. Alice reads s_1 .. s_K with the model and sends its state, serialised; Bob puts these bytes back in the place of
a state and reads s_{K+1} .. s_N. The time is not state: both parties know K. So a function that a model with B state bits
computes has one-way communication cost of at most B at every prefix/suffix split.
We differ: B is counted from the bytes that are sent, at the tensors' own precision, and the answer is any vector of logits.

What a run shows: on the models given, for the inputs given, at every split 0 <= K <= N, the message has exactly the counted
state bits, Bob's last logits equal those of the uncut recurrent pass bit for bit (same batch size and threads), and those of
`forward` within 1e-9 in float64. That the reduction applies to every recurrent model is the paragraph above.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.mixers import BY_NAME as MIXERS
from seqsep.mixers import state_bits, state_from_bytes, state_to_bytes
from seqsep.model import Model
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Outcome, Theorem, TheoremFails

NAME = "one-way-protocol"
SOURCE = "Bhattamishra et al. 2024, Theorem 2"
STATEMENT = "A recurrent model's answer is a one-way protocol whose message is its state, at every split"
TOLERANCE = 1e-9
RECURRENT = tuple(name for name, mixer in MIXERS.items() if not mixer.grows)


@dataclass(frozen=True)
class Message:
    """What Alice sends: the states of all blocks in order, as bytes."""

    data: bytes

    @property
    def bits(self) -> int:
        return 8 * len(self.data)


@torch.no_grad()
def alice(model: Model, prefix: Int64[Tensor, "time"]) -> Message:
    """Read the prefix, serialise the state."""
    state = model.start(1)
    for t in range(len(prefix)):
        state = model.step(prefix[t : t + 1], state, t)[1]
    return Message(b"".join(state_to_bytes(part, 0) for part in state))


@torch.no_grad()
def bob(model: Model, message: Message, suffix: Int64[Tensor, "time"], t: int) -> Float[Tensor, "classes"]:
    """Put the bytes back and read the suffix from time t; the logits after the last token. The suffix is not empty."""
    state, offset = [], 0
    for like in model.start(1):
        size = state_bits(like) // 8
        state.append(state_from_bytes(like, message.data[offset : offset + size]))
        offset += size
    after = tuple(state)
    for index in range(len(suffix)):
        logits, after = model.step(suffix[index : index + 1], after, t + index)
    return logits[0]


def reduce(model: Model, inputs: Int64[Tensor, "time"], name: str = NAME) -> int:
    """Run the protocol at every split of one input; returns the bits of the message. Raises TheoremFails."""
    expected_bits, _ = model.state_bits()
    with torch.no_grad():
        uncut = bob(model, alice(model, inputs[:0]), inputs, 0)
        parallel = model(inputs[None])[0, -1]
    if not torch.allclose(uncut, parallel, rtol=0, atol=TOLERANCE):
        error = float((uncut - parallel).abs().max())
        raise TheoremFails(name, {"inputs": inputs.tolist(), "difference of step and forward": error})
    for split in range(len(inputs)):
        message = alice(model, inputs[:split])
        if message.bits != expected_bits:
            raise TheoremFails(name, {"split": split, "message bits": message.bits, "state bits": expected_bits})
        if not torch.equal(bob(model, message, inputs[split:], split), uncut):
            raise TheoremFails(name, {"inputs": inputs.tolist(), "split": split, "answers": "differ from the uncut pass"})
    return expected_bits


def check(length: int = 10, seed: int = 0, mixer: str | None = None) -> list[Outcome]:
    """Two-layer models with random weights of every recurrent mixer (or one), on index lookup, at every split.

    Raises ValueError for an unknown mixer or one whose state grows with time.
    """
    if mixer is not None and mixer not in RECURRENT:
        raise ValueError(f"check(mixer={mixer!r}): mixer is one of {', '.join(RECURRENT)}")
    outcomes = []
    task = IndexLookup(length, alphabet=8)
    batch = task.sample(0, 3, seed)
    for name in RECURRENT if mixer is None else (mixer,):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Model.build(task.vocabulary, task.classes, task.longest, (name, name), width=16, heads=2)
        model = model.double().eval()
        bits = 0
        for inputs, tokens in zip(batch.inputs, batch.lengths, strict=True):
            bits = reduce(model, torch.from_numpy(inputs[:tokens]))
        sent = alice(model, torch.from_numpy(batch.inputs[0, :1])).bits
        inputs_tried = int(batch.lengths.sum())
        outcomes.append(
            Outcome(
                NAME, SOURCE, "lower", STATEMENT, length, False, inputs_tried,
                {"message_bits": sent}, {"message_bits": bits}, variant=f"2 x {name}",
            )
        )  # fmt: skip
    return outcomes


THEOREM = Theorem(NAME, SOURCE, STATEMENT, check, ("length", "seed", "mixer"))
