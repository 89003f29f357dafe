"""Published language models: what they keep between tokens, and what they do with it.

    capacity  a model's state, window and cache in numbers, from its config.json
    loader    from a folder or a config.json to a configuration and a model of `transformers`
    laws      the laws of state for causal language models of `transformers`
    audit     a language model, asked about phonebooks: what its state carries
    engines   any inference engine as a model that reads tokens: the laws of state on it
    text      language models that answer questions in plain words
    canary    models whose every greedy answer is known, put to serving engines
    card      a published model's card: capacity, laws, limits and audit
    check     the public function that checks a model's file and then its laws
    model_file  a model's file, checked before its laws are tested: its kind, its windows, the names of its sizes

`capacity` needs only a config.json; the others need the extra `hf`.
"""
