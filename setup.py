"""What pyproject.toml cannot say of the build: the files next to the package that go into the wheel, and README.md's links.

The wheel holds examples/ and the committed rows below seqsep/data, so that `seqsep demo`, `seqsep report` and
`seqsep examples` need no clone. They are copied when the wheel is built: the repository has one copy.
"""

import re
import runpy
import shutil
import tomllib
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
LINK = re.compile(r"(?<=\]\()(?!https?:|#)(?:\./)?([^)\s]+)")
PICTURES = (".png", ".svg")


class BuildWithShippedFiles(build_py):
    """The command `build_py`, which also copies the shipped files; an editable installation reads them where they are."""

    def shipped(self) -> dict[str, str]:
        """Return target -> source of each file."""
        found = runpy.run_path(str(ROOT / "src/seqsep/commands/shipped.py"))["shipped_files"](ROOT)
        return {} if self.editable_mode else {f"{self.build_lib}/seqsep/data/{path}": str(ROOT / path) for path in found}

    def run(self) -> None:
        """Build the package, then copy."""
        super().run()
        for target, source in self.shipped().items():
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)

    def get_outputs(self, *arguments: Any, **options: Any) -> list[str]:
        """Return the files that are built."""
        return [*super().get_outputs(*arguments, **options), *self.shipped()]


def description() -> str:
    """Return README.md with absolute links, as an index of packages has no files next to it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project["urls"]["Repository"]

    def absolute(link: re.Match[str]) -> str:
        path = link[1]
        return f"{repository}/{'raw' if path.endswith(PICTURES) else 'blob'}/v{project['version']}/{path}"

    return LINK.sub(absolute, (ROOT / "README.md").read_text(encoding="utf-8"))


setup(
    cmdclass={"build_py": BuildWithShippedFiles},
    long_description=description(),
    long_description_content_type="text/markdown",
)
