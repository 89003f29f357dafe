"""A config.json declares what transformers counts in its cache: 0 numbers off, and the widths that it stores."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.declare import declare
from seqsep.language_models.capacity.families import family, model_types, versions

COUNTED = json.loads(Path(__file__).with_name("counted.json").read_text(encoding="utf-8"))
LENGTHS = (11, 12, 15)
A_DOZEN = (
    "llama",
    "mamba",
    "mamba2",
    "falcon_h1",
    "jamba",
    "zamba2",
    "qwen3_next",
    "kimi_linear",
    "gemma3_text",
    "deepseek_v3",
    "deepseek_v4",
    "recurrent_gemma",
    "xlstm",
)


def declared_numbers(model_type, fields, source=0):
    layers = declare(model_type, {**fields, "model_type": model_type}).layers
    return [sum(part.at(length, allocated=True, source=source) for layer in layers for part in layer) for length in LENGTHS]


def declared_bits(model_type, fields):
    layers = declare(model_type, {**fields, "model_type": model_type}).layers
    return sum(part.at(LENGTHS[-1], allocated=True) * part.bits for layer in layers for part in layer)


def test_every_family_has_been_counted():
    assert set(COUNTED) == {name for name in model_types() if family(name).basis == "counted"}
    assert len(COUNTED) == 231


def test_families_that_were_not_counted_say_so():
    others = [name for name in model_types() if name not in COUNTED]
    assert {name: family(name).basis for name in others} == {
        **dict.fromkeys(("RefinedWeb", "RefinedWebModel", "hymba", "prophetnet"), "published code"),
        **dict.fromkeys(("chatglm", "nemotron-nas", "phi4flash", "plamo2"), "rule"),
    }


@pytest.mark.parametrize("model_type", sorted(COUNTED))
def test_declared_is_what_was_counted(model_type):
    """Tiny models at 11, 12 and 15 tokens; bits in a model of 16 bits, where it runs in them."""
    one = COUNTED[model_type]
    assert declared_numbers(model_type, one["config"], one.get("source", 0)) == one["numbers"]
    assert one["bits_at_15"] in (None, declared_bits(model_type, one["config"]))
    assert one["numbers"][0] > 0


CROSSING = [name for name in model_types() if "add_cross_attention" in family(name).defaults]


@pytest.mark.parametrize("model_type", CROSSING)
def test_a_source_is_counted_or_refused(model_type):
    """The rules of four families count no cache of a source, so they refuse a file that switches cross-attention on."""
    fields = {**family(model_type).defaults, "is_decoder": True, "add_cross_attention": True}
    if model_type not in ("big_bird", "evolla", "gpt_bigcode", "megatron-bert"):
        layers = declare(model_type, {**fields, "model_type": model_type}).layers
        assert all(any(part.per_source for part in layer) for layer in layers)
        return
    with pytest.raises(BadInput) as error:
        declare(model_type, {**fields, "model_type": model_type})
    words = f"expected false, as the cache that {model_type} keeps of a source is not counted, found True"
    assert str(error.value) == f"{model_type}: add_cross_attention: {words}"
    assert declare(model_type, {**fields, "model_type": model_type, "add_cross_attention": False}).layers


def test_widths_were_counted_for_all_but_one():
    """Encoder-decoders keep keys and values only, in the type of the model."""
    uncounted = [name for name, one in COUNTED.items() if one["bits_at_15"] is None and "source" not in one]
    assert uncounted == ["inkling2_text"]


needs_transformers = pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")


@needs_transformers
@pytest.mark.unchecked
@pytest.mark.parametrize("model_type", A_DOZEN)
def test_declared_is_what_the_installed_library_counts(model_type):
    """Built and run here; the file that the library writes is read alike. A family or field that moved is named."""
    from support.tiny_models import built, configured, counted, tiny_fields

    fields = tiny_fields(model_type)
    model = built(model_type, fields)
    found = [counted(model, length)[0] for length in LENGTHS]
    written = json.loads(json.dumps(configured(model_type, fields).to_dict(), default=str))
    assert declared_numbers(model_type, fields) == found, f"{model_type}: moved since transformers {versions()['transformers']}"
    assert declared_numbers(model_type, written) == found, f"{model_type}: the file that it writes is read otherwise"


@needs_transformers
@pytest.mark.unchecked
@pytest.mark.parametrize("model_type", A_DOZEN)
def test_defaults_are_those_of_the_installed_library(model_type):
    """Named by family and field, so that a newer release says what it changed."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = CONFIG_MAPPING[model_type]
    shipped = family(model_type).defaults
    moved = {
        f"{model_type}.{name}: {value} was shipped, {getattr(kind, name)} is installed"
        for name, value in shipped.items()
        if isinstance(getattr(kind, name, None), int) and getattr(kind, name) != value
    }
    assert not moved, "\n".join(moved)
    assert any(isinstance(getattr(kind, name, None), int) for name in shipped)
