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
