"""Greedy completion by a causal language model of `transformers`, from a folder here; no code of the folder is run.

Prompts that are completed together have equally many tokens, so nothing is ever padded on the left: recurrent layers would
carry padding in their state, and learned positions would shift. Settings that a folder gives for its own generation, such as
sampling and penalties, are left aside; the tokens that end a text are kept.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.language_models.laws.reader import NAMES_OF_A_STATE
from seqsep.language_models.loader.folder import CONFIG
from seqsep.language_models.loader.library import transformers
from seqsep.language_models.loader.weights import of_folder
from seqsep.language_models.text.model_folder import ModelFolder
from seqsep.language_models.text.tokenizer import Tokenizer

CONTEXT_FIELDS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length")


@dataclass(frozen=True)
class Completion:
    """The text that a model wrote after a prompt.

    `tokens` are those written, up to the end; `state_bits` are what it kept once the prompt was read, counted from the tensors
    of its cache, or None if it keeps its state elsewhere.
    """

    text: str
    tokens: tuple[int, ...]
    state_bits: int | None


@dataclass(frozen=True)
class Facts:
    """The facts of a model: name, digest and dtype, architecture, parameters, and the number of tokens that it can read.

    `context` is None if config.json names no limit.
    """

    name: str
    sha256: str
    dtype: str
    architecture: str
    parameters: int
    context: int | None


class NonFiniteLogits(ValueError):
    """The greatest logit of a model is not a number or infinite; `row` is the prompt, from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"prompt {row}: expected finite logits, found NaN or infinity")
        self.row = row


class LanguageModel:
    """A causal language model with its tokenizer.

    Raises BadInput, in one line that names the folder, if `transformers` cannot load it or weights are missing in it.
    """

    def __init__(self, folder: ModelFolder, dtype: str = "float32", device: str = "cpu") -> None:
        import torch

        library = transformers()
        self.torch = torch
        self.folder = folder
        self.tokenizer = Tokenizer(folder.files)
        self.model = of_folder(library, folder.files, dtype=getattr(torch, dtype))
        configs = (self.model.config.get_text_config(), self.model.generation_config)
        self.vocabulary = vocabulary_of(self.model)
        self.ends = ends_of(self.tokenizer, configs, self.vocabulary)
        self.model.generation_config = library.GenerationConfig()
        self.model.eval().to(device)
        config = self.model.config.get_text_config()
        self.context_field = next((name for name in CONTEXT_FIELDS if isinstance(getattr(config, name, None), int)), "")
        self.facts = Facts(
            name=folder.name,
            sha256=folder.sha256,
            dtype=dtype,
            architecture=str(config.model_type),
            parameters=sum(weight.numel() for weight in self.model.parameters()),
            context=getattr(config, self.context_field) if self.context_field else None,
        )

    def read(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt, by `tokens_of`."""
        return tokens_of(prompt, self.tokenizer, self.ends, self.vocabulary)

    def answer_tokens(self, prompt: str, answer: str) -> tuple[int, ...]:
        """Return the tokens of an answer after its prompt."""
        before = self.read(prompt)
        after = self.read(f"{prompt} {answer}")
        return tuple(after[equally_many(before, after) :])

    def require_room(self, prompt_tokens: int, most_tokens: int, what: str) -> None:
        """Raise ValueError if a prompt and what may follow it are more than the model can read."""
        context = self.facts.context
        if context is not None and prompt_tokens + most_tokens > context:
            limit = f"expected at most {context:,} tokens ({self.folder.path / CONFIG}, field {self.context_field})"
            raise ValueError(f"{what}: {limit}, found {prompt_tokens:,} of the prompt and {most_tokens:,} of the answer")

    def complete(
        self, prompts: Sequence[Sequence[int]], is_complete: Callable[[str], bool], most_tokens: int
    ) -> list[Completion]:
        """Return the text that the model writes, greedily, after prompts of equally many tokens.

        Each ends once `is_complete` of its text, at a token that ends a text, or after `most_tokens`. Raises NonFiniteLogits.
        """
        library = transformers()
        length = len(prompts[0])
        if any(len(prompt) != length for prompt in prompts):
            raise ValueError("prompts that are completed together: expected equally many tokens, found several lengths")
        bits: list[int | None] = []

        def is_done(tokens: Any, scores: Any, **options: Any) -> Any:
            done = [is_complete(self._text(row[length:].tolist())[0]) for row in tokens]
            return self.torch.tensor(done, device=tokens.device)

        def count_state(module: Any, arguments: Any, output: Any) -> None:
            wrong = ~output.logits[:, -1].amax(-1).isfinite()
            if bool(wrong.any()):
                raise NonFiniteLogits(int(wrong.nonzero()[0]))
            if not bits:
                bits.append(cache_bits(output, len(prompts)))

        settings = library.GenerationConfig(
            do_sample=False,
            max_new_tokens=most_tokens,
            eos_token_id=self.ends or None,
            pad_token_id=self.ends[0] if self.ends else 0,
        )
        inputs = self.torch.tensor(prompts, device=self.model.device)
        counting = self.model.register_forward_hook(count_state)
        try:
            with self.torch.inference_mode():
                rows = self.model.generate(
                    inputs,
                    attention_mask=self.torch.ones_like(inputs),
                    generation_config=settings,
                    stopping_criteria=library.StoppingCriteriaList([is_done]),
                )
        except (NonFiniteLogits, MemoryError):
            raise
        except self.torch.OutOfMemoryError as error:
            raise MemoryError(f"{self.facts.name}: no memory for {len(prompts)} prompts of {length:,} tokens") from error
        except Exception as error:  # of the library, for a configuration that it builds and cannot run
            raise BadInput(f"{self.folder.path}: transformers cannot run it: {text_of(error)}") from error
        finally:
            counting.remove()
        written = [self._text(row[length:].tolist()) for row in rows]
        return [Completion(text, tokens, bits[0]) for text, tokens in written]

    def _text(self, tokens: list[int]) -> tuple[str, tuple[int, ...]]:
        """Return the text of written tokens up to the first that ends it, and these tokens."""
        before = next((place for place, token in enumerate(tokens) if token in self.ends), len(tokens))
        return self.tokenizer.decode(tokens[:before]), tuple(tokens[:before])


def vocabulary_of(model: Any) -> int:
    """Return how many tokens a model can read: the rows of its embedding."""
    return int(model.get_input_embeddings().weight.shape[0])


def ends_of(tokenizer: Tokenizer, configs: Sequence[Any], vocabulary: int) -> list[int]:
    """Return the tokens that end a text, as a tokenizer and configurations have them, of those that the model can write."""
    given = [tokenizer.eos_token_id]
    for config in configs:
        end = getattr(config, "eos_token_id", None)
        given += end if isinstance(end, list) else [end]
    whole = {end for end in given if isinstance(end, int) and not isinstance(end, bool)}
    return sorted(end for end in whole if 0 <= end < vocabulary)


def tokens_of(prompt: str, tokenizer: Tokenizer, ends: Sequence[int], vocabulary: int) -> list[int]:
    """Return the tokens of a prompt, with those that the tokenizer puts before a text and none that would end it.

    Raises BadInput naming the folder and the symbols that the tokenizer does not keep, or a token that the model cannot read.
    """
    where = f"{tokenizer.folder.path}, tokenizer"
    tokens = tokenizer.encode(prompt)
    while tokens and tokens[-1] in ends:
        tokens.pop()
    beyond = next((token for token in tokens if not 0 <= token < vocabulary), None)
    if beyond is not None:
        text = excerpt(repr(tokenizer.decode([beyond])))
        expected = f"expected tokens below {vocabulary:,}, the vocabulary of the model"
        raise BadInput(f"{where}: {expected}, found token {beyond:,}, which is {text}")
    kept = Counter(tokenizer.decode(tokens, plain=True).lower())
    asked = Counter(prompt.lower())
    # Some tokenizers join spaces; any other symbol must be there as often as in the prompt.
    fewer = sorted(symbol for symbol in asked if kept[symbol] < (1 if symbol.isspace() else asked[symbol]))
    lost = [symbol for symbol in fewer if not kept[symbol]]
    if not lost and tokenizer.unk_token_id in tokens:
        shown = f"some words, which become {tokenizer.unk_token}"
    else:
        shown = ", ".join(map(repr, (lost or fewer)[:8]))
    if shown:
        expected = "expected a tokenizer that keeps every symbol of the prompt, found that it loses"
        raise BadInput(f"{where}: {expected} {shown}")
    return tokens


def equally_many(before: Sequence[int], after: Sequence[int]) -> int:
    """Return the number of equal tokens with which two texts begin.

    >>> equally_many([5, 6, 7], [5, 6, 8, 7])
    2
    """
    pairs = zip(before, after, strict=False)
    return next((place for place, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(before), len(after)))


def cache_bits(output: Any, batch: int) -> int | None:
    """Return the bits of one example's state, counted from the tensors of the cache that a forward pass returns.

    None if it returns no cache, or one with layers that keep nothing in it: such a model keeps its state elsewhere.
    """
    found = (getattr(output, name, None) for name in NAMES_OF_A_STATE)
    cache = next((cache for cache in found if cache is not None), None)
    layers = [list(_tensors(layer)) for layer in getattr(cache, "layers", [])]
    if not layers or not all(layers):
        return None
    return 8 * sum(tensor.numel() * tensor.element_size() for layer in layers for tensor in layer) // batch


def _tensors(value: Any) -> Iterator[Any]:
    """Yield the tensors that a layer of a cache holds."""
    if hasattr(value, "element_size"):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _tensors(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
    elif hasattr(value, "__dict__"):
        yield from _tensors(vars(value))
