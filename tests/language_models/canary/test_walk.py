"""The canaries that walk in `transformers`: every greedy answer is the oracle's, at once and token by token."""

from pathlib import Path

import numpy as np
import pytest
import torch

from seqsep.language_models.canary.folder import proved_types, write_canary
from seqsep.language_models.canary.serving import CACHE_NAMES
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.walk import STEPS

transformers = pytest.importorskip("transformers")
UNITS = {"float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in CANARIES if name.startswith("walk-") for dtype in proved_types(name)],
)
def test_the_walk_is_right_and_leads(name: str, dtype: str, tmp_path: Path) -> None:
    """A prompt of 100 tokens is read at once and 20 more are decoded, one at a time."""
    canary = CANARIES[name]
    model = transformers.AutoModelForCausalLM.from_pretrained(write_canary(name, tmp_path / dtype, dtype))
    prompt = canary.conversation(99, np.random.default_rng(4))
    prompt.append(next(token for token in reversed(prompt) if canary.words[token].startswith("q")))
    decoded = canary.continued(prompt, 20)
    cache = transformers.DynamicCache(config=model.config)
    where = CACHE_NAMES.get(model.config.model_type, "past_key_values")
    logits = []
    for read in (prompt, *([token] for token in decoded)):
        with torch.no_grad():
            logits.append(model(torch.tensor([read]), use_cache=True, **{where: cache}).logits[0].float())
    rows = torch.cat(logits)
    assert rows.argmax(-1).tolist() == canary.truth([*prompt, *decoded])
    first, second = rows.topk(2, dim=-1).values.T
    assert float(((first - second) / first).min()) >= canary.proved_lead(len(rows), UNITS[dtype])


def test_a_llama_walks_to_the_end_in_float32(tmp_path: Path) -> None:
    """The last 1,000 tokens of the longest conversation: the latest of many equal keys is found."""
    canary = CANARIES["walk-llama"]
    model = transformers.AutoModelForCausalLM.from_pretrained(write_canary(canary.name, tmp_path / "walk"))
    tokens = canary.conversation(canary.longest, np.random.default_rng(0))
    with torch.no_grad():
        found = model(torch.tensor([tokens]), logits_to_keep=1000).logits[0].argmax(-1)
    assert found.tolist() == canary.truth(tokens)[-1000:]


@pytest.mark.parametrize(("dtype", "least"), [("bfloat16", 60), ("float16", 8)])
def test_a_llama_does_not_walk_in_sixteen_bits(dtype: str, least: int, tmp_path: Path) -> None:
    """After 3,000 tokens scores of neighbours are equal by rounding: some steps are answered with older next keys."""
    canary = CANARIES["walk-llama"]
    folder = write_canary(canary.name, tmp_path / "walk")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype))
    tokens = canary.conversation(4000, np.random.default_rng(0))
    with torch.no_grad():
        found = model(torch.tensor([tokens]), logits_to_keep=1000).logits[0].argmax(-1).tolist()
    last = zip(tokens[-1000:], found, canary.truth(tokens)[-1000:], strict=True)
    wrong = [token in STEPS for token, answer, right in last if answer != right]
    assert len(wrong) > least
    assert all(wrong)
