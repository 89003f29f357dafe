"""The connection of the engine `ray`: to a cluster that answers, or to a Ray started on this machine.

Usage statistics are off. A Ray that is started here listens on the loopback address only, requires a random token, has no
dashboard, and ends with the connection without leaving files. The token is in the environment of Ray's processes, which other
users cannot read; it is in no file and on no command line. Ray's workers have the search path of this process. By default Ray
adds the working folder, where other users may be able to write.
"""

import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

from seqsep.core.names import install
from seqsep.lab.engines.engine import EngineUnavailable, usable_cores

INSTALL = install("cluster")
SECONDS_TO_CONNECT = 5.0
OBJECT_STORE_BYTES = 128 << 20
LOOPBACK = ("127.0.0.1", "::1")
# Environment variables that we set or, the last one, Ray; closing the connection puts them back.
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
        starts = self.address == "local"
        if not starts:
            _require_answer(self.address)
        # Ray replaces the handler of SIGTERM by its own.
        ours = signal.getsignal(signal.SIGTERM)
        try:
            self._opened = ray
            if starts:
                _require_token()
                options |= self._own() | {"job_config": _job_config()}
            with _on_loopback() if starts else nullcontext():
                ray.init(**options)
        except (OSError, ValueError, RuntimeError, ImportError, RayError, SystemExit) as error:
            words = " ".join(str(error).split())[:300]
            raise EngineUnavailable(f"Ray at {self.address}: {type(error).__name__}: {words}") from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, ours)
        if starts:
            _require_loopback(ray)
        return ray

    def close(self) -> None:
        """Leave Ray, and stop what was started here."""
        if self._opened is not None:
            self._opened.shutdown()
            self._opened = None
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before.clear()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
            _read_token_again()

    def _own(self) -> dict[str, Any]:
        self.folder = tempfile.mkdtemp(prefix="seqsep-ray-")
        # Ray lets everybody into its own folder, so it has one inside ours, into which nobody else comes.
        inside = str(Path(self.folder) / "ray")
        sizes = {"num_cpus": self.cores or usable_cores(), "object_store_memory": OBJECT_STORE_BYTES}
        return sizes | {"_temp_dir": inside, "include_dashboard": False}


def _require_token() -> None:
    """Let the next Ray that this process starts require a random token, whatever the user's environment says."""
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    _read_token_again()


def _read_token_again() -> None:
    """Let Ray read the token and its mode from the environment; by default a process keeps those that it read first."""
    raylet: Any = import_module("ray._raylet")
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


class _SearchPath(list[str]):
    """The search path of this process, last entry first: a worker of Ray puts each entry before those that it has."""

    def __init__(self) -> None:
        super().__init__(reversed(sys.path))

    def extend(self, folders: Iterable[str]) -> None:
        """Add nothing: Ray would add the working folder and that of the script; if Python uses them, they are there already."""


def _job_config() -> Any:
    from ray.job_config import JobConfig

    config = JobConfig()
    config._py_driver_sys_path = _SearchPath()
    return config


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let `ray.init` start a Ray that listens on the loopback address, as it does by default on macOS.

    The argument `_node_ip_address` of `ray.init` cannot do this: Ray replaces 127.0.0.1 by the network's address.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _require_loopback(ray: Any) -> None:
    """Raise EngineUnavailable if the Ray that was started here has another address, as a future version may do."""
    for address in sorted({node["NodeManagerAddress"] for node in ray.nodes()}.difference(LOOPBACK)):
        words = f"expected it to listen on {LOOPBACK[0]}, found {address}"
        raise EngineUnavailable(f"Ray {ray.__version__} on this machine: {words}; install another version, or use --address")


def _require_answer(address: str) -> None:
    """Raise EngineUnavailable unless something listens there: Ray itself waits for two minutes and then ends the process."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():  # such as auto, of which Ray says quickly that there is none
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise EngineUnavailable(f"Ray at {address}: expected a cluster that answers, found: {error}") from error
