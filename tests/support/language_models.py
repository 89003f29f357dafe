"""Small models of `transformers` made here: a tokenizer from text of ours, and weights drawn at random or trained."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from seqsep.text.index import index_question
from seqsep.text.lookup import Lookups
from seqsep.text.phonebook import phonebook_question

END = "<end>"
UNKNOWN = "<unknown>"
ROTARY = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
FAMILIES = {
    "attention": ("Llama", ROTARY | {"num_hidden_layers": 2, "max_position_embeddings": 4096}),
    "recurrent": ("Mamba", {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
    "hybrid": (
        "Bamba",
        ROTARY
        | {"num_hidden_layers": 2, "attn_layer_indices": [1], "mamba_d_state": 8, "mamba_n_heads": 4, "mamba_d_head": 16},
    ),
}


def bytes_tokenizer(vocabulary: int = 600) -> transformers.PreTrainedTokenizerFast:
    """A byte-level tokenizer whose merges come from phonebooks and lists of training; every digit is a token."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    lookups = Lookups(8, shots=7, evaluate=False)
    texts = [phonebook_question(lookups, index).prompt for index in range(400)]
    texts += [index_question(lookups, index).prompt for index in range(100)]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END)


def words_tokenizer(without: str = "") -> transformers.PreTrainedTokenizerFast:
    """A tokenizer of whole words, single digits and signs, all that stands in phonebooks; some symbols may be left out."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    parts = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    words = {END: 0, UNKNOWN: 1}
    for index in range(8):
        text = phonebook_question(Lookups(200, shots=199, evaluate=False), index).prompt
        for word, _ in parts.pre_tokenize_str(text):
            words.setdefault(word, len(words))
    kept = [word for word in words if not set(decoders.ByteLevel().decode([word])) & set(without)]
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(kept)}, unk_token=UNKNOWN))
    made.pre_tokenizer = parts
    made.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, unk_token=UNKNOWN)


def build(family: str, vocabulary: int, **changes: object) -> transformers.PreTrainedModel:
    """A model of a family with weights drawn at random."""
    name, shape = FAMILIES[family]
    ends = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    config = getattr(transformers, f"{name}Config")(vocab_size=vocabulary, **ends, **(shape | changes))
    torch.manual_seed(0)
    return getattr(transformers, f"{name}ForCausalLM")(config)


def save(folder: Path, model: transformers.PreTrainedModel, its_tokenizer: transformers.PreTrainedTokenizerFast) -> Path:
    """Write a model and its tokenizer as users have them."""
    model.save_pretrained(folder)
    its_tokenizer.save_pretrained(folder)
    return folder
