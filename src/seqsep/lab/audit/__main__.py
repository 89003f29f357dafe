"""`python -m seqsep.lab.audit`: write the rows of audits, and of falls in `length-scaling`, to results/ of this folder."""

from pathlib import Path

from seqsep.lab.audit import falls, sizes

if __name__ == "__main__":
    print(sizes.write_rows(Path("results")))
    print(falls.write_rows(Path("results")))
