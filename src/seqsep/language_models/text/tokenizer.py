"""The tokenizer of a model's folder, in a process of its own with limits of memory and time (`tokenizer_process`)."""

import atexit
import json
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import RLock
from typing import Any

from seqsep.core.names import BadInput, printable
from seqsep.language_models.laws.receiver import python_module
from seqsep.language_models.loader.folder import Folder, cannot_be_loaded

MEMORY = 2 << 30
SECONDS = 60.0
MOST_ANSWER = 1 << 28


class Tokenizer:
    """A tokenizer of `transformers`: texts to tokens and back, the token that ends a text, and that of unknown words.

    The process starts with the first one, serves all later ones, and ends with this process. Raises BadInput, in one line that
    names the folder, for a folder without a tokenizer and one that cannot be loaded within the limits.
    """

    def __init__(self, folder: Folder) -> None:
        folder.require_tokenizer()
        self.folder = folder
        facts = _PROCESS.loaded(self)
        self.eos_token_id: int | None = facts["end"]
        self.unk_token_id: int | None = facts["unknown"]
        self.unk_token: str = facts["unknown_text"]

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, with the special ones that the tokenizer adds. Raises BadInput beyond the limits."""
        return list(_PROCESS.asked(self, {"encode": text})["tokens"])

    def decode(self, tokens: Sequence[int], *, plain: bool = False) -> str:
        """Return the text of tokens, without special ones if `plain`. Raises BadInput beyond the limits."""
        return str(_PROCESS.asked(self, {"decode": [int(token) for token in tokens], "plain": plain})["text"])


class _Process:
    """The other process, started when it is first needed and again after a tokenizer has ended it."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.process: subprocess.Popen[bytes] | None = None
        self.owner: Tokenizer | None = None

    def start(self) -> None:
        """Start it, if it does not run; nothing waits for it."""
        with self.lock:
            if self.process is not None and self.process.poll() is None:
                return
            command, environment = python_module("seqsep.language_models.text.tokenizer_process", str(MEMORY), str(SECONDS))
            environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
            pipe = subprocess.PIPE
            self.owner = None
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment)

    def loaded(self, tokenizer: Tokenizer) -> dict[str, Any]:
        """Load a tokenizer in place of the one before, and return what is known of it."""
        with self.lock:
            self.start()
            self.owner = None
            with tokenizer.folder.staged() as staged:
                facts = self._sent(tokenizer, {"load": str(staged)})
                if "error" in facts:
                    said = str(facts["error"]).replace(str(staged), str(tokenizer.folder.path))
                    raise BadInput(cannot_be_loaded(tokenizer.folder.path, " ".join(said.split())))
            self.owner = tokenizer
            return facts

    def asked(self, tokenizer: Tokenizer, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request about a tokenizer, which is loaded again if another one was used since."""
        with self.lock:
            if self.owner is not tokenizer or self.process is None or self.process.poll() is not None:
                self.loaded(tokenizer)
            answer = self._sent(tokenizer, request)
        if "error" in answer:
            said = " ".join(printable(str(answer["error"])).split())
            raise BadInput(f"{tokenizer.folder.path}, tokenizer: expected one that reads and writes text, found {said:.240}")
        return answer

    def _sent(self, tokenizer: Tokenizer, request: dict[str, Any]) -> dict[str, Any]:
        process = self.process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("the tokenizer's process was not started")
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline(MOST_ANSWER)
        except BrokenPipeError:
            line = b""
        except BaseException:  # an interrupt leaves half an answer in the pipe
            self.close()
            raise
        if not line.endswith(b"\n"):
            raise BadInput(f"{printable(str(tokenizer.folder.path))}, tokenizer: {self._why_ended()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _why_ended(self) -> str:
        """Say which limit the process went beyond."""
        status = self.close(wait=1.0)
        if status == -signal.SIGALRM:
            return f"expected one that needs at most {SECONDS:g} seconds for a text, found one that needs more"
        return f"expected one that needs at most {MEMORY >> 20:,} MiB for a text, found one that needs more or crashes"

    def close(self, wait: float = 0.0) -> int | None:
        """End the process, after `wait` seconds by force, and return its exit status."""
        process = self.process
        self.process = None
        self.owner = None
        if process is None:
            return None
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was not read by a process that is gone
                if pipe is not None:
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            return process.wait(wait)
        process.kill()
        return process.wait()


_PROCESS = _Process()
atexit.register(_PROCESS.close)


def start() -> None:
    """Start the tokenizers' process ahead of the first tokenizer, while torch is imported and weights are read."""
    _PROCESS.start()
