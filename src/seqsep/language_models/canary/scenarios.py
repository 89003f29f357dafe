"""Prompts that put a fact and the question about it on two sides of every border that a serving engine has.

Every prompt is decoded greedily. First comes the answer to its last question. With the Llama canary, every second step then
gives the bit of the token 63 places back. So a decoded token depends on the positions and on the cache of the prompt.

A border is a multiple of 256, so it is also a border of all blocks and chunks whose size divides 256. Decoding begins at most
40 tokens after it: what moves the tokens before the border against those after it moves what decoding reads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from seqsep.core.names import choose
from seqsep.language_models.canary.questions import canary_words
from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import BOS, FIRST_KEY, KEYS, WORDS

BLOCK = 256
"""The largest size of blocks for which all scenarios have borders."""
SMALLEST_BLOCK = 16
"""The smallest size of blocks for which a pair and its question are in neighbouring blocks."""
AFTER = 36
"""The most tokens between a border and the question, a pair aside."""
DECODED = 24
DECODED_LONG = 140
"""More than twice the 63 places that the Llama canary looks back: it reads what it has decoded."""
SHORTEST = 80
LONG_ANSWERS = ("decoding", "crowded")


@dataclass(frozen=True)
class CanaryPrompt:
    """A prompt with the tokens that greedy decoding must give.

    Fields:
        scenario: name of the scenario.
        batch: prompts of one batch are sent together, and batches one after the other.
        prompt: tokens, BOS first.
        answers: the next tokens.
        conversation: prompts of one conversation belong together, such as a prompt and its twin.
        words: the word of each token, by its number.
    """

    scenario: str
    batch: int
    prompt: tuple[int, ...]
    answers: tuple[int, ...]
    conversation: int = 0
    words: Sequence[str] = WORDS


class PromptWriter:
    """Writes prompts of one canary with random contents.

    Arguments:
        canary: the canary.
        seed: random seed, one number or several.

    >>> from seqsep.theorems.canary import CANARIES
    >>> writer = PromptWriter(CANARIES["llama"], seed=0)
    >>> asked = writer.asked("one", 0, writer.tokens(100, {16: (3, 1)}), key=3)
    >>> asked.answers[:2]
    (7, 11)
    """

    def __init__(self, canary: Canary, seed: int | Sequence[int]) -> None:
        self.canary = canary
        self.words = canary_words(canary.name)
        self.random = np.random.default_rng(seed)

    def tokens(self, length: int, pairs: Mapping[int, tuple[int, int]]) -> list[int]:
        """Return BOS and random tokens, with pairs at given places: place of the key -> (key, bit)."""
        tokens = [BOS, *self.noise(length - 1)]
        for place, (key, bit) in pairs.items():
            tokens[place : place + 2] = [FIRST_KEY + key, self.words.values[bit]]
        return tokens

    def noise(self, count: int) -> list[int]:
        """Draw tokens that may be anywhere."""
        return [int(token) for token in self.random.choice(self.words.noise, size=count)]

    def keys(self, count: int) -> list[int]:
        """Draw different keys."""
        return [int(key) for key in self.random.permutation(KEYS)[:count]]

    def near_keys(self) -> tuple[int, int]:
        """Draw two keys whose numbers differ in one binary digit, so that their codes differ in one sign."""
        [key] = self.keys(1)
        return key, key ^ 1

    def bit(self) -> int:
        """Draw a bit."""
        return int(self.random.integers(2))

    def count(self, least: int, below: int) -> int:
        """Draw a number."""
        return int(self.random.integers(least, below))

    def asked(self, scenario: str, conversation: int, tokens: list[int], key: int) -> CanaryPrompt:
        """Return the prompt with a question about a key at its end, in a batch of its own.

        Arguments:
            scenario: name of the scenario; those of LONG_ANSWERS have more answers.
            conversation: number of the conversation.
            tokens: the tokens before the question.
            key: the key.
        """
        prompt = [*tokens, self.words.question(key)]
        answers = self.canary.continued(prompt, DECODED_LONG if scenario in LONG_ANSWERS else DECODED)
        words = self.canary.words
        return CanaryPrompt(scenario, conversation, tuple(prompt), tuple(answers), conversation=conversation, words=words)


def one(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """One prompt at a time: four keys, and a question about one of them or about another one."""
    for number in range(count):
        yield _plain(writer, "one", number, writer.count(SHORTEST, 300))


def together(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """All prompts at once, of different lengths: padding, and rows that are exchanged, show.

    Four prompts are a conversation, the shortest one first.
    """
    for number in range(count):
        length = writer.count(*((SHORTEST, 120), (250, 300), (SHORTEST, 300), (SHORTEST, 300))[number % 4])
        yield replace(_plain(writer, "together", number // 4, length), batch=0)


def decoding(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Many tokens are decoded: later ones depend on earlier ones."""
    for number in range(count):
        yield _plain(writer, "decoding", number, writer.count(SHORTEST, 300))


def borders(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A key is the last token of a block and its value the first of the next block; the question is in this block.

    After the value comes the other value, so that the answer changes if the key and its value are exchanged.
    """
    for number in range(count):
        border = BLOCK * writer.count(1, 4)
        [key] = writer.keys(1)
        bit = writer.bit()
        tokens = writer.tokens(border + 2 + writer.count(0, SMALLEST_BLOCK - 3), {border - 1: (key, bit)})
        tokens[border + 1] = writer.words.values[1 - bit]
        yield writer.asked("borders", number, tokens, key)


def again(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Each prompt twice, one after the other: a cache of prefixes answers the second time."""
    for number in range(count // 2):
        prompt = _plain(writer, "again", number, writer.count(BLOCK + 4, 2 * BLOCK))
        yield prompt
        yield replace(prompt, batch=count + number)


def twins(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Two prompts that differ only in the last token of a block, one after the other: a cache that mixes them up shows.

    The last token is a value, or a key whose value begins the next block.
    """
    for number in range(count // 2):
        border = BLOCK * writer.count(1, 3)
        first, second = writer.keys(2)
        ends_in_key = bool(number % 2)
        place = border - 1 if ends_in_key else border - 2
        bit = writer.bit()
        tokens = writer.tokens(border + 2 + writer.count(0, AFTER), {place: (first, bit)})
        other = list(tokens)
        other[border - 1] = FIRST_KEY + second if ends_in_key else writer.words.values[1 - bit]
        for turn, twin in enumerate((tokens, other)):
            yield replace(writer.asked("twins", number, twin, first), batch=2 * number + turn)


def parents(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Three prompts of two blocks: A and B, then C and D, then C and B. A cache that forgets what is before B shows.

    A ends in a key, C in another one, and the value is the first token of B. The last question is about the key of A.
    """
    for number in range(count // 3):
        first, second = writer.keys(2)
        a = writer.tokens(BLOCK, {BLOCK - 1: (first, 0)})[:BLOCK]
        c = [*a[:-1], FIRST_KEY + second]
        b, d = ([writer.words.values[bit], *writer.noise(BLOCK - 1)] for bit in (writer.bit(), writer.bit()))
        after = writer.noise(writer.count(1, AFTER))
        for turn, (tokens, key) in enumerate((([*a, *b], first), ([*c, *d], second), ([*c, *b], first))):
            yield replace(writer.asked("parents", number, [*tokens, *after], key), batch=3 * number + turn)


def turns(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A chat: each prompt is the one before with its answers and new tokens, and asks for a key of the first turn."""
    for number in range(count // 4):
        chat = writer.keys(4)
        prompt: tuple[int, ...] = ()
        for turn in range(4):
            if turn == 0:
                pairs = {place: (key, writer.bit()) for place, key in zip((5, 15, 40, 63), chat, strict=True)}
                tokens = writer.tokens(writer.count(SHORTEST, 160), pairs)
            else:
                tokens = [*prompt, *writer.noise(writer.count(1, 40))]
            asked = replace(writer.asked("turns", number, tokens, chat[turn]), batch=4 * number + turn)
            yield asked
            prompt = asked.prompt + asked.answers


def absent(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """A prompt writes a key, and the next one asks for it without having written it: what another request left shows.

    The second prompt has written another key, whose code differs in one sign.
    """
    for number in range(count // 2):
        key, other = writer.near_keys()
        length = writer.count(SHORTEST, 300)
        for turn, written in enumerate((key, other)):
            tokens = writer.tokens(length, {20: (written, writer.bit())})
            yield replace(writer.asked("absent", number, tokens, key), batch=2 * number + turn)


def long(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """Prompts of about 4,000 tokens with the pairs far from the question, and across borders of large blocks."""
    for number in range(count):
        keys = writer.keys(4)
        pairs = {place: (key, writer.bit()) for place, key in zip((1, 1023, 1151, 2047), keys, strict=True)}
        tokens = writer.tokens(3_900 + writer.count(0, 100), pairs)
        yield writer.asked("long", number, tokens, keys[number % len(keys)])


def crowded(writer: PromptWriter, count: int) -> Iterator[CanaryPrompt]:
    """All prompts at once, longer ones with long answers: a server whose cache is too small for all preempts some of them."""
    for number in range(count):
        yield replace(_plain(writer, "crowded", number, writer.count(300, 500)), batch=0)


def _plain(writer: PromptWriter, scenario: str, conversation: int, length: int) -> CanaryPrompt:
    *keys, missing = writer.keys(5)
    places = writer.random.permutation(np.arange(1, length - 2, 2))[: len(keys)].tolist()
    pairs = {place: (key, writer.bit()) for place, key in zip(places, keys, strict=True)}
    asks = missing if writer.random.random() < 0.2 else keys[0]
    return writer.asked(scenario, conversation, writer.tokens(length, pairs), asks)


Scenario = Callable[[PromptWriter, int], Iterator[CanaryPrompt]]
SCENARIOS: Mapping[str, tuple[Scenario, int]] = {
    "one": (one, 20),
    "together": (together, 64),
    "decoding": (decoding, 10),
    "borders": (borders, 24),
    "again": (again, 20),
    "twins": (twins, 24),
    "parents": (parents, 24),
    "turns": (turns, 32),
    "absent": (absent, 24),
    "long": (long, 4),
    "crowded": (crowded, 48),
}
"""Name -> the scenario and the number of its prompts."""


def chosen_scenarios(names: Sequence[str]) -> list[str]:
    """Return the names of scenarios, all if none is given. Raises BadInput for an unknown one.

    >>> chosen_scenarios(["twins"])
    ['twins']
    """
    return [choose("scenario", name, list(SCENARIOS)) for name in names] or list(SCENARIOS)


def prompts(canary: Canary, seed: int = 0, scenarios: Sequence[str] = ()) -> Iterator[CanaryPrompt]:
    """Yield the prompts of scenarios, in order.

    Arguments:
        canary: the canary that is asked.
        seed: random seed; the same seed gives the same prompts.
        scenarios: names of scenarios, by default all.

    >>> from seqsep.theorems.canary import CANARIES
    >>> next(prompts(CANARIES["llama"])).scenario
    'one'
    """
    for number, (name, (scenario, count)) in enumerate(SCENARIOS.items()):
        if name in scenarios or not scenarios:
            yield from scenario(PromptWriter(canary, (seed, number)), count)
