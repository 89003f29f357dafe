"""The store of finished runs, an SQLite file, and its repair.

Files:

    store    the rows of runs and their checkpoints, checked on every read
    place    which files can be a store, who may write to it, and whether it is still the file that was opened
    schema   the tables of the file, and how a new one appears
    repair   a new store from every intact row of a damaged one
    salvage  intact rows out of the bytes of a damaged store, without SQLite
"""
