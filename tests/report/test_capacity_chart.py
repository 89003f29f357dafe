"""The chart of `seqsep capacity --compare`, and the crossings that it marks and the command prints."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.crossings import crossings, crossings_in_words
from seqsep.report.page.capacity_chart import MOST_MODELS, capacity_chart
from support.command_line import call

FIXED = capacity({"model_type": "by-hand", "layers": [{"count": 4, "fixed_numbers": 64}]})
GROWING = capacity({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2})
WINDOWED = capacity(
    {
        "model_type": "mistral",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "sliding_window": 100,
    }
)
HYBRID = capacity({"model_type": "by-hand", "layers": [{"fixed_numbers": 500}, {"numbers_per_token": 3}]})
MODELS = [FIXED, GROWING, WINDOWED, HYBRID]


@pytest.mark.slow
def test_a_crossing_is_where_the_order_changes():
    """By counting at every length."""
    found = crossings(MODELS, 5000)
    for one in range(4):
        for other in range(one + 1, 4):
            gaps = [MODELS[one].bytes_at(at) - MODELS[other].bytes_at(at) for at in range(1, 5001)]
            signs = [(at, gap > 0) for at, gap in enumerate(gaps, 1) if gap]
            changes = [at for (_, before), (at, after) in pairwise(signs) if before != after]
            assert found.get((one, other), []) == changes
    assert found[0, 1] == [9]
    assert len(found[2, 3]) == 2


def test_the_chart_has_each_line_and_each_crossing():
    text = capacity_chart(MODELS, 5000)
    root = ElementTree.fromstring(text)
    shown = " ".join(root.itertext())
    for model, name in zip(MODELS, ("by-hand 1", "llama", "mistral", "by-hand 2"), strict=True):
        assert name in shown
        assert f"{name}: {model.bytes_at(5000):,} bytes" in shown or "KiB" in shown
    for line in crossings_in_words(MODELS, 5000):
        assert line in shown
    marks = re.findall(r'<path [^>]*d="([^"]*)" transform="translate', text)
    without = sum(place not in {one for pair in crossings(MODELS, 5000) for one in pair} for place in range(4))
    assert len(marks) == 4 + without + 2 * sum(map(len, crossings(MODELS, 5000).values()))
    assert len(set(marks)) == 4
    assert capacity_chart(MODELS, 5000) == text


def test_what_cannot_be_drawn_is_refused(tmp_path, capsys):
    with pytest.raises(BadInput, match="expected 1 to 12 models"):
        capacity_chart([FIXED] * (MOST_MODELS + 1))
    with pytest.raises(BadInput, match="keeps something"):
        capacity_chart([capacity({"model_type": "by-hand", "layers": [{"count": 2}]})])
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "mamba"}')
    for words in ((str(config), "--chart", "c.svg"), (str(config), "--compare", "--chart", "c.png")):
        status, _, error = call(capsys, "capacity", *words)
        assert status == 2
        assert "expected --compare, and a name that ends in .svg" in error


def test_the_command_draws_and_says_where_models_cross(tmp_path, capsys):
    files = []
    for name, fields in (("a", {"fixed_numbers": 100}), ("b", {"numbers_per_token": 7})):
        files.append(tmp_path / f"{name}.json")
        layer = "{" + ",".join(f'"{key}": {value}' for key, value in fields.items()) + "}"
        files[-1].write_text(f'{{"model_type": "by-hand", "layers": [{layer}]}}')
    chart = tmp_path / "chart.svg"
    status, out, error = call(
        capsys, "capacity", *map(str, files), "--compare", "--pairs", "--length", "1k", "--chart", str(chart)
    )
    assert status == 0, error
    assert out.splitlines()[-1] == "From 15 tokens on b.json keeps more than a.json."
    assert ElementTree.fromstring(chart.read_text()).tag.endswith("svg")
    status, out, _ = call(capsys, "capacity", *map(str, files), "--compare", "--csv", "--chart", str(chart))
    assert "From" not in out
    before = files[0].read_text()
    link = tmp_path / "link.svg"
    link.symlink_to(files[0])
    assert call(capsys, "capacity", *map(str, files), "--compare", "--chart", str(link))[0] == 2
    assert files[0].read_text() == before
