"""Models of three families complete greedily, equal to the slow way; state is counted; a wrong folder is one line."""

import json
import shutil

import pytest
import torch
import transformers
from tokenizers import processors

from seqsep.core.names import BadInput
from seqsep.language_models.text.language_model import LanguageModel
from seqsep.language_models.text.lookup import Lookups
from seqsep.language_models.text.model_folder import find_model
from seqsep.language_models.text.phonebook import phonebook_question
from support.language_models import END, FAMILIES, build, bytes_tokenizer, save, words_tokenizer

PROMPTS = [phonebook_question(Lookups(3, 1), index).prompt for index in range(4)]
WRITTEN = 12


@pytest.fixture(params=FAMILIES)
def model(request, folders):
    return LanguageModel(find_model(str(folders[request.param])))


def never(text):
    return False


def slowly(model, tokens):
    """Greedy completion by the whole prefix again for each token, without a cache."""
    prefix = list(tokens)
    for _ in range(WRITTEN):
        with torch.inference_mode():
            token = model.model(torch.tensor([prefix]), use_cache=False).logits[0, -1].argmax().item()
        if token in model.ends:
            break
        prefix.append(token)
    return tuple(prefix[len(tokens) :])


def test_completion_equals_the_slow_way(model):
    for prompt in PROMPTS:
        tokens = model.read(prompt)
        (completion,) = model.complete([tokens], never, WRITTEN)
        assert completion.tokens == slowly(model, tokens)
        assert completion.text == model.tokenizer.decode(completion.tokens)


def test_prompts_together_are_as_prompts_alone(model):
    """Cut to one length: nothing is padded, so what is beside a prompt does not matter."""
    tokens = [model.read(prompt) for prompt in PROMPTS]
    shortest = min(map(len, tokens))
    cut = [one[len(one) - shortest :] for one in tokens]
    assert model.complete(cut, never, WRITTEN) == [model.complete([one], never, WRITTEN)[0] for one in cut]


def test_a_completion_stops_when_it_is_complete(model):
    tokens = model.read(PROMPTS[0])
    (whole,) = model.complete([tokens], never, WRITTEN)
    first = model.tokenizer.decode(whole.tokens[:1])
    (stopped,) = model.complete([tokens], lambda text: text.startswith(first), WRITTEN)
    assert stopped.tokens == whole.tokens[:1]


def test_state_bits_are_those_of_the_shapes(model):
    """Two layers in float32: keys and values of 2 heads of 8; Mamba's 64 x 4 state and 4 inputs; Mamba-2's 4 x 16 x 8."""
    of_attention = 2 * 2 * 8
    of_layers = {
        "llama": (2 * of_attention, 0),
        "mamba": (0, 2 * (64 * 4 + 64 * 4)),
        "bamba": (of_attention, 4 * 16 * 8 + (64 + 2 * 8) * 4),
    }
    each, fixed = of_layers[model.facts.architecture]
    for prompt in PROMPTS:
        tokens = model.read(prompt)
        assert model.complete([tokens], never, 3)[0].state_bits == 32 * (each * len(tokens) + fixed)
        assert model.complete([tokens, tokens], never, 3)[1].state_bits == 32 * (each * len(tokens) + fixed)


def test_facts_are_those_of_the_model(model, folders):
    assert model.facts.parameters == sum(weight.numel() for weight in model.model.parameters())
    assert model.facts.context == {"llama": 4096, "mamba": None, "bamba": 262_144}[model.facts.architecture]


def copied(folders, tmp_path, family="attention"):
    return shutil.copytree(folders[family], tmp_path / "copy")


def test_the_digest_is_of_contents_not_of_the_place(folders, tmp_path):
    folder = copied(folders, tmp_path)
    first = find_model(str(folders["attention"]))
    assert find_model(str(folder)).sha256 == first.sha256
    assert find_model(str(folders["hybrid"])).sha256 != first.sha256
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text() + " ")
    assert find_model(str(folder)).sha256 != first.sha256


def test_a_folders_settings_for_generation_are_left_aside(folders, tmp_path):
    """Sampling at a high temperature with a penalty would write something else."""
    folder = copied(folders, tmp_path)
    settings = {"do_sample": True, "temperature": 9.0, "repetition_penalty": 5.0, "max_length": 3, "min_new_tokens": 9}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    plain = LanguageModel(find_model(str(folders["attention"])))
    tokens = plain.read(PROMPTS[0])
    expected = plain.complete([tokens], never, WRITTEN)
    assert LanguageModel(find_model(str(folder))).complete([tokens], never, WRITTEN) == expected


def test_a_token_that_ends_a_text_ends_the_answer(tmp_path):
    """With all weights of the read-out zero, the first token is the most likely: it is END."""
    made = bytes_tokenizer()
    network = build("attention", len(made))
    torch.nn.init.zeros_(network.lm_head.weight)
    model = LanguageModel(find_model(str(save(tmp_path / "ends", network, made))))
    (completion,) = model.complete([model.read(PROMPTS[0])], never, WRITTEN)
    assert (completion.text, completion.tokens) == ("", ())


def test_an_end_that_the_tokenizer_appends_is_taken_off(folders, tmp_path):
    made = bytes_tokenizer()
    backend = made.backend_tokenizer
    backend.post_processor = processors.TemplateProcessing(single=f"{END} $A {END}", special_tokens=[(END, 0)])
    ends = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=END)
    folder = copied(folders, tmp_path)
    ends.save_pretrained(folder)
    model = LanguageModel(find_model(str(folder)))
    plain = LanguageModel(find_model(str(folders["attention"])))
    assert model.read(PROMPTS[0]) == [0, *plain.read(PROMPTS[0])]
    assert model.answer_tokens(PROMPTS[0], "123") == plain.answer_tokens(PROMPTS[0], "123")


def test_answer_tokens_are_those_after_the_prompt(model):
    tokens = model.answer_tokens(PROMPTS[0], "0123")
    assert model.tokenizer.decode(tokens) == " 0123"
    assert model.read(f"{PROMPTS[0]} 0123") == [*model.read(PROMPTS[0]), *tokens]


@pytest.mark.parametrize("symbols", ["01", "\n"])
def test_a_tokenizer_without_a_symbol_is_one_line(folders, tmp_path, symbols):
    folder = copied(folders, tmp_path)
    words_tokenizer(without=symbols).save_pretrained(folder)
    model = LanguageModel(find_model(str(folder)))
    with pytest.raises(
        ValueError, match="copy, tokenizer: expected a tokenizer that keeps every symbol of the prompt"
    ) as error:
        model.read("Question: What is the number of Ada Baker? 01\nAnswer:")
    assert str(error.value).endswith(f"it loses {', '.join(map(repr, symbols))}")


def test_a_tokenizer_without_a_word_is_one_line(folders, tmp_path):
    folder = copied(folders, tmp_path)
    words_tokenizer().save_pretrained(folder)
    model = LanguageModel(find_model(str(folder)))
    assert model.read("Question: What is the number of Ada Baker?")
    with pytest.raises(ValueError, match="it loses some words, which become <unknown>"):
        model.read("Question: What is the number of Ada Baker Bakers?")


def test_a_prompt_beyond_the_context_names_the_field(folders):
    model = LanguageModel(find_model(str(folders["attention"])))
    model.require_room(4000, 96, "phonebook")
    expected = r"^phonebook: expected at most 4,096 tokens \(.*config.json, field max_position_embeddings\), found 4,001 of"
    with pytest.raises(ValueError, match=expected):
        model.require_room(4001, 96, "phonebook")


def spoil(folder, kind):
    """Damage a folder."""
    config = json.loads((folder / "config.json").read_text())
    weights = folder / "model.safetensors"
    if kind == "a pickle":
        weights.rename(folder / "pytorch_model.bin")
    elif kind == "half the weights":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif kind == "fewer layers":
        (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    elif kind == "another width":
        (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 65}))
    elif kind == "an unknown architecture":
        (folder / "config.json").write_text(json.dumps(config | {"model_type": "lama"}))
    elif kind == "code of its own":
        (folder / "mine.py").write_text("raise SystemExit('code of the folder was run')")
        own = {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config", "AutoModelForCausalLM": "mine.Model"}}
        (folder / "config.json").write_text(json.dumps(config | own))
    elif kind == "half a config":
        (folder / "config.json").write_text(json.dumps(config)[:50])
    elif kind == "no architecture":
        (folder / "config.json").write_text("{}")
    else:
        for found in folder.glob({"no weights": "*.safetensors", "no config": "config.json", "no tokenizer": "tok*"}[kind]):
            found.unlink()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("no weights", "copy: expected weights as model.safetensors, found no weights"),
        ("a pickle", "found pytorch_model.bin, which may run code and is never loaded"),
        ("no config", "expected the folder of a model with config.json, found none"),
        ("half a config", "config.json: expected a JSON object, found"),
        ("no architecture", "config.json: model_type: expected a text, found none"),
        ("no tokenizer", "expected a tokenizer as tokenizer.json, found none"),
        ("half the weights", "model.safetensors: expected a safetensors file, found: "),
        ("fewer layers", "copy: expected weights of all layers, found none of model.layers.2"),
        ("another width", "copy: cannot be loaded by transformers: "),
        ("an unknown architecture", "copy: cannot be loaded by transformers: .*lama"),
        ("code of its own", "copy: cannot be loaded by transformers: "),
    ],
)
def test_a_damaged_folder_is_one_line(folders, tmp_path, kind, expected):
    folder = copied(folders, tmp_path)
    spoil(folder, kind)
    with pytest.raises(ValueError, match=expected) as error:
        LanguageModel(find_model(str(folder)))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


def test_a_prompt_that_loses_a_repeated_symbol_is_refused(folders, tmp_path):
    """An end of text that the prompt's last symbol is: other copies of the symbol do not hide that it is taken off."""
    folder = shutil.copytree(folders["attention"], tmp_path / "ends")
    model = LanguageModel(find_model(str(folder)))
    assert PROMPTS[0].count(PROMPTS[0][-1]) > 1
    model.ends = [*model.ends, model.tokenizer.encode(PROMPTS[0])[-1]]
    with pytest.raises(BadInput, match="keeps every symbol of the prompt, found that it loses"):
        model.read(PROMPTS[0])


def test_a_model_that_cannot_run_is_named(folders, tmp_path, monkeypatch):
    folder = shutil.copytree(folders["attention"], tmp_path / "broken")
    model = LanguageModel(find_model(str(folder)))

    def fails(*arguments, **options):
        raise AttributeError("no attribute 'update'")

    monkeypatch.setattr(model.model, "generate", fails)
    with pytest.raises(BadInput, match=r"broken: transformers cannot run it: no attribute 'update'$"):
        model.complete([model.read(PROMPTS[0])], never, 3)
