"""The trial of the laws: a model, random tokens, their logits in float64, and how far from them a path may come out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import torch
from jaxtyping import Int64
from torch import Tensor

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.flash_linear import is_flash_linear
from seqsep.language_models.laws.reader import Logits, ModelReader
from seqsep.language_models.laws.receiver import Receiver
from seqsep.language_models.laws.settings import shortened
from seqsep.language_models.loader.source import ModelSource, all_fields
from seqsep.models.laws.mixer import LawFails

SHARE = 1e-9
"""Of the greatest logit, in float64: the same sums in another order differ by 10^-15, and layers multiply that."""
SHARE_OF_KERNELS = 1e-6
"""The same for flash-linear-attention: kernels of chunks and of single steps write 1 / ln 2 with 8 digits, or not at all."""
TIMES = 8
"""In fewer bits a path may be off by as many times what the whole pass is off."""


class NotTried(Exception):
    """The model has no path for a law; the message says which is missing.

    >>> raise NotTried("no layer has a window")
    Traceback (most recent call last):
        ...
    seqsep.language_models.laws.trial.NotTried: no layer has a window
    """


class PathDiffers(LawFails):
    """Two ways to the same logits differ: at which token first, by how much, and how much is allowed.

    >>> PathDiffers("in chunks", token=3, difference=0.5, allowed=1e-9).token
    3
    """

    def __init__(self, words: str, token: int, difference: float, allowed: float) -> None:
        super().__init__(words)
        self.token = token
        self.difference = difference
        self.allowed = allowed


@dataclass(frozen=True)
class Allowed:
    """The greatest distance of a path from the reference, and the reason for it."""

    difference: float
    why: str


def _shortened(source: ModelSource, time: int) -> tuple[ModelSource, dict[str, Any]]:
    """Return the source with short windows and chunks, and the fields that the library let be cut."""
    cut = {}
    for name, size in shortened(all_fields(source), time).items():
        try:
            source = source.but({name: size})
        except BadInput:  # the library computes it from other fields
            continue
        cut[name] = size
    return source, cut


class LawTrial:
    """A model in the precision that is tried, with its tokens.

    Windows and kernels' chunks longer than a third of the tokens are cut to it, so that the tokens pass them (`shortened`).
    `reference` are the logits of one pass over all of them in float64; `allowed` follows from the precision.
    """

    def __init__(
        self, source: ModelSource, *, time: int, batch: int, seed: int, dtype: torch.dtype, receiver: Receiver
    ) -> None:
        source, self.shortened = _shortened(source, time)
        self.source = source
        self.seed = seed
        self.dtype = dtype
        self.receiver = receiver
        self.exact = ModelReader(source)
        self.reader = self.exact if dtype == torch.float64 else ModelReader(source, dtype)
        self.tokens = self.reader.random_tokens(batch, time, seed)
        self.other_tokens = self.reader.random_tokens(batch, time, seed + 1)

    @cached_property
    def reference(self) -> Logits:
        """The logits of one pass in float64."""
        return self.exact.whole(self.tokens)

    @cached_property
    def allowed(self) -> Allowed:
        """From the greatest logit in float64; in fewer bits from what the whole pass itself is off."""
        greatest = max(1.0, float(self.reference.abs().max()))
        if self.dtype == torch.float64 and is_flash_linear(self.source.config["model_type"], self.source.config):
            why = "as all is computed in 64 bits but constants of the kernels"
            return Allowed(SHARE_OF_KERNELS * greatest, f"{SHARE_OF_KERNELS:.0e} of the greatest logit, {why}")
        if self.dtype == torch.float64:
            return Allowed(SHARE * greatest, f"{SHARE:.0e} of the greatest logit, as all is computed in 64 bits")
        name = str(self.dtype).removeprefix("torch.")
        off = float((self.reader.whole(self.tokens).double() - self.reference).abs().max())
        least = torch.finfo(self.dtype).eps * greatest
        return Allowed(max(TIMES * off, least), f"{TIMES} times what the whole pass in {name} is off float64")

    @property
    def time(self) -> int:
        """The number of tokens."""
        return self.tokens.shape[1]

    def require_state(self) -> None:
        """Raise NotTried if the model hands no state back."""
        if not self.reader.keeps_state:
            raise NotTried("the model hands no state back with its logits")

    def require_same(
        self, words: str, found: Tensor, expected: Tensor, places: Int64[Tensor, "batch time"] | None = None
    ) -> None:
        """Raise PathDiffers unless the logits are those expected, at all tokens or where `places` is not 0.

        `words` say what was done; the message adds where they differ first and by how much.
        """
        if found.shape != expected.shape:
            raise LawFails(f"{words}: logits of shape {tuple(found.shape)}, expected {tuple(expected.shape)}")
        difference = (found.double() - expected.double()).abs().amax(-1)
        counted = torch.ones_like(difference) if places is None else places.double()
        wrong = ~(difference <= self.allowed.difference) & (counted > 0)
        if bool(wrong.any()):
            self._refuse(words, torch.where(counted > 0, difference, torch.zeros_like(difference)), wrong)

    def require_as(
        self,
        words: str,
        found: Tensor,
        expected: Tensor,
        *,
        control: Callable[[], Tensor] | None,
        places: Int64[Tensor, "batch time"] | None = None,
    ) -> None:
        """Raise PathDiffers unless the logits are those expected, or those of `control`.

        The control reads the same tokens in the same cuts, without what the law is about. If a model is wrong there too, and by
        the same, then another law fails, such as "token by token".
        """
        try:
            self.require_same(words, found, expected, places)
        except LawFails as failure:
            if control is None:
                raise
            try:
                plain = control()
            except Exception:
                raise failure from None
            if self._same(plain, expected, places) or not self._same(found, plain, places):
                raise failure from None

    def _same(self, found: Tensor, expected: Tensor, places: Tensor | None) -> bool:
        try:
            self.require_same("", found, expected, places)
        except LawFails:
            return False
        return True

    def _refuse(self, words: str, difference: Tensor, wrong: Tensor) -> NoReturn:
        token = int(wrong.any(0).int().argmax())
        row = int(wrong[:, token].int().argmax())
        first = float(difference[row, token])
        greatest = float(difference.max())
        allowed = f"allowed {self.allowed.difference:.1e} ({self.allowed.why})"
        where = f"first at token {token} of row {row}, by {first:.1e}, at most by {greatest:.1e}; {allowed}"
        raise PathDiffers(f"{words}: other logits than in one pass, {where}", token, greatest, self.allowed.difference)
