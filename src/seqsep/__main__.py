"""`python -m seqsep`: the command line."""

from seqsep.commands.cli import script

if __name__ == "__main__":
    script()
