"""The section on the speed of layers that track a state has the numbers of its file."""

import json

import pytest

from pages._mixer_speeds import ATTENTION, NAMES, OURS, TITLE, mixer_speeds_section


@pytest.fixture
def results(tmp_path):
    """A folder with a file of six comparisons: the other layers are 2, 4, 6, 0.5, 10 and 12 times as slow."""
    medians = {}
    for place, title in enumerate(NAMES, 1):
        other = 0.5 if place == 4 else 2.0 * place
        times = {OURS: 50.0 * place, ATTENTION: 3.0, f"layer {place}": 50.0 * place * other}
        medians[TITLE.format(title)] = {side: {"CPU ms": time, "wall ms": 9e9} for side, time in times.items()}
    (tmp_path / "mixers-tracking.json").write_text(json.dumps({"processor": "a chip", "medians": medians}))
    return tmp_path


def test_a_line_has_the_times_of_a_layer(results):
    lines = mixer_speeds_section(results).splitlines()
    assert "| `mlstm` | 50.0 | layer 1 | 100 | 2.00 | 3.0 |" in lines
    assert "| `gated-delta(negative)` | 200 | layer 4 | 100 | 0.50 | 3.0 |" in lines
    assert sum(line.startswith("| `") for line in lines) == len(NAMES)


def test_the_sentence_counts_the_faster_layers(results):
    said = " ".join(mixer_speeds_section(results).split())
    assert "CPU time of one thread on a chip, in milliseconds. 5 of the 6 layers of seqsep are faster" in said


def test_a_missing_comparison_is_an_error(results):
    path = results / "mixers-tracking.json"
    found = json.loads(path.read_text())
    del found["medians"][TITLE.format("KDA")]
    path.write_text(json.dumps(found))
    with pytest.raises(KeyError, match="KDA"):
        mixer_speeds_section(results)
