"""The laws of mixers and tasks, callable by outside authors.

    mixer        the laws of mixers, one by one or all together
    task         the laws of tasks
    failure      the exception that every law raises
    _gradients   the law of gradients
    _optional    the law of optional methods
    _comparison  how a law compares tensors and says where they differ

Import from the file: `from seqsep.models.laws.mixer import check_mixer`. The laws of theorems are in `theorems.laws`, those of
language models in `language_models.laws`.
"""
