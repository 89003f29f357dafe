"""The part of a model's folder that transformers gets to read: safetensors inside of it, and no pickle, code or adapter."""

import json
import os
import pickle
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from seqsep.core.names import BadInput
from seqsep.language_models.loader.folder import INDEX, read_folder
from seqsep.language_models.loader.source import find_source
from support.command_line import call
from support.language_models import build, bytes_tokenizer, save

COMMANDS = (("text", "index", "--n", "3", "--count", "1", "--model"), ("audit",), ("check", "--model"))


class Runs:
    """A pickle of it makes a file when it is loaded."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self):
        return os.mkdir, (str(self.made),)


@pytest.fixture(scope="module")
def sharded(tmp_path_factory):
    """A folder with two shards and an index."""
    made = bytes_tokenizer()
    folder = tmp_path_factory.mktemp("made") / "sharded"
    save(folder, build("attention", len(made)), made)
    shutil.rmtree(folder)
    build("attention", len(made)).save_pretrained(folder, max_shard_size="150KB")
    made.save_pretrained(folder)
    assert len(list(folder.glob("*.safetensors"))) > 1
    return folder


@pytest.fixture
def folder(sharded, tmp_path):
    return shutil.copytree(sharded, tmp_path / "model")


def shards_of(folder: Path) -> dict[str, str]:
    return json.loads((folder / INDEX).read_text())["weight_map"]


def replace_shard(folder: Path, name: object) -> str:
    """Give the index another name for its first shard, which is returned."""
    index = json.loads((folder / INDEX).read_text())
    first = min(index["weight_map"].values())
    index["weight_map"] = {tensor: name if shard == first else shard for tensor, shard in index["weight_map"].items()}
    (folder / INDEX).write_text(json.dumps(index))
    return first


def refused(capsys, folder: Path, tmp_path: Path) -> str:
    """Every command refuses the folder in the same line, without having run its pickle."""
    lines = set()
    for words in COMMANDS:
        further = ("--store", str(tmp_path / "s")) if words[0] == "text" else ()
        status, out, error = call(capsys, *words, str(folder), *further)
        assert (status, out, error.count("\n")) == (2, "", 1), (words, error)
        lines.add(error.removeprefix(f"seqsep {words[0]}: "))
    assert not (tmp_path / "made").exists()
    assert len(lines) == 1
    return lines.pop()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("shard.bin", "found 'shard.bin'"),
        ("../other/model.safetensors", "found '../other/model.safetensors'"),
        ("/etc/model.safetensors", "found '/etc/model.safetensors'"),
        ("./model.safetensors", "found './model.safetensors'"),
        ("a\x00.safetensors", r"found 'a\x00.safetensors'"),
        (3, "found 3"),
    ],
)
def test_an_index_names_safetensors_inside_of_it(capsys, folder, tmp_path, name, shown):
    (tmp_path / "other").mkdir()
    first = folder / replace_shard(folder, name)
    shutil.copy(first, tmp_path / "other" / "model.safetensors")
    (folder / "shard.bin").write_bytes(pickle.dumps(Runs(tmp_path / "made")))
    said = refused(capsys, folder, tmp_path)
    assert f"{folder / INDEX}, field weight_map: expected the name of a safetensors file inside of the folder, {shown}" in said


def test_a_shard_that_is_a_pickle_is_refused(capsys, folder, tmp_path):
    """The name says safetensors, the header does not."""
    first = folder / min(shards_of(folder).values())
    first.write_bytes(pickle.dumps(Runs(tmp_path / "made")))
    assert f"{first}: expected a safetensors file, found" in refused(capsys, folder, tmp_path)


def test_a_shard_without_a_tensor_of_the_index_is_refused(capsys, folder, tmp_path):
    first, second = sorted(set(shards_of(folder).values()))[:2]
    shutil.copy(folder / second, folder / first)
    said = refused(capsys, folder, tmp_path)
    assert f"{folder / first}: expected the tensors that {INDEX} names, found none of " in said


@pytest.mark.parametrize(("kind", "shown"), [("pipe", "found a pipe"), ("nothing", "found none"), ("folder", "found a folder")])
def test_a_shard_that_is_no_file_is_refused(capsys, folder, tmp_path, kind, shown):
    first = folder / min(shards_of(folder).values())
    first.unlink()
    if kind == "pipe":
        os.mkfifo(first)
    if kind == "folder":
        first.mkdir()
    assert f"{first}: expected a regular file, {shown}" in refused(capsys, folder, tmp_path)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[]", "expected a JSON object"),
        ("{", "expected a JSON object, found: "),
        ("{}", "field weight_map: expected an object"),
    ],
)
def test_an_index_without_names_is_refused(capsys, folder, tmp_path, text, shown):
    (folder / INDEX).write_text(text)
    assert shown in refused(capsys, folder, tmp_path)


def test_weights_as_pickles_only_are_refused(capsys, folder, tmp_path):
    for shard in folder.glob("*.safetensors*"):
        shard.unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(tmp_path / "made")))
    expected = "expected weights as model.safetensors, found pytorch_model.bin, which may run code and is never loaded"
    said = refused(capsys, folder, tmp_path)
    assert f"{folder}: {expected}; convert weights to safetensors" in said


def test_a_tokenizer_as_a_pickle_only_is_refused(capsys, folder, tmp_path):
    for found in folder.glob("tokenizer*"):
        found.unlink()
    (folder / "vocab.pkl").write_bytes(pickle.dumps(Runs(tmp_path / "made")))
    for words in COMMANDS[:2]:
        status, _, error = call(capsys, *words, str(folder))
        assert (status, error.count("\n")) == (2, 1)
        assert "expected a tokenizer as tokenizer.json, found vocab.pkl, which may run code and is never loaded" in error
    assert not (tmp_path / "made").exists()


def test_links_to_blobs_are_followed(folder, tmp_path):
    """The hub's cache keeps files as blobs next to the snapshot, which has links to them; shards in subfolders count too."""
    snapshot = tmp_path / "snapshots" / "main"
    (snapshot / "shards").mkdir(parents=True)
    (tmp_path / "blobs").mkdir()
    for number, file in enumerate(sorted(folder.iterdir())):
        name = f"shards/{file.name}" if file.suffix == ".safetensors" else file.name
        blob = shutil.copy(file, tmp_path / "blobs" / str(number))
        (snapshot / name).symlink_to(os.path.relpath(blob, (snapshot / name).parent))
    index = json.loads((folder / INDEX).read_text())
    index["weight_map"] = {tensor: f"shards/{shard}" for tensor, shard in index["weight_map"].items()}
    (snapshot / INDEX).unlink()
    (snapshot / INDEX).write_text(json.dumps(index))
    found = read_folder(snapshot)
    assert found.require_weights() == read_folder(folder).require_weights()
    with found.staged() as staged:
        for name in found.names:
            assert (staged / name).is_file(), name


def test_only_the_listed_files_are_seen(folder):
    """No adapter, no code, no checkpoint of torch.distributed (a pickle), no further weights."""
    strange = (
        "adapter_config.json",
        "adapter_model.safetensors",
        "modeling_mine.py",
        ".metadata",
        "vocab.pkl",
        "a.bin",
        "x.md",
    )
    for name in strange:
        (folder / name).write_text("{}")
    config = json.loads((folder / "config.json").read_text())
    fields = {"auto_map": {"AutoModel": "modeling_mine.Model"}, "transformers_weights": "a.bin", "_attn_implementation": "a/b"}
    (folder / "config.json").write_text(json.dumps(config | fields | {"text_config": fields}))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps(settings | {"vocab_file": "/etc/passwd", "fast_tokenizer_files": []})
    )
    found = read_folder(folder)
    assert not set(strange) & set(found.names)
    with found.staged() as staged:
        assert sorted(str(path.relative_to(staged)) for path in staged.rglob("*")) == found.names
        assert json.loads((staged / "config.json").read_text()) == config | {"text_config": {}}
        assert json.loads((staged / "tokenizer_config.json").read_text()) == settings
    assert not staged.exists()


@pytest.mark.parametrize(
    "name", ["generation_config.json", INDEX, "tokenizer.json", "tokenizer_config.json", "config.json", "chat_template.jinja"]
)
def test_the_digest_is_of_every_file_that_is_read(folder, name):
    """The others too: a change of what transformers reads makes another model of it."""
    (folder / "chat_template.jinja").write_text("")
    before = read_folder(folder).sha256()
    (folder / name).write_text((folder / name).read_text() + "\n")
    after = read_folder(folder).sha256()
    assert before != after
    (folder / "README.md").write_text("read by nobody")
    assert read_folder(folder).sha256() == after


def test_the_digest_is_of_shards_in_subfolders(folder):
    first = replace_shard(folder, "deep/er/one.safetensors")
    moved = folder / "deep" / "er" / "one.safetensors"
    moved.parent.mkdir(parents=True)
    (folder / first).rename(moved)
    found = read_folder(folder)
    assert found.require_weights()
    before = found.sha256()
    data = bytearray(moved.read_bytes())
    data[-1] ^= 1
    moved.write_bytes(data)
    assert found.sha256() != before


def test_weights_whose_index_is_sharded_give_the_same_model(folder, tmp_path):
    """A folder with shards is loaded as one without is."""
    from seqsep.language_models.loader.weights import built

    whole = tmp_path / "whole"
    build("attention", len(bytes_tokenizer())).save_pretrained(whole)
    one, other = (built(find_source(path, {})).state_dict() for path in (folder, whole))
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)


def test_a_file_with_another_kind_of_name_is_not_json(folder):
    (folder / "tokenizer_config.json").write_text("[]")
    with pytest.raises(BadInput, match=r"tokenizer_config\.json: expected a JSON object"), read_folder(folder).staged():
        pass


def test_weights_of_another_configuration_are_refused(capsys, folder, tmp_path):
    """A model of fewer layers than its weights have is another model."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": config["num_hidden_layers"] - 1}))
    assert "expected the weights of the model in config.json only, found also model.layers." in refused(
        capsys, folder, tmp_path
    )


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.int8, torch.bool])
def test_weights_in_a_code_are_refused(capsys, folder, tmp_path, dtype):
    """Without a quantization_config nothing says which numbers they stand for."""
    weights = build("attention", len(bytes_tokenizer())).state_dict()
    name = next(name for name in sorted(weights) if name.endswith("gate_proj.weight"))
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    copies = {key: value.clone() for key, value in weights.items()}
    save_file(copies | {name: copies[name].to(dtype)}, folder / "model.safetensors", {"format": "pt"})
    assert f"without a quantization_config, found {name} of " in refused(capsys, folder, tmp_path)
