"""The numbers that an attention layer keeps of each token: keys and values, a latent, an indexer's keys; all, or a window."""

from collections.abc import Callable
from dataclasses import replace

from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.part import BITS, WIDE, Part


def head_dim(fields: Fields) -> int:
    """Return the coordinates of a head: the file's, or the width divided among the heads if the file has none."""
    return fields.optional("head_dim") or fields.divided("hidden_size", "num_attention_heads")


def key_value_heads(fields: Fields) -> int:
    """Return the number of heads with their own keys and values: the file's, or that of all heads if the file has none."""
    return fields.optional("num_key_value_heads") or fields.instead("num_key_value_heads", fields.whole("num_attention_heads"))


def grouped(fields: Fields) -> list[Part]:
    """Return the keys and values of every head that has its own."""
    return [_pairs(key_value_heads(fields), head_dim(fields))]


def _pairs(heads: int, width: int, value_width: int | None = None) -> Part:
    """Return a key and a value for each head, of one width unless values have their own."""
    values = heads * (width if value_width is None else value_width)
    return Part("attention", per_token=heads * width + values, values=values, shares=heads)


def latent(fields: Fields) -> list[Part]:
    """Return one latent and one rotated key a token, shared by all heads."""
    return [Part("latent", per_token=fields.whole("kv_lora_rank") + fields.whole("qk_rope_head_dim", least=0))]


def ungrouped(fields: Fields) -> list[Part]:
    """Return a key and a value of the full width, in as many shares as there are heads if they divide it. Other fields are not
    read.
    """
    width = fields.whole("hidden_size")
    heads = fields.optional("num_attention_heads") or 1
    return [Part("attention", per_token=2 * width, values=width, shares=heads if width % heads == 0 else 1)]


def _ungrouped_of_decoder(fields: Fields) -> list[Part]:
    """Return the parts of `ungrouped`, and those of a source if the file has add_cross_attention."""
    own = ungrouped(fields)
    return [*own, *map(cross, own)] if fields.flag("add_cross_attention") else own


def _split(fields: Fields) -> list[Part]:
    """Return keys and values of the width over the heads, whatever head_dim says."""
    return [_pairs(key_value_heads(fields), fields.divided("hidden_size", "num_attention_heads"))]


def _falcon(fields: Fields) -> list[Part]:
    """Return Falcon's keys and values. The newer architecture shares them, but copies them to every head before they are
    kept.
    """
    width = fields.divided("hidden_size", "num_attention_heads")
    heads = fields.whole("num_attention_heads")
    if fields.flag("multi_query") and not fields.flag("new_decoder_architecture"):
        heads = 1
    return [_pairs(heads, width)]


def _bigcode(fields: Fields) -> list[Part]:
    width = fields.divided("hidden_size", "num_attention_heads")
    return [_pairs(1 if fields.flag("multi_query") else fields.whole("num_attention_heads"), width)]


def _dbrx(fields: Fields) -> list[Part]:
    inner = fields.inner("attn_config")
    heads = inner.optional("kv_n_heads") or 1
    return [_pairs(heads, fields.divided("hidden_size", "num_attention_heads"))]


def _two_widths(fields: Fields) -> list[Part]:
    """Return keys and values of different widths."""
    return [_pairs(key_value_heads(fields), head_dim(fields), fields.whole("v_head_dim"))]


def _chatglm(fields: Fields) -> list[Part]:
    """Return the parts of ChatGLM 2 to 4: groups of heads if multi_query_attention is set."""
    heads = fields.whole("num_attention_heads")
    if fields.flag("multi_query_attention"):
        heads = fields.whole("multi_query_group_num")
    return [_pairs(heads, fields.optional("kv_channels") or fields.divided("hidden_size", "num_attention_heads"))]


def _doubled_width(fields: Fields) -> list[Part]:
    """Return the parts of Zamba: the block sees the stream next to the embeddings, so its heads are twice as wide."""
    width = 2 * fields.whole("hidden_size") // fields.whole("num_attention_heads")
    width = fields.optional("attention_head_dim") or width
    return [_pairs(key_value_heads(fields), width)]


def _of_decoder(fields: Fields) -> list[Part]:
    """Return the parts of BART and its successors: keys and values of the decoder's own tokens, and of the source."""
    width = fields.whole("d_model" if fields.has("d_model") else "hidden_size")
    names = ("decoder_attention_heads", "num_decoder_attention_heads", "num_attention_heads")
    heads = next((fields.whole(name) for name in names if fields.has(name)), 1)
    own = Part("attention", per_token=2 * width, values=width, shares=heads if width % heads == 0 else 1)
    return [own, cross(own)]


def _of_t5(fields: Fields) -> list[Part]:
    own = _pairs(fields.whole("num_heads"), fields.whole("d_kv"))
    return [own, cross(own)]


def _grouped_of_decoder(fields: Fields) -> list[Part]:
    """Return the keys and values of grouped heads, of the decoder's own tokens and of the source."""
    own = grouped(fields)
    return [*own, *map(cross, own)]


def _dia(fields: Fields) -> list[Part]:
    """Return the parts of Dia: cross-attention has its own heads and width."""
    source = _pairs(fields.whole("cross_num_key_value_heads"), fields.whole("cross_head_dim"))
    return [*grouped(fields), cross(source)]


def _cpmant(fields: Fields) -> list[Part]:
    """Return the parts of CPM-Ant: the keys and values of a learned prompt are in front of those of the tokens."""
    own = _pairs(fields.whole("num_attention_heads"), fields.whole("dim_head"))
    return [Part("prompt", fixed=fields.whole("prompt_length", least=0) * own.per_token, shares=own.shares), own]


def _hymba(fields: Fields) -> list[Part]:
    """Return the parts of Hymba: values are as wide as Mamba's channels, and memory tokens are in front of all tokens."""
    heads = fields.whole("num_attention_heads")
    values = int(fields.ratio("mamba_expand") * fields.whole("hidden_size"))
    own = _pairs(key_value_heads(fields), fields.divided("hidden_size", "num_attention_heads"), values // heads)
    memory = fields.whole("num_memory_tokens", least=0)
    return [Part("prompt", fixed=memory * own.per_token, shares=own.shares), own] if memory else [own]


def _hidden(fields: Fields) -> list[Part]:
    """Return the parts of XLNet: the input of each layer, of all tokens or of the last mem_len."""
    if fields.get("reuse_len"):
        fields.refuse("reuse_len", "null: batches that are read again are not counted")
    tokens = fields.optional("mem_len", least=0) or None
    return [Part("window" if tokens else "attention", per_token=fields.whole("hidden_size"), tokens=tokens)]


def cross(part: Part) -> Part:
    """Return the keys and values that cross-attention keeps of each source token, from those of a layer's own tokens."""
    return replace(part, kind="cross", per_token=0, per_source=part.per_token)


ATTENTION: dict[str, Callable[[Fields], list[Part]]] = {
    "grouped": grouped,
    "latent": latent,
    "ungrouped": ungrouped,
    "split": _split,
    "falcon": _falcon,
    "bigcode": _bigcode,
    "dbrx": _dbrx,
    "two-widths": _two_widths,
    "doubled-width": _doubled_width,
    "decoder": _of_decoder,
    "t5": _of_t5,
    "chatglm": _chatglm,
    "grouped-decoder": _grouped_of_decoder,
    "ungrouped-decoder": _ungrouped_of_decoder,
    "dia": _dia,
    "cpmant": _cpmant,
    "hymba": _hymba,
    "hidden": _hidden,
}


def index(fields: Fields, keys: str) -> Part:
    """Return the indexer's keys of each token. `keys` is the field of their width, or "glm5", which adds a gate and a mark."""
    if keys == "glm5":
        return Part("index", per_token=2 * fields.whole("index_head_dim") + 1)
    heads = fields.optional("indexer_kv_heads") or 1
    name, *rest = keys.split(" ", 1)
    return Part("index", per_token=heads * fields.whole(name), bits=WIDE if rest == ["in float32"] else BITS)


def windowed(parts: list[Part], window: int) -> list[Part]:
    """Return the same parts, kept of a window: its last token is the one that attends, so one less is kept.

    Those of a source are kept of all source tokens, and those of a prompt in front of all tokens are kept too.
    """
    return [part if part.kind in ("cross", "prompt") else replace(part, kind="window", tokens=window - 1) for part in parts]


def compressed(fields: Fields, kind: str) -> list[Part]:
    """Return the parts of DeepSeek-V4: a window, entries that represent `rate` tokens each, and the tokens that wait for the
    next entry.

    Keys are values, so a token is `head_dim` numbers, but in layers of a window alone they are kept twice. What overlaps two
    entries is kept once there is one.
    """
    width = fields.whole("head_dim")
    copies = 2 if kind == "sliding_attention" else 1
    window = windowed([Part("attention", per_token=copies * width)], fields.whole("sliding_window"))
    if kind == "sliding_attention":
        return window
    rates = fields.inner("compress_rates")
    older = {"compressed_sparse_attention": "compress_rate_csa", "heavily_compressed_attention": "compress_rate_hca"}[kind]
    rate = rates.optional(kind) or fields.whole(older)
    if kind == "heavily_compressed_attention":
        return [*window, Part("compressed", rate=rate, entry=width, waiting=2 * width)]
    both = width + fields.whole("index_head_dim")
    return [*window, Part("compressed", rate=rate, entry=both, waiting=4 * both, overlap=2 * rate * both)]


def twin_per_token(fields: Fields, layers: int) -> int | None:
    """Numbers a token of a Transformer of this width and depth with a key and a value for every coordinate."""
    width = fields.get("hidden_size")
    return 2 * width * layers if isinstance(width, int) and not isinstance(width, bool) else None
