"""Small models of `transformers` made here: a tokenizer from text of ours, and weights drawn at random or trained."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from seqsep.language_models.text.index import index_question
from seqsep.language_models.text.lookup import Lookups
from seqsep.language_models.text.phonebook import phonebook_question

END = "<end>"
UNKNOWN = "<unknown>"
BATCH = 32
RATE = 3e-3
WIDTH = 64

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


def trained_on_phonebooks(folder: Path, length: int, digits: int, steps: int) -> Path:
    """Train a hybrid (a short convolution, then attention) on phonebooks of 2 to `length` entries, and save it.

    Each text asks for every number of its book; the loss is that of the answers. The rate rises over 50 steps and falls to 0.
    """
    made = words_tokenizer()
    model = _convolution_and_attention(len(made))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    for step in range(steps):
        entries = 2 + int(torch.randint(min(length - 1, 1 + step // 20), ()))
        tokens, targets = _texts(made, entries, digits, start=step * BATCH)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / 50, 1 - step / steps)
        asked = targets >= 0
        logits = model.lm_head(model.model(input_ids=tokens).last_hidden_state[asked])
        loss = torch.nn.functional.cross_entropy(logits, targets[asked])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return save(folder, model, made)


def _convolution_and_attention(vocabulary: int) -> transformers.PreTrainedModel:
    """A hybrid that starts close to matching names, so that a minute of training is enough.

    A place starts with the sum of the tokens 3 to 7 before it, and attention with keys equal to queries and values equal to
    what is read: so it asks for places with the same name before them. Every weight is trained on from there.
    """
    torch.manual_seed(0)
    config = transformers.Lfm2Config(
        vocab_size=vocabulary,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=1024,
        conv_L_cache=9,
        conv_bias=True,
        layer_types=["conv", "full_attention"],
        block_auto_adjust_ff_dim=False,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    model = transformers.Lfm2ForCausalLM(config)
    same = torch.eye(WIDTH)
    with torch.no_grad():
        model.model.embed_tokens.weight.normal_(0.0, WIDTH**-0.5)
        short = model.model.layers[0].conv
        for part in (short.in_proj, short.conv, short.out_proj):
            part.weight.zero_()
            part.bias.zero_()
        short.in_proj.bias[: 2 * WIDTH] = 1.0  # both gates are open
        short.in_proj.weight[2 * WIDTH :] = same
        short.conv.weight[:, 0, 1:6] = 0.5  # the last of 9 is the token itself
        short.out_proj.weight.copy_(same)
        attention = model.model.layers[1].self_attn
        torch.nn.init.orthogonal_(attention.q_proj.weight)
        attention.k_proj.weight.copy_(attention.q_proj.weight)
        attention.q_layernorm.weight.fill_(3.0)
        attention.v_proj.weight.copy_(same)
        attention.out_proj.weight.copy_(same)
    return model


def _texts(made, entries: int, digits: int, start: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of phonebooks with all their questions: tokens, and the next token at each place of an answer, elsewhere -100."""
    lookups = Lookups(entries, shots=entries - 1, seed=1, evaluate=False)
    questions = [phonebook_question(lookups, start + index, digits) for index in range(BATCH)]
    rows = [made(f"{question.prompt} {question.expected}\n")["input_ids"] for question in questions]
    tokens = torch.zeros(BATCH, max(map(len, rows)), dtype=torch.long)
    for row, ids in zip(tokens, rows, strict=True):
        row[: len(ids)] = torch.tensor(ids)
    answer = made.convert_tokens_to_ids("Answer")
    after = torch.zeros_like(tokens, dtype=torch.bool)
    for offset in range(1, digits + 3):  # after ":" a space, the digits, and the end of the line
        after[:, offset:] |= tokens[:, :-offset] == answer
    targets = torch.full_like(tokens, -100)
    targets[:, :-1] = torch.where(after[:, :-1], tokens[:, 1:], -100)
    return tokens, targets
