"""The kind of each layer: listed in the file, else by the rule that the library follows for its family.

Kinds have the names of `transformers`: full_attention, sliding_attention, chunked_attention, indexed_attention,
linear_attention (any fixed state), conv, hybrid and hybrid_sliding (both in one layer), mlp and moe (nothing is kept), and the
two of DeepSeek-V4.
"""

from collections.abc import Callable

from seqsep.core.names import BadInput, excerpt, nearest, printable
from seqsep.language_models.capacity.config import MOST_LAYERS, Fields
from seqsep.language_models.capacity.drafts import without_drafts

FULL = "full_attention"
SLIDING = "sliding_attention"
CHUNKED = "chunked_attention"
INDEXED = "indexed_attention"
LINEAR = "linear_attention"
COMPRESSED = "compressed_sparse_attention"
HEAVILY = "heavily_compressed_attention"
SPARSE = "minimax_m3_sparse"
CROSS = "cross_attention"
KINDS: tuple[str, ...] = (FULL, SLIDING, CHUNKED, INDEXED, LINEAR, COMPRESSED, HEAVILY, SPARSE, CROSS)
KINDS += ("conv", "hybrid", "hybrid_sliding", "mlp", "moe")
OLDER_NAMES = {
    "mamba": LINEAR,
    "mamba2": LINEAR,
    "recurrent": LINEAR,
    "attention": FULL,
    "window_attention": SLIDING,
    "deepseek_sparse_attention": INDEXED,
    "qwen_sparse_attention": INDEXED,
}
Rule = Callable[[Fields, int], list[str]]


def kinds_of_layers(fields: Fields, rule: str, allowed: frozenset[str]) -> list[str]:
    """Return the kind of each layer, in order. Raises BadInput for names that the family does not have."""
    own = OWN_LENGTH.get(rule)
    if own is not None:
        kinds = own(fields)
        names_in = "hybrid_override_pattern" if fields.has("hybrid_override_pattern") else "layer_types"
    else:
        names_in = "layer_types"
        listed = without_drafts(fields, "layer_types", fields.words("layer_types"))
        kinds = listed if listed is not None else _by_rule(fields, rule)
    kinds = [OLDER_NAMES.get(kind, kind) for kind in kinds]
    if rule.endswith(" last full"):
        kinds[-1] = FULL
    if INDEXED in allowed and FULL not in allowed:
        kinds = [INDEXED if kind == FULL else kind for kind in kinds]
    for kind in kinds:
        if kind not in allowed:
            found = f"found {excerpt(printable(kind))!r}{nearest(kind, allowed)}"
            raise BadInput(f"{fields.where}: {names_in}: expected {', '.join(sorted(allowed))}, {found}")
    return kinds


def _by_rule(fields: Fields, rule: str) -> list[str]:
    """Return the kinds by a named rule, or by one that says its period: "every 4", "every sliding_window_pattern"."""
    word, *rest = rule.split()
    if word in ("every", "phase"):
        period = int(rest[0]) if rest[0].isdigit() else fields.whole(rest[0])
        shift = 1 if word == "every" else 0
        other = rest[1] if len(rest) > 1 and rest[1] in KINDS else SLIDING
        return [FULL if (layer + shift) % period == 0 else other for layer in range(fields.layers)]
    return RULES[word](fields, fields.layers)


def _cached(fields: Fields, layers: int) -> list[str]:
    return [SLIDING if fields.window() else FULL] * layers


def _from_layer(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Qwen 2 and 3 and dots.llm1: windows from a layer on."""
    if not fields.window():
        return [FULL] * layers
    first = fields.whole("max_window_layers", least=0)
    return [SLIDING if layer >= first else FULL for layer in range(layers)]


def _odd_before(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Qwen 2 MoE: windows on every second layer before a layer."""
    if not fields.window():
        return [FULL] * layers
    end = fields.whole("max_window_layers", least=0)
    return [SLIDING if layer % 2 == 0 and layer < end else FULL for layer in range(layers)]


def _exaone(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Exaone: a period, or a text such as LLLG that is repeated."""
    if not fields.has("sliding_window"):
        raise BadInput(f"{fields.where}: layer_types: expected a list, as sliding_window is null and no pattern follows")
    pattern = fields.get("sliding_window_pattern")
    if isinstance(pattern, str):
        if not pattern or set(pattern) - {"L", "G"} or len(pattern) > MOST_LAYERS:
            fields.refuse("sliding_window_pattern", "a whole number, or letters L and G")
        return [SLIDING if pattern[layer % len(pattern)] == "L" else FULL for layer in range(layers)]
    period = fields.whole("sliding_window_pattern")
    return [SLIDING if (layer + 1) % period else FULL for layer in range(layers)]


def _dense_first(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Cohere 2 MoE: the dense layers in front have their own pattern."""
    dense = min(fields.whole("first_k_dense_replace", least=0, most=layers), layers)
    before = fields.whole("prefix_dense_sliding_window_pattern")
    behind = fields.whole("sliding_window_pattern")
    front = [SLIDING if (layer + 1) % before else FULL for layer in range(dense)]
    return front + [SLIDING if (layer + 1) % behind else FULL for layer in range(layers - dense)]


def _without_rope(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Llama 4 and SmolLM 3: layers with rotary positions look at chunks and the others are full, or the
    other way round.
    """
    rotary = fields.places("no_rope_layers")
    if not rotary:
        interval = fields.whole("no_rope_layer_interval")
        rotary = [int((layer + 1) % interval != 0) for layer in range(layers)]
    if len(rotary) != layers:
        fields.refuse("no_rope_layers", f"a list of {layers} whole numbers (one a layer)")
    if fields.window("attention_chunk_size") is not None:
        return [CHUNKED if has_rope else FULL for has_rope in rotary]
    slides = fields.flag("use_sliding_window") and fields.window() is not None
    return [FULL if has_rope or not slides else SLIDING for has_rope in rotary]


def _by_places(name: str, at: str, other: str, start: int = 0) -> Rule:
    """Return the rule of a list of layers, counted from `start`. Without the list, all layers are `other`."""

    def rule(fields: Fields, layers: int) -> list[str]:
        places = fields.places(name) or []
        if any(not start <= place < layers + start for place in places):
            fields.refuse(name, f"layers from {start} to {layers - 1 + start}")
        chosen = set(places)
        return [at if layer + start in chosen else other for layer in range(layers)]

    return rule


def _kimi(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Kimi Linear: lists that count from 1. Without them, every fourth layer counted from 0 is full, except
    the first.
    """
    lists = fields.inner("linear_attn_config")
    if not lists.has("full_attn_layers") and not lists.has("kda_layers"):
        return [FULL if layer and layer % 4 == 0 else LINEAR for layer in range(layers)]
    full = _by_places("full_attn_layers", FULL, LINEAR, start=1)(lists, layers)
    linear = lists.places("kda_layers")
    both = [index + 1 for index, kind in enumerate(full) if kind == LINEAR]
    if linear is not None and sorted(linear) != both:
        lists.refuse("kda_layers", "the layers that full_attn_layers leaves out, counted from 1")
    return full


def _minimax(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of MiniMax: the published list has 0 for a fixed state and 1 for full attention.

    Without it, every second layer has a fixed state in `transformers`; the published types have no such rule.
    """
    listed = fields.places("attn_type_list", layers)
    if listed is not None and not set(listed) - {0, 1}:
        return [FULL if attends else LINEAR for attends in listed]
    if listed is not None or fields.values.get("model_type", "minimax") != "minimax":
        fields.refuse("attn_type_list", f"a list of {layers} numbers 0 and 1 (one a layer)")
    return [LINEAR if layer % 2 else FULL for layer in range(layers)]


def _jamba(fields: Fields, layers: int) -> list[str]:
    period = fields.whole("attn_layer_period")
    offset = fields.whole("attn_layer_offset", least=0)
    return [FULL if layer % period == offset else LINEAR for layer in range(layers)]


def _zamba(fields: Fields, layers: int) -> list[str]:
    period = fields.whole("attn_layer_period")
    offset = fields.whole("attn_layer_offset", least=0)
    front = [LINEAR, LINEAR, "hybrid"]
    return (front + ["hybrid" if layer % period == offset else LINEAR for layer in range(layers - 3)])[:layers]


def _zamba2(fields: Fields, layers: int) -> list[str]:
    kinds = [LINEAR, *([LINEAR] * 5 + ["hybrid"]) * 7, *[LINEAR] * 4, "hybrid", *[LINEAR] * 3, "hybrid", *[LINEAR] * 2]
    if layers != len(kinds):
        fields.refuse("num_hidden_layers", f"{len(kinds)} where no layers_block_type is given")
    return kinds


def _olmo_hybrid(fields: Fields, layers: int) -> list[str]:
    kinds = [FULL if layer % 4 == 3 else LINEAR for layer in range(layers)]
    return kinds if FULL in kinds else [*kinds[:-1], FULL]


def _lfm2(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of LFM2: without lists every layer attends."""
    return _by_places("full_attn_idxs", FULL, "conv")(fields, layers) if fields.has("full_attn_idxs") else [FULL] * layers


def _lfm3(fields: Fields, layers: int) -> list[str]:
    cycle = [SLIDING, "conv", FULL, "conv"]
    return ["conv", *(cycle[layer % 4] for layer in range(1, layers))]


def _listed(fields: Fields, layers: int) -> list[str]:
    fields.refuse("layer_types", f"a list of {layers} words (one a layer)")


def _inkling(fields: Fields, layers: int) -> list[str]:
    if fields.has("local_layer_ids"):
        return _by_places("local_layer_ids", "hybrid_sliding", "hybrid")(fields, layers)
    return ["hybrid_sliding" if (layer + 1) % 6 else "hybrid" for layer in range(layers)]


def _dots3(fields: Fields, layers: int) -> list[str]:
    slides = fields.get("use_sliding_window") is not False
    return [SLIDING if slides and layer >= 2 and layer % 4 != 1 else INDEXED for layer in range(layers)]


def _flint(fields: Fields, layers: int) -> list[str]:
    return [FULL if layer < 2 or layer % 4 == 1 or layer == layers - 1 else SLIDING for layer in range(layers)]


def _deepseek_v4(fields: Fields, layers: int) -> list[str]:
    ratios = without_drafts(fields, "compress_ratios", fields.places("compress_ratios"))
    if ratios is None:
        return [HEAVILY if layer < 2 or layer % 2 == 0 else COMPRESSED for layer in range(layers)]
    names = {0: SLIDING, 4: COMPRESSED, 128: HEAVILY}
    if set(ratios) - set(names):
        fields.refuse("compress_ratios", "a list of 0, 4 and 128")
    return [names[ratio] for ratio in ratios]


def _minimax_m3(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of MiniMax-M3: marks in sparse_attention_config; full attention without them."""
    marks = fields.inner("sparse_attention_config").places("sparse_attention_freq")
    listed = without_drafts(fields, "sparse_attention_config", marks)
    return [SPARSE if mark else FULL for mark in listed] if listed is not None else [FULL] * layers


def _mllama(fields: Fields, layers: int) -> list[str]:
    """Return the kinds of Llama 3.2 with images: some layers attend to the images, and to no token."""
    places = fields.places("cross_attention_layers") or [3, 8, 13, 18, 23, 28, 33, 38]
    if not fields.has("cross_attention_layers"):
        fields.taken["cross_attention_layers"] = places
    return [CROSS if layer in places else FULL for layer in range(layers)]


def _all(kind: str) -> Rule:
    return lambda fields, layers: [kind] * layers


RULES: dict[str, Rule] = {
    "full": _all(FULL),
    "linear": _all(LINEAR),
    "hybrid": _all("hybrid"),
    "indexed": _all(INDEXED),
    "cached": _cached,
    "from-layer": _from_layer,
    "odd-before": _odd_before,
    "exaone": _exaone,
    "dense-first": _dense_first,
    "without-rope": _without_rope,
    "places": _by_places("attn_layer_indices", FULL, LINEAR),
    "kimi": _kimi,
    "minimax": _minimax,
    "jamba": _jamba,
    "zamba": _zamba,
    "zamba2": _zamba2,
    "olmo-hybrid": _olmo_hybrid,
    "lfm2": _lfm2,
    "lfm3": _lfm3,
    "listed": _listed,
    "inkling": _inkling,
    "dots3": _dots3,
    "flint": _flint,
    "deepseek-v4": _deepseek_v4,
    "minimax-m3": _minimax_m3,
    "mllama": _mllama,
    "glimmer": lambda fields, layers: [FULL if (layers - 1 - layer) % 4 == 0 else SLIDING for layer in range(layers)],
    "first-and-6": lambda fields, layers: [FULL if layer == 0 or (layer + 1) % 6 == 0 else SLIDING for layer in range(layers)],
}


def _nemotron(fields: Fields) -> list[str]:
    """Return the kinds of Nemotron-H: letters, or a list of any length; num_hidden_layers is not read."""
    letters = fields.get("hybrid_override_pattern")
    if fields.has("layer_types"):
        return fields.words("layer_types") or []
    if letters is None:
        return [LINEAR, "moe", FULL, "mlp"]
    names = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}
    if not isinstance(letters, str) or not 0 < len(letters) <= MOST_LAYERS or set(letters) - set(names):
        fields.refuse("hybrid_override_pattern", f"letters M, *, - and E, at most {MOST_LAYERS:,}")
    return [names[letter] for letter in letters]


def _recurrent_gemma(fields: Fields) -> list[str]:
    """Return the kinds of RecurrentGemma: a list that is repeated; its attention has a window."""
    block = fields.words("_block_types") or fields.words("block_types")
    if not block:
        fields.refuse("block_types", "a list of words")
    kinds = [block[layer % len(block)] for layer in range(fields.layers)]
    return [SLIDING if kind == "attention" else kind for kind in kinds]


def _looped(fields: Fields) -> list[str]:
    """Return the kinds of HRM: a cache for each pass over each layer of a stack. A saved file has the product in
    num_hidden_layers.
    """
    passes = fields.whole("H_cycles") * (fields.whole("L_cycles") + 1)
    layers = fields.optional("num_layers_per_stack") or fields.layers
    if layers * passes > MOST_LAYERS:
        fields.refuse("num_layers_per_stack", f"at most {MOST_LAYERS:,} passes over layers")
    return [FULL] * (layers * passes)


def _doubled(fields: Fields) -> list[str]:
    """Return the kinds of LongCat-Flash: two attentions a layer."""
    return [FULL] * (2 * fields.layers)


def _of_decoder(fields: Fields) -> list[str]:
    """Return the kinds of encoder-decoders: the layers of the decoder."""
    name = next((name for name in ("decoder_layers", "num_decoder_layers") if fields.has(name)), "num_layers")
    return [FULL] * fields.whole(name, most=MOST_LAYERS)


def _if_decoder(fields: Fields) -> list[str]:
    """Return the kinds of BERT and its successors: they keep something only as a decoder."""
    if not fields.flag("is_decoder"):
        fields.refuse("is_decoder", "true: an encoder keeps nothing between tokens")
    return [FULL] * fields.layers


OWN_LENGTH: dict[str, Callable[[Fields], list[str]]] = {
    "nemotron": _nemotron,
    "recurrent-gemma": _recurrent_gemma,
    "looped": _looped,
    "doubled": _doubled,
    "decoder": _of_decoder,
    "if-decoder": _if_decoder,
}
"""Rules that also say how many layers there are."""
