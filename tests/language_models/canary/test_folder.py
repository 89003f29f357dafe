"""A canary's folder in `transformers`: every greedy answer is the oracle's, in each type and with each kind of attention."""

from pathlib import Path

import numpy as np
import pytest
import torch

from seqsep.commands.canary import TYPES as TYPES_OF_THE_COMMAND
from seqsep.core.names import BadInput
from seqsep.language_models.canary.folder import TYPES, UNITS, proved_types, write_canary
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.conversations import conversation

transformers = pytest.importorskip("transformers")
DIGESTS = {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"}


@pytest.fixture(scope="module", params=TYPES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_canary("llama", tmp_path_factory.mktemp("canary") / request.param, request.param)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_every_answer_is_right_and_leads(folder: Path, attention: str) -> None:
    canary = CANARIES["llama"]
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation=attention, trust_remote_code=False)
    assert str(model.dtype) == f"torch.{folder.name}"
    for seed in range(3):
        tokens = conversation(300, np.random.default_rng(seed))
        oracle = canary.oracle()
        answers = [oracle.read(token) for token in tokens]
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0].float()
        assert logits.argmax(-1).tolist() == answers
        first, second = logits.topk(2, dim=-1).values.T
        assert float(((first - second) / first).min()) >= canary.proved_lead(300, UNITS[folder.name])


def test_generate_gives_the_known_tokens(folder: Path) -> None:
    canary = CANARIES["llama"]
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokens = [*conversation(120, np.random.default_rng(5)), 37]
    written = model.generate(torch.tensor([tokens]), max_new_tokens=100, min_new_tokens=100, do_sample=False)
    assert written[0, len(tokens) :].tolist() == canary.continued(tokens, 100)


def test_the_tokenizer_reads_words(folder: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert tokenizer("<bos> k3 v1 q3").input_ids == [1, 16, 9, 40]
    assert tokenizer.decode([7, 11]) == "a1 back"


def test_the_same_canary_has_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = write_canary("llama", tmp_path / "again", folder.name)
    assert {path.name for path in again.iterdir()} == DIGESTS
    assert all((again / name).read_bytes() == (folder / name).read_bytes() for name in DIGESTS)


def test_a_folder_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(BadInput, match="expected a new or an empty folder"):
        write_canary("llama", tmp_path)
    with pytest.raises(BadInput, match="dtype: expected one of float32"):
        write_canary("llama", tmp_path / "new", "float8")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_type_without_a_proof_is_refused(dtype: str, tmp_path: Path) -> None:
    """From Python as on the command line; nothing is written."""
    with pytest.raises(BadInput, match=f"dtype {dtype}: the answers of walk-llama are proved in float32 only"):
        write_canary("walk-llama", tmp_path / "walk", dtype)
    assert not (tmp_path / "walk").exists()
    assert proved_types("walk-llama") == ["float32"]
    assert proved_types("llama") == list(TYPES)
    assert UNITS == TYPES_OF_THE_COMMAND
