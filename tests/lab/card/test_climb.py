"""Ladders are climbed, with made-up outcomes in place of training."""

from seqsep.core.records import restored
from seqsep.lab.card import battery
from seqsep.lab.card.battery import BY_NAME, RATES
from seqsep.lab.card.climb import Climb, Rung, climb
from seqsep.lab.row import Row

FIRST, SECOND = RATES


def row(run, accuracy, **further):
    result = {"status": "finished", "steps": 1, "accuracy": accuracy, "best_accuracy": accuracy, "curve": []}
    if accuracy is None:
        result = {"status": "failed: it ended"}
    elif run.test_lengths:
        result["accuracy_by_length"] = [[length, accuracy] for length in run.test_lengths]
    return Row("card", run.key(), run.configuration(), result | further, environment={})


class Trainer:
    """Gives each run the accuracy of a function, and keeps what it was asked for."""

    def __init__(self, accuracy_of):
        self.accuracy_of = accuracy_of
        self.asked = []

    def __call__(self, runs):
        self.asked.append(list(runs))
        return [row(run, self.accuracy_of(run)) for run in runs]


def climbed(names, accuracy_of):
    trainer = Trainer(accuracy_of)
    return climb(("lstm",), [BY_NAME[name] for name in names], budget="2m", train=trainer), trainer.asked


def test_a_ladder_ends_at_the_first_rung_that_both_rates_fail():
    [found], asked = climbed(["index lookup"], lambda run: 1.0 if run.task.length <= 4 else 0.4)
    assert [rung.accuracy for rung in found.rungs] == [1.0, 1.0, 1.0, 0.4, None, None]
    assert (found.score, found.reached) == (3, 4)
    assert [(run.task.length, run.learning_rate) for [run] in asked] == [
        (1, FIRST),
        (2, FIRST),
        (4, FIRST),
        (8, FIRST),
        (8, SECOND),
    ]


def test_the_rate_that_passed_a_rung_is_tried_first_at_the_next():
    [found], asked = climbed(["equality"], lambda run: float(run.learning_rate == SECOND))
    assert found.score == 6
    assert [run.learning_rate for [run] in asked] == [FIRST, *[SECOND] * 6]


def test_the_better_rate_counts_at_a_rung_that_is_not_passed():
    [found], _ = climbed(["equality"], lambda run: 0.5 if run.learning_rate == SECOND else 0.6)
    assert (found.rungs[0].accuracy, found.score, found.reached) == (0.6, 0, None)


def test_the_better_rate_decides_about_all_rungs_of_lengths():
    best = {FIRST: [1.0, 0.95, 0.8, 0.5, 0.95, 0.1], SECOND: [1.0, 0.95, 0.95, 0.2, 0.95, 0.1]}
    [found], asked = climb_lengths(best)
    assert [run.learning_rate for [run] in asked] == [FIRST, SECOND]
    assert [rung.accuracy for rung in found.rungs] == best[SECOND]
    assert (found.score, found.reached) == (3, 10)


def test_the_other_rate_is_left_out_if_the_first_passes_all():
    [found], asked = climb_lengths({FIRST: [1.0] * 6})
    assert [run.learning_rate for [run] in asked] == [FIRST]
    assert found.score == 6


def climb_lengths(accuracies):
    """Climb the ladder of parity with these accuracies at each length, by learning rate; return climbs and runs."""

    def train(runs):
        asked.append(list(runs))
        [run] = runs
        of = dict(zip([length for length, _ in BY_NAME["parity"].rungs], accuracies[run.learning_rate], strict=True))
        trained = of.pop(run.task.length)
        return [row(run, 0.0, accuracy_per_answer=trained, accuracy_per_answer_by_length=[list(one) for one in of.items()])]

    asked = []
    return climb(("lstm",), [BY_NAME["parity"]], budget="2m", train=train), asked


def test_a_run_that_fails_passes_nothing_and_is_named():
    [found], asked = climbed(["brackets"], lambda run: None)
    assert (found.score, found.failure, found.chance) == (0, "failed: it ended", None)
    assert len(asked) == 2


def test_ladders_are_climbed_together():
    found, asked = climbed(["index lookup", "equality", "parity"], lambda run: 0.1)
    assert [len(runs) for runs in asked] == [3, 3]
    assert [one.ladder for one in found] == ["index lookup", "equality", "parity"]


def test_a_climb_survives_json():
    made = Climb("parity", "state", "N", (Rung(20, 0.97, "a"), Rung(40)), chance=0.5)
    record = {**vars(made), "rungs": [vars(rung) for rung in made.rungs]}
    assert restored(Climb, record, "climb") == made


def test_every_run_of_the_battery_can_be_made_and_differs():
    keys = [
        ladder.run((name,), rung, rate, budget=budget).key()
        for name in ("lstm", "attention")
        for budget in battery.STEPS
        for rate in RATES
        for ladder in battery.BATTERY
        for rung in range(1 if ladder.is_of_lengths else len(ladder.rungs))
    ]
    assert len(set(keys)) == len(keys)


def test_the_battery_has_twelve_ladders_whose_rungs_rise():
    assert len(battery.BATTERY) == 12
    for ladder in battery.BATTERY:
        difficulties = [difficulty for difficulty, _ in ladder.rungs]
        assert difficulties == sorted(set(difficulties))
        assert len(difficulties) == 6
        assert ladder.family in battery.FAMILIES
