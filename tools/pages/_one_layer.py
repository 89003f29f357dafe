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
## From which length on one layer is too narrow

These are bounds on *one layer* of each model, alone between embeddings and any feed-forward part and read-out, and not on the
model: two layers are excluded by none of them. They exclude that the layer is right on every input, whatever the weights. A
layer has H heads with values of m coordinates (the one that sees all tokens, if there is one; of a latent all coordinates); a
recurrence beside its attention is left out. For models without attention it is the recurrent layer with the largest state.

* **Composition**: tokens f(0) .. f(n-1), g(0) .. g(n-1), x, numbers of [n]; the answer is f(g(x)). The least n from which it
  is impossible; a number that is no single token takes several. n log2 n bits of f are needed. By sums of p bits per number,
  read in order, H (m + 2) p bits reach the answer; by exact weights and sums, of which each mean is rounded to 16 bits,
  H log2 cells(m, 2^16 n) bits (`composition-one-layer`). A recurrent layer hands on its state, numbers of p bits.
* **Induction heads**: the task is to return the symbol that followed the latest occurrence of the last one. The number is the
  least count of tokens before it, by exact weights and means of 16 bits (`induction-one-layer`). For rounded sums nothing is
  proved.
* **Disjointness** of two sets of N/2 places, and **Dyck-(2,2)** recognised, the first paper's: the least N, on the grid of 16
  bits ([grid](../explanation/glossary.md#grid)) with stepwise softmax (`disjointness-one-layer`, `bounded-dyck-one-layer`).
* A layer that sees a window fails once f(0), or the first token, is outside of it, if that comes first.
* **Whole model**: composition by its state at 16 bits per number, all layers, whatever its depth; windows alone see no further
  back than their horizon. If a cache grows by g bits per token, n g bits are fewer than n log2 n only for n above 2^g: this
  argument excludes only lengths above the power of ten that is given.

"""
COMPOSITION = ["model", "layer", "sums of 16 bits", "sums of 32 bits", "exact weights", "whole model"]
OTHER_TASKS = ["model", "induction heads", "disjointness", "Dyck-(2,2)"]
OF_COMPOSITION = """The least n for composition, by one layer and by the whole model:

"""
OF_OTHER_TASKS = """
The least number of tokens for the other tasks, by one layer of each model with attention:

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
    """The least N for disjointness and for Dyck-(2,2), on the finest grid of 16 bits, or where a window leaves out a token.

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
