"""A recurrent model with B state bits gives a one-way protocol of B bits, at every split of its input.

This is the tool for lower bounds on recurrent models. If a function needs more than B bits of one-way communication, no
recurrent model with B bits of state computes it.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 2. For thoughts: Wen, Dang, Lyu 2025 (arXiv:2402.18510), proof of
Theorem 4.6.

We differ:
* B is counted from the state that is sent, at its own precision. The paper has m p.
* An output may be any vector of logits. It may depend on the last token as well as on the state, as it does in a block with a
  residual connection.
* Bob gets every output from the split on, not only the last one. If the model writes a chain of thought, he also gets its
  outputs.

The two parties. Alice has the prefix s_1 .. s_K, K < N, and Bob has the suffix s_{K+1} .. s_N. Both have the model. Alice
sends one message, the state after her prefix. Bob continues from it and returns the outputs. So if the model computes a
function of s_1 .. s_N, this function has a one-way communication cost of at most B, at every split into a prefix and a suffix.

A thought (chain of thought) costs no bit. Bob has the state and the last token, so he continues to write as the model would.
So a thought of any length needs no message.

Three kinds of model are possible:
* A model that seqsep builds is a `Recurrence`, which has a table of states, or a `Model` with the mixer elman or automaton.
* A trained model comes from `load_model` of `seqsep.models.weights` (`--checkpoint`).
* A user's model is an object with start, step and forward.

The state is sent as a number, over a channel that counts the bits (`maths.communication.channel`). A test runs the parties as
two processes with a pipe between them. Bob's copy of the model is made before Alice reads. It reads the shortest suffix first,
so at every split it has seen only tokens of Bob's suffix. So anything that a model keeps outside of its state does not reach
him.

The proof continues at `alice` and `bob`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from seqsep.core.options import Range
from seqsep.maths.communication.channel import Channel, meet
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Claim, Outcome, Theorem, TheoremFails
from seqsep.theorems.options import Checkpoint, Length, RecurrentMixer, Seed
from seqsep.theorems.protocols.machine import AnyModel, BitMachine, RecurrentModel, TokenSequence, as_machine
from seqsep.theorems.protocols.small_models import RECURRENT
from seqsep.theorems.protocols.thought import Thought, think

ThoughtLength = Annotated[int, Range(0, 1 << 12), "Number of tokens that the model writes before its answer."]

CLAIM = Claim(
    name="one-way-protocol",
    source="Bhattamishra et al. 2024, Theorem 2",
    statement="A recurrent model gives a one-way protocol whose message is its state, at every split",
)
TOLERANCE = {"torch.float64": 1e-9, "torch.float32": 2e-5}
INPUTS = 3
LENGTH = 10
THOUGHT = 4


@dataclass(frozen=True)
class Message:
    """The message that Alice sends: a number of a given number of bits.

    >>> Message(number=5, bits=3).bits
    3
    """

    number: int
    bits: int

    def send(self, channel: Channel) -> None:
        """Write the number, bit by bit."""
        channel.send(self.number, self.bits)

    @classmethod
    def receive(cls, channel: Channel, model: AnyModel) -> "Message":
        """Read as many bits as a state of the model has."""
        bits = as_machine(model).bits
        return cls(channel.receive(bits), bits)


def carry(message: Message, model: AnyModel) -> Message:
    """Return what the owner of `model` hears of a message over a counted pipe; `bits` are those that were written.

    Raises ValueError if a state of the model has another number of bits than the message.
    """
    expected = as_machine(model).bits
    if message.bits != expected:
        raise ValueError(f"carry(a message of {message.bits} bits): the model has a state of {expected} bits")
    _, number, bits = meet(message.send, lambda channel: channel.receive(expected))
    return Message(number, bits)


def alice(model: AnyModel, prefix: TokenSequence) -> Message:
    """Read the prefix with the model, and send its state, written as a number of B bits.

    The message does not have the time, that is, the number of tokens read: both parties know K.

    >>> from seqsep.theorems.retrieval.index_lookup_state import build
    >>> alice(build(length=3, alphabet=2), (1, 0))
    Message(number=2, bits=3)
    """
    party = as_machine(model)
    _, state = party.read(prefix)
    number, bits = party.pack(state)
    return Message(number, bits)


def bob(model: AnyModel, message: Message, suffix: TokenSequence, t: int, thought: Thought | None = None) -> list[Any]:
    """Restore the state from its number, and read the suffix from time t on; return the output after each of its tokens.

    From t on Bob computes the same functions of the same state and tokens as one pass over the complete input. So his outputs
    are the same. With a thought he continues after the suffix, which has at least one token. His next token is the one of the
    complete pass, since it follows from the same output. The same is true of all later tokens. He then also returns the output
    after each token that he writes, except the last.

    >>> from seqsep.theorems.retrieval.index_lookup_state import build
    >>> remembers = build(length=3, alphabet=2)
    >>> bob(remembers, alice(remembers, (1, 0)), (1, 4), t=2)[-1]  # the symbols 1 0 1, the token 4 asks for the last of them
    1
    """
    party = as_machine(model)
    outputs, _ = _outputs(party, suffix, party.unpack(message.number), t, thought=thought)
    return outputs


def _outputs(
    party: BitMachine, tokens: TokenSequence, state: Any, t: int, *, thought: Thought | None
) -> tuple[list[Any], list[int]]:
    """Outputs from time t on, those of the thought included, and the tokens written."""
    outputs, after = party.read(tokens, state, t)
    if thought is None:
        return outputs, []
    if not outputs:
        raise ValueError(f"bob(suffix=(), t={t}, thought=...): at least 1 token, whose output is the first of the thought")
    written = think(party, outputs[-1], after, t + len(outputs), thought=thought)
    return outputs + written.outputs, written.tokens


def reduce(model: AnyModel, inputs: TokenSequence, name: str = CLAIM.name, thought: Thought | None = None) -> int:
    """Run the protocol at every split of one input (tokens, or vectors in a tensor); returns the bits of the message.

    With a thought, inputs are tokens, every class of the model is a token, and Bob's thought is compared with that of the
    model which read the whole prompt itself. Raises ValueError for an empty input or outputs of a precision without a stated
    tolerance. Raises TheoremFails if outputs differ or a message has another number of bits than the start state.

    >>> from seqsep.theorems.retrieval.index_lookup_state import build
    >>> reduce(build(length=5, alphabet=3), (0, 2, 1, 1, 0, 6))  # 3^5 = 243 states
    8
    """
    if len(inputs) == 0:
        raise ValueError("reduce(inputs=()): at least 1 token")
    of_alice = as_machine(model)
    of_bob = of_alice.another()
    state_bits = of_alice.bits
    uncut, written = _outputs(of_alice, inputs, None, 0, thought=thought)
    parallel = of_alice.parallel
    if parallel is not None:
        _require_forward(parallel, _listed(inputs) + written[:-1] if written else inputs, uncut, name)
    for split in reversed(range(len(inputs))):  # so that Bob's copy has never read a token of the prefix
        message = alice(of_alice, inputs[:split])
        if message.bits != state_bits:
            raise TheoremFails(name, {"split": split, "message bits": message.bits, "state bits": state_bits})
        outputs = bob(of_bob, carry(message, of_bob), inputs[split:], split, thought=thought)
        for place, (output, expected) in enumerate(zip(outputs, uncut[split:], strict=False), start=split):
            if not _equal(output, expected):
                shown = {"inputs": _listed(inputs), "split": split, "differs after token": place + 1}
                raise TheoremFails(name, shown)
        if len(outputs) != len(uncut) - split:
            raise TheoremFails(name, {"inputs": _listed(inputs), "split": split, "written": written, "outputs": len(outputs)})
    return state_bits


def _listed(inputs: TokenSequence) -> list[Any]:
    return [token.tolist() if hasattr(token, "tolist") else token for token in inputs]


def _equal(output: Any, expected: Any) -> bool:
    if hasattr(output, "shape"):
        return output.shape == expected.shape and bool((output == expected).all())
    return bool(output == expected)


def _require_forward(model: RecurrentModel, inputs: TokenSequence, uncut: list[Any], name: str) -> None:
    """Raise TheoremFails if the outputs of the recurrent pass are not those of `forward`."""
    import torch

    stepped = torch.stack(uncut)
    with torch.no_grad():
        parallel = model.forward(torch.as_tensor(inputs)[None])[0]
    if str(stepped.dtype) not in TOLERANCE:
        raise ValueError(f"reduce(outputs of {stepped.dtype}): float64 or float32; another precision has no stated tolerance")
    most = TOLERANCE[str(stepped.dtype)] * max(1.0, float(stepped.abs().max()))
    error = float((stepped - parallel).abs().max())
    if not error <= most:
        raise TheoremFails(name, {"inputs": _listed(inputs), "difference of step and forward": error, "at most": most})


def check(
    length: Length | None = None,
    seed: Seed = 0,
    mixer: RecurrentMixer | None = None,
    checkpoint: Checkpoint | None = None,
    thought: ThoughtLength | None = None,
) -> list[Outcome]:
    """Run the protocol on every recurrent mixer (or one), two layers of it with random weights; or on a trained model.

    Inputs are those of index lookup, with `length` symbols (by default 10) and a question, at every split. With `checkpoint`, a
    safetensors file: that model, at the file's precision, on random tokens, `length` of them (by default 10, or as many as it
    has positions for). Then Bob continues to write, `thought` tokens in all: by default 4 for random weights, whose classes are
    then all tokens, and none for a checkpoint, whose classes must all be tokens and whose positions must be enough for that.
    Raises ValueError for an unknown mixer or one whose state grows with time; TheoremFails with the input and the split.
    """
    if mixer is not None and mixer not in RECURRENT:
        raise ValueError(f"check(mixer={mixer!r}): mixer is one of {', '.join(RECURRENT)}")
    if length is not None and length < 1:
        raise ValueError(f"check(length={length}): length is at least 1")
    if thought is not None and thought < 0:
        raise ValueError(f"check(thought={thought}): at least 0 tokens")
    if checkpoint is not None:
        if mixer is not None:
            raise ValueError(f"check(mixer={mixer!r}, checkpoint=...): the checkpoint says which mixers it has")
        return [_check_trained(checkpoint, length, seed, thought=thought or 0)]
    task = IndexLookup(LENGTH if length is None else length, alphabet=8)
    written = THOUGHT if thought is None else thought
    return [_check_random(task, name, seed, thought=written) for name in (RECURRENT if mixer is None else (mixer,))]


def _check_random(task: IndexLookup, mixer: str, seed: int, *, thought: int) -> Outcome:
    """Run the protocol on two layers of a mixer with random weights, on inputs of the task."""
    batch = task.sample(0, INPUTS, seed)
    classes = task.vocabulary if thought else task.classes
    import torch

    from seqsep.models.model import Model

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Model.build(task.vocabulary, classes, task.longest + thought, (mixer, mixer), width=16, heads=2)
    some = [torch.from_numpy(inputs[:tokens]) for inputs, tokens in zip(batch.inputs, batch.lengths, strict=True)]
    return _outcome(model.double().eval(), some, task.length, variant=f"2 x {mixer}", thought=thought)


def _check_trained(checkpoint: Path, length: int | None, seed: int, *, thought: int) -> Outcome:
    """Run the protocol on the trained model of a file, on random tokens."""
    import torch

    from seqsep.models.mixers import Mixer
    from seqsep.models.weights import load_model

    model = load_model(checkpoint)
    mixers = [block.mixer for block in model.blocks if isinstance(block.mixer, Mixer)]
    layers = ", ".join(one.name for one in mixers)
    if any(one.grows for one in mixers):
        raise ValueError(f"{checkpoint}: a model of {layers}: no layer's state may grow with time, as that of attention does")
    if not isinstance(model.tokens, torch.nn.Embedding):
        raise ValueError(f"{checkpoint}: expected a model whose inputs are tokens, found one whose inputs are vectors")
    tokens = model.tokens.num_embeddings
    if thought and model.readout.out_features > tokens:
        raise ValueError(
            f"{checkpoint}: {model.readout.out_features} classes and {tokens} tokens: to write a thought, classes are tokens"
        )
    if length is None:
        length = LENGTH if model.positions is None else min(LENGTH, model.positions.num_embeddings - thought)
    generator = torch.Generator().manual_seed(seed)
    some = [torch.randint(tokens, (length,), generator=generator) for _ in range(INPUTS)]
    precision = str(model.readout.weight.dtype).removeprefix("torch.")
    return _outcome(model, some, length, variant=f"{checkpoint.name}: {layers}, {precision}", thought=thought)


def _outcome(model: Any, some: list[Any], length: int, *, variant: str, thought: int) -> Outcome:
    goes_on = Thought(frozenset(), thought) if thought else None
    sent = {reduce(model, inputs, thought=goes_on) for inputs in some}
    counted, _ = model.state_bits()
    if sent != {counted}:
        raise CLAIM.fails({"variant": variant, "message bits": sorted(sent), "state bits": counted})
    return CLAIM.lower(
        length=length,
        inputs=sum(len(inputs) for inputs in some),
        measured={"message_bits": sent.pop()},
        bound={"message_bits": counted},
        variant=f"{variant}, then {thought} tokens written" if thought else variant,
    )


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="At every split 0 <= K < N of the given inputs, a run shows that the message has exactly the counted state bits. "
    "Bob's outputs equal those of one recurrent pass over the complete input, bit for bit, on one machine. They also equal the "
    "outputs of `forward`, up to 1e-9 in float64 and 2e-5 in float32, relative to max(1, greatest output). `forward` sums in "
    "another order. For our mixers at 200 tokens this changes outputs by at most 1.4e-6 in float32.",
    not_shown="This does not show that the reduction applies to every recurrent model. The proof shows that.",
    nothing_to_certify="it is a protocol for any model, and a run shows no finite object for it",
    nothing_to_apply="a protocol between two parties for any recurrent model, which builds none; check takes a mixer or a "
    "checkpoint",
)
