"""A size is a whole number: from Python too, 8.0 and True are refused in one line, and NumPy's integers are Python's."""

import re

import numpy as np
import pytest
import torch

import seqsep
from seqsep.models.design import Design
from seqsep.models.mixers import MIXERS, Elman
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from seqsep.tasks import TASKS
from support.plug_ins import GOOD

pytestmark = pytest.mark.unchecked  # beartype would refuse first

TASK = seqsep.IndexLookup(length=2, alphabet=2)
RUN = {"task": TASK, "layers": ("lstm",), "width": 4, "steps": 1, "batch": 1, "evaluation": 2}
SIZES_OF_RUN = ("width", "heads", "steps", "batch", "seed", "evaluate_every", "evaluation", "warm_up", "hidden", "live")
NUMBERS_OF_RUN = ("learning_rate", "embedding_scale", "weight_scale", "target")
CONFIG = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 1, "vocab_size": 16}
LOOKUP = "index-lookup-attention"


def model() -> seqsep.Model:
    return seqsep.Model.build(vocabulary=4, classes=2, longest=3, layers=("lstm",), width=4)


CALLS = {
    "ceiling": lambda size: seqsep.ceiling(TASK, size),
    "first_bitten_length": lambda size: seqsep.first_bitten_length(TASK, size),
    "first_bitten_length, a token": lambda size: seqsep.first_bitten_length(TASK, 4, size),
    "longest": lambda size: seqsep.longest(TASK, size, 0.9),
    "check": lambda size: seqsep.check("index-lookup-state", length=size, alphabet=2),
    "check, seed": lambda size: seqsep.check("index-lookup-state", length=2, alphabet=2, seed=size),
    "bound": lambda size: seqsep.bound("index-lookup-state", length=size, alphabet=2),
    "build": lambda size: seqsep.build(LOOKUP, length=size, alphabet=2),
    "apply": lambda size: list(seqsep.apply(LOOKUP, [], length=size, alphabet=2)),
    "certify": lambda size: seqsep.certify("index-lookup-state", length=size, alphabet=2),
    "capacity": lambda size: seqsep.capacity(CONFIG, tensor_parallel=size),
    "capacity, blocks": lambda size: seqsep.capacity(CONFIG, block_size=size),
    "analyze": lambda size: seqsep.analyze(sum, [size]),
    "analyze, alphabet": lambda size: seqsep.analyze(sum, [2], alphabet=size),
    "analyze, precisions": lambda size: seqsep.analyze(sum, [2], precisions=[size]),
    "classify, alphabet": lambda size: seqsep.classify(lambda word: True, alphabet=size),
    "classify, length": lambda size: seqsep.classify(lambda word: True, length=size),
    "train": lambda size: seqsep.train(seqsep.Run(**RUN), threads=size),
    "audit": lambda size: seqsep.audit(model(), TASK, questions=size),
    "audit, seed": lambda size: seqsep.audit(model(), TASK, seed=size),
    "worst_case": lambda size: seqsep.worst_case(model(), TASK, questions=size),
    "worst_case, seed": lambda size: seqsep.worst_case(model(), TASK, seed=size),
    "audit_language_model": lambda size: seqsep.audit_language_model("/nowhere", entries=size),
    "check_language_model": lambda size: seqsep.check_language_model("/nowhere", seed=size),
    "Model.build": lambda size: seqsep.Model.build(4, 2, 3, ("lstm",), width=size),
    "Design": lambda size: Design(hidden=size),
    "UserTask": lambda size: UserTask.of(PlugIn.parse(f"{GOOD}:Parity"), size),
    "Elman": lambda size: Elman(size),
}


def refused(call, size):
    """The message with which a call refuses a size."""
    with pytest.raises(ValueError, match=r"whole number") as error:
        call(size)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("size", [8.0, 4.5, True, "8"])
@pytest.mark.parametrize("name", CALLS)
def test_a_public_function_refuses_what_is_no_size(name, size):
    refused(CALLS[name], size)


@pytest.mark.parametrize("size", [8.0, True])
@pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.name)
def test_tasks_refuse_what_is_no_size(kind, size):
    """Their fields, and the start, count and seed of a sample."""
    whole = [name for name, declared in kind.__annotations__.items() if declared is int]
    for name in ("length", *whole):
        message = refused(lambda given, name=name: kind(**{"length": 4, name: given}), size)
        assert re.fullmatch(rf"{kind.__name__}\(.*{name}={size}.*\): {name} is a whole number, found {size}", message)
    task = kind(length=4)
    for name in ("start", "count", "seed"):
        message = refused(lambda given, name=name: task.sample(**{"start": 0, "count": 1, "seed": 0, name: given}), size)
        assert message == f"sample: {name}: expected a whole number, found {size}"
    examples = task.sample(np.int64(1), np.int64(2), np.int64(0))
    assert np.array_equal(examples.inputs, task.sample(1, 2, 0).inputs)


@pytest.mark.parametrize("size", [8.0, True])
@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_mixers_refuse_what_is_no_size(mixer, size):
    assert refused(lambda given: mixer(given, 4), size).startswith(f"{mixer.__name__}: width: expected a whole number")
    assert refused(lambda given: mixer(8, given), size).startswith(f"{mixer.__name__}: heads: expected a whole number")
    torch.manual_seed(0)
    mixer(np.int64(8), np.int64(2))


def test_a_run_refuses_fields_of_another_type():
    for name in SIZES_OF_RUN:
        for size in (1.0, 1.5, True, "1"):
            message = refused(lambda given, name=name: seqsep.Run(**RUN | {name: given}), size)
            assert message == f"Run(task=index-lookup, layers=('lstm',), ...): {name} is a whole number, found {size!r}"
    for name in NUMBERS_OF_RUN:
        with pytest.raises(ValueError, match=f"{name} is a number, found True"):
            seqsep.Run(**RUN | {name: True})
    with pytest.raises(ValueError, match="biases is True or False, found 0"):
        seqsep.Run(**RUN | {"biases": 0})


def test_a_number_of_numpy_leaves_the_key_of_a_run():
    numbers = {name: np.int64(value) for name, value in {**RUN, "seed": 3}.items() if isinstance(value, int)}
    assert seqsep.Run(**RUN | numbers).key() == seqsep.Run(**RUN | {"seed": 3}).key()
    source = PlugIn.parse(f"{GOOD}:Parity")
    own = [UserTask.of(source, number(6), kinds=number(4)) for number in (int, np.int64)]
    assert seqsep.Run(**RUN | {"task": own[0]}).key() == seqsep.Run(**RUN | {"task": own[1]}).key()
    layers = (name for name in RUN["layers"])
    assert seqsep.Run(**RUN | {"layers": layers}).key() == seqsep.Run(**RUN).key()


def test_a_call_without_an_argument_is_pythons_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'run'"):
        seqsep.train()
