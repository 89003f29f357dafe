"""How the program ends: the exit statuses of every command."""

DONE = 0
REFUTED = 1
"""A theorem is refuted, a certificate rejected, a law fails, or a run failed."""
BAD_INPUT = 2
ENVIRONMENT = 3
INTERRUPTED = 130
