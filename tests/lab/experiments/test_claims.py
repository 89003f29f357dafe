"""The claims of the papers: all of them are there, each verdict follows its rule, and each run has a cost."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from seqsep.lab.experiments.claims import CLAIMS, claims_named, decisive_runs, undecided_runs
from seqsep.lab.experiments.claims.claim import Accuracy, ClaimRows, RankingClaim, Speed
from seqsep.lab.experiments.claims.known import Found, committed, core_hours, gpu_hours, shape
from seqsep.lab.experiments.claims.papers import _papers
from seqsep.lab.row import Row
from seqsep.tasks import IndexLookup, IsTree
from support.claim_rows import row_of

ROOT = Path(__file__).parents[3]
NAMED = {claim.name: claim for claim in CLAIMS}


def verdict_of(name: str, *rows: Row) -> str:
    return Found.of_rows(rows, CLAIMS).verdict(NAMED[name]).status


def test_every_printed_number_is_a_claim():
    """Numbers of a figure with accuracies, by name's beginning; figure 2 right and Eq-one have words only."""
    printed = _papers()
    counted = Counter(claim.name.rpartition("-")[0].split("-", 2)[0:2][-1] for claim in CLAIMS if isinstance(claim, Accuracy))
    of_figures = {
        "figure2_index_lookup": "figure-2-",
        "figure3_mamba_width_index_lookup": "figure-3-width-",
        "figure4_eq_random": "figure-4-random-",
        "figure4_eq_ncp": "figure-4-next-",
    }
    for figure, beginning in of_figures.items():
        numbers = [number for model in printed["separations"][figure]["accuracy_percent"].values() for number in model]
        claims = [
            claim.printed
            for claim in CLAIMS
            if isinstance(claim, Accuracy) and claim.name.startswith(beginning) and "dyck" not in claim.name
        ]
        assert claims == [number / 100 for number in numbers]
    bars = [
        number for trace in ("vanilla", "cot", "retrieval") for model in printed["is_tree"][trace].values() for number in model
    ]
    claims = [claim.printed for claim in CLAIMS if isinstance(claim, Accuracy) and isinstance(claim.task, IsTree)]
    assert sorted(claims) == sorted(bars)
    assert counted["2"] == 30 + 8
    words = [claim.name for claim in CLAIMS if isinstance(claim, Accuracy) and claim.printed is None]
    assert len(words) == 8 + 6


def test_each_run_is_comparable_with_its_claim():
    assert len(NAMED) == len(CLAIMS)
    for claim in CLAIMS:
        if isinstance(claim, Accuracy):
            for run in claim.runs:
                assert claim.trained(row_of(run, 0.5, live_accuracy=0.5)) is not None, (claim.name, run)


def test_each_run_has_a_cost_and_the_cheapest_comes_first():
    runs = decisive_runs(CLAIMS)
    assert len(runs) == len(set(runs))
    hours = list(map(core_hours, runs))
    assert hours == sorted(hours)
    assert 0 < hours[0] < 0.1
    assert hours[-1] > 100
    assert all(gpu_hours(run) < core_hours(run) for run in runs)


TIMED_ON_A_GPU = {
    "attention, 4 x 64, IsTree cot at n = 32": "attention x 4, width 64, is-tree cot, N = 32, batch 64",
    "linear attention, 6 x 256, N = 20": "linear-attention x 6, width 256, index-lookup, N = 20, batch 64",
    "retention, 6 x 256, N = 20": "retention x 6, width 256, index-lookup, N = 20, batch 64",
    "dss, 6 x 256, N = 20": "dss x 6, width 256, index-lookup, N = 20, batch 64",
}


def test_gpu_hours_are_within_a_third_of_what_was_timed():
    timed = json.loads((ROOT / "results/gpu.json").read_text())["milliseconds a step"]
    shapes = {shape(run): run for run in decisive_runs(CLAIMS)}
    for name, said in TIMED_ON_A_GPU.items():
        run = shapes[said]
        assert 0.7 < gpu_hours(run) * 3.6e6 / run.steps / timed[name]["one graph"] < 1.4, name


def test_a_near_perfect_accuracy_is_reproduced_within_a_point():
    claim = NAMED["figure-2-attention-400"]
    run = claim.runs[0]
    assert verdict_of(claim.name) == "not run"
    assert verdict_of(claim.name, row_of(run, 0.9889)) == "not reached"
    assert verdict_of(claim.name, row_of(run, 0.98901)) == "reproduced"
    assert verdict_of(claim.name, row_of(replace(run, seed=7, learning_rate=3e-4), 1.0)) == "reproduced"


def test_a_low_accuracy_is_contradicted_by_a_smaller_model():
    claim = NAMED["figure-2-lstm-50"]
    assert claim.printed == 0.498
    small, full = claim.runs
    assert len(small.layers) < len(full.layers)
    assert full.steps == 250_000
    assert verdict_of(claim.name, row_of(small, 0.54)) == "open"
    assert verdict_of(claim.name, row_of(small, 0.549)) == "contradicted"
    assert verdict_of(claim.name, row_of(full, 0.54)) == "reproduced"
    assert verdict_of(claim.name, row_of(small, 0.449)) == "open"
    assert verdict_of(claim.name, row_of(small, 0.447)) == "not reached"
    assert verdict_of(claim.name, row_of(full, 0.44)) == "not reached"
    assert verdict_of(claim.name, row_of(full, 0.44), row_of(small, 0.5)) == "open"
    assert verdict_of(claim.name, row_of(full, 0.44), row_of(small, 0.6)) == "contradicted"


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if isinstance(claim, Accuracy)], ids=lambda claim: claim.name)
def test_the_words_of_a_verdict_hold_for_the_committed_rows(claim):
    """A claim that is far below the paper's number is not reached, whether or not the paper's model is near-perfect."""
    known = committed(CLAIMS)
    best, status = known.evidence[claim.name].best, known.verdict(claim).status
    if best is None or claim.printed is None:
        return
    difference = best.accuracy - claim.printed
    if claim.learns:
        assert status == ("reproduced" if difference >= -0.01 else "not reached")
    else:
        assert (status == "not reached") == (difference < -0.05)
        assert (status == "contradicted") == (difference >= 0.05)


def test_words_have_thresholds_of_their_own():
    assert verdict_of("figure-2-dyck-lstm-400", row_of(NAMED["figure-2-dyck-lstm-400"].runs[0], 0.991)) == "reproduced"
    fails = NAMED["figure-2-dyck-one-layer-400"]
    assert not fails.learns
    assert verdict_of(fails.name, row_of(fails.runs[-1], 0.7)) == "reproduced"
    assert verdict_of(fails.name, row_of(fails.runs[-1], 0.995)) == "contradicted"


@pytest.mark.parametrize(
    "change",
    [
        {"layers": ("lstm",) * 4},
        {"width": 260},
        {"steps": 250_001},
        {"layers": ("mamba",) * 3},
        {"task": IndexLookup(50, alphabet=16)},
        {"task": IndexLookup(49)},
    ],
)
def test_rows_of_larger_models_and_other_tasks_do_not_count(change):
    claim = NAMED["figure-2-lstm-50"]
    assert verdict_of(claim.name, row_of(replace(claim.runs[0], **change), 1.0)) == "not run"


def test_rows_of_any_reading_count():
    claim = NAMED["figure-2-lstm-50"]
    other = replace(claim.runs[0], task=IndexLookup(50), mixed_steps=0)
    assert verdict_of(claim.name, row_of(other, 1.0)) == "contradicted"
    trained = claim.trained(row_of(other, 1.0))
    assert trained is not None
    assert trained.training == "drawn-length"


def test_rows_that_diverged_or_have_another_key_do_not_count():
    claim = NAMED["figure-2-lstm-50"]
    run = claim.runs[0]
    assert verdict_of(claim.name, row_of(run, 1.0, status="failed: non-finite")) == "not run"
    assert verdict_of(claim.name, replace(row_of(run, 1.0), key="0" * 64)) == "not run"


def test_trees_are_judged_by_what_a_model_writes():
    claim = NAMED["is-tree-cot-mamba-0.5M-32"]
    assert claim.printed == 0.55
    run = claim.runs[0]
    assert verdict_of(claim.name, row_of(run, 1.0)) == "not run"
    assert verdict_of(claim.name, row_of(run, 1.0, live_accuracy=0.51)) == "open"
    assert verdict_of(claim.name, row_of(run, 1.0, live_accuracy=0.49)) == "not reached"
    assert verdict_of(claim.name, row_of(run, 0.1, live_accuracy=0.7)) == "contradicted"


def test_an_order_needs_both_sides():
    order = NAMED["figure-2-order-200"]
    assert isinstance(order, RankingClaim)
    assert len(order.below) == 5
    upper = row_of(order.above.runs[0], 1.0)
    small = [row_of(claim.runs[0], 0.3) for claim in order.below]
    sized = [row_of(replace(claim.runs[1], steps=6000), 0.3) for claim in order.below]
    shorter = row_of(replace(order.below[0].runs[1], steps=5999), 0.3)
    assert verdict_of(order.name, *sized) == "not run"
    assert verdict_of(order.name, upper) == "not run"
    assert verdict_of(order.name, upper, *small) == "open"
    assert verdict_of(order.name, upper, *sized[1:]) == "open"
    assert verdict_of(order.name, upper, shorter, *sized[1:]) == "open"
    assert verdict_of(order.name, upper, *sized) == "order reproduced"
    assert verdict_of(order.name, row_of(order.above.runs[0], 0.34), *sized) == "not reached"
    assert verdict_of(order.name, upper, *sized[1:], row_of(order.below[0].runs[0], 0.96)) == "not reached"
    assert verdict_of(order.name, upper, *sized, row_of(order.below[0].runs[0], 0.995)) == "contradicted"


def test_speed_is_that_of_the_best_row():
    speed = NAMED["figure-2-curve-200"]
    assert isinstance(speed, Speed)
    run = speed.claim.runs[0]
    assert verdict_of(speed.name) == "not run"
    assert verdict_of(speed.name, row_of(run, 1.0, first_steps=10_000)) == "reproduced"
    assert verdict_of(speed.name, row_of(run, 1.0, first_steps=10_001)) == "not reached"
    assert verdict_of(speed.name, row_of(run, 0.9)) == "not reached"


def test_what_needs_other_peoples_weights_says_so():
    verdict = Found.of_rows([], CLAIMS).verdict(NAMED["hotpotqa-rnn-gold-last"])
    assert verdict.status == "not run"
    assert "language models" in verdict.evidence


def test_missing_runs_are_those_that_could_still_decide():
    claim = NAMED["figure-2-lstm-50"]
    small, full = claim.runs
    assert Found.of_rows([], CLAIMS).missing(claim) == [small, full]
    assert Found.of_rows([row_of(small, 0.1)], CLAIMS).missing(claim) == [full]
    assert Found.of_rows([row_of(small, 1.0)], CLAIMS).missing(claim) == []
    assert set(undecided_runs()) == {run for each in CLAIMS for run in committed(CLAIMS).missing(each)}


def test_evidence_survives_its_file_and_adds_up():
    claim = NAMED["figure-2-lstm-50"]
    first = Found.of_rows([row_of(claim.runs[0], 0.3)], CLAIMS)
    second = Found.of_rows([row_of(claim.runs[1], 0.5)], CLAIMS)
    again = Found.restore(json.loads(json.dumps(first.record())), CLAIMS)
    assert again == first
    both = first.and_also(second)
    assert both == Found.of_rows([row_of(claim.runs[0], 0.3), row_of(claim.runs[1], 0.5)], CLAIMS)
    full = claim.trained(row_of(claim.runs[1], 0.5))
    assert both.evidence[claim.name] == ClaimRows(best=full, sized=full, full=full)


def test_claims_are_named_by_their_beginnings():
    assert [claim.name for claim in claims_named(["figure-2-attention-20"])] == ["figure-2-attention-20"]
    assert [claim.task.length for claim in claims_named(["figure-2-attention"])] == [20, 50, 100, 200, 400]
    assert len(claims_named([])) == len(CLAIMS)
    with pytest.raises(ValueError, match=r"such as figure-2, figure-3.*found 'figure-9'"):
        claims_named(["figure-9"])
