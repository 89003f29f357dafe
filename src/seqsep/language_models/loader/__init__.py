"""The loader of language models: from a folder or a config.json to a configuration and a model of `transformers`.

    library        the package `transformers`, imported without asking the network, or one line that says how to install it
    source         a configuration and where its weights are from; changes of its fields, also inside of `text_config`
    places         the places of a field: beside model_type, or inside of the configuration of the text model
    configuration  the library's object for a configuration, and the bounds that are checked before it is made
    tiny           a tiny copy of a published configuration
    folder         the files of a model's folder that `transformers` gets to read, and no others
    weights        the model: of a folder, or with random weights
    double         every computation in float64
    flash_linear   models of flash-linear-attention, whose kernels Triton's interpreter runs

The laws, the audit and `seqsep text` load through it; `capacity` reads a config.json without the library.
"""
