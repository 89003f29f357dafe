"""A run in bfloat16: what is computed so, what stays float32, and the same accuracy on index lookup."""

import pytest
import torch

from seqsep.lab import step as one_step
from seqsep.lab.run import Run
from seqsep.lab.train import train
from seqsep.models.mixers import MIXERS
from seqsep.tasks import BoundedDyck, IndexLookup
from support.bfloat16 import require_bfloat16

SHAPE = {"task": BoundedDyck(6), "layers": ("attention",), "width": 8, "heads": 2}
SHORT = {"width": 16, "heads": 2, "steps": 3, "batch": 8, "evaluate_every": 3, "evaluation": 20}


def test_float32_leaves_the_key_as_it_was_and_bfloat16_enters_it():
    plain, low = Run(**SHAPE, dtype="float32"), Run(**SHAPE, dtype="bfloat16")
    assert plain == Run(**SHAPE)
    assert "dtype" not in plain.configuration()
    lstm = Run(**SHAPE | {"layers": ("lstm",)}, dtype="float32", positions="default")
    assert lstm.key() == LSTM_KEY
    assert low.key() != plain.key()
    assert Run.from_configuration(low.configuration()) == low


LSTM_KEY = "47a03319a378fac8a15d4c81a5af333659b3569cc85084d2261b601dda7331f0"


def test_another_precision_is_refused():
    configuration = Run(**SHAPE).configuration() | {"dtype": "float16"}
    with pytest.raises(ValueError, match="float16"):
        Run.from_configuration(configuration)


@pytest.mark.parametrize("task", [IndexLookup(9), BoundedDyck(8)], ids=lambda task: task.name)
@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_every_mixer_trains_in_bfloat16(mixer, task):
    """Products in bfloat16; weights, optimizer, loss and the counted state as in float32; losses agree to its precision."""
    require_bfloat16(mixer.name)
    results = {}
    for dtype in ("float32", "bfloat16"):
        model, results[dtype] = train(Run(task, (mixer.name,), dtype=dtype, **SHORT))
        assert {part.dtype for part in model.parameters()} == {torch.float32}
    low, full = results["bfloat16"], results["float32"]
    assert low.state_bits == full.state_bits
    assert low.curve[-1].loss_nats == pytest.approx(full.curve[-1].loss_nats, abs=0.02)
    assert low.curve[-1].loss_nats != full.curve[-1].loss_nats


def test_products_are_bfloat16_and_logits_float32(monkeypatch):
    seen, inside, linear = set(), [], torch.nn.functional.linear
    kept = one_step.logits_at

    def watched(x, weight, bias=None):
        y = linear(x, weight, bias)
        if inside:
            seen.add(y.dtype)
        return y

    def logits_at(model, questions):
        inside.append(True)
        logits = kept(model, questions)
        inside.clear()
        assert logits.dtype == torch.float32
        return logits

    monkeypatch.setattr(torch.nn.functional, "linear", watched)
    monkeypatch.setattr(one_step, "logits_at", logits_at)
    train(Run(IndexLookup(9), ("attention",), dtype="bfloat16", **SHORT))
    assert seen == {torch.bfloat16}
    seen.clear()
    train(Run(IndexLookup(9), ("attention",), **SHORT))
    assert seen == {torch.float32}


def test_a_resumed_run_continues_bit_for_bit(tmp_path):
    run = Run(IndexLookup(9), ("attention",), dtype="bfloat16", **SHORT | {"steps": 6})
    digests = []
    model, whole = train(run, tmp_path / "a", on_checkpoint=lambda step, digest: digests.append(digest))
    again, resumed = train(run, tmp_path / "a", resume_digest=digests[-1])
    assert len(digests) == 1
    assert resumed == whole
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), again.parameters(), strict=True))


@pytest.mark.slow
def test_accuracy_on_index_lookup_is_the_same():
    """Attention at N = 10; float32 and bfloat16 both solve it."""
    for dtype in ("float32", "bfloat16"):
        run = Run(
            IndexLookup(10, 16),
            ("attention",),
            width=32,
            steps=600,
            evaluation=500,
            evaluate_every=50,
            target=0.99,
            dtype=dtype,
        )
        assert train(run)[1].accuracy >= 0.99, dtype


def test_a_processor_without_an_lstm_in_bfloat16_is_named(monkeypatch):
    """PyTorch's words for a primitive that oneDNN has not become one line that says what to do; other errors stay."""
    from seqsep.models.mixers.lstm import LSTM

    layer = LSTM(4)
    for words, kind, expected in (
        ("could not create a primitive descriptor for the LSTM forward propagation primitive", ValueError, "take float32"),
        ("mat1 and mat2 shapes cannot be multiplied", RuntimeError, "mat1 and mat2"),
    ):

        def fails(*_, words=words):
            raise RuntimeError(words)

        monkeypatch.setattr(layer.cells, "forward", fails)
        with pytest.raises(kind, match=expected):
            layer(torch.zeros(1, 3, 4))
        with pytest.raises(kind, match=expected):
            layer.prefill(torch.zeros(1, 3, 4), layer.start(1), t=0)
