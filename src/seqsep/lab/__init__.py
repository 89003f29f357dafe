"""The lab: a run, its training, sweeps of many runs, and the store of their results.

Files:

    run              one training run as a frozen value, and its key
    run_settings     range or choices, meaning and default of a run's settings
    labels           labels of several runs, no two alike
    run_labels       names that a reader gives to runs, in a file of their own
    run_table        rows as a table under these names
    row              what a finished run leaves for reports, as canonical JSON
    rows_of          the rows of a store or of a file
    sound_row        what a row may hold: types, ranges, the key of its run
    train            the training loop
    answers          the score of each answer by itself, and the accuracy of guessing
    lengths          a task at other lengths, and whether a model can read inputs of them
    other_lengths    accuracy of a trained model at lengths that it was not trained on
    step             one training step
    graphed_step     the same on a GPU, as a CUDA graph
    in_process       `seqsep.train`: one run here, its progress shown
    live             what a trained model writes by itself, judged
    checkpoint       the state of a training on disk, from which it resumes bit for bit
    checkpoint_file  the names of a run's checkpoints
    kept             trained models kept with their runs
    device           the processor or a GPU: what a process sets up, and what rows say of it
    sweep            many runs, trained by an engine, each stored as it ends
    ranking          which of several runs of one setting is the best
    pruning          successive halving of runs that compete
    estimate         what a sweep may cost
    own_timing       seconds of a step of users' own layers, measured by a worker
    progress         what a sweep shows while it runs
    pace             how long steps take, learned from runs under way
    loggers          rows for TensorBoard or Weights & Biases
    experiments      the papers' experiments, and the list of their claims
    card             a layer's card: size, speed, limits, and a battery of tasks
    audit            what a trained model carries in its state, and where it fails
    engines          where runs execute: this machine or a cluster
    store_file       a store distinguished from a file of rows
    store            the SQLite store of finished runs, its locks and its repair
"""
