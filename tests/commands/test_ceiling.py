"""`seqsep ceiling`: the numbers of `seqsep.ceiling`, as a table and as JSON."""

import json

import seqsep
from seqsep.commands.cli import main


def test_ceilings_are_those_of_python(capsys):
    task = seqsep.IndexLookup(length=100)
    assert main(["ceiling", "index-lookup", "--length", "100", "--state-bits", "0,300,600", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["answer_bits"] == 600
    assert record["ceilings"] == [{"state_bits": bits, "ceiling": seqsep.ceiling(task, bits)} for bits in (0, 300, 600)]
    assert [one["ceiling"] for one in record["ceilings"]][2] == 1.0


def test_the_table(capsys):
    assert main(["ceiling", "index-lookup", "--length", "100", "--state-bits", "300"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "index-lookup N=100: all right answers need 600 bits",
        "  state bits  no model is more accurate than",
        "         300  65.38%",
    ]


def test_a_task_without_a_known_limit(capsys):
    assert main(["ceiling", "is-tree", "--length", "6", "--trace", "cot", "--state-bits", "1"]) == 0
    assert "no limit is known" in capsys.readouterr().out


def test_bits_are_needed(capsys):
    assert main(["ceiling", "index-lookup", "--length", "100"]) == 2
    assert "expected --state-bits BITS" in capsys.readouterr().err
