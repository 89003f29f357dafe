"""Nearest neighbour."""
