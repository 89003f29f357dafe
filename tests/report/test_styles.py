"""Every contender of a figure has a look of its own, on light ground, on dark ground and without colour."""

import re
from itertools import combinations, pairwise

import pytest

from seqsep.report.demo_runs import DemoRuns
from seqsep.report.figures.line_styles import MARKERS, line_styles
from seqsep.report.figures.panels import draw_curves
from seqsep.report.page.page import write_page
from seqsep.report.page.templates import source
from seqsep.report.result_table import ResultTable
from seqsep.report.sized_model import MOST_NAMED, SizedModel, in_places, model_names
from seqsep.report.styles import FILLS, SPARE_COLOURS, SPARE_MARKERS, STYLES, spare_style
from seqsep.tasks import IndexLookup

HYBRIDS = [(one, other) for one, other in combinations(STYLES, 2)][:20]
OWN_LAYERS = [(f"Own{number}@" + "0" * 64,) for number in range(4)]
SETTINGS = [("mamba2(states=8)",), ("mamba2(states=16)",), ("sliding-attention(window=4)",)]
MANY = [SizedModel(layers, 64) for layers in (*((name,) for name in STYLES), *SETTINGS, *HYBRIDS, *OWN_LAYERS)]


@pytest.mark.parametrize("models", [MANY, MANY[10:22], MANY[13:25], [SizedModel(("mamba",), width) for width in range(8, 20)]])
def test_each_contender_has_a_marker_of_its_own(models):
    """And so in any order of the models: the look follows from which models there are."""
    found = line_styles(model_names(models))
    assert len({(look.marker, look.fill) for look in found.values()}) == len(models)
    assert found == line_styles(model_names(reversed(models)))
    if len(models) > 12 or len({model.family for model in models}) > 1:
        assert len({(look.colour, str(look.dashes)) for look in found.values()}) == len(models)


def test_hybrids_of_two_depths_share_colour_and_marker():
    """As sizes of one mixer do; their filling and the tint of their bars tell them apart."""
    depths = [SizedModel(("mamba",) * count + ("attention",), 64) for count in (1, 3)]
    other = SizedModel(("attention", "mamba"), 64)
    found = line_styles(model_names([*depths, other]))
    shallow, deep = (found[model] for model in depths)
    assert (shallow.colour, shallow.marker) == (deep.colour, deep.marker)
    assert shallow.fill != deep.fill
    assert len({shallow.tint, deep.tint, found[other].tint}) == 3


def test_sizes_of_many_models_share_a_look():
    hybrids = [SizedModel(layers, width) for layers in HYBRIDS[:8] for width in (32, 64)]
    assert len(hybrids) > MOST_NAMED
    found = line_styles(model_names(hybrids))
    assert len({(look.marker, look.fill, look.colour) for look in found.values()}) == 8
    assert sum(bool(look.label) for look in found.values()) == 8


def test_spare_styles_are_told_apart():
    """Thirty by marker and filling, thirty-five by marker and colour."""
    known = {(style.marker, style.fill) for style in STYLES.values()}
    spare = [spare_style(place) for place in range(len(SPARE_MARKERS) * len(FILLS))]
    assert len({(style.marker, style.fill) for style in spare} | known) == len(spare) + len(known)
    assert len({style.slug for style in spare}) == len(spare)
    for one, other in pairwise(spare):
        assert one.light != other.light
        assert one.marker != other.marker
    assert len(set(MARKERS)) == len(MARKERS)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_colours_are_readable_on_both_grounds():
    """At least 3 to 1, which WCAG 2.1 asks of graphical objects (1.4.11)."""
    light, dark = re.findall(r"--ground: (#[0-9a-f]+)", source("page.css"))
    light = light if len(light) == 7 else "#" + "".join(2 * letter for letter in light[1:])
    pairs = [*SPARE_COLOURS, *((style.light, style.dark) for style in STYLES.values())]
    assert min(contrast(one, light) for one, _ in pairs) >= 3
    assert min(contrast(one, dark) for _, one in pairs) >= 3


def test_two_labels_are_two_contenders():
    """With one name, layers tell them apart."""
    models = [SizedModel(("mamba",), 64, label=label) for label in ("", "mine", "yours")]
    assert list(model_names(models).values()) == ["Mamba", "mine", "yours"]
    assert [look.fill for look in line_styles(model_names(models)).values()] == ["full", "none", "left"]
    one_label = [SizedModel(layers, 64, label="mine") for layers in (("mamba",), ("lstm", "mamba2(states=8)"))]
    assert list(model_names(one_label).values()) == ["mine (mamba)", "mine (lstm+mamba2(states=8))"]
    assert model_names([SizedModel(("mamba2(states=8)",), 64)]).popitem()[1] == "Mamba-2 (states=8)"


def test_hybrids_are_told_apart_on_the_page_and_in_its_figures(measured, tmp_path):
    layers = (("mamba", "attention"), ("lstm", "attention"), ("mamba2(states=8)",), ("mamba2",))
    runs = [measured(IndexLookup(20), "", 0.5 + place / 9, model=SizedModel(names, 64)) for place, names in enumerate(layers)]
    text = write_page(tmp_path, DemoRuns(tuple(runs))).read_text()
    curves = text[text.index('<section id="curves">') : text.index('<section id="rates">')]
    colours = [model.style.light[1:] for model in in_places(run.model for run in runs)]
    shapes = [set(re.findall(rf'"var\(--c-{colour}[^>]* d="([^"]*)" transform', curves)) for colour in colours]
    assert len(set.union(*shapes)) == 3, "a marker for each hybrid and for the mixer of the others"
    assert "--other-1: #7a5cc9" in text
    assert "--other-2: #f48fe0" in text
    mamba2 = STYLES["mamba2"].light[1:]
    hollow = rf'fill="var\(--c-ffffff[^>]* stroke="var\(--c-{mamba2}'
    assert re.search(hollow, curves), "the second of one mixer is drawn otherwise"
    table = ResultTable.of("title", runs, lambda model, task: None)
    [legend] = draw_curves(table, "caption").legends
    assert len({line.get_marker() + line.get_fillstyle() for line in legend.get_lines()}) == 4
