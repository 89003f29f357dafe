"""A server of `seqsep explore` for tests: its address, its token, and requests as bytes."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT_WEB = "the extra web (starlette, uvicorn) is not installed"
PAGES = (
    "/", "/theorems", "/theorem/index-lookup-attention", "/theorem/is-tree-hybrid", "/theorem/index-lookup-state?check=yes",
    "/protocol", "/protocol/equality", "/language", "/language?regex=(0|1(01*0)*1)*&word=110", "/language?regex=(",
    "/thought", "/thought/is-tree-walk", "/thought/turing-machine-hybrid", "/capacity",
    "/experiments", "/experiments/is-tree", "/experiments/index-lookup-architectures?cell=Attention,+N+=+50&run=0",
    "/capacity?second=ai21labs%2FJamba-v0.1", "/certificate", "/certificate/index-lookup-attention?spoil=yes", "/nothing",
    "/card", "/card?card=lstm", "/audit",
)  # fmt: skip
"""The pages of tests in a browser: each template, with and without an answer, and messages."""


def wait_until(page, expression):
    """Wait until an expression is true. The page's policy forbids the eval with which playwright waits for a text."""
    ends = time.monotonic() + 30
    while not page.evaluate(expression):
        assert time.monotonic() < ends, expression
        time.sleep(0.01)


@dataclass
class RunningServer:
    """A server in a process of its own."""

    process: subprocess.Popen
    port: int
    token: str

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def cookie(self):
        return f"seqsep-{self.port}={self.token}"

    def ask(self, path, method="GET", body=None, timeout=30, **headers):
        """Return the answer with its body read; `headers` replace the usual ones, and None leaves one out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        usual = {"Host": self.host, "Cookie": self.cookie}
        sent = {name.replace("_", "-"): value for name, value in {**usual, **headers}.items() if value is not None}
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        answer.text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer

    def post(self, path, body, kind="application/x-www-form-urlencoded", **headers):
        own = {"Origin": self.address, "Sec_Fetch_Site": "same-origin", "Content_Type": kind}
        return self.ask(path, "POST", body, **{**own, **headers})

    def memory(self):
        """Return the resident memory of the server itself, in MiB."""
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


def start_server(*flags):
    """Start a server on a free port, and wait for its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "seqsep", "explore", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])},
    )
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)\n", process.stdout.readline())
    return RunningServer(process, int(found[1]), found[2])
