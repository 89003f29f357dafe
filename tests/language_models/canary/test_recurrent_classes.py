"""The canaries with recurrent layers in `transformers`: every greedy answer is the oracle's, in each type and in any cut."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from seqsep.language_models.canary.folder import TYPES, write_canary
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.vocabulary import A1, ABSENT, BOS, FILLER, FIRST_KEY, FIRST_RECALL, V1

transformers = pytest.importorskip("transformers")
UNITS = {"float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}
DIGESTS = {
    "checksum": "d0d9905bc8ed8cacbf1be688d0624dda5511927ec09274b09f4280c381c2b166",
    "olmo-hybrid": "49283dfdd2e143b18b9531433688000ad43e7857ac3209a82c5339f1c344bfc4",
    "mamba2": "7620d1b7367219562b35d58d904df64d1445b2b8bced5ff8e040a0fe3d568022",
    "qwen3-next": "a398fe1b898bcfba2c696243c53a8a7407a57212d818692a12a820b5a01584db",
    "qwen3.5": "a1c68d263c930598eaf8f4ff5967a5a0a2cec4e143e4c53a00a563621808d9ee",
    "granite-4-h": "e18055db499799ce5c202fede4cb2510028a434f5ce052cfc55244002cbf5113",
    "nemotron-h": "b6c6da95eb5317b4ead1cc255198ba5241692f717225b700cf0069fd0a68b60d",
    "falcon-h1": "ae1b166e412834c63b0b25d74677e97036d2b6eea852f14ea1b6ac748300cfa4",
}
"""SHA-256 of the weights in float32, the same on every machine."""
LOSES_CHUNKS = "jamba"
"""In `transformers` 5, Jamba's recurrence begins again in each chunk of more than one token."""


@pytest.fixture(scope="module", params=DIGESTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=TYPES)
def folder(request: pytest.FixtureRequest, name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_canary(name, tmp_path_factory.mktemp(name) / request.param, request.param)


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=False)


def test_every_answer_is_right_and_leads(name: str, folder: Path, model: Any) -> None:
    canary = CANARIES[name]
    assert str(model.dtype) == f"torch.{folder.name}"
    for seed in range(2):
        tokens = canary.conversation(300, np.random.default_rng(seed))
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0].float()
        assert logits.argmax(-1).tolist() == canary.truth(tokens)
        first, second = logits.topk(2, dim=-1).values.T
        assert float(((first - second) / first).min()) >= canary.proved_lead(300, UNITS[folder.name])


def test_every_answer_is_right_in_chunks_and_steps(name: str, model: Any) -> None:
    canary = CANARIES[name]
    tokens = canary.conversation(120, np.random.default_rng(9))
    cache = transformers.DynamicCache(config=model.config)
    where = "cache_params" if name == "mamba2" else "past_key_values"
    answers, start = [], 0
    for size in (69, *[1] * 51) if name == LOSES_CHUNKS else (1, 2, 66, 1, 1, 7, *[1] * 42):
        with torch.no_grad():
            logits = model(torch.tensor([tokens[start : start + size]]), **{where: cache}, use_cache=True).logits
        answers += logits[0].argmax(-1).tolist()
        start += size
    assert start == len(tokens)
    assert answers == canary.truth(tokens)


@pytest.mark.parametrize(("again", "answer"), [(0, A1), (1, A1), (2, ABSENT)])
def test_transformers_reads_a_jamba_wrongly_in_chunks(again: int, answer: int, tmp_path: Path) -> None:
    """If the last tokens are read after the others, one of them finds the value and two do not."""
    model = transformers.AutoModelForCausalLM.from_pretrained(write_canary(LOSES_CHUNKS, tmp_path / "canary"))
    tokens = [BOS, FIRST_KEY, V1, *[FILLER] * 13, FIRST_RECALL]
    assert CANARIES[LOSES_CHUNKS].truth(tokens)[-1] == A1
    cache = transformers.DynamicCache(config=model.config)
    border = len(tokens) - again
    for part in filter(None, (tokens[:border], tokens[border:])):
        with torch.no_grad():
            found = model(torch.tensor([part]), past_key_values=cache, use_cache=True).logits[0, -1].argmax()
    assert int(found) == answer


def test_a_padded_batch_has_the_right_answers(name: str, model: Any) -> None:
    canary = CANARIES[name]
    tokens = canary.conversation(40, np.random.default_rng(3))
    rows = torch.tensor([[0, 0, 0, *tokens], [*tokens, 3, 3, 3]])
    mask = torch.ones_like(rows)
    mask[0, :3] = 0
    with torch.no_grad():
        masked = model(rows, attention_mask=mask, use_cache=False).logits.argmax(-1)
        unmasked = model(rows, use_cache=False).logits.argmax(-1)
    assert masked[0, 3:].tolist() == masked[1, :40].tolist() == canary.truth(tokens)
    assert unmasked[0, 3:].tolist() != canary.truth(tokens)


def test_the_same_canary_has_the_same_bytes(name: str, folder: Path) -> None:
    if folder.name == "float32":
        assert hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() == DIGESTS[name]


def test_an_olmo_hybrid_has_no_rotary_positions(name: str, model: Any) -> None:
    if model.config.model_type == "olmo_hybrid":
        assert model.model.rotary_emb is None
