"""`seqsep text`: accuracies are printed, replies resumed one by one, bad input is one line; nothing is downloaded unasked."""

import json
import re
import shutil
import socket
import sys

import pytest
import torch

from seqsep.lab.row import read_rows
from seqsep.lab.store.store import Store
from seqsep.language_models.text.evaluation import Evaluation
from seqsep.language_models.text.language_model import LanguageModel
from seqsep.language_models.text.reply import Reply
from support.command_line import call, json_lines
from support.hotpotqa import write_file
from support.language_models import FAMILIES, build, bytes_tokenizer, save, words_tokenizer

FIRST_LINES = {
    "attention": "tiny: llama, 56,992 parameters, float32; context: 256 tokens",
    "recurrent": "tiny: mamba, 34,528 parameters, float32; context: no limit named",
    "hybrid": "tiny: bamba, 61,180 parameters, float32; context: 262,144 tokens",
}
STATE_BITS = {"attention": (2048, 0), "recurrent": (0, 32_768), "hybrid": (1024, 26_624)}
"""Of each family: those that every token of a prompt adds, and those that are always there."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder for each family, with weights drawn at random; attention reads 256 tokens."""
    made = bytes_tokenizer()
    changes = {"attention": {"max_position_embeddings": 256}}
    return {
        family: save(tmp_path_factory.mktemp(family) / "tiny", build(family, len(made), **changes.get(family, {})), made)
        for family in FAMILIES
    }


@pytest.fixture(scope="module")
def folder(folders):
    return folders["attention"]


@pytest.fixture
def asked(monkeypatch):
    """The number of prompts that models were asked."""
    counts = []
    complete = LanguageModel.complete

    def counted(self, prompts, is_complete, most_tokens):
        counts.append(len(prompts))
        return complete(self, prompts, is_complete, most_tokens)

    monkeypatch.setattr(LanguageModel, "complete", counted)
    return counts


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refused(self, address):
        raise AssertionError(f"a connection to {address} was tried")

    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("task", ["phonebook", "index"])
def test_accuracies_chance_and_limits_are_printed(capsys, tmp_path, folders, task, family):
    flags = ("--n", "4", "3", "--count", "2", "--store", str(tmp_path / "s"))
    status, out, err = call(capsys, "text", task, "--model", str(folders[family]), *flags)
    assert (status, err) == (0, "")
    first, three, four = out.splitlines()
    assert first == FIRST_LINES[family]
    assert three.startswith(
        "  n = 3    0.0 % (standard error 0.0) of 2; of the answers' tokens 0.0 %; chance 100.0 %; prompt up to"
    )
    assert "n = 4 " in four
    assert "chance 50.0 %" in four
    each, fixed = STATE_BITS[family]
    for line in (three, four):
        tokens, bits = re.fullmatch(r".*; prompt up to (\d+) tokens; state ([\d,]+) bits", line).groups()
        assert bits == f"{each * int(tokens) + fixed:,}"


@pytest.mark.parametrize("family", FAMILIES)
def test_questions_together_are_as_questions_alone(capsys, tmp_path, folders, asked, family):
    """Two of three prompts have equally many tokens; each reply is the same to the letter."""
    rows = []
    for batch, expected in (("1", [1, 1, 1]), ("2", [2, 1])):
        flags = ("--n", "3", "--count", "3", "--batch", batch, "--store", str(tmp_path / batch))
        assert call(capsys, "text", "index", "--model", str(folders[family]), *flags)[0] == 0
        assert asked == expected
        asked.clear()
        rows.append(tmp_path / f"{batch}.jsonl")
        assert call(capsys, "export", "--store", str(tmp_path / batch), "-o", str(rows[-1]))[0] == 0
    assert rows[0].read_bytes() == rows[1].read_bytes()


def test_replies_go_on_where_they_were(capsys, tmp_path, folder, asked):
    command = ("text", "phonebook", "--model", str(folder), "--n", "3", "4", "--json", "--store", str(tmp_path / "s"))
    assert call(capsys, *command, "--count", "2")[0] == 0
    assert sum(asked) == 4
    status, out, _ = call(capsys, *command, "--count", "3")
    assert status == 0
    assert sum(asked) == 6
    assert [line["questions"] for line in json_lines(out)] == [3, 3]
    assert call(capsys, *command, "--count", "3")[1] == out
    assert sum(asked) == 6


def test_a_killed_evaluation_keeps_what_is_answered(capsys, tmp_path, folder, asked, monkeypatch):
    """Interrupted after each number of replies and started again, it exports the bytes of one that was not."""

    def exported(store):
        rows = tmp_path / f"{store}.jsonl"
        assert call(capsys, "export", "--store", str(tmp_path / store), "-o", str(rows))[0] == 0
        return rows.read_bytes()

    def evaluate(store):
        flags = ("--n", "3", "4", "--count", "2", "--store", str(tmp_path / store))
        return call(capsys, "text", "phonebook", "--model", str(folder), *flags)

    assert evaluate("whole")[0] == 0
    answer = Evaluation._answer
    for after in range(4):
        left = [after]

        def interrupted(self, alike, on_reply, left=left):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            answer(self, alike, on_reply)

        monkeypatch.setattr(Evaluation, "_answer", interrupted)
        store = f"killed-{after}"
        status, _, err = evaluate(store)
        replies = f"seqsep text: interrupted; {after} replies are kept in {tmp_path / store}; "
        kept = f"{replies}the same command asks the remaining questions\n"
        assert (status, err) == (130, kept)
        assert exported(store).count(b"\n") == after
        monkeypatch.setattr(Evaluation, "_answer", answer)
        asked.clear()
        assert evaluate(store)[0] == 0
        assert sum(asked) == 4 - after
        assert exported(store) == exported("whole")


def test_rows_go_through_export_import_and_show(capsys, tmp_path, folder):
    assert (
        call(capsys, "text", "index", "--model", str(folder), "--n", "3", "--count", "2", "--store", str(tmp_path / "s"))[0]
        == 0
    )
    rows = tmp_path / "text-index.jsonl"
    assert call(capsys, "export", "--store", str(tmp_path / "s"), "-o", str(rows))[1].startswith("2 rows")
    replies = [Reply.of_row(row) for row in read_rows(rows)]
    assert [(reply.task, reply.length, reply.model.name) for reply in replies] == [("index", 3, "tiny")] * 2
    assert call(capsys, "store", "import", str(tmp_path / "new"), str(rows))[1].endswith("2 new of 2 rows\n")
    assert "text-index: 2 finished, 0 failed" in call(capsys, "store", "show", str(tmp_path / "new"))[1]
    damaged = json.loads(rows.read_text().splitlines()[0])
    del damaged["result"]["accuracy"]
    rows.write_text(json.dumps(damaged) + "\n")
    with pytest.raises(ValueError, match="line 1: expected a finished row, found one without accuracy"):
        read_rows(rows)


def test_a_copy_of_the_model_elsewhere_is_the_same_model(capsys, tmp_path, folder, asked):
    copy = shutil.copytree(folder, tmp_path / "copy")
    flags = ("--n", "3", "--count", "1", "--store", str(tmp_path / "s"))
    for place in (folder, copy):
        assert call(capsys, "text", "phonebook", "--model", str(place), *flags)[0] == 0
    assert sum(asked) == 1


def test_hotpotqa_with_a_model_that_knows_nothing(capsys, tmp_path, asked):
    made = bytes_tokenizer()
    model = save(tmp_path / "tiny", build("attention", len(made)), made)
    data = write_file(tmp_path / "dev.json", count=7)
    flags = ("--shots", "1", "--count", "3", "--candidates", "2", "--store", str(tmp_path / "s"))
    status, out, _ = call(capsys, "text", "hotpotqa", "--model", str(model), "--data", str(data), *flags)
    assert status == 0
    assert out.splitlines()[0].startswith("subset: 0 questions that every model answers")
    assert "exact match from the 2 paragraphs: 0 of 2 tested" in out
    assert sum(asked) == 2


@pytest.mark.parametrize("task", ["phonebook", "index", "hotpotqa"])
def test_a_prompt_can_be_seen_without_a_model(capsys, tmp_path, monkeypatch, task):
    monkeypatch.setitem(sys.modules, "transformers", None)
    data = ("--data", str(write_file(tmp_path / "dev.json"))) if task == "hotpotqa" else ()
    status, out, _ = call(capsys, "text", task, "--show", *data)
    assert status == 0
    assert out.splitlines()[-1].startswith("--- expected: ")


def test_a_prompt_beyond_the_context_keeps_the_shorter_ones(capsys, tmp_path, folder):
    flags = ("--count", "2", "--store", str(tmp_path / "s"))
    status, out, err = call(capsys, "text", "phonebook", "--model", str(folder), "--n", "40", "3", *flags)
    assert status == 2
    assert "n = 3 " in out
    assert err.count("\n") == 1
    assert "phonebook, n = 40, question 0: expected at most 256 tokens" in err
    assert f"{folder}/config.json, field max_position_embeddings" in err
    assert "2 finished" in call(capsys, "store", "show", str(tmp_path / "s"))[1]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_logits_that_are_not_finite_are_an_error(capsys, tmp_path, folder, value):
    """They were answers: 0.0 %, with status 0. A reply that was finite is kept."""
    made = bytes_tokenizer()
    network = build("attention", len(made))
    torch.nn.init.constant_(network.lm_head.weight, value)
    spoiled = save(tmp_path / "spoiled", network, made)
    capsys.readouterr()
    flags = ("--n", "3", "--count", "2", "--batch", "2", "--store", str(tmp_path / "s"))
    status, out, err = call(capsys, "text", "phonebook", "--model", str(spoiled), *flags)
    assert (status, err.count("\n")) == (2, 1)
    assert "%" not in out
    assert "spoiled: phonebook, n = 3, question 0: expected finite logits, found NaN or infinity after the prompt " in err
    assert not list(Store(tmp_path / "s").rows("text-phonebook"))


def test_a_tokenizer_without_symbols_is_status_2(capsys, tmp_path, folder):
    copy = shutil.copytree(folder, tmp_path / "copy")
    words_tokenizer(without="57").save_pretrained(copy)
    flags = ("--n", "9", "--store", str(tmp_path / "s"))
    status, _, err = call(capsys, "text", "phonebook", "--model", str(copy), *flags)
    assert (status, err.count("\n")) == (2, 1)
    assert f"{copy}, tokenizer: " in err
    assert err.endswith("it loses '5', '7'\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("phonebook", "seqsep text: phonebook: expected one --model PATH_OR_NAME, found 0"),
        ("phonebook --model a --model b", "expected one --model PATH_OR_NAME, found 2"),
        ("phonebook --model {folder} --n 2", "length 2, 2 examples: the length is above the number of examples"),
        ("phonebook --model {folder} --n 0", "expected a whole number from 1"),
        ("phonebook --model {folder} --digits 10", "digits are 1 to 9"),
        ("phonebook --model {folder} --seed -1", "2^64"),
        ("index --digits 3", "seqsep text: index: --digits is only for seqsep text phonebook"),
        ("index --data x.json", "--data is only for seqsep text hotpotqa"),
        ("index --model no/such/folder", "no/such/folder: expected the folder of a model, found no such folder"),
        ("index --model {file}", "{file}: expected the folder of a model, found a file"),
        ("index --model {empty}", "{empty}: expected the folder of a model with config.json, found none"),
        ("hotpotqa --model {folder}", "seqsep text: hotpotqa: expected --data FILE"),
        ("hotpotqa --model {folder} --data no/such.json", "no/such.json: No such file"),
        ("hotpotqa --model {folder} --data {file}", "{file}: expected HotpotQA's JSON, a list of questions, found it cut off"),
        ("hotpotqa --data {data}", "expected --model PATH_OR_NAME, found none"),
        ("hotpotqa --data {data} --n 1", "expected 2 paragraphs or more"),
        ("hotpotqa --data {data} --n 12", "expected more than 4 questions of 12 paragraphs"),
        ("words", "expected phonebook, index, hotpotqa, found"),
    ],
)
def test_bad_input_is_one_line_and_opens_no_store(capsys, tmp_path, folder, words, expected):
    data = write_file(tmp_path / "dev.json")
    file = tmp_path / "half.json"
    file.write_bytes(data.read_bytes()[:5000])
    empty = tmp_path / "empty"
    empty.mkdir()
    fill = {"folder": folder, "file": file, "data": data, "empty": empty}
    status, out, err = call(capsys, "text", *words.format(**fill).split(), "--store", str(tmp_path / "s"))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert expected.format(**fill) in err
    assert not (tmp_path / "s").exists()


def test_without_transformers_one_line_says_what_to_install(capsys, monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "transformers", None)
    status, _, err = call(capsys, "text", "phonebook", "--model", str(folder))
    assert status == 3
    assert err.count("\n") == 1
    assert err.endswith("pip install '.[hf]' in a clone of seqsep\n")


def test_a_name_of_the_hub_offline_is_one_line(capsys, tmp_path, monkeypatch):
    """Only here something is asked of the network, which is refused."""
    tried = []

    def refused(self, address):
        tried.append(address)
        raise OSError("the network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    status, _, err = call(capsys, "text", "phonebook", "--model", "nobody/no-such-model", "--store", str(tmp_path / "s"))
    assert status == 3
    assert err.count("\n") == 1
    assert err.startswith(
        "seqsep text: nobody/no-such-model: expected the folder of a model, or a model of the hub, found no such folder"
    )
    assert not (tmp_path / "s").exists()
