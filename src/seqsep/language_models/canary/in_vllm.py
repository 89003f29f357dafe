"""Ask vLLM in this process: prompts by token numbers, and what it did by its own counters.

vLLM has an environment of its own, in which seqsep has to be installed too. With these settings it reads prompts in chunks, and
keeps a cache of prefixes if it can.
"""

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.language_models.canary.over_http import AT_ONCE, NEEDS
from seqsep.language_models.engines.protocol import EngineFails

SETTINGS: Mapping[str, Any] = {
    "enforce_eager": True,
    "max_model_len": 4224,
    "max_num_seqs": 32,
    "max_num_batched_tokens": 256,
    "disable_log_stats": False,
}
"""The longest prompt of `long` fits. A prompt of more than 256 tokens is read in chunks."""
IN_THIS_PROCESS = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
COUNTERS = {"cached tokens": "vllm:prefix_cache_hits", "preemptions": "vllm:num_preemptions"}
"""For each counter, its name in vLLM."""
STEPS = "vllm:iteration_tokens_total"


class VllmMissing(OSError):
    """The package vLLM is not installed."""


class VllmAsked:
    """A canary that vLLM has loaded in this process.

    Arguments:
        folder: folder of the canary.
        dtype: type of its numbers.

    Raises VllmMissing if vLLM is not installed, and BadInput if it does not load the canary.
    """

    def __init__(self, folder: Path | str, dtype: str) -> None:
        os.environ.update(IN_THIS_PROCESS)
        try:
            self.library: Any = import_module("vllm")
        except ImportError as error:
            raise VllmMissing("--vllm needs vLLM, which is not installed; install it and seqsep in one environment") from error
        try:
            self.model = self.library.LLM(model=str(folder), dtype=dtype, **SETTINGS)
        except Exception as error:
            raise BadInput(f"--vllm: vLLM does not load {folder}: {excerpt(text_of(error))}") from error
        self._counted = self._counters()
        self._answers = 0

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each prompt; the prompts are handed over together."""
        settings = self.library.SamplingParams(temperature=0, max_tokens=count, ignore_eos=True)
        asked = [{"prompt_token_ids": list(prompt)} for prompt in prompts]
        try:
            answers = self.model.generate(asked, settings, use_tqdm=False)
        except Exception as error:
            raise EngineFails(f"vLLM: {excerpt(text_of(error))}") from error
        found = [[int(token) for token in answer.outputs[0].token_ids] for answer in answers]
        self._answers += sum(map(len, found))
        return found

    def not_exercised(self, scenario: str) -> str | None:
        """Return why vLLM's counters do not show that a scenario happened."""
        before, self._counted = self._counted, self._counters()
        answers, self._answers = self._answers, 0
        if scenario == "together":
            return None if self._counted[STEPS] - before[STEPS] < answers else f"vLLM shows no {AT_ONCE}"
        counter = NEEDS.get(scenario)
        if counter is None or self._counted[counter] > before[counter]:
            return None
        return f"no {counter}"

    def _counters(self) -> dict[str, float]:
        """Read the counters and the number of steps; 0 for one that vLLM does not have."""
        read = {metric.name: getattr(metric, "value", getattr(metric, "count", 0)) for metric in self.model.get_metrics()}
        return {STEPS: read.get(STEPS, 0), **{counter: read.get(name, 0) for counter, name in COUNTERS.items()}}
