"""The guard of the server: it refuses foreign requests before any page is made, and sets the headers of every answer.

A page of another site can make a browser send requests to loopback. Therefore a request needs all of this:

* its Host is an address of this server, with the port (a name that another site points to 127.0.0.1 is refused),
* it has the token, in a cookie that the browser sends from pages of this server only,
* a POST comes from a page of this server (Origin, Sec-Fetch-Site), and has the token in its form too.

GET and HEAD change nothing on this machine.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: dict[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # no-referrer would make browsers send Origin: null with forms of our own pages
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every answer."""
FORBIDDEN = 403
SEE_OTHER = 303
TOKEN_LIFE = 7 * 24 * 3600
ASK_AGAIN = "Open the complete address that seqsep explore printed: it ends in ?token= and a secret word."


@dataclass(frozen=True)
class Gate:
    """The addresses of the server, as a browser writes them in Host, and the token of this start.

    >>> Gate.of(8000, "secret").hosts[0]
    '127.0.0.1:8000'
    """

    hosts: tuple[str, ...]
    token: str
    cookie: str

    @classmethod
    def of(cls, port: int, token: str) -> "Gate":
        """Return the gate of a server on this port of loopback; its cookie's name has the port, since hosts share cookies."""
        names = ("127.0.0.1", "localhost", "[::1]")
        return cls(tuple(f"{name}:{port}" for name in names), token, f"seqsep-{port}")

    def is_token(self, given: str) -> bool:
        """Compare a text with the token in constant time."""
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.token.encode())


@dataclass(frozen=True)
class Guard:
    """An application behind a gate."""

    application: Application
    gate: Gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        answer = _with_headers(send)
        headers = _headers(scope)
        refusal = self.refusal(scope, headers)
        token = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"))).get("token")
        if refusal:
            await _say(answer, FORBIDDEN, refusal)
        elif token is not None and scope["method"] in ("GET", "HEAD") and self.gate.is_token(token):
            await _say(answer, SEE_OTHER, "", [("location", _without_token(scope)), ("set-cookie", self._cookie())])
        elif not self._has_cookie(headers):
            await _say(answer, FORBIDDEN, ASK_AGAIN)
        else:
            await self.application(scope, receive, answer)

    def refusal(self, scope: Scope, headers: dict[str, list[str]]) -> str:
        """Return why a request is refused, whatever its token; empty if it is not."""
        if headers.get("host", []) not in [[host] for host in self.gate.hosts] or not scope["path"].startswith("/"):
            return "This server answers to 127.0.0.1, localhost and ::1 with its own port only."
        if scope["method"] == "POST" and not self._is_from_own_page(headers):
            return "A form is accepted from a page of this server only."
        return ""

    def _is_from_own_page(self, headers: dict[str, list[str]]) -> bool:
        origin = headers.get("origin", [])
        site = headers.get("sec-fetch-site", ["same-origin"])
        mode = headers.get("sec-fetch-mode", ["navigate"])
        own = [[f"http://{host}"] for host in self.gate.hosts if [host] == headers.get("host")]
        return origin in own and site == ["same-origin"] and mode in (["navigate"], ["same-origin"], ["cors"])

    def _has_cookie(self, headers: dict[str, list[str]]) -> bool:
        try:
            found = [SimpleCookie(text).get(self.gate.cookie) for text in headers.get("cookie", [])]
        except CookieError:
            return False
        return any(one is not None and self.gate.is_token(one.value) for one in found)

    def _cookie(self) -> str:
        return f"{self.gate.cookie}={self.gate.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={TOKEN_LIFE}"


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _without_token(scope: Scope) -> str:
    """Return the same address without the token. It is a path of this server, also if it begins with two slashes."""
    kept = [pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != "token"]
    raw = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
    path = "/" + raw.decode("latin-1").lstrip("/\\")
    return f"{path}?{urlencode(kept)}" if kept else path


def _with_headers(send: Send) -> Send:
    """Return `send` that gives every answer the headers of `HEADERS`, and no others of these names."""

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            others = [pair for pair in message.get("headers", []) if pair[0].decode("latin-1").lower() not in HEADERS]
            message = {**message, "headers": [*others, *own]}
        await send(message)

    return answer


async def _say(send: Send, status: int, text: str, headers: Iterable[tuple[str, str]] = ()) -> None:
    body = text.encode()
    named = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body))), *headers]
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in named]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
