"""`seqsep claims` prints each claim with its verdict; `seqsep run claims --claim` chooses the runs that decide it."""

import json

import pytest

from seqsep.commands.cli import main
from seqsep.lab.experiments.claims import CLAIMS, claims_named, decisive_runs
from seqsep.lab.row import write_rows
from support.claim_rows import row_of


def test_a_line_says_what_the_paper_and_our_rows_say(capsys):
    assert main(["claims", "figure-2-lstm-400"]) == 0
    said = capsys.readouterr().out
    assert "figure-2-lstm-400  " in said
    assert "lstm (3, 256), index-lookup, N = 400: 5.8 %; ours: " in said
    assert "\n1 claim: " in said


def test_all_claims_fit_on_a_line_each(capsys):
    assert main(["claims"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said[: len(CLAIMS)]] == [claim.name for claim in CLAIMS]
    assert f"{len(CLAIMS)} claims: " in "\n".join(said)


def test_rows_of_the_user_count_beside_the_committed_ones(tmp_path, capsys):
    claim = claims_named(["figure-2-dss-400"])[0]
    write_rows(tmp_path / "mine.jsonl", [row_of(claim.runs[0], 0.5)])
    assert main(["claims", claim.name, "--rows", str(tmp_path / "mine.jsonl"), "--json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["verdict"] == "contradicted"
    assert record["missing_runs"] == []
    assert "50.0 %" in record["evidence"]


def test_claims_are_chosen_by_their_verdict(capsys):
    assert main(["claims", "hotpotqa", "--status", "not run", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 6
    assert main(["claims", "--status", "unknown"]) == 2
    assert "reproduced, contradicted" in capsys.readouterr().err


def test_an_unknown_claim_is_refused_with_the_groups_of_names(capsys):
    assert main(["claims", "figure-9"]) == 2
    assert "figure-2, figure-3" in capsys.readouterr().err
    assert main(["run", "claims", "--claim", "figure-9"]) == 2
    assert "--claim: expected a name" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["mamba-width", "--claim", "figure-3"], ["claims", "--preset", "all", "--claim", "figure-3"]]
)
def test_claim_is_a_flag_of_the_experiment_claims(words, capsys):
    assert main(["run", *words]) == 2
    assert "without --preset" in capsys.readouterr().err


def test_a_dry_run_names_the_runs_of_a_claim_cheapest_first(capsys):
    assert main(["run", "claims", "--claim", "figure-2-attention-20", "--dry-run"]) == 0
    said = capsys.readouterr().out.splitlines()
    keys = [run.key()[:12] for run in decisive_runs(claims_named(["figure-2-attention-20"]))]
    assert [line.split()[0] for line in said[: len(keys)]] == keys
