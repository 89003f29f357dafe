"""A server of the completions protocol in this process, which answers as a canary must, or wrongly."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from seqsep.theorems.canary import CANARIES

Answer = Callable[[Sequence[int], int], list[int]]
BLOCK = 16


def right(prompt: Sequence[int], count: int) -> list[int]:
    """The answers of the Llama canary."""
    return CANARIES["llama"].continued(prompt, count)


class CanaryServer(ThreadingHTTPServer):
    """Answers with a function. With `counts`, /metrics has the tokens of cached prefixes, running requests, and preemptions.

    A request that comes while `room` others are answered counts as a preemption.

    A request waits for at most `hold` seconds until a look at the counters has seen two at once.
    """

    daemon_threads = True

    def __init__(self, answer: Answer, *, counts: bool = True, status: int = 200, hold: float = 0.0, room: int = 1000) -> None:
        super().__init__(("127.0.0.1", 0), CanaryHandler)
        self.answer = answer
        self.counts = counts
        self.status = status
        self.hold = hold
        self.room = room
        self.prompts: list[tuple[int, ...]] = []
        self.hits = 0
        self.preempted = 0
        self.steps = 0
        self.tokens = 0
        self.running = 0
        self.seen_at_once = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the interface."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def complete(self, asked: Any) -> dict[str, Any]:
        """Answer one request and count it."""
        prompt = tuple(asked["prompt"])
        with self.lock:
            self.hits += max((_common(prompt, other) for other in self.prompts), default=0)
            self.prompts.append(prompt)
            self.running += 1
            self.preempted += self.running > self.room
        if self.hold:
            self.seen_at_once.wait(self.hold)
        answers = self.answer(prompt, asked["max_tokens"])
        with self.lock:
            self.steps += max(1, len(answers) // max(1, self.running))
            self.tokens += len(answers)
            self.running -= 1
        return {"choices": [{"token_ids": answers}]}


class CanaryHandler(BaseHTTPRequestHandler):
    """One request."""

    server: CanaryServer

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, json.dumps({"data": [{"id": "canary"}]}))
        elif self.path == "/metrics" and self.server.counts:
            if self.server.running > 1:
                self.server.seen_at_once.set()
            hits = f'vllm:prefix_cache_hits_total{{engine="0"}} {self.server.hits}.0'
            preempted = f"vllm:num_preemptions_total {self.server.preempted}.0"
            running = f"vllm:num_requests_running {self.server.running}"
            steps = f"vllm:iteration_tokens_total_count {self.server.steps}\nvllm:generation_tokens_total {self.server.tokens}"
            self._send(200, f"# HELP hits\n{hits}\n{preempted}\n{running}\n{steps}\n")
        else:
            self._send(404, "")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(self.server.status, json.dumps(self.server.complete(asked)))

    def log_message(self, *words: Any) -> None:
        """Print nothing."""

    def _send(self, status: int, text: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def served(answer: Answer = right, **settings: Any) -> Iterator[CanaryServer]:
    """Run a server until the end of the block."""
    server = CanaryServer(answer, **settings)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """The tokens of the blocks that two prompts share."""
    same = next((place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), len(first))
    return same // BLOCK * BLOCK
