"""The parts that several test files share: modules imported as `support.NAME` (pyproject.toml puts tests/ on the path)."""
