"""Every law of state tried on a causal language model of `transformers`, and what comes of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from seqsep.core.names import BadInput, excerpt, nearest, printable, text_of
from seqsep.language_models.laws import claims, cuts, independence, packing, padding, reuse, rollback, sharing
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.trial import LawTrial, NotTried, PathDiffers
from seqsep.language_models.loader.library import TransformersMissing
from seqsep.language_models.loader.source import ModelSource
from seqsep.models.laws.mixer import LawFails

TIME = 24
BATCH = 3
NO_MEMORY = "can't allocate memory"
"""The message of torch's allocator for the processor, in a RuntimeError."""


@dataclass(frozen=True)
class ModelVerdict:
    """The verdict about one law on a language model.

    Fields:
        law: name of the law.
        holds: true or false; None if the law was not tested.
        where: place where it fails, or the reason why it was not tested.
        token: first token whose logits differ.
        difference: greatest difference of logits there.
        allowed: greatest difference that the law allows.

    >>> ModelVerdict("beyond windows", None, "no field of its config.json is a window").line()
    'not tried  beyond windows: no field of its config.json is a window'
    """

    law: str
    holds: bool | None
    where: str = ""
    token: int | None = None
    difference: float | None = None
    allowed: float | None = None

    def line(self) -> str:
        """Return the line that `seqsep check` prints."""
        kind = "not tried" if self.holds is None else "holds" if self.holds else "FAILS"
        return f"{kind}  {self.law}: {self.where}" if self.where else f"{kind}  {self.law}"

    def record(self) -> dict[str, Any]:
        """Return the record that `seqsep check --json` prints."""
        return dict(vars(self))


LANGUAGE_MODEL_LAWS: dict[str, Callable[[LawTrial], None]] = {
    "finite numbers": independence.numbers_are_finite,
    "causal": independence.causal,
    "token by token": cuts.token_by_token,
    "in chunks": cuts.in_chunks,
    "positions counted on": cuts.positions_counted_on,
    "any batch": independence.any_batch,
    "padding on the left": padding.padded_left,
    "padding on the right": padding.padded_right,
    "padding of one sequence": padding.padded_alone,
    "padding in chunks": padding.padded_in_chunks,
    "generate": independence.generated,
    "beams": independence.beams,
    "state as bytes": cuts.state_as_bytes,
    "state copied": cuts.state_copied,
    "rows reordered": cuts.rows_reordered,
    "nothing kept between calls": independence.other_sequences_between,
    "rolled back": rollback.rolled_back,
    "reset": reuse.reset,
    "reused": reuse.reused,
    "static": reuse.static,
    "joined": sharing.joined,
    "prefix shared": sharing.prefix_shared,
    "window passed by one": sharing.window_passed_by_one,
    "packed": packing.packed,
    "state declared": claims.state_is_declared,
    "beyond windows": claims.nothing_beyond_windows,
    "settings change the function": claims.settings_change_it,
    "settings of speed": claims.kernels_agree,
}
"""By the name that `seqsep check --model PATH` prints."""


class LawsFail(LawFails):
    """Laws that a language model breaks; `verdicts` are those about all laws that were asked for.

    >>> LawsFail([ModelVerdict("causal", False, "at token 3"), ModelVerdict("reset", False, "at token 1")]).verdicts[1].law
    'reset'
    """

    def __init__(self, verdicts: Sequence[ModelVerdict], path: Path | str = "") -> None:
        self.verdicts = list(verdicts)
        failed = [f"{verdict.law}: {verdict.where}" for verdict in verdicts if verdict.holds is False]
        super().__init__(f"{path}: {'; '.join(failed)}")


def choose_laws(names: Sequence[str], known: Iterable[str] = ()) -> list[str]:
    """Return the laws of these names in the order of those known, by default LANGUAGE_MODEL_LAWS; all if there are none.

    A dash or an underscore may be in place of a space. Raises BadInput for another name.

    >>> choose_laws(["reset", "rolled-back"])
    ['rolled back', 'reset']
    """
    laws = list(known or LANGUAGE_MODEL_LAWS)
    chosen = [name.replace("-", " ").replace("_", " ") for name in names]
    for name in chosen:
        if name not in laws:
            means = nearest(name, laws) or f"; the laws are {', '.join(laws)}"
            raise BadInput(f"unknown law {excerpt(printable(name))!r}{means}")
    return [name for name in laws if name in chosen or not names]


def try_laws(
    source: ModelSource,
    *,
    time: int = TIME,
    batch: int = BATCH,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    receiver: Receiver | None = None,
    laws: Sequence[str] = (),
) -> Iterator[ModelVerdict]:
    """Try laws on a model, all if none is named, in turn; `receiver` is the other process, if there is one already.

    `time` is at least 9 tokens, `batch` at least 2 rows. Whatever the model raises breaks the law.
    """
    if receiver is None:
        with Receiver() as fresh:
            yield from try_laws(source, time=time, batch=batch, seed=seed, dtype=dtype, receiver=fresh, laws=laws)
        return
    trial = LawTrial(source, time=time, batch=batch, seed=seed, dtype=dtype, receiver=receiver)
    for name in laws or LANGUAGE_MODEL_LAWS:
        yield try_law(name, trial)


def try_law(name: str, trial: LawTrial, law: Callable[[LawTrial], None] | None = None) -> ModelVerdict:
    """Try a law, by default that of LANGUAGE_MODEL_LAWS. Raises MemoryError if it needs more memory than there is."""
    try:
        (law or LANGUAGE_MODEL_LAWS[name])(trial)
    except NotTried as reason:
        return ModelVerdict(name, None, str(reason))
    except PathDiffers as failure:
        return ModelVerdict(
            name, False, str(failure), token=failure.token, difference=failure.difference, allowed=failure.allowed
        )
    except LawFails as failure:
        return ModelVerdict(name, False, str(failure))
    except TransformersMissing:
        raise
    except Exception as error:
        if isinstance(error, MemoryError) or NO_MEMORY in str(error):  # it says nothing about the model
            raise MemoryError(f"{trial.source.where}: no memory for the law {name!r}: {text_of(error)}") from error
        return ModelVerdict(name, False, f"it raises {type(error).__name__}: {text_of(error)}")
    return ModelVerdict(name, True)
