"""Prompts that put a fact and the question about it on two sides of every border that a serving engine has.

Every prompt is decoded greedily. First comes the answer to its last question, and then at every second step the bit of the
token 63 places back. So a decoded token depends on the positions and on the cache of the prompt.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import A0, A1, BOS, FILLER, FIRST_KEY, FIRST_QUESTION, KEYS, V0, V1

BLOCKS = (16, 64, 256)
"""Sizes of the blocks that engines cache prefixes and read prompts in."""
DECODED = 24
SHORTEST = 80


@dataclass(frozen=True)
class CanaryPrompt:
    """A prompt with the tokens that greedy decoding must give.

    Fields:
        scenario: name of the scenario.
        batch: prompts of one batch are sent together, and batches one after the other.
        prompt: tokens, BOS first.
        answers: the next tokens.
    """

    scenario: str
    batch: int
    prompt: tuple[int, ...]
    answers: tuple[int, ...]


class PromptWriter:
    """Writes prompts of one canary with random contents.

    Arguments:
        canary: the canary.
        seed: random seed.

    >>> from seqsep.theorems.canary import CANARIES
    >>> writer = PromptWriter(CANARIES["llama"], seed=0)
    >>> asked = writer.asked("one", 0, writer.tokens(100, {16: (3, 1)}), key=3)
    >>> asked.answers[:2]
    (7, 11)
    """

    def __init__(self, canary: Canary, seed: int) -> None:
        self.canary = canary
        self.random = np.random.default_rng(seed)

    def tokens(self, length: int, pairs: Mapping[int, tuple[int, int]]) -> list[int]:
        """Return BOS and random bits, with pairs at given places: place of the key -> (key, bit)."""
        tokens = [BOS, *self.random.choice([V0, V1, A0, A1, FILLER], size=length - 1).tolist()]
        for place, (key, bit) in pairs.items():
            tokens[place : place + 2] = [FIRST_KEY + key, V1 if bit else V0]
        return tokens

    def keys(self, count: int) -> list[int]:
        """Draw different keys."""
        return [int(key) for key in self.random.permutation(KEYS)[:count]]

    def bit(self) -> int:
        """Draw a bit."""
        return int(self.random.integers(2))

    def length(self, longest: int = 300) -> int:
        """Draw a length."""
        return int(self.random.integers(SHORTEST, longest))

    def asked(self, scenario: str, batch: int, tokens: list[int], key: int) -> CanaryPrompt:
        """Return the prompt with a question about a key at its end."""
        prompt = [*tokens, FIRST_QUESTION + key]
        return CanaryPrompt(scenario, batch, tuple(prompt), tuple(self.canary.continued(prompt, DECODED)))


def one(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """One prompt at a time: four keys, and a question about one of them or about another one."""
    for number in range(count):
        yield _plain(writer, "one", number)


def together(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """All prompts at once, of different lengths: padding, and rows that are exchanged, show."""
    for _ in range(count):
        yield _plain(writer, "together", 0)


def borders(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A key is the last token of a block and its value the first of the next block; the question comes later."""
    for number in range(count):
        size = BLOCKS[number % len(BLOCKS)]
        border = size * int(writer.random.integers(1, 1 + max(1, 256 // size)))
        [key] = writer.keys(1)
        tokens = writer.tokens(max(SHORTEST, border + 2 + int(writer.random.integers(70))), {border - 1: (key, writer.bit())})
        yield writer.asked("borders", number // 8, tokens, key)


def twins(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Two prompts that differ only in the last token of a block, one after the other: a cache that mixes them up shows.

    The last token is a value, or a key whose value begins the next block.
    """
    for number in range(0, count - 1, 2):
        size = BLOCKS[(number // 2) % len(BLOCKS)]
        border = size * max(1, 128 // size)
        first, second = writer.keys(2)
        ends_in_key = bool(number // 2 // len(BLOCKS) % 2)
        place = border - 1 if ends_in_key else border - 2
        bit = writer.bit()
        tokens = writer.tokens(border + 40, {place: (first, bit)})
        other = list(tokens)
        other[border - 1] = FIRST_KEY + second if ends_in_key else {V0: V1, V1: V0}[tokens[border - 1]]
        for turn, twin in enumerate((tokens, other)):
            yield writer.asked("twins", number + turn, twin, first)


def turns(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A chat: each prompt is the one before with its answers and new tokens, and asks for a key of the first turn."""
    while count > 0:
        chat = writer.keys(4)
        prompt: tuple[int, ...] = ()
        for turn in range(min(4, count)):
            if turn == 0:
                pairs = {place: (key, writer.bit()) for place, key in zip((5, 15, 40, 63), chat, strict=True)}
                asked = writer.asked("turns", turn, writer.tokens(writer.length(160), pairs), chat[0])
            else:
                new = writer.tokens(int(writer.random.integers(2, 40)), {})[1:]
                asked = writer.asked("turns", turn, [*prompt, *new], chat[turn])
            yield asked
            prompt = asked.prompt + asked.answers
        count -= 4


def absent(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A prompt writes a key, and the next one asks for it without having written it: what another request left shows."""
    for number in range(0, count - 1, 2):
        key, other = writer.keys(2)
        length = writer.length()
        yield writer.asked("absent", number, writer.tokens(length, {20: (key, writer.bit())}), key)
        yield writer.asked("absent", number + 1, writer.tokens(length, {20: (other, writer.bit())}), key)


def long(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Prompts of about 4,000 tokens with the pairs far from the question."""
    for number in range(count):
        keys = writer.keys(4)
        pairs = {place: (key, writer.bit()) for place, key in zip((1, 255, 1023, 2047), keys, strict=True)}
        tokens = writer.tokens(3_900 + int(writer.random.integers(100)), pairs)
        yield writer.asked("long", number // 2, tokens, keys[number % len(keys)])


def _plain(writer: PromptWriter, scenario: str, batch: int) -> CanaryPrompt:
    length = writer.length()
    *keys, missing = writer.keys(5)
    places = writer.random.permutation(np.arange(1, length - 2, 2))[: len(keys)].tolist()
    pairs = {place: (key, writer.bit()) for place, key in zip(places, keys, strict=True)}
    return writer.asked(scenario, batch, writer.tokens(length, pairs), missing if writer.random.random() < 0.2 else keys[0])


Scenario = Callable[[PromptWriter, int], Iterator[CanaryPrompt]]
SCENARIOS: Mapping[str, tuple[Scenario, int]] = {
    "one": (one, 20),
    "together": (together, 64),
    "borders": (borders, 48),
    "twins": (twins, 48),
    "turns": (turns, 32),
    "absent": (absent, 24),
    "long": (long, 4),
}
"""Name -> the scenario and the number of its prompts."""


def prompts(canary: Canary, seed: int = 0) -> Iterator[CanaryPrompt]:
    """Yield the prompts of all scenarios, in order.

    Arguments:
        canary: the canary that is asked.
        seed: random seed; the same seed gives the same prompts.

    >>> from seqsep.theorems.canary import CANARIES
    >>> next(prompts(CANARIES["llama"])).scenario
    'one'
    """
    for number, (scenario, count) in enumerate(SCENARIOS.values()):
        yield from scenario(PromptWriter(canary, seed + number), count)
