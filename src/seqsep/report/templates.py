"""The templates of the report: files of this package, escaped, with the filters that they use."""

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from seqsep.report.headline import task_title
from seqsep.report.ledger_charts import short, steps_text
from seqsep.report.numerals import count


def source(name: str) -> str:
    """The text of a file of this package."""
    return files("seqsep.report").joinpath(name).read_text(encoding="utf-8")


def environment() -> Environment:
    """Where templates come from; a name that is not given is an error."""
    made = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {"count": count, "task_title": task_title, "bits": short, "steps": steps_text}
    return made
