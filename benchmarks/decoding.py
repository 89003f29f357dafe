"""Decoding by steps against running the whole prefix again, 1,000 tokens: python benchmarks/decoding.py [name ..].

    one, many   2 layers of every mixer, width 64, 4 heads, and two hybrids: 1 prompt, and 16 prompts together
    paper       the second paper's Transformer, Mamba and hybrid of 0.5M parameters (RMSNorm, rope, SwiGLU): 16 prompts
    prompts     the state after prompts of 400 tokens, 16 together: in parallel, against one step a token

Names choose sections, by default all. The slow way runs the prefix through `forward` for every token it generates; here for
every 200th of them, with 200 times the weight (its time grows evenly with the prefix). It is shown twice: with all positions
read out, and with the last block and the read-out at the last position only, which is the least that it can do. The ways take
turns, A B A B, in one process; printed are means of CPU seconds over 2 rounds and their ratios. float32, one thread.
--json FILE writes the numbers of the chosen sections among the first three; results/decoding.json is one such file.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from seqsep.lab.device import processor
from seqsep.models.decode import generate
from seqsep.models.design import LLAMA
from seqsep.models.mixers import BY_NAME
from seqsep.models.model import Model

TOKENS = 1_000
EVERY = 200
ROUNDS = 2
WARM_UP = 50
MANY = 16
HYBRIDS = (("mamba", "attention"), ("sliding-attention", "gated-delta"))
PAPER = {"Transformer": ("attention",) * 8, "Mamba": ("mamba",) * 16, "hybrid": (*("mamba",) * 12, "attention")}


def cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def turns(*ways: Callable[[], object]) -> list[float]:
    """Mean CPU seconds of each way."""
    rounds = [[cpu_seconds(way) for way in ways] for _ in range(ROUNDS)]
    return [statistics.mean(seconds) for seconds in zip(*rounds, strict=True)]


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


def compare(title: str, model: Model, batch: int) -> dict[str, float]:
    """CPU seconds by steps and of the slow ways, and how many times as long these take; printed as a line."""
    model.eval()
    prompts = [[number % 7] for number in range(batch)]
    text = torch.tensor([one.tokens for one in generate(model, prompts, (), WARM_UP)]).repeat(1, TOKENS // WARM_UP)
    model(text[:, :WARM_UP])
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
    return {
        "steps": round(fast, 3),
        "whole prefix": round(EVERY * slow, 2),
        "ratio": round(EVERY * slow / fast, 1),
        "last position only": round(EVERY * least, 2),
        "its ratio": round(EVERY * least / fast, 1),
    }


def build(layers: Sequence[str], **further: object) -> Model:
    torch.manual_seed(0)
    return Model.build(80, 80, TOKENS + 1, layers=layers, width=64, embedding_scale=1.0, weight_scale=0.1, **further)


def two_layers(batch: int) -> dict[str, dict[str, float]]:
    print(f"{TOKENS:,} tokens behind {batch} prompts of 1 token, 2 layers, width 64")
    chosen = [*((name, name) for name in BY_NAME), *HYBRIDS]
    return {"+".join(layers): compare("+".join(layers), build(layers), batch) for layers in chosen}


def paper() -> dict[str, dict[str, float]]:
    print(f"{TOKENS:,} tokens behind {MANY} prompts of 1 token, the paper's models of 0.5M")
    found = {}
    for name, layers in PAPER.items():
        positions = "rope" if "attention" in layers else "default"
        found[name] = compare(name, build(layers, positions=positions, design=LLAMA), MANY)
    return found


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
        by_steps(model, inputs[:, :WARM_UP])
        parallel, stepped = turns(lambda model=model: model.prefill(inputs), lambda model=model: by_steps(model, inputs))
        print(f"    {name:<32} {parallel:7.3f} s   by steps {stepped:7.3f} s, ratio {stepped / parallel:6.1f}", flush=True)


COMPARED = {"one": lambda: two_layers(1), "many": lambda: two_layers(MANY), "paper": paper}
SECTIONS = {**COMPARED, "prompts": prompts}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sections", nargs="*", metavar="name", help=", ".join(SECTIONS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    options = parser.parse_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"sections are {', '.join(SECTIONS)}; found {unknown[0]}")
    torch.set_num_threads(1)
    measured = {name: SECTIONS[name]() for name in options.sections or SECTIONS}
    if options.json is not None:
        about = {**processor(), "torch": torch.__version__, "tokens": TOKENS, "rounds": ROUNDS}
        prompts_of = {"one": 1, "many": MANY, "paper": MANY}
        compared = {name: {"prompts": prompts_of[name], "CPU seconds": measured[name]} for name in COMPARED if name in measured}
        options.json.write_text(json.dumps(about | compared, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
