"""A page as HTML, or a file that pages load. A page whose input is wrong says so, and an error of a page is a page too."""

from seqsep.commands.explore.links import Links
from seqsep.commands.explore.pages import MENU, PAGES
from seqsep.commands.explore.templates import file_text, filled
from seqsep.commands.explore.visit import BAD_REQUEST, DONE, FILES, NOT_FOUND, TOKEN_PLACE, PageContent, RenderedPage, Visit
from seqsep.core.names import text_of

ON_SERVER = Links()
PAGES.members()  # imported once: the processes that make pages are copies of one that has imported this file


def rendered(visit: Visit, links: Links = ON_SERVER) -> RenderedPage:
    """Return the page of a visit, or the file of this name. Raises nothing for a wrong input: its page says what was expected.

    >>> rendered(Visit("language", query={"regex": "(01"})).status
    400
    """
    if visit.page in FILES:
        return RenderedPage(DONE, file_text(visit.page).encode())
    if visit.page not in PAGES:
        return message_page(NOT_FOUND, "This page does not exist.", links)
    try:
        return _page(PAGES[visit.page](visit), visit, links)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        return message_page(NOT_FOUND if visit.name and not visit.query else BAD_REQUEST, text_of(error), links)


def message_page(status: int, message: str, links: Links = ON_SERVER) -> RenderedPage:
    """Return a page that has only a message.

    >>> message_page(404, "This page does not exist.").status
    404
    """
    return _page(PageContent("Message", "message.html", {"message": message}, status=status), Visit(), links)


def _page(content: PageContent, visit: Visit, links: Links) -> RenderedPage:
    shared = {"content": content, "visit": visit, "menu": MENU, "token_place": TOKEN_PLACE, "live": not visit.is_static}
    html = filled(content.template, links, {**shared, **content.values})
    status = BAD_REQUEST if content.error and content.status < BAD_REQUEST else content.status
    return RenderedPage(status, html.encode("utf-8", "replace"))
