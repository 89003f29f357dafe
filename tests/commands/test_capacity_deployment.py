"""`seqsep capacity`: standard input, comparisons, weights and deployments, and what is said about defaults."""

import csv
import io
import json
import resource
import subprocess
import sys

from support.capacity_command import LLAMA, MAMBA, WINDOWED, error_of, text_of

MOST_SECONDS = 0.3
RUNS = 8


def test_standard_input_is_a_file(file, capsys, monkeypatch):
    class Given:
        buffer = io.BytesIO(json.dumps(LLAMA).encode())

    monkeypatch.setattr(sys, "stdin", Given)
    assert text_of(capsys, "-").startswith("llama: 2 layers, 0 fixed numbers, 256 numbers a token\n")
    Given.buffer = io.BytesIO(b"[]")
    assert "standard input: expected a JSON object, found a list of 0" in error_of(capsys, "-")
    Given.buffer = io.BytesIO(b" " * ((4 << 20) + 1))
    assert "standard input: expected at most 4,194,304 bytes, found more" in error_of(capsys, "-")
    assert "-: expected standard input once, found it twice" in error_of(capsys, "-", "-", "--compare")


def test_a_comparison_has_a_row_for_what_it_cannot_read(file, capsys):
    """The other rows are there, and the exit status is that of an answer; without any row it is an error."""
    paths = [file(LLAMA), file({"model_type": "llama"}, "b.json"), "nothing.json"]
    said = text_of(capsys, "--compare", *paths)
    assert f"{paths[1]}: unknown: num_hidden_layers and hidden_size: expected a depth and a width in the file" in said
    assert "nothing.json: unknown: expected a model's config.json, found no such file" in said
    rows = list(csv.DictReader(text_of(capsys, "--compare", "--csv", *paths).splitlines()))
    assert [row["model_type"].partition(":")[0] for row in rows] == ["llama", "unknown", "unknown"]
    assert rows[1]["bytes a token"] == ""
    read, *others = json.loads(text_of(capsys, "--compare", "--json", *paths))
    assert read["bytes_per_token"] == 512
    assert [set(one) for one in others] == [{"file", "unknown"}] * 2
    assert r"\hline" in text_of(capsys, "--compare", "--latex", *paths)
    assert "expected a depth and a width" in error_of(capsys, "--compare", paths[1])


def test_a_comparison_has_units_and_sentences_on_request(file, capsys):
    paths = [file(MAMBA), file(LLAMA, "b.json")]
    said = text_of(capsys, "--compare", *paths)
    assert "19.0 MiB" in said
    assert "keeps more than" not in said
    assert "From 38,913 tokens on llama keeps more than falcon_mamba." in text_of(capsys, "--compare", "--pairs", *paths)


def test_weights_are_taken_from_the_memory(file, tmp_path, capsys):
    path = file(LLAMA)
    asked = ("--memory", "4MiB", "--length", "1000", "--json")
    whole = json.loads(text_of(capsys, path, *asked))["in_memory"]
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": 3 << 20}}))
    for given in ("auto", "3MiB", str(tmp_path), str(tmp_path / "model.safetensors.index.json")):
        left = json.loads(text_of(capsys, path, *asked, "--weights", given))["in_memory"]
        assert left["bytes_of_weights"] == 3 << 20
        assert left["most_tokens"] == (1 << 20) // 512
        assert (whole["most_sequences_of_the_length"], left["most_sequences_of_the_length"]) == (8, 2)
    halves = json.loads(text_of(capsys, path, *asked, "--weights", "auto", "--tensor-parallel", "2"))["in_memory"]
    assert halves["bytes_of_weights"] == 3 << 19
    assert "4.0 MiB: the weights do not fit" in text_of(capsys, path, "--memory", "4MiB", "--weights", "1GiB")
    assert "--weights: bananas: expected a size such as 16GiB" in error_of(capsys, path, *asked, "--weights", "bananas")


def test_a_state_that_does_not_fit_is_named(file, capsys):
    """A fixed state, or what cross-attention keeps of the source, may be larger than the memory; so no length fits."""
    said = text_of(capsys, file(MAMBA), "--memory", "1KiB", "--length", "100")
    assert "memory    1.0 KiB: no length fits: the fixed state takes " in said
    assert "0 sequences" not in said
    t5 = file({"model_type": "t5", "d_model": 64, "num_layers": 3, "num_heads": 4, "d_kv": 10}, "t5.json")
    said = text_of(capsys, t5, "--source-length", "100", "--memory", "1KiB")
    assert "1.0 KiB: no length fits: the cache of the source takes 46.9 KiB" in said
    said = text_of(capsys, t5, "--source-length", "100", "--memory", "80KiB", "--batch", "2", "--length", "1")
    assert "no length fits: the cache of the source for each of 2 sequences takes 93.8 KiB; 1 sequences of 1 tokens" in said
    assert "at most 0 tokens" in text_of(capsys, file(LLAMA), "--memory", "1KiB", "--cache-bits", "64")


def test_a_deployment_in_words(file, capsys):
    given = ("--cache-bits", "q8_0/q4_0", "--tensor-parallel", "2", "--block-size", "16", "--length", "128k")
    said = text_of(capsys, file(LLAMA), *given)
    assert "104 bytes a token at 8.5 bits a key and 4.5 a value. It is kept in blocks of 16 tokens" in said
    assert "bytes are those of one of 2 devices; each device keeps a full copy" in said
    assert "128k means 128,000 tokens; 128Ki means 131,072." in said
    record = json.loads(text_of(capsys, file(LLAMA), *given, "--json"))
    assert (record["cache_bits"], record["value_bits"], record["tensor_parallel"], record["block_size"]) == (8.5, 4.5, 2, 16)


def test_an_encoder_decoder_in_words(file, capsys):
    t5 = file({"model_type": "t5", "d_model": 64, "num_layers": 3, "num_heads": 4, "d_kv": 10})
    assert "240 numbers a source token; none are counted without --source-length" in text_of(capsys, t5)
    said = text_of(capsys, t5, "--source-length", "100")
    assert "100 source tokens: 24,000 numbers" in said
    assert "Crossing: from 100 tokens on the cache of its own attention layers is as large as this state." in said


def test_defaults_that_decide_are_named(file, capsys):
    """A mistral without sliding_window has one of 4,096, and no head count means as many as there are heads."""
    said = text_of(capsys, file({name: value for name, value in WINDOWED.items() if name != "sliding_window"}))
    assert "Not in the file, and decided by a default: sliding_window = 4096." in said
    record = json.loads(text_of(capsys, file(LLAMA), "--json"))
    assert record["defaults"] == {"num_key_value_heads": 4}
    assert record["basis"] == "counted"
    given = file({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4})
    assert "hidden_size: expected a width in the file, found no name of one; --defaults" in error_of(capsys, given)
    assert "hidden_size = 4096" in text_of(capsys, given, "--defaults")


def test_the_command_is_quick(file):
    """0.17 s of processor time were measured. A busy machine takes longer, so the best of some runs counts."""
    words = [sys.executable, "-m", "seqsep", "capacity", file(LLAMA), "--length", "128k", "--memory", "80GiB"]
    assert any(seconds_of_cpu(words) < MOST_SECONDS for _ in range(RUNS))


def seconds_of_cpu(words):
    """The processor time of a command that ends with status 0."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
