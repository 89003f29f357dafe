"""docs/reference/capacity.md: what published models keep between tokens, with the status of each fact."""

from pathlib import Path

from pages._markdown import folded, table, unbroken
from pages._model_types import model_types_section
from pages._one_layer import one_layer_section
from pages._other_calculators import other_calculators_section
from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.families import COUNTED, family, model_types, versions
from seqsep.language_models.capacity.flash_linear import FLASH_LINEAR
from seqsep.language_models.capacity.published import Published, published
from seqsep.language_models.capacity.text import readable

HEAD = """# Capacity: what published models keep between tokens

This page is for people who choose or serve a model. It says how many bytes a published model keeps for one sequence. It also
gives a length from which on a model with this state cannot repeat every list. [Weights](../explanation/glossary.md#weights)
are not counted.
`make pages` writes the page from `src/seqsep/language_models/capacity/published.json`.
`seqsep capacity CONFIG.json` prints the same numbers for your own file.

The columns of the first table are:

* **state, 16 bits**: the size of the fixed [state](../explanation/glossary.md#state) that the next step reads, at 16 bits per
  number. A [window](../explanation/glossary.md#window) of W tokens counts with W - 1 tokens. A convolution of K taps counts
  with K - 1 past columns.
* **as stored**: the size of the same numbers in the types that `transformers` uses, such as float32 for a recurrent state.
  `transformers` also allocates a K-th column of each convolution. This column is not counted here; `seqsep capacity --json`
  prints it.
* **bytes per token**: the number of bytes by which each token enlarges the [cache](../explanation/glossary.md#cache).
* **[crossing](../explanation/glossary.md#crossing)**: the least number of tokens at which the cache is as large as the fixed
  state and the full windows together. Only layers that keep every token count as cache here. A dash means that the model has
  neither a fixed state nor windows. If no layer keeps every token, the number is marked with *. It then compares with the cache
  of a similar model:
  * If the model has windows, it is the cache that the model would have if its window layers kept every token.
  * If the model has no windows, it is the cache of a Transformer of the same width and depth.
* **longest list**: the length of the longest list of tokens that fits into the state. There are V^N lists of N tokens from a
  vocabulary of V tokens. If the state has fewer than N log2 V bits, two lists leave the same state. Then the model repeats one
  of them wrongly, however it is trained. "No limit" means that this argument excludes no length. This does not show how long a
  list the published weights can repeat.
* **status**: the source of the sizes that are used, such as layers, heads and widths:
  * *verified*: a public file or page shows all of them. It is the model's config.json, a copy of it, or a page that lists them.
  * *fine-tune*: the config.json of a fine-tune of the model shows them.
  * *partly*: a public source shows some of them, or those of a closely related model.
  * *defaults*: they are the defaults of `transformers`. The model's config.json was not seen.
  * *unverified*: they are from memory.

For {unseen} of the {models} models the status is *defaults* or *unverified*: no file with their sizes was seen.
The [sources](#sources) at the end of the page say more about each model. Three names have a remark in brackets. "Transformers
form" means that the sizes are in the fields of `transformers`, which the original file does not use. "Dimensions as in a
fine-tune" is the status *fine-tune*. "Layers only" means that the configuration is that of the text model, `gemma4_text`.

"""
NOTES = """
## Checks of the declared sizes

seqsep declares what each family of models keeps. It contains the default sizes of {families} families of `transformers`
{transformers} and of {linear} families of `flash-linear-attention` {fla}. The declared numbers are compared with counted ones:

* **`transformers`**: A tiny model of each family reads 11, 12 and 15 tokens. The numbers in its cache are then counted. This is
  not done for {uncounted} families; `seqsep capacity` says so in its answer. Every count is equal to the
  declared one ([results/verify/capacity.json](../../results/verify/capacity.json)).
* **`flash-linear-attention`**: The same is done under Triton's interpreter for all families except `rwkv7`. Every count is
  equal to the declared one ([results/verify/capacity-flash-linear.json](../../results/verify/capacity-flash-linear.json)). The
  attention layers of this library need flash-attn and are not run. For these layers and for `rwkv7`, seqsep uses formulas, and
  no count checks them.
* **Published models**: The models on this page that `transformers` contains run at full size on torch's meta device. The other
  three are compared with answers that were computed separately, without this code.

Both libraries have families with the names `mamba`, `mamba2` and `bitnet`. If a file contains a field that only
`flash-linear-attention` writes, such as `fuse_norm`, seqsep uses the defaults of this library. Otherwise it uses those of
`transformers`.

If your design is in no family, describe it by hand as groups of equal layers:

```
{{"model_type": "by-hand", "layers": [
  {{"count": 24, "fixed_numbers": 65536}}, {{"count": 4, "numbers_per_token": 1024, "window": 4096}}]}}
```

* `count` is the number of layers in the group.
* `fixed_numbers` is how many numbers the fixed state of one layer contains. In "as stored", each of them has 32 bits.
* `numbers_per_token` is how many numbers one layer keeps for each token.
* `window` is for layers that keep the last tokens only.

The values that a cache stores only for its own bookkeeping, such as the number of tokens read, are not counted. They say
nothing about the tokens.

The sizes on this page are not valid for:

* tensor parallelism, which duplicates the groups of Mamba-2;
* speculative decoding, which makes the convolutions of Mamba-2 longer;
* engines that allocate memory in complete pages. They may need several times these bytes, and may keep a state in another
  type.
"""
SOURCES = """
## Sources

This list gives the status of each model in full, and the source of its sizes.
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
    """Return the table of published models, how it is checked, and the source of each."""
    rows = [_row(model, model.capacity()) for model in published()]
    names = ["model", "state, 16 bits", "as stored", "bytes per token", "crossing", "longest list", "status"]
    known = versions()
    notes = NOTES.format(
        families=len(model_types()),
        uncounted=sum(family(name).basis != COUNTED for name in model_types()),
        linear=len(FLASH_LINEAR),
        transformers=known["transformers"],
        fla=known["flash-linear-attention"],
    )
    sources = folded(f"Sources of {len(published())} models", "".join(_source(model) for model in published()))
    head = HEAD.format(unseen=sum(_is_unseen(model) for model in published()), models=len(published()))
    other = other_calculators_section(results)
    return head + table([names, *rows]) + one_layer_section() + notes + model_types_section() + other + SOURCES + sources


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
        "no limit" if exact[-1] is None else f"{exact[-1]:,}",
        STATUSES[model.status],
    ]
