"""The header of a .gguf file, as the configuration of a model. The keys are those of ggml's documentation of GGUF.

A header is read strictly: numbers of entries, lengths of texts and the bytes in all have limits, and lists are not nested.
"""

import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from seqsep.core.files import PIECE, open_regular
from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.by_rule import NOT_CONFIGURED, OF_OTHER_LAYERS
from seqsep.language_models.capacity.config import MOST_LAYERS
from seqsep.language_models.capacity.patterns import FULL, SLIDING
from seqsep.language_models.capacity.spellings import is_size

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_FILE = 1 << 50
MOST_HEADER = 256 << 20
MOST_KEYS = 1 << 14
MOST_KEY = 1 << 12
MOST_TEXT = 16 << 20
MOST_ITEMS = 1 << 24
NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT = 8
LIST = 9
TYPES = {
    **{name: name for name in ("llama", "qwen2", "qwen3", "gemma", "gemma2", "phi3", "olmo2", "granite", "mamba", "mamba2")},
    **{name: name for name in ("starcoder2", "stablelm", "cohere2", "glm4", "smollm3", "llama4")},
    **{"qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe", "gemma3": "gemma3_text", "phi2": "phi", "command-r": "cohere"},
    **{"deepseek2": "deepseek_v3", "gpt-oss": "gpt_oss", "gptneox": "gpt_neox"},
}
"""The model_type of an architecture whose rules are known."""
FIELDS = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "v_head_dim": "attention.value_length",
    "sliding_window": "attention.sliding_window",
    "kv_lora_rank": "attention.kv_lora_rank",
    "state_size": "ssm.state_size",
    "conv_kernel": "ssm.conv_kernel",
    "intermediate_size": "ssm.inner_size",
    "num_heads": "ssm.time_step_rank",
    "n_groups": "ssm.group_count",
}
"""The fields of a config.json, and the key of each after the architecture."""
RECURRENT = ("mamba", "mamba2")
ENCODERS = ("gemma-embedding", "t5encoder")
"""Encoders without "bert" in their names; a header may say the same by attention.causal."""
WINDOWED = ("gemma2", "gemma3_text", "phi3", "starcoder2", "cohere2", "gpt_oss", "olmo2")
"""The model_types whose rules say which layers have a window; llama.cpp writes no pattern for most of them."""
DENSE_FIRST = ("smallthinker", "cohere2moe")
"""Architectures in which a period begins with the layer without a window; in others it ends with it."""
PATTERN = "attention.sliding_window_pattern"
OTHER_LAYERS = re.compile(
    rf"^(ssm|wkv|shortconv|kda|attention\.(shared_kv_layers|indexer|key_length_swa|value_length_swa)|decoder_block_count)"
    rf"|{OF_OTHER_LAYERS.pattern}"
)
"""Keys of fixed states, of shared or compressed caches, of caches of a source, and of heads of two widths."""
INSTEAD = "read the model's config.json instead"


def read_gguf(path: Path) -> dict[str, Any]:
    """Return the configuration that the header of a .gguf file gives. Raises BadInput as `config_of_header` does."""
    return config_of_header(printable(str(path)), read_header(path))


def config_of_header(where: str, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration that the keys of a header give.

    Raises BadInput, which names the file and the key, for a header that leaves open what the model keeps.
    """
    architecture = header.get("general.architecture")
    if not isinstance(architecture, str):
        raise BadInput(f"{where}: general.architecture: expected a text, found none")
    own = {key.removeprefix(f"{architecture}."): value for key, value in header.items() if key.startswith(f"{architecture}.")}
    where = f"{where}: {excerpt(printable(architecture))}"
    given = {name: own.get(key) for name, key in FIELDS.items()}
    tokens = header.get("tokenizer.ggml.tokens", own.get("vocab_size"))
    found: dict[str, Any] = {"vocab_size": tokens} if isinstance(tokens, int) else {}
    if architecture in RECURRENT:
        found |= {"model_type": architecture} | {name: value for name, value in given.items() if value is not None}
        return found | _heads_of_mamba2(where, given) if architecture == "mamba2" else found
    _refuse_other_layers(where, architecture, own)
    names = [*list(FIELDS)[:6], "kv_lora_rank"]
    found |= {name: given[name] for name in names if given[name] is not None}
    found.setdefault("num_key_value_heads", given["num_attention_heads"])
    found |= _without_drafts(found, own.get("nextn_predict_layers"))
    width = given["hidden_size"]
    heads = given["num_attention_heads"]
    if given["head_dim"] is None and isinstance(width, int) and isinstance(heads, int) and heads and width % heads == 0:
        found["head_dim"] = width // heads
    known = TYPES.get(architecture)
    if given["kv_lora_rank"] is not None:
        found["qk_rope_head_dim"] = own.get("rope.dimension_count")
    elif isinstance(found["num_key_value_heads"], list) or found.get("head_dim") != found.get(
        "v_head_dim", found.get("head_dim")
    ):
        known = None
    windows = _windows(where, architecture, own, found.get("num_hidden_layers"))
    if windows["sliding_window"] is not None and "layer_types" not in windows and (known is None or known not in WINDOWED):
        raise BadInput(f"{where}.{PATTERN}: expected the layers that have the window, found none; {INSTEAD}")
    if known == "olmo2" and windows["sliding_window"] is not None:
        known = "olmo3"
    return {"model_type": known or f"{architecture} of a .gguf file"} | found | windows


def _refuse_other_layers(where: str, architecture: str, own: Mapping[str, Any]) -> None:
    """Raise BadInput for a model without causal attention, and for keys of layers that the other keys do not describe."""
    causal = own.get("attention.causal", "bert" not in architecture and architecture not in ENCODERS)
    if causal in (False, 0):
        raise BadInput(
            f"{where}.attention.causal: expected true: otherwise nothing is kept between tokens, found false or none"
        )
    for kind in ("key", "value"):
        if own.get(f"attention.{kind}_length_swa") == own.get(f"attention.{kind}_length"):
            own = {name: value for name, value in own.items() if name != f"attention.{kind}_length_swa"}
    strange = sorted(name for name, value in own.items() if value not in NOT_CONFIGURED and OTHER_LAYERS.search(name))
    if strange:
        found = excerpt(printable(str(own[strange[0]])))
        name = excerpt(printable(strange[0]))
        raise BadInput(f"{where}.{name}: expected keys and values of each token in all layers, found {found}; {INSTEAD}")


def _without_drafts(found: Mapping[str, Any], drafts: Any) -> dict[str, Any]:
    """The depth and the heads of each layer, without the last layers, which predict further tokens."""
    depth = found.get("num_hidden_layers")
    if not is_size(depth) or not is_size(drafts) or drafts >= depth:
        return {}
    heads = found["num_key_value_heads"]
    kept = heads[: depth - drafts] if isinstance(heads, list) and len(heads) == depth else heads
    return {"num_hidden_layers": depth - drafts, "num_key_value_heads": kept}


def _windows(where: str, architecture: str, own: Mapping[str, Any], depth: Any) -> dict[str, Any]:
    """The window and, if the header gives it, the kind of each layer: by a period, or by a list with true for a window."""
    window = own.get("attention.sliding_window") or None
    pattern = own.get(PATTERN)
    if not is_size(depth) or depth > MOST_LAYERS:
        return {"sliding_window": window}
    if window is None:
        return {"sliding_window": None} | ({"layer_types": [FULL] * depth} if "attention.sliding_window" in own else {})
    if pattern is None:
        return {"sliding_window": window}
    if isinstance(pattern, list) and len(pattern) in (depth, own.get("block_count")):
        slides = [bool(one) for one in pattern[:depth]]
    elif isinstance(pattern, int) and not isinstance(pattern, bool) and 0 <= pattern <= MOST_LAYERS:
        full = 0 if architecture in DENSE_FIRST else pattern - 1
        slides = [pattern == 0 or layer % pattern != full for layer in range(depth)]
    else:
        raise BadInput(f"{where}.{PATTERN}: expected a period or a list, one a layer, found {excerpt(printable(str(pattern)))}")
    return {
        "sliding_window": window,
        "use_sliding_window": True,
        "layer_types": [SLIDING if has_window else FULL for has_window in slides],
    }


def _heads_of_mamba2(where: str, given: dict[str, Any]) -> dict[str, Any]:
    inner = given["intermediate_size"]
    heads = given["num_heads"]
    if not isinstance(inner, int) or not isinstance(heads, int) or not heads or inner % heads or not given["hidden_size"]:
        raise BadInput(
            f"{where}: ssm.inner_size and ssm.time_step_rank: expected a width and its heads, found {inner}, {heads}"
        )
    return {"head_dim": inner // heads, "expand": inner / given["hidden_size"]}


def read_header(path: Path) -> dict[str, Any]:
    """Return the keys of a .gguf file; a long list is replaced by its length.

    Raises BadInput, which names the file, for a header that is cut off, too long, or of another version.
    """
    with open_regular(path, most=LARGEST_FILE) as file:
        return header_of(printable(str(path)), file)


def header_of(where: str, file: BinaryIO) -> dict[str, Any]:
    """Return the keys of a file that is read from its first byte, and can seek. Raises BadInput as `read_header` does."""
    reader = _HeaderReader(where, file)
    first = reader.bytes(len(MAGIC))
    if first != MAGIC:
        raise BadInput(f"{where}: expected a .gguf file, found other first bytes, {first!r}")
    version = reader.number("<I")
    if version not in VERSIONS:
        raise BadInput(f"{where}: expected version 2 or 3 of GGUF, little-endian, found {version}")
    reader.number("<Q")
    count = reader.whole("keys", MOST_KEYS)
    found: dict[str, Any] = {}
    for _ in range(count):
        key = reader.text(MOST_KEY)
        if key in found:
            raise BadInput(f"{where}: {excerpt(printable(key))}: expected it once, found it twice")
        found[key] = reader.value(reader.number("<I"))
    return found


class _HeaderReader:
    """A header, read from front to end with limits."""

    def __init__(self, where: str, file: BinaryIO) -> None:
        self.where = where
        self.file = file
        self.left = MOST_HEADER
        self.readers: dict[int, Callable[[], Any]] = {TEXT: lambda: self.text(MOST_TEXT)}
        self.readers |= {kind: lambda form=form: self.number(form) for kind, form in NUMBERS.items()}  # type: ignore[misc]

    def bytes(self, count: int) -> bytes:
        self.spend(count)
        found = self.file.read(count)
        if len(found) < count:
            raise BadInput(f"{self.where}: expected a complete header, found its end after {MOST_HEADER - self.left:,} bytes")
        return found

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise BadInput(f"{self.where}: expected a header of at most {MOST_HEADER:,} bytes, found a longer one")

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.bytes(struct.calcsize(form)))[0]

    def whole(self, of: str, most: int) -> int:
        found: int = self.number("<Q")
        if found > most:
            raise BadInput(f"{self.where}: expected at most {most:,} {of}, found {found:,}")
        return found

    def text(self, most: int) -> str:
        return self.bytes(self.whole("bytes of a text", most)).decode("utf-8", errors="replace")

    def value(self, kind: int) -> Any:
        if kind != LIST:
            return self._reader(kind)()
        kind = self.number("<I")
        count = self.whole("entries of a list", MOST_ITEMS)
        read = self._reader(kind)
        if count <= MOST_LAYERS:
            return [read() for _ in range(count)]
        if kind in NUMBERS:
            self.bytes(count * struct.calcsize(NUMBERS[kind]))
        else:
            self.skip_texts(count)
        return count

    def skip_texts(self, count: int) -> None:
        """Pass over texts, a piece of the file at a time: a call for each would take longer than the rest of the command."""
        length_at = struct.Struct("<Q").unpack_from
        while count:
            start = self.file.tell()
            piece = self.file.read(PIECE)
            last = len(piece) - 8
            at = 0
            for _ in range(count):
                if at > last:
                    break
                (length,) = length_at(piece, at)
                if length > last - at:
                    break
                at += 8 + length
                count -= 1
            self.file.seek(start + at)
            self.spend(at)
            if at == 0:
                self.bytes(self.whole("bytes of a text", MOST_TEXT))
                count -= 1

    def _reader(self, kind: int) -> Callable[[], Any]:
        if kind not in self.readers:
            raise BadInput(f"{self.where}: expected a type of a value from 0 to 12, in lists no list, found {kind}")
        return self.readers[kind]
