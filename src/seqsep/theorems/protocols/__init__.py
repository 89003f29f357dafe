"""Models as protocols between two parties."""
