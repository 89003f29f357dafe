"""Certificates for the tests of the checker: samples, forgeries, hostile files, mutants, and an independent truth."""
