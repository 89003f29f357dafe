"""Write a canary's folder: config.json, weights, a tokenizer of words, and a README that says what the model knows.

`transformers`, vLLM and converters read it without code of its own. The same canary has the same bytes on every machine: the
weights are exact in each type, and no file names a version.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from seqsep.core.files import read_text, write_file
from seqsep.core.names import BadInput, choose, text_of
from seqsep.theorems.canary import CANARIES, Canary
from seqsep.theorems.canary.vocabulary import BOS, EOS, PAD, WORDS

UNITS = {"float32": 2**-24, "bfloat16": 2**-8, "float16": 2**-11}
"""Type of numbers -> the relative error of one rounding."""
TYPES = tuple(UNITS)
LARGEST_CONFIG = 1 << 20
FIELD = "seqsep_canary"
"""The field of config.json that has the name of the canary. Libraries ignore it."""


def write_canary(name: str, folder: Path | str, dtype: str = TYPES[0]) -> Path:
    """Write a canary as a folder that `AutoModelForCausalLM.from_pretrained` loads, and return the folder.

    Arguments:
        name: name of a canary, such as llama.
        folder: a new or empty folder.
        dtype: float32, bfloat16 or float16, the type of the weights.

    Raises BadInput for an unknown name or type, a type in which the answers are not proved, or a folder that has files.

    >>> import tempfile
    >>> sorted(path.name for path in write_canary("llama", Path(tempfile.mkdtemp()) / "canary").iterdir())[:3]
    ['README.md', 'config.json', 'generation_config.json']
    """
    canary: Canary = CANARIES[choose("canary", name, list(CANARIES))]
    if dtype not in TYPES:
        raise BadInput(f"dtype: expected one of {', '.join(TYPES)}, found {dtype!r}")
    if dtype not in (proved := proved_types(name)):
        raise BadInput(f"dtype {dtype}: the answers of {name} are proved in {', '.join(proved)} only")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"{folder}: expected a new or an empty folder, found files in it")
    special = {"bos_token_id": BOS, "eos_token_id": EOS, "pad_token_id": PAD}
    files = {
        "config.json": _json({**canary.configuration(), **special, "dtype": dtype, FIELD: name}),
        "generation_config.json": _json({**special, "do_sample": False}),
        "tokenizer.json": _json(_tokenizer(canary.words)),
        "tokenizer_config.json": _json(_tokenizer_settings(canary.longest)),
        "README.md": _readme(name, canary).encode(),
        "model.safetensors": _weights(canary, getattr(torch, dtype)),
    }
    for file, content in files.items():
        write_file(folder / file, content)
    return folder


def proved_types(name: str) -> list[str]:
    """Return the types of numbers in which all answers of a canary are proved. Raises BadInput for an unknown name.

    >>> proved_types("llama"), proved_types("walk-llama")
    (['float32', 'bfloat16', 'float16'], ['float32'])
    """
    canary: Canary = CANARIES[choose("canary", name, list(CANARIES))]
    return [dtype for dtype, unit in UNITS.items() if canary.proved_lead(canary.longest, unit)]


def canary_of(folder: Path | str) -> Canary:
    """Return the canary whose folder this is. Raises BadInput for another folder.

    >>> import tempfile
    >>> canary_of(write_canary("llama", Path(tempfile.mkdtemp()) / "canary")).name
    'llama'
    """
    return CANARIES[_fields(folder)[FIELD]]


def dtype_of(folder: Path | str) -> str:
    """Return the type of the weights in a canary's folder. Raises BadInput for another folder."""
    dtype = _fields(folder).get("dtype")
    if dtype not in TYPES:
        raise BadInput(f"{folder}: dtype: expected one of {', '.join(TYPES)}, found {dtype!r}")
    return str(dtype)


def _fields(folder: Path | str) -> dict[str, Any]:
    """Return the fields of config.json. Raises BadInput unless they name a canary."""
    path = Path(folder) / "config.json"
    expected = f"{folder}: expected a folder that `seqsep canary write` made"
    if not path.is_file():
        raise BadInput(f"{expected}, found no config.json")
    try:
        fields = json.loads(read_text(path, most=LARGEST_CONFIG))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected JSON, found {text_of(error)}") from error
    name = fields.get(FIELD) if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in CANARIES:
        raise BadInput(f"{expected}, found no {FIELD} with the name of a canary in its config.json")
    return dict(fields)


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def _weights(canary: Canary, dtype: torch.dtype) -> bytes:
    """Return the weights as safetensors. Raises BadInput if one is not exact in the type."""
    tensors = {}
    for name, values in canary.tensors().items():
        exact = torch.from_numpy(values)
        tensors[name] = exact.to(dtype).contiguous()
        if not torch.equal(tensors[name].to(exact.dtype), exact):
            raise BadInput(f"{name}: a weight of this canary is not exact in {dtype}")
    return save(tensors, {"format": "pt"})


def _tokenizer(words: Sequence[str]) -> dict[str, Any]:
    """Return tokenizer.json: a word is a token, and words are parted by spaces."""
    special = [
        {"id": token, "content": WORDS[token], "special": True, "single_word": False, "lstrip": False, "rstrip": False}
        | {"normalized": False}
        for token in (PAD, BOS, EOS)
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(words)},
            "unk_token": WORDS[PAD],
        },
    }


def _tokenizer_settings(longest: int) -> dict[str, Any]:
    names = {"bos_token": WORDS[BOS], "eos_token": WORDS[EOS], "pad_token": WORDS[PAD], "unk_token": WORDS[PAD]}
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, **names}


def _readme(name: str, canary: Canary) -> str:
    """Return the README: what the model knows, a conversation, and how to ask."""
    return f"""# The {name} canary of seqsep

{canary.statement}.

Each greedy answer of this model is known. A wrong one shows that the engine reads its state, cache or positions wrongly.

{canary.rules}

The tokens are words with spaces between them. An example, and the answer after its last token:

    {canary.example}

Ask by token numbers, greedily (temperature 0). `seqsep canary ask FOLDER` writes prompts with their answers, and `seqsep canary
check FOLDER` asks a server.
"""
