"""The templates of the pages, the style sheet and the script. Every value is escaped; numbers of a chart are written by it."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, FunctionLoader
from markupsafe import Markup

from seqsep.commands.explore.links import Links
from seqsep.commands.explore.visit import FILES
from seqsep.report.limited_state import LIMIT_STYLES
from seqsep.report.page.audit_charts import STYLES as AUDIT_STYLES
from seqsep.report.page.is_tree_bits import IS_TREE_STYLES
from seqsep.report.page.ledger_charts import LEDGER_STYLES
from seqsep.report.page.templates import environment, source
from seqsep.report.styles import STYLES, Style, spare_style

SPARE_STYLES = 20


def own_source(name: str) -> str | None:
    """Return the text of a file of the folder of templates; None if it has no such file."""
    if name not in own_files():
        return None
    return files("seqsep.commands.explore").joinpath("templates", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def own_files() -> frozenset[str]:
    """Return the names of the files of the folder of templates."""
    return frozenset(path.name for path in files("seqsep.commands.explore").joinpath("templates").iterdir() if path.is_file())


@lru_cache(maxsize=1)
def page_templates() -> Environment:
    """Return the loader of templates: those of this folder, then those of the report."""
    templates = environment()
    templates.loader = ChoiceLoader([FunctionLoader(own_source), FunctionLoader(source)])
    templates.filters["percent"] = lambda value: f"{100 * value:.0f}"
    templates.filters["readable_bits"] = readable_bits
    return templates


def readable_bits(value: float) -> str:
    """Return a number with commas between thousands, or with four digits if it is not whole.

    >>> readable_bits(18290), readable_bits(0.28669)
    ('18,290', '0.2867')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def filled(template: str, links: Links, values: Mapping[str, Any]) -> str:
    """Return a template with its values."""
    return page_templates().get_template(template).render(at=links, **values).lstrip()


@lru_cache(maxsize=len(FILES))
def file_text(name: str) -> str:
    """Return the text of a file that pages load."""
    if name != "style.css":
        return own_source(name) or ""
    return filled(name, Links(), {"css": Markup(source("page.css")), "styles": every_style()})  # our own file


def every_style() -> dict[str, Style]:
    """Return the style of every line that a chart may have, by its CSS class."""
    spare = {style.slug: style for style in map(spare_style, range(SPARE_STYLES))}
    return {**STYLES, **spare, **LEDGER_STYLES, **IS_TREE_STYLES, **LIMIT_STYLES, **AUDIT_STYLES}
