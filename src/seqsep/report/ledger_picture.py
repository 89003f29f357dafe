"""docs/separation.svg, for the README: the three panels of the separation in bits, and width against precision at N = 1,000.

Written by `python -m seqsep.report.ledger_picture > docs/separation.svg`; a test compares the committed file with this code.
"""

from markupsafe import Markup

from seqsep.report.ledger import ledger
from seqsep.report.ledger_charts import LEDGER_STYLES, crossing_text, frontier_figures, separation_figure
from seqsep.report.svg_chart import Chart
from seqsep.report.templates import environment, source


def drawings() -> tuple[str, str, list[tuple[str, str, Chart]]]:
    """The picture's title, its subtitle, and its panels as (name, what it shows, chart)."""
    crossed = crossing_text(ledger().crossing("parabola", "program"))
    title = f"From N = {crossed} on, every recurrent model needs more bits than this Transformer"
    subtitle = (
        "Index lookup, 64 symbols: parameter bits by position code beside the least recurrent state. Bold: the first N where "
        "that is larger; the fair total is program."
    )
    narrow = frontier_figures()[0]
    panels = [(total, f"in bits: {meaning}", panel) for total, meaning, panel in separation_figure().panels]
    panels.append((f"width and precision at N = {narrow.length:,}", "with their frontier", narrow.chart))
    return title, subtitle, panels


def ledger_picture() -> str:
    """The picture as SVG text, light or dark as the reader's system is; the same on every machine."""
    title, subtitle, panels = drawings()
    text = environment().get_template("ledger_picture.html").render(
        css=Markup(source("ledger_picture.css")),  # our own file
        styles=LEDGER_STYLES,
        title=title,
        subtitle=subtitle,
        summary=" ".join(panel.summary for _, _, panel in panels),
        panels=panels,
    )  # fmt: skip
    return text.lstrip() + "\n"


if __name__ == "__main__":
    print(ledger_picture(), end="")
