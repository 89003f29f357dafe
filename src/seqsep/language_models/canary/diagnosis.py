"""Compare what an engine answered with what injected faults answer, and say which faults give that pattern."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqsep.core.names import BadInput
from seqsep.language_models.canary.exam import Budget, CanaryReport, say_nothing
from seqsep.language_models.canary.faults import FAULTS, Fault
from seqsep.language_models.canary.scenarios import CanaryPrompt
from seqsep.language_models.canary.serving import Serving
from seqsep.language_models.canary.state_faults import OF_ATTENTION, STATE_FAULTS

CONVERSATIONS = 20
FIRST = 3
"""Conversations after which only the best faults, and those as good as the third, are tried further."""
BEST = 3
DEAR = ("together", "decoding", "long")
"""Scenarios that are compared last, by the best faults only: their batches or their prompts take long."""
WITH_BOTH = ("olmo_hybrid", "qwen3_next", "qwen3_5_text", "granitemoehybrid", "nemotron_h", "falcon_h1", "jamba")
"""Classes with recurrent states and attention."""
WITHOUT_FAULTS = ("crowded",)
"""Scenarios that are not compared: no injected fault preempts."""


@dataclass(frozen=True)
class LikeFault:
    """A fault and the number of conversations in which it answers as the engine did.

    Fields:
        name: name of the fault.
        words: the fault in words, after "as if".
        chunk: size of its chunks or blocks, or None if the fault does not depend on it.
        alike: conversations in which every token of every prompt is the same.
        compared: conversations that were compared.
    """

    name: str
    words: str
    chunk: int | None
    alike: int
    compared: int

    def line(self) -> str:
        """Return the fault in a sentence.

        >>> LikeFault("token-lost", "a token were lost at a chunk border", 64, 18, 20).line()
        'as if a token were lost at a chunk border (chunks of 64): 18 of 20 conversations alike'
        """
        size = f" (chunks of {self.chunk})" if self.chunk else ""
        return f"as if {self.words}{size}: {self.alike} of {self.compared} conversations alike"


def diagnose(
    model: Any, report: CanaryReport, budget: Budget | None = None, say: Callable[[str], None] = say_nothing
) -> list[LikeFault]:
    """Return the injected faults that answer most like an engine, the best ones first; none if none is alike.

    Arguments:
        model: the canary in `transformers`.
        report: what the engine answered, with wrong answers.
        budget: the time that may be used.
        say: function that is given lines of progress.

    Raises BadInput for a class of models without injected faults.
    """
    faults = faults_of(model.config.model_type)
    budget = budget or Budget()
    report = CanaryReport(verdict for verdict in report if verdict.scenario not in WITHOUT_FAULTS)
    if not report.wrong:
        return []
    seen = {id(wrong.prompt): wrong.answers for wrong in report.wrong}
    chosen = _conversations(report)
    tried = [(name, size) for name, fault in faults.items() if fault.seen_in for size in fault.sizes]
    alike = dict.fromkeys(tried, 0)
    compared = 0
    for number, conversation in enumerate(chosen):
        if number == FIRST:
            least = sorted(alike.values())[-BEST]
            tried = [fault for fault in tried if alike[fault] >= max(1, least)]
        same = []
        for name, size in tried:
            if not budget.take(1):
                break
            say(f"diagnosis: conversation {number + 1} of {len(chosen)}, {name}")
            same.append(_is_alike(faults[name].serve(model, size), conversation, report, seen))
        if budget.spent:
            break
        alike |= {fault: alike[fault] + one for fault, one in zip(tried, same, strict=True)}
        compared += 1
    found = sorted(((alike[fault], fault) for fault in tried), key=lambda pair: -pair[0])[:BEST]
    sizes = {name: len(fault.sizes) for name, fault in faults.items()}
    return [
        LikeFault(name, faults[name].words, chunk=size if sizes[name] > 1 else None, alike=count, compared=compared)
        for count, (name, size) in found
        if compared and 2 * count > found[0][0]
    ]


def faults_of(model_type: str) -> Mapping[str, Fault]:
    """Return the faults that are injected into models of a class. Raises BadInput for a class without any.

    >>> "state-zero" in faults_of("mamba2"), OF_ATTENTION in faults_of("mamba2"), OF_ATTENTION in faults_of("olmo_hybrid")
    (True, False, True)
    """
    without_attention = {name: fault for name, fault in STATE_FAULTS.items() if name != OF_ATTENTION}
    known = {"llama": FAULTS, "mamba2": without_attention, **dict.fromkeys(WITH_BOTH, STATE_FAULTS)}
    if model_type not in known:
        raise BadInput(f"{model_type}: expected a class of a canary ({', '.join(known)}): others have no injected faults")
    return known[model_type]


def _conversations(report: CanaryReport) -> list[list[CanaryPrompt]]:
    """Return conversations with a wrong answer and without, from every scenario in turn."""
    wrong = {id(answer.prompt) for answer in report.wrong}
    queues: list[list[list[CanaryPrompt]]] = []
    for verdict in sorted(report, key=lambda verdict: (not verdict.wrong, verdict.scenario in DEAR)):
        groups: dict[int, list[CanaryPrompt]] = {}
        for prompt in verdict.asked:
            groups.setdefault(prompt.conversation, []).append(prompt)
        queues.append(sorted(groups.values(), key=lambda group: not any(id(prompt) in wrong for prompt in group)))
    return list(_in_turn([queue for queue in queues if queue]))[:CONVERSATIONS]


def _in_turn(queues: Sequence[Sequence[list[CanaryPrompt]]]) -> Iterator[list[CanaryPrompt]]:
    for number in range(max(map(len, queues), default=0)):
        yield from (queue[number] for queue in queues if number < len(queue))


def _is_alike(
    served: Serving, conversation: list[CanaryPrompt], report: CanaryReport, seen: dict[int, tuple[int, ...]]
) -> bool:
    """Return True if a server answers each prompt of a conversation as the engine did."""
    mine = {id(prompt) for prompt in conversation}
    scenario = next(verdict for verdict in report if verdict.scenario == conversation[0].scenario)
    for number in sorted({prompt.batch for prompt in conversation}):
        batch = [prompt for prompt in scenario.asked if prompt.batch == number]
        found = served.complete([prompt.prompt for prompt in batch], max(len(prompt.answers) for prompt in batch))
        for prompt, answers in zip(batch, found, strict=True):
            expected = seen.get(id(prompt), prompt.answers)
            if id(prompt) in mine and tuple(answers[: len(expected)]) != expected:
                return False
    return True
