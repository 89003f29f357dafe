"""The command: its help, and one line for a wrong port, a port that is taken, and a missing extra."""

import sys

import pytest

from seqsep.commands.cli import main
from seqsep.commands.explore.serve import loopback_sockets


def test_the_command_has_a_help(capsys):
    with pytest.raises(SystemExit):
        main(["explore", "--help"])
    said = capsys.readouterr().out
    assert "--port" in said
    assert "Example: seqsep explore --write gallery" in said


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1e3", ""])
def test_a_wrong_port_is_refused(port, capsys):
    assert main(["explore", "--port", port]) == 2
    assert capsys.readouterr().err.startswith("seqsep explore: argument --port: expected a port from 0 to 65535")


def test_a_missing_extra_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["explore"]) == 3
    assert capsys.readouterr().err == (
        "seqsep explore: the pages need uvicorn, which is not installed; pip install '.[web]' in a clone of seqsep\n"
    )


def test_a_port_that_is_taken_is_one_line(capsys):
    pytest.importorskip("uvicorn", reason="the extra web (starlette, uvicorn) is not installed")
    sockets = loopback_sockets(0)
    try:
        assert main(["explore", "--port", str(sockets[0].getsockname()[1])]) == 3
        assert "Address already in use" in capsys.readouterr().err
    finally:
        for one in sockets:
            one.close()
