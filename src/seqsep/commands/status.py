"""The exit statuses of every command."""

DONE = 0
REFUTED = 1
"""A theorem is refuted, a certificate rejected, a law fails, or a run failed."""
BAD_INPUT = 2
ENVIRONMENT = 3
INTERRUPTED = 130
CLOSED_PIPE = 141
"""The reader of the standard output has closed the pipe, as `head` does: 128 + 13, as of a process that SIGPIPE ends.

It is not 0, which says that a check holds or a run is done: the command stopped before its end.
"""
