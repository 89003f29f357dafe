"""Ask a server that speaks the OpenAI-style completions protocol, by token numbers.

A prompt is sent as a list of token numbers with temperature 0. The answer must hold the numbers of the new tokens: vLLM sends
them as `token_ids`, the server of llama.cpp as `tokens`. What the server did is read from its own counters at /metrics.
"""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.language_models.engines.protocol import EngineFails

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_ANSWER = 1 << 24
COUNTERS = {
    "cached tokens": ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
    "preemptions": ("vllm:num_preemptions_total",),
    "steps": ("vllm:iteration_tokens_total_count",),
    "answers": ("vllm:generation_tokens_total",),
}
"""For each counter, its names in servers."""
RUNNING = ("vllm:num_requests_running", "llamacpp:requests_processing")
"""Names of the number of requests that are being answered."""
AT_ONCE = "requests at the same time"
NEEDS = {**dict.fromkeys(("again", "twins", "parents", "turns"), "cached tokens"), "crowded": "preemptions"}
"""Scenario -> the counter that grows if it happened."""
SECONDS_BETWEEN_LOOKS = 0.02
SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{[^}]*\})?\s+([0-9.eE+-]+)\s*$", re.MULTILINE)


class ServerAsked:
    """A server that is asked over HTTP.

    Arguments:
        url: address of the interface, such as http://127.0.0.1:8000/v1.
        allowed: hosts that may be asked besides the loopback addresses.
        seconds: how long one answer may take.
        at_once: most requests at the same time.

    Raises BadInput for an address of another kind, or of a host that is not allowed; EngineFails if the server does not answer.
    """

    def __init__(self, url: str, allowed: Sequence[str] = (), seconds: float = 120, at_once: int = 64) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"--url: expected an address such as http://127.0.0.1:8000/v1, found {excerpt(url)}")
        if parts.hostname not in (*LOOPBACK, *allowed):
            raise BadInput(f"--url: {parts.hostname} is not this machine; --allow-host {parts.hostname} asks it all the same")
        self.url = url.rstrip("/")
        self.root = f"{parts.scheme}://{parts.netloc}"
        self.seconds = seconds
        self.at_once = at_once
        self.model = self._model()
        self._counted = self._counters()
        self._most_running = 0.0

    def complete(self, prompts: Sequence[Sequence[int]], count: int) -> list[list[int]]:
        """Return `count` tokens for each prompt; the prompts are sent at the same time."""
        with ThreadPoolExecutor(max_workers=min(self.at_once, len(prompts))) as pool:
            answers = [pool.submit(self._complete, prompt, count) for prompt in prompts]
            while len(prompts) > 1 and wait(answers, timeout=SECONDS_BETWEEN_LOOKS).not_done:
                running = self._totals()
                self._most_running = max([self._most_running, *(running.get(name, 0.0) for name in RUNNING)])
            return [answer.result() for answer in answers]

    def not_exercised(self, scenario: str) -> str | None:
        """Return why the server's counters do not show that a scenario happened.

        Several requests run at the same time if a look at the counters finds them, or if there were fewer steps than answers.
        """
        before, self._counted = self._counted, self._counters()
        running, self._most_running = self._most_running, 0.0
        if scenario == "together":
            steps, answers = (self._counted.get(name, 0) - before.get(name, 0) for name in ("steps", "answers"))
            return None if running > 1 or steps < answers else f"the server shows no {AT_ONCE}"
        counter = NEEDS.get(scenario)
        if counter is None:
            return None
        if counter not in self._counted:
            return f"the server counts no {counter}"
        return None if self._counted[counter] > before.get(counter, 0) else f"no {counter}"

    def _model(self) -> str:
        listed = self._json(f"{self.url}/models", None)
        models = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(models, list) or not models or not isinstance(models[0], dict) or "id" not in models[0]:
            raise EngineFails(f"{self.url}/models: expected a list of models, found {excerpt(json.dumps(listed))}")
        return str(models[0]["id"])

    def _complete(self, prompt: Sequence[int], count: int) -> list[int]:
        asked = {"model": self.model, "prompt": list(prompt), "max_tokens": count, "temperature": 0, "ignore_eos": True}
        answer = self._json(f"{self.url}/completions", {**asked, "return_token_ids": True, "return_tokens": True})
        choices = answer.get("choices") if isinstance(answer, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        tokens = next((choice[name] for name in ("token_ids", "tokens") if isinstance(choice.get(name), list)), None)
        if tokens is None or not all(type(token) is int for token in tokens):
            raise EngineFails(f"{self.url}/completions: expected token_ids in the answer, found {excerpt(json.dumps(choice))}")
        return tokens

    def _json(self, url: str, body: Mapping[str, Any] | None) -> Any:
        text = self._text(url, body)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise EngineFails(f"{url}: expected JSON, found {excerpt(text)} ({text_of(error)})") from error

    def _text(self, url: str, body: Mapping[str, Any] | None) -> str:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        try:
            with opener.open(request, timeout=self.seconds) as answer:
                return answer.read(LARGEST_ANSWER).decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            raise EngineFails(f"{url}: status {error.code}: {excerpt(error.read(2000).decode('utf-8', 'replace'))}") from error
        except (OSError, urllib.error.URLError) as error:
            raise EngineFails(f"{url}: no answer: {text_of(error)}") from error

    def _counters(self) -> dict[str, float]:
        """Read the counters; none if the server shows none."""
        totals = self._totals()
        return {
            counter: sum(totals[name] for name in names if name in totals)
            for counter, names in COUNTERS.items()
            if any(name in totals for name in names)
        }

    def _totals(self) -> dict[str, float]:
        """Read the numbers at /metrics by their names, summed over labels; none if the server shows none."""
        try:
            text = self._text(f"{self.root}/metrics", None)
        except EngineFails:
            return {}
        totals: dict[str, float] = {}
        for name, value in SAMPLE.findall(text):
            with suppress(ValueError):
                totals[name] = totals.get(name, 0.0) + float(value)
        return totals


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection could lead to another host: it counts as an error."""

    def redirect_request(self, *args: Any, **keywords: Any) -> None:
        return None
