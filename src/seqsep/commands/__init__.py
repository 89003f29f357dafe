"""The commands: one file each, with its flags and what it does."""
