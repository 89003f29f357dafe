"""A plug-in is known by its class and the bytes of its file; a wrong name is bad input."""

import json
import re
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.run import Run
from seqsep.models.mixers import Block
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.load import PlugInFails, load
from support.plug_ins import GOOD, run_of


def test_what_a_class_says_of_its_block_and_takes_is_heeded() -> None:
    model = run_of(f"{GOOD}:Sum", f"{GOOD}:Mean", heads=2).model()
    first, second = model.blocks
    assert (first.mixer.layer.heads, first.mixer.layer.another) == (2, "default")
    assert first.mlp is not None
    assert second.mlp is None
    assert UserLayer.parse(f"{GOOD}:Mean").build(8, 2).block == Block()
    assert model.state_bits() == (8 * 32, 8 * 32)


def test_the_key_is_that_of_the_class_and_the_files_bytes(tmp_path: Path) -> None:
    here, there = (tmp_path / name for name in ("a.py", "b.py"))
    here.write_text(GOOD.read_text())
    there.write_text(GOOD.read_text())
    keys = [run_of(f"{path}:{name}").key() for path in (here, there) for name in ("Sum", "Mean")]
    assert keys[:2] == keys[2:]
    assert keys[0] != keys[1]
    there.write_text(GOOD.read_text() + "\n")
    assert run_of(f"{there}:Sum").key() != keys[0]
    configuration = run_of(f"{here}:Sum").configuration()
    assert re.fullmatch(r"Sum@[0-9a-f]{64}", configuration["layers"][0])
    read = Run.from_configuration(json.loads(json.dumps(configuration)))
    assert (read, read.key(), read.files()) == (run_of(f"{here}:Sum"), keys[0], {})
    with pytest.raises(PlugInFails, match="expected the file of Sum"):
        read.model()


def test_a_file_that_changes_during_a_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "layer.py"
    path.write_text(GOOD.read_text())
    layer = UserLayer.parse(f"{path}:Sum")
    path.write_text(GOOD.read_text() + "\n")
    with pytest.raises(PlugInFails, match=r"expected SHA-256 .* the file has changed meanwhile"):
        load(layer)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer.py", r"layer.py: expected FILE.py:CLASS, as in layer.py:MyLayer"),
        (
            f"{GOOD}:Summ",
            r"expected a class Summ in .*good.py, found the classes Mean, Parity, Recurrent, Seen.* Stepping, Sum",
        ),
        ("{folder}/broken.py:Sum", r"broken.py:Sum: expected a Python file, found in line 2: .*"),
    ],
)
def test_a_wrong_name_is_bad_input(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.py").write_text("import torch\nclass Sum(:\n")
    text = text.replace("{folder}", str(tmp_path))
    for command in (["check"], ["run", "index-lookup-architectures", "--dry-run"]):
        assert main([*command, "--mixer", text]) == 2
        assert re.search(message, capsys.readouterr().err)
    with pytest.raises(ValueError, match=message):
        run_of(text)


def test_a_file_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", "nowhere/layer.py:Mine"]) == 2
    assert capsys.readouterr().err == "seqsep check: nowhere/layer.py: No such file or directory\n"
