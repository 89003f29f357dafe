"""Write the defaults in src/seqsep/language_models/capacity/families.json anew from the installed transformers.

    python benchmarks/capacity_families.py [--check]

Rules are written by hand and stay; defaults and aliases come from the configuration classes, for the fields that the room
reads. With --check nothing is written, and what would change is printed: status 1 if anything would.
"""

import argparse
import ast
import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOM = Path(__file__).parents[1] / "src/seqsep/language_models/capacity"
FILE = ROOM / "families.json"
OF_THE_FILE_ALONE = {"vocab_size"}
"""A limit over a vocabulary is said where the file names it."""
TEXT_FIELDS = {"text_config", "llm_config", "language_config", "thinker_config", "decoder", "decoder_config"}
MAPPINGS = {
    "causal": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "images and text": "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "sequence to sequence": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "speech to text": "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES",
    "text to speech": "MODEL_FOR_TEXT_TO_WAVEFORM_MAPPING_NAMES",
}
"""The automatic classes of the library for models that generate, by what they are called here."""
NO_DEFAULT = {"gemma4_assistant": "gemma4_text"}
"""Types whose class cannot be made without arguments, and the text model that they contain."""


def names_in_the_room() -> set[str]:
    """Every text in the room's code: fields that are read are among them."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOM.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names_in_rules(record: dict[str, Any]) -> set[str]:
    """Every word of a family's rules: a period may be a field."""
    return set(
        re.findall(r"\w+", json.dumps({name: record[name] for name in record if name not in ("defaults", "undeclared")}))
    )


def from_library(model_type: str, names: set[str], aliases: dict[str, str]) -> dict[str, Any]:
    """The defaults of one family's configuration class, and its aliases beside those that are given."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = CONFIG_MAPPING[model_type]
    declared = {field.name: field.default for field in dataclasses.fields(kind) if field.default is not dataclasses.MISSING}
    makers = {f.name: f.default_factory for f in dataclasses.fields(kind) if f.default_factory is not dataclasses.MISSING}
    declared |= {name: make() for name, make in makers.items()}
    aliases |= {name: stored for name, stored in kind.attribute_map.items() if name in names and name not in declared}
    found = {name: value for name, value in declared.items() if name in names}
    found |= {name: declared[stored] for name, stored in aliases.items() if stored in declared}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if is_plain(value)}
    return {"defaults": dict(sorted(plain.items())), "aliases": dict(sorted(aliases.items()))}


def is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | tuple)


def written(data: dict[str, Any]) -> str:
    """One family a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(record)}" for name, record in sorted(data["families"].items())]
    tables = ("versions", "inside", "other names", "any decoder", "refused", "types")
    others = "".join(f" {json.dumps(name)}: {json.dumps(data[name])},\n" for name in tables)
    head = f'{{\n{others} "families": {{\n'
    return head + ",\n".join(lines) + "\n }\n}\n"


def renewed() -> dict[str, Any]:
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    data = json.loads(FILE.read_text(encoding="utf-8"))
    names = names_in_the_room() - OF_THE_FILE_ALONE
    data["versions"]["transformers"] = transformers.__version__
    for model_type, record in data["families"].items():
        if model_type not in CONFIG_MAPPING_NAMES:
            continue
        read = names | names_in_rules(record)
        found = from_library(model_type, read, record.get("aliases", {}))
        record |= {name: value for name, value in found.items() if value or name in record}
    data["inside"] = inside(set(data["families"]) | set(data["any decoder"]))
    data["types"] = types()
    return data


def types() -> dict[str, list[str]]:
    """Return the types of each automatic class."""
    from transformers.models.auto import modeling_auto

    return {name: sorted(getattr(modeling_auto, mapping)) for name, mapping in MAPPINGS.items()}


def inside(families: set[str]) -> dict[str, str]:
    """Return the family of the text model that the library puts into each model_type that has one inside."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

    found = dict(NO_DEFAULT)
    for name in CONFIG_MAPPING_NAMES:
        if name in families or name in found or not TEXT_FIELDS & set(CONFIG_MAPPING[name].sub_configs):
            continue
        try:
            text = CONFIG_MAPPING[name]().get_text_config(decoder=True).model_type
        except Exception:  # a class that cannot be made without arguments names no text model
            continue
        if text in families:
            found[name] = text
    return dict(sorted(found.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = written(renewed())
    old = FILE.read_text(encoding="utf-8")
    changed = [line.strip()[:100] for line in text.splitlines() if line not in old.splitlines()]
    print(f"{len(changed)} lines change", *changed, sep="\n")
    if not options.check:
        FILE.write_text(text, encoding="utf-8")
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
