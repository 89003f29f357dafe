"""Fault trials: sweeps that are killed, starved of disk, spoiled or read by many."""
