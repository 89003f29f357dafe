"""Bits are counted when they are written; two processes that share a pipe see exactly those."""

import io
import os
import subprocess
import sys

import pytest

from seqsep.maths.communication.channel import Channel, meet


def test_numbers_arrive_and_every_bit_counts():
    def alice(channel):
        channel.send(5, 3)
        channel.send(0, 0)
        channel.send(1 << 40, 41)
        return channel.receive(2)

    def bob(channel):
        numbers = [channel.receive(width) for width in (3, 0, 41)]
        channel.send(2, 2)
        return numbers

    assert meet(alice, bob) == (2, [5, 0, 1 << 40], 3 + 41 + 2)


@pytest.mark.parametrize(("value", "width"), [(8, 3), (-1, 3), (1, 0), (0, -1)])
def test_a_number_that_does_not_fit_is_named_and_not_counted(value, width):
    written = io.BytesIO()
    channel = Channel(io.BytesIO(), written)
    with pytest.raises(ValueError, match=rf"send\({value}, width={width}\)"):
        channel.send(value, width)
    assert channel.sent == 0
    assert written.getvalue() == b""


def test_a_party_that_waits_for_one_that_has_gone_is_told():
    with pytest.raises(EOFError, match="after 3 bits"):
        meet(lambda channel: channel.send(1, 3), lambda channel: channel.receive(4))


def test_what_went_wrong_first_is_raised():
    def fails(channel):
        raise ZeroDivisionError("mine")

    for parties in ((fails, lambda channel: channel.receive(1)), (lambda channel: channel.receive(1), fails)):
        with pytest.raises(ZeroDivisionError, match="mine"):
            meet(*parties)


def test_bits_that_nobody_reads_are_an_error():
    with pytest.raises(ValueError, match="3 and 0 bits sent, 2 and 0 received"):
        meet(lambda channel: channel.send(1, 3), lambda channel: channel.receive(2))


def test_other_bytes_are_no_bits():
    with pytest.raises(ValueError, match="expected bytes 0 and 1"):
        Channel(io.BytesIO(b"01x1"), io.BytesIO()).receive(4)


def test_both_may_write_more_than_a_pipe_holds_before_they_read():
    def party(channel):
        channel.send(1, 200_000)
        return channel.receive(200_000)

    assert meet(party, party) == (1, 1, 400_000)


ALICE = """
import sys
from seqsep.maths.communication.channel import Channel
channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
for row in (6, 3, 0):
    channel.send(row, 3)
    answer = channel.receive(1)
    print(row, answer, file=sys.stderr)
print("bits", channel.bits, file=sys.stderr)
"""


def test_processes_that_share_a_pipe_only():
    """Bob, here, holds the raw ends of Alice's pipes and counts bytes himself."""
    alice = subprocess.Popen(
        [sys.executable, "-c", ALICE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    on_the_pipe = b""
    for column in (5, 4, 1):
        heard = b""
        while len(heard) < 3:
            heard += os.read(alice.stdout.fileno(), 3 - len(heard))
        sent = b"1" if int(heard, 2) & column else b"0"
        alice.stdin.write(sent)
        alice.stdin.flush()
        on_the_pipe += heard + sent
    rest, told = alice.communicate(timeout=60)
    assert rest == b""
    assert told.decode().split("\n")[:4] == ["6 1", "3 0", "0 0", f"bits {len(on_the_pipe)}"]
    assert len(on_the_pipe) == 12
