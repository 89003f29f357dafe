"""The laws of state on any engine: those of language models that its methods allow, and one of engines only."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from seqsep.core.names import BadInput, excerpt, is_whole, printable, text_of, whole_arguments
from seqsep.language_models.capacity.config import model_path
from seqsep.language_models.engines.protocol import REQUIRED, TYPES, EngineFails
from seqsep.language_models.engines.reader import NOT_GIVEN, EngineReader, EngineReceiver
from seqsep.language_models.laws import cuts, independence, packing, padding, reuse, rollback, sharing
from seqsep.language_models.laws.check import BATCH, TIME, LawsFail, ModelVerdict, choose_laws, try_law
from seqsep.language_models.laws.reader import ModelReader
from seqsep.language_models.laws.settings import windows_of
from seqsep.language_models.laws.trial import SHARE, TIMES, Allowed, LawTrial, NotTried
from seqsep.language_models.loader.source import ModelSource, all_fields, find_source
from seqsep.models.laws.mixer import LawFails

__all__ = ["ENGINE_LAWS", "check_engine"]

MOST_STALLS = 2
"""After so many calls without an answer in time, no further law is tested."""
NOT_FLOAT64 = "give --reference, the same weights in transformers, or --tolerance"


def one_pass(trial: LawTrial) -> None:
    """One pass gives the logits of the reference if there is one, the same logits each time, and others for other tokens."""
    first = trial.reader.whole(trial.tokens)
    trial.require_same("one pass", first, trial.reference)
    other = trial.reader.whole(trial.other_tokens)
    trial.require_same("one pass over other tokens", other, trial.exact.whole(trial.other_tokens))
    trial.require_same("one pass a second time", trial.reader.whole(trial.tokens), trial.reference)
    if torch.equal(first, other):
        raise LawFails("other tokens change no logit: the engine does not read them")


@dataclass(frozen=True)
class EngineLaw:
    """A law, the optional methods that it needs, and how the engine reads the sequences of a batch.

    `reads` is "single" for calls of their own, "batch" for one call, which is compared with single ones, and "alone" for single
    calls that are compared with one call.
    """

    holds: Callable[[LawTrial], None]
    needs: tuple[str, ...] = ()
    reads: str = "single"


ENGINE_LAWS: dict[str, EngineLaw] = {
    "finite numbers": EngineLaw(independence.numbers_are_finite),
    "one pass": EngineLaw(one_pass),
    "causal": EngineLaw(independence.causal),
    "token by token": EngineLaw(cuts.token_by_token),
    "nothing kept between calls": EngineLaw(independence.other_sequences_between),
    "in chunks": EngineLaw(cuts.in_chunks, ("extend",)),
    "rolled back": EngineLaw(rollback.rolled_back, ("extend", "crop")),
    "reset": EngineLaw(reuse.reset, ("extend", "reset")),
    "state copied": EngineLaw(cuts.state_copied, ("fork",)),
    "prefix shared": EngineLaw(sharing.prefix_shared, ("fork",)),
    "state as bytes": EngineLaw(cuts.state_as_bytes, ("save", "load")),
    "generate": EngineLaw(independence.generated, ("generate",)),
    "any batch": EngineLaw(independence.any_batch, ("batch",), "alone"),
    "padding on the left": EngineLaw(padding.padded_left, ("batch",), "batch"),
    "padding in chunks": EngineLaw(padding.padded_in_chunks, ("batch",), "batch"),
    "packed": EngineLaw(packing.packed, ("batch",), "batch"),
    "joined": EngineLaw(sharing.joined, ("batch",), "batch"),
    "rows reordered": EngineLaw(cuts.rows_reordered, ("batch",), "batch"),
    "window passed by one": EngineLaw(sharing.window_passed_by_one, ("batch",), "batch"),
}
"""By the name that `seqsep check --engine` prints. Padding means: the sequences of one call have different lengths."""


@dataclass(frozen=True)
class Inputs:
    """The number and the seed of the tokens, and the allowed rounding. A tolerance is a share of the greatest logit."""

    time: int = TIME
    batch: int = BATCH
    seed: int = 0
    dtype: str = ""
    tolerance: float | None = None


class EngineTrial(LawTrial):
    """An engine that reads tokens in one way, and what it is compared with: itself in another way, or a reference."""

    def __init__(self, reader: EngineReader, exact: Any, common: "EngineTrials") -> None:
        self.reader: Any = reader
        self.exact: Any = exact
        self.source: Any = common.source
        self.dtype = common.dtype
        self.receiver: Any = common.receiver
        self.tokens = common.tokens
        self.other_tokens = common.other_tokens
        self.common = common

    @cached_property
    def allowed(self) -> Allowed:
        """From the type of the engine, by the reference; without one, a share of the greatest logit."""
        return self.common.allowed

    def require_same(self, words: str, found: Tensor, expected: Tensor, places: Tensor | None = None) -> None:
        """Compare the tokens for which the engine returns logits."""
        if found.shape == expected.shape:
            given = ((found != NOT_GIVEN) & (expected != NOT_GIVEN)).all(-1)
            places = given.long() if places is None else places * given
        super().require_same(words, found, expected, places)


class EngineTrials:
    """The ways to read that laws need, each with the same tokens."""

    def __init__(self, engine: Any, inputs: Inputs, reference: ModelSource | None, other: Callable[[], Any]) -> None:
        self.engine = engine
        self.inputs = inputs
        self.dtype = getattr(torch, dtype_of(engine, inputs))
        self.reference = None if reference is None else ModelReader(reference)
        self.source = SimpleNamespace(where="engine") if reference is None else reference
        self.receiver = EngineReceiver(other)
        single = EngineReader(engine)
        if self.reference is not None and int(self.reference.config.vocab_size) != single.vocabulary:
            found = f"{single.vocabulary} of the engine and {self.reference.config.vocab_size} of the reference"
            raise BadInput(f"vocabulary: expected equal sizes, found {found}")
        draw = single if self.reference is None else self.reference
        self.tokens = draw.random_tokens(inputs.batch, inputs.time, inputs.seed)
        self.other_tokens = draw.random_tokens(inputs.batch, inputs.time, inputs.seed + 1)
        batched = EngineReader(engine, batched=True)
        exact = self.reference or single
        self.trials = {
            "single": EngineTrial(single, exact, self),
            "batch": EngineTrial(batched, exact, self),
            "alone": EngineTrial(single, batched, self),
        }

    @cached_property
    def allowed(self) -> Allowed:
        """The greatest difference that rounding may make."""
        greatest = max(1.0, float(self.trials["single"].reference.abs().max()))
        name = str(self.dtype).removeprefix("torch.")
        if self.inputs.tolerance is not None:
            return Allowed(self.inputs.tolerance * greatest, f"{self.inputs.tolerance:g} of the greatest logit, the tolerance")
        if self.reference is None or self.dtype == torch.float64:
            return Allowed(SHARE * greatest, f"{SHARE:.0e} of the greatest logit, for engines that compute in float64")
        typed = ModelReader(self.reference.source, self.dtype)
        off = float((typed.whole(self.tokens).double() - self.trials["single"].reference).abs().max())
        least = torch.finfo(self.dtype).eps * greatest
        return Allowed(max(TIMES * off, least), f"{TIMES} times what one pass of the reference in {name} is off float64")

    def verdict(self, name: str) -> ModelVerdict:
        """Test a law; a law whose methods the engine does not have is not tested."""
        law = ENGINE_LAWS[name]
        missing = [method for method in law.needs if not callable(getattr(self.engine, method, None))]
        if missing:
            return ModelVerdict(name, None, f"the engine has no {' and no '.join(missing)}")
        if getattr(self.engine, "stalls", 0) >= MOST_STALLS:
            return ModelVerdict(name, None, f"the engine did not answer in time {MOST_STALLS} times")
        trial = self.trials[law.reads]
        verdict = try_law(name, trial, self._with_window if name == "window passed by one" else law.holds)
        self._require_declared_type()
        return verdict

    def _require_declared_type(self) -> None:
        """Raise BadInput for logits of a narrower type than the engine says, if no other type or tolerance is given."""
        narrow = [getattr(one, "narrow", "") for one in (self.engine, *(trial.reader for trial in self.trials.values()))]
        found = next(filter(None, narrow), "")
        if found and not self.inputs.dtype and self.inputs.tolerance is None:
            says = f"expected logits of {dtype_of(self.engine, self.inputs)}, which is its dtype, found {found}"
            raise BadInput(f'engine {engine_name(self.engine)}: {says}; set dtype = "{found}" in its class')

    def _with_window(self, trial: LawTrial) -> None:
        if self.reference is None:
            raise NotTried("only a reference says which windows the engine has")
        windows = windows_of(all_fields(trial.source))
        if windows and min(windows) >= self.inputs.time:
            raise NotTried(f"the window of {min(windows)} is longer than the inputs; --length {2 * min(windows)} passes it")
        sharing.window_passed_by_one(trial)


def dtype_of(engine: Any, inputs: Inputs) -> str:
    """Return the name of the type that the engine computes in. Raises BadInput for another one."""
    name = inputs.dtype or str(getattr(engine, "dtype", TYPES[0]))
    if name not in TYPES:
        raise BadInput(f"dtype: expected one of {', '.join(TYPES)}, found {name!r}")
    return name


def engine_name(engine: Any) -> str:
    """Return the name that an engine has for itself, or that of its class."""
    name = getattr(engine, "name", None)
    return name if isinstance(name, str) else type(engine).__name__


def require_engine(engine: Any) -> None:
    """Raise BadInput unless the engine has the required methods and a vocabulary."""
    for method in REQUIRED:
        if not callable(getattr(engine, method, None)):
            raise BadInput(f"engine {type(engine).__name__}: expected a method {method}, found none")
    size = getattr(engine, "vocabulary", None)
    if not is_whole(size) or int(size or 0) < 2:
        raise BadInput(f"engine {type(engine).__name__}: vocabulary: expected a whole number from 2, found {size!r:.60}")


def find_reference(reference: Path | str | None) -> ModelSource | None:
    """Return the source of the folder with the same weights. Raises BadInput for a file: its weights would be random."""
    if reference is None:
        return None
    if not isinstance(reference, str | os.PathLike):
        raise BadInput(f"reference: expected the path of a folder, found {excerpt(printable(repr(reference)))}")
    if not model_path(reference).is_dir():
        raise BadInput(f"reference {reference}: expected a folder with config.json and model.safetensors")
    return find_source(reference, {})


def try_engine_laws(
    engine: Any,
    names: Sequence[str],
    inputs: Inputs,
    *,
    reference: ModelSource | None = None,
    other: Callable[[], Any] | None = None,
) -> Iterator[ModelVerdict]:
    """Test laws on an engine in turn; `other` starts a second engine, for states that are sent as bytes."""
    require_engine(engine)
    name = dtype_of(engine, inputs)
    if name != "float64" and reference is None and inputs.tolerance is None:
        raise BadInput(f"dtype {name}: without a reference, rounding cannot be distinguished from a fault; {NOT_FLOAT64}")
    try:
        trials = EngineTrials(engine, inputs, reference, other or (lambda: engine))
    except EngineFails as error:
        raise BadInput(text_of(error)) from error
    for name in names:
        verdict = trials.verdict(name)
        if verdict.holds and name == "state as bytes" and other is None:
            verdict = replace(verdict, where="loaded by the same engine, as no second one is given")
        yield verdict


@whole_arguments
def check_engine(
    engine: Any,
    *,
    laws: Sequence[str] = (),
    reference: Path | str | None = None,
    another: Callable[[], Any] | None = None,
    dtype: str = "",
    tolerance: float | None = None,
    length: int = TIME,
    batch: int = BATCH,
    seed: int = 0,
) -> list[ModelVerdict]:
    """Check laws of state on an inference engine; return a verdict for each law.

    An engine has `vocabulary`, `prefill(tokens)` and `decode(token, state)`, and optional methods. If a law needs a method that
    the engine does not have, `holds` of its verdict is None, and `where` is the reason.

    Arguments:
        engine: object with the methods of `seqsep.language_models.engines.protocol`.
        laws: names of laws, by default all.
        reference: folder of the same weights in transformers, which are computed in float64.
        another: function that returns a second engine, which loads the states that the first saves.
        dtype: type that the engine computes in, by default its attribute `dtype`, or float64.
        tolerance: difference that is allowed, as a share of the greatest logit; by default it follows from the type.
        length: tokens of an input, from 9.
        batch: inputs read together, from 2.
        seed: random seed of the tokens.

    Raises LawsFail if a law fails, after all of them were tested. Raises BadInput if the engine or an argument is wrong.

    >>> class Sums:
    ...     vocabulary = 5
    ...     def prefill(self, tokens):
    ...         sums = [sum(tokens[: end + 1]) for end in range(len(tokens))]
    ...         return [[value * (token + 1) for token in range(5)] for value in sums], sums[-1]
    ...     def decode(self, token, state):
    ...         return [(state + token) * (other + 1) for other in range(5)], state + token
    >>> [verdict.law for verdict in check_engine(Sums()) if verdict.holds]
    ['finite numbers', 'one pass', 'causal', 'token by token', 'nothing kept between calls']
    """
    inputs = Inputs(length, batch, seed=seed, dtype=dtype, tolerance=tolerance)
    require_inputs(inputs)
    if isinstance(laws, str) or not isinstance(laws, Iterable) or not all(isinstance(law, str) for law in laws):
        raise BadInput(f"laws: expected a list of names, found {excerpt(printable(repr(laws)))}")
    if another is not None and not callable(another):
        raise BadInput(f"another: expected a function that returns an engine, found {excerpt(printable(repr(another)))}")
    chosen = choose_laws(laws, ENGINE_LAWS)
    verdicts = list(try_engine_laws(engine, chosen, inputs, reference=find_reference(reference), other=another))
    if any(verdict.holds is False for verdict in verdicts):
        raise LawsFail(verdicts, type(engine).__name__)
    return verdicts


def require_inputs(inputs: Inputs) -> None:
    """Raise BadInput for inputs on which a law tests nothing."""
    for name, found, least in (("length", inputs.time, 9), ("batch", inputs.batch, 2)):
        if found < least:
            raise BadInput(f"{name}: expected a whole number from {least}, found {found}")
    if inputs.tolerance is not None and not (isinstance(inputs.tolerance, int | float) and 0 <= inputs.tolerance < 1):
        raise BadInput(f"tolerance: expected a number from 0 to 1, found {inputs.tolerance!r}")
