"""The engine `ray` starts a Ray on this machine and connects to a named cluster, with a module that stands in for Ray."""

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from seqsep.lab.engines.engine import EngineUnavailable
from seqsep.lab.engines.ray_connection import RayConnection
from support.fake_ray import Lost


class Module(ModuleType):
    """A module `ray` that is initialized with an address of its own, and notes how."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        super().__init__("ray")
        self.__version__ = "9"
        self.address = address
        self.inits: list[dict[str, Any]] = []
        self.read: list[str | None] = []
        self.constants = SimpleNamespace(ENABLE_RAY_CLUSTER=True)

    def is_initialized(self) -> bool:
        return False

    def init(self, **options: Any) -> None:
        folder = Path(options["_temp_dir"]).parent if "_temp_dir" in options else None
        mode = folder and folder.stat().st_mode & 0o777
        variables = {name: value for name, value in os.environ.items() if name.startswith("RAY_AUTH")}
        self.inits.append({"variables": variables, "folder": mode, "network": self.constants.ENABLE_RAY_CLUSTER, **options})

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeManagerAddress": self.address}]

    def shutdown(self) -> None: ...

    def install(self, monkeypatch: pytest.MonkeyPatch) -> "Module":
        """Let `import ray` find it. Its `read` has the tokens that Ray was let read from the environment."""
        loader = SimpleNamespace(reset_cache=lambda: self.read.append(os.environ.get("RAY_AUTH_TOKEN")))
        parts: dict[str, dict[str, Any]] = {
            "ray.exceptions": {"RayError": Lost},
            "ray._private": {"ray_constants": self.constants},
            "ray.job_config": {"JobConfig": SimpleNamespace},
            "ray._raylet": {
                "Config": SimpleNamespace(initialize=lambda text: None),
                "AuthenticationTokenLoader": SimpleNamespace(instance=lambda: loader),
            },
        }
        monkeypatch.setitem(sys.modules, "ray", self)
        for name, content in parts.items():
            module = ModuleType(name)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, name, module)
        return self


def test_every_ray_of_this_machine_has_a_token_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ray that starts here listens on the loopback address, whatever the user's environment says of tokens."""
    for name, value in (("RAY_AUTH_MODE", "disabled"), ("RAY_AUTH_TOKEN", "known"), ("RAY_ADDRESS", "")):
        monkeypatch.setenv(name, value)
    module, before = Module().install(monkeypatch), dict(os.environ)
    for _ in range(2):
        connection = RayConnection(None, 1)
        connection.open()
        connection.close()
    first, second = (one["variables"] for one in module.inits)
    assert [one["RAY_AUTH_MODE"] for one in (first, second)] == ["token", "token"]
    assert len({"known", first["RAY_AUTH_TOKEN"], second["RAY_AUTH_TOKEN"]}) == 3
    assert module.read == [first["RAY_AUTH_TOKEN"], "known", second["RAY_AUTH_TOKEN"], "known"]
    assert dict(os.environ) == before
    assert [one["network"] for one in module.inits] == [False, False]
    assert module.constants.ENABLE_RAY_CLUSTER
    for one in module.inits:
        assert (one["folder"], one["include_dashboard"]) == (0o700, False)
        assert one["job_config"]._py_driver_sys_path == sys.path[::-1]
        assert not Path(one["_temp_dir"]).parent.exists()


def test_a_named_cluster_is_given_the_users_own_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a cluster that the user names, the variables stay as they are, and Ray keeps its defaults."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "the user's")
    module = Module("10.0.0.9").install(monkeypatch)
    connection = RayConnection("auto", None)
    connection.open()
    connection.close()
    [one] = module.inits
    assert one["variables"] == {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "the user's"}
    assert {"address": "auto", "network": True, "folder": None}.items() <= one.items()
    assert set(one) == {"variables", "network", "folder", "address", "logging_level", "log_to_driver"}
    assert module.read == []


def test_a_ray_of_this_machine_with_another_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of Ray may listen on the network."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    Module("10.0.0.9").install(monkeypatch)
    connection = RayConnection(None, 1)
    words = (
        "^Ray 9 on this machine: expected it to listen on 127.0.0.1, found 10.0.0.9; install another version, or use --address$"
    )
    with pytest.raises(EngineUnavailable, match=words):
        connection.open()
    connection.close()
