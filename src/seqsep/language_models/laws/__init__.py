"""The laws of state for causal language models of `transformers`: the one-way protocol, tried on anybody's model.

    check        every law tried on a model, and the verdicts
    trial        what the laws are tried on: a model, tokens, its logits in float64, and what a path may be off
    cuts         laws of cutting: token by token, in chunks, copied, sent as bytes to another process
    independence  laws of independence: other rows, other sequences, and the library's own `generate`
    padding      laws of padding: on the left and on the right, of one sequence, in chunks
    rollback     the law of rollback: draft tokens that are cut off leave no trace
    reuse        laws of caches that are reset, used in a second turn, or allocated before they are filled
    sharing      laws of serving: a running batch that is joined, a shared prefix, a window that one sequence passes
    packing      the law of documents in one row
    claims       laws of what is declared: numbers kept, windows, settings that do and do not change the function
    refusals     errors that a library raises on purpose
    settings     the fields of a configuration that these laws change
    reader       a model that reads tokens into its state, whatever the state is called
    state        the tensors of a state: counted, as bytes, and put back
    receiver     the other process: it gets bytes and a position, never the tokens

`seqsep.language_models.loader` imports `transformers` when a model is built; in a clone, `pip install '.[hf]'` brings it.
"""
