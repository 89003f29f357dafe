"""The live retriever of IsTree's thoughts finds what the named queries of the retriever find, on any text."""

import numpy as np
import pytest

from seqsep.tasks import IsTree
from seqsep.tasks.retriever import Query, Retriever
from seqsep.tasks.trees.algorithm_two import RecordTokens

pytestmark = pytest.mark.unchecked


def by_named_queries(task: IsTree, text: list[int], prompt: int) -> list[int] | None:
    """Records are searched everywhere, edges in the prompt only."""
    tokens = task.tokens
    vocabulary = tuple(str(tokens.shown(token)) for token in range(tokens.count))
    if not isinstance(tokens, RecordTokens):
        return tokens.retriever("prompt").behind(prompt)(text)
    region = "everything" if text[-2] == tokens.record else "prompt"
    return Retriever(vocabulary=vocabulary, read=query_of, region=region).behind(prompt)(text)


def query_of(texts: list[str]) -> Query:
    if len(texts) == 2 and texts[1] == "-":
        return Query("parent", (texts[0],))
    if len(texts) in (2, 3) and texts[1] == "~":
        return Query("first-edge" if len(texts) == 2 else "next-edge", (texts[0], *texts[2:]))
    raise ValueError(f"no query: {texts}")


@pytest.mark.parametrize("trace", ["retrieval", "walk"])
@pytest.mark.parametrize("distribution", ["double-star", "uniform"])
def test_written_thoughts(trace, distribution):
    """At every place of a thought: the token after a closed query, and nothing elsewhere."""
    task = IsTree(7, trace, distribution)
    batch = task.sample(0, 6, 3)
    for inputs, tokens in zip(batch.inputs.tolist(), batch.lengths.tolist(), strict=True):
        for place in range(task.prompt_tokens, tokens):
            text = inputs[: place + 1]
            assert task.retriever()(text, task.prompt_tokens) == by_named_queries(task, text, task.prompt_tokens)


@pytest.mark.parametrize("trace", ["retrieval", "walk"])
def test_whatever_a_model_writes(trace):
    """Random tokens after a prompt, mostly marks and a few vertices, always closed: often a query, often none."""
    task = IsTree(5, trace, "uniform")
    random = np.random.default_rng(2)
    prompts = task.prompts(task.sample(0, 1500, 1))
    marks = [token for token in range(task.vocabulary) if str(task.shown(token)) in ("[", "[", "-", "-", "~", "]")]
    kinds = set()
    for prompt in prompts:
        written = random.choice([*marks, *range(1, 6)], int(random.integers(1, 12))).tolist()
        queries = [[2], [3, 1], [4, task.tokens.between], [1, task.tokens.between, 5], [2, task.vocabulary - 1]]
        query = queries[int(random.integers(5))]
        for text in (
            [*prompt, *written, task.tokens.closes],
            [*prompt, *written, task.tokens.opens, *query, task.tokens.closes],
        ):
            found = task.retriever()(text, len(prompt))
            assert found == by_named_queries(task, text, len(prompt))
            kinds.add("none" if found is None else str(task.shown(found[0])))
    assert kinds == {"none", "FAILED", *map(str, range(1, 6))}
