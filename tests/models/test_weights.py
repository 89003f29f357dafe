"""A model comes back from its file with the same weights; a file that says something else is refused in one line."""

import json

import pytest
import torch
from safetensors.torch import save_file

from seqsep.models.mixers import MIXERS
from seqsep.models.model import Model
from seqsep.models.weights import describe, load_model

LAYERS = tuple(mixer.name for mixer in MIXERS)


def written(path, model, **changed):
    tensors = {f"model.{name}": part.contiguous() for name, part in model.state_dict().items()}
    save_file(tensors | {"optimizer.0.step": torch.zeros(1)}, path, describe(model) | changed)
    return path


def small(layers=("linear-attention", "lstm"), heads=2):
    torch.manual_seed(0)
    return Model.build(7, 3, 9, layers, 8, heads, 1.0)


@pytest.mark.parametrize("layers", [*((name,) for name in LAYERS), LAYERS])
@pytest.mark.parametrize("double", [False, True])
def test_a_model_comes_back_in_its_own_precision(tmp_path, layers, double):
    model = small(layers)
    model = model.double() if double else model
    back = load_model(written(tmp_path / "a", model))
    tokens = torch.arange(7)[None]
    assert torch.equal(back(tokens), model(tokens))
    assert not back.training
    assert [block.mixer.name for block in back.blocks] == list(layers)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"layers": "lstm"}, "expected metadata layers"),
        ({"heads": "two"}, "expected metadata layers"),
        ({"layers": "[" * 100_000}, "expected metadata layers"),
        ({"heads": "9" * 4_000}, "heads must divide width"),
        ({"layers": '"lstm"'}, "layers: expected a JSON list"),
        ({"layers": json.dumps(["lstm"] * 10_000)}, "layers: expected a JSON list"),
        ({"layers": '["lstm", "nothing"]'}, "unknown mixer 'nothing'"),
        ({"layers": '["lstm", "lstm"]'}, r"model\.blocks\.0\.mixer\.cells"),
        ({"layers": '["linear-attention"]'}, r"model\.blocks\.1\.mixer\.cells.* expected no tensor"),
        ({"layers": '["lstm", "Mine@3520c134"]'}, "expected only mixers of seqsep; .* found Mine, a layer of a file"),
        ({"heads": "3"}, "heads must divide width"),
        ({"heads": "0"}, "heads must divide width"),
    ],
)
def test_metadata_that_does_not_fit_is_refused(tmp_path, changed, message):
    with pytest.raises(ValueError, match=message) as refused:
        load_model(written(tmp_path / "a", small(), **changed))
    assert str(refused.value).startswith(str(tmp_path / "a"))


def test_files_that_are_no_models_are_refused(tmp_path):
    path = tmp_path / "a"
    with pytest.raises(FileNotFoundError):
        load_model(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="expected a safetensors file"):
        load_model(path)
    save_file({"model.x": torch.zeros(2)}, path)
    with pytest.raises(ValueError, match="found none"):
        load_model(path)
    save_file({"model.x": torch.zeros(2)}, path, describe(small()))
    with pytest.raises(ValueError, match=r"expected a JSON list|tokens\.weight: expected a matrix"):
        load_model(path)
    with pytest.raises(ValueError, match="one precision"):
        load_model(written(path, small().half()))


def test_no_memory_is_taken_for_shapes_not_in_the_file(tmp_path):
    """A readout that claims a width of 2^20 would make an LSTM of 2^45 bytes; the shapes are compared first."""
    path, model = tmp_path / "a", small(("lstm",))
    tensors = {f"model.{name}": part for name, part in model.state_dict().items()}
    save_file(tensors | {"model.readout.weight": torch.zeros(1, 1 << 20)}, path, describe(model))
    with pytest.raises(ValueError, match="expected shape"):
        load_model(path)
