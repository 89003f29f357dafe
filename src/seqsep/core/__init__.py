"""Names, files, tables, the random stream and interrupts: used by all other folders.

names       values that users name: checked, printed safely, refused with what was expected
registry    members by name, imported when they are first used
options     options and fields: type, range or choices, and meaning, declared once in a signature
files       files of users: kinds, sizes, encodings, atomic writing
records     dataclasses from JSON of a stranger, every field checked
tables      results as lists that print as tables
stream      the random stream, the same on every machine
interrupts  Ctrl-C and the signals that end a process
"""
