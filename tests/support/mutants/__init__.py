"""Mutants of the package: what is changed, which tests are near a file, and a process that tries them one by one."""
