"""Files from public reports about tools of this kind, rewritten small, each with its right answer.

Their numbers are those of the collection of cases: `07` is the seventh case, and so on.
"""

from pathlib import Path

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity import capacity
from seqsep.language_models.capacity.families import family
from seqsep.language_models.capacity.notes import notes

FILES = Path(__file__).parents[2] / "support/model_files"


def test_sizes_under_other_names_are_read():
    """07: an OPT of a calculator, with num_layers, n_head and hidden_dim, and an MLC file with its sizes inside."""
    opt = capacity(FILES / "07-calculator-file.json")
    assert opt.numbers_per_token == 64 * 2 * 9216
    assert opt.spellings == {"num_hidden_layers": "num_layers", "hidden_size": "hidden_dim", "num_attention_heads": "n_head"}
    assert not opt.defaults
    mlc = capacity(FILES / "07-mlc-chat-config.json")
    assert mlc.numbers_per_token == 16 * 2 * 8 * 64
    assert "The sizes are read from model_config." in notes(mlc)


def test_a_file_without_sizes_is_refused():
    """07: a repository of .gguf files has a config.json with a model_type only."""
    with pytest.raises(
        BadInput, match=r"num_hidden_layers and hidden_size: expected a depth and a width in the file, found no"
    ):
        capacity(FILES / "07-gguf-repo-config.json")
    found = capacity(FILES / "07-gguf-repo-config.json", defaults=True)
    assert found.defaults == {
        "num_hidden_layers": 32,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
    }
    assert any("hidden_size = 4096" in said for said in notes(found))


def test_deepseek_v4_has_an_entry_for_its_draft_layer():
    """08: 44 entries for 43 layers."""
    layers = capacity(FILES / "08-deepseek-v4.json").layers
    assert [sum(part.at(length) for layer in layers for part in layer) for length in (11, 300)] == [774_400, 4_963_200]


def test_kimi_k2_is_read_as_deepseek_v3():
    """11: kimi_k25 around kimi_k2."""
    found = capacity(FILES / "11-kimi-k2.json")
    assert found.numbers_per_token == 61 * 576
    assert "The model_type kimi_k2 is read by the rules of deepseek_v3." in notes(found)


@pytest.mark.parametrize(("name", "value"), [("14-window-minus-one", -1), ("14-window-zero", 0)])
def test_a_window_that_is_no_window_is_refused(name, value):
    """14: other tools write -1 or 0 for no window."""
    expected = rf"sliding_window: expected a whole number from 1 to \d+ \(null switches the window off\), found {value}$"
    with pytest.raises(BadInput, match=expected):
        capacity(FILES / f"{name}.json")


@pytest.mark.parametrize(
    ("model_type", "field"),
    [
        ("recurrent_gemma", "attention_window_size"),
        ("inkling_text", "sliding_window_size"),
        ("dots3_note_text", "sliding_window_size"),
        ("mimo_v2_flash", "sliding_window_size"),
        ("modernbert-decoder", "local_attention"),
        ("llama4_text", "attention_chunk_size"),
        ("gemma3_text", "sliding_window"),
        ("gemma2", "sliding_window"),
        ("mistral", "sliding_window"),
        ("smollm3", "sliding_window"),
    ],
)
def test_the_window_of_the_file_is_named(model_type, field):
    """14: under the name that is in the file. Null is recommended if and only if it switches the window off."""
    known = family(model_type)
    sizes = {"sliding_window": None, **{name: value for name, value in known.defaults.items() if value is not None}}
    sizes = {name: value for name, value in sizes.items() if name not in known.aliases and name != "sliding_window"}
    sizes |= {"model_type": model_type, "use_sliding_window": True, "no_rope_layer_interval": 2}
    with pytest.raises(BadInput) as refused:
        capacity({**sizes, field: -1})
    assert f": {field}: expected a whole number from 1 to " in str(refused.value)
    try:
        switched_off = capacity({**sizes, field: None}).window_numbers == 0
    except BadInput:
        switched_off = False
    assert ("(null switches the window off)" in str(refused.value)) == switched_off


def test_a_size_is_named_as_in_the_file():
    with pytest.raises(BadInput, match="config: n_layer: expected a whole number from 1 to 10000, found the text '2'"):
        capacity({"model_type": "gpt2", "n_layer": "2", "n_embd": 64, "n_head": 4})


@pytest.mark.parametrize("case", ["05", "06"])
def test_nested_and_flat_are_one_model(case):
    """05 and 06: the same text model inside of another configuration, and alone."""
    nested, flat = capacity(FILES / f"{case}-nested.json"), capacity(FILES / f"{case}-flat.json")
    assert nested.layers == flat.layers
    assert nested.model_type == flat.model_type


def test_minimax_m3_has_its_indexers_inside():
    """Published files say which layers are sparse in sparse_attention_config."""
    sizes = {"hidden_size": 6144, "num_hidden_layers": 60, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128}
    sparse = {"sparse_attention_freq": [0] * 3 + [1] * 57, "sparse_index_dim": 128}
    found = capacity({"model_type": "minimax_m3_vl_text", **sizes, "sparse_attention_config": sparse})
    assert found.numbers_per_token == 60 * 1024 + 57 * 128 == 68_736
