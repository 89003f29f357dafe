"""The section of docs/reference/model-laws.md on bugs of released versions, from results/released-bugs.json."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pages._markdown import folded, table

FOLDER = "examples/transformers_state/released"
THREADS = "https://github.com/huggingface/transformers"
HEAD = """
## Bugs of released versions

Each of these bugs has a script. The script exits with status 1 in the release that has the bug, and with 0 in a later release.
`tests/long_released_bugs.py` installs both releases and runs the script ([its row](../../results/verify/released-bugs.json)).
The models are tiny, have random weights, and compute in float32. Each number is the greatest difference of two logits that
should be equal except for rounding. For mamba_beams it is the greatest difference of the scores of beams.

`seqsep check --model` was run in both releases for five of the bugs, and the details have its results. For the other bugs,
the table has the law that the script tests.

"""


@dataclass(frozen=True)
class ReleasedBug:
    """A bug, a release with it, a release without it, and the threads that discuss it."""

    model: str
    wrong: str
    law: str
    fails_in: str
    holds_in: str
    threads: tuple[str, ...]
    config: Mapping[str, Any] | None = None
    """The fields of config.json of the models that `seqsep check --model` runs in both releases."""


ATTENTION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 32,
    "initializer_range": 0.2,
}
BAMBA = {
    "mamba_n_heads": 4,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_d_state": 16,
    "mamba_chunk_size": 8,
    "num_hidden_layers": 2,
    "attn_layer_indices": [1],
}
MAMBA = {"model_type": "mamba", "hidden_size": 16, "num_hidden_layers": 2, "state_size": 4, "vocab_size": 32}
LFM2 = {"num_hidden_layers": 3, "layer_types": ["conv", "full_attention", "conv"]}
RELEASED_BUGS = {
    "mamba_padding": ReleasedBug(
        model="Mamba",
        wrong="padding changes the state",
        law="padding on the left",
        fails_in="4.44.2",
        holds_in="4.45.2",
        threads=("issues/31540", "pull/32677"),
    ),
    "jamba_padding": ReleasedBug(
        model="Jamba",
        wrong="padding changes the state",
        law="padding on the left",
        fails_in="4.44.2",
        holds_in="4.45.2",
        threads=("pull/32914",),
    ),
    "mamba2_step": ReleasedBug(
        model="Mamba-2",
        wrong="a token after a state gives other logits than in one pass",
        law="token by token",
        fails_in="4.47.1",
        holds_in="4.48.3",
        threads=("pull/35154",),
    ),
    "mamba2_groups": ReleasedBug(
        model="Mamba-2, two groups",
        wrong="one pass and a single step assign the groups to the heads in different orders",
        law="token by token",
        fails_in="4.51.3",
        holds_in="4.52.4",
        threads=("pull/37533",),
    ),
    "gemma2_window": ReleasedBug(
        model="Gemma-2, HybridCache",
        wrong="the window drops a token one step too early as it fills",
        law="token by token",
        fails_in="4.51.3",
        holds_in="4.52.4",
        threads=("issues/37574", "pull/38046"),
    ),
    "lfm2_padding": ReleasedBug(
        model="LFM2",
        wrong="padding changes the inputs of the convolutions",
        law="padding on the left",
        fails_in="4.57.1",
        holds_in="5.0.0",
        threads=("pull/41790",),
        config={"model_type": "lfm2", **ATTENTION, **LFM2},
    ),
    "lfm2_padding_alone": ReleasedBug(
        model="LFM2",
        wrong="the same, in a batch of one sequence",
        law="padding of one sequence",
        fails_in="5.13.1",
        holds_in="5.23.0",
        threads=("pull/46773",),
        config={"model_type": "lfm2", **ATTENTION, **LFM2},
    ),
    "bamba_chunk": ReleasedBug(
        model="Bamba",
        wrong="a chunk after a state ignores the state of the Mamba layers",
        law="in chunks",
        fails_in="5.11.0",
        holds_in="5.13.1",
        threads=("pull/46741",),
        config={"model_type": "bamba", **ATTENTION, **BAMBA},
    ),
    "bamba_padded_chunk": ReleasedBug(
        model="Bamba",
        wrong="padding in a chunk after a state changes the state",
        law="padding in chunks",
        fails_in="5.13.1",
        holds_in="5.23.0",
        threads=("issues/47086", "pull/47087"),
        config={"model_type": "bamba", **ATTENTION, **BAMBA},
    ),
    "mamba_beams": ReleasedBug(
        model="Mamba",
        wrong="beam search does not reorder the states with the beams",
        law="beams",
        fails_in="5.11.0",
        holds_in="5.13.1",
        threads=("issues/46612", "pull/46819"),
        config=MAMBA,
    ),
}


def released_bugs(measured: Mapping[str, Any]) -> str:
    """Return the section, with the measured differences of each script in its two releases."""
    rows = [[f"`{name}`", bug.model, bug.law, bug.fails_in, bug.holds_in] for name, bug in RELEASED_BUGS.items()]
    listed = "".join(_details(name, bug, measured[name]) for name, bug in RELEASED_BUGS.items())
    shown = table([["bug", "model", "law", "fails in", "holds in"], *rows])
    return f"{HEAD}{shown}{folded('Each bug: what was wrong, by how much, threads and scripts', listed)}"


def _details(name: str, bug: ReleasedBug, measured: Mapping[str, Any]) -> str:
    fails, holds = (f"{measured['apart'][release]:.0e} in {release}" for release in (bug.fails_in, bug.holds_in))
    threads = ", ".join(f"[{thread.split('/')[-1]}]({THREADS}/{thread})" for thread in bug.threads)
    return (
        f"* **[{name}.py](../../{FOLDER}/{name}.py)**, {bug.model}: {bug.wrong}. Difference: {fails}, {holds}. "
        f"Threads: {threads}. `seqsep check`: {_checked(measured.get('check'))}.\n"
    )


def _checked(verdicts: Mapping[str, bool] | None) -> str:
    if verdicts is None:
        return "not tested"
    return ", ".join(f"{'holds' if holds else 'fails'} in {release}" for release, holds in verdicts.items())
