"""The words of random command lines: files, functions, machines, wrong words, and right lines to change."""

import gzip
import json
from pathlib import Path

LOADED = (
    *("torch._dynamo", "torch._inductor", "torch._inductor.custom_graph_pass"),
    *("matplotlib.figure", "seqsep.lab.audit.answer", "seqsep.lab.audit.worst", "seqsep.lab.kept", "seqsep.lab.store.store"),
    *("seqsep.language_models.audit.answer", "seqsep.language_models.capacity.answer", "seqsep.models.model", "yaml"),
    *("seqsep.report.figures.automaton_picture", "seqsep.report.figures.least_state", "seqsep.theorems.analysis.classify"),
    *("seqsep.theorems.certificate", "seqsep.theorems.protocols.one_layer_ledger", "dd.autoref"),
)
MODEL = Path(__file__).parents[2] / "results/audit/lstm.safetensors"
FILES: dict[str, bytes] = {
    "own.py": b"def f(word):\n    return sum(word) % 2\ndef g(word):\n    return word[5]\nD = {'transitions': {}}\n",
    "broken.py": b"def f(:\n",
    "table.json": b"[0,0,0,1,0,1,1,1]",
    "dfa.json": b'{"table": [[0, 1], [1, 0]], "start": 0, "accepting": [0]}',
    "broken.json": b'{"table": [[0, 1], [1',
    "config.json": json.dumps(
        {"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 32}
    ).encode(),
    "machine.json": b'{"start": "A", "halt": [], "blank": "0", "rules": {"A": {"0": ["A", "1", "R"]}}}',
    "machine.yaml": b"blank: '0'\nstart state: A\ntable:\n  A:\n    0: {write: 1, R: B}\n  B:\n",
    "some.cnf": b"p cnf 3 2\n1 2 0\n-1 3 0\n",
    "some.cnf.gz": gzip.compress(b"p cnf 3 2\n1 2 0\n-1 3 0\n", mtime=0),
    "wrong.cnf": b"p cnf 3 2\n1 4 0\n",
    "own.jff": b"<structure><type>fa</type><automaton><state id='0'><initial/></state>"
    b"<transition><from>0</from><to>0</to><read>a</read></transition></automaton></structure>",
    "rows.jsonl": b'{"experiment": 3}\n',
    "bytes.safetensors": bytes(range(256)),
    "store.sqlite": b"SQLite format 3\0" + bytes(84),
    "empty": b"",
    "lookups.txt": b'{"symbols": [1, 0], "position": 1}\n',
    "words.txt": b'{"input": "01"}\n\n{"input": ""}\n',
    "model.safetensors": MODEL.read_bytes(),
}
FUNCTIONS = (
    *(
        "majority",
        "equality",
        "disjointness",
        "bounded-dyck",
        "index-lookup",
        "(01)*",
        "0+?1",
        "(?=0)1",
        r"\d",
        "(",
        "01232|1232",
    ),
    *("00010111", "[0,1,1,0]", "[0,", "own.py:f", "own.py:g", "own.py:D", "broken.py:f", "table.json", "dfa.json", "own.jff"),
    *("some.cnf", "some.cnf.gz", "wrong.cnf", "broken.json"),
)
MACHINES = ("1RB1LB_1LA1RZ", "busy-beaver-3", "machine.json", "machine.yaml", "1RB_1LA1RZ", "binary-increment")
SMALL = ("0", "1", "2", "3", "4", "5", "8")
WRONG = (
    *(
        "",
        "-1",
        "x",
        "1e400",
        "nan",
        "9" * 30,
        "2..",
        "5..3",
        "1,2,",
        "\u00e9\u20ac",
        "a\nb",
        "\x1b[31m",
        "--",
        "-",
        "=",
        "{}",
        "[" * 60,
    ),
    *(".", "..", "/", "/dev/null", "none", "none.json", "none.py:f", "no:such", "\ud800", "%s", "~", "*", "'", '"', "a" * 300),
)
MEMBERS = (
    "index-lookup-attention",
    "index-lookup-state",
    "equality-state",
    "turing-machine-hybrid",
    "sparse-threshold-two-layers",
)
OF_MEMBERS = {
    "turing-machine-hybrid": ("--machine", "--steps", "--words"),
    "sparse-threshold-two-layers": ("--formula", "--heads", "--code"),
    "modular-count": ("--modulus", "--ask"),
}
LINES = (
    "analyze majority --lengths 2..6",
    "analyze own.py:f --lengths 2,4 --json",
    "analyze (01)* -o new.svg",
    "analyze 01232|1232 --regex --json",
    "analyze own.jff --automata new.json",
    "analyze table.json",
    "analyze 00010111 --json",
    "analyze some.cnf.gz",
    "analyze index-lookup --alphabet 3 --lengths 1..3",
    "analyze bounded-dyck --kinds 1 --depth 2 --lengths 2..4",
    "analyze (0|1)*1 --lengths 3,5 --certificate new.json",
    "classify (01)*",
    "classify dfa.json --json",
    "classify own.py:f --length 4",
    "bound index-lookup-state --length 12 --alphabet 4",
    "bound equality-state --length 6",
    "apply index-lookup-attention --length 8 --alphabet 4 --input lookups.txt",
    "apply turing-machine-hybrid --machine 1RB1LB_1LA1RZ --length 2 --steps 9 --input words.txt",
    "apply turing-machine-hybrid --machine machine.yaml --length 2 --steps 9 --input words.txt",
    "check index-lookup-state --length 3 --alphabet 2",
    "check turing-machine-hybrid --machine machine.json --steps 5 --words 1",
    "certify index-lookup-state --length 3 --alphabet 2 -o new.json",
    "export-network index-lookup-attention --length 4 --alphabet 2 -o new.npz",
    "export-network sparse-threshold-two-layers --formula majority:4 -o new.json",
    "export-network sparse-threshold-two-layers --formula some.cnf -o new.json",
    "sample index-lookup --length 5 --count 2",
    "sample modular-count --length 5 --modulus 3 --json",
    "sample is-tree --length 6 --trace cot",
    "ceiling index-lookup --length 100 --state-bits 30,60",
    "ceiling equality --length 10 --state-bits 3 --json",
    "capacity config.json --length 8k",
    "capacity config.json --memory 8GiB --batch 2 --json",
    "list mixers",
    "list tasks --json",
    "store show new.sqlite",
    "store new.sqlite --json",
    "store import new.sqlite rows.jsonl",
    "export --store new.sqlite -o new.jsonl",
    "claims figure-2-attention",
    "ask model.safetensors --input lookups.txt",
    "audit model.safetensors --questions 100",
    "generate bytes.safetensors --prompt {}",
    "train index-lookup --length 4 --layers lstm --no-such-flag",
    "run mamba-width --no-such-flag",
    "completion bash",
    "examples none --no-such-flag",
)
TASKS = ("index-lookup", "equality", "is-tree", "modular-count", "regular-language", "word-problem", "counting")
