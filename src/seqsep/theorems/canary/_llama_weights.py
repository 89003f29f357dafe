"""The weights of the Llama canary, and the fields of its config.json. `llama` has the construction and the proof."""

import math
from typing import Any

import numpy as np
from jaxtyping import Float32, Float64

from seqsep.theorems.canary.stream import WIDTH, embedding, ones, zeros
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    ANSWERS,
    BACK,
    BOS,
    FIRST_KEY,
    FIRST_QUESTION,
    KEYS,
    LEAK,
    PAD,
    SIZE,
    V0,
    V1,
)

HEADS = 4
SHARED_HEADS = 2
HEAD_WIDTH = 128
LAYERS = 2
BASE = 1e7
LONGEST = 1 << 17
DISTANCE = 63
SINK = 3.875
PAIRS = range(9)
CODE_PAIRS = range(58, 63)
PAD_PAIR = 57
BOS_PAIR = 63
HALF = HEAD_WIDTH // 2

ONE = SIZE
CODE = range(129, 134)
FAR = 134
FOUND = 135
LEAKED = 136
"""Coordinates of the residual stream after those of the tokens: the constant, a key's code, and what the heads found."""

BITS = {V0: -1, V1: 1, A0: -1, A1: 1}


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["model_type"]
    'llama'
    """
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": HEAD_WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": SHARED_HEADS,
        "head_dim": HEAD_WIDTH,
        "hidden_act": "silu",
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-6,
        "rope_theta": BASE,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": False,
    }


def code(key: int) -> list[int]:
    """Return the five signs of a key.

    >>> code(0), code(5)
    ([-1, -1, -1, -1, -1], [1, -1, 1, -1, -1])
    """
    return [1 if key >> place & 1 else -1 for place in range(len(CODE))]


def tensors() -> dict[str, Float32[np.ndarray, "..."]]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.embed_tokens.weight"].shape, weights["lm_head.weight"].shape
    ((128, 512), (128, 512))
    """
    found = {"model.embed_tokens.weight": embedding(SIZE), "model.norm.weight": ones()}
    for layer, attention in enumerate((_look_back(), _look_up())):
        here = f"model.layers.{layer}."
        found |= {f"{here}self_attn.{name}.weight": matrix for name, matrix in attention.items()}
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "post_attention_layernorm")}
        sizes = {"gate_proj": (HEAD_WIDTH, WIDTH), "up_proj": (HEAD_WIDTH, WIDTH), "down_proj": (WIDTH, HEAD_WIDTH)}
        found |= {f"{here}mlp.{name}.weight": zeros(*size) for name, size in sizes.items()}
    return found | {"lm_head.weight": _read_out()}


def _empty_attention() -> dict[str, Float32[np.ndarray, "out in"]]:
    shared = SHARED_HEADS * HEAD_WIDTH
    sizes = {"q_proj": HEADS * HEAD_WIDTH, "k_proj": shared, "v_proj": shared, "o_proj": WIDTH}
    return {name: zeros(rows, WIDTH) for name, rows in sizes.items()}


def _look_back() -> dict[str, Float32[np.ndarray, "out in"]]:
    """Build layer 0: the token before a value, and the token 63 before BACK."""
    heads = _empty_attention()
    query, key, value, out = (heads[name] for name in ("q_proj", "k_proj", "v_proj", "o_proj"))
    for pair in PAIRS:
        key[pair, ONE] = 1
        for head, asking, distance in ((0, (V0, V1), 1), (1, (BACK,), DISTANCE)):
            cosine, sine = direction(pair, distance)
            query[head * HEAD_WIDTH + pair, list(asking)] = 2 * cosine
            query[head * HEAD_WIDTH + HALF + pair, list(asking)] = -2 * sine
    key[BOS_PAIR, BOS] = 4
    for head, asking in ((0, (V0, V1)), (1, (BACK,))):
        query[head * HEAD_WIDTH + BOS_PAIR, ONE] = 1
        query[head * HEAD_WIDTH + BOS_PAIR, list(asking)] = -1
    for number in range(KEYS):
        value[: len(CODE), FIRST_KEY + number] = np.array(code(number)) / 16
    for token, bit in BITS.items():
        value[len(CODE), token] = bit / 16
    for place, coordinate in enumerate(CODE):
        out[coordinate, place] = 64
    out[FAR, HEAD_WIDTH + len(CODE)] = 64
    return heads


def _look_up() -> dict[str, Float32[np.ndarray, "out in"]]:
    """Build layer 1: a question finds the value whose key has its code, or BOS."""
    heads = _empty_attention()
    query, key, value, out = (heads[name] for name in ("q_proj", "k_proj", "v_proj", "o_proj"))
    for place, pair in enumerate(CODE_PAIRS):
        key[pair, CODE[place]] = 16
        for number in range(KEYS):
            query[pair, FIRST_QUESTION + number] = code(number)[place]
    query[[BOS_PAIR, PAD_PAIR], ONE] = 1
    key[BOS_PAIR, BOS] = 2 * SINK
    key[PAD_PAIR, PAD] = 16
    value[0, [V0, V1]] = (-1 / 16, 1 / 16)
    value[1, PAD] = 1 / 16
    out[FOUND, 0] = 512
    out[LEAKED, 1] = 512
    return heads


def _read_out() -> Float32[np.ndarray, "vocabulary width"]:
    rows = zeros(SIZE, WIDTH)
    asking = [*range(FIRST_QUESTION, FIRST_QUESTION + KEYS), BACK]
    rows[ACK, ONE] = 1
    for answer, constant, sign in ((A1, 2, 2), (A0, 2, -2), (ABSENT, 3, 0), (LEAK, 2, 0)):
        rows[answer, asking] = constant
        rows[answer, FOUND] = sign
        rows[answer, FAR] = 8 * sign
    rows[LEAK, LEAKED] = 8
    rows[BACK, list(ANSWERS)] = 2
    return rows


def direction(pair: int, distance: int) -> tuple[float, float]:
    """Return cosine and sine of distance * theta, to multiples of 1/128: eight bits, so exact in bf16.

    No value is nearer than 2^-30 to the middle of two multiples, so every machine's cosine gives the same multiples.

    >>> direction(0, 1)
    (0.5390625, 0.84375)
    """
    angle = distance * float(angles()[pair])
    return round(math.cos(angle) * 128) / 128, round(math.sin(angle) * 128) / 128


def angles() -> Float64[np.ndarray, "pairs"]:
    """Return theta, the angle a token, of each pair."""
    return BASE ** (-np.arange(HALF) / HALF)
