"""Published language models: what they keep between tokens, and what they do with it.

    capacity  a model's state, window and cache in numbers, from its config.json
    laws      the laws of state for causal language models of `transformers`
    audit     a language model, asked about phonebooks: what its state carries
    text      language models that answer questions in plain words

`capacity` needs only a config.json; the others need the extra `hf`.
"""
