"""The oracle and the conversations of canaries that walk: every decoded token reads the state and changes it.

A walk goes from key to key. Each key has a next key and a letter, q or r.
* At first the next key of an even key is 0, that of an odd key is 12, and the letter is r.
* Let the token before be k_h, q_h or r_h. Then w_j makes j the next key of h, V0 makes it 6, V1 makes it 18, and q_i and r_i
  make it i + 1 modulo 24.
* V1 right after k_h also gives h the letter q, and V0 the letter r. A key gets its letter at most once.
* q_i and r_i are steps. The answer is the letter of i with the next key of i, both read after the writing. So the next decoded
  token is a step again.
* Every other token is answered with ACK.

A walk comes back to the keys 0 and 12 often. So if one write is lost, decoding soon goes another way.
"""

import numpy as np

from seqsep.theorems.canary.conversations import NOISE
from seqsep.theorems.canary.vocabulary import (
    ACK,
    BOS,
    FILLER,
    FIRST_FINE,
    FIRST_KEY,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LAST,
    PAD,
    V0,
    V1,
    key_of,
)

STEPS = range(FIRST_QUESTION, FIRST_FINE)
"""The tokens q_i and r_i."""
LETTERS = {V0: FIRST_RECALL, V1: FIRST_QUESTION}
"""The first token of the letter that a value gives."""
TARGETS = {V0: KEYS // 4, V1: 3 * KEYS // 4}
"""The next key that a value writes: not a first next key, so a value that is lost shows."""
LONGEST_WALK = 12
RULES = """* Every key has a next key and a letter. At first the next key of an even key is 0, that of an odd key is 12, and
  the letter is `r`.
* `k3 w7` makes 7 the next key of key 3. `k3 v0` makes it 6 and gives the letter `r`. `k3 v1` makes it 18 and gives
  the letter `q`. A key gets its letter at most once.
* `q3` and `r3` are steps: the answer is the letter and the next key of key 3.
* A step after `q3`, `r3` or `k3` first changes the next key of key 3: after `q3 r5` it is 6, after `q3 r23` it is 0. `w7`, `v0`
  and `v1` after a step change it too.
* So decoding after a step walks: each token is read, changes the state, and is answered with the next step.
* After every other token comes `ack`.
* `leak` is never right: it shows padding that was read."""
"""The meaning of each token, as Markdown."""


def first_next(key: int) -> int:
    """Return the next key before any is written.

    >>> first_next(4), first_next(5)
    (0, 12)
    """
    return KEYS // 2 * (key % 2)


def held_key(token: int) -> int | None:
    """Return the key whose next key the token after this one may write, or None.

    >>> held_key(FIRST_KEY + 3), held_key(FIRST_RECALL + 3), held_key(ACK)
    (3, 3, None)
    """
    return (token - FIRST_KEY) % KEYS if FIRST_KEY <= token < FIRST_FINE else None


def target(token: int) -> int | None:
    """Return the next key that a token writes, or None.

    >>> target(FIRST_FINE + 3), target(V1), target(FIRST_QUESTION + 23), target(ACK)
    (3, 18, 0, None)
    """
    if token in TARGETS:
        return TARGETS[token]
    if token in STEPS:
        return ((token - FIRST_QUESTION) % KEYS + 1) % KEYS
    return token - FIRST_FINE if FIRST_FINE <= token < LAST else None


class WalkOracle:
    """The answers to one conversation, token by token.

    >>> oracle = WalkOracle()
    >>> answers = [oracle.read(token) for token in (BOS, FIRST_KEY + 2, V1, FIRST_RECALL + 2)]
    >>> answers == [ACK, ACK, ACK, FIRST_QUESTION + 18]
    True
    """

    def __init__(self) -> None:
        self._before: int | None = None
        self._next: dict[int, int] = {}
        self._letters: dict[int, int] = {}

    def read(self, token: int) -> int:
        """Read the next token and return the answer to it.

        Raises ValueError for a conversation outside the statement: no BOS at the start, a later BOS, a PAD, or a key with two
        letters.
        """
        before, self._before = self._before, token
        if (token == BOS) != (before is None) or token == PAD:
            raise ValueError(f"canary: expected one BOS, first, and no PAD; found token {token}")
        if before is not None:
            self._write(before, token)
        if token not in STEPS:
            return ACK
        key = (token - FIRST_QUESTION) % KEYS
        return self._letters.get(key, FIRST_RECALL) + self._next.get(key, first_next(key))

    def _write(self, before: int, token: int) -> None:
        key = held_key(before)
        goal = target(token)
        if key is not None and goal is not None:
            self._next[key] = goal
        named = key_of(before)
        if token in LETTERS and named is not None:
            if named in self._letters:
                raise ValueError(f"canary: key k{named} gets a second letter")
            self._letters[named] = LETTERS[token]


def walk_conversation(length: int, random: np.random.Generator) -> list[int]:
    """Draw a conversation: keys with letters and next keys, walks as they are decoded, single steps, and other tokens.

    Arguments:
        length: tokens, BOS included.
        random: the generator.

    >>> len(walk_conversation(100, np.random.default_rng(0)))
    100
    """
    unlettered = random.permutation(KEYS).tolist()
    oracle = WalkOracle()
    tokens: list[int] = []

    def say(*said: int) -> int:
        tokens.extend(said)
        return [oracle.read(token) for token in said][-1]

    say(BOS)
    while len(tokens) < length:
        kind = random.random()
        if kind < 0.1 and unlettered:
            say(FIRST_KEY + unlettered.pop(), int(random.choice(list(LETTERS))))
        elif kind < 0.25:
            say(FIRST_KEY + int(random.integers(KEYS)), FIRST_FINE + int(random.integers(KEYS)))
        elif kind < 0.6:
            answer = say(int(random.choice(STEPS)))
            for _ in range(int(random.integers(LONGEST_WALK))):
                answer = say(answer)
        elif kind < 0.9:
            token = int(random.choice(NOISE))
            say(FILLER if token in LETTERS and key_of(tokens[-1]) is not None else token)
        else:
            say(int(random.integers(FIRST_KEY, LAST + 1)))
    return tokens[:length]
