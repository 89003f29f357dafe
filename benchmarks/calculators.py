"""Write results/other-calculators.json anew: what other calculators on the registry print for the files that `capacity` reads.

    python -m venv peers && peers/bin/pip install hf-mem==0.5.6 hf-vram-calc==1.0.9 -e .[hf]
    peers/bin/python benchmarks/calculators.py

Each published model of src/seqsep/language_models/capacity/published.json gets a config.json: the one that transformers writes
for it where it has the family, otherwise the fields as they are; a number of layers that transformers derives from their list
is written too, as in the published files. hf-mem fetches what it reads, so it is given that file, and a file of one weight, in
the place of the hub's answers; its way from there is its own. hf-vram-calc reads the folder. Both are asked for one sequence of
32,768 tokens in 16 bits. What is written is a number of bytes, or why there is none.
"""

import asyncio
import contextlib
import io
import json
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2
from hf_mem.run import arun
from hf_vram_calc.calculator import VRAMCalculator
from hf_vram_calc.config import ConfigManager
from hf_vram_calc.parser import ConfigParser
from transformers import AutoConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.published import Published, published

FILE = Path(__file__).parents[1] / "results/other-calculators.json"
TOKENS = 32_768
HEADER = json.dumps({"weight": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
WEIGHTS = struct.pack("<Q", len(HEADER)) + HEADER + b"\0\0"
Print = int | str
"""Bytes, or why there are none."""


def config_of(model: Published) -> dict[str, Any]:
    """The config.json of a model, with the name of its class and 16 bits a number."""
    known = model.config["model_type"]
    if known not in CONFIG_MAPPING_NAMES or "fuse_norm" in model.config:
        return {"architectures": ["ForCausalLM"], **model.config, "dtype": "bfloat16"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(model.config), encoding="utf-8")
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        config.dtype = "bfloat16"
        config.save_pretrained(folder)
        saved: dict[str, Any] = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    if "text_config" in saved:
        return saved | {"architectures": ["ForConditionalGeneration"]}
    return saved | {"architectures": ["ForCausalLM"], "num_hidden_layers": config.num_hidden_layers}


@contextlib.contextmanager
def answers_in_the_hubs_place(config: dict[str, Any]) -> Iterator[None]:
    """Every client that httpx2 makes is answered from here."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path.endswith("config.json"):
            return httpx2.Response(200, json=config)
        if path.endswith("model.safetensors"):
            return httpx2.Response(200, content=WEIGHTS)
        return httpx2.Response(200, json=[{"type": "file", "path": name} for name in ("config.json", "model.safetensors")])

    made = httpx2.AsyncClient

    def client(**settings: Any) -> httpx2.AsyncClient:
        return made(**{**settings, "http2": False}, transport=httpx2.MockTransport(answer))

    httpx2.AsyncClient = client  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        httpx2.AsyncClient = made  # type: ignore[misc]


def hf_mem(name: str, config: dict[str, Any]) -> Print:
    """Bytes of the cache as `hf-mem --experimental --max-model-len 32768` has them."""
    with warnings.catch_warnings(record=True), answers_in_the_hubs_place(config):
        warnings.simplefilter("always")
        found = asyncio.run(arun(name, experimental=True, max_model_len=TOKENS))
    return "prints no cache" if found.kv_cache is None else int(found.kv_cache)


def hf_vram_calc(name: str, config: dict[str, Any]) -> Print:
    """Bytes of the cache as hf-vram-calc has them for a folder."""
    calculator = VRAMCalculator(ConfigManager())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        read = ConfigParser.parse_config(str(path), name)
    return round(calculator.calculate_kv_cache_memory(read, "bf16", 1, TOKENS) * 2**30)


def printed(calculator: Callable[[str, dict[str, Any]], Print], model: Published, config: dict[str, Any]) -> Print:
    """What a calculator prints; its errors are its own."""
    name = model.name.split(" ")[0]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return calculator(name, config)
    except OSError:
        return "asks the hub for code of the model"
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:100]


def main() -> None:
    models = {}
    for model in published():
        config = config_of(model)
        models[model.name] = {
            "seqsep": capacity(config).bytes_at(TOKENS),
            "hf-mem": printed(hf_mem, model, config),
            "hf-vram-calc": printed(hf_vram_calc, model, config),
        }
        print(model.name, models[model.name])
    found = {"tokens": TOKENS, "versions": {name: version(name) for name in ("hf-mem", "hf-vram-calc", "transformers")}}
    FILE.write_text(json.dumps({**found, "models": models}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
