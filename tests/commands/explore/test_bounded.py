"""Pages that would take too long, or too much memory, in a process with limits."""

import multiprocessing
import threading
import time

import pytest

from seqsep.commands.explore import bounded
from seqsep.commands.explore.bounded import Renderer
from seqsep.commands.explore.visit import Visit
from support.explore_endless import compute, wait

EXPLODES = "(0|1)*1" + "(0|1)" * 25


@pytest.fixture(scope="module")
def renderer():
    made = Renderer(seconds=3.0)
    made.warm(Visit())
    return made


def test_a_page_comes_from_another_process(renderer):
    page = renderer.page(Visit("protocol", "index-lookup"))
    assert page.status == 200
    assert b"He answers <b>2</b>" in page.html


def test_a_regular_expression_that_explodes_is_stopped(renderer):
    """Its minimal automaton has 2^26 states."""
    began = time.monotonic()
    page = renderer.page(Visit("language", query={"regex": EXPLODES}))
    assert page.status in (400, 422)
    assert time.monotonic() - began < bounded.CLOCK * renderer.seconds + 3
    assert renderer.page(Visit("protocol")).status == 200


def test_a_page_that_never_ends_is_stopped(renderer, monkeypatch):
    """A page that computes is ended after a second of a processor, and one that waits after some seconds on the clock."""
    for make, clock, said in ((compute, 60, b"took more than 1 s of a processor"), (wait, 2, b"was not made in 2 s")):
        monkeypatch.setattr(bounded, "make", make)
        monkeypatch.setattr(bounded, "CLOCK", clock)
        page = Renderer(seconds=1.0).page(Visit())
        assert page.status == 422
        assert said in page.html


def test_a_page_that_takes_too_much_memory_is_stopped():
    little = Renderer(seconds=20.0, mebibytes=1)
    page = little.page(Visit("theorem", "is-tree-tour"))
    assert page.status == 422
    assert b"needs more memory" in page.html


def test_at_most_two_pages_are_made_at_once():
    all_asked = threading.Event()

    class Slow(Renderer):
        now = most = 0

        def _made(self, visit):
            Slow.now += 1
            Slow.most = max(Slow.most, Slow.now)
            all_asked.wait(30)
            time.sleep(0.01)
            Slow.now -= 1
            return bounded.plain_page(200, "made")

    slow = Slow()
    found = []
    threads = [threading.Thread(target=lambda: found.append(slow.page(Visit()).status)) for _ in range(30)]
    for thread in threads:
        thread.start()
    while len(found) < len(threads) - bounded.AT_ONCE - bounded.MOST_WAITING:
        time.sleep(0.001)
    all_asked.set()
    for thread in threads:
        thread.join()
    assert Slow.most == 2
    assert sorted(set(found)) == [200, 503]
    assert found.count(200) == bounded.AT_ONCE + bounded.MOST_WAITING


def test_no_process_is_left(renderer):
    renderer.page(Visit("language", query={"regex": EXPLODES}))
    Renderer(seconds=0.001).page(Visit("theorem", "is-tree-tour"))
    assert multiprocessing.active_children() == []
