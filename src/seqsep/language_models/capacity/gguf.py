"""The header of a .gguf file, as the configuration of a model. The keys are those of ggml's documentation of GGUF.

A header is read strictly: numbers of entries, lengths of texts and the bytes in all have limits, and lists are not nested.
"""

import struct
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any

from seqsep.core.files import open_regular
from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.config import MOST_LAYERS

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


def read_gguf(path: Path) -> dict[str, Any]:
    """Return the configuration that the header of a .gguf file gives. Raises BadInput, which names the file and the key."""
    where = printable(str(path))
    header = read_header(path)
    architecture = header.get("general.architecture")
    if not isinstance(architecture, str):
        raise BadInput(f"{where}: general.architecture: expected a text, found none")
    given = {name: header.get(f"{architecture}.{key}") for name, key in FIELDS.items()}
    found: dict[str, Any] = {"model_type": TYPES.get(architecture, f"{architecture} of a .gguf file")}
    tokens = header.get("tokenizer.ggml.tokens", header.get(f"{architecture}.vocab_size"))
    found |= {"vocab_size": tokens} if isinstance(tokens, int) else {}
    if architecture in RECURRENT:
        found |= {name: value for name, value in given.items() if value is not None}
        return found | _heads_of_mamba2(where, given) if architecture == "mamba2" else found
    states = ("ssm.", "wkv.", "shortconv.", "full_attention_interval", "kda.")
    if any(key.removeprefix(f"{architecture}.").startswith(states) for key in header):
        found["hybrid"] = architecture
    names = [*list(FIELDS)[:6], "kv_lora_rank"]
    found |= {name: given[name] for name in names if given[name] is not None}
    found["sliding_window"] = given["sliding_window"] or None
    found.setdefault("num_key_value_heads", given["num_attention_heads"])
    width = given["hidden_size"]
    heads = given["num_attention_heads"]
    if given["head_dim"] is None and isinstance(width, int) and isinstance(heads, int) and heads and width % heads == 0:
        found["head_dim"] = width // heads
    if given["kv_lora_rank"] is not None:
        return found | {"qk_rope_head_dim": header.get(f"{architecture}.rope.dimension_count")}
    if isinstance(found["num_key_value_heads"], list) or found.get("v_head_dim", found.get("head_dim")) != found.get(
        "head_dim"
    ):
        found["model_type"] = f"{architecture} of a .gguf file"
    return found


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
    where = printable(str(path))
    with open_regular(path, most=LARGEST_FILE) as file:
        reader = _Reader(where, file)
        if reader.bytes(4) != MAGIC:
            raise BadInput(f"{where}: expected a .gguf file, found another first word")
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


class _Reader:
    """A header, read from front to end with limits."""

    def __init__(self, where: str, file: BufferedReader) -> None:
        self.where = where
        self.file = file
        self.left = MOST_HEADER
        self.readers: dict[int, Callable[[], Any]] = {TEXT: lambda: self.text(MOST_TEXT)}
        self.readers |= {kind: lambda form=form: self.number(form) for kind, form in NUMBERS.items()}  # type: ignore[misc]

    def bytes(self, count: int) -> bytes:
        self.left -= count
        if self.left < 0:
            raise BadInput(f"{self.where}: expected a header of at most {MOST_HEADER:,} bytes, found a longer one")
        found = self.file.read(count)
        if len(found) < count:
            raise BadInput(f"{self.where}: expected a complete header, found its end after {MOST_HEADER - self.left:,} bytes")
        return found

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
            for _ in range(count):
                self.bytes(self.whole("bytes of a text", MOST_TEXT))
        return count

    def _reader(self, kind: int) -> Callable[[], Any]:
        if kind not in self.readers:
            raise BadInput(f"{self.where}: expected a type of a value from 0 to 12, in lists no list, found {kind}")
        return self.readers[kind]
