"""The SQLite store of finished runs, and its repair."""
