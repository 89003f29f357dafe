"""Read hostile files with the command, each timed: python read_hostile_configs.py FOLDER COUNT prints what came of it."""

import contextlib
import io
import json
import re
import sys
import time
from pathlib import Path

from seqsep.commands.cli import main
from support.hostile_configs import hostile_configs, write


def read(folder: Path, count: int) -> dict[str, object]:
    """Counts of refused and read files, those with a wrong ending, the worst seconds of a core, and the most memory."""
    found = {"refused": 0, "read": 0, "seconds": 0.0}
    wrong = []
    for path in write(folder, hostile_configs(count)):
        output, errors = io.StringIO(), io.StringIO()
        start = time.process_time()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = main(["capacity", str(path), "--length", "1M", "--memory", "80GiB"])
        found["seconds"] = max(found["seconds"], time.process_time() - start)
        found["refused"] += status == 2
        found["read"] += status == 0
        lines = errors.getvalue().count("\n")
        if status not in (0, 2) or (status == 2 and lines != 1) or "Traceback" in errors.getvalue():
            wrong.append(path.read_bytes()[:200].decode("utf-8", "replace"))
    return {**found, "wrong": wrong, "bytes": most_memory()}


def most_memory() -> int:
    """The most bytes of this program; what getrusage says counts the process that started it."""
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(peak)


if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]), int(sys.argv[2]))))
