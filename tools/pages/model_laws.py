"""docs/reference/model-laws.md: in which models of `transformers` the laws of state hold, from results/model-laws.json."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from pages._markdown import folded, table
from pages._released_bugs import released_bugs
from pages._serving_laws import Verdicts, greatest, serving
from seqsep.core.files import read_text
from seqsep.core.names import docstring
from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS

KEPT = "model-laws.json"
KEPT_OF_NESTED = "model-laws-nested.json"
KEPT_OF_LATER = "model-laws-later.json"
KEPT_OF_FLASH_LINEAR = "flash-linear-laws.json"
KEPT_OF_RELEASES = "released-bugs.json"
HEADER = ["model type", "laws tested", "laws that fail", "greatest difference"]
HEAD = """# The laws of state, tested on models of others

You need this page if you serve a language model or write an inference engine. A model can decode from a state that it kept, or
read the complete input in one pass. If the state is right, both give the same logits. The page says in which models they do,
and in which they do not. Three groups of models are tested: those of
`transformers`, those of flash-linear-attention, and older releases of `transformers` with known bugs.

`make pages` writes this page from `results/model-laws.json`, `results/model-laws-nested.json`,
`results/model-laws-later.json`, `results/flash-linear-laws.json` and `results/released-bugs.json`.

A causal language model remembers the tokens that it has read in its [state](../explanation/glossary.md#state): a
[cache](../explanation/glossary.md#cache) of keys and values, a [window](../explanation/glossary.md#window), or a recurrence.
The [one-way protocol](../explanation/glossary.md#one-way-protocol) of the first paper gives a test of this state. Cut an input
anywhere, send the state as bytes to a process that has never seen the tokens before the cut, and continue there. No logit may
change. This rule is one of the [laws](../explanation/glossary.md#law) below.

<!-- not run: it needs your own model -->
```console
$ seqsep check --model FOLDER_OR_CONFIG.json
```

The command reads a folder with config.json and model.safetensors. If it gets only a config.json, it draws the
[weights](../explanation/glossary.md#weights) at random, and `--set num_hidden_layers=2` changes a field. It downloads nothing
and runs no code of the folder. `--length`, `--batch` and `--seed` choose the inputs, and `--json` prints records. The exit
status is 0 if every tested law holds, 1 if one fails, and 2 if the input cannot be read. From Python:
`seqsep.check_language_model(path)`.

Everything is computed in float64, even if the code of a model casts to float32. Each way to read the input, such as token by
token, is compared with one pass over the complete input. A logit may differ by 10^-9 of the greatest logit: sums in another
order differ by about 10^-15. `--dtype float32` and `--dtype bfloat16` test in these types. Let d be the difference between one
pass in such a type and one pass in float64. Any other way to read the input may differ from the pass in float64 by 8 d.

An input should be longer than every window and every chunk of a kernel. So seqsep shortens every window and chunk that is
longer than a third of the input, and the last line of the output reports this. Padding is on the left or on the right of a
sequence. This does not test padding between tokens.

## The laws

"""
TABLE = """
## Results

The versions are transformers {transformers} and torch {torch}. The {count} model types are tiny, have random weights, and read
3 inputs of 24 tokens in float64. `tests/long_model_laws.py` tests them again ([its
row](../../results/verify/model-laws.json)).

To test the laws, eight faults were injected into mamba2, qwen3_next and mistral, with 5 seeds each. Every fault breaks a law.
Without these faults and with 100 seeds, the three types break only the laws that the results below list for them. The faults
are:

* a state of an earlier step, a state of the wrong position, or a convolution window of zeros;
* an error by one token at the border of a chunk;
* padding that is written into the state: for several sequences, for one sequence, or in a chunk after a state;
* two sequences whose states are swapped.

A law fails if any step of its test is wrong. So if chunks are wrong without padding, "padding in chunks" fails too.

"""
LATER = """
In transformers {transformers} the same {count} types were tested with the same inputs. {verdict}
"""
SETTINGS = "settings change the function"
NESTED = (
    "{count} of the types were also tested as the text model of another model: their fields are in `text_config` of a file of "
    "the type `fuyu`. {verdict} The outer model has a separate embedding and output layer. These ignore the fields of the text "
    "model that scale or limit embeddings and logits, such as `logits_scaling`. Therefore the law "
    '"{law}" fails there for {types}, which pass it by themselves.'
)
ONLY_FLAT = "The other {count} types were not tested in this way, because they do not run inside of `fuyu`:"
REASONS = {
    "codegen rwkv": "they have no `pad_token_id`, which the outer model reads",
    "deepseek_v4": "it needs the tokens, and the outer model gives it their embeddings",
    "mamba mamba2 falcon_mamba xlstm recurrent_gemma": "they do not return `past_key_values`, which is the only state that the "
    "outer model hands on",
    "minimax": "it needs a cache of its own, and in `generate` the outer model makes a general one",
}
"""The types that were not tested inside of another one, by the reason."""
SHOWN = """
## Scripts that show the failures

These scripts need no seqsep. Each prints the difference of two results that should be the same.

"""
FOLDER = "examples/transformers_state"
SCRIPTS = {
    "chunk_behind_state": "After a state, Mamba, Falcon-Mamba, Jamba and Zamba read a chunk of several tokens differently from "
    "one pass. They read single tokens correctly.",
    "bamba_positions": "After a cache, Bamba counts positions from 0 unless it is given position_ids.",
    "moshi_window": "With a cache, the attention of Moshi sees only a window of tokens. Without a cache, it sees all tokens.",
    "time_step_limit": "Mamba-2, Zamba2 and Nemotron-H clip time steps to their limits in one pass, but not in single steps. "
    "In the table above, Mamba-2 passes the law `token by token`, because the tested model has the limits 0 and infinity.",
    "minimax_reorder": "`reorder_cache` leaves the states of MiniMax's linear layers in the old order.",
    "recurrent_gemma_modules": "RecurrentGemma keeps its recurrent state in its modules, so a model can serve only one "
    "sequence at a time.",
    "padding_in_state": "Padding on the left changes the later logits of RecurrentGemma, RWKV and DeepSeek-V4.",
    "rwkv_batch": "For single tokens of two sequences, RWKV returns logits of the wrong shape.",
    "crop_recurrent": "After `crop` of draft tokens, the recurrent states of Bamba, Falcon-H1 and Qwen3-Next still have them.",
    "packed_documents": "Documents in one row see each other through the convolutions and recurrences of Bamba, Qwen3-Next and "
    "LFM2.",
    "packed_attention": "OPT, Falcon and gpt-oss do not look for documents in position_ids, so documents in one row see each "
    "other.",
    "mamba_second_turn": "If `generate` gets the cache of an earlier turn, Mamba, Mamba-2 and Falcon-Mamba read the earlier "
    "text once more.",
    "minimax_reset": "`reset` leaves the states of MiniMax's linear layers as they are.",
    "gpt_neo_static": "In a static cache, the local attention of GPT-Neo masks the wrong places.",
    "fields_without_effect": "The fields `layer_norm_eps` of BioGPT, `hidden_act` of gpt-oss and `time_step_limit` of "
    "Nemotron-H change no logit.",
}
FLASH_LINEAR = """
## Layers of flash-linear-attention

`seqsep check --model` also tests a config.json of this package, if the package is installed. In a clone:
`pip install '.[hf,gpu]' triton`. The layers of the package are kernels for a GPU. Here Triton's interpreter runs them on a
CPU, which is slow. Therefore use few tokens and a small model: `--length 9 --batch 2 --set num_hidden_layers=2 --set
hidden_size=64`. In float64 the kernels sum in float64. This does not test the code that a compiler for a GPU makes from the
kernels.

The versions are flash-linear-attention {flash-linear-attention}, triton {triton}, transformers {transformers} and torch
{torch}. The {count} model types are tiny and have random weights. They are tested by {laws} laws on 2 inputs of 9 tokens. The
package reads such short inputs token by token, and longer ones in chunks of 64. So the law "padding on the left" is also tested
on 2 inputs of 66 tokens. The table counts this test as one more law. Differences of 10^-6 of the greatest logit are allowed in
float64, because the kernels have constants of 8 digits.
`tests/long_flash_linear_laws.py` tests them again ([its row](../../results/verify/flash-linear-laws.json)).

"""
AFTER_FLASH_LINEAR = """
These scripts show failures without seqsep:

* [retnet_padded_chunk.py](../../examples/flash_linear_state/retnet_padded_chunk.py): if padding
  on the left is so long that it ends in a chunk after a state, the rotary positions of this chunk begin below 0.
* [mamba2_bfloat16.py](../../examples/flash_linear_state/mamba2_bfloat16.py): in bfloat16, the plain
  code of Mamba-2 multiplies float32 by bfloat16 and raises an error. This code replaces kernels of another package.

The other failures are a limit that the package documents: after a state, Mamba and Mamba-2 take one token at a time.

These types are not tested:

* mesa_net, because for each token it solves a system of equations only to about 10^-3, and it needs float32 states;
* abc, because its kernels mix types under float64;
* rwkv7, because the interpreter does not accept its kernels;
* types with attention, because they need the package flash-attn.
"""
NOTES = """
## Limits of these tests

A law that holds for these weights and inputs may fail for others. The sparse attention of DeepSeek-V3.2 and Hunyuan V4 selects
tokens by scores. It is tested with 16 heads for these scores. With two heads, many scores are 0, and the selection among equal
scores depends on the length of the pass.
"""


def model_laws_page(results: Path) -> str:
    """Return the laws, the outcomes of each model type, and the place of each failure."""
    kept = json.loads(read_text(results / KEPT))
    flash_linear = json.loads(read_text(results / KEPT_OF_FLASH_LINEAR))
    releases = released_bugs(json.loads(read_text(results / KEPT_OF_RELEASES)))
    laws = "".join(f"* **{name}**: {_one_line(docstring(law))}\n" for name, law in LANGUAGE_MODEL_LAWS.items())
    later = json.loads(read_text(results / KEPT_OF_LATER))
    differs = _differing(kept["models"], later["models"])
    verdict = f"The same laws fail, with these exceptions:\n\n{differs}" if differs else "The same laws fail."
    nested = _nested(kept["models"], json.loads(read_text(results / KEPT_OF_NESTED))["models"])
    words_of_later = LATER.format(**later["versions"], count=len(later["models"]), verdict=verdict)
    counted = TABLE.format(**kept["versions"], count=len(kept["models"]))
    tested = len(LANGUAGE_MODEL_LAWS)
    counted_others = FLASH_LINEAR.format(**flash_linear["versions"], count=len(flash_linear["models"]), laws=tested)
    interpreted = f"{counted_others}{what_holds(flash_linear['models'])}{AFTER_FLASH_LINEAR}"
    shown = "".join(f"* [{name}.py](../../{FOLDER}/{name}.py): {words}\n" for name, words in SCRIPTS.items())
    tables = f"{counted}{what_holds(kept['models'])}{nested}{words_of_later}{serving(kept, later)}"
    return f"{HEAD}{laws}{tables}{SHOWN}{shown}{interpreted}{releases}{NOTES}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def what_holds(models: Mapping[str, Verdicts]) -> str:
    """Return a table of the types that fail a law, and folds: the other types, each failure, each law not tested.

    >>> one = [{"law": "causal", "holds": True}, {"law": "beams", "holds": False, "difference": 0.25}]
    >>> print(what_holds({"llama": one[:1], "mamba": one}))
    1 of 2 model types passes every law that was tested. The others are in the table.
    The difference is that of logits. If a law fails without one, such as with an error, its cell is empty.
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
    said += "The difference is that of logits. If a law fails without one, such as with an error, its cell is empty.\n\n"
    names = "\n".join(wrap(" ".join(passed), 80, break_on_hyphens=False))
    rows = [[name, str(_tested(models[name])), str(len(lost)), greatest(lost)] for name, lost in failed.items()]
    each = [[name, str(verdict["law"]), greatest([verdict])] for name, lost in failed.items() for verdict in lost]
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


def _all_but(names: Sequence[str], models: Mapping[str, Verdicts]) -> str:
    others = [name for name in models if name not in names]
    if len(others) >= len(names):
        return ", ".join(names)
    return f"all types except {', '.join(others)}" if others else "all types"


def _nested(flat: Mapping[str, Verdicts], nested: Mapping[str, Verdicts]) -> str:
    """The paragraph on types that are inside of another configuration, and folded each law that then has another verdict."""
    differs = _differing(flat, nested)
    types = [name for name in nested if SETTINGS in _failed(nested[name]) - _failed(flat[name])]
    verdict = "The same laws fail, with the exceptions below." if differs else "The same laws fail."
    others = {name for name in flat if name not in nested}
    unexplained = others ^ set(" ".join(REASONS).split())
    if unexplained:
        raise ValueError(f"REASONS: expected the types that were not tested in text_config, differs in {unexplained}")
    reasons = "".join(f"* {', '.join(names.split())}: {reason}.\n" for names, reason in REASONS.items())
    untested = f"{ONLY_FLAT.format(count=len(others))}\n\n{reasons}"
    named = f"{', '.join(types[:-1])} and {types[-1]}"
    words = NESTED.format(count=len(nested), verdict=verdict, law=SETTINGS, types=named)
    paragraph = "\n".join(wrap(words, 128, break_on_hyphens=False))
    return f"\n{paragraph}\n\n{untested}" + (
        folded("The laws that differ inside of another model", f"{differs}\n") if differs else ""
    )


def _failed(verdicts: Verdicts) -> set[str]:
    return {one["law"] for one in verdicts if one["holds"] is False}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the laws that hold in one release and not in the other, by model type, with the words of each failure."""
    found = []
    for name, verdicts in after.items():
        old = {verdict["law"]: verdict for verdict in before[name]}
        for verdict in verdicts:
            law = verdict["law"]
            if (verdict["holds"] is False) != (old[law]["holds"] is False):
                failed = verdict if verdict["holds"] is False else old[law]
                does = "fails too" if failed is verdict else "no longer fails. Its failure was"
                found.append(f"* {name}: **{law}** {does}: `{failed['where']}`")
    return "\n".join(found)
