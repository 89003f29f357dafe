"""A Python that has imported other people's packages already: a program that forks one server in place of a fresh start.

Importing torch takes a fresh interpreter 2 CPU-seconds. `WarmPython.executable` is called as `sys.executable` is, with `-P`,
`-B`, `-c`, `-m` or a script; with other flags it becomes the ordinary Python. It hands its words, variables, folder and open
files to the server, which forks; the fork imports seqsep afresh. The program passes SIGINT and SIGTERM on and ends as the fork
ends; the fork is killed with it, and takes the program's parent for its own. Variables that Python or a package reads when it
starts, such as PYTHONOPTIMIZE, change nothing: tests of them, of imports and of processes themselves use `sys.executable`.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

PACKAGES = ("torch", "numpy", "safetensors.torch", "jaxtyping", "rich.console", "rich.progress", "jinja2", "matplotlib.figure")
PACKAGES += ("matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg")
PACKAGES += ("concurrent.futures.process", "multiprocessing.spawn", "runpy", "sqlite3")
HIGH = 512
"""The fork holds what it was handed from this number on while it closes the server's own files."""
PROGRAM = """#!{python} -IS
import json, os, signal, socket, sys
words = sys.argv[1:]
while words and words[0] in ("-P", "-B"):
    words.pop(0)
if not words or words[0].startswith("-") and words[0] not in ("-c", "-m"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
files = []
for number in sorted(map(int, os.listdir("/proc/self/fd"))):
    try:
        if number < 3 or os.get_inheritable(number):
            files.append(number)
    except OSError:
        pass  # the listing itself
server = socket.socket(socket.AF_UNIX)
server.connect({place!r})
told = dict(words=sys.argv[1:], variables=dict(os.environ), folder=os.getcwd(), files=files, program=os.getpid())
data = json.dumps(told).encode()
socket.send_fds(server, [len(data).to_bytes(8, "big")], files)
server.sendall(data)
replies = server.makefile()
child = int(replies.readline())
for passed in (signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(passed) is not signal.SIG_IGN:
        signal.signal(passed, lambda number, frame: os.kill(child, number))
for number in files:
    os.close(number)
status = int(replies.readline())
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


class WarmPython:
    """The server and its program; leaving the context ends both, and all that the server has forked."""

    def __init__(self, folder: Path) -> None:
        self.executable = folder / "python"
        place = str(folder / "socket")
        self.executable.write_text(PROGRAM.format(python=sys.executable, place=place))
        self.executable.chmod(0o755)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
        listener.listen(64)
        one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | one_thread
        command = [sys.executable, "-P", __file__, str(listener.fileno()), str(self.executable)]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()], env=variables)
        listener.close()

    def __enter__(self) -> "WarmPython":
        return self

    def __exit__(self, *error: object) -> None:
        self.server.communicate()


def serve(listener: socket.socket, executable: str) -> None:
    """Fork for every program that connects, until standard input is closed."""
    for name in PACKAGES:
        import_module(name)
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ)
    waiting.register(listener, selectors.EVENT_READ)
    children: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _ in waiting.select():
            if key.fileobj is listener:
                connection = listener.accept()[0]
                told, files = received(connection)
                child = os.fork()
                if child == 0:
                    become(told, files, executable)
                for file in files:
                    os.close(file)
                connection.sendall(f"{child}\n".encode())
                ended = os.pidfd_open(child)
                children[ended] = children[connection.fileno()] = (child, connection)
                waiting.register(ended, selectors.EVENT_READ)
                waiting.register(connection, selectors.EVENT_READ)
            elif key.fileobj is sys.stdin:
                for child, _ in children.values():
                    os.kill(child, signal.SIGKILL)
                return
            elif key.fileobj in children:  # a fork has ended
                child, connection = children.pop(key.fd)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                waiting.unregister(key.fd)
                os.close(key.fd)
                if children.pop(connection.fileno(), None):
                    waiting.unregister(connection)
                    try:
                        connection.sendall(f"{status}\n".encode())
                    except OSError:  # killed meanwhile
                        print(f"nobody waits for {child}", file=sys.stderr)
                connection.close()
            elif key.fd in children:  # its program was killed
                os.kill(children.pop(key.fd)[0], signal.SIGKILL)
                waiting.unregister(key.fileobj)


def received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What a program says, and its open files."""
    size, files, _, _ = socket.recv_fds(connection, 8, 250)
    length = int.from_bytes(size, "big")
    data = b""
    while len(data) < length:
        data += connection.recv(length - len(data))
    return json.loads(data), list(files)


def become(told: dict[str, Any], files: list[int], executable: str) -> NoReturn:
    """Be the process that the words ask for, and end as Python ends."""
    status = 1
    try:
        take_over(told, files, executable)
        status = run(told["words"])
    finally:
        os._exit(status)


def take_over(told: dict[str, Any], files: list[int], executable: str) -> None:
    """Have the files, folder, variables and parent of the program."""
    import fcntl

    held = [fcntl.fcntl(file, fcntl.F_DUPFD, HIGH) for file in files]
    os.closerange(0, HIGH)
    for file, number in zip(held, told["files"], strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["variables"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.executable = executable
    import_module("multiprocessing.spawn").set_executable(executable)
    program = Path(f"/proc/{told['program']}/stat")

    def parent() -> int:
        try:
            return int(program.read_text().rpartition(")")[2].split()[1])
        except OSError:
            return 1

    os.getppid = parent
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = None
        if number in told["files"]:
            errors = "backslashreplace" if number == 2 else "strict"
            stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
            stream.reconfigure(line_buffering=number == 2 or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run(words: list[str]) -> int:
    """Run the code, module or script that the words name; return the exit status."""
    import atexit
    import runpy
    import threading

    is_safe = bool(os.environ.get("PYTHONSAFEPATH"))
    while words[0] in ("-P", "-B"):
        is_safe |= words[0] == "-P"
        words = words[1:]
    kind = words[0] if words[0] in ("-c", "-m") else ""
    what, *rest = words[1:] if kind else words
    sys.argv = [kind or what, *rest]
    first = str(Path.cwd()) if kind == "-m" else "" if kind else str(Path(what).resolve().parent)
    given = os.environ.get("PYTHONPATH", "")
    sys.path[:] = [*([] if is_safe else [first]), *(given.split(os.pathsep) if given else []), *sys.path]
    status = 0
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        elif kind == "-c":
            sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)
        else:
            runpy.run_path(what, run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    return status & 0xFF


if __name__ == "__main__":
    number, executable = sys.argv[1:]
    sys.argv[:] = [""]
    serve(socket.socket(fileno=int(number)), executable)
