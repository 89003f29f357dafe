"""The server itself: its sockets, its answers to hostile clients, its memory, and the files that it opens."""

import re
import secrets
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from seqsep.commands.explore.guard import HEADERS
from support.explore_server import WITHOUT_WEB, start_server

pytest.importorskip("starlette", reason=WITHOUT_WEB)
pytest.importorskip("uvicorn", reason=WITHOUT_WEB)
pytestmark = pytest.mark.timeout(300)
MOST_MEBIBYTES = 200
TRAVERSALS = tuple(
    f"{before}{'/'.join([up] * depth)}/{name}"
    for up in ("..", "%2e%2e", "..%2f", "..\\", "%252e%252e", "....//", "..;", "%c0%ae%c0%ae")
    for depth in (1, 3, 6)
    for name in ("etc/passwd", "proc/self/environ", "src/seqsep/__init__.py", ".git/config")
    for before in ("", "file/")
) + tuple(quote(name, safe="") for name in ("/etc/passwd", "C:\\boot.ini", "\x00", "con", ".", "..", "style.css/../x", "~root"))


def listening(port):
    """Return the addresses of this machine's listening TCP sockets with this port, in hexadecimal."""
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {line[1].split(":")[0] for line in lines if line[3] == "0A" and int(line[1].split(":")[1], 16) == port}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this system has no /proc/net/tcp")
def test_only_loopback_is_bound(server):
    assert listening(server.port) <= {"0100007F", "00000000000000000000000001000000"}
    assert "0100007F" in listening(server.port)


def test_the_printed_address_opens_the_start(server):
    first = server.ask(f"/?token={server.token}", Cookie=None)
    assert (first.status, first.getheader("location")) == (303, "/")
    assert "What can a sequence model of a given size represent?" in server.ask("/").text
    assert server.ask("/", Cookie=None).status == 403


def test_every_answer_has_the_headers(server):
    answers = {
        200: server.ask("/protocol"),
        303: server.ask(f"/?token={server.token}"),
        400: server.ask("/language?regex=("),
        403: server.ask("/", Host="evil.example"),
        404: server.ask("/nothing"),
        405: server.ask("/", method="DELETE"),
        413: server.post("/capacity", b"token=" + b"x" * (2 << 20)),
        414: server.ask(f"/language?regex={'x' * 9000}"),
    }
    for status, answer in answers.items():
        assert answer.status == status
        assert {name: answer.getheader(name) for name in HEADERS} == HEADERS, status


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
@pytest.mark.parametrize("path", ["/", "/theorem/equality-state", "/capacity", "/file/style.css"])
def test_other_methods_are_refused(server, path, method):
    assert server.ask(path, method=method).status == 405


@pytest.mark.parametrize("path", ["/", "/theorem/equality-state", "/language", "/certificate/equality-state", "/thought"])
def test_a_form_is_taken_by_two_pages_only(server, path):
    assert server.post(path, urlencode({"token": server.token})).status == 405


def test_a_form_needs_the_token_of_this_start(server):
    config = '{"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}'
    assert server.post("/capacity", urlencode({"config": config})).status == 403
    assert server.post("/capacity", urlencode({"config": config, "token": "x"})).status == 403
    answer = server.post("/capacity", urlencode({"config": config, "token": server.token}))
    assert answer.status == 200
    assert "224 fixed numbers" in answer.text


def test_a_page_has_the_token_in_its_form_only(server):
    page = server.ask("/capacity").text
    assert page.count(server.token) == page.count(f'name="token" value="{server.token}"') == 1
    assert server.token not in server.ask("/language?regex=%3Ctoken%3E").text


def test_a_large_body_is_not_read_to_its_end(server):
    """100 MB are announced; the answer comes after 1 MiB. A body without a length is counted as well."""
    for headers in (b"Content-Length: 104857600\r\n", b"Transfer-Encoding: chunked\r\n"):
        sent = 0
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            client.sendall(
                b"POST /capacity HTTP/1.1\r\nHost: %b\r\nCookie: %b\r\nOrigin: %b\r\nContent-Type: text/plain\r\n%b\r\n"
                % (server.host.encode(), server.cookie.encode(), server.address.encode(), headers)
            )
            part = b"10000\r\n" + b"x" * 65536 + b"\r\n" if b"chunked" in headers else b"x" * 65536
            client.settimeout(0.05)
            answer = b""
            while not answer and sent < 104857600:
                try:
                    client.sendall(part)
                    sent += len(part)
                except OSError:
                    break
                try:
                    answer = client.recv(65536)
                except TimeoutError:
                    continue
                except OSError:
                    break
        assert sent < 16 << 20
        assert answer == b"" or b" 413 " in answer.split(b"\r\n")[0]
    assert server.ask("/protocol").status == 200


def test_a_slow_body_does_not_stop_other_readers(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(
            b"POST /capacity HTTP/1.1\r\nHost: %b\r\nCookie: %b\r\nOrigin: %b\r\nContent-Length: 1000\r\n\r\nt"
            % (server.host.encode(), server.cookie.encode(), server.address.encode())
        )
        assert server.ask("/protocol").status == 200
        assert b" 408 " in client.recv(65536).split(b"\r\n")[0]


def test_traversals_open_nothing(server):
    assert len(TRAVERSALS) >= 200
    with ThreadPoolExecutor(4) as pool:
        for place in ("/", "/theorem/", "/file/", "/capacity/"):
            for answer in pool.map(lambda name, before=place: server.ask(f"{before}{name}"), TRAVERSALS):
                assert answer.status in (400, 403, 404)
                assert not re.search(r"root:|PATH=|\[core\]|__version__", answer.text)


def test_a_request_of_many_headers_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: %b\r\n" % server.host.encode())
        try:
            client.sendall(b"".join(b"X-%d: y\r\n" % number for number in range(10_000)) + b"\r\n")
            answer = client.recv(65536)
        except OSError:
            answer = b""
    assert b" 200 " not in answer
    assert server.ask("/protocol").status == 200


def test_idle_connections_and_many_requests_are_borne(server):
    """50 idle connections, then 200 requests; the memory of the server stays below 200 MiB."""
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    try:
        server.ask("/file/style.css")
        began = time.monotonic()
        with ThreadPoolExecutor(20) as pool:
            found = list(pool.map(lambda _: _timed(server, "/file/style.css"), range(200)))
        assert {status for status, _ in found} == {200}
        assert max(seconds for _, seconds in found) < 1
        assert time.monotonic() - began < 10
        assert server.memory() < MOST_MEBIBYTES
    finally:
        for one in idle:
            one.close()


def test_too_many_pages_at_once_are_refused_and_the_others_made(server):
    with ThreadPoolExecutor(40) as pool:
        found = list(pool.map(lambda _: server.ask("/protocol").status, range(40)))
    assert set(found) <= {200, 503}
    assert found.count(200) >= 18
    assert server.memory() < MOST_MEBIBYTES


def _timed(server, path):
    began = time.monotonic()
    return server.ask(path).status, time.monotonic() - began


@pytest.mark.parametrize("line", [b"GET http://evil.example/ HTTP/1.1", b"GET //evil.example/ HTTP/1.1", b"GET * HTTP/1.1"])
def test_an_absolute_address_is_not_followed(server, line):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(line + b"\r\nHost: %b\r\nCookie: %b\r\n\r\n" % (server.host.encode(), server.cookie.encode()))
        status = client.recv(65536).split(b"\r\n")[0].split()[1]
    assert status in (b"400", b"403", b"404")


def test_a_wrong_token_is_not_guessed_from_answers(server):
    answers = {server.ask(f"/?token={secrets.token_urlsafe(24)}", Cookie=None).text for _ in range(5)}
    assert len(answers) == 1


def test_two_starts_have_two_tokens(server):
    other = start_server()
    try:
        assert other.token != server.token
        assert other.ask("/protocol", Cookie=f"seqsep-{other.port}={server.token}").status == 403
    finally:
        assert other.stop() == 0
