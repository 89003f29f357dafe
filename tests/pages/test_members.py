"""docs/reference/tasks.md and mixers.md agree with the registries, and formulas for states with what is counted."""

import inspect

import pytest

from pages.members import counted_bits, formula_bits, markdown, tasks_page
from seqsep.models.mixers import MIXERS
from seqsep.tasks import TASKS


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
@pytest.mark.parametrize(("width", "heads"), [(16, 2), (32, 4), (64, 4), (64, 1)])
def test_formulas_of_states_are_counted(mixer, width, heads):
    assert formula_bits(mixer.name, width, heads) == counted_bits(mixer, width, heads)


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_every_mixer_says_recurrence_state_form_and_source(mixer):
    text = inspect.getdoc(inspect.getmodule(mixer))
    assert "\n    " in text, "the recurrence, as an indented block"
    for label in ("\nSource: ", "\nState: ", "\n`forward` "):
        assert label in text, label


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_says_what_is_asked_and_how_it_is_drawn(task):
    text = inspect.getdoc(inspect.getmodule(task))
    for label in ("\nSource: ", "Queries: ", "Lengths: ", "\nShortcuts: "):
        assert label in text, label


def test_a_docstring_becomes_markdown():
    found = markdown("Title: one.\n\n    y = 2 * x\n\nSource: a * b.\nMore.\n    z\n")
    assert found == "Title: one.\n\n```\ny = 2 * x\n```\n\n**Source:** a \\* b.\nMore.\n```\nz\n```\n"


def test_items_of_a_docstring_are_a_list():
    assert markdown("It has:\n* one,\n  or none\n* two * 2") == "It has:\n\n* one,\n  or none\n* two * 2\n"


def test_the_table_of_tasks_says_how_many_answers_must_be_right():
    page = tasks_page()
    assert "| [multi-query-recall](#multi-query-recall) | 10 | 60 | 2^-30, about 0.000000001 |" in page
    assert "| [nearest-neighbor](#nearest-neighbor) | 10 | 10 | 0.031 |" in page
    assert "An example counts as right only if all its answers are right" in " ".join(page.split())
