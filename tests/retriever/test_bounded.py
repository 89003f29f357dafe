"""Calls are given up in time, in the main thread and elsewhere."""

import re
import signal
import threading
import time

import pytest

from seqsep.retriever import TookTooLong, within


def in_thread(call):
    ended = []

    def run():
        try:
            ended.append(call())
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return ended[0]


def test_results_and_errors_pass():
    assert within(5.0, lambda: 7) == 7
    assert in_thread(lambda: within(5.0, lambda: 7)) == 7
    with pytest.raises(KeyError):
        within(5.0, lambda: {}["a"])
    assert isinstance(in_thread(lambda: within(5.0, lambda: {}["a"])), KeyError)


@pytest.mark.parametrize("call", [lambda: time.sleep(60), lambda: re.search(r"(x+x+)+y", "x" * 60)])
def test_the_main_thread_is_interrupted(call):
    start = time.monotonic()
    with pytest.raises(TookTooLong):
        within(0.2, call)
    assert time.monotonic() - start < 5


def test_another_thread_goes_on():
    assert isinstance(in_thread(lambda: within(0.2, lambda: time.sleep(3))), TookTooLong)


def test_the_code_called_cannot_catch_it_by_exception():
    def stubborn():
        try:
            time.sleep(60)
        except Exception:
            return "caught"

    with pytest.raises(TookTooLong):
        within(0.2, stubborn)


def test_the_timer_before_is_set_again():
    rung = []
    handler = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        within(5.0, lambda: None)
        time.sleep(0.7)
        assert rung == [signal.SIGALRM]
        within(5.0, lambda: None)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
