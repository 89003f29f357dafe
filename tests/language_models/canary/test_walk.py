"""The walk canary in `transformers`: every greedy answer is the oracle's, in each type, at once and token by token."""

from pathlib import Path

import numpy as np
import pytest
import torch

from seqsep.language_models.canary.folder import TYPES, write_canary
from seqsep.theorems.canary import CANARIES

transformers = pytest.importorskip("transformers")
CANARY = CANARIES["walk-qwen3-next"]
UNITS = {"float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}


@pytest.mark.parametrize("dtype", TYPES)
def test_the_walk_is_right_and_leads(dtype: str, tmp_path: Path) -> None:
    """A prompt of 100 tokens is read at once and 20 more are decoded, one at a time."""
    model = transformers.AutoModelForCausalLM.from_pretrained(write_canary(CANARY.name, tmp_path / dtype, dtype))
    prompt = CANARY.conversation(99, np.random.default_rng(4))
    prompt.append(next(token for token in reversed(prompt) if CANARY.words[token].startswith("q")))
    decoded = CANARY.continued(prompt, 20)
    cache = transformers.DynamicCache(config=model.config)
    logits = []
    for read in (prompt, *([token] for token in decoded)):
        with torch.no_grad():
            logits.append(model(torch.tensor([read]), past_key_values=cache, use_cache=True).logits[0].float())
    rows = torch.cat(logits)
    assert rows.argmax(-1).tolist() == CANARY.truth([*prompt, *decoded])
    first, second = rows.topk(2, dim=-1).values.T
    assert float(((first - second) / first).min()) >= CANARY.proved_lead(len(rows), UNITS[dtype])
