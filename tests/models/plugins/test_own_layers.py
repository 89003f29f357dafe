"""The layers of examples/: they obey every law and train."""

from pathlib import Path
from textwrap import dedent

import pytest
import torch

from seqsep.lab.engines import validation
from seqsep.lab.train import train
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.load import PlugInFails, load
from support.plug_ins import GOOD, run_of

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_example_of_a_layer_obeys_every_law_and_trains() -> None:
    name = f"{EXAMPLES / 'own_layer.py'}:MovingAverage"
    verdicts = list(validation.verdicts(UserLayer.parse(name), lambda part: None, width=8, heads=2))
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    code = (EXAMPLES / "own_layer.py").read_text().partition('"""\n\n')[2]
    assert len(code.strip().splitlines()) <= 32
    [own, sums] = [run_of(layer, steps=300, learning_rate=0.01, evaluation=200) for layer in (name, f"{GOOD}:Sum")]
    assert train(own)[1].best_accuracy > 0.4 > 0.25  # of 4 symbols
    assert own.key() != sums.key()


@pytest.mark.parametrize("name", ["Seen", "SeenInHalf", "SingleSum"])
def test_states_of_other_types_and_32_bits_obey_every_law(name: str) -> None:
    verdicts = list(validation.verdicts(UserLayer.parse(f"{GOOD}:{name}"), lambda part: None, width=8, heads=2))
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    assert ("finite differences were not taken" in verdicts[-1].where) == (name == "SingleSum")


@pytest.mark.parametrize(
    ("state", "found"),
    [('{"memory": x}', "dict"), ("[x, x]", "list of Tensor, Tensor"), ("(x, 3)", "tuple of Tensor, int"), ("None", "NoneType")],
)
def test_a_state_of_another_kind_is_named_by_its_type(tmp_path: Path, state: str, found: str) -> None:
    code = """
        import torch
        class Layer(torch.nn.Module):
            def __init__(self, width):
                super().__init__()
            def forward(self, x):
                return x
            def start(self, batch):
                x = torch.zeros(batch, 2)
                return STATE
            def step(self, x, state, t):
                return x, state
    """
    file = tmp_path / "layer.py"
    file.write_text(dedent(code).replace("STATE", state))
    mixer = UserLayer.parse(f"{file}:Layer").build(width=4, heads=1)
    expected = f"expected a state that is a tensor or a tuple of tensors, found {found} by start"
    with pytest.raises(PlugInFails, match=f"layer.py:Layer: {expected}$"):
        mixer.start(2)


def flash_linear_attention() -> None:
    pytest.importorskip("fla.layers", reason="flash-linear-attention is not installed", exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")
def test_the_example_of_a_foreign_layer_obeys_every_law() -> None:
    flash_linear_attention()
    name = f"{EXAMPLES / 'flash_linear_attention_layer.py'}:GatedDelta"
    verdicts = list(
        validation.verdicts(UserLayer.parse(name), lambda part: None, validation.WITHOUT_GRADIENTS, width=8, heads=2)
    )
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    result = train(run_of(name))[1]
    assert (result.steps, result.state_bits) == (30, (4 * 2 * 2 * 32, 0))


@pytest.mark.filterwarnings("ignore")
def test_the_foreign_kernels_agree_with_their_reference() -> None:
    flash_linear_attention()
    if not torch.cuda.is_available():
        pytest.skip("the kernels of flash-linear-attention need a GPU")
    layer = load(UserLayer.parse(f"{EXAMPLES / 'flash_linear_attention_layer.py'}:GatedDelta"))(64).cuda()
    x = torch.randn(2, 50, 64, device="cuda")
    expected = layer.reference(x, layer.start(2))[0]
    assert torch.allclose(layer(x), expected, atol=2e-2, rtol=2e-2)
    state = layer.start(2)
    for t in range(50):
        y, state = layer.step(x[:, t], state, t)
        assert torch.allclose(y, expected[:, t], atol=2e-2, rtol=2e-2)
