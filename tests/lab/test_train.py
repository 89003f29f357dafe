"""The training loop against its formulas: Adam with its rates, the examples of every evaluation, the losses."""

import math

import pytest
import torch
import torch.nn.functional as F

from seqsep.lab.run import Run
from seqsep.lab.step import NO_SET, asked, predicted, total_loss
from seqsep.lab.train import evaluate, train, training_batches
from seqsep.tasks import EVERY_CLASS, NOTHING_ASKED, Equality, IndexLookup

pytestmark = pytest.mark.unchecked  # the other tests of the loop run it with shapes checked
TASK = IndexLookup(5, alphabet=4)


def run_of(**changed) -> Run:
    return Run(
        **{"task": TASK, "layers": ("lstm",), "width": 8, "steps": 3, "batch": 4, "evaluate_every": 3, "evaluation": 30}
        | changed
    )


def by_formula(run: Run) -> list[torch.Tensor]:
    """Kingma and Ba 2015, algorithm 1, with beta_1 = 0.9, beta_2 = 0.999 and epsilon = 1e-8, on the run's batches."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(run.seed)
        model = run.model()
    weights = list(model.parameters())
    first = [torch.zeros_like(weight) for weight in weights]
    second = [torch.zeros_like(weight) for weight in weights]
    for step, batch in enumerate(training_batches(run, 0)):
        logits = model(torch.from_numpy(batch.inputs))[:, -1]
        loss = F.cross_entropy(logits, torch.from_numpy(batch.targets[:, -1]))
        rate = run.learning_rate * (1 - step / run.steps)
        for weight, m, v, gradient in zip(weights, first, second, torch.autograd.grad(loss, weights), strict=True):
            m.mul_(0.9).add_(0.1 * gradient)
            v.mul_(0.999).add_(0.001 * gradient**2)
            change = (m / (1 - 0.9 ** (step + 1))) / ((v / (1 - 0.999 ** (step + 1))).sqrt() + 1e-8)
            weight.data.sub_(rate * change)
    return weights


def test_an_update_is_adams_at_the_rate_of_the_step():
    """Three steps with rates 1, 2/3 and 1/3 of the first one, from the weights of the seed."""
    run = run_of(decay="linear", learning_rate=0.01, seed=3)
    model, _ = train(run)
    for ours, expected in zip(model.parameters(), by_formula(run), strict=True):
        assert torch.allclose(ours, expected, atol=2e-5)
    other, _ = train(run_of(decay="constant", learning_rate=0.01, seed=3))
    apart = [float((a - b).abs().max().detach()) for a, b in zip(model.parameters(), other.parameters(), strict=True)]
    assert max(apart) > 2e-3


def test_a_run_converges_when_its_accuracy_equals_its_target():
    """With one symbol every answer is right, so the accuracy is 1 at the first evaluation."""
    _, result = train(run_of(task=IndexLookup(2, alphabet=1), target=1.0, evaluate_every=1))
    assert (result.status, result.steps) == ("converged", 1)


@pytest.mark.parametrize("decay", ["linear", "cosine"])
def test_the_rate_is_zero_one_step_after_the_last(decay):
    run = run_of(steps=8, decay=decay, learning_rate=0.3)
    assert run.rate_at(0) == 0.3
    assert 0 < run.rate_at(7) < run.rate_at(6)
    assert run.rate_at(8) == pytest.approx(0, abs=1e-17)


def test_every_run_is_evaluated_on_the_same_examples():
    """The first examples of the evaluation stream under seed 0, whatever the run's seed: accuracy and loss by hand."""
    batch = TASK.sample(0, 30, 0, evaluate=True)
    targets = torch.from_numpy(batch.targets[:, -1])
    for seed in (0, 7):
        run = run_of(seed=seed)
        torch.manual_seed(seed)
        model = run.model()
        with torch.no_grad():
            logits = model(torch.from_numpy(batch.inputs))[:, -1]
        point = evaluate(run, model, 5)
        assert point.step == 5
        assert point.accuracy == pytest.approx(float((logits.argmax(-1) == targets).double().mean()), abs=1e-12)
        assert point.loss_nats == pytest.approx(float(F.cross_entropy(logits, targets)), rel=1e-5)


def test_blocks_hold_whole_batches_and_the_last_what_is_left():
    """4,096 examples at once, so 6 steps of 1,024 are blocks of 4 and 2; a resumed run goes on at its step."""
    run = run_of(steps=6, batch=1024)
    batches = list(training_batches(run, 0))
    assert [len(batch.lengths) for batch in batches] == [1024] * 6
    for step, batch in enumerate(batches):
        assert (batch.inputs == TASK.sample(1024 * step, 1024, 0).inputs).all()
    assert [
        (batch.inputs == again.inputs).all() for batch, again in zip(batches[5:], training_batches(run, 5), strict=True)
    ] == [True]


@pytest.mark.parametrize(("batch", "steps", "blocks"), [(100, 50, [4000, 1000]), (4097, 2, [4097, 4097])])
def test_a_block_has_no_more_examples_than_its_limit(monkeypatch, batch, steps, blocks):
    """Unless a batch has more."""
    sizes = []
    honest = IndexLookup.sample

    def sample(task, first, count, *given):
        sizes.append(count)
        return honest(task, first, count, *given)

    monkeypatch.setattr(IndexLookup, "sample", sample)
    run = Run(IndexLookup(2), ("attention",), width=8, steps=steps, batch=batch)
    assert [len(one.lengths) for one in training_batches(run, 0)] == [batch] * steps
    assert sizes == blocks


def test_a_set_of_classes_is_predicted_by_positive_logits():
    """One class, all of them, or no set that is asked for; a logit of 0 is not positive. The loss is the mean over classes."""
    task = Equality(8, "next")
    assert task.loss != "cross-entropy"
    logits = torch.tensor([[-1.0, 2.0, 0.0], [1.0, 2.0, 0.5], [1.0, 2.0, -0.5], [-1.0, -2.0, 0.0]])
    assert predicted(task, logits).tolist() == [1, EVERY_CLASS, NO_SET, NO_SET]
    assert NO_SET not in (EVERY_CLASS, NOTHING_ASKED, 0, 1, 2)
    targets = torch.tensor([1, EVERY_CLASS, 0, 0])
    wanted = torch.tensor([[0, 1, 0], [1, 1, 1], [1, 0, 0], [1, 0, 0]])
    terms = [
        math.log1p(math.exp(-x if w else x)) for x, w in zip(logits.flatten().tolist(), wanted.flatten().tolist(), strict=True)
    ]
    assert float(total_loss(task, logits, targets)) == pytest.approx(sum(terms) / 3, rel=1e-6)


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    """Paused at step 2 of 4 and gone on with: the weights of the run that was never paused, and the whole curve."""
    run = run_of(steps=4, evaluate_every=1)
    path = tmp_path / "one.safetensors"
    digests = []
    _, paused = train(run, path, None, lambda step, digest: digests.append(digest), until=2)
    model, result = train(run, path, resume_digest=digests[-1])
    uncut, whole_run = train(run)
    assert (paused.steps, result.curve) == (2, whole_run.curve)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), uncut.parameters(), strict=True))


@pytest.mark.parametrize("until", [0, 15, 40, 50])
def test_a_pause_is_at_an_evaluation_before_the_last_step(until):
    with pytest.raises(ValueError, match=f"until={until}.: until is a multiple of evaluate_every, 10, above 0 and below 40"):
        train(run_of(steps=40, evaluate_every=10), until=until)


def test_logits_keep_their_precision():
    """Only those of bfloat16 are made float32, for the loss."""
    run = Run(IndexLookup(5, 4), ("attention",), width=8, heads=2)
    batch = run.task.sample(0, 3, 0)
    for given, expected in ((torch.float64, torch.float64), (torch.float32, torch.float32)):
        logits, _ = asked(run.model().to(given), batch)
        assert logits.dtype == expected
