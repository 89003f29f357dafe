"""The adapter of llama.cpp with one fault for each law, most of them in the memory of llama.cpp itself."""

from collections.abc import Sequence
from typing import Any

from seqsep.language_models.engines.with_llama import SEQUENCES, TO_THE_END, LlamaEngine, Place
from support.engines.tiny_gguf import WINDOW


class Faulty(LlamaEngine):
    """The parts that the faults are made of."""

    def forget_first(self, state: Place) -> Place:
        """Remove the first token from the memory of a sequence."""
        self.library.llama_memory_seq_rm(self._memory, state.sequence, 0, 1)
        return state


class WritesNaN(Faulty):
    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        logits, after = super().batch(tokens, states)
        logits[-1][-1, 0] = float("nan")
        return logits, after


class Scales(Faulty):
    """All paths give the same wrong logits."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        logits, after = super().batch(tokens, states)
        return [1.01 * rows for rows in logits], after


class LooksAhead(Faulty):
    """The first row is that of the last token."""

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Place]:
        logits, after = super().prefill(tokens)
        logits[0] = logits[-1]
        return logits, after


class DecodesWithoutFirst(Faulty):
    def decode(self, token: int, state: Place) -> tuple[Any, Place]:
        return super().decode(token, self.forget_first(state))


class NewCostsFirst(Faulty):
    """Each new sequence removes the first token of all others."""

    def _new(self) -> Place:
        for number in set(range(1, SEQUENCES)) - set(self._unused):
            self.forget_first(Place(number, 0))
        return super()._new()


class ExtendsWithoutFirst(Faulty):
    def extend(self, tokens: Sequence[int], state: Place) -> tuple[Any, Place]:
        return super().extend(tokens, self.forget_first(state) if len(tokens) > 1 else state)


class CropsFirst(Faulty):
    def crop(self, state: Place, count: int) -> Place:
        return self.forget_first(super().crop(state, count))


class DoesNotReset(Faulty):
    def reset(self, state: Place) -> Place:
        return state


class ForkCostsFirst(Faulty):
    """The sequence that is copied loses its first token."""

    def fork(self, state: Place) -> Place:
        other = super().fork(state)
        self.forget_first(state)
        return other


class ForksWithoutFirst(Faulty):
    def fork(self, state: Place) -> Place:
        other = self._new()
        self.library.llama_memory_seq_cp(self._memory, state.sequence, other.sequence, 1, TO_THE_END)
        return Place(other.sequence, state.length)


class LoadsWithoutFirst(Faulty):
    def load(self, data: bytes) -> Place:
        return self.forget_first(super().load(data))


class GeneratesAfterLess(Faulty):
    def generate(self, tokens: Sequence[int], count: int) -> tuple[list[int], Any]:
        return super().generate(tokens[1:], count)


class FaultInBatch(Faulty):
    """Some sequences of a batch lose their first token."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        ends = [len(row) + (0 if state is None else state.length) for row, state in zip(tokens, states, strict=True)]
        read = []
        for row, state, end in zip(tokens, states, ends, strict=True):
            loses = len(tokens) > 1 and self.loses(state, end, states, ends)
            if loses and state is not None:
                self.forget_first(state)
            read.append([(row[0] + 1) % self.vocabulary, *row[1:]] if loses and state is None else row)
        return super().batch(read, states)

    def loses(self, state: Place | None, end: int, states: Sequence[Place | None], ends: list[int]) -> bool:
        """All do."""
        return True


class ShortInBatch(FaultInBatch):
    """New sequences that are shorter than another one of the call."""

    def loses(self, state: Place | None, end: int, states: Sequence[Place | None], ends: list[int]) -> bool:
        return state is None and end < max(ends)


class NewWithRunning(FaultInBatch):
    """New sequences in a call with running ones."""

    def loses(self, state: Place | None, end: int, states: Sequence[Place | None], ends: list[int]) -> bool:
        return state is None and any(other is not None for other in states)


class ShortRunning(FaultInBatch):
    """Running sequences that are shorter than another one of the call."""

    def loses(self, state: Place | None, end: int, states: Sequence[Place | None], ends: list[int]) -> bool:
        return state is not None and end < max(ends)


class SortsBatch(Faulty):
    """The running sequences of a batch are read in the order of their numbers."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        running = [state for state in states if state is not None]
        if len(running) == len(states):
            return super().batch(tokens, sorted(running, key=lambda place: place.sequence))
        return super().batch(tokens, states)


class ForgetsOldest(Faulty):
    """Running sequences of a batch lose the oldest token that the window of the next one has."""

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        for state in states:
            if state is not None and len(tokens) > 1 and state.length >= WINDOW:
                oldest = state.length - WINDOW + 1
                self.library.llama_memory_seq_rm(self._memory, state.sequence, oldest, oldest + 1)
        return super().batch(tokens, states)


FAULTS: dict[str, type[LlamaEngine]] = {
    "finite numbers": WritesNaN,
    "one pass": Scales,
    "causal": LooksAhead,
    "token by token": DecodesWithoutFirst,
    "nothing kept between calls": NewCostsFirst,
    "in chunks": ExtendsWithoutFirst,
    "rolled back": CropsFirst,
    "reset": DoesNotReset,
    "state copied": ForkCostsFirst,
    "prefix shared": ForksWithoutFirst,
    "state as bytes": LoadsWithoutFirst,
    "generate": GeneratesAfterLess,
    "any batch": FaultInBatch,
    "padding on the left": ShortInBatch,
    "padding in chunks": NewWithRunning,
    "packed": ShortInBatch,
    "joined": ShortRunning,
    "rows reordered": SortsBatch,
    "window passed by one": ForgetsOldest,
}
"""By the law that finds it."""
