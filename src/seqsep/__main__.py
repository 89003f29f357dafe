"""`python -m seqsep`: the command line."""

from seqsep.cli import script

if __name__ == "__main__":
    script()
