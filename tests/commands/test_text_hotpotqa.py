"""`seqsep text hotpotqa` with models that know answers: what is printed, what is asked again, and a file that is cut."""

import re

import pytest

from support.command_line import call
from support.hotpotqa import Reader, write_file

LINE = re.compile(r"  n = (\d) +(random|needed-last) ([\d.]+) % \(standard error [\d.]+\) of 6; chance not defined; prompt .*")
BY_LENGTH = {
    ("one", "random"): {2: "100.0", 4: "66.7", 6: "66.7", 8: "33.3"},
    ("one", "needed-last"): {2: "100.0", 4: "100.0", 6: "100.0", 8: "100.0"},
    ("other", "random"): {2: "100.0", 4: "100.0", 6: "100.0", 8: "100.0"},
    ("other", "needed-last"): {2: "100.0", 4: "100.0", 6: "100.0", 8: "100.0"},
}
"""Percent right of the six questions that both answer: one sees the end of a prompt, the other sees all of it."""


@pytest.fixture
def readers(monkeypatch, tmp_path):
    """Two models that stand in for those of `transformers`, by the names of their folders; each misses a question."""
    known = {"one": Reader("one", window=190, never=(1,)), "other": Reader("other", never=(7,))}
    for name in known:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text('{"model_type": "reader"}')
        (tmp_path / name / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
        (tmp_path / name / "tokenizer.json").write_text("{}")
    monkeypatch.setattr(
        "seqsep.language_models.text.language_model.LanguageModel", lambda folder, dtype, device: known[folder.name]
    )
    return known


@pytest.fixture
def ask(capsys, tmp_path, readers):
    """Run the command with some models; return its status, what it prints, and how many prompts each was asked."""

    def called(names, *flags, data=None):
        for reader in readers.values():
            reader.asked.clear()
        models = [word for name in names.split() for word in ("--model", str(tmp_path / name))]
        place = data or write_file(tmp_path / "dev.json")
        found = call(capsys, "text", "hotpotqa", *models, "--data", str(place), "--store", str(tmp_path / "s"), *flags)
        return (*found, {name: len(readers[name].asked) for name in names.split()})

    return called


def printed(out):
    """Accuracies by model and order, then by length, as they are printed; and all other lines."""
    found = {}
    others = []
    for line in out.splitlines():
        match = LINE.fullmatch(line)
        if match is None:
            others.append(line)
            continue
        model = others[-2].split(":")[0]  # between them a line says how many were tested
        length, order, percent = match.groups()
        found.setdefault((model, order), {})[int(length)] = percent
    return found, others


def test_two_models_by_order_and_length_then_again(ask, readers):
    """Without flags: 2, 4, 6 and 8 paragraphs, in both orders, after 4 examples. A second start asks nothing."""
    status, out, err, asked = ask("one other")
    assert (status, err) == (0, "")
    found, others = printed(out)
    assert found == BY_LENGTH
    assert others == [
        "subset: 6 questions that every model answers from the 2 paragraphs needed, so accuracy at n = 2 is 1",
        "one: reader, 0 parameters, float32; context: no limit named",
        "  exact match from the 2 paragraphs: 7 of 8 tested",
        "other: reader, 0 parameters, float32; context: no limit named",
        "  exact match from the 2 paragraphs: 6 of 7 tested",
    ]
    assert asked == {"one": 8 + 6 * 3 * 2, "other": 7 + 6 * 3 * 2}
    assert {prompt.count("\nAnswer: ") for reader in readers.values() for prompt in reader.asked} == {4}
    assert ask("one other") == (0, out, "", {"one": 0, "other": 0})


def test_one_order_then_the_other(ask):
    """Each asks its own prompts alone, and its accuracies are as with both; the prompts of two paragraphs are shared."""
    for order, alone in (("random", {"one": 8, "other": 7}), ("needed-last", {"one": 0, "other": 0})):
        status, out, _, asked = ask("one other", "--n", "2", "4", "8", "--order", order)
        assert status == 0
        assert asked == {name: count + 6 * 2 for name, count in alone.items()}
        found, _ = printed(out)
        expected = {place: by_length for place, by_length in BY_LENGTH.items() if place[1] == order}
        assert found == {place: {n: by_length[n] for n in (2, 4, 8)} for place, by_length in expected.items()}


def test_by_default_350_questions_are_asked(ask, tmp_path):
    data = write_file(tmp_path / "many.json", count=356, distracting=0)
    status, out, _, asked = ask("one", "--n", "2", data=data)
    assert (status, asked) == (0, {"one": 351})
    assert out.startswith("subset: 350 questions that every model answers")
    assert "  exact match from the 2 paragraphs: 350 of 351 tested\n" in out


def test_a_file_cut_in_half_keeps_what_is_answered(ask, capsys, tmp_path, readers, monkeypatch):
    """Interrupted at its fifth reply; the file is cut, then whole again: only what is missing is asked."""

    def exported():
        rows = tmp_path / "rows.jsonl"
        assert call(capsys, "export", "--store", str(tmp_path / "s"), "-o", str(rows))[0] == 0
        return rows.read_bytes()

    whole = write_file(tmp_path / "dev.json").read_bytes()
    complete = Reader.complete

    def interrupted(self, *arguments):
        if len(self.asked) == 4:
            raise KeyboardInterrupt
        return complete(self, *arguments)

    monkeypatch.setattr(Reader, "complete", interrupted)
    status, _, err, asked = ask("one")
    assert (status, asked) == (130, {"one": 4})
    assert err.startswith("seqsep text: interrupted; 4 replies are kept in ")
    monkeypatch.setattr(Reader, "complete", complete)
    kept = exported()
    assert kept.count(b"\n") == 4
    cut = tmp_path / "dev.json"
    cut.write_bytes(whole[: len(whole) // 2])
    status, out, err, asked = ask("one", data=cut)
    assert (status, out, err.count("\n"), asked) == (2, "", 1, {"one": 0})
    assert f"{cut}: expected HotpotQA's JSON, a list of questions, found it cut off at line 1, column " in err
    assert exported() == kept
    cut.write_bytes(whole)
    status, out, _, asked = ask("one", data=cut)
    assert (status, asked) == (0, {"one": 8 - 4 + 7 * 3 * 2})
    assert "  exact match from the 2 paragraphs: 7 of 8 tested\n" in out
    assert set(kept.splitlines()) < set(exported().splitlines())
