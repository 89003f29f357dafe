"""For every split of the positions, two parties compute the answer of a one-layer attention model by exchanging few bits.

This is the tool for lower bounds on one layer. If a function needs many bits of communication, then a one-layer model that
computes it must be large. The parties exchange about 3 m (p + log N) H bits in all, for H heads of m coordinates and numbers
of p bits.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 4 and appendix D. There are N tokens of S kinds, and H heads whose
values have m coordinates. Embeddings have d coordinates (the width in the paper is max(m, d)), and numbers have p bits.

We differ:
* Every number is sent in exactly the bits that it needs.
* The vector x_N of the last position is sent once, not once for each head.
* There are three variants. The paper states a total, and the steps of its own variant cost more than this.
* The token may be sent in place of x_N. Then the number d of coordinates of x_N does not matter.

The two parties. Alice has some positions and Bob has the others. Both know the network, with its embeddings and positions, and
which party has which position. The asker is the party with position N. The grid is {i/L : |i| <= L^2}, with p = bit_length(2
L^2). They send the following, and each step has its cost in bits:
1. question: the asker sends x_N, d p bits, or the token at position N, ceil(log2 S) bits.
2. maxima: the greatest score of each head, 2 p H bits.
3. normalisers: the sum of the exponentials of each head, 2 bit_length(N L) H bits.
4. value_sums: the sums of weights times values, m H numbers of bit_length(2 W L^2) bits. The sum of all weights is at most W
   steps of 1/L. In `both-exchange`, the variant of the paper, each party sends its own sums. In `one-learns` only the asker
   gets the other's.
5. answer (`one-learns-and-sends`): the class of the greatest logit, ceil(log2 C) bits for C classes, from the asker.

Steps 1 to 4 are those of appendix D. The bits of each number are in `one_layer_ledger`. A signed number i is sent as i plus
its greatest magnitude.

Why it is right. The softmax is stepwise: subtract the maximum, round each exponential, divide by their exact sum, round. A
party with x_N and all value sums has the output of the attention at N. It computes the rest by itself: W_O, the residual, the
feed-forward part, the read-out, or any function. So it has the logits of the forward pass, bit for bit. Four details:
* *Masks* do not matter, as position N sees all positions. If a score, a value or x saturates, it does so in the computation of
  one party, as in the forward pass.
* *Sums that saturate* could depend on the order of summands, and so on the partition. But Z, the sum of exponentials, is an
  exact whole number, which need not be on the grid. A value sum is rounded only once, after both parts are added. It saturates
  only in this rounding, and only with `nearest`.
* *With softmax="once"* the weights are exp(A_i) / sum of exp(A_j), rounded once. A party's share of the sum is irrational. No
  number of p + log N bits is equal to it, and weights from rounded shares may differ. `reduce` refuses such a grid.
* *The total in the paper*, 3 m (p + log2 N) H, is less than these steps cost in most cases. `printed` says for which sizes the
  total is enough.

Lower bounds. Suppose that for some partition D bits are needed until both parties know the value of f. A fooling set or the
rank of the matrix of f can show this. Then D is at most the total of `one-learns-and-sends`, for each one-layer model that
computes f. `least_width` gives the least m for which this is true, and `least_width_heads` the least m H.

The proof continues at `_one_layer_parties.OneLayerParty.last`, `_one_layer_parties.OneLayerParty.maxima`,
`_one_layer_parties.OneLayerParty.normalisers`, `_one_layer_parties.OneLayerParty.value_sums` and
`_one_layer_parties.OneLayerParty.answer`.
"""

import math
from collections.abc import Collection
from itertools import product
from typing import Annotated

import numpy as np

from seqsep.core.names import narrowed
from seqsep.core.options import OneOf
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.channel import meet
from seqsep.maths.networks.network import AttentionLayer, GatedFeedForward, Network
from seqsep.theorems.base import Choice, Claim, Erratum, Outcome, Theorem, TheoremFails
from seqsep.theorems.options import Embedding, Exponent, Heads, Length, Seed, Width
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols._one_layer_parties import Learned, converse, vocabulary
from seqsep.theorems.protocols.one_layer_ledger import (
    QUESTIONS,
    VARIANTS,
    Needed,
    Question,
    Variant,
    least_width,
    least_width_heads,
    message_bits,
    printed,
    printed_steps,
)

__all__ = [
    "QUESTIONS",
    "THEOREM",
    "VARIANTS",
    "Needed",
    "check",
    "converse",
    "least_width",
    "least_width_heads",
    "message_bits",
    "message_bits_of",
    "printed",
    "printed_steps",
    "reduce",
    "talk",
    "verify",
]

SharedQuestion = Annotated[str, OneOf(*QUESTIONS), "What the second layer reads: a vector or a token; by default each."]
ProtocolVariant = Annotated[str, OneOf(*VARIANTS), "Which party learns the answer; by default each."]

CLAIM = Claim(
    name="one-layer-protocol",
    source="Bhattamishra et al. 2024, Theorem 4",
    statement="Two parties that each have some positions of the input compute a one-layer attention model's answer by sending "
    "few bits",
)
PAIRS = 8
LONG_PAIRS = 7_500


def require(network: Network, length: int, alice: Collection[int], variant: str, question: str) -> None:
    """Raise ValueError unless the network is one attention layer with stepwise softmax, and the other arguments are known."""
    call = f"reduce({network.name}, alice={list(alice)}, variant={variant!r}, question={question!r})"
    if len(network.layers) != 1 or not isinstance(network.layers[0][0], AttentionLayer):
        raise ValueError(f"{call}: the network is one attention layer; it has {len(network.layers)} layers or another mixer")
    if isinstance(network.layers[0][1], GatedFeedForward):
        raise ValueError(f"{call}: the feed-forward part is one of ReLU, found a gated one")
    if network.grid.softmax != "stepwise":
        raise ValueError(
            f"{call}: softmax is stepwise; with {network.grid.softmax!r} each weight is rounded from the exact exponentials of "
            "all positions, and a party's sum of them is irrational: no number of fixed precision is equal to it"
        )
    if length < 1 or not all(0 <= place < length for place in alice) or len(set(alice)) != len(alice):
        raise ValueError(f"{call}: alice has different positions from 0 to {length - 1}")
    if variant not in VARIANTS or question not in QUESTIONS:
        raise ValueError(f"{call}: variant is one of {', '.join(VARIANTS)}; question is one of {', '.join(QUESTIONS)}")


def message_bits_of(
    network: Network, length: int, variant: Variant = "both-exchange", question: Question = "vector"
) -> dict[str, int]:
    """`message_bits` with the sizes of a network.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> message_bits_of(build(length=4, alphabet=2), length=5, question="token")["question"]
    3
    """
    [(layer, _)] = network.layers
    heads = narrowed(layer, AttentionLayer).heads
    asks_for_token = question == "token" and network.vectors is None
    embedding = network.width
    if question == "token" and network.vectors is not None:
        embedding = len(network.vectors.integers)
    return message_bits(
        length=length,
        width=len(heads[0].value.integers),
        embedding=embedding,
        heads=len(heads),
        grid=network.grid,
        variant=variant,
        classes=len(network.readout.integers),
        vocabulary=vocabulary(network) if asks_for_token else None,
    )


def talk(
    network: Network, inputs: np.ndarray, alice: Collection[int], variant: Variant, question: Question
) -> tuple[Learned, Learned, int]:
    """Run both parties on one input; return their results and the bits on the channel. Raises ValueError as `require` does.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> tokens = np.array([0, 1, 1, 0, 3])  # 3 asks for the second symbol
    >>> alice, bob, bits = talk(build(length=4, alphabet=2), tokens, [0, 2], "one-learns-and-sends", question="token")
    >>> alice.answer, bob.answer, alice.logits is None
    (1, 1, True)
    """
    length = len(inputs)
    require(network, length, alice, variant=variant, question=question)
    tokens = dict(enumerate(inputs.tolist()))
    of_alice = {place: token for place, token in tokens.items() if place in alice}
    of_bob = {place: token for place, token in tokens.items() if place not in alice}
    return meet(
        lambda channel: converse(network, of_alice, length, channel, variant=variant, question=question),
        lambda channel: converse(network, of_bob, length, channel, variant=variant, question=question),
    )


def reduce(
    network: Network,
    inputs: np.ndarray,
    alice: Collection[int],
    variant: Variant = "both-exchange",
    question: Question = "vector",
    name: str = CLAIM.name,
) -> dict[str, int]:
    """Run the protocol on one input, Alice with the positions `alice` from 0; returns the bits of each step and the total.

    `inputs`: tokens, or vectors in steps. Raises ValueError as `require` does; TheoremFails if a party's logits (or the
    class that it was sent) are not those of the forward pass, or the bits on the channel are not those of `message_bits`.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> lookup = build(length=4, alphabet=2)
    >>> reduce(lookup, np.array([0, 1, 1, 0, 3]), alice=[0, 2], question="token")["question"]  # one token of six
    3
    """
    length = len(inputs)
    alice = tuple(alice)
    of_alice, of_bob, bits = talk(network, inputs, alice, variant=variant, question=question)
    logits = trials.last_logits(network, inputs)
    expected = message_bits_of(network, length, variant, question)
    shown = {"network": network.name, "inputs": inputs.tolist(), "alice": list(alice), "variant": variant}
    alice_asks = length - 1 in alice
    for party, learned, asks in (("alice", of_alice, alice_asks), ("bob", of_bob, not alice_asks)):
        if (variant == "both-exchange" or asks) and learned.logits != logits:
            raise TheoremFails(name, {**shown, party: learned.logits, "forward pass": logits})
        if variant != "one-learns" and learned.answer != logits.index(max(logits)):
            raise TheoremFails(name, {**shown, f"{party}'s answer": learned.answer, "forward pass": logits})
        if {**learned.bits, "total": bits} != expected:
            raise TheoremFails(name, {**shown, "bits": learned.bits, "on the channel": bits, "expected": expected})
    return expected


def check(
    length: Length = 8,
    width: Width = 8,
    heads: Heads = 2,
    embedding: Embedding | None = None,
    exponent: Exponent = 2,
    variant: ProtocolVariant | None = None,
    question: SharedQuestion | None = None,
    seed: Seed = 0,
) -> list[Outcome]:
    """Run each variant and each question (or one) on random networks, inputs and partitions.

    `variant` is both-exchange, one-learns or one-learns-and-sends, and `question` vector or token; by default each of them.
    The networks have these sizes, on a grid of L = N^`exponent`. By default the embedding is as wide as the values.
    Raises ValueError for numbers below 1 or unknown names; TheoremFails with the network's input and partition.

    >>> check(length=4, width=2, heads=1, variant="one-learns", question="token")[0].measured
    {'bits': 65}
    """
    embedding = width if embedding is None else embedding
    if min(length, width, heads, embedding, exponent) < 1:
        raise ValueError(
            f"check(length={length}, width={width}, heads={heads}, embedding={embedding}, exponent={exponent}): at least 1"
        )
    if variant not in (None, *VARIANTS) or question not in (None, *QUESTIONS):
        raise ValueError(
            f"check(variant={variant!r}, question={question!r}): variant is one of {', '.join(VARIANTS)}; "
            f"question is one of {', '.join(QUESTIONS)}"
        )
    sizes = trials.LayerSizes(length, width, embedding, heads)
    outcomes = []
    for one_variant, one_question in product(VARIANTS, QUESTIONS):
        if variant in (None, one_variant) and question in (None, one_question):
            outcomes.append(_check(sizes, Grid.of(length, exponent), one_variant, one_question, seed=seed))
    return outcomes


def _check(sizes: trials.LayerSizes, grid: Grid, variant: Variant, question: Question, *, seed: int) -> Outcome:
    """Run one variant and question on PAIRS random networks, each with an input and a partition."""
    random = np.random.default_rng(seed)
    for turn in range(PAIRS):
        network = trials.random_network(random, sizes, grid)
        inputs = trials.random_input(random, network, sizes.length)
        alice = trials.partition(random, sizes.length, turn)
        steps = reduce(network, inputs, alice, variant, question=question)
    total = steps["total"]
    widest = printed_steps(
        length=sizes.length,
        width=sizes.width,
        embedding=sizes.embedding,
        heads=sizes.heads,
        precision=grid.precision,
        variant=variant,
        classes=len(network.readout.integers),
        vocabulary=vocabulary(network) if question == "token" else None,
    )
    bound = {"bits": math.floor(widest)}
    most = printed(sizes.length, sizes.width, sizes.heads, grid.precision)
    return CLAIM.lower(
        length=sizes.length,
        inputs=PAIRS,
        measured=CLAIM.within({"bits": total}, bound),
        bound=bound,
        as_printed={"bits": round(most, 1), "ratio": round(total / most, 4)},
        variant=f"{variant}, {question} asked",
        witness={"steps": steps, "precision": grid.precision},
    )


def verify(pairs: int = LONG_PAIRS, seed: int = 0) -> list[Outcome]:
    """Run `pairs` pairs of a network and a partition; one outcome for each variant and question.

    Each pair is a network of its own, so no pass is shared: 100,000 pairs would take ten minutes of a processor.
    All sizes at random: up to 16 tokens, 3 heads, m = 8 and d = 10, tokens or vectors, grids from L = 2 to 10^9, both
    roundings.

    >>> [outcome.measured["pairs_equal"] for outcome in verify(pairs=6)]
    [1, 1, 1, 1, 1, 1]
    """
    outcomes = []
    for number, (variant, question) in enumerate(product(VARIANTS, QUESTIONS)):
        random = np.random.default_rng((seed, number))
        tried = pairs // 6 + (number < pairs % 6)
        longest = 1
        for turn in range(tried):
            sizes = trials.random_sizes(random)
            network = trials.random_network(random, sizes, trials.random_grid(random), vectors=turn % 5 == 0)
            inputs = trials.random_input(random, network, sizes.length)
            alice = trials.partition(random, sizes.length, turn)
            reduce(network, inputs, alice, variant, question=question)
            longest = max(longest, sizes.length)
        outcomes.append(
            CLAIM.lower(
                length=longest,
                inputs=tried,
                measured={"pairs_equal": tried},
                bound={"pairs_equal": tried},
                variant=f"{variant}, {question} asked",
            )
        )
    return outcomes


TEST = "tests/theorems/protocols/test_one_layer_protocol.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run uses given networks, partitions and inputs. It lets two parties communicate only over a channel. They compute "
    "the logits of the forward pass, and the channel carries exactly the bits that `message_bits` counts.",
    not_shown="This does not show the claim for every model. The proofs of the five steps show that.",
    nothing_to_certify="it is a protocol for any model, and a run shows no finite object for it",
    nothing_to_apply="a protocol between two parties for any attention layer, which builds none; check takes the sizes of a "
    "layer",
    verify=verify,
    errata=(
        Erratum(
            where="Theorem 4, appendix D",
            printed='"separately for every head leads to <= 3m(p + log N)H bits of communication"',
            found="the steps in the paper add up to d p + (4 p + 2 log N + 4 m p) H. For Kc >= 2 this is more than the total. "
            "For example, it is 1.37 times the total at N = 64, d = m = 64, H = 1 and Kc = 2. If each message is counted with "
            "the exact number of bits, the steps still cost 1.06 to 1.12 times the total for d = m >= 16, H = 1 and Kc = 2. "
            "For Kc = 1 and m >= 16 they cost less than the total",
            built="`one-learns-and-sends`: one party learns the output and sends the class. This stays within the paper's "
            "total for m >= 2 if the token is sent, and for m >= 6 if x_N is sent. For d = m >= 16, H = 1 and Kc = 2, it "
            "costs 0.66 to 0.73 times the total. So Theorems 5 and 10 keep their constant for m >= 2",
            test=TEST + "test_the_printed_total_is_less_than_its_own_steps",
        ),
    ),
    choices=(
        Choice(
            where="Theorem 4, appendix D",
            printed='"In the first step, Alice sends x_N to Bob using dp bits of communication"; m is the greater width',
            found="in the paper m >= d, so its total covers the d p bits for sending x_N. Our m is the width of a value and "
            "may be less than d. Then a total with these d p bits would depend on d",
            built='`question="token"`: Alice sends the token in place of its embedding. This takes ceil(log2 S) bits, and no '
            "size depends on d",
            test=TEST + "test_the_token_makes_the_embedding_irrelevant",
        ),
    ),
)
