"""Requests that are refused before any page is made: other hosts, other sites, other starts of the server."""

import asyncio
from contextlib import suppress
from urllib.parse import quote

import pytest

from seqsep.commands.explore.guard import HEADERS, POLICY, Gate, Guard
from support.explore_server import WITHOUT_WEB

TOKEN = "a-secret-of-this-start"
GATE = Gate.of(8000, TOKEN)
HOST = ("host", "127.0.0.1:8000")
COOKIE = ("cookie", f"seqsep-8000={TOKEN}")
OWN = (HOST, COOKIE, ("origin", "http://127.0.0.1:8000"), ("sec-fetch-site", "same-origin"))


async def page(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"public")]})
    await send({"type": "http.response.body", "body": b"a page"})


class Fails(Exception):
    """The error of a page in a test."""


def fail(visit):
    raise Fails


GUARD = Guard(page, GATE)


def answer(*headers, method="GET", path="/", query="", guard=GUARD):
    """Return the status, the headers and the body of the answer to a request."""
    sent = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }

    async def keep(message):
        sent.append(message)

    with suppress(Fails):
        asyncio.run(guard(scope, None, keep))
    found = {}
    for name, value in sent[0]["headers"]:
        found.setdefault(name.decode(), []).append(value.decode())
    return sent[0]["status"], found, sent[1]["body"]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_the_servers_own_addresses_are_answered(host):
    assert answer(("host", host), COOKIE)[0] == 200


HOSTS = (
    "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001", "127.0.0.1:08000", "127.0.0.1:8000.",
    "127.0.0.1.:8000", "127.0.0.1.evil.example:8000", "evil.127.0.0.1:8000", "localhost", "LOCALHOST:8000", "localhost.:8000",
    "localhost.evil.example:8000", "evillocalhost:8000", "127.0.0.1:8000@evil.example", "evil.example@127.0.0.1:8000",
    "127.1:8000", "2130706433:8000", "0x7f000001:8000", "0.0.0.0:8000", "[::]:8000", "[::1%lo]:8000", "::1:8000", "[::1]",
    "[::ffff:127.0.0.1]:8000", "127.0.0.1:8000, evil.example", " 127.0.0.1:8000", "127.0.0.1:8000 ", "",
)  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_a_foreign_host_is_refused(host):
    """A name of another site may point to 127.0.0.1: then the browser sends that name."""
    assert len(HOSTS) == 30
    status, _, body = answer(("host", host), COOKIE)
    assert (status, body) != (200, b"a page")
    assert status == 403


def test_no_host_and_two_hosts_are_refused():
    assert answer(COOKIE)[0] == 403
    assert answer(HOST, HOST, COOKIE)[0] == 403
    assert answer(HOST, COOKIE, path="http://127.0.0.1:8000/")[0] == 403


@pytest.mark.parametrize(
    "cookie",
    ["", "seqsep-8000=", f"seqsep-8000={TOKEN}x", f"seqsep-8001={TOKEN}", f"seqsep={TOKEN}", "seqsep-8000=\u00e9", "=;=,"],
)
def test_a_request_without_the_token_is_refused(cookie):
    assert answer(HOST, ("cookie", cookie))[0] == 403
    assert answer(HOST)[0] == 403


def test_the_token_of_an_address_becomes_a_cookie():
    status, headers, _ = answer(HOST, query=f"token={TOKEN}&length=8", path="/theorem/a")
    assert (status, headers["location"]) == (303, ["/theorem/a?length=8"])
    [cookie] = headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert answer(HOST, ("cookie", cookie.split(";")[0]))[0] == 200


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "///evil.example/"])
def test_the_token_never_leads_to_another_host(path):
    _, headers, _ = answer(HOST, query=f"token={TOKEN}", path=path)
    assert headers["location"][0].startswith("/")
    assert not headers["location"][0].startswith(("//", "/\\"))


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], f"{TOKEN}%00"])
def test_a_wrong_token_of_an_address_opens_nothing(token):
    assert answer(HOST, query=f"token={token}")[0] == 403


def test_a_form_of_an_own_page_is_taken():
    assert answer(*OWN, method="POST")[0] == 200
    assert answer(*OWN, ("sec-fetch-mode", "navigate"), method="POST")[0] == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "http://localhost:8000"},
        {"origin": None},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": ""},
        {"sec-fetch-mode": "no-cors"},
        {"sec-fetch-mode": "websocket"},
        {"cookie": None},
    ],
)
def test_a_form_from_elsewhere_is_refused(changed):
    headers = {**dict(OWN), **changed}
    assert answer(*((name, value) for name, value in headers.items() if value is not None), method="POST")[0] == 403


def test_every_answer_has_the_headers():
    for status, headers, _ in (
        answer(HOST, COOKIE),
        answer(HOST),
        answer(("host", "evil.example")),
        answer(HOST, query=f"token={TOKEN}"),
    ):
        assert {name: headers[name] for name in HEADERS} == {name: [value] for name, value in HEADERS.items()}, status


def test_a_page_that_fails_has_the_headers():
    """And no word of the error."""
    application = pytest.importorskip("seqsep.commands.explore.application", reason=WITHOUT_WEB).application
    status, headers, body = answer(HOST, COOKIE, guard=application(GATE, fail))
    assert status == 500
    assert {name: headers[name] for name in HEADERS} == {name: [value] for name, value in HEADERS.items()}
    assert b"This page failed." in body
    assert b"Fails" not in body


def test_the_policy_allows_nothing_inline_or_from_elsewhere():
    assert "unsafe" not in POLICY
    assert "*" not in POLICY
    assert "http" not in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in POLICY
