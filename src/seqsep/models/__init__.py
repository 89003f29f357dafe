"""The one model, its mixers, a user's own parts, and the laws that all of them obey.

    mixers    what moves information between positions, with its mask or window: one mixer a file
    plugins   a user's own layer, task, whole model or retriever, from FILE.py:CLASS
    laws      what every mixer and task must obey
    model     `Model`: embed, blocks, read out; in parallel, one token at a time, and built to train
    design    what a model has around its mixers: norm, MLP, biases, embeddings
    blocks    a mixer with its norm, residual connection and MLP
    built     the parts of a model from a hand-built network
    weights   trained models in safetensors files
    network_file      hand-built networks in files, exactly
    tabular_network   a hand-built network that prints as a table of its arrays
    network_shapes    refuses a hand-built network whose arrays do not fit together
    decode            greedy decoding, with a retriever that answers queries live
    thought_accuracy  how often written answers are right: live, and after the right thought

Import from the file: `from seqsep.models.model import Model`. The names of mixers and plugins are read without loading torch.
"""
