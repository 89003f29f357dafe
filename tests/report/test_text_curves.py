"""Curves of accuracy over length from rows of `seqsep text`, and how they come to the page."""

import base64
import re

import pytest

from seqsep.lab.device import environment
from seqsep.lab.row import write_rows
from seqsep.language_models.text.language_model import Facts
from seqsep.language_models.text.reply import Reply
from seqsep.report.text_curves import draw_text_curves, write_text_curves

SURROUNDINGS = environment()


def reply(model, task, length, index, right, **fields):
    return Reply(
        question={"task": task, "length": length, "index": index, "id": f"id{index}"} | fields,
        model=Facts(model, sha256=model, dtype="float32", architecture="llama", parameters=1234, context=None),
        right=right,
        expected="1",
        written="1" if right else "2",
        tokens_right=int(right),
        tokens=1,
        prompt_tokens=10 * length,
        state_bits=100 * length,
        chance=None if task == "hotpotqa" else 1 / length,
    )


def lookups():
    """One model right on all of 8 entries and half of 16, the other on a quarter."""
    shares = {("one", 8): 4, ("one", 16): 2, ("two", 8): 1, ("two", 16): 1}
    return [reply(model, "phonebook", n, index, index < share) for (model, n), share in shares.items() for index in range(4)]


def hotpotqa():
    """Of four questions both models answer two from what they need; more paragraphs cost one of them."""
    alone = [
        reply(model, "hotpotqa", 2, i, i < right, order="random") for model, right in (("a", 3), ("b", 2)) for i in range(4)
    ]
    more = [reply("a", "hotpotqa", 4, i, i == 0, order=order) for order in ("random", "needed-last") for i in range(2)]
    return [*alone, *more]


def drawn(figure):
    """The points of each line with a marker, by its label in the legend, in the order drawn."""
    (axes,) = figure.axes
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    lines = [container.lines[0].get_xydata().tolist() for container in axes.containers]
    return dict(zip(labels, lines, strict=True))


def test_each_model_is_a_line_of_its_accuracies():
    figure, caption = draw_text_curves("phonebook", lookups())
    assert drawn(figure) == {"one": [[8, 1.0], [16, 0.5]], "two": [[8, 0.25], [16, 0.25]]}
    assert "4 questions a point" in caption
    assert "one (llama): 1,234 parameters, state 800 to 1,600 bits." in caption


def test_hotpotqa_is_drawn_on_the_subset():
    figure, caption = draw_text_curves("hotpotqa", hotpotqa())
    found = drawn(figure)
    assert found["a, random"] == found["a, needed-last"] == [[2, 1.0], [4, 0.5]]
    assert found["b, random"] == [[2, 1.0]]
    assert caption.startswith("Questions that every model answers from the 2 paragraphs needed. 2 questions a point")


def test_files_beside_the_rows_come_to_the_page(tmp_path):
    assert write_text_curves(tmp_path, tmp_path / "out") == []
    write_rows(
        tmp_path / "text-phonebook.jsonl", [one.row(f"{place:064}", SURROUNDINGS) for place, one in enumerate(lookups())]
    )
    (shown,) = write_text_curves(tmp_path, tmp_path / "out")
    assert shown.name == "text-phonebook"
    assert {path.suffix for path in (tmp_path / "out/figures").glob("text-phonebook*")} == {".pdf", ".png", ".svg"}
    (figure,) = shown.figures
    assert b"<svg" in base64.b64decode(re.sub("^[^,]*,", "", figure.source))


def test_a_row_of_a_training_run_is_refused(tmp_path):
    (row,) = [one.row("0" * 64, SURROUNDINGS) for one in lookups()[:1]]
    write_rows(tmp_path / "text-index.jsonl", [row])
    text = (tmp_path / "text-index.jsonl").read_text().replace('"sha256"', '"sha255"')
    (tmp_path / "text-index.jsonl").write_text(text)
    with pytest.raises(ValueError, match="expected a reply to a question, found"):
        write_text_curves(tmp_path, tmp_path / "out")
