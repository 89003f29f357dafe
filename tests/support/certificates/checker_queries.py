"""Runs with queries, written by networks that look at the place only: what a retriever finds, and what it does not."""

from itertools import chain
from typing import Any

from support.certificates.checker_cases import Case, Shown
from support.certificates.samples import seal

MACHINE = {"alphabet": 2, "head": 0, "length": 2, "name": "turing-machine-queries", "steps": 2}
RIGHT = [[0, 1, 1], []]  # on 0 it writes 1 and goes right; it reads no 1
FLIP = [[0, 1, 0], [0, 0, 0]]  # it stays
ZEROS = [4, 2, 2]
ASKED = [
    5,
    10,
    6,
    2,
    0,
    5,
    11,
    6,
    2,
    0,
    5,
    12,
    6,
    7,
    0,
]  # configurations 0 and 1, symbols 2 and 3, [ 5, ] 6, FAILED 7, cells 8 ..
FLIPPED = [5, 10, 6, 2, 0, 5, 10, 6, 0, 1, 5, 10, 6, 1, 0]
STEPS: list[tuple[list[list[int]], list[int], str]] = [  # rules, what is written on two zeros, and what the checker says
    (RIGHT, ASKED, "holds"),
    (RIGHT, [*ASKED, 5, 10, 6, 0, 8], "holds"),
    (RIGHT, [*ASKED, 5, 10, 6, 2, 8], "the answer is not"),
    (RIGHT, [*ASKED, 5, 12, 6, 0, 8], "holds"),
    (RIGHT, [*ASKED, 5, 8, 6, 7, 8], "holds"),
    (RIGHT, [*ASKED, 5, 9, 6, 7, 8], "holds"),
    (RIGHT, [*ASKED, 5, 9, 6, 2, 8], "the answer is not"),
    (RIGHT, [*ASKED, 5, 6, 7, 8], "holds"),
    (RIGHT, [*ASKED, 5, 10, 11, 6, 7, 8], "holds"),
    (RIGHT, [*ASKED, 5, 5, 11, 6, 0, 8], "holds"),
    (RIGHT, [*ASKED, 5, 2, 6, 7, 8], "holds"),
    (RIGHT, [*ASKED, 6, 7, 8], "holds"),  # the last [ is far before it
    (RIGHT, [5, 10, 6, 2, 5, 10, 6, 2, 0, 5, 11, 6, 2, 0, 5, 12, 6, 7, 0], "holds"),
    (RIGHT, [5, 10, 6, 2, 5, 10, 6, 5, 0, 5, 11, 6, 2, 0, 5, 12, 6, 7, 0], "the answer is not"),
    (RIGHT, [5, 12, 6, 7, 2, 5, 12, 6, 7, *ASKED], "holds"),  # a symbol is no action
    (RIGHT, [0, 0, 5, 10, 6, 2, 0], "holds"),
    (RIGHT, [0, 0, 5, 10, 6, 2, 0, 0], "the value is [0, 0, 0], not [0, 0, 0, 0]"),
    (RIGHT, [10, 6, 2, 0, 0, 0], "a query is closed but was never opened"),
    (FLIP, FLIPPED, "holds"),
    (FLIP, [*FLIPPED, 5, 10, 6, 0, 8], "holds"),
    (FLIP, [5, 10, 6, 2, 0, 5, 10, 6, 0, 1, 5, 10, 6, 0, 0], "the answer is not"),
]
TREE, NO_TREE, OPENS, CLOSES, FAILED = 6, 5, 7, 8, 9  # of three vertices, ~ is 4
NOT_FOUND = "the answer is not"
NOT_OPENED = "a query is closed but was never opened"
PATH = [0, 2, 4, 1, 2, 4, 3]
LOOP = [0, 1, 4, 1, 1, 4, 2]
TWICE = [0, 1, 4, 2, 1, 4, 2]
RUNS: list[tuple[list[int], list[int], str]] = [  # a prompt, what is written, and what the checker says
    (PATH, [OPENS, 1, CLOSES, 2], "holds"),
    (PATH, [OPENS, 2, CLOSES, 1], "holds"),
    (PATH, [OPENS, 2, CLOSES, 3], NOT_FOUND),
    (PATH, [OPENS, 2, CLOSES, FAILED], NOT_FOUND),
    (PATH, [OPENS, 2, 1, CLOSES, 3], "holds"),
    (PATH, [OPENS, 2, 1, CLOSES, 1], NOT_FOUND),
    (PATH, [OPENS, 2, 3, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, 2, 3, CLOSES, 1], NOT_FOUND),
    (PATH, [OPENS, 1, 2, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, 3, 1, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, 3, 1, CLOSES, 2], NOT_FOUND),
    (PATH, [OPENS, 2, 1, 3, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, 2, 1, 3, CLOSES, 1], NOT_FOUND),
    (PATH, [OPENS, 4, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, CLOSES, FAILED], "holds"),
    (PATH, [OPENS, CLOSES, 1], NOT_FOUND),
    (PATH, [OPENS, OPENS, 1, CLOSES, 2], "holds"),
    (PATH, [OPENS, 1, OPENS, 2, CLOSES, 1], "holds"),
    (PATH, [OPENS, 1, CLOSES, 2, OPENS, 2, 1, CLOSES, 3], "holds"),
    (PATH, [OPENS, 1, CLOSES, 2, OPENS, 2, 1, CLOSES, 1], NOT_FOUND),
    (PATH, [OPENS, 1, CLOSES, 3, OPENS, 2, 1, CLOSES, 3], NOT_FOUND),
    (PATH, [OPENS, 1, CLOSES], NOT_FOUND),  # after which the answer would be what is found
    (PATH, [CLOSES, FAILED], NOT_OPENED),
    (PATH, [1, CLOSES, 2, OPENS], NOT_OPENED),
    (LOOP, [OPENS, 1, CLOSES, 1], "holds"),
    (LOOP, [OPENS, 1, 1, CLOSES, 2], "holds"),
    (LOOP, [OPENS, 1, 2, CLOSES, FAILED], "holds"),
    (TWICE, [OPENS, 1, 2, CLOSES, 2], "holds"),
]


def queries() -> list[Shown]:
    """Every run of the tables, with its answer."""
    tree = {"name": "is-tree-queries", "vertices": 3}
    trees = [
        _written(tree, CLOSES, prompt, answer=[*written, TREE if prompt is PATH else NO_TREE], why=why)
        for prompt, written, why in RUNS
    ]
    return trees + [_written(MACHINE | {"rules": rules}, 6, ZEROS, answer=written, why=why) for rules, written, why in STEPS]


def _written(task: dict[str, Any], closes: int, prompt: list[int], *, answer: list[int], why: str) -> Case:
    """A network that prefers at each place the token of the answer, but after ] where something is found none.

    After a last ] it prefers the answer, which is not what is found.
    """
    time = len(prompt) + len(answer) - 1
    tokens = 13
    preferred = {len(prompt) - 1 + number: token for number, token in enumerate(answer)}
    for number, token in enumerate(answer[:-2], start=1):
        if token == closes:
            del preferred[len(prompt) - 1 + number]
    head = {"key": [[0] * time], "output": [[0]] * time, "query": [[0] * time], "value": [[0] * time]}
    fed = {"inner": [[0] * time], "inner_bias": [0], "outer": [[0]] * time, "outer_bias": [0] * time}
    witness: dict[str, Any] = {
        "answers": [answer],
        "inputs": [prompt],
        "layers": [{"causal": 1, "heads": [head], **fed}],
        "positions": [[2 * int(place == column) for column in range(time)] for place in range(time)],
        "readout": [[2 * int(preferred.get(place) == token) for place in range(time)] for token in range(tokens)],
        "readout_bias": [0] * tokens,
        "steps": 2,
        "symbols": [[0] * time] * tokens,
    }
    return Case(_sealed(task, witness), int(why != "holds"), why)


def many_queries(count: int) -> bytes:
    """One prompt of 64 vertices, and so many queries after it, for each of which each edge is looked at."""
    vertices = 64
    run = [vertices + 4, 64, 63, vertices + 5, vertices + 6] * count + [vertices + 3]
    prompt = [0, *chain.from_iterable((1, vertices + 1, other) for other in range(2, vertices + 1))]
    head = {name: [[0]] for name in ("key", "output", "query", "value")}
    layer = {"causal": 1, "heads": [head], "inner": [[0]], "inner_bias": [0], "outer": [[0]], "outer_bias": [0]}
    witness = {
        "answers": [run],
        "inputs": [prompt],
        "layers": [layer],
        "positions": [[0]] * (len(prompt) + len(run) - 1),
        "readout": [[0]] * (vertices + 7),
        "readout_bias": [0] * (vertices + 7),
        "steps": 2,
        "symbols": [[0]] * (vertices + 7),
    }
    return _sealed({"name": "is-tree-queries", "vertices": vertices}, witness)


def _sealed(task: dict[str, Any], witness: dict[str, Any]) -> bytes:
    """A certificate of one run on two steps a unit."""
    body = {
        "claims": {"all": 0, "heads": 1, "inputs": 1, "layers": 1, "width": len(witness["positions"][0])},
        "format": "seqsep-certificate",
        "precision": 4,
        "rounding": "floor stepwise",
        "task": task,
        "theorem": "built-generator",
        "type": "generated-run",
        "version": 1,
        "witness": witness,
    }
    return seal(body)
