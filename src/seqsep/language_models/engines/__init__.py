"""Adapters of inference engines: the laws of state, tested on any program that reads tokens and returns logits.

protocol           the methods of an engine, and its errors
reader             an engine as a reader, so that the laws of models are tested on it
check              the laws of engines, and `check_engine`
pipe               an engine in another process, asked with JSON lines
process            that process: lines to it and from it, its end, and its last words
serve              a Python engine that answers JSON lines
with_transformers  an adapter of `transformers`
with_llama         an adapter of llama.cpp, by `llama-cpp-python`
with_own_model     an adapter of a user's own complete model
"""
