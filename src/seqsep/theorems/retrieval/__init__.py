"""Index lookup and associative recall."""
