"""The store of finished runs, an SQLite file, and its repair.

Files:

    store        the rows of runs and their checkpoints, checked on every read
    database     the open SQLite file: accepted only with our own schema, its errors in one line
    first_page   the schema in the first page, looked at before SQLite parses it
    own_log      the log next to a store: not applied if it is that of another file, and removed only by its maker
    columns      rows as the columns of the tables, checked as the rows of a file are
    schema       the tables of the file, how a new one is made, and the comparison of a given one with them
    place        the files that can be a store, copies of them, and the identity of the file that was opened
    driver_lock  the exclusive write lock, a file next to the store
    checkpoints  the folder of checkpoints: which of its files are the store's, and their removal
    repair       a new store from every intact row of a damaged one
    salvage      the intact rows in the bytes of a damaged store
    pages        records in the pages of a database, found without SQLite
"""
