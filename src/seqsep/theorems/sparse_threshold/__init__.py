"""Thresholds of sparse features."""
