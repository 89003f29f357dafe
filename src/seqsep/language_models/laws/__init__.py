"""The laws of state for causal language models of `transformers`: the one-way protocol, tried on anybody's model.

    check        every law tried on a model, and the verdicts
    trial        what the laws are tried on: a model, tokens, its logits in float64, and what a path may be off
    cuts         laws of cutting: token by token, in chunks, copied, sent as bytes to another process
    independence  laws of independence: other rows, other sequences, and the library's own `generate`
    padding      laws of padding: on the left and on the right, of one sequence, in chunks
    claims       laws of what is declared: numbers kept, windows, settings that do and do not change the function
    settings     the fields of a configuration that these laws change
    folder       the files of a model's folder that `transformers` gets to read, and no others
    source       where a model is from: a folder, or a config.json and random weights
    reader       a model that reads tokens into its state, whatever the state is called
    state        the tensors of a state: counted, as bytes, and put back
    flash_linear  models of flash-linear-attention, whose kernels Triton's interpreter runs
    receiver     the other process: it gets bytes and a position, never the tokens
    double       every computation in float64

`transformers` is imported when a model is built; in a clone, `pip install '.[hf]'` brings it.
"""
