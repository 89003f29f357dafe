"""The protocol runs on every recurrent model: ours, trained, hand-built and a user's; a model that hides state is found out."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from seqsep.commands.cli import main
from seqsep.lab.checkpoint_file import checkpoint_file
from seqsep.lab.run import Run
from seqsep.lab.train import train
from seqsep.maths.automata.automata import Recurrence
from seqsep.models.mixers import LinearAttention
from seqsep.models.model import Model
from seqsep.models.weights import load_model
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.theorems import TheoremFails
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.bounded_dyck._recurrent import build_elman
from seqsep.theorems.protocols import one_way_protocol
from seqsep.theorems.protocols.machine import OfNumbers, as_machine
from seqsep.theorems.protocols.one_way_protocol import RECURRENT, alice, bob, reduce
from seqsep.theorems.protocols.thought import Thought, think
from seqsep.theorems.retrieval import index_lookup_state

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
TASK = IndexLookup(9, 4)
TOKENS = torch.tensor([3, 0, 1, 1, 2, 0, 3, 2, 1, 8])


def checkpoint(path, mixer="linear-attention", width=16):
    """A checkpoint that the lab wrote after two of four steps."""
    run = Run(task=TASK, layers=(mixer,), width=width, heads=2, steps=4, evaluate_every=2, evaluation=20, batch=4)
    train(run, path, None, lambda step, digest: checkpoint_file(path, digest).replace(path))
    return path


class Counter:
    """A user's model on tensors, of two kinds in a nested state: how often each of three tokens came, and the last two."""

    def __init__(self, hidden=False, growing=False, wrong=False):
        self.hidden, self.growing, self.wrong, self.kept = hidden, growing, wrong, 0

    def start(self, batch):
        return [torch.zeros(batch, 3, dtype=torch.int32), (torch.zeros(batch, 2, dtype=torch.uint8),)]

    def step(self, inputs, state, t):
        counts, (last,) = state
        counts = counts + torch.nn.functional.one_hot(inputs, 3).to(torch.int32)
        last = torch.stack([last[:, -1], inputs.to(torch.uint8)], dim=1)
        self.kept += int(inputs[0]) if self.hidden else 0
        outputs = counts.double() * (t + 1) + last.sum(1, keepdim=True) + self.kept
        return outputs, [counts, (torch.nn.functional.pad(last, (int(self.growing), 0)),)]

    def forward(self, inputs):
        counts = torch.nn.functional.one_hot(inputs, 3).double().cumsum(1) * (torch.arange(inputs.shape[1]) + 1)[:, None]
        before = torch.nn.functional.pad(inputs, (1, 0))[:, :-1]
        kept = inputs.cumsum(1)[..., None] if self.hidden else 0
        return counts + (inputs + before)[..., None] + kept + (1e-6 if self.wrong else 0)


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_every_mixer_at_both_precisions(name, dtype):
    torch.manual_seed(1)
    model = Model.build(TASK.vocabulary, 4, TASK.longest, (name,), 8, 2, 1.0, 0.3).to(dtype)
    assert reduce(model, TOKENS) == model.state_bits()[0] == alice(model, TOKENS[:3]).bits


def test_a_users_model_with_a_nested_state():
    assert reduce(Counter(), torch.tensor([0, 2, 1, 1, 0, 2])) == 3 * 32 + 2 * 8


@pytest.mark.parametrize(
    ("fault", "message"),
    [("hidden", "differs after"), ("growing", "message bits"), ("wrong", "difference of step and forward")],
)
def test_a_users_model_that_cheats_is_found_out(fault, message):
    with pytest.raises(TheoremFails, match=message):
        reduce(Counter(**{fault: True}), torch.tensor([1, 2, 1, 1, 0, 2]))


def test_a_mixer_on_vectors():
    torch.manual_seed(0)
    assert reduce(LinearAttention(8, 2).double(), torch.randn(9, 8, dtype=torch.float64)) == 2 * 4 * 5 * 64


def test_a_recurrence_and_hand_built_networks():
    assert reduce(index_lookup_state.build(5, 3), (0, 2, 1, 1, 0, 6)) == 8
    words = torch.from_numpy(BoundedDyck(10).sample(0, 2, 0).inputs)
    elman = [build_elman(2, 2, kind) for kind in ("relu", "sigmoid")]
    dyck = bounded_dyck_state.build_network(bounded_dyck_state.build())
    for network, bits in [*((one, 64 * one.width) for one in elman), (dyck, 8)]:
        assert {reduce(Model.load(network), word) for word in words} == {bits}


def test_an_answer_that_is_not_in_the_state_is_found_out():
    kept = []

    def move(t, state, token):
        kept.append(token)
        return state

    with pytest.raises(TheoremFails, match="differs after"):
        reduce(Recurrence(1, 0, move, lambda t, state: sum(kept)), (1, 1, 0, 1))


def test_a_copy_that_misreads_the_first_token_is_found_out():
    """Bob reads the first token only at split 0, so no other split tells."""

    def parity(first):
        return Recurrence(2, 0, lambda t, state, token: state ^ (token & (first if t == 0 else 1)), lambda t, state: state)

    class Copied(OfNumbers):
        def another(self):
            return OfNumbers(parity(first=0))

    with pytest.raises(TheoremFails, match="split = 0") as fails:
        reduce(Copied(parity(first=1)), (1, 0, 1))
    assert fails.value.counterexample == {"inputs": [1, 0, 1], "split": 0, "differs after token": 1}


def test_bob_gets_every_output_after_the_split():
    machine_ = index_lookup_state.build(3, 2)
    message = alice(machine_, (1, 0))
    assert message.bits == 3
    assert bob(machine_, message, (1, 4), 2) == [5, 1]
    assert bob(machine_, message, (1, 3), 2) == [5, 0]


def test_a_message_of_another_length_is_not_carried():
    with pytest.raises(ValueError, match="a state of 3 bits"):
        one_way_protocol.carry(alice(index_lookup_state.build(4, 2), (1,)), index_lookup_state.build(3, 2))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="at least 1 token"):
        reduce(Counter(), torch.tensor([], dtype=torch.int64))
    with pytest.raises(ValueError, match="an object with start, step and forward"):
        as_machine(np.zeros(3))
    half = Model.build(13, 4, 10, ("lstm",), 4).half()
    with pytest.raises(ValueError, match="no stated tolerance"):
        reduce(half, TOKENS)
    with pytest.raises(ValueError, match="length is at least 1"):
        one_way_protocol.check(0)
    with pytest.raises(ValueError, match="precision"):
        as_machine(index_lookup_state.build(3, 2), 4, TOKENS[None])

    class Listed(Counter):
        def start(self, batch):
            return {"counts": super().start(batch)}

    with pytest.raises(ValueError, match="nested tuples of tensors"):
        alice(Listed(), ())


def test_a_checkpoint_from_the_command_line(tmp_path, capsys):
    path = checkpoint(tmp_path / "one.safetensors")
    assert main(["check", "one-way-protocol", "--checkpoint", str(path), "--length", "7", "--json"]) == 0
    (outcome,) = json.loads(capsys.readouterr().out)
    assert outcome["measured"] == outcome["bound"] == {"message_bits": 2 * 8 * 9 * 32}
    assert (outcome["length"], outcome["inputs"]) == (7, 21)
    assert outcome["variant"] == "one.safetensors: linear-attention, float32"
    assert main(["check", "one-way-protocol", "--checkpoint", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["check", "one-way-protocol", "--checkpoint", str(path), "--mixer", "lstm"]) == 2
    assert "says which mixers" in capsys.readouterr().err


def test_a_checkpoint_is_read_as_far_as_its_positions_go(tmp_path):
    (outcome,) = one_way_protocol.check(checkpoint=checkpoint(tmp_path / "a.safetensors"))
    assert outcome.length == TASK.longest == 10
    with pytest.raises(ValueError, match="positions for 10"):
        one_way_protocol.check(length=11, checkpoint=tmp_path / "a.safetensors")
    (outcome,) = one_way_protocol.check(length=12, checkpoint=checkpoint(tmp_path / "b.safetensors", "dss", 4))
    assert outcome.measured == {"message_bits": 4 * 64 * 2 * 32}


def test_a_checkpoint_of_attention_is_refused(tmp_path):
    with pytest.raises(ValueError, match="state may grow"):
        one_way_protocol.check(checkpoint=checkpoint(tmp_path / "a.safetensors", "attention"))


ALICE = """
import sys, torch
from pathlib import Path
from seqsep.maths.communication.channel import Channel
from seqsep.theorems.protocols.one_way_protocol import alice
from seqsep.models.weights import load_model
message = alice(load_model(Path(sys.argv[1])), torch.tensor([int(token) for token in sys.argv[2:]]))
message.send(Channel(sys.stdin.buffer, sys.stdout.buffer))
"""
BOB = """
import io, json, sys, torch
from pathlib import Path
from seqsep.maths.communication.channel import Channel
from seqsep.theorems.protocols.one_way_protocol import Message, bob
from seqsep.models.weights import load_model
data = sys.stdin.buffer.read()
path, t, *suffix = sys.argv[1:]
model = load_model(Path(path))
message = Message.receive(Channel(io.BytesIO(data), io.BytesIO()), model)
outputs = bob(model, message, torch.tensor([int(token) for token in suffix]), int(t))
outputs = [[number.hex() for number in one.tolist()] for one in outputs]
print(json.dumps({"bits": len(data), "claimed": message.bits, "outputs": outputs}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("split", [4])
def test_two_processes_share_a_pipe_and_the_weights(tmp_path, split):
    path = checkpoint(tmp_path / "one.safetensors")
    model, tokens = load_model(path), [str(token) for token in TOKENS.tolist()]
    read, write = os.pipe()
    first = subprocess.Popen([sys.executable, "-c", ALICE, str(path), *tokens[:split]], stdout=write)
    second = subprocess.Popen(
        [sys.executable, "-c", BOB, str(path), str(split), *tokens[split:]], stdin=read, stdout=subprocess.PIPE, text=True
    )
    os.close(read)
    os.close(write)
    said = json.loads(second.communicate(timeout=60)[0])
    assert first.wait(60) == second.returncode == 0
    assert said["bits"] == said["claimed"] == reduce(model, TOKENS) == model.state_bits()[0]
    uncut = as_machine(model).read(TOKENS)[0]
    assert said["outputs"] == [[number.hex() for number in one.tolist()] for one in uncut[split:]]


def test_what_alice_leaves_in_the_model_does_not_reach_bob():
    """A model that keeps every token outside of its state would pass if both parties used one object."""

    class Diary(Counter):
        def __init__(self):
            super().__init__()
            self.pages = {}

        def step(self, inputs, state, t):
            self.pages[t] = float(inputs[0])
            outputs, state = super().step(inputs, state, t)
            return outputs + sum(self.pages.get(time, 0) for time in range(t + 1)), state

        def forward(self, inputs):
            return super().forward(inputs) + inputs.cumsum(1)[..., None]

    with pytest.raises(TheoremFails, match="differs after"):
        reduce(Diary(), torch.tensor([1, 2, 1, 1, 0, 2]))


def thinker(name="lstm", dtype=torch.float64, classes=TASK.vocabulary):
    """A model whose classes are all tokens, with random weights large enough for it to write different ones."""
    torch.manual_seed(2)
    return Model.build(TASK.vocabulary, classes, 40, (name,), 8, 2, 1.0, 0.5).to(dtype).eval()


@pytest.mark.parametrize("name", RECURRENT)
def test_bob_writes_the_thought_of_the_uncut_model(name):
    model = thinker(name)
    thought = Thought(frozenset(), most=6)
    assert reduce(model, TOKENS, thought=thought) == model.state_bits()[0]
    party = as_machine(model)
    outputs, state = party.read(TOKENS)
    uncut = think(party, outputs[-1], state, 10, thought=thought)
    assert len(uncut.tokens) == 6
    for split in (0, 4, 9):
        after = bob(model, alice(model, TOKENS[:split]), TOKENS[split:], split, thought=thought)[9 - split :]
        assert [int(output.argmax()) for output in after] == uncut.tokens


def test_a_thought_is_greedy_decoding_by_the_whole_forward_pass():
    model = thinker()
    outputs, state = as_machine(model).read(TOKENS)
    written = think(as_machine(model), outputs[-1], state, 10, thought=Thought(frozenset(), most=12)).tokens
    tokens = TOKENS.tolist()
    with torch.no_grad():
        for expected in written:
            assert int(model(torch.tensor([tokens]))[0, -1].argmax()) == expected
            tokens.append(expected)
    assert len(set(written)) > 1
    stop = next(token for token in written if token != written[0])
    stopped = think(as_machine(model), outputs[-1], state, 10, thought=Thought(frozenset({stop}), most=12))
    assert stopped.tokens == written[: written.index(stop) + 1]
    assert Thought(frozenset({stop}), 12).answer(stopped.tokens) == stop


def test_an_oracle_answers_in_the_middle_of_a_thought():
    """After each 5 it inserts how many tokens there are; what is inserted ends nothing, though 1 is a stop."""
    echo = Recurrence(3, 0, lambda t, state, token: token, lambda t, state: {5: 6, 1: 5, 3: 7}.get(state, 5))
    told = []

    def insert(tokens):
        told.append(list(tokens))
        return [len(tokens)] if tokens[-1] == 5 else None

    thought = Thought(frozenset({1, 7}), most=9, insert=insert)
    assert think(as_machine(echo), 5, 0, 1, thought=thought).tokens == [5, 1, 5, 3, 7]
    assert told == [[5], [5, 1], [5, 1, 5], [5, 1, 5, 3]]
    assert reduce(echo, (0, 2, 4), thought=thought) == 3


def test_a_thought_that_is_not_in_the_state_is_found_out():
    """The copy that has not read the prompt stops earlier, and up to there its outputs are the same."""

    class Diary(OfNumbers):
        def another(self):
            return Diary(Recurrence(2, 0, lambda t, state, token: state, lambda t, state: int(t > 4)))

    honest = Diary(Recurrence(2, 0, lambda t, state, token: state, lambda t, state: int(t > 6)))
    with pytest.raises(TheoremFails, match="differs after"):
        reduce(honest, (1, 1, 0), thought=Thought(frozenset({1}), 9))


def test_wrong_thoughts(tmp_path):
    with pytest.raises(ValueError, match="at least 1 token"):
        Thought(frozenset(), 0)
    machine_ = index_lookup_state.build(3, 2)
    with pytest.raises(ValueError, match="whose output is the first of the thought"):
        bob(machine_, alice(machine_, (1, 0)), (), 2, thought=Thought(frozenset(), 3))
    with pytest.raises(ValueError, match="at least 0 tokens"):
        one_way_protocol.check(thought=-1)
    path = checkpoint(tmp_path / "one.safetensors")
    with pytest.raises(ValueError, match="positions for 10"):
        one_way_protocol.check(length=9, checkpoint=path, thought=4)
    (outcome,) = one_way_protocol.check(checkpoint=path, thought=3)
    assert outcome.length == 7
    assert outcome.variant.endswith("float32, then 3 tokens written")
