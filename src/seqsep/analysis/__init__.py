"""The least state and the attention bound of any function, by length."""
