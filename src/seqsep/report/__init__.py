"""The report: what was measured, as one offline page and one picture; the papers' own numbers as data."""

from seqsep.report.measured import Measured
from seqsep.report.page import write_page
from seqsep.report.picture import draw_picture

__all__ = ["Measured", "draw_picture", "write_page"]
