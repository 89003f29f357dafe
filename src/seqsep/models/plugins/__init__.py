"""A user's own layer, task, whole model or retriever, from FILE.py:CLASS.

    name          a class in a user's file, as a value
    sources       a file and what it imports beside it, as a digest
    load          runs a user's file
    layer         a user's layer as a mixer, and what its block holds
    model         a user's whole model
    task          a user's task
    retriever     a user's retriever, a function
    global_state  what a layer must leave as it found it

Users name their files on the command line or in a `Run`; such a file need not import seqsep.
"""
