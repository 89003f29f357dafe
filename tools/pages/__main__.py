"""Write the generated pages of the clone that this is started in.

Without arguments, all pages are written: python -m pages. With paths or their beginnings, only these pages are written:
python -m pages docs/reference/commands docs/reach.svg
"""

import sys
from pathlib import Path

from pages.write import write_pages

if __name__ == "__main__":
    for path in write_pages(Path(), sys.argv[1:]):
        print(path)
