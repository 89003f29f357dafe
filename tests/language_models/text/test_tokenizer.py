"""Tokenizers run in a process of their own: beyond its limits, and with tokens that the model has not, one line says so."""

import json
import os
import shutil
import subprocess

import pytest

import seqsep.language_models.text.tokenizer as room
from seqsep.core.names import BadInput
from seqsep.language_models.laws.receiver import python_module
from seqsep.language_models.loader.folder import read_folder
from seqsep.language_models.text.tokenizer import Tokenizer
from support.command_line import call
from support.language_models import build, bytes_tokenizer, save

GROWING = [
    {"type": "Replace", "pattern": {"String": before}, "content": after * 20}
    for before, after in zip("eabcdfgh", "abcdfghi", strict=True)
]
"""Each e becomes 20 letters, each of them 20 others, eight times over: 25 billion."""
BACKTRACKING = {"type": "Replace", "pattern": {"Regex": "(a+)+#"}, "content": "x"}
PROMPT = "Here are eight letters."


@pytest.fixture
def little_memory(monkeypatch):
    """A process of 600 MiB, started for this test and ended after it."""
    monkeypatch.setattr(room, "MEMORY", 600 << 20)
    room._PROCESS.close()
    yield
    room._PROCESS.close()


@pytest.fixture
def little_time(monkeypatch):
    """A process that has a second for each request, started for this test and ended after it."""
    monkeypatch.setattr(room, "SECONDS", 1.0)
    room._PROCESS.close()
    yield
    room._PROCESS.close()


@pytest.fixture
def folder(folders, tmp_path):
    return shutil.copytree(folders["attention"], tmp_path / "model")


def changed(folder, **fields):
    """The folder with a tokenizer of other parts."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    return folder


def test_tokens_and_texts_are_those_of_transformers(folders):
    made = bytes_tokenizer()
    found = Tokenizer(read_folder(folders["attention"]))
    tokens = found.encode(PROMPT)
    assert tokens == made(PROMPT)["input_ids"]
    assert found.decode([*tokens, 0]) == f"{PROMPT}<end>"
    assert found.decode([*tokens, 0], plain=True) == PROMPT
    assert (found.eos_token_id, found.unk_token_id, found.unk_token) == (made.eos_token_id, made.unk_token_id, "None")


def test_two_tokenizers_are_not_mixed_up(folders, folder):
    lower = {"normalizer": {"type": "Lowercase"}}
    one, other = (Tokenizer(read_folder(path)) for path in (folders["attention"], changed(folder, **lower)))
    for _ in range(2):
        assert one.decode(one.encode("Ada")) == "Ada"
        assert other.decode(other.encode("Ada")) == "ada"


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
def test_a_text_that_grows_beyond_the_memory_is_one_line(folder):
    found = Tokenizer(read_folder(changed(folder, normalizer={"type": "Sequence", "normalizers": GROWING})))
    assert found.encode("13")
    with pytest.raises(BadInput) as error:
        found.encode(PROMPT)
    expected = "expected one that needs at most 600 MiB for a text, found one that needs more or crashes"
    assert str(error.value) == f"{folder}, tokenizer: {expected}"
    assert found.encode("13")  # the process is started again


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
def test_an_answer_that_grows_beyond_the_memory_is_one_line(folder):
    """The model's reply is not known before, so it is decoded there too."""
    parts = [json.loads((folder / "tokenizer.json").read_text())["decoder"], *GROWING]
    found = Tokenizer(read_folder(changed(folder, decoder={"type": "Sequence", "decoders": parts})))
    tokens = found.encode(PROMPT)
    with pytest.raises(BadInput, match="model, tokenizer: expected one that needs at most 600 MiB"):
        found.decode(tokens)


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
def test_added_tokens_that_grow_are_one_line(folder):
    """They are normalized when the tokenizer is loaded."""
    settings = {"id": 599, "content": "e" * 9, "normalized": True, "special": False}
    token = settings | {"single_word": False, "lstrip": False, "rstrip": False}
    changed(folder, normalizer={"type": "Sequence", "normalizers": GROWING}, added_tokens=[token])
    with pytest.raises(BadInput, match="model, tokenizer: expected one that needs at most 600 MiB"):
        Tokenizer(read_folder(folder))


@pytest.mark.slow
@pytest.mark.usefixtures("little_time")
def test_a_text_that_takes_too_long_is_one_line(folder):
    changed(folder, normalizer=BACKTRACKING)
    with pytest.raises(BadInput) as error:
        Tokenizer(read_folder(folder)).encode(("a" * 20 + "!") * 2000)
    expected = "expected one that needs at most 1 seconds for a text, found one that needs more"
    assert str(error.value) == f"{folder}, tokenizer: {expected}"


def test_a_process_that_was_ended_is_started_again(folders):
    found = Tokenizer(read_folder(folders["attention"]))
    tokens = found.encode(PROMPT)
    room._PROCESS.process.kill()
    room._PROCESS.process.wait()
    assert found.encode(PROMPT) == tokens


def test_a_panic_of_the_library_is_one_line(folder):
    """Its search gives up after too many steps; the process lives on."""
    found = Tokenizer(read_folder(changed(folder, normalizer=BACKTRACKING)))
    process = room._PROCESS.process
    with pytest.raises(
        BadInput, match="tokenizer: expected one that reads and writes text, found PanicException: Onig"
    ) as error:
        found.encode("a" * 60)
    assert "\n" not in str(error.value)
    assert room._PROCESS.process is process


@pytest.mark.usefixtures("little_memory")
def test_the_command_says_which_tokenizer(capsys, folder, tmp_path):
    changed(folder, normalizer={"type": "Sequence", "normalizers": GROWING})
    for words in (("text", "index", "--n", "3", "--store", str(tmp_path / "s"), "--model"), ("audit",)):
        status, _, error = call(capsys, *words, str(folder))
        assert (status, error.count("\n")) == (2, 1)
        assert f"{folder}, tokenizer: expected one that needs at most 600 MiB for a text" in error


def test_a_token_beyond_the_vocabulary_is_named(capsys, tmp_path):
    """The tokenizer has 600 tokens, the model reads 300."""
    made = bytes_tokenizer()
    folder = save(tmp_path / "model", build("attention", 300), made)
    capsys.readouterr()
    for words in (("text", "phonebook", "--n", "3", "--store", str(tmp_path / "s"), "--model"), ("audit",)):
        status, _, error = call(capsys, *words, str(folder))
        assert (status, error.count("\n")) == (2, 1)
        said = f"{folder}, tokenizer: expected tokens below 300, the vocabulary of the model, found token "
        assert said in error
        number, text = error.partition(said)[2].rstrip().split(", which is ")
        assert made.decode([int(number)]) == json.loads(f'"{text[1:-1]}"')
        assert 300 <= int(number) < 600


def test_an_end_beyond_the_vocabulary_is_never_fed(capsys, folder, tmp_path):
    """It was used to fill up the shorter answers of a batch."""
    for name in ("config.json", "generation_config.json"):
        fields = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(fields | {"eos_token_id": [10**6, -1]}))
    words = ("text", "index", "--n", "3", "--count", "4", "--batch", "4", "--store", str(tmp_path / "s"))
    assert call(capsys, *words, "--model", str(folder))[::2] == (0, "")


@pytest.mark.parametrize("variable", [None, "", f"elsewhere{os.pathsep}"])
def test_no_code_of_the_current_folder_is_run(tmp_path, monkeypatch, variable):
    """`seqsep check --model .` in a model's folder that has a module of the standard library's name."""
    (tmp_path / "json.py").write_text("raise SystemExit('code of the folder was run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if variable is not None:
        monkeypatch.setenv("PYTHONPATH", variable)
    command, environment = python_module("seqsep.language_models.text.tokenizer_process", str(1 << 30), "9")
    done = subprocess.run(command, env=environment, input=b"", capture_output=True, check=True)
    assert (done.stdout, b"json.py" in done.stderr) == (b"", False)
    command, environment = python_module("seqsep.language_models.laws.receiver")
    given = [*command[: command.index("-m")], "-c", "import json, sys; print(sys.path)"]
    done = subprocess.run(given, env=environment, capture_output=True, check=True)
    assert repr(str(tmp_path)).encode() not in done.stdout
    assert b"''" not in done.stdout
