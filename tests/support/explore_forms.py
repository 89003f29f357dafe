"""A visit of a page of `seqsep explore` by a form."""

from urllib.parse import urlencode

from seqsep.commands.explore.visit import Visit


def posted(page, **fields):
    """Return the visit of a page by a form with these fields."""
    return Visit(page, body=urlencode(fields).encode(), kind="application/x-www-form-urlencoded")
