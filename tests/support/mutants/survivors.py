"""Mutants of the sample that live, each with the reason."""

SURVIVORS: dict[str, str] = {}
