"""The checker's work on a network, in sixteenths, by the sums of the specification; and networks of a given work."""

import itertools
from typing import Any

from support.certificates.checker_cases import runs_of


def product(rows: int, columns: int) -> int:
    return rows * (columns + 12)


def work_of(given: dict[str, Any]) -> int:
    """Every layer at every place of a run, the last layer where tokens are read out; and the task, once an input."""
    witness, task = given["witness"], given["task"]
    of_circuit = sum(len(task[name]) for name in ("gates", "start", "output")) if task["name"] == "circuit" else 0
    letter = of_circuit or task.get("depth", task.get("vertices", 1)) // 64
    letter = task["steps"] if "rules" in task else letter
    work = 0
    for word, answer in runs_of(witness):
        work += (len(word) + 8) * (1 + letter) + _work_of_run(given, len(word), len(answer))
        work += _queries(task, answer) * (len(word) + len(answer))
    return work * (16 + witness["steps"].bit_length())


def _queries(task: dict[str, Any], answer: list[int]) -> int:
    closes = {
        "is-tree-queries": task.get("vertices", 0) + 5,
        "turing-machine-queries": len(task.get("rules", [])) + task.get("alphabet", 0) + 2,
        "ngram-by-pattern": task.get("alphabet", 0) + 2,
        "index-by-pattern": 2 * task.get("alphabet", 0) + 3,
        "counting-by-pattern": 2 * task.get("alphabet", 0) + 3,
    }
    return sum(token == closes.get(task["name"]) for token in answer)


def _work_of_run(given: dict[str, Any], prompt: int, asked: int) -> int:
    witness = given["witness"]
    width = len(witness["symbols"][0])
    time = prompt + asked - 1
    entry = {"stepwise": 400, "once": 1600}[given["rounding"].split()[1]]
    work = asked * product(len(witness["readout_bias"]), width)
    for layer in witness["layers"]:
        places = range(time - asked, time) if layer is witness["layers"][-1] else range(time)
        for _ in places:
            work += product(len(layer["inner"]), width) + product(width, len(layer["inner"]))
            work += product(len(layer["gate"]), width) if "gate" in layer else 0
            work += product(width, sum(len(head["output"][0]) for head in layer["heads"]))
        for head in layer["heads"]:
            if "recurrent" in head:
                size = len(head["recurrent"])
                work += time * product(size, size + width)
                continue
            keys, values = len(head["query"]), len(head["value"])
            work += time * (product(keys, width) + product(values, width))
            for place in places:
                seen = place + 1 if layer["causal"] else time
                work += product(keys, width) + product(seen, keys) + seen * entry + product(values, seen)
    return work


def sizes_of_work(work: int, entry: int) -> tuple[int, int, int, int]:
    """Classes, length and hidden units of two causal layers of width 1 that answer one input with this work."""
    for length in range(400, 60, -1):
        head = 2 * length * 13 + sum(13 + 13 * seen + seen * entry + 12 + seen for seen in range(1, length + 1))
        last = 2 * length * 13 + 13 + 13 * length + length * entry + 12 + length
        fixed = length + 8 + head + last + (length + 1) * (13 + 12)
        for classes, first in itertools.product(range(2, 16), range(1, 300)):
            rest = work - fixed - 13 * classes - 14 * first * length
            if rest > 0 and rest % 14 == 0 and rest // 14 <= 3000:
                return classes, length, first, rest // 14
    raise AssertionError(work)
