"""The server on loopback: its sockets, its token, and the address that is printed."""

import secrets
import socket
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

from seqsep.core.names import install

LOOPBACK = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
MOST_CONNECTIONS = 512
SECONDS_KEPT = 5
MOST_HEADERS = 32 << 10


class WebMissing(OSError):
    """A package of the extra web is not installed."""


def serve(port: int = 0, store: Path | None = None) -> None:
    """Serve the pages on 127.0.0.1 and ::1 until Ctrl-C; print the address with its token once pages can be made.

    The pages also show the runs of `store`, which they never write to.

    Raises WebMissing if the extra web is not installed, and OSError if the port is taken.
    """
    try:
        import uvicorn

        from seqsep.commands.explore.application import application
    except ModuleNotFoundError as error:
        raise WebMissing(f"the pages need {error.name}, which is not installed; {install('web')}") from None
    from seqsep.commands.explore.bounded import Renderer
    from seqsep.commands.explore.guard import Gate
    from seqsep.commands.explore.visit import Visit

    with ExitStack() as stack:
        sockets = [stack.enter_context(one) for one in loopback_sockets(port)]
        bound = sockets[0].getsockname()[1]
        gate = Gate.of(bound, secrets.token_urlsafe(24))
        print("loading the pages, which takes a few seconds", file=sys.stderr, flush=True)
        renderer = Renderer(store="" if store is None else str(store.absolute()))
        renderer.warm(Visit())
        settings = uvicorn.Config(
            application(gate, renderer.page),
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            http="h11",
            lifespan="off",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=SECONDS_KEPT,
            h11_max_incomplete_event_size=MOST_HEADERS,
        )
        print(f"http://127.0.0.1:{bound}/?token={gate.token}", flush=True)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=sockets)


def loopback_sockets(port: int) -> list[socket.socket]:
    """Return listening sockets on a port of 127.0.0.1 and, if this machine has it, of ::1. Port 0 is a free one.

    >>> sockets = loopback_sockets(0)
    >>> {one.getsockname()[0] for one in sockets} <= {"127.0.0.1", "::1"}
    True
    >>> for one in sockets: one.close()
    """
    found: list[socket.socket] = []
    for family, host in LOOPBACK:
        number = found[0].getsockname()[1] if found else port
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((host, number))
            listener.listen(128)
        except OSError:
            listener.close()
            if family == socket.AF_INET:
                raise
            continue
        found.append(listener)
    return found
