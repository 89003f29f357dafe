"""docs/reference/capacity.md: what published models keep between tokens, with the status of each fact."""

from pathlib import Path

from pages._markdown import folded, table, unbroken
from pages._one_layer import one_layer_section
from pages._other_calculators import other_calculators_section
from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.families import model_types, versions
from seqsep.language_models.capacity.flash_linear import FLASH_LINEAR
from seqsep.language_models.capacity.published import Published, published
from seqsep.language_models.capacity.text import readable

HEAD = """# Capacity: what published models keep between tokens

This page is for people who choose or serve a model. It says how many bytes a published model keeps for one sequence, and which
lengths this size excludes. `make pages` writes it from `src/seqsep/language_models/capacity/published.json`.
`seqsep capacity CONFIG.json` prints the same numbers for your own file.
[Weights](../explanation/glossary.md#weights) are not counted.

The columns of the first table are:

* **state, 16 bits**: the fixed [state](../explanation/glossary.md#state) that the next step reads, at 16 bits per number. A
  [window](../explanation/glossary.md#window) of W tokens keeps W - 1. A convolution of K taps reads K - 1 past columns.
* **as stored**: the same numbers with the bits that `transformers` stores them in. It also allocates a K-th column of each
  convolution, and `--json` reports this.
* **bytes a token**: the growth of the [cache](../explanation/glossary.md#cache).
* **[crossing](../explanation/glossary.md#crossing)**: the number of tokens from which the cache of the model's attention
  layers is as large as its fixed state and full windows. A model without such layers is compared with a twin, marked *. The
  twin keeps every token of the model's windows. If the model has no windows, it is a Transformer of this width and depth.
* **no list beyond**: the longest list that a state of this size can repeat. "None" means that no length is excluded.
* **status**: the origin of the sizes. *Verified* ones are from the model's config.json or a copy of it, and *fine-tune* from
  that of a fine-tune. Some of the *partly* ones are from a public file. *Defaults* are the library's, and *unverified* ones are
  from memory.
  {unseen} of the {models} models are *defaults* or *unverified*: no file with their sizes was seen. The fine-tune is not among
  these {unseen}. The [sources](#sources) have the status in full.

*No list beyond* follows from the size of the state: no model with a state of this size can repeat every longer list of its
vocabulary, however it is trained. This does not show how far the published weights get.

"""
NOTES = """
## Checks of what is declared

Defaults of {families} families of `transformers` {transformers} and {linear} of `flash-linear-attention` {fla} are shipped.
Every family of the first is built tiny and run to 11, 12 and 15 tokens: what is declared is what its cache holds, 0 numbers off
([results/verify/capacity.json](../../results/verify/capacity.json)). Published sizes that it has run on torch's meta device at
full size. Of the second all but `rwkv7` run under Triton's interpreter, and what their caches hold at these lengths is counted
too, 0 numbers off ([results/verify/capacity-flash-linear.json](../../results/verify/capacity-flash-linear.json)); its attention
layers want flash-attn, so `rwkv7` and what attends rest on formulas. Three published models are compared with answers that were
computed apart. `mamba`, `mamba2` and `bitnet` are read as the second has them where a file has a field that only it writes,
such as `fuse_norm`.

A design that no family has is written by hand, groups of layers with the numbers of their fixed state and those they keep of
each token, of the last `window` tokens if there is one; fixed numbers count as stored in 32 bits:

```
{{"model_type": "by-hand", "layers": [
  {{"count": 24, "fixed_numbers": 65536}}, {{"count": 4, "numbers_per_token": 1024, "window": 4096}}]}}
```

Positions, and marks that a cache keeps for itself, are not counted: both sides know them. Out of scope: tensor
parallelism, which duplicates the groups of Mamba-2, tokens guessed ahead, which lengthen its convolution, and engines that
keep whole pages, so that they may take several times these bytes and keep a state in a type of their own.
"""
SOURCES = """
## Sources

The sizes of a model are verified if its config.json, or a copy, was seen. This is the source of each.
"""
STATUSES = {
    "verified": "verified",
    "partly verified": "partly",
    "unverified": "unverified",
    "from the library's defaults, config.json not seen": "defaults",
    "verified for the fine-tune": "fine-tune",
}
"""One word for each status; the list of sources has the status in full."""


def capacity_page(results: Path) -> str:
    """The table of published models, how it is checked, and the source of each."""
    rows = [_row(model, model.capacity()) for model in published()]
    names = ["model", "state, 16 bits", "as stored", "bytes a token", "crossing", "no list beyond", "status"]
    known = versions()
    notes = NOTES.format(
        families=len(model_types()),
        linear=len(FLASH_LINEAR),
        transformers=known["transformers"],
        fla=known["flash-linear-attention"],
    )
    sources = folded(f"Sources of {len(published())} models", "".join(_source(model) for model in published()))
    head = HEAD.format(unseen=sum(_is_unseen(model) for model in published()), models=len(published()))
    return head + table([names, *rows]) + one_layer_section() + notes + other_calculators_section(results) + SOURCES + sources


def _is_unseen(model: Published) -> bool:
    return model.status == "unverified" or model.status.endswith("not seen")


def _source(model: Published) -> str:
    note = f" ({model.note})" if model.note else ""
    return f"* **{model.name}**, {model.status}: {model.source}{note}\n"


def _row(model: Published, found: Capacity) -> list[str]:
    crossing = found.crossing()
    mark = "" if found.numbers_per_token else "*"
    exact = [limit.beyond for limit in found.limits if limit.accuracy is None and limit.task == "index lookup"]
    growth = found.bytes_per_token()
    return [
        model.name,
        unbroken(readable(found.state_bytes())),
        unbroken(readable(found.state_bytes(as_stored=True))),
        f"{int(growth):,}",
        "-" if crossing is None or not found.bits() else f"{crossing:,}{mark}",
        "none" if exact[-1] is None else f"{exact[-1]:,}",
        STATUSES[model.status],
    ]
