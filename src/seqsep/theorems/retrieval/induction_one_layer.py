"""For induction over n tokens, one attention layer with exact weights needs a width that grows almost linearly in n.

In the induction task a model reads n tokens and then one last token q. It answers with the token that follows the latest q
among the n tokens.

The layer has H heads, and the value of each head has m coordinates. Each coordinate of a head's output is rounded to p bits.
There are S different tokens, called symbols. The bound says that m H (p + log n) grows at least as fast as n. In the
statement, cells(m, T) is the largest number of parts into which m T hyperplanes can divide a space of m + 1 dimensions.

Idea. Two parties, Alice and Bob, share the n tokens. Bob also knows q. If the layer answers correctly, Bob can learn each of
Alice's tokens from it. So enough bits about Alice's tokens must pass through the layer.

Source: the idea is that of Sanford, Hsu, Telgarsky 2024 (arXiv:2408.14332): one party has every second token, and the other
puts the queried symbol in front of one of them.

We differ: the statement, its constants and the proof are our own. The paper's text was not at hand, so nothing here is
compared with it. `retrieval-one-layer` uses the same inputs of Alice and Bob for recall. There, numbers are rounded to
multiples of 1/L, and the answer is the symbol after the first occurrence. Here, any monotone rounding to p bits is allowed: if
x <= y, the rounded x is at most the rounded y. A run here also sends the message and counts its bits.

The task. The tokens are s_1 .. s_n over S symbols, then q. The answer is the symbol after the latest q among s_1 .. s_(n-1).
The task has only inputs that contain such a q.

The layer. In each head, every position has a score and a value. They are any functions of its token, its place and the last
token. The head's output is the mean of the values weighted by e^score. The answer is any function of the heads' outputs and of
the last token. Attention weights and sums are exact, which means not rounded. Each coordinate of a mean is rounded once, to
one of 2^p numbers.

Proof, the inputs. Fix the last token q. Alice chooses the symbols at the even places; they are any symbols except q. Bob
chooses the symbols at the odd places. One of them is q. All others are copies of a second symbol, which is fixed. Bob's q is
directly before one of the floor(n/2) even places. So Bob has B = floor(n/2) inputs, one for each even place. The answer is
Alice's symbol after Bob's q. Alice has (S - 1)^B inputs. For any two of them, some input of Bob leads to two different
answers.

Proof, the message. In one head, Alice's places contribute a sum of weights and m sums of weighted values. These sums are one
point in a space of m + 1 dimensions. Let cells(m, T) be the largest number of parts into which m T hyperplanes divide this
space. Each input of Bob and each threshold of the rounding gives one hyperplane for each coordinate of the mean. The part that
contains Alice's point decides the rounded means for every input of Bob. There are at most cells(m, (2^p - 1) B) parts
(`retrieval-one-layer`). So H numbers, one for the part in each head, distinguish all inputs of Alice. It follows that H log2
cells(m, (2^p - 1) B) is at least B log2(S - 1).

Scope. This proof needs exact weights and sums. If sums are rounded at each step, they mix the tokens of both parties, because
Alice's places are between Bob's. Rounding can also help a layer: with rounding, one layer answers counting, which it cannot do
with exact weights (`counting-one-layer`). So this proof says nothing about layers that add one token after another and round
each sum to p bits.
"""

from dataclasses import replace

import numpy as np

from seqsep.maths.communication.one_layer_message import exact_bits, induction_bites_from, induction_bits, least_width
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.options import AlphabetFrom3, Heads, LengthFrom2, Precision, Seed
from seqsep.theorems.retrieval import one_layer
from seqsep.theorems.retrieval._one_layer_trials import conversations

CLAIM = Claim(
    name="induction-one-layer",
    source="Sanford, Hsu, Telgarsky 2024 (arXiv:2408.14332), induction heads by one layer",
    statement=(
        "If one attention layer with exact attention weights and head outputs of p bits does induction over n tokens of S "
        "symbols, then H log2 cells(m, (2^p - 1) floor(n/2)) >= floor(n/2) log2(S - 1)"
    ),
)
SYMBOLS = 4
LONGEST = 6
LAYERS = 3
LONG_LAYERS = 60


def answer(tokens: tuple[int, ...]) -> int:
    """The symbol after the latest earlier occurrence of the last token. Raises ValueError if it occurs nowhere before one.

    >>> answer((1, 2, 0, 1, 3, 0, 1))
    3
    """
    last = tokens[-1]
    places = [place for place in range(len(tokens) - 2) if tokens[place] == last]
    if not places:
        raise ValueError(f"answer({tokens}): nothing is asked, as {last} stands before no other of the first tokens")
    return tokens[places[-1] + 1]


def share(length: int, alphabet: int) -> one_layer.Shared:
    """The shares of the proof, for n = `length` tokens before q; q is the last symbol, and Bob's other one 0.

    Raises ValueError for fewer than 2 tokens or 3 symbols.

    >>> shared = share(4, alphabet=3)
    >>> shared.whole({1: 0, 3: 1}, question=1), shared.answers(shared.whole({1: 0, 3: 1}, question=1))
    ((0, 0, 2, 1, 2), 1)
    """
    if length < 2 or alphabet < 3:
        raise ValueError(f"share(length={length}, alphabet={alphabet}): at least 2 tokens and 3 symbols")
    return replace(one_layer.share("recall", length, alphabet), answers=answer)


def bound(length: LengthFrom2, alphabet: AlphabetFrom3 = 64, heads: Heads = 1, precision: Precision = 16) -> dict[str, Number]:
    """Find the least m for n = `length` tokens before the question, and the bits that are needed.

    >>> bound(length=1024, alphabet=64, heads=8, precision=16)
    {'message_bits': 3061, 'least_width': 14}
    """
    needed = induction_bits(length, alphabet)
    return {
        "message_bits": needed,
        "least_width": least_width(needed, lambda width: exact_bits(heads, width, precision, length // 2)),
    }


def first_impossible(width: int, heads: int = 1, precision: int = 16, alphabet: int = 64) -> int:
    """The least n from which no layer of these sizes does induction heads over S = `alphabet` symbols.

    >>> first_impossible(width=128, heads=32, precision=16, alphabet=64)
    43948
    """
    return induction_bites_from(lambda questions: exact_bits(heads, width, precision, questions), alphabet)


def check(
    length: LengthFrom2 = 1024, alphabet: AlphabetFrom3 = 64, heads: Heads = 1, precision: Precision = 16, seed: Seed = 0
) -> list[Outcome]:
    """Run the protocol on random layers at small sizes, then give the least m for n = `length`, H = `heads` and p bits.

    Raises ValueError for fewer than 2 tokens or 3 symbols, or numbers below 1; TheoremFails with an input on which Bob's answer
    is not the layer's.
    """
    if length < 2 or alphabet < 3 or min(heads, precision) < 1:
        raise ValueError(
            f"check(length={length}, alphabet={alphabet}, heads={heads}, precision={precision}): at least 2 tokens and 3 "
            "symbols, the others at least 1"
        )
    random = np.random.default_rng(seed)
    sizes = bound(length, alphabet, heads, precision)
    width = int(sizes["least_width"]) - 1
    computed = CLAIM.lower(
        length=length,
        inputs=1,
        computed=True,
        measured={"message_bits": exact_bits(heads, width, precision, length // 2) if width else 0, "least_width": width + 1},
        bound=sizes,
        variant=f"S = {alphabet}, H = {heads}, p = {precision}: message of the widest layer excluded, m = {width}",
    )
    return [_check_run(random, LONGEST, LAYERS), computed]


def verify(layers: int = LONG_LAYERS, seed: int = 0) -> list[Outcome]:
    """Run the protocol on `layers` layers at each length from 2 to 7, on all inputs over 4 symbols."""
    random = np.random.default_rng(seed)
    return [_check_run(random, length, layers) for length in range(2, LONGEST + 2)]


def _check_run(random: np.random.Generator, length: int, layers: int) -> Outcome:
    """Run the protocol on layers of exact weights."""
    return conversations(CLAIM, random, [share(length, SYMBOLS)] * layers, variant=f"random layers, S = {SYMBOLS}")


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run takes random layers with exact weights. For every input, it computes a message from Alice's tokens. It "
    "shows that this message determines every answer of the layer, and that it has at most H log2 cells(..) bits. If two of "
    "Alice's inputs lead to the same message, the run shows an input that the layer answers wrongly.",
    not_shown="This does not show that every layer obeys the bound. It shows nothing about sizes that a run does not test. "
    "The proof covers both.",
    bound=bound,
    verify=verify,
    nothing_to_apply="a lower bound; recall-attention answers with two layers",
    nothing_to_certify="Alice and Bob have the same places as for recall of bigrams, which the certificate of "
    "retrieval-one-layer covers",
)
