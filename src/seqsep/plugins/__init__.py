"""A user's own layer, task or whole model, from FILE.py:CLASS."""
