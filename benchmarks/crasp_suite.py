"""C-RASP as a predictor of trained Transformers: python benchmarks/crasp_suite.py CLONE --json results/crasp-suite.json

CLONE is a clone of github.com/bveseli/state-tracking-crasp (Yang et al. 2026, "Algebraic Decomposition Theory for Transformer
Length Generalization"). It has 125 languages as regular expressions with their classes, and the accuracies of GPT-2 models
that were trained on words of up to 50 letters: several sizes and learning rates for each language.

The file has a line for each language: the classes by the authors and by `seqsep classify`, and the best accuracy of its models
at 101 to 150 and at 451 to 500 letters. `tests/theorems/analysis/test_predictor_numbers.py` holds it. It takes seconds.
"""

import argparse
import csv
import json
import re
from pathlib import Path

from seqsep.theorems.analysis.classify import classify

THEIRS = {"r_trivial": "R", "c_rasp": "CRasp", "r_infinity": "Rinf"}
"""Our names of classes, and the columns of their table."""
SWEEPS = "results/main_language_suite/hyperparameter-search"
LETTERS = str.maketrans("abcde", "01234")
RANGES = ("101-150", "451-500")


def best(folder: Path) -> dict[str, float]:
    """Return the best accuracy of a language's models at each range of lengths."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*summary.txt")))
    return {lengths: max(map(float, re.findall(rf"len{lengths}_acc:\s*([\d.]+)", text))) for lengths in RANGES}


def compared(clone: Path) -> dict[str, dict[str, object]]:
    """Return the record of each language."""
    found: dict[str, dict[str, object]] = {}
    with (clone / "main_language_suite.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            name = row["name"] if (clone / SWEEPS / row["name"]).is_dir() else f"lang_id_{row['name']}"
            verdicts = classify(row["regex"].translate(LETTERS), is_regular=True).verdicts
            found[name] = {
                "theirs": {ours: row[column] == "True" for ours, column in THEIRS.items()},
                "ours": {ours: verdicts[ours].holds for ours in THEIRS},
                "best accuracy": best(clone / SWEEPS / name),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("clone", type=Path, help="a clone of state-tracking-crasp")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a line for each language")
    options = parser.parse_args()
    found = compared(options.clone)
    equal = sum(one["ours"] == one["theirs"] for one in found.values())
    print(f"{equal} of {len(found)} languages have equal classes")
    if options.json is not None:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
        options.json.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
