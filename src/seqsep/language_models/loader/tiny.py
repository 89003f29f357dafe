"""A tiny copy of a published configuration: every size is divided, and the pattern of layers is kept.

A size is known by the name of its field. Numbers of heads are divided by one divisor, sizes of heads by another, and widths
by the product, so that `hidden_size = num_attention_heads * head_dim` still holds. Of the layers a beginning is kept that has
every kind of layer. The first pair of divisors is taken whose model can be built and reads tokens.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import torch

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.capacity.declare import declare
from seqsep.language_models.loader.configuration import path_to_text
from seqsep.language_models.loader.places import value_at
from seqsep.language_models.loader.source import ModelSource
from seqsep.language_models.loader.weights import built, built_without_numbers

HEADS = re.compile(r"(\w*num_)?(\w+_)?heads|n_head|n_(mamba|kv|key_value)_heads?|(mamba_)?n_?groups|mamba_ngroups|num_kv")
HEAD_SIZES = re.compile(r"\w*head_?dim|\w*_d_head|qk_(rope|nope)_head_dim|rotary_dim|attention_head_size|d_kv|head_size")
WIDTHS = re.compile(
    r"\w*hidden_size\w*|n_embd|d_model|\w*intermediate_size\w*|\w*ffn_\w*(size|dim)|n_inner|lru_width|\w*lora_rank|ffn_dim"
    r"|\w*d_ssm|\w*(dt|step)_rank|embedding_size|word_embed_proj_dim|d_ff|\w*hidden_dim|laurel_rank|ple_embed_dim|embed(ding)?_dim"
)
STATES = re.compile(r"\w*(d_state|state_size)")
EXPERTS = re.compile(r"(num|n)_(local_|routed_)?experts|moe_num_experts|zero_expert_num")
CHOSEN = re.compile(r"num_experts_per_tok(en)?|moe_top_?k|moe_k|top_k_experts|experts_per_token")
GROUPS_OF_EXPERTS = re.compile(r"n_group|topk_group|num_expert_group")
VOCABULARY = re.compile(r"vocab_size\w*")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth", "encoder_layers", "num_blocks")
SHARED = "num_kv_shared_layers"
MOST_SYMBOLS = 256
MOST_EXPERTS = 4
MOST_CHOSEN = 2
LARGEST_STATE = 8
SMALLEST_HEAD = 8
SMALLEST_WIDTH = 4
FEWEST_LAYERS = 2
MOST_PARAMETERS = 20_000_000
MOST_CHOICES = 24
LISTED = re.compile("layer|block|pattern|ratio|types")
ATTENTION_TYPES = "attention_types"
"""Of GPT-Neo: kinds of layers with the number of their repetitions."""
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DIVISORS_OF_HEADS = (64, 32, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
DIVISORS_OF_SIZES = (16, 8, 4, 2, 1)


@dataclass(frozen=True)
class Divisors:
    """The divisors of the numbers and of the sizes of heads."""

    heads: int
    sizes: int

    def divided(self, name: str, size: int) -> int:
        """Return the tiny size of a field; the same size if the name is not that of a size.

        >>> [Divisors(4, 8).divided(*field) for field in (("num_heads", 32), ("head_dim", 128), ("hidden_size", 4096))]
        [8, 16, 128]
        """
        if VOCABULARY.fullmatch(name):
            return min(size, MOST_SYMBOLS)
        if EXPERTS.fullmatch(name):
            return min(size, MOST_EXPERTS)
        if CHOSEN.fullmatch(name):
            return min(size, MOST_CHOSEN)
        if GROUPS_OF_EXPERTS.fullmatch(name):
            return min(size, 1)
        if STATES.fullmatch(name):
            return min(size, LARGEST_STATE)
        if HEAD_SIZES.fullmatch(name):
            return max(size // self.sizes, min(size, SMALLEST_HEAD))
        if HEADS.fullmatch(name):
            return max(size // self.heads, min(size, 1))
        if WIDTHS.fullmatch(name):
            return max(size // (self.heads * self.sizes), min(size, SMALLEST_WIDTH))
        return size


def tiny(source: ModelSource) -> ModelSource:
    """Return a source with a tiny configuration of the same kind.

    Raises BadInput if no tiny configuration can be built.
    """
    whole = source.library_config()
    text = {**(value_at(source.config, path_to_text(whole)) or {}), **whole.get_text_config().to_dict()}
    beginnings = _beginnings(source, text, int(getattr(whole.get_text_config(), "num_hidden_layers", 0)))
    reason = "no divisors fit"
    for divisors, layers in product(choices(text), beginnings):
        try:
            small = _changed(source, _text_changes(text, divisors, layers) | _changes_of_other_parts(whole, divisors))
            model = built(small, torch.float32)
            with torch.no_grad():
                model(torch.tensor([[3, 4, 5]]), use_cache=False)
        except Exception as error:  # of the library, for sizes that do not fit together
            reason = text_of(error)
            continue
        if sum(weight.numel() for weight in model.parameters()) <= MOST_PARAMETERS:
            return small
        reason = f"the model has more than {MOST_PARAMETERS:,} parameters"
    raise BadInput(f"{source.where}: --tiny: found no tiny sizes that fit together: {reason}; use --set FIELD=VALUE")


def _changed(source: ModelSource, changes: Mapping[str, Any]) -> ModelSource:
    """Return the source with those of the changes that the library takes; it computes some fields from others."""
    for name, value in changes.items():
        with suppress(BadInput):
            source = source.but({name: value})
    return source


def choices(text: Mapping[str, Any]) -> Iterator[Divisors]:
    """Yield pairs of divisors: first those that divide all numbers of heads and leave two of each, and of these the greatest.

    >>> next(choices({"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}))
    Divisors(heads=4, sizes=16)
    """
    heads = [size for name, size in text.items() if type(size) is int and size > 1 and HEADS.fullmatch(name)]
    width = next((text[name] for name in ("hidden_size", "n_embd", "d_model") if type(text.get(name)) is int), 0)
    pairs = [Divisors(first, second) for first in DIVISORS_OF_HEADS for second in DIVISORS_OF_SIZES]
    fitting = [pair for pair in pairs if not width % (pair.heads * pair.sizes) and width >= 16 * pair.heads * pair.sizes]

    def misfits(pair: Divisors) -> int:
        return sum(size % pair.heads > 0 or size < 2 * pair.heads for size in heads)

    yield from sorted(fitting, key=lambda pair: (misfits(pair), -pair.heads * pair.sizes))[:MOST_CHOICES]


@dataclass(frozen=True)
class Layers:
    """The layers of a published model and those that are kept: of the first, and of the last that share what others keep."""

    count: int
    kept: int
    shared: int


def _beginnings(source: ModelSource, text: Mapping[str, Any], count: int) -> list[Layers]:
    """Find the shortest beginning that has a layer of every kind, and the shortest that has two of each where there are two.

    The second is for models with one layer that is used several times, such as Zamba.
    """
    shared = int(text.get(SHARED) or 0)
    kinds = _kinds(source, text, count)[: count - shared]
    found = []
    for times in (1, 2):
        wanted = {kind: min(times, number) for kind, number in Counter(kinds).items()}
        enough = (k for k in range(len(kinds)) if all(kinds[:k].count(kind) >= least for kind, least in wanted.items()))
        kept = min(count, max(next(enough, len(kinds)), FEWEST_LAYERS))
        found.append(Layers(count, kept, min(shared, kept)))
    return found


def _kinds(source: ModelSource, text: Mapping[str, Any], count: int) -> list[Any]:
    """Return a value for each layer: its weights' names and shapes, what it keeps, and what the file lists for it."""
    few = {name: size for name, size in _divided(text, Divisors(1, 1)).items() if not STATES.fullmatch(name)}
    model = built_without_numbers(source.but(few | _small_tokens(text)))
    stacks: list[list[Any]] = [
        [tuple((name, tuple(weight.shape)) for name, weight in layer.named_parameters()) for layer in part]
        for part in model.modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == count
    ]
    with suppress(BadInput):  # of a family that capacity does not know
        stacks.append(list(declare(source.where, source.config).layers))
    stacks += [list(value) for value in text.values() if isinstance(value, list | tuple | str) and not _are_places(value)]
    return [repr(kind) for kind in zip(*[stack for stack in stacks if len(stack) == count], strict=True)] or [""] * count


def _divided(fields: Mapping[Any, Any], divisors: Divisors) -> dict[str, Any]:
    """Return the sizes that the divisors change."""
    sizes = {name: size for name, size in fields.items() if type(size) is int and size > 0 and isinstance(name, str)}
    return {name: small for name, size in sizes.items() if (small := divisors.divided(name, size)) != size}


def _text_changes(text: Mapping[str, Any], divisors: Divisors, layers: Layers) -> dict[str, Any]:
    """Return the changes of the text model's fields."""
    changes = _divided(text, divisors) | _small_tokens(text)
    total = layers.kept + layers.shared
    for name, value in text.items():
        if name in LAYERS:
            changes[name] = total
        elif name == SHARED:
            changes[name] = layers.shared
        elif _are_places(value) and LISTED.search(name):
            changes[name] = [place for place in value if place < total]
        elif isinstance(value, list | tuple | str) and len(value) >= layers.count > 1 and LISTED.search(name):
            changes[name] = value[:total] if isinstance(value, str) else list(value[:total])
        elif name == ATTENTION_TYPES:
            changes[name] = [[[kind for kinds, times in value for kind in kinds * times][:total], 1]]
        elif name.startswith("rope_") and isinstance(value, dict):
            changes[name] = _rotary(value, divisors.sizes)
        elif isinstance(value, dict) and _divided(value, divisors):
            changes[name] = {**value, **_divided(value, divisors)}
    return changes


def _are_places(value: Any) -> bool:
    """Return True for numbers of layers in ascending order.

    >>> _are_places([0, 2, 5]), _are_places([1, 0, 1, 0]), _are_places(["mamba"])
    (True, False, False)
    """
    numbers = isinstance(value, list | tuple) and all(type(place) is int for place in value)
    return numbers and len(value) > 1 and all(before < after for before, after in pairwise(value))


def _small_tokens(text: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of special tokens that are not in the tiny vocabulary."""
    changes = {}
    for name, value in text.items():
        tokens = value if isinstance(value, list) else [value]
        if name.endswith("_token_id") and any(type(token) is int and token >= MOST_SYMBOLS for token in tokens):
            changes[name] = SPECIAL.get(name, MOST_SYMBOLS - 1)
    return changes


def _rotary(parameters: Any, divisor: int) -> Any:
    """Return rotary parameters with lists, which have an entry or a share for each pair of coordinates, for smaller heads.

    >>> _rotary({"mrope_section": [16, 24, 24], "long_factor": [1.0] * 64}, 16)
    {'mrope_section': [1, 1, 2], 'long_factor': [1.0, 1.0, 1.0, 1.0]}
    """
    found = {}
    for name, value in parameters.items():
        if isinstance(value, dict):
            found[name] = _rotary(value, divisor)
        elif name.endswith("_section") and isinstance(value, list):
            small = [max(1, share // divisor) for share in value]
            found[name] = [*small[:-1], max(1, sum(value) // divisor - sum(small[:-1]))]
        elif name.endswith("_factor") and isinstance(value, list):
            found[name] = value[: max(1, len(value) // divisor)]
        else:
            found[name] = value
    return found


def _changes_of_other_parts(whole: Any, divisors: Divisors) -> dict[str, Any]:
    """Return changes of the towers of images and sounds, which read no token: one layer, and widths that fit to the text's."""
    changes: dict[str, Any] = {}
    for part in whole.sub_configs:
        config = getattr(whole, part, None)
        if config is None or config is whole.get_text_config() or not hasattr(config, "to_dict"):
            continue
        fields = config.to_dict()
        for name, size in (_divided(fields, divisors) | {name: 1 for name in LAYERS if type(fields.get(name)) is int}).items():
            changes[f"{part}.{name}"] = size
    return changes
