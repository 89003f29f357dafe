"""The Ray that the engine `ray` starts on this machine: other hosts and other users cannot use it.

One start serves all tests. It runs as root in a network namespace of its own, whose only neighbour is a second namespace, which
is the other host. The user's environment is the worst one: it switches Ray's tokens off and has a token that others know.
"""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

OWNER = """
import os, socket, sys
os.umask(0)
from seqsep.lab.engines.ray_connection import RayConnection
import json
connection = RayConnection(None, 1)
ray = connection.open()

@ray.remote(num_cpus=1)
class Actor:
    def variables(self):
        return dict(os.environ)

    def path(self):
        return sys.path

actor = Actor.remote()
variables = ray.get(actor.variables.remote())
control = socket.create_server(("0.0.0.0", 0))
[node] = ray.nodes()
print(json.dumps({
    "gcs": ray.get_runtime_context().gcs_address, "agent": node["RuntimeEnvAgentPort"], "folder": connection.folder,
    "sockets": [node["ObjectStoreSocketName"], node["RayletSocketName"]], "token": os.environ["RAY_AUTH_TOKEN"],
    "actor": variables["RAY_AUTH_TOKEN"], "mode": variables["RAY_AUTH_MODE"], "control": control.getsockname()[1],
    "path": sys.path, "actor's path": ray.get(actor.path.remote())}), flush=True)
sys.stdin.read()
connection.close()
print(json.dumps([os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"]]), flush=True)
"""
NEIGHBOUR = """
import json, socket, sys
answers = {}
for port in json.loads(sys.argv[2]):
    with socket.socket() as one:
        one.settimeout(5)
        answers[port] = one.connect_ex((sys.argv[1], port))
print(json.dumps(answers))
"""
STRANGER = """
import json, os, socket, sys, urllib.request, urllib.error
from pathlib import Path
from ray._raylet import AuthenticationTokenLoader, Config, GcsClient
started = json.loads(sys.stdin.read())
os.setgroups([]), os.setgid(65534), os.setuid(65534)

def refused(call):
    try:
        return repr(call())
    except Exception as error:
        return type(error).__name__

def nodes(mode, token):
    os.environ |= {"RAY_AUTH_MODE": mode, "RAY_AUTH_TOKEN": token}
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
    return refused(lambda: len(GcsClient(address=started["gcs"]).get_all_node_info()))

def agent(token):
    url = f"http://127.0.0.1:{started['agent']}/get_or_create_runtime_env"
    call = urllib.request.Request(url, data=b"", headers={"Authorization": "Bearer " + token} if token else {})
    try:
        return urllib.request.urlopen(call, timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code

processes = [path for path in Path("/proc").glob("[0-9]*") if int(path.name) in started["processes"]]
print(json.dumps({
    "nodes": {"no token": nodes("disabled", ""), "known": nodes("token", "known"), "right": nodes("token", started["token"])},
    "agent": {"no token": agent(""), "known": agent("known"), "right": agent(started["token"])},
    "sockets": [refused(lambda: socket.socket(socket.AF_UNIX).connect(path)) for path in started["sockets"]],
    "folder": [refused(lambda: os.listdir(started["folder"])), refused(lambda: os.stat(started["folder"] + "/ray"))],
    "environments": [refused((path / "environ").read_bytes) for path in processes],
    "command lines": sum(started["token"] in (path / "cmdline").read_text() for path in processes)}))
"""
pytest.importorskip("ray", reason="ray, the extra `cluster`")
pytestmark = pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="becomes another user: Linux, as root")


@dataclass
class Started:
    """A Ray, what its owner says of it, and the commands that put a process next to it and on the other host."""

    process: Any
    said: dict[str, Any]
    here: list[str]
    there: list[str]
    no_namespaces: str

    def listening(self) -> list[int]:
        """The TCP ports at which a process of the owner's namespace listens."""
        ports = set()
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{self.process.pid}/net/{table}").read_text().splitlines()[1:]:
                _, address, _, state, *_ = line.split()
                if state == "0A":
                    ports.add(int(address.rpartition(":")[2], 16))
        return sorted(ports)

    def processes(self) -> list[int]:
        """The owner and those that it has started."""
        session = os.getsid(self.process.pid)
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                found += [int(path.name)] if os.getsid(int(path.name)) == session else []
            except ProcessLookupError:
                continue
        return found


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def two_hosts(here: str, there: str) -> str:
    """Make two network namespaces that see each other, 10.99.0.1 and 10.99.0.2; the reason if that is impossible here."""
    if shutil.which("ip") is None:
        return "there is no command `ip`"
    try:
        for name in (here, there):
            ip("netns", "add", name)
        ip("link", "add", "veth0", "netns", here, "type", "veth", "peer", "name", "veth0", "netns", there)
        for name, address in ((here, "10.99.0.1"), (there, "10.99.0.2")):
            ip("-netns", name, "link", "set", "lo", "up")
            ip("-netns", name, "addr", "add", f"{address}/24", "dev", "veth0")
            ip("-netns", name, "link", "set", "veth0", "up")
        ip("-netns", here, "route", "add", "default", "via", "10.99.0.2")  # Ray asks for it to find its network's address
    except subprocess.CalledProcessError as error:
        return f"no network namespaces: {error.stderr.strip()}"
    return ""


@pytest.fixture(scope="module")
def started() -> Iterator[Started]:
    mark = uuid.uuid4().hex[:8]
    names = [f"seqsep-{mark}-{host}" for host in ("here", "there")]
    temporary = Path(f"/tmp/{mark}")  # Ray's sockets have paths of at most 107 bytes
    temporary.mkdir()
    temporary.chmod(0o755)
    reason = two_hosts(*names)
    here, there = ([] if reason else ["ip", "netns", "exec", name] for name in names)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    worst = {"RAY_AUTH_MODE": "disabled", "RAY_AUTH_TOKEN": "known"}
    own = {"TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [*here, sys.executable, "-P", "-c", OWNER],
        cwd="/tmp",  # where every user can write
        env=clean | own | worst,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        yield Started(process, json.loads(process.stdout.readline()), here, there, reason)
        after, _ = process.communicate("", timeout=30)
        assert json.loads(after) == ["disabled", "known"]
        assert list(temporary.iterdir()) == []
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(temporary, ignore_errors=True)
        if shutil.which("ip") is not None:
            for name in names:
                subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def answers(prefix: list[str], code: str, *arguments: str, given: str = "") -> Any:
    command = [*prefix, sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_host_connects_to_no_port_of_a_local_ray(started: Started) -> None:
    """Every port at which a process of Ray listens refuses a connection from another host; a control port accepts one."""
    if started.no_namespaces:
        pytest.skip(started.no_namespaces)
    control = started.said["control"]
    ports = started.listening()
    assert {control, started.said["agent"], int(started.said["gcs"].rpartition(":")[2])} < set(ports)
    assert len(ports) >= 6
    found = answers(started.there, NEIGHBOUR, "10.99.0.1", json.dumps(ports))
    assert [int(port) for port, error in found.items() if not error] == [control]


def test_workers_import_nothing_from_the_working_folder(started: Started) -> None:
    """Workers search the folders of the owner's path first; the working folder, where others may write, is none of them."""
    own, found = started.said["path"], started.said["actor's path"]
    assert found[: len(own)] == own
    assert not {"", ".", "/tmp", os.path.realpath("/tmp")} & set(found)


@pytest.mark.slow
def test_another_user_cannot_use_a_local_ray(started: Started) -> None:
    """Without the token a second user reaches neither Ray's services nor its sockets, files and variables."""
    said = started.said
    assert said["token"] == said["actor"] != "known"
    assert len(said["token"]) == 64
    assert said["mode"] == "token"
    folder = Path(said["folder"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(folder in Path(path).parents for path in said["sockets"])
    processes = started.processes()
    assert len(processes) >= 5
    found = answers(started.here, STRANGER, given=json.dumps(said | {"processes": processes}))
    assert found == {
        "nodes": {"no token": "AuthenticationError", "known": "AuthenticationError", "right": "1"},
        "agent": {"no token": 401, "known": 403, "right": 200},
        "sockets": ["PermissionError"] * 2,
        "folder": ["PermissionError"] * 2,
        "environments": ["PermissionError"] * len(processes),
        "command lines": 0,
    }
