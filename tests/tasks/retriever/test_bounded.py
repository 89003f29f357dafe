"""Calls are given up in time, in the main thread and elsewhere."""

import multiprocessing
import os
import re
import signal
import threading
import time

import pytest

from seqsep.tasks.retriever import TimeoutCall, TookTooLong


def within(seconds, call):
    with TimeoutCall(call, seconds) as bounded:
        return bounded()


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


@pytest.mark.parametrize("call", [lambda: time.sleep(60), lambda: re.search(r"(x+x+)+y", "x" * 40)])
def test_another_thread_is_as_good(call):
    """A search holds all threads of its process until it ends: it runs in a process of its own, and is stopped there."""
    start = time.monotonic()
    assert isinstance(in_thread(lambda: within(0.2, call)), TookTooLong)
    assert time.monotonic() - start < 5
    assert not multiprocessing.active_children()


def never_mind():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            continue


def test_a_copy_that_does_not_answer_is_killed():
    start = time.monotonic()
    assert isinstance(in_thread(lambda: within(0.2, never_mind)), TookTooLong)
    assert time.monotonic() - start < 8
    assert not multiprocessing.active_children()


def test_calls_after_one_that_was_given_up():
    """One copy answers call after call and keeps what they changed; this process sees none of it."""
    seen = []

    def call(number):
        seen.append(number)
        if number == 2:
            time.sleep(60)
        return os.getpid(), list(seen)

    def calls():
        with TimeoutCall(call, 0.5) as bounded:
            answers = [bounded(0), bounded(1)]
            with pytest.raises(TookTooLong):
                bounded(2)
            return [*answers, bounded(number=3)]

    (first, _), (second, two), (third, last) = in_thread(calls)
    assert first == second == third != os.getpid()
    assert two == [0, 1]
    assert last == [0, 1, 2, 3]
    assert seen == []
    assert not multiprocessing.active_children()


class Unsendable(Exception):
    def __init__(self, place, why):
        super().__init__(f"{place}: {why}")


def raises():
    raise Unsendable("here", "there")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: lambda: 3, r"what it returns, <function .*>, cannot be sent"),
        (raises, r"Unsendable: here: there, cannot be sent"),
        (lambda: os._exit(3), r"the process in which the call ran has ended"),
    ],
)
def test_what_does_not_come_back_is_one_line(call, why):
    error = in_thread(lambda: within(20.0, call))
    assert isinstance(error, RuntimeError)
    assert re.match(why, str(error))
    assert "\n" not in str(error)


def test_where_no_call_can_be_given_up_it_is_refused(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    called = []
    error = in_thread(lambda: within(5.0, lambda: called.append(1)))
    assert "cannot be given up in this thread" in str(error)
    assert "\n" not in str(error)
    assert not called


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
