"""Files that are no config.json, or one that lies: each is refused in one line, or answered, in little time and memory."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seqsep.language_models.capacity.families import family, model_types

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    3,
    7,
    10**6,
    10**12,
    10**400,
    0.5,
    -2.0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "16",
    "auto",
    "\ud800",
    "x" * 10_000,
    [],
    [1],
    [None],
    ["mamba"],
    ["full_attention"] * 3,
    ["sliding_attention"] * 10_001,
    [[["global", "local"], 3]],
    {},
    {"__float__": "Infinity"},
    {"a": {"b": {}}},
    {"full_attn_layers": [0], "kda_layers": [1]},
    {"0": {"head_dim": -1}},
    {"layers": [10**9]},
)
TEXTS = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"mamba"',
    b"1" * 5000,
    b"\xff\xfe\x00",
    b"\xef\xbb\xbf{}",
    b"{}",
    b'{"model_type": 1}',
    b'{"model_type": ["mamba"]}',
    b'{"model_type": "mamba", "model_type": "gpt2"}',
    b'{"model_type": "mamba", "expand": NaN}',
    b'{"model_type": "mamba", "hidden_size": -Infinity}',
    b'{"model_type": "mamba", "hidden_size": 1e400}',
    b'{"model_type": "mamba", "num_hidden_layers": 1000000}',
    b'{"model_type": "mamba", "num_hidden_layers": ' + b"9" * 4000 + b"}",
    b'{"model_type": "mamba", "num_hidden_layers": ' + b"9" * 5000 + b"}",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"text_config":' * 500 + b"{}" + b"}" * 500,
    b" " * (5 << 20),
    b'{"model_type": "mamba\x00"}',
    b'{"model_type": "\\ud800"}',
    b'{"model_type": "by-hand", "layers": []}',
    b'{"model_type": "by-hand", "layers": [{"count": 10001}]}',
    b'{"model_type": "by-hand", "layers": [1]}',
    b'{"d_model": 8, "n_layer": 2, "ssm_cfg": {"layer": 3}}',
    b'{"d_model": "x", "n_layer": 2, "ssm_cfg": null}',
)


def hostile_configs(count: int, seed: int = 0) -> Iterator[bytes]:
    """Files in this number: the odd texts first, then real families with one to three fields spoiled, or bytes changed."""
    yield from TEXTS[:count]
    source = random.Random(seed)
    known = model_types()
    for _ in range(count - len(TEXTS)):
        name = source.choice(known)
        fields: dict[str, Any] = {"model_type": name, **family(name).defaults}
        if family(name).rule == "if-decoder":
            fields["is_decoder"] = True
        for _ in range(source.randint(1, 3)):
            fields[source.choice([*fields, "layer_types", "per_layer_config", "linear_attn_config"])] = source.choice(
                ODD_VALUES
            )
        text = json.dumps(fields).encode()
        yield text if source.random() < 0.8 else changed(text, source)


def changed(text: bytes, source: random.Random) -> bytes:
    """The text with some bytes changed, or without its end."""
    if source.random() < 0.5:
        return text[: source.randrange(len(text))]
    spoiled = bytearray(text)
    for _ in range(source.randint(1, 4)):
        spoiled[source.randrange(len(spoiled))] = source.randrange(256)
    return bytes(spoiled)


def write(folder: Path, texts: Iterator[bytes]) -> list[Path]:
    """The files, by number."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.json")
        paths[-1].write_bytes(text)
    return paths
