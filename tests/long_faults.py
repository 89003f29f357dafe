"""The fault trials, whole: kills, full disks, changed bits, many readers. A row of results/verify each.

tests/faults/test_faults.py runs a sample of each.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from seqsep.theorems import Claim, Outcome

TESTS = Path(__file__).parent
STORE = (
    "lab/row.py",
    "lab/run.py",
    "lab/store/checkpoints.py",
    "lab/store/columns.py",
    "lab/store/database.py",
    "lab/store/driver_lock.py",
    "lab/store/first_page.py",
    "lab/store/own_log.py",
    "lab/store/place.py",
    "lab/store/schema.py",
    "lab/store/store.py",
)
SALVAGE = ("lab/store/repair.py", "lab/store/pages.py", "lab/store/salvage.py")
ENGINE = ("lab/engines/process.py", "lab/engines/messages.py", "lab/engines/local.py", "lab/engines/worker.py")
SWEEP = (*STORE, *ENGINE, "lab/checkpoint.py", "lab/sweep.py", "lab/checkpoint_file.py", "core/files.py")
SOAK_HOURS = float(os.environ.get("SEQSEP_SOAK_HOURS", "0.1"))
"""Of CPU time."""
# Name -> kind of trial and its numbers, what it shows, the sources that it covers.
KINDS: dict[str, tuple[tuple[str | int, ...], str, tuple[str, ...]]] = {
    "faults-kills": (
        ("kills", 100),
        "SIGKILL at random instants: no run lost or repeated, and the same export as without a kill",
        SWEEP,
    ),
    "faults-pruned": (
        ("pruned", 50),
        "SIGKILL at random instants of a sweep that prunes: the same runs pruned, none repeated, and the same export",
        (*SWEEP, "lab/pruning.py", "lab/train.py", "lab/step.py", "lab/ranking.py"),
    ),
    "faults-points": (
        ("points", 5),
        "SIGKILL at 15 points of the code: no run lost or repeated, and the same export as without a kill",
        SWEEP,
    ),
    "faults-disk": (
        ("disk", 50),
        "disk full: exit status 3, all reported rows are kept, and the same export when there is space again",
        SWEEP,
    ),
    "faults-readers": (
        ("readers", 24, 3),
        "24 processes read while a sweep writes: no reader fails, and the last reading of each has all rows",
        SWEEP,
    ),
    "faults-store": (
        ("stores", 2000, 200),
        "changed bits and missing ends of a store: no damaged row is reported as good, and intact rows are repaired",
        (*STORE, *SALVAGE),
    ),
    "faults-log": (
        ("logs", 500, 50),
        "changed bits and missing ends of a store's log: no damaged row is reported as good, and intact rows are repaired",
        (*STORE, *SALVAGE),
    ),
    "faults-checkpoint": (
        ("checkpoints", 2000, 200),
        "changed bits and missing ends of a checkpoint: the run continues from the checkpoint before it, and reports this",
        (
            "lab/checkpoint.py",
            "lab/train.py",
            "lab/step.py",
            "lab/checkpoint_file.py",
            "core/files.py",
            "lab/engines/worker.py",
        ),
    ),
    "faults-files": (
        ("files", 1),
        "100 hostile files for each reader: refused in one line or read, within 10 s and 1 GiB",
        (
            *STORE,
            "lab/sound_row.py",
            *SALVAGE,
            "commands/apply.py",
            "commands/store.py",
            "commands/run.py",
            "commands/sweeping.py",
            "maths/formulas.py",
            "theorems/circuits/_circuit.py",
            "theorems/turing_machine/_machine_file.py",
            "language_models/text/hotpotqa_file.py",
            "models/weights.py",
            "models/network_file.py",
            "models/network_shapes.py",
            "lab/kept.py",
            "language_models/capacity/config.py",
            "language_models/capacity/declare.py",
            "commands/capacity.py",
            "commands/generate.py",
            "../seqsep_check.py",
        ),
    ),
    "faults-plug-ins": (
        ("attacks", 0, 1000),
        "plug-ins that hang, die, print or write to the pipes: each run of them fails with one line, and other runs of the "
        "sweep have the same rows as without them",
        (
            *ENGINE,
            "lab/engines/watch.py",
            "lab/engines/validation.py",
            "models/laws/mixer.py",
            "models/plugins/load.py",
            "models/plugins/layer.py",
        ),
    ),
    "faults-rows": (
        ("rows", 10_000),
        "10,000 rows are shown, exported and reported: `store show` takes at most 12 times the CPU time in which Python's json "
        "reads and writes the rows, `export` 15 times, `report` 100 times, and 300 times if it checks every theorem again",
        (
            *STORE,
            "lab/sound_row.py",
            "report/write.py",
            "report/demo_runs.py",
            "report/measured.py",
            "report/is_tree_ledger.py",
            "report/page/curves.py",
            "report/page/tables.py",
            "commands/stored_rows.py",
        ),
    ),
    "faults-attacks-on-stores": (
        (
            "tests",
            *(
                f"lab/store/test_{name}.py"
                for name in ("database", "driver_lock", "checkpoint_files", "lost_store", "first_page", "columns")
            ),
            "lab/store/test_place.py",
            "lab/store/test_salvage.py",
        ),
        "foreign schemas, lock files and journals of others, links, two names of one store, forged rows, endless work: refused "
        "in one line, and no file of the user is overwritten",
        (
            *STORE,
            "lab/sound_row.py",
            "lab/store/repair.py",
            "lab/store/salvage.py",
            "lab/store/pages.py",
        ),
    ),
    "faults-attacks-on-files": (
        ("tests", "core/test_files.py", "commands/test_hostile_files.py", "commands/test_outputs.py"),
        "pipes, devices, folders and 2 GiB for each option that reads a file; planted links, outputs that cannot be written, "
        "cells of CSV that a spreadsheet would run as formulas: refused, or written as text",
        ("core/files.py", "core/tables.py", "commands/outputs.py", "../seqsep_check.py"),
    ),
    "faults-attacks-on-streams": (
        ("tests", "commands/test_streams.py", "test_children.py"),
        "closed, full and broken streams, control characters and marks of direction, killed programs: the documented status, "
        "no character acts on the terminal, no child is left",
        ("commands/cli.py", "core/interrupts.py", "core/names.py", "commands/streams.py", "report/write.py"),
    ),
    "faults-attacks-by-users-code": (
        (
            "tests",
            "commands/test_users_code.py",
            "models/plugins/test_own_tasks.py",
            "test_optimized_python.py",
            "test_sizes_from_python.py",
        ),
        "exits, crashes, forks and prints of a user's file in eight commands, wrong tasks, Python's -O and -OO, sizes of other "
        "types: an error of the file, only JSON on the standard output",
        (
            "commands/cli.py",
            "core/names.py",
            "commands/users_code.py",
            "models/laws/task.py",
            "theorems/laws.py",
            "tasks/base.py",
        ),
    ),
    "faults-attacks-by-models": (
        (
            "tests",
            *(
                f"language_models/{name}.py"
                for name in ("loader/test_folder", "loader/test_folder_bounds", "laws/test_not_finite", "text/test_tokenizer")
            ),
        ),
        "folders of models with pickles, code, adapters, names outside the folder, foreign or coded weights, logits that are "
        "not finite, tokenizers without a bound: refused in one line, and nothing of them is run",
        (
            *(f"language_models/loader/{name}.py" for name in ("configuration", "folder", "source", "weights")),
            "language_models/text/tokenizer.py",
            "language_models/text/tokenizer_process.py",
            "language_models/text/language_model.py",
        ),
    ),
    "faults-soak": (
        ("soak", round(3600 * SOAK_HOURS)),
        "sweeps under kills, pauses, full disks and steps of Python's clock: no run lost or repeated, the same export, "
        "and the memory of a driver grows by at most 8 MiB",
        SWEEP,
    ),
}


def verify(name: str) -> list[Outcome]:
    """All trials of a kind, in an interpreter of its own, which forks sweeps."""
    numbers, words, _ = KINDS[name]
    done = subprocess.run(
        [sys.executable, "-m", "support.faults.trials", *map(str, numbers)],
        capture_output=True,
        text=True,
        check=False,
        cwd=TESTS,
    )
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
    results = json.loads(done.stdout)[str(numbers[0])]
    for failure in results["failures"]:
        print(f"{name}: {failure}", file=sys.stderr)
    seen = {key: value for key, value in results.items() if key not in ("trials", "failures")}
    measured, holds = {"failures": len(results["failures"])}, not results["failures"]
    variant = f"{words}; {', '.join(f'{key} {value}' for key, value in seen.items())}" if seen else words
    return [
        Claim(name, "tests/long_faults.py", words).lower(
            length=0,
            inputs=results["trials"],
            measured=measured,
            bound={"failures": 0},
            variant=variant,
            holds=holds,
        )
    ]
