"""`seqsep.train`: the result of the training loop, with progress if it is wanted, on as many threads as are asked for."""

import io
from dataclasses import replace
from inspect import unwrap

import pytest
import torch

import seqsep
from seqsep.lab import train as loop
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from support.plug_ins import BAD, GOOD

RUN = Run(IndexLookup(length=5, alphabet=4), ("lstm",), width=8, steps=20, batch=4, evaluate_every=10, evaluation=20)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_it_is_what_the_loop_trains():
    model, result = seqsep.train(RUN)
    expected_model, expected = loop.train(RUN)
    assert result.curve == expected.curve
    assert all(map(torch.equal, model.state_dict().values(), expected_model.state_dict().values()))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_those_asked_for_and_are_given_back(monkeypatch, threads):
    seen = []

    def train_run(*given, **named):
        seen.append(torch.get_num_threads())
        return loop.train(*given, **named)

    monkeypatch.setattr("seqsep.lab.in_process.train_run", train_run)
    before = torch.get_num_threads()
    seqsep.train(RUN, threads=threads)
    assert seen == [threads]
    assert torch.get_num_threads() == before


def test_less_than_one_thread_is_refused():
    with pytest.raises(ValueError, match=r"train\(threads=0\): expected a whole number from 1"):
        seqsep.train(RUN, threads=0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([RUN, RUN], r"train\(list\): expected a seqsep.Run, one call for each$"),
        (RUN.task, r"train\(IndexLookup\): expected a seqsep.Run$"),
    ],
)
def test_what_is_no_run_is_refused(given, expected):
    with pytest.raises(TypeError, match=expected):
        unwrap(seqsep.train)(given)  # as users have it: these tests check the types of all calls


def test_progress_is_shown_if_wanted(capsys):
    seqsep.train(RUN)
    assert capsys.readouterr().err == ""
    seqsep.train(RUN, progress=True)
    error = capsys.readouterr().err
    assert error.startswith("[1/1] lstm index-lookup N=5 rate 0.001 seed 0: finished, accuracy ")
    assert error.count("\n") == 1


def test_a_terminal_shows_it_unless_told_not_to(monkeypatch):
    for wanted, shown in ((None, True), (False, False)):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        seqsep.train(RUN, progress=wanted)
        assert ("lstm index-lookup" in terminal.getvalue()) == shown


def test_a_notebook_shows_it_unless_told_not_to(monkeypatch):
    """Its stderr is no terminal, and is known by its module."""
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    for wanted, shown in ((None, 1), (False, 0)):
        cell = stream()
        monkeypatch.setattr("sys.stderr", cell)
        seqsep.train(RUN, progress=wanted)
        assert cell.getvalue().count("lstm index-lookup") == shown


def test_a_path_may_be_text(tmp_path):
    seqsep.train(RUN, keep=str(tmp_path / "model"))
    assert seqsep.load(tmp_path / "model")[1] == RUN


def test_a_layer_that_breaks_a_law_is_not_trained():
    run = replace(RUN, layers=(f"{BAD}:LooksAhead",))
    with pytest.raises(ValueError, match=r"^bad.py:LooksAhead: causal: it looks ahead"):
        seqsep.train(run)
    assert seqsep.train(replace(RUN, layers=(f"{GOOD}:Sum",)))[1].status == "finished"
