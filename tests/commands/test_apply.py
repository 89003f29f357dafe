"""`seqsep apply`: the answers of built weights."""

import io
import json

from support.command_line import call


def test_apply_answers_what_sample_prints(capsys, tmp_path, monkeypatch):
    _, out, _ = call(capsys, "sample", "index-lookup", "--length", "9", "--count", "5", "--json")
    examples = [json.loads(line)["readable"] for line in out.splitlines()]
    path = tmp_path / "inputs.jsonl"
    path.write_text("\n\n".join(map(json.dumps, examples)))
    status, out, _ = call(capsys, "apply", "index-lookup-attention", "--length", "9", "--input", str(path))
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == [{"answer": example["answer"]} for example in examples]
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(examples[0]) + '\n{"symbols": [1]}\n[1]\n'))
    status, out, error = call(capsys, "apply", "index-lookup-attention", "--length", "9", "--input", "-")
    assert status == 2
    assert [json.loads(line) for line in out.splitlines()] == [{"answer": examples[0]["answer"]}]
    assert "standard input, line 2: position: missing; found symbols" in error


def test_apply_reads_standard_input_and_prints_named_answers(capsys, tmp_path, monkeypatch):
    path = tmp_path / "machine.json"
    path.write_text('{"start": "A", "halt": ["H"], "blank": "_", "rules": {"A": {"0": ["A", "1", "R"], "_": ["H", "_", "S"]}}}')
    flags = ["--machine", str(path), "--steps", "9", "--length", "4"]
    monkeypatch.setattr("sys.stdin", io.StringIO('{"input": "000"}\n{"input": "0_"}\n'))
    status, out, _ = call(capsys, "apply", "turing-machine-hybrid", *flags)
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == [
        {"state": "H", "halted": True, "steps": 4, "tape": "111", "head": 4},
        {"state": "H", "halted": True, "steps": 2, "tape": "1", "head": 2},
    ]
    path.write_text(path.read_text().replace('"_": ["H"', '\n"0": ["H"'))
    status, _, error = call(capsys, "apply", "turing-machine-hybrid", *flags)
    assert status == 2
    assert error == f"seqsep: {path}, line 2: the key '0' stands twice in the rules of state 'A'\n"
