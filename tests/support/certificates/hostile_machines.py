"""Certificates of Turing machines with many rules, and with long runs on many words."""

from typing import Any

from support.certificates.samples import seal


def long_machine(rules: int, count: int, steps: int) -> bytes:
    """A machine with so many rules that writes for so many steps; of `count` words of 12 symbols, and a network that says 0."""
    layer = {"causal": 1, "inner": [[0]], "inner_bias": [0], "outer": [[0]], "outer_bias": [0]}
    layer["heads"] = [{name: [[0]] for name in ("recurrent", "input", "output")}]
    table = [[0, 0, 0]] * 2 + [[0, 1, 1]] * (rules - 2)
    words = [[int(letter) for letter in f"{number:012b}"] for number in range(count)]
    witness = {
        "answers": [[0] * (steps + 1)] * count,
        "inputs": [[rules + 2, *(rules + symbol for symbol in reversed(word))] for word in words],
        "layers": [layer],
        "positions": [[0]] * (steps + 13),
        "readout": [[0]],
        "readout_bias": [0],
        "steps": 2,
        "symbols": [[0]] * (rules + 3 if rules < 1000 else 1),
    }
    body = {
        "claims": {"all": 0, "heads": 1, "inputs": count, "layers": 1, "width": 1},
        "format": "seqsep-certificate",
        "precision": 4,
        "rounding": "floor stepwise",
        "task": {"name": "turing-machine", "alphabet": 2, "head": 11, "length": 12, "rules": table, "steps": steps},
        "theorem": "built-generator",
        "type": "generated-run",
        "version": 1,
        "witness": witness,
    }
    return seal(body)


def many_ends(count: int) -> bytes:
    """A task with 65,537 tokens that end a run, and many inputs: each must be judged without a look at all of these."""
    zero = [[0]]
    layer: dict[str, Any] = {"causal": 1, "heads": [{"recurrent": zero, "input": zero, "output": zero}]}
    layer |= {"inner": zero, "inner_bias": [0], "outer": zero, "outer_bias": [0]}
    witness = {
        "answers": [1] * count,
        "inputs": [[0, 1, 2 + number] for number in range(count)],
        "layers": [layer],
        "positions": [[0]] * 3,
        "readout": [[0]] * 2,
        "readout_bias": [0, 1],
        "steps": 4,
        "symbols": [[0]] * 65537,
    }
    claims = {"all": 0, "heads": 1, "inputs": count, "layers": 1, "width": 1}
    task = {"name": "ngram", "alphabet": 65536, "gram": 1, "length": 2}
    body = {"claims": claims, "format": "seqsep-certificate", "precision": 6, "rounding": "floor stepwise", "task": task}
    return seal(body | {"theorem": "built-network", "type": "network", "version": 1, "witness": witness})


def many_runs(heads: int, count: int) -> bytes:
    """Many heads and many different lengths of answers: sizes alone must not take long to judge."""
    head = {name: [[0]] for name in ("key", "output", "query", "value")}
    layer = {"causal": 1, "heads": [head] * heads, "inner": [[0]], "inner_bias": [0], "outer": [[0]], "outer_bias": [0]}
    witness = {
        "answers": [[0] * number + [5] for number in range(count)],
        "inputs": [[0, 1, 3, 2]] * count,
        "layers": [layer],
        "positions": [[0]] * (count + 3),
        "readout": [[0]] * 6,
        "readout_bias": [0] * 6,
        "steps": 2,
        "symbols": [[0]] * 6,
    }
    claims = {"all": 0, "heads": heads, "inputs": count, "layers": 1, "width": 1}
    task = {"name": "is-tree", "vertices": 2}
    body = {"claims": claims, "format": "seqsep-certificate", "precision": 4, "rounding": "floor stepwise", "task": task}
    return seal(body | {"theorem": "built-generator", "type": "generated-run", "version": 1, "witness": witness})
