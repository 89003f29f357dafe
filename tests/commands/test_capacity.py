"""`seqsep capacity`: text, JSON, what is asked besides, comparisons, and what is refused."""

import csv
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import seqsep
from seqsep.language_models.capacity.one_layer_text import one_layer_record, one_layer_sentences
from seqsep.language_models.capacity.published import published
from support.capacity_command import LLAMA, MAMBA, WINDOWED, error_of, text_of

ROOT = Path(__file__).parents[2]
KEYS = ["model_type", "fixed_numbers", "window_numbers", "numbers_per_token", "fixed_bytes", "bytes_per_token"]
KEYS += ["crossing_tokens", "limits"]


def test_json_has_the_fields_that_were_promised(file, capsys):
    record = json.loads(text_of(capsys, file(MAMBA), "--json"))
    assert set(KEYS) <= set(record)
    assert record["fixed_numbers"] == 9_961_472
    assert record["allocated_numbers"] == 10_485_760
    assert record["fixed_bytes"] == 2 * 9_961_472
    assert record["crossing_tokens"] == 19
    assert record["limits"][0]["no_model_beyond_items"] == 26_563_925
    assert "at_length" not in record


def test_the_text_leads_with_sizes_and_says_what_is_proved(file, capsys):
    said = text_of(capsys, file(MAMBA), "--length", "1M")
    places = [
        said.index(part) for part in ("19.0 MiB", "35.0 MiB", "Crossing", "no model with this state, however trained, can")
    ]
    assert places == sorted(places)
    assert "1,000,000 tokens of 64 symbols need 6,000,000 bits for every input, 3.8 % of this state." in said
    assert "10,485,760 numbers are allocated" in said
    assert "--state-bits 32" in said
    assert "These are upper limits" in said


@pytest.mark.parametrize(
    "fields", [MAMBA, LLAMA, WINDOWED, *(model.config for model in published())], ids=lambda f: f["model_type"]
)
def test_no_text_promises_what_a_model_can_do(fields, file, capsys):
    said = text_of(capsys, file(fields), "--length", "4096", "--memory", "80GiB").lower()
    for word in ("can retrieve", "up to n", "context limit", "quality"):
        assert re.search(rf"\b{word}", said) is None
    assert "no model with this state, however trained, can" in said or "argument excludes no length" in said


def test_windows_have_a_horizon(file, capsys):
    said = text_of(capsys, file(WINDOWED))
    assert "nothing older than 16 tokens can have any influence" in said
    assert "a twin whose windows keep every token" in said


def test_what_fits_in_a_memory(file, capsys):
    words = [file(LLAMA), "--memory", "1MiB", "--length", "100", "--batch", "2", "--json"]
    found = json.loads(text_of(capsys, *words))
    a_token = 2 * 2 * 64 * 2
    assert found["at_length"]["bytes_read"] == 2 * 100 * a_token
    assert found["in_memory"] == {
        "bytes": 1 << 20,
        "batch": 2,
        "most_tokens": (1 << 20) // (2 * a_token),
        "most_sequences_of_the_length": (1 << 20) // (100 * a_token),
    }
    model = seqsep.capacity(LLAMA)
    for memory in (a_token - 1, a_token, 1 << 20):
        most = model.longest_in(memory)
        assert model.bytes_at(most) <= memory < model.bytes_at(most + 1)
    assert seqsep.capacity(MAMBA).longest_in(1 << 30) is None
    assert seqsep.capacity(MAMBA).longest_in(1 << 20) == 0


def test_widths_of_numbers(file, capsys):
    found = json.loads(text_of(capsys, file(LLAMA), "--cache-bits", "8", "--state-bits", "32", "--json"))
    assert found["bytes_per_token"] == 2 * 2 * 64
    assert found["state_bits"] == 32
    assert "at 8 bits a number" in text_of(capsys, file(LLAMA), "--cache-bits", "8")


def test_models_beside_each_other(file, capsys):
    paths = [file(MAMBA, "a.json"), file(LLAMA, "b_1.json")]
    table = text_of(capsys, "--compare", *paths, "--length", "1k")
    assert [line.split()[1] for line in table.splitlines()[1:3]] == ["falcon_mamba", "llama"]
    rows = text_of(capsys, "--compare", *paths, "--csv").splitlines()
    assert rows[0].startswith("file,model_type,fixed numbers")
    assert "crossing (tokens)" in rows[0]
    assert rows[0].endswith(",limit on list length (64 values)")
    assert len(rows) == 3
    latex = text_of(capsys, "--compare", *paths, "--latex")
    assert latex.startswith(r"\begin{tabular}{ll")
    assert r"b\_1.json" in latex
    assert len(json.loads(text_of(capsys, "--compare", *paths, "--json"))) == 2


def test_a_model_described_by_hand(file, capsys):
    layers = [{"count": 3, "fixed_numbers": 100}, {"numbers_per_token": 8}, {"numbers_per_token": 4, "window": 11}]
    found = json.loads(text_of(capsys, file({"model_type": "by-hand", "layers": layers}), "--json"))
    assert found["fixed_numbers"] == 300
    assert found["window_numbers"] == 40
    assert found["numbers_per_token"] == 8
    assert found["fixed_bytes_as_transformers"] == 4 * 300 + 2 * 40
    said = error_of(capsys, file({"model_type": "by-hand", "layers": [{"fixed": 3}]}))
    assert "layers 0: fixed: expected count, fixed_numbers, numbers_per_token or window" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--memory", "80 bananas"], "--memory: expected a number with"),
        (["--length", "-1"], "--length"),
        (["--length", "0"], "--length: expected a whole number from 1"),
        (["--length", "1.0005k"], "--length: expected a whole number from 1"),
        (["--state-bits", "0"], "--state-bits: expected bits from 1 to 64, or a format such as fp8, q8_0 or nvfp4, found 0"),
        (["--state-bits", "65"], "--state-bits: expected bits from 1 to 64, or a format such as fp8, q8_0 or nvfp4, found 65"),
        (
            ["--cache-bits", "q9"],
            "--cache-bits: expected bits from 1 to 64, or a format such as fp8, q8_0 or nvfp4, found 'q9'",
        ),
        (["--tensor-parallel", "0"], "--tensor-parallel: expected a whole number from 1"),
        (["--block-size", "1.5"], "--block-size: expected a whole number from 1"),
        (["--weights", "16GiB"], "--weights: expected --memory with it, found none"),
        (["--pairs"], "--pairs: expected --compare with it, found none"),
        (["--csv"], "--csv and --latex: expected --compare with them"),
        (["--lenght", "3"], "did you mean --length?"),
    ],
)
def test_wrong_flags_are_refused_in_one_line(words, says, file, capsys):
    assert says in error_of(capsys, file(MAMBA), *words)


def test_a_comparison_counts_the_batch_and_the_memory(file, capsys):
    paths = [file(MAMBA), file(LLAMA, "b.json")]
    alone = [json.loads(text_of(capsys, path, "--json")) for path in paths]
    rows = list(csv.DictReader(text_of(capsys, "--compare", *paths, "--csv", "--length", "1k", "--batch", "8").splitlines()))
    once = list(csv.DictReader(text_of(capsys, "--compare", *paths, "--csv", "--length", "1k").splitlines()))
    assert [int(row["bytes at 1,000 tokens of 8 sequences"]) for row in rows] == [
        8 * int(row["bytes at 1,000 tokens"]) for row in once
    ]
    given = ("--csv", "--length", "1k", "--memory", "1GiB")
    fit = list(csv.DictReader(text_of(capsys, "--compare", *paths, *given).splitlines()))
    assert [row["most tokens in 1.0 GiB"] == "" for row in fit] == [one["numbers_per_token"] == 0 for one in alone]
    assert all(int(row["sequences of 1,000 tokens"]) > 0 for row in fit)


def test_models_of_one_family_are_told_apart_by_their_files(file, capsys):
    paths = [file(LLAMA), file({**MAMBA, "hidden_size": 4096}, "b.json"), file({**LLAMA, "num_hidden_layers": 1}, "c.json")]
    said = text_of(capsys, "--compare", "--pairs", *paths)
    assert f"keeps more than {paths[2]}" not in said  # they never change places
    assert re.search(r"From [\d,]+ tokens on \S*c.json keeps more than falcon_mamba\.", said)


def test_a_misspelt_field_is_asked_about(file, capsys):
    said = text_of(
        capsys, file({"model_type": "bamba", "hidden_size": 4096, "num_hidden_layers": 32, "attn_layer_indcies": [9]})
    )
    assert "attn_layer_indcies is not read; attn_layer_indices is left out and taken as None: is it meant?" in said


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "bamba", "mamba_d_head": 32}, "mamba_n_heads times mamba_d_head to be the recurrence's width, 8,192"),
        ({"model_type": "mamba2", "num_heads": 3}, "num_heads times head_dim to be the recurrence's width, 8,192, found 192"),
    ],
)
def test_heads_that_are_not_the_recurrences_width_are_refused(file, capsys, config, said):
    """As `transformers` refuses them."""
    assert said in error_of(capsys, file(config))


def test_several_files_need_compare(file, capsys):
    assert "--compare takes several" in error_of(capsys, file(MAMBA), file(LLAMA, "b.json"))
    assert "nothing.json: expected a model's config.json, found no such file" in error_of(capsys, "nothing.json")


def test_nothing_heavy_is_loaded(file):
    code = (
        "import sys; from seqsep.commands.cli import main; main(sys.argv[1:]); "
        "print({'torch', 'transformers'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", code, "capacity", file(MAMBA), "--json"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "set()"


def test_from_python_it_is_a_function():
    assert seqsep.capacity(LLAMA).numbers_per_token == 256
    assert str(seqsep.capacity(LLAMA)).startswith("llama: 2 layers, 0 fixed numbers, 256 numbers a token\nkind")
    assert "<table>" in seqsep.capacity(LLAMA)._repr_html_()


def _cells(row):
    return [cell.strip() for cell in row.split("|")]


def test_one_layer_says_the_numbers_of_the_table(file, capsys):
    """The numbers of Llama-3.1-8B in docs/reference/capacity.md; without a vocabulary there is no line on induction heads."""
    model = {**LLAMA, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128_256}
    said = text_of(capsys, file(model), "--one-layer")
    assert said.startswith(text_of(capsys, file(model)))
    rows = [line for line in (ROOT / "docs/reference/capacity.md").read_text().splitlines() if "Llama-3.1-8B |" in line]
    [(composed, wide, exact)] = [_cells(row)[3:6] for row in rows if "H = 32, m = 128" in row]
    induced = _cells(rows[2])[2]
    for words in (f"n = {composed} on", f"{wide} by sums", f"{exact} by exact", f"behind {induced} tokens"):
        assert words in said
    del model["vocab_size"]
    assert "induction" not in text_of(capsys, file(model), "--one-layer")
    record = json.loads(text_of(capsys, file(model), "--one-layer", "--json"))["one_layer"]
    assert (record["composition_fails_from"], record["induction_fails_from"]) == (int(composed.replace(",", "")), None)


def test_one_layer_of_every_published_model_is_in_words():
    """Each length that is said is the record's, whichever form the layer has; the model's own is said for fixed states only."""
    for found in [model.capacity() for model in published()]:
        record, said = one_layer_record(found), "\n".join(one_layer_sentences(found))
        lengths = [value for name, value in record.items() if name.endswith("_from") and value is not None]
        assert all(f"{value:,}" in said for value in lengths)
        assert ("nothing is proved of a layer of this form" in said) == (record["heads"] is record["state_numbers"] is None)
        assert (record["model_composition_fails_from"] is None) == ("its cache grows" in said)


def test_one_layer_is_of_one_model(file, capsys):
    files = [file(LLAMA, "a.json"), file(MAMBA, "b.json")]
    assert "--one-layer: expected one model, found --compare" in error_of(capsys, *files, "--compare", "--one-layer")


def test_wide_values_are_not_computed_with_exact_weights(file, capsys):
    """With 31,250 coordinates they take minutes; by rounded sums it is a product."""
    wide = file({**LLAMA, "hidden_size": 1_000_000, "num_attention_heads": 32, "vocab_size": 1000})
    start = time.process_time()
    said = text_of(capsys, wide, "--one-layer")
    assert time.process_time() - start < 2
    assert "not computed by exact weights" in said
    assert "induction" not in said


def test_a_field_that_is_read_under_its_saved_name_is_no_mistake(file, capsys):
    """A file of RecurrentGemma has `_block_types`, which is read in place of `block_types`."""
    sizes = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 2, "lru_width": 64, "vocab_size": 100}
    found = text_of(capsys, file({"model_type": "recurrent_gemma", **sizes, "_block_types": ["recurrent", "attention"]}))
    assert "is not read" not in found
    assert "\nrecurrent " in found
