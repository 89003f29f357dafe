"""Models of flash-linear-attention under the laws, as far as they go where the package is not installed.

What holds in them is tried by tests/long_flash_linear_laws.py, whose row tests/test_verify.py watches.
"""

import json
import sys
from types import ModuleType

import pytest

from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.loader.double import in_float64
from seqsep.language_models.loader.flash_linear import import_models


@pytest.fixture
def absent(monkeypatch):
    """The package and Triton are not there, and the switch is put back."""
    monkeypatch.setenv("TRITON_INTERPRET", "")
    monkeypatch.delitem(sys.modules, "fla", raising=False)
    for name in ("triton", "fla.models"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("absent")
def test_the_missing_package_is_named(tmp_path, capsys):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": "gla", "hidden_size": 16}))
    assert main(["check", "--model", str(config)]) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"seqsep check: {config}: model_type 'gla' is of flash-linear-attention, which is not installed (")
    assert said.endswith("); pip install '.[hf,gpu]' triton in a clone of seqsep\n")
    assert said.count("\n") == 1


@pytest.mark.usefixtures("absent")
def test_kernels_that_are_compiled_already_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fla", ModuleType("fla"))
    with pytest.raises(BadInput, match=r"c\.json: .* imported before and compiles its kernels; set TRITON_INTERPRET=1 before"):
        import_models("c.json", "gla")


def test_a_shared_name_is_of_the_library_that_wrote_the_file(tmp_path, capsys, absent):
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "vocab_size": 16, "state_size": 2}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": "mamba", **sizes, "fuse_norm": True}))
    assert main(["check", "--model", str(config)]) == 3
    assert "is of flash-linear-attention" in capsys.readouterr().err


def test_interpreted_kernels_sum_in_float64(monkeypatch):
    language = ModuleType("triton.language")
    language.float32, language.float64 = "32", "64"
    monkeypatch.setitem(sys.modules, "triton.language", language)
    with in_float64():
        assert language.float32 == "64"
    assert language.float32 == "32"
