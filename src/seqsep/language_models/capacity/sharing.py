"""Layers that keep less than their neighbours, or more: shared caches, indexers that are shared, layers without rotation."""

from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.families import Family
from seqsep.language_models.capacity.part import Part


def has_indexer(fields: Fields, known: Family, layer: int, layers: int) -> bool:
    """Return True if a layer runs its own indexer; other layers take the choice of the last that did."""
    if not known.index:
        return False
    listed = fields.words("indexer_types", layers)
    if listed is not None:
        if set(listed) - {"full", "shared"}:
            fields.refuse("indexer_types", "a list of full and shared")
        return listed[layer] == "full"
    if known.model_type == "hy_v4":
        return layer == 0 or (layer - 1) % 4 == 0
    pattern = fields.get("index_topk_pattern")
    if pattern is not None:
        if not isinstance(pattern, str) or len(pattern) != layers or set(pattern) - {"F", "S"}:
            fields.refuse("index_topk_pattern", f"{layers} letters F and S")
        return bool(pattern[layer] == "F")
    period = max(fields.whole("index_topk_freq", least=0), 1) if fields.has("index_topk_freq") else 1
    offset = fields.whole("index_skip_topk_offset", least=0) if fields.has("index_skip_topk_offset") else 2
    return max(layer - offset + 1, 0) % period == 0


def keeps_nothing(fields: Fields, layer: int, layers: int) -> bool:
    """Return True if a layer reads the keys and values of an earlier one."""
    shared = fields.optional("num_kv_shared_layers", least=0) or 0
    if shared > layers:
        fields.refuse("num_kv_shared_layers", f"a whole number up to {layers}")
    sources = fields.places("kv_source_layers", layers)
    return layer >= layers - shared or (sources is not None and sources[layer] != layer)


def rotates(fields: Fields, known: Family, layer: int) -> bool:
    """Return True if a layer's latent has a rotated key next to it."""
    if known.model_type != "mistral_large4_text":
        return True
    listed = fields.places("no_rope_layers")
    if listed is not None:
        return layer >= len(listed) or bool(listed[layer])
    interval = fields.whole("no_rope_layer_interval") if fields.has("no_rope_layer_interval") else 4
    return (layer + 1) % interval != 0


def ple_parts(fields: Fields, known: Family, layer: int) -> list[Part]:
    """Return the parts of Qwen 4's embeddings of n-grams, on layers counted from 1: a convolution, and the last tokens'
    numbers.
    """
    places = fields.places("ple_layer_ids") if known.model_type == "qwen4_exp_text" else None
    if not places or layer + 1 not in places:
        return []
    grams = fields.whole("ngram_size")
    columns = grams * fields.whole("hc_count") * fields.whole("hidden_size")
    convolution = Part("conv", fixed=columns * (fields.whole("ple_conv_kernel_size") - 1))
    return [convolution, Part("shift", fixed=grams - 1, bits=64)]
