"""Functions for a probe's process, which imports their module by its name: pytest gives test files none that it finds."""

import os
import time

from seqsep.lab.card.subject import Subject


def ends_its_process(subject: Subject) -> None:
    """Ends the process with status 7, as a crash of a user's layer would."""
    os._exit(7)


def never_ends(subject: Subject) -> None:
    """Sleeps for longer than any probe may take."""
    time.sleep(60)
