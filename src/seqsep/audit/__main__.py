"""`python -m seqsep.audit`: the rows of docs/audit.md, in results/ of the folder that it runs in."""

from pathlib import Path

from seqsep.audit.sizes import write_rows

if __name__ == "__main__":
    print(write_rows(Path("results")))
