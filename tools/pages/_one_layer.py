"""The section of docs/reference/capacity.md on one layer of each model: from which length on it is provably too narrow."""

from functools import cache

from pages._markdown import table, unbroken
from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.one_layer import (
    OneLayer,
    composition_of,
    one_layer,
    recurrent_numbers,
    state_composition,
    state_never_below,
)
from seqsep.language_models.capacity.part import BITS, WIDE
from seqsep.language_models.capacity.published import Published, published
from seqsep.theorems.bounded_dyck import one_layer as bounded_dyck
from seqsep.theorems.sparse_threshold import disjointness_one_layer

HEAD = """
## Lengths at which one layer is too narrow

This section is about *one layer* of each model, and not about the complete model. The layer is alone: embeddings are before it,
and a feed-forward part and a read-out may be after it. A layer *fails* at a length if, with any weights, it answers some
input of this length wrongly. The tables give the length from which a layer fails. Only the column "whole model" says something
about two or more layers.

For each model, the tables are about this layer:

* If the model has attention, it is an attention layer with H heads. The value of each head has m coordinates. If some
  layers see all tokens, it is one of them. Otherwise it is a layer with the longest window.
* If the attention is multi-head latent attention (MLA), m is the number of all coordinates of the latent.
* If a layer contains attention and a recurrence, the recurrence is left out.
* If the model has no attention, it is the recurrent layer with the largest state.

These are the tasks:

* **Composition.** The input is f(0) .. f(n-1), then g(0) .. g(n-1), then x. All of these are numbers from 0 to n - 1. The
  answer is f(g(x)). The table gives the least n from which the layer fails. If a number takes several tokens, the input has
  more than 2n + 1 tokens.
* **Induction heads.** The input is a list of tokens, and its last token is q. The answer is the token that follows the latest
  earlier q. The table gives the least number of tokens before the last one from which the layer fails. The bound
  is for layers with exact attention weights that round each weighted mean to 16 bits (`induction-one-layer`). For layers that
  round while they sum, nothing is proved.
* **Disjointness.** The input describes two subsets of N/2 places. The answer says if they have a place in common. The table
  gives the least N from which the layer fails (`disjointness-one-layer`).
* **Dyck-(2,2).** The input is a string of N brackets of two kinds. The answer says if they match, with at most two open at any
  time. The table gives the least N from which the layer fails (`bounded-dyck-one-layer`).

Disjointness and Dyck-(2,2) are tasks of Bhattamishra et al. 2024. Their bounds are for numbers on the
[grid](../explanation/glossary.md#grid) of 16 bits, and for a softmax that is rounded after each step.

For composition, the answer needs n log2 n bits about f. The layer fails if fewer bits reach the answer
(`composition-one-layer`):

| layer | bits that reach the answer |
|---|---|
| attention, token by token, each partial sum rounded to p bits | H (m + 2) p |
| attention with exact sums, each weighted mean rounded to p bits | H log2 cells(m, (2^p - 1) n) |
| recurrent, with S numbers of p bits in its state | S p |

Here cells(m, T) is the largest number of parts into which m T hyperplanes divide a space of m + 1 dimensions. The
columns "sums of 16 bits" and "sums of 32 bits" are for p = 16 and p = 32. In the column "exact weights", p is 16.

If the layer has a window, it also fails as soon as the first token is outside of the window. The tables give the smaller of the
two lengths.

The column **whole model** is about composition by the complete model, with any number of layers:

* If the model has no cache that grows, the bound follows from the bits of its state, at 16 bits per number.
* If the model keeps nothing except windows, the answer cannot depend on a token that is farther back than all windows
  together. This gives another length, and the table has the smaller one.
* If a cache grows by b bits per token, it contains n b bits after f. These are fewer than the needed n log2 n bits only if n is
  above 2^b. So no n up to 2^b is excluded. In this case the table says "above 10^k", for the largest power of ten that is at
  most 2^b.

"""
COMPOSITION = ["model", "layer", "sums of 16 bits", "sums of 32 bits", "exact weights", "whole model"]
OTHER_TASKS = ["model", "induction heads", "disjointness", "Dyck-(2,2)"]
OF_COMPOSITION = """This table gives the least n from which composition fails, for one layer and for the whole model:

"""
OF_OTHER_TASKS = """
This table gives the least length from which one layer fails at the other tasks. It contains each model with attention:

"""


def one_layer_section() -> str:
    """Return the section: what its columns mean, a table on composition and one on the other tasks."""
    models = [(model, model.capacity()) for model in published()]
    first = table([COMPOSITION, *(_composition(model, found) for model, found in models)])
    others = [[model.name, *_other_tasks(found, layer)] for model, found in models if (layer := one_layer(found)) is not None]
    return f"{HEAD}{OF_COMPOSITION}{first}{OF_OTHER_TASKS}{table([OTHER_TASKS, *others])}"


def _composition(model: Published, found: Capacity) -> list[str]:
    layer = one_layer(found)
    whole = state_composition(found)
    last = unbroken(f"above 10^{state_never_below(found):,}") if whole is None else f"{whole:,}"
    if layer is None:
        numbers = recurrent_numbers(found)
        states = [f"{composition_of(numbers * width):,}" for width in (BITS, WIDE)]
        return [model.name, f"recurrent, {numbers:,} numbers", *states, "", last]
    window = "" if layer.window is None else f", window {layer.window:,}"
    bites = [layer.composition(BITS), layer.composition(WIDE), layer.composition_exact(BITS)]
    shape = f"H = {layer.heads}, m = {layer.width}{window}"
    return [model.name, shape, *(f"{first:,}" for first in bites), last]


def _other_tasks(found: Capacity, layer: OneLayer) -> list[str]:
    symbols = found.fields.whole("vocab_size", least=4)
    return [f"{first:,}" for first in (layer.induction(BITS, symbols), *first_paper(layer))]


@cache
def first_paper(layer: OneLayer) -> tuple[int, int]:
    """Return the least N for disjointness and for Dyck-(2,2), on the finest grid of 16 bits, or where a window leaves out a
    token.

    >>> first_paper(OneLayer(heads=1, width=2))
    (230, 114)
    """
    grids = bounded_dyck.grids(precision=BITS)
    found = (
        disjointness_one_layer.fails_from(layer.width, layer.heads, grids),
        bounded_dyck.fails_from(layer.width, layer.heads, grids),
    )
    if layer.window is None:
        return found
    unseen = layer.window + 2 - layer.window % 2
    return min(found[0], unseen), min(found[1], unseen)
