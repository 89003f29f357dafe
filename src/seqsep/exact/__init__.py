"""Exact finite mathematics on integers, in NumPy: codes, automata, hand-built networks."""
