"""Certificates of Turing machines with many rules, and with long runs on many words."""

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
