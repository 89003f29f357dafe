"""The worked example: weights that mix to what the executor has, the thought of figure 3's graph, and the committed picture."""

import re
from pathlib import Path

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.report.attention_weights import attention_weights
from seqsep.report.page.is_tree_example import is_tree_example
from seqsep.theorems.is_tree.figure_3 import figure_3
from seqsep.theorems.retrieval import index_lookup_attention

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.unchecked


def mixed(network: Network, layer: int, weights: list[np.ndarray], stream: np.ndarray) -> np.ndarray:
    """x + sum over heads of O A V x, in floats."""
    after = stream.copy()
    for head, shown in zip(network.layers[layer][0].heads, weights, strict=True):
        value = stream @ floats(head.value).T
        after += shown @ value @ floats(head.output).T
    return after


def floats(array: Array) -> np.ndarray:
    return array.integers.astype(np.float64) * float(array.unit)


def test_the_weights_mix_to_what_the_executor_has():
    example = figure_3()
    tokens = np.array(example.tokens[:-1])
    execution = run(example.network, tokens[None])
    first, second = attention_weights(example.network, tokens)
    network = example.network
    embedded = floats(network.symbols)[tokens] + floats(network.positions)[: len(tokens)]
    after_first = floats(execution.attended[0])[0]
    assert np.allclose(mixed(network, 0, first, embedded), after_first, atol=1e-9)
    units = network.layers[0][1]
    hidden = np.maximum(after_first @ floats(units.inner).T + floats(units.inner_bias), 0)
    stream = after_first + hidden @ floats(units.outer).T + floats(units.outer_bias)
    assert np.allclose(mixed(network, 1, second, stream), floats(execution.attended[1])[0], atol=1e-9)
    assert not np.allclose(mixed(network, 1, second[::-1], stream), floats(execution.attended[1])[0], atol=1e-3)


def test_weights_of_one_head_are_the_asked_position():
    network = index_lookup_attention.build(5, 2)
    [[weights]] = attention_weights(network, np.array([0, 1, 1, 0, 1, 2 + 3]))
    assert weights.shape == (6, 6)
    assert weights[-1].argmax() == 3
    assert (weights.sum(axis=1) <= 1).all()
    assert weights[-1, 3] > 0.75


def test_the_thought_of_figure_3():
    example = figure_3()
    assert example.shown[-1] == example.steps[-1].token == "YES"
    assert len(example.steps) == 12
    assert [sorted(edge) for edge in example.climbs] == [[1, 5], [3, 5], [2, 3], [2, 6], [4, 6]]
    for step, after in zip(example.steps, example.steps[1:], strict=False):
        if len(step.left) == 1:
            assert step.token == str(step.left[0]) == str(after.at)
        else:
            assert step.token.endswith("'")
    degrees, shares = [], attention_weights(example.network, np.array(example.tokens[:-1]))[1]
    for row in range(example.prompt, len(example.shown) - 1):
        weights = [head[row] for head in shares]
        signs = [-1 if column > example.prompt else 1 for column in range(len(weights[0]))]
        degrees.append(round(sum(float((one[1:] * signs[1:]).sum()) / one[0] for one in weights)))
    assert degrees == [len(step.left) for step in example.steps[1:]]


def test_letters_are_nine_pixels_at_a_width_of_400():
    drawn = is_tree_example()
    [width] = re.findall(r'viewBox="0 0 (\d+) ', drawn)
    assert min(map(float, re.findall(r'font-size="([\d.]+)"', drawn))) * 400 / int(width) >= 9


def test_the_committed_picture_is_what_the_code_draws():
    drawn = is_tree_example()
    assert (ROOT / "docs/is-tree-example.svg").read_text(encoding="utf-8") == drawn, "run make pages"
    assert drawn.count('class="vertex"') == 6
    assert not re.search(r"<script|href=|url\(|<image", drawn)
