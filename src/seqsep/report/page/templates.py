"""The templates of the report: files of this folder, escaped, with the filters that they use."""

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from seqsep.report.figures.chart import Chart
from seqsep.report.figures.chart_picture import chart_svg
from seqsep.report.formatting import count
from seqsep.report.headline import task_title
from seqsep.report.page.ledger_charts import short, steps_text


def source(name: str) -> str:
    """Return the text of a file of this folder."""
    return files("seqsep.report.page").joinpath(name).read_text(encoding="utf-8")


def environment() -> Environment:
    """Return the loader of templates. A template that uses a name it was not given raises UndefinedError."""
    templates = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters |= {"count": count, "task_title": task_title, "bits": short, "steps": steps_text, "draw": _draw}
    return templates


def _draw(chart: Chart, name: str) -> Markup:
    """Return a chart as inline SVG, whose words are escaped."""
    return Markup(chart_svg(chart, name))
