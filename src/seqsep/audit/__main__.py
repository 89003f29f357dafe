"""`python -m seqsep.audit`: the rows of docs/audit.md, and of why `reach` falls, in results/ of the folder that it runs in."""

from pathlib import Path

from seqsep.audit import falls, sizes

if __name__ == "__main__":
    print(sizes.write_rows(Path("results")))
    print(falls.write_rows(Path("results")))
