"""The connection of the engine `ray`: to a cluster that answers, or to a Ray started on this machine.

Usage statistics are off. A Ray that is started here asks for a secret, has no dashboard, and ends with the connection without
leaving files.
"""

import functools
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from pathlib import Path
from typing import Any

from seqsep.lab.engines.engine import EngineUnavailable, usable_cores

INSTALL = "pip install 'seqsep[cluster]'"
SECONDS_TO_CONNECT = 5.0
OBJECT_STORE_BYTES = 128 << 20
# Environment variables that we set or, the last two, Ray; closing the connection puts them back.
CHANGED = ("RAY_USAGE_STATS_ENABLED", "RAY_AUTH_TOKEN", "RAY_AUTH_MODE", "PYTHONBREAKPOINT")


class RayConnection:
    """A connection to the cluster at `address`, HOST:PORT or auto.

    The default is that of $RAY_ADDRESS, else a new one of `cores` on this machine.
    """

    def __init__(self, address: str | None, cores: int | None) -> None:
        self.address = address or os.environ.get("RAY_ADDRESS") or "local"
        self.cores = cores
        self.folder: str | None = None
        self._opened: Any = None
        self._before: dict[str, str | None] = {}

    def open(self) -> Any:
        """Connect; returns the module `ray`. A process that is connected already stays so. Raises EngineUnavailable."""
        self._before = {name: os.environ.get(name) for name in CHANGED}
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        try:
            import ray
            from ray.exceptions import RayError
        except ImportError as error:
            raise EngineUnavailable(f"the engine ray is not installed ({error}): {INSTALL}") from error
        if ray.is_initialized():
            return ray
        options: dict[str, Any] = {"address": self.address, "logging_level": "ERROR", "log_to_driver": False}
        if self.address == "local":
            options |= self._own()
        else:
            _require_answer(self.address)
        # Ray replaces the handler of SIGTERM by its own.
        ours = signal.getsignal(signal.SIGTERM)
        try:
            self._opened = ray
            ray.init(**options)
        except (OSError, ValueError, RuntimeError, ImportError, RayError, SystemExit) as error:
            words = " ".join(str(error).split())[:300]
            raise EngineUnavailable(f"Ray at {self.address}: {type(error).__name__}: {words}") from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, ours)
        return ray

    def close(self) -> None:
        """Leave Ray, and stop what was started here."""
        if self._opened is not None:
            self._opened.shutdown()
            self._opened = None
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before.clear()

    def _own(self) -> dict[str, Any]:
        if not {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys():
            os.environ["RAY_AUTH_TOKEN"] = _secret()
        self.folder = tempfile.mkdtemp(prefix="seqsep-ray-")
        # Ray lets everybody into its own folder, so it has one inside ours, into which nobody else comes.
        inside = str(Path(self.folder) / "ray")
        sizes = {"num_cpus": self.cores or usable_cores(), "object_store_memory": OBJECT_STORE_BYTES}
        return sizes | {"_temp_dir": inside, "include_dashboard": False}


@functools.cache
def _secret() -> str:
    # Ray keeps the first one that a process has.
    return secrets.token_hex(32)


def _require_answer(address: str) -> None:
    """Raise EngineUnavailable unless something listens there: Ray itself waits for two minutes and then ends the process."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():  # such as auto, of which Ray says quickly that there is none
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise EngineUnavailable(f"Ray at {address}: expected a cluster that answers, found: {error}") from error
