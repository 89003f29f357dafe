"""docs/reference/model-laws.md: in which models of `transformers` the laws of state hold, from results/model-laws.json."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from pages._markdown import folded, table
from pages._released_bugs import released_bugs
from seqsep.core.files import read_text
from seqsep.core.names import docstring
from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS

KEPT = "model-laws.json"
KEPT_OF_LATER = "model-laws-later.json"
KEPT_OF_FLASH_LINEAR = "flash-linear-laws.json"
KEPT_OF_RELEASES = "released-bugs.json"
Verdicts = Sequence[Mapping[str, Any]]
HEADER = ["model type", "laws tested", "laws that fail", "greatest difference"]
HEAD = """# The laws of state, tested on models of others

This page is for people who serve a language model or write an engine. It says in which models the state is right: decoding from
a kept state gives the logits of one pass over the complete input. Three groups of models are tested: `transformers`,
flash-linear-attention, and releases of `transformers` with known bugs.

`make pages` writes this page from `results/model-laws.json`, `results/model-laws-later.json`,
`results/flash-linear-laws.json` and `results/released-bugs.json`.

A causal language model remembers the tokens that it has read in its [state](../explanation/glossary.md#state): a
[cache](../explanation/glossary.md#cache) of keys and values, a [window](../explanation/glossary.md#window), or a recurrence.
The [one-way protocol](../explanation/glossary.md#one-way-protocol) of the first paper is a test of it. Cut an input anywhere,
send the state as bytes to a process that has never seen the tokens before the cut, and continue there. No logit may change.
Each such rule is a [law](../explanation/glossary.md#law).

<!-- not run: it needs your own model -->
```console
$ seqsep check --model FOLDER_OR_CONFIG.json
```

The command reads a folder with config.json and model.safetensors. If it gets only a config.json, it draws the
[weights](../explanation/glossary.md#weights) at random, and `--set num_hidden_layers=2` changes a field. It downloads nothing
and runs no code of the folder. `--length`, `--batch` and `--seed` choose the inputs, and `--json` prints records. The exit
status is 0 if every tested law holds, 1 if one fails, and 2 if the input cannot be read. From Python:
`seqsep.check_language_model(path)`.

Everything is computed in float64, also if a model casts to float32. Each path is compared with one pass over the complete
input. It may differ by 10^-9 of the greatest logit, because sums in another order differ by 10^-15. With `--dtype float32` or
`bfloat16`, a path may differ from the pass in float64 by 8 times as much as the pass in that type does.

A window or a kernel's chunk that is longer than a third of the input is shortened, so that the input is longer than it. The
last line of the output reports this. Padding is on the left or on the right of a sequence. This does not test padding between
tokens.

## The laws

"""
TABLE = """
## Results

The versions are transformers {transformers} and torch {torch}. The {count} model types are tiny, have random weights, and read
3 inputs of 24 tokens in float64. `tests/long_model_laws.py` tests them again ([its
row](../../results/verify/model-laws.json)).

The laws catch faults that were injected into mamba2, qwen3_next and mistral, with 5 seeds each. The healthy models of these
three types pass with 100 seeds. The faults are:

* a stale state, a state of the wrong position, or a zeroed convolution window;
* off by one at the border of a chunk;
* padding that is written into the state, also for one sequence only, and for a chunk after a state;
* two sequences that are swapped.

A law fails if any path that it takes is wrong. So "padding in chunks" fails too if chunks are wrong without padding.

"""
LATER = """
In transformers {transformers} the same {count} types were tested with the same inputs. {verdict}
"""
SHOWN = """
## Scripts that show the failures

These scripts need no seqsep. Each prints the difference of two results that should be the same.

"""
FOLDER = "examples/transformers_state"
SCRIPTS = {
    "chunk_behind_state": "Mamba, Falcon-Mamba, Jamba and Zamba read a chunk of several tokens after a state otherwise than "
    "in one pass; single tokens are read right.",
    "bamba_positions": "Bamba counts positions from 0 after a cache unless it is given position_ids.",
    "moshi_window": "Moshi's cache keeps a window of tokens; without a cache its attention sees all.",
    "time_step_limit": "Mamba-2, Zamba2 and Nemotron-H cut time steps to their limits in one pass and not in single steps. "
    "(Mamba-2 passes in the table: its limits there are 0 and infinity.)",
    "minimax_reorder": "`reorder_cache` leaves the states of MiniMax's linear layers in the old order.",
    "recurrent_gemma_modules": "RecurrentGemma keeps its recurrence in its modules, so a model serves one sequence at a time.",
    "padding_in_state": "Padding on the left changes what RecurrentGemma, RWKV and DeepSeek-V4 return after it.",
    "rwkv_batch": "RWKV gives logits of the wrong shape for single tokens of two sequences.",
    "fields_without_effect": "`layer_norm_eps` of BioGPT, `hidden_act` of gpt-oss and `time_step_limit` of Nemotron-H change "
    "no logit.",
}
FLASH_LINEAR = """
## Layers of flash-linear-attention

A config.json of that package is tested too, if the package is installed (in a clone: `pip install '.[hf,gpu]' triton`). Its
layers are kernels for a GPU; here Triton's interpreter runs them on a CPU, so take few tokens and a small model (`--length 9
--batch 2 --set num_hidden_layers=2 --set hidden_size=64`). In float64 the kernels sum in float64. This does not test what a
GPU's compiler makes of them.

flash-linear-attention {flash-linear-attention}, triton {triton}, transformers {transformers}, torch {torch}: {count} model
types, tiny and with random weights. They are tested by {laws} laws on 2 inputs of 9 tokens, which the package reads token by
token, and by one law on 2 inputs of 66, which it reads in chunks of 64. Differences of 10^-6 of the greatest logit are allowed
in float64, because kernels have constants of 8 digits. `tests/long_flash_linear_laws.py` tests them again ([its
row](../../results/verify/flash-linear-laws.json)).

"""
AFTER_FLASH_LINEAR = """
These scripts show failures without seqsep:

* [retnet_padded_chunk.py](../../examples/flash_linear_state/retnet_padded_chunk.py): if the padding of a sequence
  ends only in a chunk after a state, the rotary positions of that chunk begin below 0.
* [mamba2_bfloat16.py](../../examples/flash_linear_state/mamba2_bfloat16.py): in bfloat16, Mamba-2's
  plain code, which replaces kernels of another package, multiplies float32 by bfloat16 and raises an error.

The other failures are a limit that the package documents: Mamba and Mamba-2 take one token at a time after a state.

These types are not tested:

* mesa_net: it solves a system for each token by conjugate gradients to about 10^-3, and needs float32 states;
* abc: its kernels mix types under float64;
* rwkv7: the interpreter does not accept its kernels;
* types with attention: the package needs flash-attn for them.
"""
NOTES = """
A law that holds for these weights and inputs may fail for others. The sparse attention of DeepSeek-V3.2 and Hunyuan V4 is
tested with 16 heads of its index. With two heads, scores are often 0, and the length of a pass decides which equal scores are
chosen.
"""


def model_laws_page(results: Path) -> str:
    """What the laws say, what holds for each model type, and where each failure is shown."""
    kept = json.loads(read_text(results / KEPT))
    flash_linear = json.loads(read_text(results / KEPT_OF_FLASH_LINEAR))
    releases = released_bugs(json.loads(read_text(results / KEPT_OF_RELEASES)))
    laws = "".join(f"* **{name}**: {_one_line(docstring(law))}\n" for name, law in LANGUAGE_MODEL_LAWS.items())
    later = json.loads(read_text(results / KEPT_OF_LATER))
    differs = _differing(kept["models"], later["models"])
    verdict = f"The same laws fail, except {differs}." if differs else "The same laws fail."
    words_of_later = LATER.format(**later["versions"], count=len(later["models"]), verdict=verdict)
    counted = TABLE.format(**kept["versions"], count=len(kept["models"]))
    counted_others = FLASH_LINEAR.format(
        **flash_linear["versions"], count=len(flash_linear["models"]), laws=len(LANGUAGE_MODEL_LAWS)
    )
    interpreted = f"{counted_others}{what_holds(flash_linear['models'])}{AFTER_FLASH_LINEAR}"
    shown = "".join(f"* [{name}.py](../../{FOLDER}/{name}.py): {words}\n" for name, words in SCRIPTS.items())
    return f"{HEAD}{laws}{counted}{what_holds(kept['models'])}{words_of_later}{SHOWN}{shown}{interpreted}{releases}{NOTES}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def what_holds(models: Mapping[str, Verdicts]) -> str:
    """Return a table of the types that fail a law, and folds: the other types, each failure, each law not tested.

    >>> one = [{"law": "causal", "holds": True}, {"law": "beams", "holds": False, "difference": 0.25}]
    >>> print(what_holds({"llama": one[:1], "mamba": one}))
    1 of 2 model types passes every law that was tested. The others are in the table.
    If a law fails without a difference, such as with an error, its cell is empty.
    <BLANKLINE>
    | model type | laws tested | laws that fail | greatest difference |
    |---|---|---|---|
    | mamba | 2 | 1 | 2e-01 |
    <BLANKLINE>
    <details>
    <summary>The model types that pass</summary>
    <BLANKLINE>
    ```text
    llama
    ```
    <BLANKLINE>
    </details>
    <BLANKLINE>
    <details>
    <summary>The laws that fail, by model type</summary>
    <BLANKLINE>
    | model type | law | difference |
    |---|---|---|
    | mamba | beams | 2e-01 |
    <BLANKLINE>
    </details>
    <BLANKLINE>
    """
    failed = {name: lost for name, verdicts in models.items() if (lost := [one for one in verdicts if one["holds"] is False])}
    passed = [name for name in models if name not in failed]
    absent: dict[str, list[str]] = {}
    for name, verdicts in models.items():
        for law in (one["law"] for one in verdicts if one["holds"] is None):
            absent.setdefault(law, []).append(name)
    words = "passes" if len(passed) == 1 else "pass"
    said = f"{len(passed)} of {len(models)} model types {words} every law that was tested. The others are in the table.\n"
    said += "If a law fails without a difference, such as with an error, its cell is empty.\n\n"
    names = "\n".join(wrap(" ".join(passed), 80, break_on_hyphens=False))
    rows = [[name, str(_tested(models[name])), str(len(lost)), _greatest(lost)] for name, lost in failed.items()]
    each = [[name, str(verdict["law"]), _greatest([verdict])] for name, lost in failed.items() for verdict in lost]
    parts = [
        said,
        table([HEADER, *rows]),
        folded("The model types that pass", f"```text\n{names}\n```\n"),
        folded("The laws that fail, by model type", table([["model type", "law", "difference"], *each])),
    ]
    if absent:
        missing = "".join(f"* **{law}**: {_all_but(names, models)}\n" for law, names in absent.items())
        parts.append(folded("The laws that were not tested, and the model types", missing))
    return "".join(parts)


def _tested(verdicts: Verdicts) -> int:
    return sum(verdict["holds"] is not None for verdict in verdicts)


def _greatest(failed: Verdicts) -> str:
    """The greatest difference of logits; a law may also fail without one, as with logits of the wrong shape."""
    differences = [verdict["difference"] for verdict in failed if verdict.get("difference") is not None]
    return f"{max(differences):.0e}" if differences else ""


def _all_but(names: Sequence[str], models: Mapping[str, Verdicts]) -> str:
    others = [name for name in models if name not in names]
    if len(others) >= len(names):
        return ", ".join(names)
    return f"all types except {', '.join(others)}" if others else "all types"


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Which laws hold in one release and not in the other, by model type, with what is said where they fail."""
    found = []
    for name, verdicts in after.items():
        old = {verdict["law"]: verdict for verdict in before[name]}
        for verdict in verdicts:
            law = verdict["law"]
            if (verdict["holds"] is False) != (old[law]["holds"] is False):
                failed = verdict if verdict["holds"] is False else old[law]
                does = "fails" if failed is verdict else "fails no longer"
                found.append(f"{name}, where **{law}** {does} ({failed['where']})")
    return "; ".join(found)
