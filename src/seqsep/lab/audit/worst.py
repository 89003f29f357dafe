"""The worst case of a trained model: where it fails though its average is high.

If there are few inputs, all are asked (`exhaustive`). Else each attack asks its share of a budget of questions. Every right
answer is that of `task.solve`. The least counterexample is made smaller step by step, as long as the model is wrong, and asked
once more alone, read at once and token by token. Two prefixes that leave one state are a proof (`equal_states`).
"""

from itertools import islice
from typing import Literal

from seqsep.core.names import BadInput, excerpt, whole, whole_arguments
from seqsep.lab.audit.asker import Asker
from seqsep.lab.audit.attacks import INDEPENDENT, Attack, changed, climb, closest, closest_pairs, drawn
from seqsep.lab.audit.equal_states import collision
from seqsep.lab.audit.exhaustive import MOST_INPUTS, every_input
from seqsep.lab.audit.failures import Attacked, WorstCase, Wrong
from seqsep.lab.audit.intervals import lower_limit, upper_limit
from seqsep.lab.audit.own_questions import searched
from seqsep.lab.audit.questions import TaskQueries, Tokens
from seqsep.lab.audit.reader import StateReader, require_readable
from seqsep.models.model import Model
from seqsep.tasks import Task

ATTACKS = ("closest", "swaps", "edits-1", "edits-2", "climb", "drawn")
WITHOUT_CHANGES = ("closest", "drawn")
"""The attacks on a task of which no prefix can be changed."""
WORST_PREFIXES = 8
MOST_ABOUT_A_PREFIX = 256
MOST_STEPS = 1000
QUESTIONS = 3000
LEAST_QUESTIONS = 60


@whole_arguments
def worst_case(
    model: Model, task: Task, *, questions: int | Literal["all"] = QUESTIONS, confidence: float = 0.95, seed: int = 0
) -> WorstCase:
    """Search for inputs on which a model fails.

    If there are at most as many inputs as questions, and at most 2^20, the search asks every input. The worst case is then
    exact. The search for a smaller counterexample asks further questions, which `questions` does not count.

    Arguments:
        model: a trained model.
        task: index lookup, associative recall, multi-query recall, equality in its variant random, or your own task with
            methods `questions` and `solve`. If your own task has no `alphabets`, the search changes no input.
        questions: number of questions, from 60; "all" for every input, of at most 2^20.
        confidence: confidence of all intervals together; above 0 and below 1.
        seed: random seed of the questions.

    Raises BadInput for a task that is not audited, a model that cannot read its inputs, less than 60 questions, or "all" of
    more than 2^20 inputs. Raises PlugInFails if the methods of your own task do not fit each other.

    >>> import torch
    >>> from seqsep.tasks import Equality
    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=3, classes=2, longest=5, layers=("lstm",), width=4)
    >>> found = worst_case(model, Equality(length=4), questions=300)
    >>> found.inputs, found.least.answer == found.least.expected
    (16, False)
    """
    if questions != "all":
        questions = whole(questions, "worst_case: questions")
    if (questions != "all" and questions < LEAST_QUESTIONS) or not 0 < confidence < 1:
        given = f"questions={questions}, confidence={confidence}"
        raise BadInput(f"worst_case({given}): expected questions from {LEAST_QUESTIONS}, confidence between 0 and 1")
    if not isinstance(model, Model):
        raise BadInput(f"worst_case: model: expected a model, as seqsep.load(FILE) returns it, found {excerpt(repr(model))}")
    asker = Asker(model, task)
    how = searched(task)
    require_readable(model, task, how.input_tokens, "worst_case")
    inputs = how.inputs()
    if inputs is not None and inputs <= (MOST_INPUTS if questions == "all" else min(questions, MOST_INPUTS)):
        return every_input(asker, how, confidence)
    if questions == "all":
        known = "" if inputs is not None else ", whose alphabets are not known"
        raise BadInput(f"worst_case(questions='all'): expected a task of at most {MOST_INPUTS:,} inputs, found {task!r}{known}")
    reader = StateReader(model, how.prefix_tokens)
    first = 1 + seed * (1 << 20)
    pairs = closest_pairs(reader, how, first)
    sources: dict[str, Attack] = {
        "closest": closest(pairs, how),
        "swaps": changed(how, "swaps", first + (1 << 16)),
        "edits-1": changed(how, "edits-1", first + (2 << 16)),
        "edits-2": changed(how, "edits-2", first + (3 << 16)),
        "climb": climb(how, first + (4 << 16)),
        "drawn": drawn(how, first + (5 << 16)),
    }
    names = ATTACKS if how.can_change else WITHOUT_CHANGES
    share = questions // (len(names) + 1)
    error = (1 - confidence) / len(INDEPENDENT)
    attacks = tuple(_attacked(asker, name, sources[name], most=share, error=error) for name in names)
    worst = _worst_prefix(asker, how, share)
    return WorstCase(
        task=task,
        attacks=attacks,
        confidence=confidence,
        worst_prefix=worst[0] if worst else None,
        worst_prefix_questions=worst[1] if worst else 0,
        worst_prefix_wrong=worst[2] if worst else 0,
        least=least_counterexample(asker, how),
        collision=collision(model, how, pairs),
        questions=asker.questions,
    )


def _attacked(asker: Asker, name: str, attack: Attack, *, most: int, error: float) -> Attacked:
    """Ask the inputs that an attack proposes, at most `most` of them."""
    asked = 0
    wrong = 0
    first_wrong = None
    batch = next(attack, [])
    while batch and asked < most:
        batch = batch[: most - asked]
        found = asker.margins(batch)
        are_wrong = [given in asker.wrong for given in batch]
        if first_wrong is None and any(are_wrong):
            first_wrong = asked + are_wrong.index(True) + 1
        asked += len(batch)
        wrong += sum(are_wrong)
        try:
            batch = attack.send(found) if asked < most else []
        except StopIteration:
            break
    interval = None
    if name in INDEPENDENT and asked:
        interval = (lower_limit(wrong, asked, error / 2), upper_limit(wrong, asked, error / 2))
    return Attacked(name, questions=asked, wrong=wrong, first_wrong=first_wrong, interval=interval)


def _worst_prefix(asker: Asker, how: TaskQueries, most: int) -> tuple[Tokens, int, int] | None:
    """Ask more about some prefixes with wrong answers. Return the one with most of them, its questions, and its wrong answers.

    None if no question about any of them is answered wrong.
    """
    candidates = dict.fromkeys(given[: how.prefix_tokens] for given in asker.wrong)
    found = []
    left = most
    for prefix in list(candidates)[:WORST_PREFIXES]:
        inputs = list(islice(how.inputs_about(prefix), min(MOST_ABOUT_A_PREFIX, left)))
        if inputs:
            asker.margins(inputs)
            left -= len(inputs)
            wrong = sum(given in asker.wrong for given in inputs)
            if wrong:
                found.append((prefix, len(inputs), wrong))
    return max(found, key=lambda one: one[2] / one[1], default=None)


def least_counterexample(asker: Asker, how: TaskQueries) -> Wrong | None:
    """Return the least wrong input that is found from the known ones, by size and then margin; None if none is wrong when asked
    on its own.
    """

    def rank(given: Tokens) -> tuple[Tokens, float]:
        return how.size(given), asker.wrong[given].margin

    for start in sorted(asker.wrong, key=rank)[:WORST_PREFIXES]:
        given = start
        for _ in range(MOST_STEPS):
            simpler = [one for one in how.simpler(given) if how.size(one) < how.size(given)]
            if simpler:
                asker.margins(simpler)
            wrong = [one for one in simpler if one in asker.wrong]
            if not wrong:
                break
            given = min(wrong, key=rank)
        if asker.alone(given):
            return asker.wrong[given]
    return None
