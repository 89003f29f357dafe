"""The page of the worked example: what stands on it is what the networks do, it needs nothing from outside, and it is small."""

import re
from dataclasses import replace

import numpy as np
import pytest

from seqsep.maths.networks.network import Network
from seqsep.report.attention_weights import attention_weights
from seqsep.report.page.is_tree_page import is_tree_page, write_is_tree_page
from seqsep.report.worked_example import WorkedExample, worked_example
from seqsep.report.worked_networks import NETWORKS, NetworkInWords
from seqsep.theorems.is_tree import THEOREMS
from seqsep.theorems.is_tree.figure_3 import EDGES, HYBRID, ONE_LAYER, PEELING, TOUR, VERTICES, WALK
from support.html_reader import Reader

pytestmark = pytest.mark.unchecked
MOST_BYTES = 200_000
WORDS = {words.writer.name: words for words in NETWORKS}
ATTENTIVE = (PEELING.name, TOUR.name, ONE_LAYER.name, HYBRID.name)


@pytest.fixture(scope="module")
def examples() -> dict[str, WorkedExample]:
    return {name: worked_example(words) for name, words in WORDS.items()}


@pytest.fixture(scope="module")
def page(examples) -> str:
    return is_tree_page(tuple(examples.values()))


def without_key(network: Network, layer: int, head: int) -> Network:
    """The network whose head compares nothing: all its scores are equal."""
    mixer, feed_forward = network.layers[layer]
    key = mixer.heads[head].key
    silenced = replace(mixer.heads[head], key=replace(key, integers=np.zeros_like(key.integers)))
    heads = (*mixer.heads[:head], silenced, *mixer.heads[head + 1 :])
    layers = (*network.layers[:layer], (replace(mixer, heads=heads), feed_forward), *network.layers[layer + 1 :])
    return replace(network, layers=layers)


def forgetful(network: Network) -> Network:
    """The network whose recurrence reads nothing."""
    [(mixer, feed_forward)] = network.layers
    nothing = replace(mixer.input, integers=np.zeros_like(mixer.input.integers))
    return replace(network, layers=((replace(mixer, input=nothing), feed_forward),))


@pytest.mark.parametrize("theorem", [one for one in THEOREMS if one.name in WORDS], ids=lambda one: one.name)
def test_the_thought_is_the_one_that_apply_writes(theorem, examples, page):
    example = examples[theorem.name]
    applied = theorem.predictor(VERTICES)({"vertices": VERTICES, "edges": [list(edge) for edge in EDGES]})
    assert applied["answer"] == 1
    assert example.run.written == (*map(str, applied["thought"]), "YES")
    spoken = " ".join(f"{one.token} {one.found}".strip() for one in example.written)
    assert spoken == " ".join(example.run.written)
    assert page.count(f'id="{theorem.name}"') == 1


@pytest.mark.parametrize("name", ATTENTIVE)
def test_every_look_is_the_executors(name, examples):
    """The tokens and weights of every row, against the weights of the run: nothing above 0.5 % is left out or added."""
    example = examples[name]
    weights = [head for layer in attention_weights(example.run.network, np.array(example.run.tokens[:-1])) for head in layer]
    assert len(weights) == sum(example.heads_by_layer) == len(example.words.heads)
    for written in example.written:
        text, place = written.behind
        assert (text, written.token) == example.run.shown[place : place + 2]
        for look, head in zip(written.looks, weights, strict=True):
            assert {at: weight for (_, at), weight in zip(look.tokens, look.weights, strict=True)} == {
                at: weight for at, weight in enumerate(head[place]) if weight > 0.005
            }
            assert all(example.run.shown[at] == token for token, at in look.tokens)
            assert look.shares == ("" if len(look.tokens) == 1 else f"1/{len(look.tokens)} each")


def test_heads_look_where_their_words_say(examples):
    """Token before: one place back. Counting: the edges of x. Tour: the edge whose other end is written next."""
    peeling, tour, copies = (examples[one.name] for one in (PEELING, TOUR, ONE_LAYER))
    for written in peeling.written:
        place = written.behind[1]
        assert [look.tokens[0][1] for look in written.looks[:2]] == [place - 1, place - 2]
        if "at " in written.why:
            x = int(written.behind[0].strip("'"))
            edges = sum(x in edge for edge in EDGES)
            climbs = sum(one.number < written.number and one.along is not None and x in one.along for one in peeling.written)
            assert sum(len(look.tokens) - 1 for look in written.looks[4:]) == edges + climbs
    for written in tour.written[1:-1]:
        found = written.looks[8].tokens[0]
        if found[0] != "[BOS]" and "back" not in written.why:
            assert {int(one) for one in written.along} >= {int(written.behind[0])}
            assert found[1] < tour.run.prompt + 1
    for number, written in enumerate(copies.written[: len(EDGES)]):
        assert tuple(int(look.tokens[0][0]) for look in written.looks[:2]) == EDGES[number]


def test_each_edge_is_gone_along_as_often_as_the_thought_says(examples):
    times = {name: [len(example.goes_along(frozenset(edge))) for edge in EDGES] for name, example in examples.items()}
    for one in (PEELING, ONE_LAYER, HYBRID):
        assert times[one.name] == [1] * 5
    for one in (TOUR, WALK):
        assert times[one.name] == [2] * 5


def test_the_last_row_says_why_it_is_a_tree(examples):
    last = {name: example.written[-1].why for name, example in examples.items()}
    climbed = "at 6: no edge left; 5 of 5 edges climbed"
    assert last == {
        PEELING.name: climbed,
        ONE_LAYER.name: climbed,
        HYBRID.name: climbed,
        TOUR.name: "at 1: no vertex is next; 10 of 10 moves",
        WALK.name: "6 of 6 vertices failed",
    }


def test_remembered_numbers_follow_from_the_tokens(examples):
    hybrid, walk = examples[HYBRID.name], examples[WALK.name]
    for written in hybrid.written:
        read = hybrid.run.shown[: written.behind[1] + 1]
        vertices = [int(token.strip("'")) if token.strip("'").isdecimal() else 0 for token in read]
        pointers = sum("'" in token for token in read)
        numbers = sum(token.isdecimal() for token in read)
        assert written.remembered == (
            *vertices[-2:-4:-1],
            pointers,
            int(pointers > 0),
            read.count("~"),
            numbers - 3 * read.count("~"),
        )
    for written in walk.written[:-1]:
        read = walk.run.shown[: written.behind[1] + 1]
        vertices = [int(token) if token.isdecimal() else 0 for token in read][::-1]
        assert written.remembered == (vertices[0], *vertices[2:5], read.count("FAILED") - read.count("~"))


@pytest.mark.parametrize(
    ("name", "layer", "head"), [(PEELING.name, 0, 1), (TOUR.name, 2, 0), (ONE_LAYER.name, 0, 1), (HYBRID.name, 1, 1)]
)
def test_a_spoiled_head_changes_the_page(name, layer, head, examples, page):
    """A head that compares nothing: its own looks change, and the network goes wrong."""
    words: NetworkInWords = WORDS[name]
    spoiled = worked_example(words, without_key(examples[name].run.network, layer, head))
    index = sum(spoiled.heads_by_layer[:layer]) + head
    assert spoiled.written[0].looks[index] != examples[name].written[0].looks[index]
    assert spoiled.run.written != examples[name].run.written
    changed = is_tree_page(tuple({**examples, name: spoiled}.values()))
    assert changed != page
    assert Reader(changed).rows != Reader(page).rows


def test_a_walk_that_remembers_nothing_changes_the_page(examples, page):
    spoiled = worked_example(WORDS[WALK.name], forgetful(examples[WALK.name].run.network))
    assert spoiled.run.written != examples[WALK.name].run.written
    changed = is_tree_page(tuple({**examples, WALK.name: spoiled}.values()))
    assert Reader(changed).rows != Reader(page).rows


def test_every_written_token_has_its_row(examples, page):
    rows = [re.sub(r"\s+", " ", row).strip() for row in Reader(page).rows]
    for example in examples.values():
        for written in example.written:
            text, place = written.behind
            start = f"{written.number}{text}{place}{written.token}".replace(" -> ", " → ").replace(" ", "")
            assert any(row.replace(" ", "").startswith(start) for row in rows), start


def test_every_square_is_a_weight(examples, page):
    """The squares of each head, read back from the paths: (row, column) and percent, for the thought and the prompt alike."""
    drawn = [
        {
            (round(float(y) - 0.5) // 10, round(float(x) - 0.5) // 10): round(100 * float(opacity or 1))
            for opacity, path in re.findall(r'<path class="cell"(?: opacity="([\d.]+)")? d="([^"]+)"', picture)
            for x, y in re.findall(r"M([\d.]+) ([\d.]+)h9v9h-9z", path)
        }
        for picture in re.findall(r'<svg class="weights".*?</svg>', page, flags=re.DOTALL)
    ]
    weights = [head.weights for example in examples.values() for head in example.heads]
    for shown, head in zip(drawn, weights, strict=True):
        expected = {(row, column): round(100 * weight) for (row, column), weight in np.ndenumerate(head) if weight > 0.005}
        assert shown == expected


def test_the_page_needs_nothing_and_is_small(page, tmp_path):
    reader = Reader(page)
    assert not {tag for tag, _ in reader.seen} & {"script", "img", "iframe", "object", "embed", "base", "form", "use", "image"}
    assert not re.search(r"url\(|@import| on[a-z]+=| src=", page)
    hrefs = {attributes["href"] for _, attributes in reader.seen if "href" in attributes}
    assert {href for href in hrefs if href[0] != "#"} == {"data:,", "index.html"}
    policies = [attributes["content"] for _, attributes in reader.seen if attributes.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    path = write_is_tree_page(tmp_path)
    assert path == tmp_path / "is-tree.html"
    assert path.read_text(encoding="utf-8") == page
    assert path.stat().st_size < MOST_BYTES


def test_the_page_is_accessible(page):
    reader = Reader(page)
    tags = [tag for tag, _ in reader.seen]
    assert tags.count("caption") == tags.count("table") == 1 + len(NETWORKS)
    assert tags.count("h1") == 1
    assert all(attributes.get("scope") for tag, attributes in reader.seen if tag == "th")
    identifiers = [attributes["id"] for _, attributes in reader.seen if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    pictures = [attributes for tag, attributes in reader.seen if tag == "svg"]
    assert len(pictures) == 1 + len(NETWORKS) + 6 + 10 + 5 + 2
    for picture in pictures:
        assert picture["role"] == "img"
        assert set(picture["aria-labelledby"].split()) <= set(identifiers)
    assert {attributes["href"][1:] for _, attributes in reader.seen if attributes.get("href", "-")[0] == "#"} <= set(
        identifiers
    )
