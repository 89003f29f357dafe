"""docs/reference/tasks.md and docs/reference/mixers.md, generated from the registries.

A section is the docstring of the member's file. Numbers are counted here: state bits from the tensors of a layer, answer bits
and ceilings from the task.
"""

import inspect
import math
import re
from collections.abc import Sequence
from itertools import groupby

from seqsep.core.names import docstring
from seqsep.models.laws.mixer import MANY_TOKENS, MIXER_LAWS
from seqsep.models.mixers import MIXERS, Mixer, state_bits
from seqsep.models.mixers.settings import settings_in_words
from seqsep.models.plugins import layer
from seqsep.tasks import TASKS, Task
from seqsep.tasks.base import NOTHING_ASKED
from seqsep.tasks.ceilings import ceiling

LENGTH = 20
SIZES = ((64, 4), (256, 8))
HEAD = """# {title}

{purpose}

`make pages` writes this page from the docstrings in `src/seqsep/{room}/`. The numbers in the table are counted or computed.

"""
TASKS_PURPOSE = """You need this page if you train a model on a task of seqsep, or compare your numbers with those of
seqsep. Each section says how examples are drawn and written, and which shortcuts a model may learn. The classes are on the
page [Tasks](python/tasks.md) of the Python API."""
MIXERS_PURPOSE = """You need this page if you choose a layer for a model, or compare the code of a layer with its paper.
Each section has the recurrence, the state and its size, and the names of the weights."""
TASKS_TABLE = """The table has two limits for each task at length {length}, with all other fields at their defaults. The
first is the number of bits that the state of a recurrent model needs to answer every input rightly. The second is for a state
with half of these bits: no model with such a state has a higher accuracy. An example counts as right only if all its answers
are right, so this limit is small for tasks with many answers. If a limit is not known, the table has "unknown".

"""
MIXERS_TABLE = """The bits are those of one sequence's state in float32. A layer is one part of a block of the model. The
last column lists the other parts of its block.

"""
OWN_LAYER = """
The optional methods are:

* `prefill(x, state, t)` returns the state after all tokens of x. Without it, seqsep repeats `step`.
* `advance(x, state, t)` does the same as `step`, and may write over the given state. Without it, seqsep calls `step`.
* `step_output(x, state, t)` returns the outputs for many inputs, each read from the same state. Without it, seqsep calls
  `step`.
* `forward_at(x, at)` returns the outputs at one position of each example. Without it, seqsep calls `forward`.
* `initialise(depth, deviation)` draws weights that depend on the number of layers. Without it, the weights stay as they are.

`seqsep check --mixer FILE.py:CLASS` builds the layer and tests the laws below. It tests 3 examples of 19 tokens and one example
of 150 tokens. The type of the numbers is float64, or float32 if the layer has `checked_in = "float32"`. Three laws are tested
in float32 in any case: shapes, finite numbers, and many questions to one state. Before a layer is trained, it must pass every
law except the last.

| law | what it says |
|---|---|
"""
STATE_NUMBERS = {
    "attention": "2 * width per token",
    "lstm": "2 * width",
    "linear-attention": "width**2 / heads + width",
    "retention": "width**2 / heads",
    "dss": "2 * width * 64",
    "mamba": "2 * width * (16 + 3)",
    "mamba2": "2 * width * 64 + 3 * (2 * width + 2 * 64)",
    "gated-delta": "2 * width**2 / heads + 3 * 4 * width",
    "rwkv7": "width**2 / heads + width",
    "sliding-attention": "2 * width * 16",
    "rotation": "2 * width * 64 + 3 * (2 * width + 2 * 64)",
    "mlstm": "width**2 / heads + width + heads",
    "slstm": "4 * width",
    "kda": "width**2 / heads + 3 * 3 * width",
}
"""The number of numbers of a state, in terms of the layer's arguments; tests count them."""


def counted_bits(mixer: type[Mixer], width: int, heads: int) -> int:
    """Return the bits of one example's state in float32; of a state that grows, those of one token."""
    import torch

    layer = mixer(width, heads)
    start = layer.start(1)
    if not mixer.grows:
        return state_bits(start)
    with torch.no_grad():
        return state_bits(layer.step(torch.zeros(1, width), start, 0)[1]) - state_bits(start)


def formula_bits(name: str, width: int, heads: int) -> int:
    """Return the number of bits that STATE_NUMBERS gives, at 32 bits per number."""
    expression = STATE_NUMBERS[name].removesuffix(" per token")
    return round(32 * eval(expression, {"width": width, "heads": heads}))


def mixers_page(mixers: Sequence[type[Mixer]] = MIXERS) -> str:
    """Return the page of every mixer: a table of states, then recurrence, parallel form and source of each."""
    parts = [HEAD.format(title="Mixers", room="models/mixers", purpose=MIXERS_PURPOSE), MIXERS_TABLE]
    sizes = " | ".join(f"width {width}, {heads} heads" for width, heads in SIZES)
    parts.append(
        f"| mixer | numbers in the state | {sizes} | settings | other parts of the block |\n"
        f"|---|---|{'---|' * len(SIZES)}---|---|\n"
    )
    for mixer in mixers:
        grows = " per token" if mixer.grows else ""
        bits = " | ".join(f"{counted_bits(mixer, width, heads):,} bits{grows}" for width, heads in SIZES)
        formula = STATE_NUMBERS[mixer.name].replace("**2", "²").replace(" * ", " × ")
        parts.append(
            f"| [{mixer.name}](#{mixer.name}) | {formula} | {bits} | {settings_in_words(mixer)} | {_around(mixer)} |\n"
        )
    for mixer in mixers:
        parts.append(f"\n## {mixer.name}\n\n{markdown(_documentation(mixer))}")
    return "".join([*parts, own_layer_section()])


def own_layer_section() -> str:
    """Return the methods that a user's layer may define, and the laws that it must obey, each with the first paragraph of its
    text.
    """
    laws = {name: " ".join(docstring(law).split("\n\n")[0].split()) for name, law in MIXER_LAWS.items()}
    parts = ["\n## Your own layer\n\n", markdown(docstring(layer)), OWN_LAYER]
    parts += [f"| {name} | {said} |\n".replace("MANY_TOKENS", str(MANY_TOKENS)) for name, said in laws.items()]
    return "".join(parts)


def tasks_page(tasks: Sequence[type[Task]] = TASKS) -> str:
    """Return the page of every task: a table of what a state needs, then distribution, queried positions and shortcuts of
    each.
    """
    parts = [HEAD.format(title="Tasks", room="tasks", purpose=TASKS_PURPOSE), TASKS_TABLE.format(length=LENGTH)]
    parts.append(
        "| task | answers in an example | bits for all inputs | highest accuracy with half of them |\n|---|---|---|---|\n"
    )
    for kind in tasks:
        task = kind(length=LENGTH)
        needed = task.answer_bits()
        best = None if needed is None else ceiling(task, needed // 2)
        bits = "unknown" if needed is None else f"{needed:,}"
        parts.append(f"| [{kind.name}](#{kind.name}) | {_answers(task)} | {bits} | {_accuracy(best)} |\n")
    for kind in tasks:
        parts.append(f"\n## {kind.name}\n\n{markdown(_documentation(kind))}")
    return "".join(parts)


def markdown(documentation: str) -> str:
    """Return a docstring as Markdown: indented blocks are code, labels at the start of a line ("Source: ") are bold.

    A line that begins with `forward` gets the label "Parallel form". Items begin with `* `.
    """
    first, *rest = documentation.replace("\n`forward` ", "\nParallel form: `forward` ").rstrip().split("\n")
    parts = [first]
    for is_code, block in groupby(rest, lambda line: line.startswith("    ")):
        if is_code:
            parts += ["```", *(line[4:] for line in block), "```"]
            continue
        for line in block:
            if line.startswith("* "):
                parts += [line] if parts[-1].startswith(("* ", "  ")) else ["", line]
                continue
            label = re.match(r"[A-Z][\w' ]{2,30}:(?= )", line)
            text = line.replace("*", r"\*")
            parts += ["", f"**{label.group()}**{text[label.end() :]}"] if label else [text]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)) + "\n"


def _documentation(member: type) -> str:
    return docstring(inspect.getmodule(member))


def _answers(task: Task) -> int:
    """Return the number of queried positions of an evaluation example."""
    return int((task.sample(start=0, count=1, seed=0, evaluate=True).targets != NOTHING_ASKED).sum())


def _accuracy(highest: float | None) -> str:
    """Return an upper limit of the accuracy as the table has it.

    >>> _accuracy(0.96512), _accuracy(2**-30), _accuracy(None)
    ('0.965', '2^-30, about 0.000000001', 'unknown')
    """
    if highest is None:
        return "unknown"
    return f"{highest:.3f}" if highest > 0.001 else f"2^{math.log2(highest):.0f}, about {highest:.9f}"


def _around(mixer: type[Mixer]) -> str:
    """Return the parts of a block of the model except the mixer."""
    block = mixer.block
    norm = {"layer": "LayerNorm", "rms": "RMSNorm", "none": ""}[block.norm]
    parts = [
        norm,
        "residual" if block.residual else "",
        "MLP" if block.mlp else "",
        "learned positions" if block.positions == "learned" else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing"
