"""Decoding by steps against running the whole prefix again, 1,000 tokens: python benchmarks/decoding.py [name ..].

    one, many   2 layers of every mixer, width 64, 4 heads, and two hybrids: 1 prompt, and 16 prompts together
    paper       the second paper's Transformer and hybrid of 0.5M parameters (RMSNorm, rope, SwiGLU): 16 prompts
    prompts     the state after prompts of 400 tokens, 16 together: in parallel, against one step a token

Names choose sections, by default all. The slow way runs the prefix through `forward` for every token it generates; here for
every 100th of them, with 100 times the weight (its time grows evenly with the prefix). It is shown twice: with all positions
read out, and with the last block and the read-out at the last position only, which is the least that it can do. The ways take
turns, A B A B, in one process; printed are medians of CPU seconds over 3 rounds and their ratios. float32, one thread.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from seqsep.mixers import BY_NAME
from seqsep.model import LLAMA, Model
from seqsep.model.decode import generate

TOKENS = 1_000
EVERY = 100
ROUNDS = 3
HYBRIDS = (("mamba", "attention"), ("sliding-attention", "gated-delta"))
PAPER = {"Transformer": ("attention",) * 8, "hybrid": (*("mamba",) * 12, "attention")}


def cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def turns(*ways: Callable[[], object]) -> list[float]:
    """Median CPU seconds of each way."""
    for way in ways:
        way()
    rounds = [[cpu_seconds(way) for way in ways] for _ in range(ROUNDS)]
    return [statistics.median(seconds) for seconds in zip(*rounds, strict=True)]


def prefixes(model: Model, text: Tensor, is_last_only: bool) -> Callable[[], object]:
    """The forward passes of the slow way over every 100th prefix."""

    @torch.inference_mode()
    def way() -> None:
        for time_read in range(EVERY // 2, TOKENS, EVERY):
            inputs = text[:, :time_read]
            if is_last_only:
                model(inputs, at=torch.full((len(inputs),), time_read - 1))
            else:
                model(inputs)

    return way


def compare(title: str, model: Model, batch: int) -> None:
    """Print a line: seconds by steps, and how many times as long the slow ways take."""
    model.eval()
    prompts = [[number % 7] for number in range(batch)]
    text = torch.tensor([one.tokens for one in generate(model, prompts, (), TOKENS)])
    fast, slow, least = turns(
        lambda: generate(model, prompts, (), TOKENS),
        prefixes(model, text, is_last_only=False),
        prefixes(model, text, is_last_only=True),
    )
    print(
        f"    {title:<32} {fast:7.2f} s   whole prefix {EVERY * slow:8.1f} s, ratio {EVERY * slow / fast:6.1f}   "
        f"last position only {EVERY * least:8.1f} s, ratio {EVERY * least / fast:6.1f}",
        flush=True,
    )


def build(layers: Sequence[str], **further: object) -> Model:
    torch.manual_seed(0)
    return Model.build(80, 80, TOKENS + 1, layers=layers, width=64, embedding_scale=1.0, weight_scale=0.1, **further)


def two_layers(batch: int) -> None:
    print(f"{TOKENS:,} tokens behind {batch} prompts of 1 token, 2 layers, width 64")
    for layers in [*((name, name) for name in BY_NAME), *HYBRIDS]:
        compare("+".join(layers), build(layers), batch)


def paper() -> None:
    print(f"{TOKENS:,} tokens behind 16 prompts of 1 token, the paper's models of 0.5M")
    for name, layers in PAPER.items():
        compare(name, build(layers, positions="rope", design=LLAMA), 16)


@torch.inference_mode()
def by_steps(model: Model, inputs: Tensor) -> None:
    state = model.start(len(inputs))
    for t in range(inputs.shape[1]):
        state = model.advance(inputs[:, t], state, t)[1]


def prompts() -> None:
    print("the state after 16 prompts of 400 tokens, 2 layers, width 64")
    inputs = torch.randint(80, (16, 400), generator=torch.Generator().manual_seed(0))
    for name in BY_NAME:
        model = build((name, name)).eval().requires_grad_(False)
        parallel, stepped = turns(lambda model=model: model.prefill(inputs), lambda model=model: by_steps(model, inputs))
        print(f"    {name:<32} {parallel:7.3f} s   by steps {stepped:7.3f} s, ratio {stepped / parallel:6.1f}", flush=True)


SECTIONS = {"one": lambda: two_layers(1), "many": lambda: two_layers(16), "paper": paper, "prompts": prompts}

if __name__ == "__main__":
    torch.set_num_threads(1)
    for section in sys.argv[1:] or SECTIONS:
        SECTIONS[section]()
