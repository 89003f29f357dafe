"""Stores for tests of `seqsep explore`: rows of an experiment, one of them failed, and a run under way."""

from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.tasks import MultiQueryRecall

NAME = "mamba-width"
ENVIRONMENT = {"torch": "2.0", "device": "cpu", "threads": 1}
OWN = "my/<sweep>"


def ended(run, experiment=NAME, accuracy=0.75):
    """Return the row of a run that ended."""
    curve = [[run.steps // 2, accuracy / 2, 1.0], [run.steps, accuracy, 0.5]]
    result = {"status": "finished", "steps": run.steps, "accuracy": accuracy, "best_accuracy": accuracy, "curve": curve}
    result |= {"state_bits": [512, 0], "parameters": 684}
    return Row(experiment, run.key(), run.configuration(), result, ENVIRONMENT)


def runs():
    """Return the runs of the preset quick."""
    return BY_NAME[NAME].runs("quick")


def make_store(path, done=3):
    """Make a store with rows of the preset quick, of a sweep with another name, a failed run, and a run under way."""
    known = runs()
    own = Run(MultiQueryRecall(length=8), ("lstm",), width=8)
    with Store(path) as store, store.driving():
        for run in known[:done]:
            store.record(ended(run), seconds=1.0, attempts=1)
        failed = Row(NAME, known[done].key(), known[done].configuration(), {"status": "failed: <worker> died"}, ENVIRONMENT)
        store.record(failed, seconds=1.0, attempts=3)
        store.record(ended(own, OWN), seconds=1.0, attempts=1)
        store.record_checkpoint(known[done + 1].key(), 500, ("0" * 64,), ENVIRONMENT)
        store.record_checkpoint("f" * 64, 20, ("1" * 64,), ENVIRONMENT)
    return path
