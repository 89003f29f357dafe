"""The audit of a language model by path: what a random one and a trained one carry, and what is refused."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import seqsep
from seqsep.core.names import BadInput
from seqsep.language_models.audit.answer import audit_language_model
from seqsep.language_models.audit.books import BookQuestions, InTokens, InWords
from seqsep.language_models.audit.reader import BookReader
from seqsep.language_models.laws.reader import ModelReader
from seqsep.language_models.loader.source import find_source
from support.command_line import call
from support.language_models import FAMILIES, build, bytes_tokenizer, save, words_tokenizer

VOCABULARY = 40
ENTRIES = 3
STEPS = 40
SMALL = {"entries": ENTRIES, "digits": 1, "questions": 300}
HIDDEN = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 48}


def small(family: str) -> transformers.PreTrainedModel:
    """One layer of a kind; a hybrid's kernel reads few tokens at once, or it would compute 256 for each book."""
    shape = {"mamba_chunk_size": 8, "time_step_limit": (0.0, 100.0)} if family == "hybrid" else {"num_hidden_layers": 1}
    return build(family, VOCABULARY, **shape)


def reader_of(folder: Path) -> ModelReader:
    return ModelReader(find_source(folder, {}), torch.float32)


def in_tokens(reader: ModelReader, entries: int = ENTRIES, digits: int = 1) -> InTokens:
    drawn = reader.random_tokens(1, 100 * (entries + 10), 0)[0].tolist()
    return InTokens(entries, digits, list(dict.fromkeys(drawn)))


def in_one_pass(reader: ModelReader, questions: BookQuestions) -> np.ndarray:
    """The questions that are answered right by one pass over the book and what follows it."""
    right = []
    for tokens, every in zip(questions.books, questions.asked, strict=True):
        for one in every:
            chosen = reader.whole(torch.tensor([[*tokens, *one.continuation]]))[0].argmax(-1).tolist()
            right.append(tuple(chosen[len(chosen) - len(one.answer) :]) == one.answer)
    return np.array(right).reshape(len(questions.books), -1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One layer of attention that has learned books of three digits, in under a second."""
    folder = tmp_path_factory.mktemp("trained")
    model = build("attention", VOCABULARY, num_hidden_layers=1)
    model.save_pretrained(folder)
    books = in_tokens(reader_of(folder))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    for step in range(STEPS):
        questions = books.questions(range(64 * step, 64 * (step + 1)), seed=10**9)
        pairs = [(tokens, one) for tokens, every in zip(questions.books, questions.asked, strict=True) for one in every]
        logits = model(torch.tensor([[*tokens, *one.continuation] for tokens, one in pairs])).logits[:, -1]
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor([one.answer[0] for _, one in pairs]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    return folder


@pytest.mark.unchecked
def test_a_trained_model_carries_what_it_was_taught(trained):
    """Three digits are 9.97 bits; its state is keys and values of 2 heads of 8, 6 tokens, 32 bits a number."""
    found = audit_language_model(trained, **SMALL)
    assert (found.form, found.prefixes, found.questions) == ("in tokens", 250, 750)
    assert found.accuracy > 0.99
    assert found.stored_bits == 32 * 2 * 2 * 8 * 6
    assert 9 < found.carries_at_least_bits <= 9.97 < found.all_right_bits == 10
    assert found.all_right_bits <= found.needs_at_most_bits < found.stored_bits
    assert all(one.accuracy_at_least <= one.ceiling and one.carries_at_least <= one.bits for one in found.curve)
    assert "prove nothing" not in str(found)


@pytest.mark.unchecked
@pytest.mark.parametrize("family", FAMILIES)
def test_random_weights_carry_nothing_that_shows(family, tmp_path):
    """Nothing is claimed of them, and what is stored is counted: attention's keys and values, Mamba's states."""
    small(family).save_pretrained(tmp_path)
    found = audit_language_model(tmp_path, **SMALL)
    stored = {"attention": 2 * 2 * 8 * 6, "recurrent": 64 * 4 + 64 * 4, "hybrid": 2 * 2 * 8 * 6 + 4 * 16 * 8 + (64 + 2 * 8) * 4}
    assert found.stored_bits == 32 * stored[family]
    assert (found.carries_at_least_bits, found.needs_at_most_bits) == (0.0, 0)
    assert "its answers prove nothing about its state" in str(found)


@pytest.mark.unchecked
@pytest.mark.parametrize("family", FAMILIES)
def test_answers_from_states_are_those_of_one_pass(family, tmp_path):
    """From the model's own states, and from rows of numbers that are put in place of another book's."""
    torch.manual_seed(1)
    model = small(family)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    model.save_pretrained(tmp_path)
    reader = reader_of(tmp_path)
    books = in_tokens(reader)
    drawn = books.questions(range(12), seed=5)
    chosen = [reader.whole(torch.tensor([[*tokens, books.names[0]]]))[0, -1].argmax().item() for tokens in drawn.books]
    taught = tuple(
        tuple(type(one)(one.continuation, (token,)) for one in every) for token, every in zip(chosen, drawn.asked, strict=True)
    )
    questions = BookQuestions(drawn.books, taught)
    states = BookReader(reader, drawn.books[0])
    states.require_whole_state(*drawn.books[:2], taught[0][0])
    expected = in_one_pass(reader, questions)
    assert expected[:, 0].all()
    assert (states.answered(questions) == expected).all()
    assert (states.right(states.states(questions.books), questions) == expected).all()


def test_books_in_words_are_those_of_the_phonebook_task():
    """Every question is the prompt of `seqsep text phonebook` without examples, cut after the last number."""
    made = bytes_tokenizer()
    books = InWords(3, 2, lambda text: made(text)["input_ids"], names_seed=4)
    questions = books.questions(range(2), seed=9)
    for index, (tokens, every) in enumerate(zip(questions.books, questions.asked, strict=True)):
        numbers = books.numbers(index, 9)
        assert made.decode(tokens).endswith(f"\n{books.names[2]}: {numbers[2]}")
        for name, number, one in zip(books.names, numbers, every, strict=True):
            assert made.decode([*one.continuation, one.answer[-1]]).endswith(f"number of {name}?\nAnswer: {number}")
            assert made.decode(one.answer).strip() == number
    assert questions.books[0] != questions.books[1]


@pytest.mark.unchecked
def test_a_folder_with_a_tokenizer_is_asked_in_words(capsys, tmp_path):
    made = bytes_tokenizer()
    save(tmp_path, build("attention", len(made), num_hidden_layers=1), made)
    capsys.readouterr()  # a bar of transformers, which writes the folder
    words = ("audit", str(tmp_path), "--entries", "2", "--digits", "1", "--seconds", "0.1")
    status, out, error = call(capsys, *words, "--page", str(tmp_path / "page.html"))
    assert (status, error) == (0, "")
    assert "on phonebooks in words, 2 entries of 1 digit: " in out
    assert "phonebooks in words" in (tmp_path / "page.html").read_text()
    record = json.loads(call(capsys, *words, "--json")[1])
    assert record["task"] == {"name": "phonebook", "entries": 2, "digits": 1, "form": "in words"}
    assert (record["worst"], record["carries_at_least_bits"]) == (None, 0.0)


class Joining(InTokens):
    """Its books have a token less where the first number is odd, as if two digits were one."""

    def _written(self, numbers):
        tokens, asked = super()._written(numbers)
        return tokens[: len(tokens) - int(numbers[0]) % 2], asked


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("MOST_NUMBERS", 100, "over 100 numbers"),
        ("InTokens", Joining, "books of several lengths"),
        ("SMALL", {"seconds": 1e-9}, "the time was over"),
    ],
)
def test_why_codebooks_are_not_tried_is_said(trained, monkeypatch, name, value, why):
    """A large state, a tokenizer that joins digits, and no time left; the other two numbers are there."""
    options = value if name == "SMALL" else {}
    if not options:
        monkeypatch.setattr(f"seqsep.language_models.audit.answer.{name}", value)
    found = audit_language_model(trained, **SMALL, **options)
    assert f"not tested: {why}" in str(found)
    assert (found.needs_at_most_bits, found.curve) == (None, ())
    assert found.stored_bits == 32 * 2 * 2 * 8 * 6
    assert found.prefixes == (16 if options else 250)


@pytest.mark.unchecked
def test_a_large_state_has_no_codebook_of_all_its_numbers(trained, monkeypatch):
    monkeypatch.setattr("seqsep.lab.audit.needed.MOST_COORDINATES", 100)
    found = audit_language_model(trained, **SMALL)
    assert found.curve
    assert {one.codebook for one in found.curve} == {"variance"}


def test_it_says_how_far_it_is(trained, monkeypatch, capsys):
    """Books, then codebooks; on the command line in lines on stderr."""
    monkeypatch.setattr("seqsep.commands.now_and_then.SECONDS_BETWEEN_LINES", 0.0)
    status, _, error = call(capsys, "audit", str(trained), "--entries", "3", "--digits", "1", "--questions", "300")
    assert status == 0, error
    lines = error.splitlines()
    assert lines[:16] == [f"{trained}: {min(16 * (part + 1), 250)} of at most 250 books" for part in range(16)]
    numbers = [re.fullmatch(rf"{re.escape(str(trained))}: (\d+) of at most (\d+) codebooks", line) for line in lines[16:]]
    assert [int(found[1]) for found in numbers] == list(range(1, len(numbers) + 1))
    assert len(numbers) > 0


def test_a_state_outside_of_the_state_is_refused(tmp_path):
    """RecurrentGemma keeps its recurrence in its modules."""
    sizes = {**HIDDEN, "num_hidden_layers": 3, "vocab_size": 64, "lru_width": 32}
    config = {"model_type": "recurrent_gemma", **sizes}
    saved(tmp_path, config)
    with pytest.raises(BadInput, match="found that with the state of a book in place of another"):
        audit_language_model(tmp_path, **SMALL)


@pytest.mark.unchecked
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_logits_that_are_not_finite_are_refused(capsys, tmp_path, value):
    """With the first book and its question, in tokens; a state of NaN is not an answer."""
    model = small("attention")
    torch.nn.init.constant_(model.lm_head.weight, value)
    model.save_pretrained(tmp_path)
    capsys.readouterr()
    status, out, error = call(capsys, "audit", str(tmp_path), "--entries", "3", "--digits", "1")
    assert (status, out, error.count("\n")) == (2, "", 1)
    said = f"{tmp_path}: expected finite logits, found NaN or infinity after the prompt of the tokens "
    assert re.search(rf"{re.escape(said)}\d+( \d+){{6}}$", error.rstrip())


@pytest.mark.unchecked
def test_a_state_without_finite_logits_answers_nothing(trained):
    """Token 0 is the greatest of a row of NaN, which is not an answer even where token 0 is right."""
    reader = reader_of(trained)
    questions = in_tokens(reader).questions(range(4), seed=5)
    asked = tuple(tuple(type(one)(one.continuation, (0,)) for one in every) for every in questions.asked)
    states = BookReader(reader, questions.books[0])
    rows = torch.full_like(states.states(questions.books), float("nan"))
    assert not states.right(rows, BookQuestions(questions.books, asked)).any()


def saved(folder: Path, config: dict[str, object]) -> None:
    """A folder with random weights."""
    from seqsep.language_models.loader.source import ModelSource
    from seqsep.language_models.loader.weights import built

    built(ModelSource("x", config), torch.float32).save_pretrained(folder)


def test_what_is_refused(capsys, tmp_path, trained):
    losing = tmp_path / "losing"
    save(losing, build("attention", 900), words_tokenizer(without="?"))
    short = tmp_path / "short"
    build("attention", VOCABULARY, max_position_embeddings=8).save_pretrained(short)
    (tmp_path / "nothing").mkdir()
    for words, why in (
        ((tmp_path / "nothing",), "expected a model's config.json"),
        ((trained, "--worst"), "--worst: expected a kept model or a store"),
        ((trained, "ab"), "KEY: expected a kept model or a store"),
        ((trained, "--entries", "31"), "expected a vocabulary of 41 tokens, for 31 names and 10 digits, found "),
        ((trained, "--digits", "10"), "digits from 1 to 9"),
        ((losing,), "expected a tokenizer that keeps every symbol"),
        ((short,), "max_position_embeddings: expected room for "),
        ((tmp_path / "s.safetensors", "--entries", "3"), "--entries: expected the folder of a language model"),
    ):
        status, out, error = call(capsys, "audit", *map(str, words))
        assert (status, out, error.count("\n")) == (2, "", 1), (words, error)
        assert why in error
    with pytest.raises(BadInput, match=r"seqsep\.audit_language_model takes those"):
        seqsep.audit(os.fspath(trained))
