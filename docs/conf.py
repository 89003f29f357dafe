"""The documentation site: `make docs` builds it into build/site.

Equations become MathML by docutils, which browsers draw without a script. The site loads nothing from other hosts.
"""

import tomllib
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "seqsep"
version = release = PROJECT["version"]
author = PROJECT["authors"][0]["name"]
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
smartquotes_action = "qe"  # quotes and ellipses; `--help` keeps both dashes
html_theme = "furo"
html_title = f"seqsep {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_copyright = False
html_copy_source = html_show_sourcelink = False
highlight_language = "text"


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """Return an equation as MathML; one that docutils cannot read is a warning, which ends `make docs`."""
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("equation %r: %s", node.astext(), error, location=node)
        return ""


def inline_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write an equation in a sentence."""
    self.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block_math(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation on lines of its own."""
    self.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the writer of equations."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline_math, None), block_renderers=(block_math, None))
