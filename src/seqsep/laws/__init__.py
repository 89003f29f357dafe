"""What every mixer, task and theorem must obey, callable by outside authors.

    mixer        the laws of mixers, one by one or all together
    task         the laws of tasks
    theorem      the laws of theorems
    language_model  the laws of state for causal language models of `transformers`
    _failure     the exception that every law raises
    _gradients   the law of gradients
    _comparison  how a law compares tensors and says where they differ

Import from the file: `from seqsep.laws.mixer import check_mixer`.
"""
