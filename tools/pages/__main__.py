"""Write every generated page of the clone that this is started in."""

from pathlib import Path

from pages.write import write_pages

if __name__ == "__main__":
    for path in write_pages(Path()):
        print(path)
