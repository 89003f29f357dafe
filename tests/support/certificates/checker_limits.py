"""Sizes and work at the bounds of the checker, and one above them."""

import copy
import itertools
import json
from collections.abc import Iterable
from typing import Any

from seqsep.theorems.certificate import certify
from support.certificates.checker_cases import Case, Shown
from support.certificates.checker_work import sizes_of_work
from support.certificates.samples import canonical, samples, seal

MOST_BYTES, MOST_WORK = 10_485_760, 4_000_000
WITHIN, BEYOND = 26_666_666, 26_666_667  # times 18 for 2 steps a unit: less than 16 below 480,000,000, and less than 16 above


def limits() -> list[Shown]:
    """Sizes and work at the bounds and one above them; what is within them fails early, for another reason."""
    of = {name: json.loads(data) for name, data in samples().items()}
    automaton = of["automaton: dyck"]
    by_bytes = [
        (b"x" * MOST_BYTES, "not JSON"),
        (b"x" * (MOST_BYTES + 1), "more than 10 MiB"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[" * 100_001 + b"{" * 100_000, "brackets"),
        (b'"' * 20_000, "not JSON"),
        (b'"' * 20_001, "quotation"),
        (b"9" * 64, "not the fields"),
        (b"0" * 65, "64 digits"),
        (b"9" * 65, "64 digits"),
        (b"5" * 65, "64 digits"),
        (b"/" * 65, "not JSON"),
        (b":" * 65, "not JSON"),
        (b"[NaN]", "not canonical"),
        (b"1.0", "not canonical"),
        (b"1e5", "not canonical"),
        (b"-0", "not canonical"),
        (b'{"a":1,"a":1}', "not canonical"),
        (b'{"b":1,"a":1}', "not canonical"),
        (b"[1] ", "not canonical"),
        (b"[1, 2]", "not canonical"),
        (b'{"a": 1}', "not canonical"),
        (b'"\\u0061"', "not canonical"),
        (b"\xff", "not JSON"),
        ('"\u00e9"'.encode(), "not JSON"),
        (b"", "not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (canonical([*automaton]), "not the fields"),
        (b"[]", "not the fields"),
        (canonical(dict.fromkeys(automaton, 1)), "not a seqsep-certificate"),
    ]
    cases: list[Shown] = [Case(data, 2, why) for data, why in by_bytes]
    cases += [Case(canonical(automaton | {"digest": digest}), 1, "digest") for digest in ("0" * 64, 1)]

    def case(name: str, status: int, why: str, **parts: Any) -> None:
        given = copy.copy(of[name])
        for part, changes in parts.items():
            given[part] = changes if part == "rounding" else given[part] | changes
        cases.append(Case(seal(given), status, f"work {why}" if why.isdigit() else why))

    for is_beyond, works in enumerate(([MOST_WORK], range(MOST_WORK + 1, MOST_WORK + 100))):
        work, length, depth, count = _fooling_of_work(works)
        witness = {"words": [[1] * length] * count}
        why = str(work) if is_beyond else "the value is not"
        case("fooling-set: dyck", 1 + is_beyond, why, task={"length": length, "depth": depth}, witness=witness)
    for count in (31, 32):  # 4,000 * (count + count^2)
        witness = {"words": [[0] * 3991 + [1]] * count, "value": 1}
        why = "the value is not" if count == 31 else "4224000"
        given = {"name": "equality", "alphabet": 2, "length": 3992}
        case("fooling-set: inequality", count - 30, why, task=given, witness=witness)
    table = {"alphabets": [40, 2000], "values": [-1] + [0] * (40 * 2000 - 1)}
    for more in (0, 1):  # 40 * 2000 * (10 + 40)
        columns = [[place] for place in range(2000)] + [[0]] * more
        witness = {"alice": [0], "rows": [[row] for row in range(40)], "columns": columns}
        case("distinguishing-table: partial", 1 + more, ("equal", "4002000")[more], task=table, witness=witness)
    witness = {"alice": [0], "rows": [[0]] * 633, "columns": [[0]] * 632}
    case("distinguishing-table: total", 2, "4000560", task={"alphabets": [1, 1], "values": [0]}, witness=witness)
    witness = {"alice": [*range(32)], "rows": [[0] * 32], "columns": [[2]] * 97_561}  # 97,561 * 41
    case("distinguishing-table: lookup", 2, "4000001", task={"length": 32}, witness=witness)
    witness = {"table": [[0] * 148] * 5552, "accepting": [0] * 5552}
    case("automaton: wide", 2, "too large", task={"kinds": 74, "depth": 2}, witness=witness)
    for more in (0, 1):  # (62,500 + more) * 4 * (4 + 12)
        shorter = 62_500 // 2 - 1
        longer = shorter + 2 + more
        still = {"maps": [[[0] * 5] * 4] * 2, "start": [0] * 4, "words": [[[1, shorter]], [[1, longer]]]}
        claims = {"longer": longer, "shorter": shorter, "width": 4}
        why = ("holds", "4000064")[more]
        case("state-collision: modulo 5", 2 * more, why, task={"modulus": 5}, witness=still, claims=claims)
    table = {"alphabets": [1] * 4096, "values": [1]}
    case("fooling-set: partial", 1, "claims", task=table, witness={"words": [[0] * 4096]})
    for alice in ([-1, 0], [0, 0], [1, 0], [0, 2]):
        case("fooling-set: table", 1, "not ascending positions", witness={"alice": alice})
    greatest = {"alphabets": [2, 2], "values": [(1 << 31) - 1, 0, 0, (1 << 31) - 1]}
    case("fooling-set: table", 0, "", task=greatest, witness={"value": (1 << 31) - 1})
    cases.append(Case(certify("index-lookup-state", length=2, alphabet=40), 0, ""))
    cases.append(Case(certify("equality-state", length=6), 0, ""))
    doubled = [[*half, *half] for half in itertools.product(range(3), repeat=2)]
    witness = {"alice": [0, 1], "words": doubled}
    case("fooling-set: equality", 0, "", task={"length": 4}, witness=witness, claims={"bits": 4, "size": 9})
    words = [[letter] * 244 for letter in range(9)]  # (9 + 64 * 244) * 252
    given = {"alphabet": 65536, "length": 244}
    case("fooling-set: equality", 1, "rejected: 9 of ", task=given, witness={"words": words})
    one = {"words": [[0] * 4096]}
    case("fooling-set: inequality", 0, "", task={"alphabet": 65536})
    case("fooling-set: inequality", 0, "", task={"length": 4096}, witness=one, claims={"bits": 0, "size": 1})
    case("fooling-set: pairs", 0, "", task={"kinds": 1 << 15})
    case("fooling-set: first half", 0, "", task={"depth": 4096})
    for depth in (1995, 1996):  # (depth + 2) * (depth + 8)
        witness = {"table": [[0, 0]] * (depth + 2), "accepting": [0] * (depth + 2)}
        why = "answers wrongly" if depth == 1995 else "too large"
        case("automaton: deep", depth - 1994, why, task={"depth": depth}, witness=witness)
    for depth, status, why in ((63, 1, "the value is not"), (64, 2, "4186080")):  # 170 * 171 * 72 * (1 + depth // 64)
        words, given = {"words": [[1] * 64] * 170, "alice": [0], "value": 1}, {"kinds": 1, "depth": depth, "length": 64}
        case("fooling-set: pairs", status, why, task=given, witness=words)
    single = {"inputs": [[0]], "answers": [0], "readout": [[0]] * 3, "positions": [[0]]}
    for bias, status, why in (([1, 1, 0], 1, "the answer is not"), ([1, 0, 0], 0, "holds")):
        claims = {"all": 0, "inputs": 1}
        case("network: dyck", status, why, task={"length": 1}, witness=single | {"readout_bias": bias}, claims=claims)
    given = copy.deepcopy(of["network: dyck"])
    given["witness"]["steps"], given["precision"] = 1 << 100, 202
    cases.append(Case(seal(given), 0, "holds"))
    cases += _sizes_of_runs(of) + _thoughts(of)
    for rounding, entry in (("floor stepwise", 400), ("floor once", 1600)):
        for work, why in ((WITHIN, "claims"), (BEYOND, "too much work")):
            classes, length, first, last = sizes_of_work(work, entry)
            layers = [_layer(hidden) for hidden in (first, last)]
            witness = {"layers": layers, "positions": [[0]] * length, "inputs": [[0] * length], "answers": [0], "steps": 2}
            witness |= {"readout": [[0]] * classes, "readout_bias": [1] + [0] * (classes - 1)}
            case("network: dyck", 1 + work - WITHIN, why, task={"length": length}, witness=witness, rounding=rounding)
    return cases


def _sizes_of_runs(of: dict[str, dict[str, Any]]) -> list[Shown]:
    """The greatest and least tasks of generated runs, answered by one token whatever is asked."""
    cases: list[Shown] = []
    tree = of["generated-run: tree"]
    for task, inputs, value, status in (
        ({"name": "is-tree", "vertices": 1}, [[0]], 4, 0),
        ({"name": "is-tree", "vertices": 1024}, [[0, *[1, 1025, 1] * 1023]], 1026, 0),
        ({"name": "is-tree", "vertices": 1024}, [[0, *itertools.chain(*([1, 1025, v] for v in range(2, 1025)))]], 1027, 0),
        ({"name": "is-tree", "vertices": 1025}, [[0, *[1, 1026, 1] * 1024]], 1027, 1),
        ({"name": "ngram", "alphabet": 2, "gram": 64, "length": 64}, [[0, *[1] * 127]], 1, 0),
        ({"name": "ngram", "alphabet": 2, "gram": 64, "length": 63}, [[0, *[1] * 126]], 0, 0),
        ({"name": "ngram", "alphabet": 2, "gram": 65, "length": 65}, [[0, *[1] * 129]], 1, 1),
        ({"name": "ngram", "alphabet": 2, "gram": 1, "length": 1}, [[0, 2]], 2, 0),
        ({"name": "counting", "alphabet": 2, "length": 1}, [[0, 2, 2, 1]], 1, 0),
        ({"name": "counting", "alphabet": 2, "length": 2}, [[0, 1, 1, 2, 1]], 0, 0),
    ):
        classes = value + 1
        witness = {
            "answers": [[value]],
            "inputs": inputs,
            "layers": [_layer(1)],
            "positions": [[0]] * len(inputs[0]),
            "readout": [[0]] * classes,
            "readout_bias": [0] * value + [1],
            "steps": 2,
            "symbols": [[0]] * max(*map(max, inputs), 3, task.get("vertices", 0) + 2),
        }
        everything = int(len(inputs[0]) == 1)
        claims = {"all": everything, "heads": 1, "inputs": 1, "layers": 1, "width": 1}
        body = tree | {"theorem": "built-generator", "task": task, "witness": witness, "claims": claims}
        cases.append(
            Case(seal(body | {"precision": 4, "rounding": "floor stepwise"}), status, "not an integer" if status else "holds")
        )
    return cases


def _thoughts(of: dict[str, dict[str, Any]]) -> list[Shown]:
    """Runs of networks that look at the last token only: what is next to an end is none, and after an end nothing stands."""
    cases: list[Shown] = []
    goes_on = "a run continues after its end"
    counting = {"name": "counting", "alphabet": 2, "length": 1}
    recall = {"name": "ngram", "alphabet": 2, "gram": 2, "length": 1}
    tree = {"name": "is-tree", "vertices": 2}
    for task, prompt, answer, why in (
        (counting, [0, 2, 2, 1], [2, 1], "holds"),
        (counting, [0, 2, 2, 1], [3, 1], "holds"),
        (counting, [0, 2, 2, 1], [1, 1], goes_on),
        (counting, [0, 1, 2, 1], [0, 0], goes_on),
        (recall, [0, 1, 1], [3, 0], "holds"),
        (recall, [0, 1, 1], [2, 0], goes_on),
        (tree, [0, 1, 3, 2], [3, 5], "holds"),
        (tree, [0, 1, 3, 2], [6, 5], "holds"),
        (tree, [0, 1, 3, 2], [4, 5], goes_on),
        (tree, [0, 1, 3, 2], [5, 5], goes_on),
    ):
        size = max(*prompt, *answer) + 1
        following = {prompt[-1]: answer[0]} | dict(itertools.pairwise(answer))
        rows = [[int(token == column) for column in range(size)] for token in range(size)]
        layer = _layer(1) | {"inner": [[0] * size], "outer": [[0]] * size, "outer_bias": [0] * size}
        layer["heads"] = [{"key": [[0] * size], "output": [[0]] * size, "query": [[0] * size], "value": [[0] * size]}]
        witness = {
            "answers": [answer],
            "inputs": [prompt],
            "layers": [layer],
            "positions": [[0] * size] * (len(prompt) + len(answer) - 1),
            "readout": [[int(following.get(last) == token) for last in range(size)] for token in range(size)],
            "readout_bias": [0] * size,
            "steps": 2,
            "symbols": [[2 * entry for entry in row] for row in rows],
        }
        claims = {"all": 0, "heads": 1, "inputs": 1, "layers": 1, "width": size}
        body = of["generated-run: tree"] | {"theorem": "built-generator", "task": task, "witness": witness, "claims": claims}
        cases.append(Case(seal(body | {"precision": 4, "rounding": "floor stepwise"}), int(why == goes_on), why))
    return cases


def _layer(hidden: int) -> dict[str, Any]:
    head = {name: [[0]] for name in ("key", "output", "query", "value")}
    inner, outer = [[0]] * hidden, [[0] * hidden]
    return {"causal": 1, "heads": [head], "inner": inner, "inner_bias": [0] * hidden, "outer": outer, "outer_bias": [0]}


def _fooling_of_work(works: Iterable[int]) -> tuple[int, int, int, int]:
    """The first of some works that a complete set has, with its length, depth and number of words."""
    for work, length, more in itertools.product(works, range(3, 300), range(2, 60)):
        count, rest = divmod(work, (length + 8) * more)
        count -= 64 * length
        if rest == 0 and 1 <= count <= 20_000 // length:
            return work, length, 64 * (more - 1) + 63 * (work == MOST_WORK), count
    raise AssertionError(works)
