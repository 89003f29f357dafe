"""Brackets of bounded depth."""
