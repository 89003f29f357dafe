"""Decoding by steps equals running the whole prefix again, for every mixer, and says where it cannot go on."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from seqsep.models.decode import Generated, GenerationFails, generate, generate_by_forward
from seqsep.models.design import LLAMA
from seqsep.models.mixers import BY_NAME, state_bits
from seqsep.models.model import Model
from seqsep.tasks.retriever import Pattern, Query, Retriever

PROMPTS = [[3, 1, 4, 1, 5], [2], [7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9]]
LONGER = [[3, 1, 4, 1, 5, 9, 2, 6, 5], [2, 7, 1, 8, 2, 8, 1], [1, 4, 1, 4, 2, 1, 3, 5, 6, 2, 3, 7]]
IN_COMMON = 6
"""Tokens of LONGER that are read at once: all but the last of the shortest prompt."""
NEAR = 1e-7
NEAR_IN_FLOAT32 = 1e-4
HYBRIDS = [("mamba", "mamba", "attention"), ("sliding-attention", "gated-delta"), ("attention", "lstm", "rwkv7")]


def build(*layers: str, positions: str = "default", seed: int = 0, **sizes) -> Model:
    torch.manual_seed(seed)
    chosen = {"vocabulary": 12, "classes": 12, "longest": 60, "width": 8, "heads": 2} | sizes
    model = Model.build(layers=layers, positions=positions, embedding_scale=1.0, weight_scale=0.5, **chosen)
    return model.double().eval()


def require_same(fast: list[Generated], slow: list[Generated], near: float = NEAR, error: float = 1e-8) -> int:
    """Tokens are equal as long as no two logits are nearly equal, and margins agree; returns how many were compared."""
    compared = 0
    assert len(fast) == len(slow)
    for ours, expected in zip(fast, slow, strict=True):
        for place, margin in enumerate(expected.margins):
            if margin < near:
                break
            assert ours.tokens[place] == expected.tokens[place], (place, margin)
            assert ours.inserted[place] == expected.inserted[place]
            assert ours.margins[place] == pytest.approx(margin, abs=error)
            compared += 1
        else:
            assert len(ours.tokens) == len(expected.tokens)
    return compared


@pytest.mark.parametrize("layers", [*((name, name) for name in BY_NAME), *HYBRIDS], ids="+".join)
def test_steps_equal_the_whole_prefix(layers):
    """Prompts of different lengths together, each as if alone; generation is longer than every window and chunk."""
    model = build(*layers)
    slow = generate_by_forward(model, PROMPTS, (), 24)
    assert require_same(generate(model, PROMPTS, (), 24), slow) > 60


def count_read(model: Model) -> list[int]:
    """The number of tokens of each prompt that `prefill` gets, call by call, from now on."""
    counts = []
    prefill = model.prefill

    def watched(inputs, *further):
        counts.append(inputs.shape[1])
        return prefill(inputs, *further)

    model.prefill = watched
    return counts


@pytest.mark.unchecked
@pytest.mark.parametrize("layers", [*((name, name) for name in BY_NAME), *HYBRIDS], ids="+".join)
def test_prompts_that_are_read_in_parallel(layers):
    """No prompt has one token alone, so a prefix of all is read at once."""
    model = build(*layers)
    counts = count_read(model)
    slow = generate_by_forward(model, LONGER, (), 14)
    assert require_same(generate(model, LONGER, (), 14), slow) > 30
    assert counts == [IN_COMMON]


LLAMA_LIKE = [("mamba", "attention"), ("attention", "gated-delta", "attention"), ("sliding-attention", "rwkv7"), ("mamba2",)]


@pytest.mark.unchecked
@pytest.mark.parametrize("layers", LLAMA_LIKE, ids="+".join)
@pytest.mark.parametrize("prompts", [PROMPTS, LONGER], ids=["one token", "longer"])
def test_the_second_papers_design(layers, prompts):
    """RMS norm, SwiGLU, no biases, tied sinusoids, and rope where there is attention."""
    positions = "rope" if any("attention" in name for name in layers) else "default"
    model = build(*layers, positions=positions, design=LLAMA)
    slow = generate_by_forward(model, prompts, (), 14)
    assert require_same(generate(model, prompts, (), 14), slow) > 30


@pytest.mark.unchecked
@pytest.mark.parametrize("layers", [*((name, name) for name in BY_NAME), *HYBRIDS], ids="+".join)
def test_float32_differs_at_near_ties_only(layers):
    """Judged by margins: each way's tokens are the other's up to a place where two logits are within the tolerance."""
    model = build(*layers).float()
    fast = generate(model, LONGER, (), 14)
    slow = generate_by_forward(model, LONGER, (), 14)
    assert require_same(fast, slow, NEAR_IN_FLOAT32, error=NEAR_IN_FLOAT32 / 4) > 30


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rope", "none"])
@pytest.mark.parametrize("layers", [("attention", "attention"), ("sliding-attention", "mamba2")], ids="+".join)
def test_every_kind_of_position(layers, positions):
    model = build(*layers, positions=positions)
    slow = generate_by_forward(model, PROMPTS, (), 24)
    assert require_same(generate(model, PROMPTS, (), 24), slow) > 60


def test_a_step_that_errs_is_found():
    """The comparison fails if `advance` takes its token for the one of the time before."""
    model = build("attention", "retention")
    slow = generate_by_forward(model, PROMPTS, (), 30)
    advance = model.advance
    model.advance = lambda inputs, state, t: advance(inputs, state, max(0, t - 1))
    with pytest.raises(AssertionError):
        require_same(generate(model, PROMPTS, (), 30), slow)


def test_nearly_equal_logits_are_told():
    """A read-out with two equal rows ties, its margins are 0, and the smaller token is taken."""
    model = build("lstm")
    with torch.no_grad():
        model.readout.weight.zero_()
        model.readout.bias.zero_()
        model.readout.bias[[4, 7]] = 1
    (generated,) = generate(model, [[0]], (), 3)
    assert generated == Generated([4, 4, 4], [False] * 3, [0.0] * 3)


def memory_while_generating(name: str) -> list[tuple[int, int]]:
    """Bits of the state before each of 100 tokens, and bytes of the memory that holds it."""
    model = build(name, longest=200)
    advance = model.advance
    sizes = []

    def watched(inputs, state, t):
        parts = [part for block in state for part in block]
        sizes.append((sum(map(state_bits, state)), sum(part.untyped_storage().nbytes() for part in parts)))
        return advance(inputs, state, t)

    model.advance = watched
    generate(model, [[1, 2]], (), 100)
    return sizes


@pytest.mark.parametrize("name", [name for name, mixer in BY_NAME.items() if not mixer.grows])
def test_memory_of_a_recurrent_model_is_constant(name):
    """The state is all that a step gets from the one before; from the second step on its memory is of one size too."""
    sizes = memory_while_generating(name)
    assert len(sizes) == 100
    assert len({bits for bits, _ in sizes}) == 1
    assert len({held for _, held in sizes[1:]}) == 1


def test_memory_of_attention_grows():
    bits, held = zip(*memory_while_generating("attention"), strict=True)
    assert bits[-1] > bits[0]
    assert held[-1] > held[0]


def test_stops_and_the_cap():
    model = build("gated-delta", seed=1)
    (free,) = generate(model, [[1, 2, 3]], (), 30)
    stop = free.tokens[9]
    first = free.tokens.index(stop)
    assert generate(model, [[1, 2, 3]], {stop}, 30)[0].tokens == free.tokens[: first + 1]
    assert generate(model, [[1, 2, 3]], (), 0)[0].tokens == []
    assert generate(model, [], (), 5) == []


def test_a_text_ends_where_positions_end():
    """With positions for 60 tokens, 59 are read and one more is written."""
    model = build("attention")
    assert [len(one.tokens) for one in generate(model, [[1] * 60, [1] * 50], (), 99)] == [1, 11]
    slow = generate_by_forward(model, [[1] * 60, [1] * 50], (), 99)
    assert [len(one.tokens) for one in slow] == [1, 11]


WORDS = ("<s>", "~", "[", "]", "FAILED", *map(str, range(7)))


def scripted(script: dict[int, str]) -> Model:
    """A model whose greatest logit after t + 1 tokens is the token of script[t], or else of <s>."""

    class Scripted(Model):
        def __init__(self) -> None:
            torch.nn.Module.__init__(self)
            self.positions = None

        def start(self, batch):
            return ((torch.zeros(batch, 0),),)

        def prefill(self, inputs, state=None, t=0):
            return self.start(len(inputs))

        def advance(self, inputs, state, t):
            return torch.eye(len(WORDS))[[WORDS.index(script.get(t, "<s>"))] * len(inputs)], state

        def forward(self, inputs, at=None):
            return torch.stack([self.advance(inputs, (), t)[0] for t in range(inputs.shape[1])], dim=1)

    return Scripted()


def walk(region: str) -> Retriever:
    return Retriever(vocabulary=WORDS, read=lambda texts: Query("first-edge", tuple(texts)), region=region)


@pytest.mark.parametrize("way", [generate, generate_by_forward])
def test_the_retriever_is_asked_live(way):
    """<s> 2 ~ 3, then [ 3 ] is answered by 2 and [ 1 ] by FAILED; both answers are read like any token."""
    model = scripted({3: "[", 4: "3", 5: "]", 7: "[", 8: "1", 9: "]", 11: "6"})
    prompt = [WORDS.index(text) for text in ["<s>", "2", "~", "3"]]
    (generated,) = way(model, [prompt], {WORDS.index("6")}, 40, walk("prompt"))
    assert [WORDS[token] for token in generated.tokens] == ["[", "3", "]", "2", "[", "1", "]", "FAILED", "6"]
    assert [place for place, inserted in enumerate(generated.inserted) if inserted] == [3, 7]


def test_the_searched_region_is_explicit():
    """1 ~ 4 is generated: it is found in everything, not in the prompt."""
    model = scripted({3: "1", 4: "~", 5: "4", 6: "[", 7: "4", 8: "]"})
    prompt = [WORDS.index(text) for text in ["<s>", "2", "~", "3"]]
    for region, found in (("prompt", "FAILED"), ("everything", "1")):
        (generated,) = generate(model, [prompt], (), 7, walk(region))
        assert WORDS[generated.tokens[-1]] == found


def test_texts_with_insertions_stay_apart():
    """Random models, a callable that inserts two tokens after each 3: texts of one batch are as if alone."""

    def twice(tokens, prompt):
        return [tokens[0], prompt % 12] if tokens[-1] in (3, 5) else None

    inserted = 0
    for layers in [("attention", "mamba"), ("lstm",)]:
        model = build(*layers, seed=3)
        fast = generate(model, PROMPTS, (), 24, twice)
        assert require_same(fast, generate_by_forward(model, PROMPTS, (), 24, twice)) > 50
        inserted += sum(sum(one.inserted) for one in fast)
    assert inserted > 10


def test_insertions_count_in_the_cap():
    model = scripted({})
    (generated,) = generate(model, [[0, 1]], (), 4, lambda tokens, prompt: [1, 2])
    assert generated.tokens == [0, 1, 2, 0]


def raises(tokens, prompt):
    return 1 // 0


def sleeps(tokens, prompt):
    time.sleep(60)


def searches(tokens, prompt):
    re.search(r"(x+x+)+y", "x" * 60)


def yields(tokens, prompt):
    yield {}[prompt]


def searches_apart(tokens, prompt):
    return [1] if Pattern("((x+x+)+y)", seconds=0.3).find(["x" * 60]) else None


@pytest.mark.parametrize(
    ("retriever", "why"),
    [
        (raises, r"prompt 0: after 3 tokens the retriever raises ZeroDivisionError: .*test_decode.py, line \d+"),
        (sleeps, "prompt 0: after 3 tokens the retriever was stopped after 0.5 seconds"),
        (searches, "prompt 0: after 3 tokens the retriever was stopped after 0.5 seconds"),
        (searches_apart, "the retriever raises SearchTooLong: pattern .* stopped after 0.3 seconds"),
        (lambda tokens, prompt: ["one"], r"returns \['one'\]; expected a list of tokens, or None"),
        (yields, r"prompt 0: after 3 tokens the retriever raises KeyError: 2 \(.*test_decode.py, line \d+"),
        (lambda tokens, prompt: [float("inf")], r"returns \[inf\]; expected a list of tokens"),
        (lambda tokens, prompt: 7, "returns 7; expected a list of tokens"),
        (lambda tokens, prompt: [12], "returns token 12; expected tokens of 0 to 11"),
    ],
)
def test_a_retriever_that_fails_is_one_line(retriever, why):
    model = build("lstm")
    start = time.monotonic()
    with pytest.raises(ValueError, match=why) as failure:
        generate(model, [[1, 2]], (), 5, retriever, seconds=0.5)
    assert "\n" not in str(failure.value)
    assert time.monotonic() - start < 10


def test_a_search_is_stopped_off_the_main_thread():
    """There the retriever runs in a process of its own; it answers until it hangs."""

    def finds(tokens, prompt):
        return [7] if len(tokens) < 6 else searches(tokens, prompt)

    start = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        failure = pool.submit(generate, build("lstm"), [[1, 2]], (), most=20, retriever=finds, seconds=0.5).exception()
    assert time.monotonic() - start < 30
    assert isinstance(failure, GenerationFails)
    assert "after 7 tokens the retriever was stopped after 0.5 seconds" in str(failure)


@pytest.mark.parametrize("way", [generate, generate_by_forward])
def test_prompts_beside_one_that_fails_are_answered(way):
    """A prompt that is last in a batch has the same logits there as without the others."""

    def fails_for_some(tokens, prompt):
        return [7] if prompt == 5 and len(tokens) == 6 else {}[prompt] if prompt == 1 else None

    model = build("attention", "mamba")
    with pytest.raises(GenerationFails, match=r"^generate: prompt 1: after 2 tokens the retriever raises KeyError") as failure:
        way(model, [*PROMPTS, [4]], (), 9, fails_for_some)
    assert list(failure.value.reasons) == [1, 3]
    assert str(failure.value).endswith(" (and 1 further prompt fails)")
    assert failure.value.generated[1] is failure.value.generated[3] is None
    others = [failure.value.generated[0], failure.value.generated[2]]
    assert require_same(others, generate_by_forward(model, PROMPTS[::2], (), 9, fails_for_some)) == 18


@pytest.mark.parametrize(
    ("prompts", "why"),
    [
        ([[1], []], "prompt 1: expected at least 1 token, found none"),
        ([[1, 12]], "prompt 0, place 1: expected a token of 0 to 11, found 12"),
        ([[1], [-1]], "prompt 1, place 0: expected a token of 0 to 11, found -1"),
        ([[1] * 61], "prompt 0: 61 tokens, but this model has positions for 60"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused(prompts, why):
    with pytest.raises(ValueError, match=why):
        generate(build("attention"), prompts, (), 5)


def test_models_that_cannot_go_on_are_refused():
    with pytest.raises(ValueError, match="found one over vectors"):
        generate(build("lstm", coordinates=3), [[1]], (), 5)
    more = build("lstm", classes=13)
    with torch.no_grad():
        more.readout.bias[12] = 99
    with pytest.raises(ValueError, match="found class 12"):
        generate(more, [[1]], (), 5)
    spoiled = build("lstm")
    with torch.no_grad():
        spoiled.readout.bias[3] = float("nan")
    with pytest.raises(ValueError, match="the logits are not finite"):
        generate(spoiled, [[1]], (), 5)
