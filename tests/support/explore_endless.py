"""Two makers of pages that never end: one computes, the other waits. The process that runs them imports them by name."""

import time

from seqsep.commands.explore.bounded import limit


def compute(sending, request, body, seconds, mebibytes):
    limit(seconds, mebibytes)
    while True:
        pass


def wait(sending, request, body, seconds, mebibytes):
    limit(seconds, mebibytes)
    time.sleep(600)
