"""Equality of two halves."""
