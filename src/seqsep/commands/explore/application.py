"""The routes: requests in, answers out. A page comes from a renderer, and a file from the folder of templates."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from seqsep.commands.explore.guard import Gate, Guard
from seqsep.commands.explore.pages import FORMS, PAGES
from seqsep.commands.explore.uploads import Upload
from seqsep.commands.explore.visit import BAD_REQUEST, FILES, NOT_FOUND, TOKEN_PLACE, RenderedPage, Visit, plain_page

MOST_QUERY = 8192
MOST_NAME = 100
SECONDS_OF_BODY = 10.0
FORBIDDEN = 403
METHOD_NOT_ALLOWED = 405
REQUEST_TIMEOUT = 408
TOO_LARGE = 413
TOO_LONG_ADDRESS = 414
FAILED = 500
WORDS = {
    FORBIDDEN: "This form is from another start of seqsep explore. Load its page again.",
    NOT_FOUND: "This page does not exist.",
    METHOD_NOT_ALLOWED: "This page is only read. It takes no such request.",
    REQUEST_TIMEOUT: "The form did not arrive in time.",
    TOO_LONG_ADDRESS: "This address is too long. Use a shorter input.",
    FAILED: "This page failed. That is an error of seqsep; please report it with this address.",
}
Make = Callable[[Visit], RenderedPage]


class Refused(Exception):
    """A request that is refused with an HTTP status and a sentence."""

    def __init__(self, status: int, sentence: str = "") -> None:
        super().__init__(status)
        self.status = status
        self.sentence = sentence or WORDS[status]


def application(gate: Gate, make: Make) -> Guard:
    """Return the guarded application. `make` returns the page of a visit; it is called in a thread."""

    async def page(request: Request) -> Response:
        visit = _visit(request)
        if request.method == "POST":
            body = await _body(request, FORMS[visit.page])
            upload = Upload(body, request.headers.get("content-type", ""))
            if not gate.is_token(await run_sync(upload.text, "token")):
                raise Refused(FORBIDDEN)
            visit = replace(visit, body=body, kind=upload.kind)
        made = await run_sync(make, visit)
        html = made.html.replace(TOKEN_PLACE.encode(), gate.token.encode())
        return HTMLResponse(html, made.status)

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            raise Refused(NOT_FOUND)
        if name not in kept:
            kept[name] = (await run_sync(make, Visit(name))).html
        return Response(kept[name], media_type=FILES[name])

    kept: dict[str, bytes] = {}
    both = ["GET", "POST"]
    return Guard(
        Starlette(
            routes=[
                Route("/", page, methods=both),
                Route("/file/{name:str}", file),
                Route("/{page:str}", page, methods=both),
                Route("/{page:str}/{name:str}", page, methods=both),
            ],
            exception_handlers={Refused: _refused, HTTPException: _refused, Exception: _refused},
        ),
        gate,
    )


def _visit(request: Request) -> Visit:
    """Return what a request asks for. Raises Refused for a page that does not exist, or takes no such request."""
    page = request.path_params.get("page", "")
    name = request.path_params.get("name", "")
    if len(request.url.query) > MOST_QUERY:
        raise Refused(TOO_LONG_ADDRESS)
    if page not in PAGES or len(name) > MOST_NAME:
        raise Refused(NOT_FOUND)
    if request.method == "POST" and (page not in FORMS or name):
        raise Refused(METHOD_NOT_ALLOWED)
    return Visit(page, name, dict(request.query_params))


async def _body(request: Request, most: int) -> bytes:
    """Return the body of a form, counted while it is read. Raises Refused for one that is too large or too slow."""
    read = bytearray()
    try:
        with anyio.fail_after(SECONDS_OF_BODY):
            async for part in request.stream():
                read += part
                if len(read) > most:
                    raise Refused(TOO_LARGE, f"The form is larger than {most >> 20} MiB.")
    except TimeoutError:
        raise Refused(REQUEST_TIMEOUT) from None
    except ClientDisconnect:
        raise Refused(BAD_REQUEST, "The form did not arrive.") from None
    return bytes(read)


async def _refused(request: Request, error: Any) -> Response:
    status = error.status if isinstance(error, Refused) else getattr(error, "status_code", FAILED)
    sentence = error.sentence if isinstance(error, Refused) else WORDS.get(status, WORDS[FAILED])
    made = plain_page(status, sentence)
    return HTMLResponse(made.html, made.status)
